"""The bundled games, and every game found under ARC_GAMES_DIR, on this engine and on the reference: nothing differs.

ARC_GAMES_ACTIONS (default 300) is the number of random actions from the start and from each level. The seconds for one
game are limited; a game of which levels were left out for lack of time counts as skipped, and they are named.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from engine.catalog import find_games
from tests.engine.parity import difference, level_count, play_both

GAMES_DIR = os.environ.get("ARC_GAMES_DIR")
ACTIONS = int(os.environ.get("ARC_GAMES_ACTIONS", "300"))
SECONDS_PER_GAME = 600

BUNDLED = Path(__file__).parents[2] / "fixtures" / "environment_files"

games = find_games(GAMES_DIR) if GAMES_DIR else []
no_games_dir = pytest.mark.skipif(
    not GAMES_DIR, reason="ARC_GAMES_DIR names no folder of games to compare both engines on"
)


pytestmark = pytest.mark.filterwarnings("ignore")  # a game's own warnings are no difference


def assert_plays_alike(directory: Path, actions: int) -> None:
    """From the start and from each level, random actions do the same on both engines."""
    began = time.monotonic()
    starts = [None, *range(level_count(directory))]
    for done, level in enumerate(starts):
        if time.monotonic() - began > SECONDS_PER_GAME:
            pytest.skip(f"equal as far as played; no time for the levels {starts[done:]}")
        seed = 1 + (level or 0)
        ours, theirs = play_both(directory, level=level, actions=actions, rule=seed % 2 == 0, seed=seed)
        assert difference(ours, theirs) == "", f"from {'the start' if level is None else f'level {level}'}"
        assert ours.steps, "nothing was played"


@pytest.mark.parametrize("directory", find_games(BUNDLED), ids=lambda game: f"{game.parent.name}-{game.name}")
def test_bundled_game_plays_as_on_the_reference(directory: Path) -> None:
    assert_plays_alike(directory, actions=20)


@no_games_dir
@pytest.mark.parametrize("directory", games, ids=lambda game: f"{game.parent.name}-{game.name}")
def test_game_plays_as_on_the_reference(directory: Path) -> None:
    assert_plays_alike(directory, ACTIONS)


@no_games_dir
def test_games_dir_holds_games() -> None:
    assert games
