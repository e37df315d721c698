"""Playing one game on this engine and on the reference, and telling how the two plays differ."""

from __future__ import annotations

import inspect
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import arcengine
import numpy as np
import pytest

import engine
from engine.catalog import load_game, read_metadata, source_path

Rule = bool  # True: only level resets


@dataclass
class Step:
    """An action, and what a player, or a tool, sees after it. The level is the one that it leads to."""

    action: str = ""
    level: int = 0
    frames: list[np.ndarray[Any, Any]] = field(default_factory=list)
    seen: tuple[Any, ...] = ()
    error: str = ""


@dataclass
class Play:
    """The steps of one play and the seconds that the engine took for its actions."""

    steps: list[Step]
    seconds: float


def load_reference(directory: Path, seed: int, rule: Rule) -> Any:
    """The game on the real package, made as the toolkit makes it."""
    path = source_path(directory)
    namespace: dict[str, Any] = {"__name__": "engine.gamesource", "__file__": str(path)}
    exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), namespace)
    game_class = namespace[read_metadata(directory).class_name]
    arguments = {"seed": seed} if "seed" in inspect.signature(game_class).parameters else {}
    return game_class(**arguments)


def load_ours(directory: Path, seed: int, rule: Rule) -> Any:
    return load_game(directory, seed, only_reset_levels=rule)


def loads_on_neither(directory: Path) -> str:
    """Why the game can be made on neither engine, "" if it can on one."""
    ours, theirs = (_attempt(lambda load=load: load(directory, 0, False)) for load in (load_ours, load_reference))
    return str(ours) if isinstance(ours, Exception) and isinstance(theirs, Exception) else ""


def play(
    load: Callable[[Path, int, Rule], Any],
    names: ModuleType,
    directory: Path,
    *,
    level: int | None,
    actions: int,
    rule: Rule,
    seed: int,
) -> Play:
    """Random actions from fixed seeds, half of them what the game calls valid, until one of them fails.

    The opening RESET comes before `set_level`: as the first action of a level it may lead back to the first one.
    """
    random.seed(seed)
    np.random.seed(seed)  # games use the global generators
    choose = random.Random(seed)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ONLY_RESET_LEVELS", str(rule).lower())
        game = load(directory, seed, rule)
        steps: list[Step] = []
        seconds = 0.0
        for number in range(actions + 1):
            if number == 1 and level is not None:
                failed = _attempt(lambda: game.set_level(level))
                if isinstance(failed, Exception):
                    steps.append(_step(game, "set_level", [], failed))
                    break
            valid = _attempt(game._get_valid_actions)
            ended = bool(steps) and steps[-1].seen[0] in ("GAME_OVER", "WIN")
            action = _chosen(choose, names, game, valid if isinstance(valid, list) else [], number, ended)
            began = time.thread_time()
            answer = _attempt(lambda action=action: game.perform_action(action, raw=True))
            seconds += time.thread_time() - began
            steps.append(_step(game, action.id.name, valid, answer))
            if steps[-1].error:
                break
    return Play(steps, seconds)


def _attempt(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return error


def _chosen(choose: random.Random, names: ModuleType, game: Any, valid: list[Any], number: int, ended: bool) -> Any:
    """RESET to open, later one action in 25, and every other one once the play has ended and waits for it."""
    if number == 0 or (number > 1 and choose.random() < (0.5 if ended else 0.04)):
        return names.ActionInput(id=names.GameAction.RESET)
    listed = [action for action in valid if action.id.value]  # some games list RESET
    if listed and choose.random() < 0.5:
        return choose.choice(listed)
    chosen = choose.choice(game._available_actions or range(1, 8))
    data = {"x": choose.randrange(64), "y": choose.randrange(64)} if chosen == 6 else {}
    return names.ActionInput(id=chosen, data=data)


def _step(game: Any, action: str, valid: Any, answer: Any) -> Step:
    if isinstance(answer, Exception):
        return Step(action, error=f"{type(answer).__name__}: {answer}")
    hidden = _attempt(game._get_hidden_state)
    seen = (
        answer.state.value,
        answer.levels_completed,
        answer.win_levels,
        answer.full_reset,
        answer.available_actions,
        [(action.id.value, action.data) for action in valid] if isinstance(valid, list) else repr(valid),
        repr(hidden) if isinstance(hidden, Exception) else np.asarray(hidden).tolist(),
    )
    return Step(action, game.level_index, list(answer.frame), seen)


def difference(ours: Play, theirs: Play) -> str:
    """The first difference in words, "" if there is none."""
    for number, (one, other) in enumerate(zip(ours.steps, theirs.steps, strict=False)):
        if one.action != other.action:
            return f"step {number}: {one.action} instead of {other.action}"
        if one.error != other.error:
            return f"step {number}: {one.error or 'no error'} instead of {other.error or 'no error'}"
        if one.seen != other.seen:
            return f"step {number}: {one.seen} instead of {other.seen}"
        if one.level != other.level:
            return f"step {number}: level {one.level} instead of {other.level}"
        if len(one.frames) != len(other.frames):
            return f"step {number}: {len(one.frames)} frames instead of {len(other.frames)}"
        for index, (grid, wanted) in enumerate(zip(one.frames, other.frames, strict=True)):
            if grid.shape != wanted.shape or grid.dtype != wanted.dtype:
                return f"step {number}, frame {index}: {grid.dtype}{grid.shape}, not {wanted.dtype}{wanted.shape}"
            if not np.array_equal(grid, wanted):
                y, x = np.argwhere(grid != wanted)[0]
                return f"step {number}, frame {index}: x={x}, y={y} is {grid[y, x]} instead of {wanted[y, x]}"
    if len(ours.steps) != len(theirs.steps):
        return f"{len(ours.steps)} steps instead of {len(theirs.steps)}"
    return ""


def play_both(directory: Path, **how: Any) -> tuple[Play, Play]:
    """The same play on this engine and on the reference."""
    return play(load_ours, engine, directory, **how), play(load_reference, arcengine, directory, **how)


def level_count(directory: Path) -> int:
    return len(load_game(directory)._levels)
