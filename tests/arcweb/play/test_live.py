"""Live attempts in this process: a real database, real games, and seats that write down what they are told."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.utils import timezone
from pytest_django import Settings

from arcweb.asgi import application
from arcweb.play import live
from arcweb.play.live import LiveAttempt
from arcweb.play.protocol import Act
from arcweb.play.session import Move
from arcweb.recordings.models import State, Step
from arcweb.studies.models import Attempt, Outcome
from engine.catalog import source_hash
from engine.host import Host
from tests import toy
from tests.arcweb.studies.builders import make_attempt, make_game, make_participant, make_study

pytestmark = pytest.mark.django_db(transaction=True)
RIGHT, TROUBLE = 4, 1


class Seat:
    """A connection that keeps what it was told: the type of a text message, `step N` for a step message."""

    name = "seat"

    def __init__(self) -> None:
        self.told: list[str] = []
        self.texts: list[dict[str, Any]] = []
        self.was_hung_up = False

    async def tell(self, message: str | bytes) -> None:
        if isinstance(message, bytes):
            self.told.append(f"step {int.from_bytes(message[2:6], 'little')}")
        else:
            self.texts.append(json.loads(message))
            self.told.append(self.texts[-1]["type"])

    async def hang_up(self) -> None:
        self.was_hung_up = True


@pytest.fixture
def new_attempt(tmp_path: Path, settings: Settings) -> Any:
    """Makes an attempt of a toy that misbehaves so on ACTION1; to be awaited."""
    settings.ENVIRONMENTS_DIR = tmp_path

    def make(trouble: str = "pass", **limits: int) -> Attempt:
        directory = toy.write_toy(tmp_path, trouble)
        participant = make_participant(make_study(make_game("toy0-00000001")))
        attempt = make_attempt(participant, created_at=timezone.now(), **limits)
        assert attempt.recording is not None
        attempt.recording.source_hash = source_hash(directory)
        attempt.recording.save()
        return attempt

    return sync_to_async(make)


@pytest.fixture
async def host() -> AsyncIterator[Host]:
    host = Host(action_seconds=3)
    yield host
    await host.close()


@pytest.fixture
async def lives(host: Host) -> AsyncIterator[Any]:
    """Makes live attempts, as a server process would; two of one attempt are two processes. To be awaited."""
    made: list[LiveAttempt] = []

    def make(attempt: Attempt) -> LiveAttempt:
        made.append(LiveAttempt(Attempt.objects.select_related("game", "recording").get(pk=attempt.pk), host))
        return made[-1]

    yield sync_to_async(make)
    for each in made:
        await each.close()


async def act(live_attempt: LiveAttempt, seat: Seat, step: int, action: int = RIGHT) -> None:
    await live_attempt.play(seat, Act(step, action), timezone.now())


@sync_to_async
def steps_of(attempt: Attempt) -> list[tuple[int, int]]:
    assert attempt.recording is not None
    return list(attempt.recording.steps.values_list("step", "action"))


@sync_to_async
def now_of(attempt: Attempt) -> Attempt:
    attempt.refresh_from_db()
    return attempt


async def test_takeover_during_an_act_is_welcomed_before_anything_else(new_attempt: Any, lives: Any) -> None:
    attempt = await new_attempt(toy.HANG)
    one, older, newer = await lives(attempt), Seat(), Seat()
    await one.sit(older)
    hanging = asyncio.create_task(act(one, older, 1, TROUBLE))
    await asyncio.sleep(0)  # it has the turn now
    await asyncio.gather(hanging, one.sit(newer))
    assert older.told[:3] == ["welcome", "step 0", "replaced"]
    assert newer.told == ["welcome", "step 0", "ended"]
    assert newer.texts[-1] == {"type": "ended", "outcome": "crashed", "code": "hang"}


async def test_newcomer_that_was_overtaken_while_waiting_is_told_of_that_alone(new_attempt: Any, lives: Any) -> None:
    attempt = await new_attempt("import time; time.sleep(0.5)")
    one, first, overtaken, newest = await lives(attempt), Seat(), Seat(), Seat()
    await one.sit(first)
    busy = asyncio.create_task(act(one, first, 1, TROUBLE))
    await asyncio.sleep(0)  # it has the turn now
    await asyncio.gather(busy, one.sit(overtaken), one.sit(newest))
    assert overtaken.told == ["replaced"]
    assert newest.told == ["welcome", "step 1"]


async def test_action_received_before_the_limit_counts_though_it_is_answered_after_it(
    new_attempt: Any, lives: Any
) -> None:
    attempt = await new_attempt("import time; time.sleep(1.5)", soft_limit_seconds=1, hard_limit_seconds=1)
    one, seat = await lives(attempt), Seat()
    await one.sit(seat)
    # The second one is here in time, too, but waits for its turn until the limit has passed.
    await asyncio.gather(act(one, seat, 1, TROUBLE), act(one, seat, 2))
    async with asyncio.timeout(5):
        while "ended" not in seat.told:  # noqa: ASYNC110 - the clock's own task tells it
            await asyncio.sleep(0.01)
    assert seat.told == ["welcome", "step 0", "step 1", "step 2", "ended"]
    assert await steps_of(attempt) == [(0, 0), (1, TROUBLE), (2, RIGHT)]
    ended = await now_of(attempt)
    assert (ended.outcome, ended.ended_at) == (Outcome.TIME_LIMIT, ended.deadline)


async def test_step_that_another_process_stored_is_answered_from_the_record(new_attempt: Any, lives: Any) -> None:
    attempt = await new_attempt()
    one, other, seat = await lives(attempt), await lives(attempt), Seat()
    await one.sit(Seat())
    await other.sit(seat)
    await act(other, seat, 1)
    here = Seat()
    await one.sit(here)
    await act(one, here, 1)
    await act(one, here, 1)
    assert here.told == ["welcome", "step 0", "wait", "step 1"]
    await act(one, here, 2)
    assert await steps_of(attempt) == [(0, 0), (1, RIGHT), (2, RIGHT)]


async def test_attempt_that_was_ended_elsewhere_takes_no_further_step(new_attempt: Any, lives: Any) -> None:
    attempt = await new_attempt()
    one, seat = await lives(attempt), Seat()
    await one.sit(seat)
    await sync_to_async(Attempt.objects.filter(pk=attempt.pk).end)(Outcome.ABANDONED, timezone.now())
    await act(one, seat, 1)
    assert seat.told == ["welcome", "step 0", "rejected", "ended"]
    assert seat.texts[-1]["outcome"] == "abandoned"
    assert await steps_of(attempt) == [(0, 0)]


async def test_win_is_in_the_database_with_its_step_should_the_server_die_right_then(
    new_attempt: Any, lives: Any
) -> None:
    attempt = await new_attempt()
    one, seat = await lives(attempt), Seat()
    await one.sit(seat)
    for step in range(1, 9):
        await act(one, seat, step)
    await one._session.act(9, Move(RIGHT), timezone.now())  # and nothing of what a server does after it
    won = await now_of(attempt)
    assert won.outcome == Outcome.WON
    assert won.ended_at is not None


async def test_repeat_after_the_end_is_answered_and_anything_new_refused(new_attempt: Any, lives: Any) -> None:
    attempt = await new_attempt()
    one, seat = await lives(attempt), Seat()
    await one.sit(seat)
    for step in range(1, 10):
        await act(one, seat, step)
    assert seat.told[-2:] == ["step 9", "ended"]
    await act(one, seat, 9)
    await act(one, seat, 10)
    assert seat.told[-3:] == ["step 9", "rejected", "ended"]
    assert len(await steps_of(attempt)) == 10


async def test_idle_game_is_closed_and_comes_back(
    new_attempt: Any, lives: Any, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "IDLE_SECONDS", 0.0)
    attempt = await new_attempt()
    one, seat = await lives(attempt), Seat()
    await one.sit(seat)
    await act(one, seat, 1)
    await one.leave(seat)
    async with asyncio.timeout(5):
        while any(game_process_is_alive(game.pid) for game in list(host._games)):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.01)
    back = Seat()
    await one.sit(back)
    await act(one, back, 2)
    assert back.told == ["welcome", "step 1", "step 2"]


def game_process_is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_death_of_the_process_that_starts_games_is_survived(new_attempt: Any, lives: Any, host: Host) -> None:
    attempt = await new_attempt()
    one, seat = await lives(attempt), Seat()
    await one.sit(seat)
    await act(one, seat, 1)
    (game,) = host._games
    os.kill(parent_of(game.pid), signal.SIGKILL)
    await act(one, seat, 2)
    if seat.told[-1] == "wait":  # its end was not noticed yet
        await act(one, seat, 2)
    assert seat.told[-1] == "step 2"
    assert await steps_of(attempt) == [(0, 0), (1, RIGHT), (2, RIGHT)]


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


async def test_crash_is_stored_whatever_the_game_says_of_it(new_attempt: Any, lives: Any) -> None:
    attempt = await new_attempt("raise RuntimeError(chr(0xD800) + chr(0) + 'x' * 100_000)")
    one, seat = await lives(attempt), Seat()
    await one.sit(seat)
    await act(one, seat, 1, TROUBLE)
    assert seat.texts[-1] == {"type": "ended", "outcome": "crashed", "code": "crash"}
    assert "RuntimeError" in (await now_of(attempt)).problem


async def test_damaged_record_closes_the_connection_instead_of_leaving_it_silent(
    new_attempt: Any,
) -> None:
    attempt = await new_attempt()
    await sync_to_async(Step.objects.create)(
        recording=attempt.recording,
        step=0,
        action=0,
        received_at=timezone.now(),
        answered_at=timezone.now(),
        state=State.NOT_FINISHED,
        levels_completed=0,
        win_levels=3,
        available_actions=0b10,
        frames=b"rubbish",
    )
    socket = WebsocketCommunicator(application, f"/ws/play/{attempt.token}/")
    connected, _ = await socket.connect()
    assert connected
    assert await socket.receive_output(timeout=10) == {"type": "websocket.close", "code": 3013}
    await socket.disconnect()
    await live.live_attempts.close()
