"""Plays written as a film: one word an action, `label` or `label:levels_completed`.

R is a RESET, F a full reset, 1 to 7 the actions, and a trailing `-` an answer with an empty frame list.
"""

import pytest

from arcweb.calibration.counting import LevelResult, PlayedStep, level_results


def play(film: str) -> list[PlayedStep]:
    levels, steps = 0, []
    for number, word in enumerate(film.split()):
        is_empty = word.endswith("-")
        label, _, rises = word.removesuffix("-").partition(":")
        levels = int(rises) if rises else levels
        action = 0 if label in "RF" else int(label)
        steps.append(PlayedStep(number, action, 0 if is_empty else levels, label == "F", is_empty))
    return steps


@pytest.mark.parametrize(
    ("case", "film", "actions"),
    [
        ("nothing done", "R", []),
        ("no level completed", "R 1 2 3", []),
        ("opening reset is never counted", "R 1:1", [1]),
        ("opening reset that is a full one is not counted either", "F 1:1", [1]),
        ("opening record labelled with an action is not counted", "6 1 1:1", [2]),
        ("counts start anew with each level", "R 1 1 1:1 2 2:2 3:3", [3, 2, 1]),
        ("actions after the last level completed belong to none", "R 1:1 1 1 1", [1]),
        ("reset in a level", "R 1 R 1 1:1", [4]),
        ("reset at the start of a level", "R 1:1 R 1:2", [1, 2]),
        ("double reset", "R 1 1 R R 1:1", [5]),
        ("double reset in the second level keeps the first", "R 1 1:1 1 R R 1:2", [2, 4]),
        ("undo", "R 1 7 1:1", [3]),
        ("game over and retry", "R 1 1 R 1:1", [4]),
        ("action after game over", "R 1 1- 2- R 1:1", [3]),
        ("action after game over in the second level", "R 1:1 1 2- R 1:2", [1, 3]),
        ("action after the win", "R 1:1 1:2 1- 1-", [1, 1]),
        ("win", "R 1 1:1 1 1 1:2", [2, 3]),
        ("action that is not available", "R 5 1:1", [2]),
        ("full reset ends the first run", "R 1 1:1 F:0 1 1 1 1:1 1:2", [2]),
        ("full reset after the win", "R 1:1 1:2 F:0 1:1", [1, 1]),
        ("full reset before any level", "R 1 1 F 1:1", []),
        ("reset that lowers the levels is a full one", "R 1 1:1 R:0 1 1:1 1:2", [2]),
        ("action that lowers the levels is not", "R 1:1 1:0 1:1 1:2", [1, 3]),
    ],
)
def test_actions_of_each_level(case, film, actions):
    results = level_results(play(film))
    assert [result.actions for result in results] == actions, case
    assert [result.level for result in results] == list(range(1, len(actions) + 1))


def test_total_is_cumulative():
    assert [result.total for result in level_results(play("R 1 1:1 1 R 1:2"))] == [2, 5]


def test_two_levels_at_once_give_the_count_to_the_first():
    assert level_results(play("R 1 1:2 1:3")) == [
        LevelResult(1, actions=2, total=2),
        LevelResult(2, actions=0, total=2, at_once=True),
        LevelResult(3, actions=1, total=3),
    ]


def test_three_levels_at_once_mark_the_last_two():
    results = level_results(play("R 1:1 1 1 1:4"))
    assert [(result.actions, result.at_once) for result in results] == [(1, False), (3, False), (0, True), (0, True)]


def test_levels_that_were_completed_before_the_record_begins_have_no_result():
    assert [result.level for result in level_results(play("R:2 1 1:3"))] == [3]


def test_no_steps_complete_nothing():
    assert level_results([]) == []
