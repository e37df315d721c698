"""`manage.py export_recordings GUID... DIR` or `--game ID DIR`: official JSONL files out of the database."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arcweb.games.models import Game
from arcweb.recordings.export import export_file
from arcweb.recordings.models import Recording


class Command(BaseCommand):
    help = "Write recordings as official JSONL files, <guid>.recording.jsonl, with frames and footer."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("guids", nargs="*", metavar="GUID", help="recordings by their guid")
        parser.add_argument("--game", metavar="ID", help="all recordings of this game; id or unique name")
        parser.add_argument("directory", type=Path, metavar="DIR", help="the folder to write into")

    def handle(self, *args: Any, guids: list[str], game: str | None, directory: Path, **options: Any) -> None:
        if bool(guids) == bool(game):
            raise CommandError("name recordings by their guid, or all of one game by --game ID")
        found = Recording.objects.select_related("game")
        try:
            found = found.filter(game=Game.objects.named(game)) if game else found.filter(guid__in=guids)
        except LookupError as error:
            raise CommandError(str(error)) from error
        if missing := set(guids) - set(found.values_list("guid", flat=True)):
            raise CommandError(f"there is no recording {', '.join(sorted(missing))}")
        if not found:
            raise CommandError(f"there is no recording of {game}")
        for recording in found:
            self.stdout.write(str(export_file(recording, directory)))
