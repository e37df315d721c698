"""`manage.py baselines`: human baselines from the recordings, beside and into metadata.json."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import QuerySet

from arcweb.calibration.baselines import GameBaselines, baselines, counted_recordings
from arcweb.calibration.metadata import Published, WriteRefusedError, published, writable, write
from arcweb.games.models import Game


class Command(BaseCommand):
    help = "Print the human baselines of every game that has counted recordings, and write them into metadata.json."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--game", metavar="ID", help="this game only: full id, or its name if that is unique")
        parser.add_argument("--json", action="store_true", help="one JSON object, keyed by game_id")
        parser.add_argument("--write", action="store_true", help="replace baseline_actions in metadata.json")
        parser.add_argument("--dry-run", action="store_true", help="with --write: show the difference, write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        games = [(each, published(each.game)) for each in baselines(_games(options["game"]))]
        if options["json"]:
            self.stdout.write(json.dumps({each.game.game_id: _as_json(each, now) for each, now in games}))
        else:
            self.stdout.write("\n\n".join(_table(each, now) for each, now in games) or "no recordings to count")
        if options["write"]:
            self._write(games, say=self.stderr if options["json"] else self.stdout, is_dry_run=options["dry_run"])

    def _write(self, games: list[tuple[GameBaselines, Published]], say: Any, is_dry_run: bool) -> None:
        refused = 0
        for each, now in games:
            try:
                values = writable(each, now)
                if not is_dry_run:
                    write(each, now)
            except WriteRefusedError as error:
                refused += 1
                self.stderr.write(f"not written: {error}")
                continue
            did = "would write" if is_dry_run else "written"
            say.write(f"{did}: {each.game.game_id}: {_difference(now.baseline_actions, values)}")
        if refused:
            raise CommandError(f"{refused} of {len(games)} games were not written")


def _games(game: str | None) -> QuerySet[Game]:
    """The game of this id or unique name; without one, all that have recordings to count."""
    if game is None:
        return Game.objects.filter(pk__in=counted_recordings().values("game"))
    try:
        return Game.objects.filter(pk=Game.objects.named(game).pk)
    except LookupError as error:
        raise CommandError(str(error)) from error


def _as_json(baselines: GameBaselines, now: Published) -> dict[str, Any]:
    return {
        "baseline_actions": baselines.baseline_actions,
        "completers": baselines.completers,
        "metadata": now.baseline_actions,
    }


def _table(baselines: GameBaselines, now: Published) -> str:
    lines = [f"{baselines.game.game_id}: {baselines.recordings} recording{'' if baselines.recordings == 1 else 's'}"]
    if now.problem:
        lines[0] += f" ({now.problem})"
    lines.append("  level  completers  baseline  metadata")
    in_metadata = now.baseline_actions or []
    for level in baselines.levels:
        value = in_metadata[level.level - 1] if level.level <= len(in_metadata) else None
        lines.append(f"  {level.level:5}  {level.completers:10}  {_or_dash(level.baseline):>8}  {_or_dash(value):>8}")
    return "\n".join(lines)


def _or_dash(value: int | None) -> str:
    return "-" if value is None else str(value)


def _difference(old: list[int] | None, new: list[int]) -> str:
    if old == new:
        return "unchanged"
    if old is None or len(old) != len(new):
        return f"{old if old is not None else 'nothing'} -> {new}"
    changed = [
        f"level {level} {was} -> {now}" for level, (was, now) in enumerate(zip(old, new, strict=True), 1) if was != now
    ]
    return ", ".join(changed)
