"""Bring the catalogue in the database up to date with the folder of games."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from django.conf import settings

from arcweb.games.models import Game
from engine import host
from engine.catalog import IDENTIFIER, GameLoadError, Metadata, find_games, read_metadata, source_hash


def scan_games(root: Path, now: datetime, report: Callable[[str], None] = lambda _line: None) -> list[Game]:
    """Load every game below `root`, each in a process of its own, and note what it says of itself or why it fails.

    Args:
        root: folder of `<name>/<version>/metadata.json`, at any depth.
        now: the time to note, aware.
        report: hears one line about each folder that was passed over.

    Returns the games that have files, also those that do not load. A game whose files are gone stays, without them.
    """
    directories = [Path(directory) for directory in find_games(root)]
    answers = host.scan(directories, settings.GAME_ACTION_SECONDS, settings.GAME_MEMORY_MB * 2**20)
    games: dict[str, Game] = {}
    for game in sorted((_note(folder, root, answers[folder], now) for folder in directories), key=_is_second_choice):
        if not IDENTIFIER.fullmatch(game.game_id):
            report(f"{game.directory!a}: passed over: {game.problem}")
        elif game.game_id in games:
            report(f"{game.directory}: passed over, {games[game.game_id].directory} is {game.game_id} already")
        else:
            game.save()
            games[game.game_id] = game
    Game.objects.exclude(directory="").exclude(game_id__in=games).update(directory="", scanned_at=now)
    return sorted(games.values(), key=lambda game: game.game_id)


def _is_second_choice(game: Game) -> tuple[bool, bool, str]:
    """Of folders with one id, the one that loads comes first, then the one that is named after the id."""
    return bool(game.problem), game.directory != f"{game.name}/{game.version}", game.directory


def _note(directory: Path, root: Path, answer: host.GameInfo | host.HostError, now: datetime) -> Game:
    """The catalogue's entry for a folder, not saved yet."""
    metadata: Metadata | None = None
    problem = ""
    try:
        metadata = read_metadata(directory)
    except GameLoadError as error:
        problem = str(error)
    game_id = metadata.game_id if metadata else f"{directory.parent.name}-{directory.name}"
    game = Game.objects.filter(game_id=game_id).first() or Game(game_id=game_id)
    game.name, _, game.version = game_id.partition("-")
    game.directory = str(directory.relative_to(root))
    game.scanned_at = now
    if metadata:
        game.default_fps = metadata.default_fps
    if isinstance(answer, host.GameInfo):
        game.level_count = answer.win_levels
        game.available_actions = list(answer.available_actions)
        game.source_hash = source_hash(directory)
    else:
        problem = problem or str(answer)
    game.problem = problem
    return game
