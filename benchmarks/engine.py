"""How fast the engine plays, beside the reference, on the same actions in the same run.

    python -m benchmarks.engine --games DIR [--actions 60] [--rounds 3] [--json FILE]

Workload: from each level of each game below DIR, seeded actions, half of them on what the game calls valid. They are
recorded once on our engine, then played on both in turn, `rounds` times; a game's time is the least of its rounds, in
seconds of this thread's CPU. Frames are compared. `game code` is the share of our time spent in the game's own source
and in what it calls outside the engine, from a profile of its own.
"""

import argparse
import cProfile
import inspect
import json
import os
import pstats
import random
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import arcengine
import numpy as np

import engine
from engine.catalog import find_games, load_game, read_metadata, source_path

ENGINE_FOLDER = str(Path(engine.__file__).parent)

type Actions = list[list[tuple[int, dict[str, int]]]]  # by level
type Load = Callable[[Path], Any]


@dataclass(frozen=True)
class Result:
    """One game. Rates in frames a second of CPU time; `ratio` of ours to the reference's."""

    game_id: str
    actions: int
    frames: int
    ours: float
    reference: float
    ratio: float
    game_code: float
    same: bool


def load_reference(directory: Path) -> Any:
    """The game on the reference package."""
    path = source_path(directory)
    namespace: dict[str, Any] = {"__name__": "benchmarked", "__file__": str(path)}
    exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), namespace)  # noqa: S102 - what is measured
    game_class = namespace[read_metadata(directory).class_name]
    return game_class(**({"seed": 0} if "seed" in inspect.signature(game_class).parameters else {}))


def load_ours(directory: Path) -> Any:
    return load_game(directory, seed=0)


def choose_actions(directory: Path, count: int) -> Actions:
    """Seeded actions from each level, as far as the game takes them."""
    choose = random.Random(0)
    chosen: Actions = []
    game = begin(load_ours, directory)
    for level in range(len(game._levels)):
        chosen.append([])
        begin_level(engine, game, level)
        for _ in range(count):
            action = choose_action(choose, game)
            chosen[-1].append(action)
            answer = game.perform_action(engine.ActionInput(id=action[0], data=action[1]), raw=True)
            if answer.state.name in ("WIN", "GAME_OVER"):
                break
    return chosen


def choose_action(choose: random.Random, game: Any) -> tuple[int, dict[str, int]]:
    if choose.random() < 0.5 and (valid := game._get_valid_actions()):
        action = choose.choice(valid)
        return action.id.value, dict(action.data)
    number = choose.choice(game._available_actions)
    return number, {"x": choose.randrange(64), "y": choose.randrange(64)} if number == 6 else {}


def begin(load: Load, directory: Path) -> Any:
    random.seed(0)
    np.random.seed(0)
    return load(directory)


def begin_level(names: Any, game: Any, level: int) -> None:
    game.full_reset()
    game.set_level(level)


def play(load: Load, names: Any, directory: Path, actions: Actions) -> tuple[float, list[Any]]:
    """Seconds of CPU for the actions alone, and every frame."""
    game = begin(load, directory)
    frames: list[Any] = []
    seconds = 0.0
    for level, taken in enumerate(actions):
        begin_level(names, game, level)
        for number, data in taken:
            began = time.thread_time()
            answer = game.perform_action(names.ActionInput(id=names.GameAction.from_id(number), data=data), raw=True)
            seconds += time.thread_time() - began
            frames.extend(answer.frame)
    return seconds, frames


def share_of_game_code(directory: Path, actions: Actions) -> float:
    """From a profile: time outside the engine's own functions and what they call in numpy or Python."""
    profile = cProfile.Profile()
    profile.enable()
    play(load_ours, engine, directory, actions)
    profile.disable()
    stats: dict[Any, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]  # documented, not in the stubs
    total = inside = 0.0
    for (file, _, _), (_, _, own, _, callers) in stats.items():
        if file.endswith(("benchmarks/engine.py", "cProfile.py")):
            continue
        total += own
        if file.startswith(ENGINE_FOLDER):
            inside += own
        elif not file.endswith(source_path(directory).name):
            inside += sum(spent[2] for (caller, _, _), spent in callers.items() if caller.startswith(ENGINE_FOLDER))
    return 1 - inside / total if total else 0.0


def measure(directory: Path, count: int, rounds: int) -> Result:
    actions = choose_actions(directory, count)
    times: dict[str, list[float]] = {"ours": [], "reference": []}
    seen: dict[str, list[Any]] = {}
    for _ in range(rounds):
        for name, load, names in (("reference", load_reference, arcengine), ("ours", load_ours, engine)):
            seconds, seen[name] = play(load, names, directory, actions)
            times[name].append(seconds)
    frames = len(seen["ours"])
    same = frames == len(seen["reference"]) and all(map(np.array_equal, seen["ours"], seen["reference"]))
    ours, reference = frames / min(times["ours"]), len(seen["reference"]) / min(times["reference"])
    return Result(
        game_id=read_metadata(directory).game_id,
        actions=sum(map(len, actions)),
        frames=frames,
        ours=ours,
        reference=reference,
        ratio=ours / reference,
        game_code=share_of_game_code(directory, actions),
        same=same,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=Path, required=True, metavar="DIR")
    parser.add_argument("--actions", type=int, default=60, help="from each level")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    directories = [each.resolve() for entry in sorted(options.games.iterdir()) for each in find_games(entry)]
    print(f"{os.cpu_count()} cores, {len(directories)} games, {options.actions} actions from each level")
    print(f"{'game':24}{'frames':>8}{'reference/s':>13}{'ours/s':>9}{'ratio':>7}{'game code':>11}")
    results: list[Result] = []
    for directory in directories:
        result = measure(directory, options.actions, options.rounds)
        results.append(result)
        print(
            f"{result.game_id:24}{result.frames:8}{result.reference:13.0f}{result.ours:9.0f}{result.ratio:7.2f}"
            f"{result.game_code:11.0%}{'' if result.same else '  FRAMES DIFFER'}",
            flush=True,
        )
    mean = statistics.geometric_mean(result.ratio for result in results)
    print(f"geometric mean of the ratios {mean:.2f}, least {min(result.ratio for result in results):.2f}")
    if options.json:
        figures = {"cores": os.cpu_count(), "geometric_mean": mean, "games": [asdict(result) for result in results]}
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
