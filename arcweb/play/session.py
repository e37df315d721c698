"""One live attempt between the engine and the record: which step comes next, and that it is stored before it is seen.

Knows the engine only. Where the steps are kept, who is connected and what time allows are the caller's.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.frames import GameState
from engine.host import GameCrashed, GameProcess, Host, HostError, HostGone, StepResult

REPLAY_TRIES = 3
RESET = 0  # the id of GameAction.RESET, which is what goes over the socket and into the database


class Refused(Exception):
    """A request that is refused: nothing is done or counted. `code` is one of the protocol's refusal codes."""

    def __init__(self, code: str, step: int | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.step = step


class SourceChanged(HostError):
    """The game's source is not the one that this attempt is about: one recording never mixes two games."""

    code = "changed"


class Diverged(HostError):
    """The game, replayed from its own record, did not arrive at the recorded grid."""

    code = "diverged"


@dataclass(frozen=True, slots=True)
class Move:
    """An action as it was asked for. x, y for ACTION6 only."""

    action: int
    x: int | None = None
    y: int | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """Where an attempt stands after a step. `grid` is its last grid, shape (64, 64), values 0..15."""

    step: int
    move: Move
    grid: NDArray[np.uint8]
    state: GameState
    levels_completed: int
    win_levels: int
    available: tuple[int, ...]
    full_reset: bool
    resettable: bool

    @property
    def offered(self) -> frozenset[int]:
        """The actions that the player may do now. After a game over only RESET, after a win none."""
        if self.state is GameState.WIN:
            return frozenset()
        if self.state is GameState.GAME_OVER:
            return frozenset({RESET})
        return frozenset(self.available) | ({RESET} if self.resettable else set())

    def same_as(self, other: "Position") -> bool:
        """Whether the player would see the same."""
        mine = (self.step, self.state, self.levels_completed, self.win_levels)
        theirs = (other.step, other.state, other.levels_completed, other.win_levels)
        return mine == theirs and np.array_equal(self.grid, other.grid)


@dataclass(frozen=True, slots=True)
class Transition:
    """A step that was just done: from where, by what, to where, and when."""

    before: Position | None
    after: Position
    frames: NDArray[np.uint8]
    received_at: datetime
    answered_at: datetime
    key_down_ms: int | None = None


def advance(before: Position | None, move: Move, result: StepResult) -> Position:
    """The position after a move, from the engine's answer. Step 0 comes from nowhere.

    A level can be reset when something was done in it: not at its start, not just after a reset.
    """
    level_began = before is None or move.action == RESET or result.levels_completed != before.levels_completed
    grid = before.grid if before is not None else np.zeros((64, 64), np.uint8)
    return Position(
        step=0 if before is None else before.step + 1,
        move=move,
        grid=result.frames[-1] if len(result.frames) else grid,
        state=result.state,
        levels_completed=result.levels_completed,
        win_levels=result.win_levels,
        available=result.available_actions,
        full_reset=result.full_reset,
        resettable=not level_began,
    )


class Journal(Protocol):
    """Where an attempt's steps are kept."""

    async def moves(self, first: int) -> list[Move]:
        """The recorded moves from this step on; empty where there are none."""

    async def position(self, step: int) -> Position:
        """The recorded position after a step."""

    async def append(self, transition: Transition) -> bytes:
        """Store a step durably, and only then return its frames as they were stored.

        Raises:
            Refused: `ended`: the attempt has ended; nothing was stored.
        """


class PlaySession:
    """One attempt's live game. One call at a time: the caller sees to that."""

    def __init__(
        self,
        host: Host,
        directory: Path,
        journal: Journal,
        *,
        source_hash: str,
        seed: int,
        now: Callable[[], datetime],
    ) -> None:
        self._host = host
        self._directory = directory
        self._journal = journal
        self._source_hash = source_hash
        self._seed = seed
        self._now = now
        self._game: GameProcess | None = None
        self._position: Position | None = None

    @property
    def position(self) -> Position:
        """Where the attempt stands.

        Raises:
            ValueError: before `open`.
        """
        if self._position is None:
            raise ValueError("the session is not open")
        return self._position

    async def open(self) -> Position:
        """Start the game, or bring it back to where the record ends. Does nothing when it is open.

        Raises:
            HostError: the game cannot be started, is not the one that was recorded (`SourceChanged`), or does not
                repeat its record (`Diverged`).
        """
        if self._position is None:
            await self._start()
        return self.position

    async def act(
        self, step: int, move: Move, received_at: datetime, key_down_ms: int | None = None
    ) -> tuple[Position, bytes] | None:
        """Do a move as the given step, store it, and return the new position with its stored frames.

        Returns None when the step was done before: the caller answers with what is stored for it.

        Raises:
            Refused: `future_step`, `unavailable_action`, or the journal's.
            HostError: the game cannot go on; nothing was stored for this move.
        """
        if self._position is None:
            await self._start()
        before = self.position
        if step <= before.step:
            return None
        if step > before.step + 1:
            raise Refused("future_step", step)
        if move.action not in before.offered:
            raise Refused("unavailable_action", step)
        result = await self._act_even_if_the_process_died(move)
        after = advance(before, move, result)
        try:
            frames = await self._journal.append(
                Transition(before, after, result.frames, received_at, self._now(), key_down_ms)
            )
        except BaseException:
            # Game and record may differ now. The record is the truth: forget the game, the next call replays it.
            await self._drop()
            raise
        self._position = after
        return after, frames

    async def close(self) -> None:
        """End the game's process. The record stays, and `open` brings the game back."""
        await self._drop()

    async def _start(self) -> None:
        for tries_left in reversed(range(REPLAY_TRIES)):
            try:
                self._position = await self._begin_or_replay()
                return
            except (GameCrashed, HostGone):
                # A recorded play was played before: whatever killed it now is likely to have come from outside.
                await self._drop()
                if not tries_left:
                    raise
            except BaseException:
                await self._drop()
                raise

    async def _begin_or_replay(self) -> Position:
        self._game = await self._host.start(self._directory, seed=self._seed, only_reset_levels=True)
        if self._game.info.source_hash != self._source_hash:
            raise SourceChanged("the game's source is not the one that this attempt began with")
        return await self._replay(self._game) or await self._begin(self._game)

    async def _begin(self, game: GameProcess) -> Position:
        received_at = self._now()
        result = await game.act(RESET)
        after = advance(None, Move(RESET), result)
        await self._journal.append(Transition(None, after, result.frames, received_at, self._now()))
        return after

    async def _replay(self, game: GameProcess) -> Position | None:
        """Bring a new game to where the record ends, also when that moves on meanwhile; None: nothing is recorded."""
        position: Position | None = None
        while moves := await self._journal.moves(0 if position is None else position.step + 1):
            for move in moves:
                position = advance(position, move, await game.act(move.action, move.x, move.y))
        if position is not None and not position.same_as(await self._journal.position(position.step)):
            raise Diverged(f"the game did not repeat its recorded play up to step {position.step}")
        return position

    async def _act_even_if_the_process_died(self, move: Move) -> StepResult:
        """A process that dies may have been killed from outside: bring it back once and ask again."""
        try:
            return await self._live_game.act(move.action, move.x, move.y)
        except (GameCrashed, HostGone):
            await self._drop()
        await self._start()
        return await self._live_game.act(move.action, move.x, move.y)

    @property
    def _live_game(self) -> GameProcess:
        assert self._game is not None, "a session with a position has a game"
        return self._game

    async def _drop(self) -> None:
        game, self._game, self._position = self._game, None, None
        if game is not None:
            with suppress(HostGone):  # then its games went with it
                await game.drop()
