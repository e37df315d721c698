"""The attempts that this server process has in hand: who sits at each, its game, and its clock.

All of it is a cache. What must not be lost is in the database, and `LiveAttempt.sit` builds the rest from there.
"""

import asyncio
import logging
from contextlib import suppress
from datetime import datetime
from typing import Protocol

from channels.db import database_sync_to_async
from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from arcweb.play import protocol
from arcweb.play.clock import Clock, Phase
from arcweb.play.journal import AttemptJournal
from arcweb.play.protocol import Act, End
from arcweb.play.session import Move, PlaySession, Refused
from arcweb.studies.models import Attempt, Outcome
from engine.frames import GameState
from engine.host import Host, HostError, HostGone

logger = logging.getLogger(__name__)

IDLE_SECONDS = 120.0  # a game without a player keeps its process this long
CLOCK_CHECK_SECONDS = 30.0  # the wall clock may jump: no sleep is longer than this


class Seat(Protocol):
    """A connection to a player."""

    @property
    def name(self) -> str:
        """Which connection this is, for the seat's columns."""

    async def tell(self, message: str | bytes) -> None:
        """Send a message; does nothing when the connection is gone."""

    async def hang_up(self) -> None:
        """Close the connection; the player's page comes back by itself."""


class LiveAttempt:
    """One attempt: one seat, one session, one clock. `_turn` is held by whoever works on it."""

    def __init__(self, attempt: Attempt, host: Host) -> None:
        assert attempt.recording is not None
        self.attempt = attempt
        self._journal = AttemptJournal(attempt, attempt.recording)
        self._session = PlaySession(
            host,
            attempt.game.path,
            self._journal,
            source_hash=attempt.recording.source_hash,
            seed=attempt.recording.seed,
            now=timezone.now,
        )
        self._seat: Seat | None = None
        self._is_shown = False  # whether the seat was told where the attempt stands: nothing else comes before that
        self._turn = asyncio.Lock()
        self._timekeeper: asyncio.Task[None] | None = None
        self._idler: asyncio.Task[None] | None = None

    async def sit(self, seat: Seat) -> None:
        """Give the attempt to this connection, and tell it the whole current state."""
        older, self._seat, self._is_shown = self._seat, seat, False
        if self._idler is not None:
            self._idler.cancel()
        if older is not None:
            await older.tell(protocol.REPLACED)
        try:
            async with self._turn:
                if seat is self._seat:  # an even newer one may have come meanwhile
                    await self._show(seat)
        except (DatabaseError, HostGone):
            logger.exception("attempt %s cannot be opened just now", self.attempt.token)
            await seat.tell(protocol.WAIT)
            await seat.hang_up()

    async def leave(self, seat: Seat) -> None:
        """The connection is gone. The clock goes on; the game's process is kept for a while."""
        if self._seat is seat:
            self._seat = None
            self._idler = asyncio.create_task(self._close_when_idle())
            with suppress(DatabaseError):
                await self._hold_seat("")

    async def play(self, seat: Seat, message: Act | End, received_at: datetime) -> None:
        """Do what the player asks for, or refuse it, and answer."""
        step = message.step if isinstance(message, Act) else None
        try:
            async with self._turn:
                if seat is not self._seat:
                    raise Refused("not_seated", step)
                if self.attempt.outcome:
                    await self._repeat(seat, step)
                elif self._overdue(received_at):
                    await self._end(Outcome.TIME_LIMIT)
                elif isinstance(message, End):
                    await self._end(Outcome.ENDED_BY_PLAYER)
                else:
                    await self._act(seat, message, received_at)
        except (DatabaseError, HostGone):
            logger.exception("attempt %s: a message could not be answered just now", self.attempt.token)
            await seat.tell(protocol.WAIT)
        except Refused as refusal:
            await seat.tell(protocol.rejected(refusal))
            if refusal.code == "ended":
                await self._refresh()  # it may have ended elsewhere
                await self._tell(self._ended_message())

    @property
    def is_done(self) -> bool:
        """Whether the attempt has ended and nobody looks at it."""
        return bool(self.attempt.outcome) and self._seat is None

    async def close(self) -> None:
        """Let go of everything that is not in the database."""
        for task in (self._timekeeper, self._idler):
            if task is not None:
                task.cancel()
        async with self._turn:
            await self._session.close()

    async def _act(self, seat: Seat, act: Act, received_at: datetime) -> None:
        try:
            done = await self._session.act(act.step, Move(act.action, act.x, act.y), received_at, act.key_down_ms)
        except HostGone:
            raise
        except HostError as error:
            await self._end(Outcome.CRASHED, error)
            return
        if done is None:
            await self._repeat(seat, act.step)
        else:
            await seat.tell(protocol.step_message(*done))
        if self._session.position.state is GameState.WIN:
            await self._end(Outcome.WON)  # the journal has written it with the step: this tells the player

    async def _repeat(self, seat: Seat, step: int | None) -> None:
        """Answer a step that was done before with what is stored for it."""
        message = None if step is None else await self._journal.message(step)
        if message is None:
            raise Refused("ended", step)
        await seat.tell(message)

    async def _show(self, seat: Seat) -> None:
        """Tell a new connection where the attempt stands, ended or not; open the game when it has not."""
        await self._refresh()
        if not self.attempt.outcome and self._overdue(timezone.now()):
            await self._write_end(Outcome.TIME_LIMIT)
        if not self.attempt.outcome:
            await self._open(seat)
        if self.attempt.started_at:
            position = await self._journal.last() if self.attempt.outcome else self._session.position
            clock = self._clock.as_json(timezone.now())
            await seat.tell(protocol.welcome(position.step, self.attempt.game.default_fps, clock))
            await seat.tell(protocol.snapshot(position))
        self._is_shown = seat is self._seat
        if self.attempt.outcome:
            await seat.tell(self._ended_message())

    async def _open(self, seat: Seat) -> None:
        try:
            await self._session.open()
        except HostGone:
            raise
        except HostError as error:
            await self._write_end(Outcome.CRASHED, error)
        else:
            await self._hold_seat(seat.name)
            self._timekeeper = self._timekeeper or asyncio.create_task(self._keep_time())

    async def _end(self, outcome: Outcome, error: HostError | None = None) -> None:
        """End the attempt, unless it has ended, and tell the player how it ended."""
        await self._write_end(outcome, error)
        await self._tell(self._ended_message())
        if self._timekeeper is not None and self._timekeeper is not asyncio.current_task():
            self._timekeeper.cancel()
        await self._session.close()

    async def _keep_time(self) -> None:
        """Tell the player when a limit passes, and end the attempt at the last one, connected or not."""
        phase = self._clock.phase(timezone.now())
        while (wait := self._clock.next_change(timezone.now())) is not None:
            await asyncio.sleep(min(wait, CLOCK_CHECK_SECONDS))
            now = timezone.now()
            if (current := self._clock.phase(now)) not in (phase, Phase.OVER):
                phase = current
                await self._tell(protocol.clock(self._clock.as_json(now)))
        while not self.attempt.outcome:
            try:
                async with self._turn:
                    await self._end(Outcome.TIME_LIMIT)
            except DatabaseError:
                logger.exception("attempt %s: the database did not take the end", self.attempt.token)
                await asyncio.sleep(1)

    async def _close_when_idle(self) -> None:
        await asyncio.sleep(IDLE_SECONDS)
        async with self._turn:
            if self._seat is None:
                await self._session.close()

    async def _tell(self, message: str) -> None:
        """Tell whoever sits here, once they know where the attempt stands."""
        if self._seat is not None and self._is_shown:
            await self._seat.tell(message)

    @property
    def _clock(self) -> Clock:
        started_at = self.attempt.started_at
        assert started_at is not None, "the clock starts with step 0"
        return Clock(started_at, self.attempt.soft_limit_seconds, self.attempt.hard_limit_seconds)

    def _overdue(self, now: datetime) -> bool:
        return self.attempt.started_at is not None and self._clock.phase(now) is Phase.OVER

    def _ended_message(self) -> str:
        code = self.attempt.problem.partition(":")[0] if self.attempt.outcome == Outcome.CRASHED else ""
        return protocol.ended(self.attempt.outcome, code)

    async def _write_end(self, outcome: Outcome, error: HostError | None = None) -> None:
        at = self._clock.deadline if outcome is Outcome.TIME_LIMIT else timezone.now()
        problem = f"{error.code}: {error}" if error else ""
        if error:
            logger.warning("attempt %s crashed: %s\n%s", self.attempt.token, problem, error.details)
        await self._store_end(outcome, at, problem)

    @database_sync_to_async
    def _store_end(self, outcome: Outcome, at: datetime, problem: str) -> None:
        Attempt.objects.filter(pk=self.attempt.pk).end(outcome, at, problem)
        self.attempt.refresh_from_db(fields=("outcome", "ended_at", "problem"))

    @database_sync_to_async
    def _refresh(self) -> None:
        self.attempt.refresh_from_db(fields=("outcome", "ended_at", "problem", "started_at"))

    @database_sync_to_async
    def _hold_seat(self, name: str) -> None:
        until = self._clock.deadline if name else None
        Attempt.objects.unfinished().filter(pk=self.attempt.pk).update(seat_holder=name, seat_until=until)


class LiveAttempts:
    """All live attempts of this process, and the host of their games."""

    def __init__(self) -> None:
        self._attempts: dict[str, LiveAttempt] = {}
        self._host: Host | None = None

    async def find(self, token: str) -> LiveAttempt | None:
        """The live attempt of this token; None when there is no such attempt."""
        if token not in self._attempts:
            attempt = await self._load(token)
            if attempt is None:
                return None
            # Another connection may have put it there while this one waited for the database.
            self._attempts.setdefault(token, LiveAttempt(attempt, self._get_host()))
        return self._attempts[token]

    async def leave(self, live: LiveAttempt, seat: Seat) -> None:
        """A connection is gone; attempts that have ended are forgotten."""
        await live.leave(seat)
        done = [self._attempts.pop(token) for token in list(self._attempts) if self._attempts[token].is_done]
        for attempt in done:
            await attempt.close()

    async def close(self) -> None:
        """End every game's process; the records stay."""
        attempts, self._attempts = list(self._attempts.values()), {}
        for live in attempts:
            await live.close()
        host, self._host = self._host, None
        if host is not None:
            await host.close()

    def _get_host(self) -> Host:
        if self._host is None:
            self._host = Host(action_seconds=settings.GAME_ACTION_SECONDS, memory_bytes=settings.GAME_MEMORY_MB * 2**20)
        return self._host

    @database_sync_to_async
    def _load(self, token: str) -> Attempt | None:
        found = Attempt.objects.select_related("game", "recording").filter(token=token, recording__isnull=False)
        return found.first()


live_attempts = LiveAttempts()
