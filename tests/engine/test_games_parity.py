"""The bundled games, and every game found under ARC_GAMES_DIR, on this engine and on the reference: nothing differs.

ARC_GAMES_ACTIONS (default 300) is the number of random actions from the start and from each level. The seconds for one
game are limited; a game of which levels were left out for lack of time counts as skipped, and they are named. So does
one that can be made on neither engine.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from engine.catalog import find_games
from tests.engine.folders import SMALL_GAME, make_game
from tests.engine.parity import difference, level_count, loads_on_neither, play_both

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
    if reason := loads_on_neither(directory):
        pytest.skip(f"loads on neither engine: {reason}")
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


@pytest.mark.parametrize("rule", [True, False])
@pytest.mark.parametrize("directory", find_games(BUNDLED), ids=lambda game: f"{game.parent.name}-{game.name}")
def test_play_from_a_level_begins_on_it_with_other_actions_than_resets(directory: Path, rule: bool) -> None:
    for level in range(level_count(directory)):
        ours, theirs = play_both(directory, level=level, actions=1, rule=rule, seed=1)
        for played in (ours, theirs):
            opening, first = played.steps
            assert (opening.level, first.level) == (0, level)
            assert (opening.action, first.action != "RESET") == ("RESET", True)


def test_play_of_a_game_that_lists_no_valid_actions_has_clicks_not_only_resets(tmp_path: Path) -> None:
    source = SMALL_GAME.replace("[1, 2, 6]", "[6]").replace("= self.only_reset_levels", "= None")
    for played in play_both(make_game(tmp_path, source), level=0, actions=100, rule=True, seed=1):
        assert [step.action for step in played.steps].count("ACTION6") > 80


def test_game_that_gives_a_sprite_a_list_for_its_pixels_fails_as_on_the_reference(tmp_path: Path) -> None:
    source = SMALL_GAME.replace("move(1, 0)", "pixels = [[7]]").replace("= self.only_reset_levels", "= None")
    plays = play_both(make_game(tmp_path, source), level=None, actions=9, rule=True, seed=1)
    assert difference(*plays) == ""
    assert "'list' object has no attribute 'shape'" in plays[0].steps[-1].error


def test_game_that_raises_in_its_constructor_loads_on_neither_engine(tmp_path: Path) -> None:
    broken = make_game(tmp_path / "broken", SMALL_GAME.replace("super().__init__(", "super().missing("))
    assert "missing" in loads_on_neither(broken)
    assert loads_on_neither(make_game(tmp_path / "whole")) == ""


@no_games_dir
@pytest.mark.parametrize("directory", games, ids=lambda game: f"{game.parent.name}-{game.name}")
def test_game_plays_as_on_the_reference(directory: Path) -> None:
    assert_plays_alike(directory, ACTIONS)


@no_games_dir
def test_games_dir_holds_games() -> None:
    assert games
