"""Baselines out of and into the metadata.json of a game."""

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from arcweb.calibration.baselines import GameBaselines
from arcweb.games.models import Game
from engine.catalog import GameLoadError, Metadata, find_games, read_metadata, write_baseline


class WriteRefusedError(ValueError):
    """Why the baselines of a game cannot be written. The text names the game."""


@dataclass(frozen=True, slots=True)
class Published:
    """What the game's metadata.json says now, or the problem with it."""

    directory: Path | None
    metadata: Metadata | None
    problem: str = ""

    @property
    def baseline_actions(self) -> list[int] | None:
        """The published baselines; None where there are none."""
        return self.metadata.baseline_actions if self.metadata else None


def published(game: Game) -> Published:
    """Read the game's metadata.json, wherever the game lies under ENVIRONMENTS_DIR."""
    directory = game.path if game.directory else _search(game)
    if directory is None:
        return Published(None, None, "the game's files are not here")
    try:
        metadata = read_metadata(directory)
    except GameLoadError as error:
        return Published(directory, None, str(error))
    if metadata.game_id != game.game_id:
        return Published(directory, None, f"{directory} holds {metadata.game_id} now; see manage.py load_games")
    return Published(directory, metadata)


def writable(baselines: GameBaselines, now: Published) -> list[int]:
    """The baselines to write.

    Raises:
        WriteRefusedError: the game's files are not here or have no readable metadata.json, or a level has no baseline.
    """
    game_id = baselines.game.game_id
    if now.problem:
        raise WriteRefusedError(f"{game_id}: {now.problem}")
    if not baselines.levels:
        raise WriteRefusedError(f"{game_id}: how many levels it has is not known")
    missing = [str(level.level) for level in baselines.levels if level.baseline is None]
    if missing:
        raise WriteRefusedError(f"{game_id}: nobody completed level {', '.join(missing)}")
    return [level.baseline for level in baselines.levels if level.baseline is not None]


def write(baselines: GameBaselines, now: Published) -> None:
    """Replace `baseline_actions` in the game's metadata.json, and nothing else in it.

    Raises:
        WriteRefusedError: as in `writable`, or the file has changed or cannot be written.
    """
    values = writable(baselines, now)
    assert now.directory is not None  # else there is a problem
    try:
        write_baseline(now.directory, values, expected=now.metadata)
    except (GameLoadError, OSError, ValueError) as error:
        raise WriteRefusedError(f"{baselines.game.game_id}: {error}") from error


def _search(game: Game) -> Path | None:
    """The folder of a game that is known from recordings only, if its files have come since the last scan."""
    for directory in find_games(settings.ENVIRONMENTS_DIR):
        try:
            if read_metadata(directory).game_id == game.game_id:
                return directory
        except GameLoadError:
            continue
    return None
