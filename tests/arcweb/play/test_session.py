"""A session over a real game process and a journal in memory, which fails when told to."""

import os
import signal
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arcweb.play.session import Diverged, Move, PlaySession, Position, Refused, SourceChanged, Transition
from arcweb.recordings import codec
from engine.catalog import source_hash
from engine.host import GameCrashed, GameHung, Host
from tests import toy

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RIGHT = Move(4)


class ListJournal:
    """Keeps transitions in a list. `before`, `after`: what the next append raises before or after it kept its own."""

    def __init__(self) -> None:
        self.kept: list[Transition] = []
        self.before: Exception | None = None
        self.after: Exception | None = None

    async def moves(self, first: int) -> list[Move]:
        return [transition.after.move for transition in self.kept[first:]]

    async def position(self, step: int) -> Position:
        return self.kept[step].after

    async def append(self, transition: Transition) -> bytes:
        if error := self.before:
            self.before = None
            raise error
        assert transition.after.step == len(self.kept)
        self.kept.append(transition)
        if error := self.after:
            self.after = None
            raise error
        return codec.encode(transition.frames)


@pytest.fixture
async def host() -> AsyncIterator[Host]:
    host = Host(action_seconds=1)
    yield host
    await host.close()


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return toy.write_toy(tmp_path, toy.HANG)


@pytest.fixture
def journal() -> ListJournal:
    return ListJournal()


def session_of(host: Host, game: Path, journal: ListJournal) -> PlaySession:
    return PlaySession(host, game, journal, source_hash=source_hash(game), seed=0, now=lambda: NOW)


@pytest.fixture
async def session(host: Host, game: Path, journal: ListJournal) -> PlaySession:
    """An open one."""
    session = session_of(host, game, journal)
    await session.open()
    return session


def actions(journal: ListJournal) -> list[int]:
    return [transition.after.move.action for transition in journal.kept]


async def test_open_stores_step_0_and_opening_again_does_nothing(session: PlaySession, journal: ListJournal) -> None:
    assert (await session.open()).step == 0
    assert actions(journal) == [0]


async def test_open_of_a_recorded_play_goes_on_from_there(
    session: PlaySession, host: Host, game: Path, journal: ListJournal
) -> None:
    for step in (1, 2):
        await session.act(step, RIGHT, NOW)
    other = session_of(host, game, journal)
    assert (await other.open()).same_as(session.position)
    done = await other.act(3, RIGHT, NOW)
    assert done is not None
    assert done[0].levels_completed == 1


async def test_append_that_fails_before_it_is_stored_is_done_once_when_asked_again(
    session: PlaySession, journal: ListJournal
) -> None:
    journal.before = OSError("disk full")
    with pytest.raises(OSError, match="disk full"):
        await session.act(1, RIGHT, NOW)
    done = await session.act(1, RIGHT, NOW)
    assert done is not None
    assert done[0].step == 1
    assert await session.act(2, RIGHT, NOW) is not None
    last = await session.act(3, RIGHT, NOW)
    assert last is not None
    assert last[0].levels_completed == 1, "the game made three moves, not four"
    assert actions(journal) == [0, 4, 4, 4]


async def test_append_that_fails_after_it_was_stored_is_not_done_again(
    session: PlaySession, journal: ListJournal
) -> None:
    journal.after = OSError("connection lost")
    with pytest.raises(OSError, match="connection lost"):
        await session.act(1, RIGHT, NOW)
    assert await session.act(1, RIGHT, NOW) is None
    assert session.position.step == 1
    assert actions(journal) == [0, 4]


async def test_replay_that_arrives_elsewhere_is_refused(
    session: PlaySession, host: Host, game: Path, journal: ListJournal
) -> None:
    await session.act(1, RIGHT, NOW)
    stored = journal.kept[-1]
    grid = stored.after.grid.copy()
    grid[63, 63] ^= 1
    journal.kept[-1] = replace(stored, after=replace(stored.after, grid=grid))
    with pytest.raises(Diverged, match="step 1"):
        await session_of(host, game, journal).open()


async def test_game_whose_source_was_edited_is_not_gone_on_with(
    session: PlaySession, host: Host, game: Path, journal: ListJournal
) -> None:
    await session.act(1, RIGHT, NOW)
    other = session_of(host, game, journal)
    source = game / "toy0.py"
    source.write_text(source.read_text().replace("dot.x == 3", "dot.x == 2"))
    with pytest.raises(SourceChanged):
        await other.open()
    assert len(journal.kept) == 2


async def test_move_that_is_not_offered_or_not_next_is_refused_and_leaves_the_game(
    session: PlaySession, journal: ListJournal
) -> None:
    refusals = [(1, Move(2), "unavailable_action"), (1, Move(0), "unavailable_action"), (2, RIGHT, "future_step")]
    for step, move, code in refusals:
        with pytest.raises(Refused) as refused:
            await session.act(step, move, NOW)
        assert (refused.value.code, refused.value.step) == (code, step)
    assert actions(journal) == [0]


async def test_game_that_hangs_stores_nothing_of_that_move(session: PlaySession, journal: ListJournal) -> None:
    with pytest.raises(GameHung):
        await session.act(1, Move(1), NOW)
    assert actions(journal) == [0]


async def test_game_that_always_crashes_on_a_move_is_asked_twice_and_given_up(
    host: Host, tmp_path: Path, journal: ListJournal
) -> None:
    session = session_of(host, toy.write_toy(tmp_path, toy.RAISE), journal)
    await session.open()
    with pytest.raises(GameCrashed, match="no such move"):
        await session.act(1, Move(1), NOW)
    assert actions(journal) == [0]


async def test_closed_session_comes_back_by_itself(session: PlaySession) -> None:
    await session.act(1, RIGHT, NOW)
    await session.close()
    with pytest.raises(ValueError, match="not open"):
        _ = session.position
    done = await session.act(2, RIGHT, NOW)
    assert done is not None
    assert done[0].step == 2


async def test_record_that_moves_on_during_the_replay_is_followed_to_its_end(
    session: PlaySession, host: Host, game: Path, journal: ListJournal
) -> None:
    await session.act(1, RIGHT, NOW)

    class MovingJournal(ListJournal):
        """Another process stores step 2 once the first moves were read."""

        async def moves(self, first: int) -> list[Move]:
            moves = await super().moves(first)
            if len(journal.kept) == 2:
                await session.act(2, RIGHT, NOW)
            return moves

    moving = MovingJournal()
    moving.kept = journal.kept
    position = await session_of(host, game, moving).open()
    assert (position.step, len(journal.kept)) == (2, 3)


async def test_game_process_killed_during_the_replay_is_replayed_again(
    session: PlaySession, host: Host, game: Path, journal: ListJournal
) -> None:
    for step in (1, 2):
        await session.act(step, RIGHT, NOW)
    killed: list[int] = []

    class KillingJournal(ListJournal):
        """Kills the game that is being brought back, twice, when it has made its moves."""

        async def moves(self, first: int) -> list[Move]:
            if first == 0 and len(killed) < 2:
                game = other._live_game
                killed.append(game.pid)
                os.kill(game.pid, signal.SIGKILL)
            return await super().moves(first)

    killing = KillingJournal()
    killing.kept = journal.kept
    other = session_of(host, game, killing)
    assert (await other.open()).same_as(session.position)
    assert len(set(killed)) == 2
