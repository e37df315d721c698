"""Every live game in a process of its own: start it, let it act, drop it.

    host = Host(action_seconds=10.0)
    game = await host.start(directory, seed=0)
    result = await game.act(GameAction.RESET)
    await game.drop()
    await host.close()

The server process never forks. At the first start it launches a parent (`engine.host_parent`), a fresh interpreter
without the server's environment and descriptors, which loads the engine once and forks one child for each game
(`engine.host_child`). The server talks to each child over a socket of its own (`engine.host_channel`,
`engine.host_wire`); through the parent it starts and kills and learns how a child ended (`engine.host_link`). When the
server ends, in whatever way, the parent and all games end; when the parent ends, the games do.

A game that hangs, crashes, takes too much memory or answers nonsense gives a `HostError` to its own caller only.

What a game can do to the machine is bounded by `engine.host_child`, `engine.host_walls` and `engine.host_calls`;
docs/engine.md tells what is protected and what is not when staff upload a game.
"""

import asyncio
import os
import signal
import socket
import threading
import weakref
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine import host_wire as wire
from engine.actions import ActionInput, GameAction
from engine.host_channel import Channel
from engine.host_errors import (
    GameCrashed,
    GameDropped,
    GameHung,
    GameNotLoaded,
    GameOutOfMemory,
    HostError,
    HostGone,
    InvalidFrame,
)
from engine.host_link import READY_SECONDS, Child, Parent, result_of
from engine.host_wire import GameInfo, StepResult

__all__ = [
    "GameCrashed",
    "GameDropped",
    "GameHung",
    "GameInfo",
    "GameNotLoaded",
    "GameOutOfMemory",
    "GameProcess",
    "Host",
    "HostError",
    "HostGone",
    "InvalidFrame",
    "StepResult",
    "scan",
]

MEMORY_BYTES = 512 * 2**20


class Host:
    """Starts games. Safe to use from any thread and any event loop; each game belongs to the loop that started it.

    `action_seconds` and `start_seconds` are wall time for one action and for loading and constructing a game;
    `memory_bytes` is what one game may take beyond what the loaded engine takes.
    """

    def __init__(
        self, action_seconds: float = 10.0, start_seconds: float = 10.0, memory_bytes: int = MEMORY_BYTES
    ) -> None:
        self.action_seconds = action_seconds
        self.start_seconds = start_seconds
        self.memory_bytes = memory_bytes
        self._parent: Parent | None = None
        self._games: weakref.WeakSet[GameProcess] = weakref.WeakSet()
        self._lock = threading.Lock()

    async def start(self, directory: Path | str, seed: int = 0, only_reset_levels: bool = True) -> "GameProcess":
        """Construct the game whose metadata.json lies in `directory`, in a new process; no action is performed.

        Raises GameNotLoaded, GameHung, GameCrashed, GameOutOfMemory or HostGone.
        """
        order = {
            "directory": os.path.join(os.getcwd(), directory),
            "seed": int(seed),
            "only_reset_levels": bool(only_reset_levels),
            "memory_bytes": int(self.memory_bytes),
        }
        try:
            game = await self._fork(order)
        except HostGone:  # the parent died unnoticed since the last start
            game = await self._fork(order)
        await game._load(self.start_seconds)
        return game

    async def close(self) -> None:
        """Kill all games and the parent; returns when none of them is left. The next start begins anew."""
        with self._lock:
            parent, self._parent = self._parent, None
            games = list(self._games)
        for game in games:
            if game.loop is asyncio.get_running_loop():  # elsewhere the channels notice by themselves
                game._abandon()
        if parent is not None:
            await asyncio.to_thread(parent.close)

    async def _fork(self, order: dict[str, Any]) -> "GameProcess":
        with self._lock:
            if self._parent is None or not self._parent.alive:
                self._parent = Parent()
            parent = self._parent
        await result_of(parent.ready, READY_SECONDS, parent)
        ours, theirs = socket.socketpair()
        with theirs:
            loop = asyncio.get_running_loop()
            _, channel = await loop.create_connection(Channel, sock=ours)
            try:
                child = parent.fork(theirs, order)
            except HostGone:
                channel.close()
                raise
        game = GameProcess(child, channel, loop, self.action_seconds)
        self._games.add(game)
        try:
            game.pid = await result_of(child.born, READY_SECONDS, parent)
        except BaseException:
            game._abandon()
            raise
        return game


class GameProcess:
    """One living game. `info` is what it says of itself, `pid` its process.

    One action at a time: a second `act` before the first is answered raises ValueError. After a HostError every further
    `act` raises the same error again. A cancelled `act` drops the game, because nobody knows how far it got.
    """

    info: GameInfo
    pid: int

    def __init__(self, child: Child, channel: Channel, loop: asyncio.AbstractEventLoop, action_seconds: float) -> None:
        self.loop = loop
        self._child = child
        self._channel = channel
        self._action_seconds = action_seconds
        self._failure: HostError | None = None

    async def act(
        self, action: ActionInput | GameAction | int, x: int | None = None, y: int | None = None
    ) -> StepResult:
        """Perform one action and return the answer.

        Only the action and, for ACTION6, x and y in 0..63 reach the game; reasoning and other data do not. Raises
        ValueError for an unknown action or bad coordinates (the game lives on), else a HostError, with the game dead.
        """
        request = _request(action, x, y)
        body = await self._ask(wire.STEP, request, self._action_seconds)
        try:
            return wire.unpack_step(body)
        except InvalidFrame as error:
            raise await self._end(error) from None

    async def drop(self) -> None:
        """Kill the game; returns when its process is gone. An `act` under way raises GameDropped. Safe to repeat."""
        self._abandon()
        await self._child.dead()

    async def _load(self, seconds: float) -> None:
        body = await self._ask(wire.LOADED, wire.LOAD, seconds)
        try:
            self.info = wire.unpack_info(body)
        except InvalidFrame as error:
            raise await self._end(error) from None

    async def _ask(self, kind: int, request: bytes, seconds: float) -> bytes:
        """Send a request and return the body of its answer, which must be of the given kind."""
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        failure: HostError | None
        try:
            got, body = await self._channel.ask(request, seconds)
            if got == kind:
                return body
            failure = wire.unpack_failure(body) if got == wire.FAILED else InvalidFrame(f"an answer of kind {got}")
        except TimeoutError:
            failure = GameHung(f"The game did not answer within {seconds:g} seconds.")
        except InvalidFrame as error:
            failure = error
        except EOFError:
            failure = None  # the parent knows
        except asyncio.CancelledError:
            self._abandon()
            raise
        raise await self._end(failure) from None

    async def _end(self, failure: HostError | None) -> HostError:
        """Make sure that the process is gone, and say why; without a failure, from how the process ended."""
        self._channel.close()
        self._child.kill()
        try:
            status = await self._child.dead()
        except HostGone as gone:
            failure = failure or gone
        else:
            failure = failure or GameCrashed(_exit_text(status))
        self._failure = self._failure or failure
        return self._failure

    def _abandon(self) -> None:
        """Kill the game without waiting for its end."""
        self._failure = self._failure or GameDropped("The game was dropped.")
        self._channel.close()
        self._child.kill()


async def _load_and_drop(host: Host, directory: Path | str) -> GameInfo | HostError:
    try:
        game = await host.start(directory)
    except HostError as error:
        return error
    with suppress(HostGone):  # a game may take the parent with it; what it said stands
        await game.drop()
    return game.info


def scan(
    directories: Iterable[Path | str], start_seconds: float = 10.0, memory_bytes: int = MEMORY_BYTES
) -> dict[Path, GameInfo | HostError]:
    """Load the game of each directory in a process of its own: what it says of itself, or why it does not load.

    Synchronous, so not for a thread that runs an event loop. The keys are the directories as given, as paths.
    """

    async def load_all() -> dict[Path, GameInfo | HostError]:
        host = Host(start_seconds=start_seconds, memory_bytes=memory_bytes)
        room = asyncio.Semaphore(os.cpu_count() or 1)

        async def load(directory: Path) -> tuple[Path, GameInfo | HostError]:
            async with room:
                return directory, await _load_and_drop(host, directory)

        try:
            return dict(await asyncio.gather(*(load(Path(directory)) for directory in directories)))
        finally:
            await host.close()

    return asyncio.run(load_all())


def _request(action: ActionInput | GameAction | int, x: int | None, y: int | None) -> bytes:
    if isinstance(action, ActionInput):
        x, y = action.data.get("x"), action.data.get("y")
        action = action.id
    elif not isinstance(action, GameAction):
        action = GameAction.from_id(action)
    if not action.is_complex():
        return wire.REQUEST.pack(action.value, 0, 0)
    for name, value in (("x", x), ("y", y)):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 63:
            raise ValueError(f"{action.name} needs {name} in 0..63, not {value!r}")
    return wire.REQUEST.pack(action.value, x, y)


def _exit_text(status: int) -> str:
    if status >= 0:
        return f"The game ended its process with exit status {status}."
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"The game's process was killed by {name}."
