"""Messages in and out, without a socket."""

import json
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcweb.play import protocol
from arcweb.play.protocol import Act, End, Ping, parse
from arcweb.play.session import Move, Position, Refused
from arcweb.recordings import codec
from engine.frames import GameState


def refusal_of(text: str | None) -> tuple[str, int | None]:
    with pytest.raises(Refused) as refused:
        parse(text)
    return refused.value.code, refused.value.step


@pytest.mark.parametrize(
    ("message", "parsed"),
    [
        ({"type": "act", "step": 1, "action": 0}, Act(1, 0)),
        ({"type": "act", "step": 12, "action": 7, "x": "not read", "extra": []}, Act(12, 7)),
        ({"type": "act", "step": 3, "action": 6, "x": 0, "y": 63}, Act(3, 6, 0, 63)),
        (
            {"type": "act", "step": 3, "action": 1, "key_down_ms": 1_790_000_000_000},
            Act(3, 1, None, None, 1_790_000_000_000),
        ),
        ({"type": "act", "step": 3, "action": 1, "key_down_ms": None}, Act(3, 1)),
        ({"type": "end"}, End()),
        ({"type": "ping"}, Ping()),
    ],
)
def test_parse_reads_a_message(message: dict[str, Any], parsed: protocol.ClientMessage) -> None:
    assert parse(json.dumps(message)) == parsed


@pytest.mark.parametrize("text", [None, "", "{", "[]", "3", "null", '"act"', "[" * 4000, "\ud800", "NaN"])
def test_parse_without_an_object_is_refused(text: str | None) -> None:
    assert refusal_of(text) == ("not_json", None)


def test_parse_of_a_long_message_counts_bytes() -> None:
    filling = 4096 - len('{"type": "ping", "a": ""}')
    assert parse('{"type": "ping", "a": "' + "x" * filling + '"}') == Ping()
    assert refusal_of('{"type": "ping", "a": "' + "x" * (filling + 1) + '"}') == ("too_large", None)
    assert refusal_of('{"type": "ping", "a": "' + "é" * (filling // 2 + 1) + '"}') == ("too_large", None)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"type": "jump"}, "unknown_type"),
        ({"type": None}, "unknown_type"),
        ({"type": ["act"]}, "unknown_type"),
        ({"action": None}, "bad_action"),
        ({"action": 8}, "bad_action"),
        ({"action": -1}, "bad_action"),
        ({"action": 6.0}, "bad_action"),
        ({"action": "6"}, "bad_action"),
        ({"action": True}, "bad_action"),
        ({"x": None}, "bad_coordinates"),
        ({"y": 64}, "bad_coordinates"),
        ({"x": -1}, "bad_coordinates"),
        ({"x": 3.5}, "bad_coordinates"),
        ({"y": "3"}, "bad_coordinates"),
        ({"y": False}, "bad_coordinates"),
        ({"x": 10**400}, "bad_coordinates"),
        ({"key_down_ms": -1}, "bad_key_down_ms"),
        ({"key_down_ms": 2**53}, "bad_key_down_ms"),
        ({"key_down_ms": 1.5}, "bad_key_down_ms"),
        ({"key_down_ms": "now"}, "bad_key_down_ms"),
    ],
)
def test_parse_of_a_bad_member_is_refused_with_its_step(change: dict[str, Any], code: str) -> None:
    message = {"type": "act", "step": 5, "action": 6, "x": 1, "y": 2} | change
    assert refusal_of(json.dumps(message)) == (code, 5)


@pytest.mark.parametrize("step", [None, -1, 1.0, "1", True, [], 2**31])
def test_parse_of_a_bad_step_is_refused(step: object) -> None:
    assert refusal_of(json.dumps({"type": "act", "step": step, "action": 1})) == ("bad_step", None)


@pytest.mark.parametrize("member", ["step", "action", "x", "y"])
def test_parse_with_a_missing_member_is_refused(member: str) -> None:
    message = {"type": "act", "step": 5, "action": 6, "x": 1, "y": 2}
    del message[member]
    assert refusal_of(json.dumps(message))[0] in ("bad_step", "bad_action", "bad_coordinates")


def message_or_refusal(text: str) -> protocol.ClientMessage | Refused:
    try:
        return parse(text)
    except Refused as refusal:
        return refusal


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
members = st.sampled_from(["type", "step", "action", "x", "y", "key_down_ms", "?"])
types = st.sampled_from(["act", "end", "ping"])


@given(st.dictionaries(members, json_values | types | st.integers(0, 70)) | json_values)
def test_parse_of_anything_gives_a_message_in_range_or_a_refusal(value: object) -> None:
    message = message_or_refusal(json.dumps(value))
    if isinstance(message, Refused):
        assert json.loads(protocol.rejected(message))["code"] in protocol.REFUSALS
    if isinstance(message, Act):
        assert 0 <= message.action <= 7
        assert (message.x is None) == (message.y is None) == (message.action != 6)


@given(st.text())
def test_parse_of_any_text_gives_a_message_or_a_refusal(text: str) -> None:
    assert isinstance(message_or_refusal(text), Act | End | Ping | Refused)


def position(**changes: Any) -> Position:
    values: dict[str, Any] = {
        "step": 70_000,
        "move": Move(6, 63, 0),
        "grid": np.arange(4096, dtype=np.uint8).reshape(64, 64) % 16,
        "state": GameState.NOT_FINISHED,
        "levels_completed": 2,
        "win_levels": 7,
        "available": (1, 6, 7),
        "full_reset": False,
        "resettable": True,
    }
    return Position(**values | changes)


def test_step_message_has_the_documented_bytes() -> None:
    message = protocol.step_message(position(), b"frames")
    assert message == bytes([1, 0]) + struct.pack("<I", 70_000) + bytes([6, 63, 0, 1, 2, 7, 0b11000011]) + b"frames"


def test_step_message_marks_what_is_absent_and_flags() -> None:
    message = protocol.step_message(position(move=Move(1), full_reset=True, resettable=False), b"", snapshot=True)
    assert message[:2] == bytes([1, 3])
    assert message[6:9] == bytes([1, 255, 255])
    assert message[12] == 0b11000010


@pytest.mark.parametrize(("state", "code", "offered"), [(GameState.WIN, 2, 0), (GameState.GAME_OVER, 3, 1)])
def test_step_message_after_the_end_offers_what_is_left(state: GameState, code: int, offered: int) -> None:
    message = protocol.step_message(position(state=state, resettable=False), b"")
    assert (message[9], message[12]) == (code, offered)


def test_snapshot_carries_the_last_grid_as_a_keyframe() -> None:
    shown = position()
    message = protocol.snapshot(shown)
    assert message[1] == 2
    assert codec.is_keyframe(message[13:])
    assert np.array_equal(codec.decode(message[13:]), shown.grid[np.newaxis])
