"""Messages between the server and a game's process: what is packed comes back, and nonsense is refused."""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import host_wire as wire
from engine.frames import GameState
from engine.host_errors import HostError, InvalidFrame


@dataclass
class Answer:
    frame: list[Any] = field(default_factory=list)
    state: GameState = GameState.NOT_FINISHED
    levels_completed: int = 0
    win_levels: int = 1
    full_reset: bool = False
    available_actions: list[int] = field(default_factory=list)


def grids() -> st.SearchStrategy[Any]:
    kinds = st.sampled_from([np.int8, np.uint8, np.int16, np.int64])
    return st.builds(
        lambda seed, kind: np.random.default_rng(seed).integers(0, 16, (64, 64)).astype(kind),
        st.integers(0, 999),
        kinds,
    )


def answers() -> st.SearchStrategy[Answer]:
    level = st.integers(0, 254)
    actions = st.lists(st.integers(0, 7), max_size=32)
    frames = st.lists(grids(), max_size=5)
    return st.builds(Answer, frames, st.sampled_from(GameState), level, level, st.booleans(), actions)


@settings(max_examples=40)
@given(answers())
def test_step_comes_back_as_it_was_packed(answer: Answer) -> None:
    reply = wire.pack_step(answer)
    kind, size = wire.unpack_head(reply)
    body = reply[wire.HEAD.size :]
    assert (kind, size) == (wire.STEP, len(body))
    result = wire.unpack_step(body)
    assert [frame.tolist() for frame in result.frames] == [frame.tolist() for frame in answer.frame]
    assert result.frames.shape == (len(answer.frame), 64, 64)
    assert (result.state, result.levels_completed, result.win_levels) == (
        answer.state,
        answer.levels_completed,
        answer.win_levels,
    )
    assert (result.full_reset, list(result.available_actions)) == (answer.full_reset, answer.available_actions)


@settings(max_examples=40)
@given(answers(), st.data())
def test_changed_step_is_refused_or_valid(answer: Answer, data: st.DataObject) -> None:
    body = bytearray(wire.pack_step(answer)[wire.HEAD.size :])
    for _ in range(data.draw(st.integers(1, 3))):
        body[data.draw(st.integers(0, min(len(body) - 1, 60)))] = data.draw(st.integers(0, 255))
    body = body[: data.draw(st.sampled_from([len(body), len(body) - 1, 3]))]
    try:
        result = wire.unpack_step(bytes(body))
    except InvalidFrame:
        return
    assert result.frames.max(initial=0) <= 15
    assert set(result.available_actions) <= set(range(8))
    assert max(result.levels_completed, result.win_levels) <= 254


@settings(max_examples=40)
@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.integers() | st.text(max_size=5), st.lists, max_leaves=5)
    .map(json.dumps)
    .map(str.encode)
)
def test_any_bytes_for_text_are_refused(body: bytes) -> None:
    for unpack in (wire.unpack_failure, wire.unpack_info):
        with pytest.raises(InvalidFrame):
            unpack(body)


@settings(max_examples=40)
@given(st.sampled_from(["crash", "memory", "load", "invalid_frame"]), st.text(), st.text())
def test_failure_comes_back_as_its_error(code: str, message: str, details: str) -> None:
    error = wire.unpack_failure(wire.pack_failure(code, message, details)[wire.HEAD.size :])
    assert isinstance(error, HostError)
    # A database may hold no NUL.
    assert (error.code, str(error), error.details) == (code, message.replace("\0", "?"), details.replace("\0", "?"))


def test_long_failure_is_cut_to_what_the_server_accepts() -> None:
    reply = wire.pack_failure("crash", "\ud800" * 10**6, "\U0001f600" * 10**6)
    assert wire.unpack_head(reply) == (wire.FAILED, len(reply) - wire.HEAD.size)
    error = wire.unpack_failure(reply[wire.HEAD.size :])
    assert (len(str(error)), len(error.details)) == (wire.MAX_MESSAGE, wire.MAX_DETAILS)


def test_too_many_frames_are_refused_on_both_sides() -> None:
    grid = np.zeros((64, 64), np.int8)
    body = wire.pack_step(Answer([grid] * 1001))[wire.HEAD.size :]
    assert len(wire.unpack_step(body).frames) == 1001
    with pytest.raises(InvalidFrame, match="1002 frames"):
        wire.pack_step(Answer([grid] * 1002))
    with pytest.raises(InvalidFrame):
        wire.unpack_head(wire.HEAD.pack(wire.STEP, len(body) + 64 * 64))


@settings(max_examples=40)
@given(st.lists(st.dictionaries(st.text(max_size=5), st.integers(), max_size=3), max_size=4), st.data())
def test_notes_come_back_whole_however_they_are_split(notes: list[dict[str, Any]], data: st.DataObject) -> None:
    stream = b"".join(map(wire.pack_note, notes))
    buffer, received = bytearray(), []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        buffer += stream[:size]
        stream = stream[size:]
        received += wire.take_notes(buffer)
    assert (received, bytes(buffer)) == (notes, b"")
