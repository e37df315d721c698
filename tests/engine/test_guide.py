"""The authors' guide, docs/engine.md: its examples are run as they stand there, and what it says is tried."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import arcengine
import numpy as np
import pytest

import engine
from engine.catalog import load_game
from tests.engine.folders import make_game
from tests.engine.parity import difference, play_both
from tests.services.environment import ROOT

GUIDE = (ROOT / "docs/engine.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
ENGINES = pytest.mark.parametrize("names", [engine, arcengine], ids=["ours", "reference"])


def block(beginning: str, language: str = "python") -> str:
    """The one example of the guide that begins so."""
    (text,) = [text for kind, text in BLOCKS if kind == language and text.startswith(beginning)]
    return text


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The guide's game, in the folder where the guide has it."""
    directory = tmp_path / "environment_files/demo/v1"
    directory.mkdir(parents=True)
    (directory / "demo.py").write_text(block("from arcengine"))
    (directory / "metadata.json").write_text(block("{", "json"))
    monkeypatch.chdir(tmp_path)
    return directory


def test_first_example_plays_the_guides_game(demo: Path) -> None:
    told: dict[str, Any] = {}
    exec(block("from engine import ActionInput\nfrom engine.catalog import load_game\n\ngame"), told)
    assert told["game"].walker.x == 2, "ACTION4"
    answer = told["answer"]
    assert (len(answer.frame), answer.frame[0].shape, answer.frame[0].dtype) == (1, (64, 64), np.int8)


def test_guides_own_tests_pass(demo: Path) -> None:
    told: dict[str, Any] = {}
    exec(block("from engine import ActionInput, Sprite"), told)
    tests = [value for name, value in told.items() if name.startswith("test_")]
    assert len(tests) == 1
    for test in tests:
        test()


@pytest.mark.parametrize("rule", [True, False])
def test_guides_game_can_be_won_and_plays_the_same_on_the_reference(demo: Path, rule: bool) -> None:
    assert difference(*play_both(demo, level=None, actions=300, rule=rule, seed=1)) == ""
    game = load_game(demo)
    film = [game.perform_action(engine.ActionInput(id=action)) for action in [4] * 5 + [1] + [4] * 5 + [2, 4]]
    assert [answer.levels_completed for answer in film] == [0] * 4 + [1] * 7 + [2, 0]
    assert film[-2].state is engine.GameState.WIN


@ENGINES
def test_bar_is_drawn_as_in_the_guide(names: ModuleType) -> None:
    told: dict[str, Any] = vars(names).copy()
    exec(block("class Bar"), told)
    frame = names.Camera(interfaces=[told["Bar"]()]).render([])
    assert set(frame[63]) == {14}
    assert set(frame[62]) == {5}


def looped(names: Any) -> Any:
    """A game whose actions do what the guide tells: 1 wins, 2 and 4 end the level (4 without completing), 3 twice."""

    class Looped(names.ARCBaseGame):  # type: ignore[misc]  # either engine's
        def __init__(self) -> None:
            self.log: list[str] = []
            self.has_gone_on = False
            special = type("Special", (names.Sprite,), {})
            levels = [names.Level([special([[2]], "s")], name=f"level {number}") for number in range(4)]
            super().__init__("looped", levels)

        def on_set_level(self, level: Any) -> None:
            self.log.append(level.name + ("" if hasattr(self, "_available_actions") else " early"))

        def step(self) -> None:
            number = self.action.id.value
            self.log.append(self.action.id.name)
            if number == 1:
                self.win()
            if number in (2, 3, 4) and not self.has_gone_on:
                self.next_level()
            if number == 3:
                self.next_level()
            if number == 4 and not self.has_gone_on:
                self.has_gone_on = True
                return
            if number == 5:
                self.camera.move(3, 0)
            self.complete_action()

    return Looped()


@ENGINES
def test_loop_and_resets_are_as_told(names: ModuleType) -> None:
    game = looped(names)

    def act(number: int) -> list[Any]:
        answer = game.perform_action(names.ActionInput(id=number), raw=True)
        log, game.log = game.log, []
        return [*log, len(answer.frame), answer.levels_completed, answer.state.value]

    assert act(2) == ["level 0 early", "ACTION2", "level 1", 2, 1, "NOT_FINISHED"]
    assert act(4) == ["ACTION4", "level 2", "ACTION4", 3, 2, "NOT_FINISHED"]
    game.has_gone_on = False
    assert act(3) == ["ACTION3", "level 3", 2, 4, "NOT_FINISHED"], "each call of next_level counts"
    assert act(5) == ["ACTION5", 1, 4, "NOT_FINISHED"]
    assert act(0) == ["level 3", "RESET", 1, 4, "NOT_FINISHED"]
    assert game.camera.x == 3, "the camera is not reset"
    assert act(0) == ["level 0", "RESET", 1, 0, "NOT_FINISHED"], "a second RESET in a row is a full one"
    assert act(7) == ["ACTION7", 1, 0, "NOT_FINISHED"], "not among available_actions"
    assert act(1) == ["ACTION1", 1, 0, "WIN"]
    game.set_level_by_name("level 2")
    assert [game.level_index, game.log] == [2, ["level 2"]]
    assert type(game.current_level.get_sprites()[0]) is names.Sprite, "a clone is a plain sprite"


@ENGINES
def test_toggled_pairs_and_clicks_are_as_told(names: ModuleType) -> None:
    pairs = names.ToggleableUserDisplay([(names.Sprite([[1]]), names.Sprite([[2]], x=1))])
    camera = names.Camera(interfaces=[pairs])
    shown = [camera.render([])[0, :2].tolist()]
    for change in (pairs.enable, pairs.disable):
        change(0)
        shown.append(camera.render([])[0, :2].tolist())
    assert shown == [[1, 2], [1, 5], [5, 2]]

    sprite = names.Sprite([[-1, 1], [1, 1]], x=2, y=3, tags=["sys_click"])
    area = names.PlaceableArea(0, 1, 4, 2, 2, 2)
    game = names.ARCBaseGame("g", [names.Level([sprite], grid_size=(8, 8), placeable_areas=[area])])

    def clicks() -> list[tuple[int, int]]:
        found = [action for action in game._get_valid_actions() if action.id is names.GameAction.ACTION6]
        return [(click.data["x"] // 8, click.data["y"] // 8) for click in found]

    assert clicks() == [(3, 3)]
    game.camera.move(2, 2)
    assert clicks() == [(3, 3)], "reckoned for a camera at 0, 0"
    assert game.camera.display_to_grid(8, 8) == (3, 3)
    game.current_level.get_sprites()[0].tags.append("sys_every_pixel")
    assert clicks() == [(3, 3), (2, 4), (3, 4)]
    game.set_placeable_sprite(sprite)
    assert clicks() == [(0, 1), (2, 1)]


def test_what_a_game_assigns_in_the_modules_changes_nothing(tmp_path: Path) -> None:
    source = """
    import arcengine
    import arcengine.base_game
    arcengine.base_game.MAX_FRAME_PER_ACTION = 1
    arcengine.Sprite = None

    class Demo(arcengine.ARCBaseGame):
        def __init__(self):
            super().__init__("demo-v1", [arcengine.Level()])
            self.frames = 0

        def step(self):
            self.frames += 1
            if self.frames == 9:
                self.complete_action()
    """
    game = load_game(make_game(tmp_path, source))
    assert len(game.perform_action(engine.ActionInput(id=1)).frame) == 9
    assert load_game(make_game(tmp_path / "other")).current_level.get_sprites()


def test_records_lack_what_the_guide_says_they_lack() -> None:
    with pytest.raises(engine.ValidationError) as caught:
        engine.FrameData(frame=[[["red"]]])
    assert [set(error) for error in caught.value.errors()] == [{"loc", "msg", "input"}]
    assert caught.value.errors()[0]["loc"] == ("frame",)
    for name in ("model_json_schema", "model_fields", "dict", "json", "copy"):
        assert hasattr(arcengine.ActionInput, name)
        assert not hasattr(engine.ActionInput, name)
    with pytest.raises(AttributeError):
        engine.GameAction.ACTION6.action_data = engine.ComplexAction(x=1)  # type: ignore[misc]  # what is tried
    for member in engine.GameAction:
        assert pickle.loads(pickle.dumps(member)) is member  # noqa: S301 - made on the spot
        with pytest.raises(ValueError, match="is not a valid GameAction"):
            pickle.loads(pickle.dumps(arcengine.GameAction[member.name]))  # noqa: S301 - made on the spot
