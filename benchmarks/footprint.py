"""What a game takes before it is played: time to load and construct it, and memory of many instances.

    python -m benchmarks.footprint --games DIR [--instances 50] [--json FILE]

For each game below DIR and for both engines, each in a fresh process that has imported the engine:
- `load`: reading, compiling and running the source, in ms of CPU; `construct`: one instance after that, the median.
- `memory`: by how much the resident memory grows, from before the source is read to `instances` instances later, in MB.

The reference runs the source once and makes all instances of one class, as its toolkit does. Ours is `load_game` each
time: it runs the source for every instance, so that no two of them share anything (and keeps the compiled source).
"""

import argparse
import gc
import json
import os
import statistics
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.engine import load_reference
from engine.catalog import find_games, load_game, read_metadata


@dataclass(frozen=True)
class Footprint:
    """One game on one engine. `load` and `construct` in ms, `memory` in MB for all instances."""

    load: float
    construct: float
    memory: float


def ours(directory: Path) -> Callable[[], Any]:
    load_game(directory)
    return lambda: load_game(directory)


def reference(directory: Path) -> Callable[[], Any]:
    return type(load_reference(directory))


def resident() -> float:
    """MB of this process (Linux)."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(load: Callable[[Path], Callable[[], Any]], directory: Path, count: int) -> Footprint:
    warnings.simplefilter("ignore")
    gc.collect()
    before, began = resident(), time.process_time()
    make = load(directory)
    loaded = time.process_time() - began
    games, times = [], []
    for _ in range(count):
        began = time.process_time()
        games.append(make())
        times.append(time.process_time() - began)
    gc.collect()
    return Footprint(loaded * 1e3, statistics.median(times) * 1e3, resident() - before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=Path, required=True, metavar="DIR")
    parser.add_argument("--instances", type=int, default=50)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    options = parser.parse_args()
    directories = [each.resolve() for entry in sorted(options.games.iterdir()) for each in find_games(entry)]
    print(f"{os.cpu_count()} cores, {len(directories)} games, {options.instances} instances; reference, ours")
    print(f"{'game':24}{'load ms':>16}{'construct ms':>18}{'memory MB':>16}")
    figures = []
    for directory in directories:
        results = []
        for load in (reference, ours):
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                results.append(process.submit(measure, load, directory, options.instances).result())
        theirs, mine = results
        game_id = read_metadata(directory).game_id
        figures.append({"game_id": game_id, "reference": asdict(theirs), "ours": asdict(mine)})
        print(
            f"{game_id:24}{theirs.load:8.1f}{mine.load:8.1f}{theirs.construct:9.2f}{mine.construct:9.2f}"
            f"{theirs.memory:8.1f}{mine.memory:8.1f}",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps({"cores": os.cpu_count(), "games": figures}, indent=1))


if __name__ == "__main__":
    main()
