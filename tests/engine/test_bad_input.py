"""What a game's author, or a caller, gets wrong: errors of the reference's types, whose messages name the value."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import arcengine
import numpy as np
import pytest

import engine
from engine.catalog import load_game
from tests.services.environment import ROOT

Call = Callable[[Any], Any]  # with either engine's names


def game(names: Any) -> Any:
    """A game of two levels of 8x8 cells, the second without a sprite, that keeps the actions it was asked to do."""

    class Asked(names.ARCBaseGame):  # type: ignore[misc]  # either engine's
        def __init__(self) -> None:
            self.asked: list[Any] = []
            walker = names.Sprite([[9]], "walker", x=1, y=1)
            super().__init__("asked", [names.Level([walker], grid_size=(8, 8)), names.Level()])

        def step(self) -> None:
            self.asked.append(self.action)
            self.complete_action()

    return Asked()


def sized(names: Any, width: int, height: int) -> Any:
    """A camera whose sides were set after construction, where only the upper limit is judged."""
    camera = names.Camera()
    camera.resize(width, height)
    return camera


def placing(names: Any, step: int) -> Any:
    made = names.ARCBaseGame("g", [names.Level(placeable_areas=[names.PlaceableArea(0, 0, 2, 2, step)])])
    made.set_placeable_sprite(names.Sprite([[1]]))
    return made


SQUARE = [[1, 1], [1, 1]]
LONG = "a" * engine.MAX_REASONING_BYTES

SPRITES: list[tuple[Call, str]] = [
    (lambda names: names.Sprite(None), "got None"),
    (lambda names: names.Sprite("abc"), "got 'abc'"),
    (lambda names: names.Sprite(((1, 2), (3, 4))), "got ((1, 2), (3, 4))"),
    (lambda names: names.Sprite([(1, 2), (3, 4)]), "got [(1, 2), (3, 4)]"),
    (lambda names: names.Sprite([1, 2]), "got [1, 2]"),
    (lambda names: names.Sprite([]), "got shape (0,)"),
    (lambda names: names.Sprite([[1, 2], [3]]), "got rows of [1, 2] pixels"),
    (lambda names: names.Sprite([[[1]]]), "got shape (1, 1, 1)"),
    (lambda names: names.Sprite(np.array(1)), "got shape ()"),
    (lambda names: names.Sprite(np.zeros(3)), "got shape (3,)"),
    (lambda names: names.Sprite(np.zeros((1, 2, 3))), "got shape (1, 2, 3)"),
    (lambda names: names.Sprite([[200]]), "200"),
    (lambda names: names.Sprite([[-129]]), "-129"),
    (lambda names: names.Sprite([["red"]]), "'red'"),
    (lambda names: names.Sprite(np.array([["red"]])), "red"),
    (lambda names: names.Sprite([[None]]), "NoneType"),
    (lambda names: names.Sprite([[1]], rotation=45), "got 45"),
    (lambda names: names.Sprite([[1]], rotation=90.5), "got 90.5"),
    (lambda names: names.Sprite([[1]], rotation="90"), "got '90'"),
    (lambda names: names.Sprite([[1]], rotation=None), "got None"),
    (lambda names: names.Sprite([[1]]).set_rotation(-91), "got -91"),
    (lambda names: names.Sprite([[1]]).set_rotation("left"), "'left'"),
    (lambda names: names.Sprite([[1]], rotation=90).rotate(45), "90 rotated by 45"),
    (lambda names: names.Sprite([[1]]).rotate(-45), "0 rotated by -45"),
    (lambda names: names.Sprite([[1]]).rotate(None), "NoneType"),
    (lambda names: names.Sprite([[1]], scale=0), "got 0"),
    (lambda names: names.Sprite([[1]], scale=0.5), "got 0.5"),
    (lambda names: names.Sprite([[1]], scale="big"), "'big'"),
    (lambda names: names.Sprite([[1]], scale=None), "NoneType"),
    (lambda names: names.Sprite([[1]], scale=-1), "(1, 1) must be divisible by scale factor 2, got scale -1"),
    (lambda names: names.Sprite([[1, 1]] * 3, scale=-2), "(3, 2) must be divisible by scale factor 3, got scale -2"),
    (lambda names: names.Sprite(SQUARE).set_scale(-3), "got scale -3"),
    (lambda names: names.Sprite(SQUARE).adjust_scale(-3), "got scale -2"),
    (lambda names: names.Sprite([[1]], x="left"), "'left'"),
    (lambda names: names.Sprite([[1]], y=None), "NoneType"),
    (lambda names: names.Sprite([[1]], layer="top"), "'top'"),
    (lambda names: names.Sprite([[1]]).set_layer(None), "NoneType"),
    (lambda names: names.Sprite([[1]]).set_position(0, "low"), "'low'"),
    (lambda names: names.Sprite([[1]]).move("left", 0), "'left'"),
    (lambda names: names.Sprite([[1]]).set_name(""), "got ''"),
    (lambda names: names.Sprite([[1]]).set_blocking("SOLID"), "got 'SOLID'"),
    (lambda names: names.Sprite([[1]]).set_blocking(names.InteractionMode.REMOVED), "got <InteractionMode.REMOVED"),
    (lambda names: names.Sprite([[1]]).set_interaction("GHOST"), "got 'GHOST'"),
    (lambda names: names.Sprite([[1]]).set_interaction(2), "got 2"),
    (lambda names: names.Sprite([[1]]).collides_with(None), "NoneType"),
    (lambda names: names.Sprite([[1]]).merge(None), "NoneType"),
]
SCENES: list[tuple[Call, str]] = [
    (lambda names: names.Camera(width=65), "got 65x64"),
    (lambda names: names.Camera(height=65), "got 64x65"),
    (lambda names: names.Camera(width=-1), "got -1x64"),
    (lambda names: names.Camera(height=-1), "got 64x-1"),
    (lambda names: names.Camera(width=None), "NoneType"),
    (lambda names: sized(names, 65, 8), "Width cannot exceed 64 pixels, got 65"),
    (lambda names: sized(names, 8, 70), "Height cannot exceed 64 pixels, got 70"),
    (lambda names: sized(names, 8, "tall"), "'tall'"),
    (lambda names: sized(names, -2, 8).render([]), "got -2x8"),
    (lambda names: sized(names, 8, 0).render([]), "zero"),
    (lambda names: names.Camera(width=0).display_to_grid(1, 1), "zero"),
    (lambda names: names.Camera().move(None, 0), "NoneType"),
    (lambda names: setattr(names.Camera(), "x", "left"), "'left'"),
    (lambda names: names.Camera(background=300).render([]), "300"),
    (lambda names: names.Camera(letter_box="red").render([]), "red"),
    (lambda names: names.Level([None]), "NoneType"),
    (lambda names: names.Level("ab"), "'str'"),
    (lambda names: names.RenderableUserDisplay(), "RenderableUserDisplay"),
    (lambda names: names.ToggleableUserDisplay().enable(0), "Index 0 "),
    (lambda names: names.ToggleableUserDisplay().disable(-1), "Index -1 "),
    (lambda names: names.ToggleableUserDisplay().is_enabled(5), "Index 5 "),
    (lambda names: names.ARCBaseGame("g", []), "got []"),
    (lambda names: names.ARCBaseGame("g", None), "got None"),
    (lambda names: names.ARCBaseGame("g", [None]), "NoneType"),
    (lambda names: names.ARCBaseGame("g", [names.Level(grid_size=(8, 65))]), "got 65"),
    (lambda names: game(names).set_level(-1), "Level index -1 out of range [0, 2)"),
    (lambda names: game(names).set_level(2), "Level index 2 out of range [0, 2)"),
    (lambda names: game(names).set_level("1"), "'str'"),
    (lambda names: game(names).set_level(None), "NoneType"),
    (lambda names: game(names).set_level_by_name("third"), "third"),
    (lambda names: game(names).try_move("nobody", 1, 0), "nobody"),
    (lambda names: game(names).try_move("walker", "left", 0), "'left'"),
    (lambda names: game(names).perform_action(6), "'int'"),
    (lambda names: game(names).perform_action(names.GameAction.ACTION1), "'GameAction'"),
    (lambda names: placing(names, 0)._get_valid_actions(), "zero"),
]
RECORDS: list[tuple[Call, str]] = [
    (lambda names: names.GameAction.from_id(8), "8"),
    (lambda names: names.GameAction.from_id(-1), "-1"),
    (lambda names: names.GameAction.from_id(None), "None"),
    (lambda names: names.GameAction.from_id([6]), "[6]"),
    (lambda names: names.GameAction.from_name("ACTION8"), "'ACTION8'"),
    (lambda names: names.GameAction.from_name(None), "NoneType"),
    (lambda names: names.GameAction(8), "8"),
    (lambda names: names.GameAction.ACTION6.validate_data({"x": 64, "y": 1}), "x: should be less than or equal to 63"),
    (lambda names: names.GameAction.ACTION6.validate_data({"x": 1, "y": None}), "got None"),
    (lambda names: names.GameAction.ACTION6.validate_data("here"), "got 'here'"),
    (lambda names: names.GameAction.ACTION6.set_data({"x": 1.5}), "got 1.5"),
    (lambda names: names.GameAction.ACTION1.set_data({"game_id": 5}), "got 5"),
    (lambda names: names.ComplexAction(x=64), "got 64"),
    (lambda names: names.ComplexAction(y=-1), "got -1"),
    (lambda names: names.ComplexAction(x=None), "got None"),
    (lambda names: names.ComplexAction(x="left"), "got 'left'"),
    (lambda names: names.ComplexAction(x=float("nan")), "got nan"),
    (lambda names: names.SimpleAction(game_id=None), "got None"),
    (lambda names: names.ActionInput(id=8), "got 8"),
    (lambda names: names.ActionInput(id=-1), "got -1"),
    (lambda names: names.ActionInput(id="6"), "got '6'"),
    (lambda names: names.ActionInput(id="ACTION6"), "got 'ACTION6'"),
    (lambda names: names.ActionInput(id=None), "got None"),
    (lambda names: names.ActionInput(id={"id": 6}), "got {'id': 6}"),
    (lambda names: names.ActionInput(6), "positional"),
    (lambda names: names.ActionInput(data=None), "got None"),
    (lambda names: names.ActionInput(data=[1, 2]), "got [1, 2]"),
    (lambda names: names.ActionInput(data={1: 2}), "got {1: 2}"),
    (lambda names: names.ActionInput(reasoning=LONG), "reasoning exceeds 16384 bytes, got 'aaaaaa"),
    (lambda names: names.ActionInput(reasoning={"why": "é" * 3000}), "got {'why': 'ééé"),  # "\u00e9" takes six bytes
    (lambda names: names.ActionInput(reasoning={7}), "JSON-serialisable, got {7}"),
    (lambda names: names.ActionInput(reasoning=b"raw"), "got b'raw'"),
    (lambda names: names.ActionInput(id=10**5000), "got int too large to print"),
    (lambda names: names.ActionInput.model_validate({"id": 9}), "got 9"),
    (lambda names: names.ActionInput.model_validate("ACTION1"), "got 'ACTION1'"),
    (lambda names: names.ActionInput.model_validate_json('{"id": 9}'), "got 9"),
    (lambda names: names.ActionInput.model_validate_json('{"id":'), "got '{\"id\":'"),
    (lambda names: setattr(names.ActionInput(), "colour", 3), '"colour"'),
    (lambda names: names.FrameData(state="PAUSED"), "got 'PAUSED'"),
    (lambda names: names.FrameData(levels_completed=-1), "got -1"),
    (lambda names: names.FrameData(win_levels=255), "got 255"),
    (lambda names: names.FrameData(frame=[[1]]), "got [[1]]"),
    (lambda names: names.FrameData(frame=[[["red"]]]), "got [[['red']]]"),
    (lambda names: names.FrameData(action_input=6), "got 6"),
    (lambda names: names.FrameData(available_actions=["jump"]), "got ['jump']"),
    (lambda names: names.FrameData(full_reset="maybe"), "got 'maybe'"),
    (lambda names: names.FrameData(guid=5), "got 5"),
    (lambda names: names.FrameDataRaw(state=3), "got 3"),
]


def error_of(call: Call, names: ModuleType) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - its type is compared with the other engine's
        call(names)
    return caught.value


@pytest.mark.parametrize(("call", "text"), [*SPRITES, *SCENES, *RECORDS])
def test_error_has_the_type_of_the_reference_and_names_the_value(call: Call, text: str) -> None:
    ours, theirs = error_of(call, engine), error_of(call, arcengine)
    assert type(ours).__name__ == type(theirs).__name__
    assert isinstance(ours, ValueError) == isinstance(theirs, ValueError)
    assert text in str(ours)


def test_long_values_are_shortened_in_messages() -> None:
    assert len(str(error_of(lambda names: names.ActionInput(reasoning=LONG), engine))) < 200
    assert len(str(error_of(lambda names: names.Sprite(list(range(10_000))), engine))) < 200


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize(
    "data", [{}, {"x": 1}, {"y": 1}, {"x": None, "y": 1}, {"x": 1, "y": None}, {"x": None, "y": None}, {"X": 1, "Y": 1}]
)
def test_click_without_a_position_never_reaches_game_code(data: dict[str, Any], raw: bool) -> None:
    clicks = [
        engine.ActionInput(id=6, data=data),
        engine.ActionInput.model_validate({"id": engine.GameAction.ACTION6, "data": data}),
        engine.ActionInput.model_construct(id=engine.GameAction.ACTION6, data=data),
    ]
    asked = game(engine)
    for click in clicks:
        with pytest.raises(engine.ValidationError, match="a click needs x and y, got None"):
            asked.perform_action(click, raw=raw)
    assert asked.asked == []
    assert (asked._action_count, asked.action) == (0, engine.ActionInput())
    asked.perform_action(engine.ActionInput(id=6, data={"x": 0, "y": 0}), raw=raw)
    assert [action.data for action in asked.asked] == [{"x": 0, "y": 0}]


@pytest.mark.parametrize("name", ["vq58/91b3e04c", "mz24/c7a60f18"])
def test_bundled_game_goes_on_after_a_click_without_a_position(name: str) -> None:
    played = load_game(ROOT / "fixtures/environment_files" / name)
    before = played.perform_action(engine.ActionInput(id=0), raw=True)
    with pytest.raises(engine.ValidationError):
        played.perform_action(engine.ActionInput(id=6))
    assert np.array_equal(played.camera.render(played.current_level.get_sprites()), before.frame[-1])  # type: ignore[union-attr]


def test_scale_that_would_be_zero_is_refused_where_the_reference_never_returns() -> None:
    with pytest.raises(ValueError, match="Scale cannot be zero, got -1 adjusted by 1"):
        engine.Sprite(SQUARE, scale=-1).adjust_scale(1)


def test_reasoning_that_is_too_deep_is_refused_as_any_other() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert "JSON-serialisable, got [[[" in str(error_of(lambda names: names.ActionInput(reasoning=deep), engine))


def test_pair_that_the_reference_takes_for_an_action_is_refused() -> None:
    assert arcengine.ActionInput(id=(6, arcengine.ComplexAction)).id is arcengine.GameAction.ACTION6
    with pytest.raises(engine.ValidationError, match=r"got \(6, "):
        engine.ActionInput(id=(6, engine.ComplexAction))
