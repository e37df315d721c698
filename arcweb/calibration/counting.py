"""What counts as an action, and how many a level took: all the rules, in this one file.

* Every action counts 1: ACTION1 to ACTION7, undo included, RESET, and one that was not available but reached the
  engine.
* Step 0, the opening RESET, never counts, whatever it is labelled.
* An answer with an empty frame list came after the end: it does not count, and nothing that it says is believed.
* A level is completed when `levels_completed` rises above its maximum so far. It took the actions since the rise
  before.
* Where one action completes several levels, the first of them took the actions. The others took none and are marked
  `at_once`: no person's effort can be read from them.
* Only the first run counts. A full reset after step 0 ends it: one flagged so, or a RESET that lowers
  `levels_completed`, which is the same in files older than the flag.
"""

from collections.abc import Iterable
from typing import NamedTuple

RESET = 0


class PlayedStep(NamedTuple):
    """What counting needs of a step. `is_empty`: it was answered with an empty frame list."""

    step: int
    action: int
    levels_completed: int
    full_reset: bool
    is_empty: bool


class LevelResult(NamedTuple):
    """A level completed: its number from 1, the actions that it took, and those of the whole run until then."""

    level: int
    actions: int
    total: int
    at_once: bool = False


def level_results(steps: Iterable[PlayedStep]) -> list[LevelResult]:
    """The levels completed in the first run of one recording, in order.

    Args:
        steps: of one recording, in order. Where step 0 shows levels completed already, those have no result.
    """
    results: list[LevelResult] = []
    completed = total = total_before = 0
    for step, action, levels_completed, full_reset, is_empty in steps:
        if is_empty:
            continue
        if step == 0:
            completed = levels_completed
            continue
        if full_reset or (action == RESET and levels_completed < completed):
            break
        total += 1
        for level in range(completed + 1, levels_completed + 1):
            results.append(LevelResult(level, total - total_before, total, at_once=level > completed + 1))
            total_before = total
        completed = max(completed, levels_completed)
    return results
