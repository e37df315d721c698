"""What a process of its own costs a game: start, private memory, round trip, and many games at once.

    python -m benchmarks.host --games DIR [--starts 5] [--actions 200] [--crowd 300] [--json FILE]

For each game below DIR:
- start: `Host.start` from a parent that runs already, in ms of wall time; `first` when the source is new to the parent,
  `start` the median of those after it. `construct` is the part that is the game's own: running the compiled source and
  the constructor, in this process, the median of as many.
- private: what the process shares with no other, in MB, after the start and 10 actions (Linux).
- extra: median time of `GameProcess.act` less the median of `perform_action` in this process, in us; the same actions,
  in turn. The peer of this figure is a byte that goes to another process and back over a bare socket pair.

Then `crowd` games live at once, the games below DIR in turn: start all, one action on each, drop all.
"""

import argparse
import asyncio
import json
import os
import random
import socket
import statistics
import time
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.actions import ActionInput, GameAction
from engine.catalog import find_games, load_game, read_metadata
from engine.game import ARCBaseGame
from engine.host import GameProcess, Host

MEMORY_ACTIONS = 10
ECHOES = 5_000


@dataclass(frozen=True)
class Result:
    """One game. Times in ms, but `act`, `alone` and `extra` in us; `private` in MB."""

    game_id: str
    first: float
    start: float
    construct: float
    private: float
    act: float
    alone: float
    extra: float


@dataclass(frozen=True)
class Crowd:
    """Many games at once: seconds of wall time for all of them; MB for all together and for the parent."""

    games: int
    start: float
    act: float
    drop: float
    private: float
    left: int


def echo_microseconds() -> float:
    """The median round trip of one byte to another process and back, over a bare socket pair."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        while byte := theirs.recv(1):
            theirs.sendall(byte)
        os._exit(0)
    theirs.close()
    times = []
    with ours:
        for _ in range(ECHOES):
            began = time.perf_counter()
            ours.sendall(b"x")
            ours.recv(1)
            times.append(time.perf_counter() - began)
    os.waitpid(child, 0)
    return statistics.median(times) * 1e6


def private_megabytes(pid: int) -> float:
    """What the process shares with no other."""
    with open(f"/proc/{pid}/smaps_rollup") as rollup:
        sizes = {line.split()[0]: int(line.split()[1]) for line in rollup if line.split()[0].startswith("Private_")}
    return sum(sizes.values()) / 1024


def count_alive(games: Iterable[GameProcess]) -> int:
    """How many of the games' processes exist."""
    return sum(os.path.exists(f"/proc/{game.pid}") for game in games)


def choose_actions(game: ARCBaseGame, count: int) -> list[ActionInput]:
    """Seeded actions of those that the game takes; the first opens the play."""
    choose = random.Random(0)
    chosen = [ActionInput(id=GameAction.RESET)]
    while len(chosen) < count:
        action = GameAction.from_id(choose.choice(game._available_actions))
        place = {"x": choose.randrange(64), "y": choose.randrange(64)} if action.is_complex() else {}
        chosen.append(ActionInput(id=action, data=place))
    return chosen


async def timed_start(host: Host, directory: Path) -> tuple[GameProcess, float]:
    began = time.perf_counter()
    game = await host.start(directory)
    return game, (time.perf_counter() - began) * 1e3


async def measure(host: Host, directory: Path, starts: int, actions: int) -> Result:
    times: list[float] = []
    for _ in range(starts + 1):
        game, milliseconds = await timed_start(host, directory)
        times.append(milliseconds)
        await game.drop()
    construct: list[float] = []
    load_game(directory)  # compiles, which is no part of constructing
    for _ in range(starts):
        began = time.perf_counter()
        alone = load_game(directory, only_reset_levels=True)
        construct.append((time.perf_counter() - began) * 1e3)
    chosen = choose_actions(alone, max(actions, MEMORY_ACTIONS))

    game = await host.start(directory)
    there: list[float] = []
    here: list[float] = []
    private = 0.0
    for number, action in enumerate(chosen, 1):
        began = time.perf_counter()
        await game.act(action)
        between = time.perf_counter()
        alone.perform_action(action, raw=True)
        here.append(time.perf_counter() - between)
        there.append(between - began)
        if number == MEMORY_ACTIONS:
            private = private_megabytes(game.pid)
    await game.drop()
    act, inside = statistics.median(there) * 1e6, statistics.median(here) * 1e6
    return Result(
        game_id=read_metadata(directory).game_id,
        first=times[0],
        start=statistics.median(times[1:]),
        construct=statistics.median(construct),
        private=private,
        act=act,
        alone=inside,
        extra=act - inside,
    )


async def crowd(host: Host, directories: list[Path], count: int) -> Crowd:
    """Start so many games, act on each, drop them all; `left` counts processes and descriptors that stayed."""
    descriptors = len(os.listdir("/proc/self/fd"))
    began = time.perf_counter()
    games = await asyncio.gather(*(host.start(directories[n % len(directories)]) for n in range(count)))
    started = time.perf_counter()
    await asyncio.gather(*(game.act(GameAction.RESET) for game in games))
    acted = time.perf_counter()
    private = sum(private_megabytes(game.pid) for game in games)
    dropping = time.perf_counter()
    await asyncio.gather(*(game.drop() for game in games))
    dropped = time.perf_counter()
    await asyncio.sleep(0)  # the loop closes the last sockets
    return Crowd(
        games=count,
        start=started - began,
        act=acted - started,
        drop=dropped - dropping,
        private=private,
        left=count_alive(games) + len(os.listdir("/proc/self/fd")) - descriptors,
    )


async def run(directories: list[Path], options: argparse.Namespace) -> tuple[list[Result], Crowd]:
    host = Host(start_seconds=120.0, action_seconds=120.0)
    await (await host.start(directories[0])).drop()  # so that the parent runs
    await host.close()
    results: list[Result] = []
    await (await host.start(directories[-1])).drop()
    for directory in directories:
        result = await measure(host, directory, options.starts, options.actions)
        results.append(result)
        print(
            f"{result.game_id:24}{result.first:8.0f}{result.start:8.0f}{result.construct:11.0f}{result.private:9.1f}"
            f"{result.act:9.0f}{result.alone:9.0f}{result.extra:8.0f}",
            flush=True,
        )
    many = await crowd(host, directories, options.crowd)
    await host.close()
    return results, many


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=Path, required=True, metavar="DIR")
    parser.add_argument("--starts", type=int, default=5, help="of each game, after the first")
    parser.add_argument("--actions", type=int, default=200, help="of each game")
    parser.add_argument("--crowd", type=int, default=300, help="games at once")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    echo = echo_microseconds()
    directories = [each.resolve() for each in find_games(options.games)]
    print(f"{os.cpu_count()} cores, {len(directories)} games; a bare socket pair takes {echo:.0f} us")
    print(f"{'game':24}{'first':>8}{'start':>8}{'construct':>11}{'private':>9}{'act':>9}{'alone':>9}{'extra':>8}")
    results, many = asyncio.run(run(directories, options))
    print(f"median extra {statistics.median(result.extra for result in results):.0f} us")
    print(
        f"{many.games} games at once: start {many.start:.1f} s, act on each {many.act:.1f} s, drop {many.drop:.1f} s, "
        f"{many.private:.0f} MB private, {many.left} left behind"
    )
    if options.json:
        figures = {
            "cores": os.cpu_count(),
            "echo": echo,
            "games": [asdict(result) for result in results],
            "crowd": asdict(many),
        }
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
