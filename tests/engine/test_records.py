"""Actions and frames as records: built, dumped and compared as the reference's pydantic models are."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import arcengine
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from tests.engine.strategies import outcome, plain


def sent_over(value: Any) -> Any:
    """What arrives of the value in another process."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - made on the spot


odd_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 300),
    st.sampled_from([1.0, 1.5, float("nan"), float("inf"), 10**30]),
    st.sampled_from(["", "5", " 5 ", "5.0", "5.", "+1", "1_0", "x", "WIN", "yes", "ACTION1", b"5", b"WIN"]),
    st.sampled_from([np.int64(5), np.int8(1), np.float64(3)]),
    st.sampled_from([[], [1, "2"], (1, 2), [None], [[]], [[[1, 2]]], [[["7"]]], [[[1.5]]]]),
    st.sampled_from([{}, {"x": 1}, {1: 2}, {"id": 3}, {"id": 9}, {"x": 64}]),
)
FIELDS = {
    "SimpleAction": ["game_id"],
    "ComplexAction": ["game_id", "x", "y"],
    "ActionInput": ["id", "data", "reasoning"],
    "FrameData": [
        *["game_id", "frame", "state", "levels_completed", "win_levels"],
        *["action_input", "guid", "full_reset", "available_actions"],
    ],
    "FrameDataRaw": ["game_id", "state", "levels_completed", "action_input", "guid", "full_reset", "available_actions"],
}


@settings(max_examples=200)
@given(st.sampled_from(sorted(FIELDS)), st.data())
def test_record_reads_values_as_the_reference(kind: str, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from([*FIELDS[kind], "unknown"]), max_size=3, unique=True))
    values = {name: data.draw(odd_values) for name in names}

    def made(names: Any) -> Any:
        record = getattr(names, kind)(**values)
        return [plain(record), repr(record), str(record), record.model_dump_json(), record.model_fields_set]

    assert outcome(lambda: made(engine)) == outcome(lambda: made(arcengine))


DUMPS: list[dict[str, Any]] = [
    {},
    {"mode": "json"},
    {"include": {"id"}},
    {"exclude": {"data"}},
    {"exclude_none": True},
    {"exclude_unset": True},
    {"exclude_defaults": True},
]


@pytest.mark.parametrize("how", DUMPS)
def test_model_dump_is_as_in_the_reference(how: dict[str, Any]) -> None:
    def dumped(names: Any) -> Any:
        action = names.ActionInput(id=6, data={"x": 1.5, "deep": [{"y": (1, 2)}]})
        return plain(action.model_dump(**how)), list(action.model_dump(**how))

    assert dumped(engine) == dumped(arcengine)


@pytest.mark.parametrize("indent", [None, 2])
def test_model_dump_json_is_as_in_the_reference(indent: int | None) -> None:
    def dumped(names: Any) -> str:
        action = names.ActionInput(id=6, data={"x": 3, "é": [None, True]}, reasoning={"why": float("nan")})
        frame = names.FrameData(frame=[[[1, 2]]], state="WIN", action_input=action, available_actions=[1, 6])
        return str(frame.model_dump_json(indent=indent))

    assert dumped(engine) == dumped(arcengine)


@pytest.mark.parametrize("text", ['{"id": 2}', '{"id": 2.0, "data": {"x": 1}}', "[]", '{"id":', '{"id": "2"}'])
def test_model_validate_json_is_as_in_the_reference(text: str) -> None:
    assert outcome(lambda: engine.ActionInput.model_validate_json(text)) == outcome(
        lambda: arcengine.ActionInput.model_validate_json(text)
    )


def test_model_validate_gives_back_a_record_of_its_kind() -> None:
    action = engine.ActionInput(id=3)
    assert engine.ActionInput.model_validate(action) is action
    assert engine.ActionInput.model_validate({"id": 3}) == action


def test_model_copy_shares_values_unless_deep() -> None:
    action = engine.ActionInput(id=6, data={"x": 1})
    assert action.model_copy().data is action.data
    deep = action.model_copy(deep=True)
    assert deep == action
    assert deep.data is not action.data
    assert action.model_copy(update={"id": engine.GameAction.ACTION2}).id is engine.GameAction.ACTION2
    assert action.id is engine.GameAction.ACTION6


def test_action_data_is_never_shared() -> None:
    given_data = {"x": 1}
    action = engine.ActionInput(id=6, data=given_data)
    action.data["y"] = 2
    engine.ActionInput().data["x"] = 5
    assert given_data == {"x": 1}
    assert engine.ActionInput().data == {}


def test_assigning_an_unknown_field_raises_as_in_the_reference() -> None:
    def assign(names: Any) -> None:
        names.ActionInput().nonsense = 1

    assert outcome(lambda: assign(engine)) == outcome(lambda: assign(arcengine)) == ("raises", "ValueError")


def test_positional_values_are_refused() -> None:
    with pytest.raises(TypeError):
        engine.ActionInput(1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: engine.ActionInput(id=9), "ActionInput.id: should be 0, 1, 2, 3, 4, 5, 6 or 7, got 9"),
        (lambda: engine.ComplexAction(x=64), "ComplexAction.x: should be less than or equal to 63, got 64"),
        (lambda: engine.ComplexAction(y=None), "ComplexAction.y: should be an integer, got None"),
        (lambda: engine.GameAction.ACTION6.validate_data({"x": -1}), "greater than or equal to 0, got -1"),
        (lambda: engine.ActionInput(reasoning={1, 2}), "reasoning must be JSON-serialisable"),
        (lambda: engine.ActionInput(reasoning="a" * (16 * 1024)), "reasoning exceeds 16384 bytes"),
        (lambda: engine.FrameData(win_levels=255), "FrameData.win_levels: should be less than or equal to 254"),
    ],
)
def test_validation_error_names_the_field_and_the_value(call: Any, message: str) -> None:
    with pytest.raises(engine.ValidationError) as caught:
        call()
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_validation_error_survives_pickling() -> None:
    with pytest.raises(engine.ValidationError) as caught:
        engine.ComplexAction(x=64, y=-1)
    again = sent_over(caught.value)
    assert str(again) == str(caught.value)
    assert [error["loc"] for error in again.errors()] == [("x",), ("y",)]


def test_reasoning_of_exactly_the_limit_passes() -> None:
    assert engine.ActionInput(reasoning="a" * (engine.MAX_REASONING_BYTES - 2)).reasoning


@pytest.mark.parametrize("record", [engine.ActionInput(id=6, data={"x": 1}), engine.FrameData(state="WIN")])
def test_record_survives_pickling_and_copying(record: Any) -> None:
    assert sent_over(record) == record
    assert copy.deepcopy(record) == record


def test_raw_frames_compare_by_content_and_are_left_out_of_dumps() -> None:
    one, other = engine.FrameDataRaw(), engine.FrameDataRaw()
    assert one.is_empty()
    one.frame, other.frame = [np.zeros((64, 64), np.int8)], [np.zeros((64, 64), np.int8)]
    assert one == other == sent_over(one)
    other.frame[0][3, 4] = 1
    assert one != other
    assert "frame" not in json.loads(one.model_dump_json())


members = [member.name for member in engine.GameAction]


@pytest.mark.parametrize("name", members)
def test_game_action_is_as_in_the_reference(name: str) -> None:
    ours, theirs = engine.GameAction[name], arcengine.GameAction[name]
    assert (ours.value, ours.is_simple(), ours.is_complex()) == (theirs.value, theirs.is_simple(), theirs.is_complex())
    assert repr(ours) == repr(theirs)
    assert engine.GameAction.from_id(ours.value) is engine.GameAction.from_name(name.lower()) is ours
    assert sent_over(ours) is ours
    assert plain(engine.GameAction.all_complex()) == plain(arcengine.GameAction.all_complex())


@pytest.mark.parametrize("value", [9, -1, "6", None, 6.0, True])
def test_from_id_and_call_are_as_in_the_reference(value: Any) -> None:
    for find in (lambda names: names.GameAction.from_id(value), lambda names: names.GameAction(value)):
        assert outcome(lambda f=find: f(engine)) == outcome(lambda f=find: f(arcengine))


def test_set_data_leaves_nothing_on_the_action() -> None:
    made = engine.GameAction.ACTION6.set_data({"x": 9, "y": 8})
    assert (made.x, made.y) == (9, 8)  # type: ignore[union-attr]  # ACTION6 makes a ComplexAction
    assert engine.GameAction.ACTION6.action_data == engine.ComplexAction()


def test_game_state_prints_as_in_the_reference() -> None:
    assert f"{engine.GameState.WIN} {engine.GameState.WIN == 'WIN'}" == f"{arcengine.GameState.WIN} True"
