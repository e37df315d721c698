"""The play socket of the running product, heard by a client that knows the documented protocol only."""

import asyncio
import os
import signal
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.arcweb.play.players import Players, Shown
from tests.services.daphne import Server

RIGHT, LOSE, CLICK, TROUBLE = 4, 5, 6, 1

type NewAttempt = Callable[[], str]
type LimitedAttempt = Callable[[int, int], str]


def steps_of(server: Server, token: str) -> list[dict[str, Any]]:
    """What is recorded of an attempt."""
    return server.rows(
        "SELECT s.* FROM recordings_step s JOIN studies_attempt a ON a.recording_id = s.recording_id "
        f"WHERE a.token = '{token}' ORDER BY s.step"
    )


def attempt_of(server: Server, token: str) -> dict[str, Any]:
    return server.rows(f"SELECT * FROM studies_attempt WHERE token = '{token}'")[0]


async def test_play_to_the_win_is_recorded_and_ends_the_attempt(
    players: Players, toy_server: Server, token: str
) -> None:
    player = await players.join(token)
    assert player.shown is not None
    assert player.shown.offered == {1, 4, 5, 6}
    for step in range(1, 10):
        shown = await player.act(step, RIGHT, key_down_ms=1000 + step)
        assert isinstance(shown, Shown)
        assert (shown.step, shown.action, shown.levels) == (step, RIGHT, step // 3)
        assert (0 in shown.offered) == (step % 3 != 0), "reset is offered once something was done in the level"
    assert shown.state == "WIN"
    assert shown.offered == set()
    assert await player.hear() == {"type": "ended", "outcome": "won"}

    steps = steps_of(toy_server, token)
    assert [(s["step"], s["action"], s["levels_completed"]) for s in steps] == [
        (0, 0, 0),
        *((n, RIGHT, n // 3) for n in range(1, 10)),
    ]
    assert [s["key_down_ms"] for s in steps] == [None, *range(1001, 1010)]
    assert all(s["frames"] for s in steps)
    attempt = attempt_of(toy_server, token)
    assert attempt["outcome"] == "won"
    assert attempt["ended_at"] == steps[-1]["answered_at"]
    assert attempt["started_at"] == steps[0]["answered_at"]


async def test_click_answers_every_frame_at_the_clicked_cell(players: Players, token: str) -> None:
    player = await players.join(token)
    shown = await player.act(1, CLICK, x=40, y=7)
    assert isinstance(shown, Shown)
    assert (shown.x, shown.y) == (40, 7)
    assert [grid[7 * 64 + 40] for grid in shown.grids] == [10, 9, 8]


async def test_game_over_offers_reset_only_and_a_reset_begins_the_level_again(players: Players, token: str) -> None:
    player = await players.join(token)
    for step in (1, 2, 3, 4):
        await player.act(step, RIGHT)
    lost = await player.act(5, LOSE)
    assert isinstance(lost, Shown)
    assert (lost.state, lost.offered) == ("GAME_OVER", {0})
    assert (await refusal(player.act(6, RIGHT)))["code"] == "unavailable_action"
    again = await player.act(6, 0)
    assert isinstance(again, Shown)
    assert (again.state, again.levels, again.full_reset) == ("NOT_FINISHED", 1, False)
    assert 0 not in again.offered
    assert (await refusal(player.act(7, 0)))["code"] == "unavailable_action", "a double press costs nothing"


async def refusal(answer: Any) -> dict[str, Any]:
    message = await answer
    assert isinstance(message, dict)
    assert message["type"] == "rejected"
    return message


BAD: list[tuple[object, str, int | None]] = [
    ("no json", "not_json", None),
    ("[1]", "not_json", None),
    (b"\x01\x02", "not_json", None),
    ("{}", "unknown_type", None),
    ({"type": "dance", "step": 4}, "unknown_type", 4),
    ({"type": "act", "action": 4}, "bad_step", None),
    ({"type": "act", "step": 1.0, "action": 4}, "bad_step", None),
    ({"type": "act", "step": 3, "action": 4}, "future_step", 3),
    ({"type": "act", "step": 2, "action": 9}, "bad_action", 2),
    ({"type": "act", "step": 2, "action": 6}, "bad_coordinates", 2),
    ({"type": "act", "step": 2, "action": 6, "x": 64, "y": 0}, "bad_coordinates", 2),
    ({"type": "act", "step": 2, "action": 6, "x": "1", "y": 0}, "bad_coordinates", 2),
    ({"type": "act", "step": 2, "action": 2}, "unavailable_action", 2),
    ({"type": "act", "step": 2, "action": 7}, "unavailable_action", 2),
    ({"type": "ping", "filling": "x" * 5000}, "too_large", None),
]


async def test_bad_messages_are_refused_with_a_code_and_nothing_is_counted(
    players: Players, toy_server: Server, token: str
) -> None:
    player = await players.join(token)
    await player.act(1, RIGHT)
    for message, code, step in BAD:
        await player.say(message)
        answer = await player.hear()
        assert isinstance(answer, dict)
        assert (answer["type"], answer["code"], answer["step"]) == ("rejected", code, step), message
    assert len(steps_of(toy_server, token)) == 2
    shown = await player.act(2, RIGHT)
    assert isinstance(shown, Shown)
    assert shown.step == 2


async def test_repeated_step_is_answered_with_what_was_stored_whatever_it_asks_for(
    players: Players, toy_server: Server, token: str
) -> None:
    player = await players.join(token)
    await player.act(1, RIGHT)
    before = player.last
    first = await player.act(2, CLICK, x=5, y=6)
    player.last = before  # the client decodes the repeated answer from where the step began
    assert await player.act(2, LOSE) == first
    assert len(steps_of(toy_server, token)) == 3


async def test_actions_sent_without_waiting_are_done_in_their_order(players: Players, token: str) -> None:
    player = await players.join(token)
    for step in (1, 1, 2, 2, 3):
        await player.say({"type": "act", "step": step, "action": RIGHT})
    answers = [await player.hear() for _ in range(5)]
    assert [answer.step if isinstance(answer, Shown) else answer for answer in answers] == [1, 1, 2, 2, 3]


async def test_killed_server_brings_the_player_back_to_the_same_grid_and_clock(
    players: Players, toy_server: Server, token: str
) -> None:
    player = await players.join(token)
    await player.act(1, RIGHT)
    await player.act(2, CLICK, x=30, y=31)
    shown = await player.act(3, RIGHT)
    assert isinstance(shown, Shown)
    started_at = attempt_of(toy_server, token)["started_at"]
    toy_server.kill()
    with pytest.raises(ConnectionClosed):
        await player.hear()
    toy_server.restart()

    back = await players.join(token)
    assert back.shown is not None
    assert back.shown.step == 3
    assert back.shown.grids == shown.grids[-1:]
    assert back.shown.offered == shown.offered
    assert attempt_of(toy_server, token)["started_at"] == started_at
    done = await back.act(4, RIGHT)
    assert isinstance(done, Shown)
    assert done.levels == 1, "three moves to the right were made, two of them before the kill"


async def test_newer_connection_takes_over_and_the_older_is_told(players: Players, token: str) -> None:
    older = await players.join(token)
    await older.act(1, RIGHT)
    newer = await players.join(token)
    assert newer.shown is not None
    assert newer.shown.step == 1
    assert await older.hear() == {"type": "replaced"}
    assert (await refusal(older.act(2, RIGHT)))["code"] == "not_seated"
    shown = await newer.act(2, RIGHT)
    assert isinstance(shown, Shown)
    await older.connection.close()
    shown = await newer.act(3, RIGHT)
    assert isinstance(shown, Shown), "the older one's leaving is nothing to the newer"


async def test_player_ends_the_game(players: Players, toy_server: Server, token: str) -> None:
    player = await players.join(token)
    await player.act(1, RIGHT)
    await player.say({"type": "end"})
    assert await player.hear() == {"type": "ended", "outcome": "ended_by_player"}
    assert (await refusal(player.act(2, RIGHT)))["code"] == "ended"
    assert await player.hear() == {"type": "ended", "outcome": "ended_by_player"}
    assert attempt_of(toy_server, token)["outcome"] == "ended_by_player"
    back = await players.join(token)
    assert await back.hear() == {"type": "ended", "outcome": "ended_by_player"}


async def test_limits_are_told_and_the_last_one_ends_the_attempt_exactly(
    players: Players, toy_server: Server, token_under_limits: LimitedAttempt
) -> None:
    token = token_under_limits(1, 2)
    player = await players.join(token)
    await player.act(1, RIGHT)
    told = [await player.hear(), await player.hear()]
    assert [message["clock"]["phase"] for message in told if isinstance(message, dict)] == ["prompted", "last_minutes"]
    assert await player.hear() == {"type": "ended", "outcome": "time_limit"}
    assert (await refusal(player.act(2, RIGHT)))["code"] == "ended"
    assert_ended_at_the_limit(toy_server, token, 2)
    assert len(steps_of(toy_server, token)) == 2


async def test_limit_needs_no_connected_player(
    players: Players, toy_server: Server, token_under_limits: LimitedAttempt
) -> None:
    token = token_under_limits(1, 1)
    player = await players.join(token)
    await player.connection.close()
    async with asyncio.timeout(10):
        while not attempt_of(toy_server, token)["outcome"]:  # noqa: ASYNC110 - it happens in another process
            await asyncio.sleep(0.05)
    assert_ended_at_the_limit(toy_server, token, 1)


async def test_limit_that_passed_while_the_server_was_down_ends_the_attempt_at_its_time(
    players: Players, toy_server: Server, token_under_limits: LimitedAttempt
) -> None:
    token = token_under_limits(1, 1)
    await players.join(token)
    toy_server.kill()
    toy_server.restart()
    player = await players.connect(token)
    assert await player.hear_until("ended") == {"type": "ended", "outcome": "time_limit"}
    assert_ended_at_the_limit(toy_server, token, 1)


def assert_ended_at_the_limit(server: Server, token: str, seconds: int) -> None:
    attempt = attempt_of(server, token)
    assert attempt["outcome"] == "time_limit"
    started, ended = (str(attempt[name])[:26] for name in ("started_at", "ended_at"))
    assert (datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds() == seconds


async def test_hanging_game_ends_its_own_attempt_and_no_other(
    players: Players, toy_server: Server, token: str, new_token: NewAttempt
) -> None:
    hanging, healthy = token, new_token()
    victim, neighbour = await players.join(hanging), await players.join(healthy)
    await victim.say({"type": "act", "step": 1, "action": TROUBLE})
    for step in range(1, 9):
        shown = await neighbour.act(step, RIGHT)
        assert isinstance(shown, Shown)
    assert await victim.hear() == {"type": "ended", "outcome": "crashed", "code": "hang"}
    attempt = attempt_of(toy_server, hanging)
    assert attempt["outcome"] == "crashed"
    assert "1 seconds" in attempt["problem"]
    assert len(steps_of(toy_server, hanging)) == 1


async def test_killed_game_process_is_brought_back_by_replay(players: Players, toy_server: Server, token: str) -> None:
    player = await players.join(token)
    await player.act(1, RIGHT)
    await player.act(2, RIGHT)
    for pid in descendants(toy_server.pid, depth=2):
        os.kill(pid, signal.SIGKILL)
    shown = await player.act(3, RIGHT)
    assert isinstance(shown, Shown)
    assert (shown.step, shown.levels) == (3, 1)


def descendants(pid: int, depth: int) -> list[int]:
    """The processes that are `depth` generations below a process."""
    generation = [pid]
    for _ in range(depth):
        generation = [
            int(child)
            for parent in generation
            for task in Path(f"/proc/{parent}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    assert generation
    return generation


async def test_unknown_token_is_closed_with_its_code(players: Players) -> None:
    player = await players.connect("no-such-attempt")
    with pytest.raises(ConnectionClosed) as closed:
        await player.hear()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


async def test_address_that_is_none_is_closed_with_its_code(toy_server: Server) -> None:
    for path in ("/ws/nothing/", "/ws/play/%00/", "/ws/play/"):
        async with connect(f"{toy_server.url.replace('http', 'ws', 1)}{path}", proxy=None) as connection:
            with pytest.raises(ConnectionClosed) as closed:
                await connection.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4404, path


DAMAGE = """
from django.utils import timezone
from arcweb.recordings.models import State, Step
from arcweb.studies.models import Attempt
now = timezone.now()
Step.objects.create(
    recording=Attempt.objects.get(token={token!r}).recording, step=0, action=0, received_at=now, answered_at=now,
    state=State.NOT_FINISHED, levels_completed=0, win_levels=3, available_actions=2, frames=b"rubbish",
)
"""


async def test_attempt_that_cannot_be_opened_closes_with_a_code_to_come_back(
    players: Players, toy_server: Server, token: str
) -> None:
    toy_server.manage("shell", "-c", DAMAGE.format(token=token))
    player = await players.connect(token)
    with pytest.raises(ConnectionClosed) as closed:
        await player.hear()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 3013


async def test_page_of_another_site_cannot_connect(players: Players, token: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await players.connect(token, origin="http://elsewhere.example")
    assert refused.value.response.status_code == 403
