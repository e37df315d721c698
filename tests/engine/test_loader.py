"""Games written for arcengine run on this engine, each in a namespace of its own, and say what is wrong with them."""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import arcengine
import pytest

import engine
from engine import faults
from engine.catalog import GameLoadError, load_game
from engine.game import ARCBaseGame
from tests.engine.folders import SMALL_GAME, make_game

EVERY_IMPORT = """
from __future__ import annotations
import arcengine
import arcengine.sprites
import arcengine.sprites as s
import arcengine.enums as enums, math
from arcengine import *
from arcengine import base_game, interfaces
from arcengine.base_game import ARCBaseGame as Base, MAX_FRAME_PER_ACTION
from arcengine.camera import Camera as C
from arcengine.enums import ActionInput, BlockingMode, GameAction, GameState, InteractionMode, PlaceableArea
from arcengine.enums import MAX_REASONING_BYTES, ComplexAction, FrameData, FrameDataRaw, SimpleAction
from arcengine.interfaces import RenderableUserDisplay, ToggleableUserDisplay
from arcengine.level import Level as L
from arcengine.sprites import Sprite as S

assert S is s.Sprite is arcengine.Sprite is arcengine.sprites.Sprite is Sprite
assert C is Camera and L is Level and Base is ARCBaseGame and base_game.ARCBaseGame is Base
assert interfaces.ToggleableUserDisplay is ToggleableUserDisplay and enums.GameAction is GameAction
assert arcengine.__version__ == "0.1.0"

class Demo(Base):
    def __init__(self):
        super().__init__("demo", [L([S([[1]])])])

    def step(self):
        from arcengine.enums import GameState
        import arcengine.level
        self.engine = arcengine
        self.lose()
        assert self._state is GameState.GAME_OVER
        self.complete_action()
"""


def test_every_import_path_is_this_engine(tmp_path: Path) -> None:
    before = {name: module for name, module in sys.modules.items() if name.startswith("arcengine")}
    game = load_game(make_game(tmp_path, EVERY_IMPORT))
    answer = game.perform_action(engine.ActionInput(id=1), raw=True)
    assert isinstance(game, engine.ARCBaseGame)
    assert not isinstance(game, arcengine.ARCBaseGame)
    assert isinstance(answer, engine.FrameDataRaw)
    assert answer.state is engine.GameState.GAME_OVER
    assert vars(game)["engine"].Sprite is engine.Sprite
    assert {name: module for name, module in sys.modules.items() if name.startswith("arcengine")} == before


def test_public_names_are_those_of_the_reference() -> None:
    assert set(arcengine.__all__) <= set(engine.__all__)
    for path in ("enums", "sprites", "camera", "level", "interfaces", "base_game"):
        module = sys.modules[f"arcengine.{path}"]
        ours = {name for name, value in vars(module).items() if getattr(value, "__module__", "").startswith("arceng")}
        assert {name for name in ours if not name.startswith("_")} <= set(_names_under(path))


def _names_under(path: str) -> list[str]:
    from engine.loader import _reference_modules

    return list(vars(_reference_modules()[f"arcengine.{path}"]))


STANDARD_LIBRARY = """
from __future__ import annotations
import copy, typing
from dataclasses import InitVar, dataclass, field
from enum import Enum, IntEnum, auto
from typing import ClassVar, NamedTuple, TypedDict
from arcengine import ARCBaseGame, Level, Sprite

class Kind(Enum):
    RED = auto()

class Number(IntEnum):
    ONE = 1

class Point(NamedTuple):
    x: int
    y: int = 2

class Data(TypedDict):
    a: int

@dataclass(order=True)
class Thing:
    kind: Kind
    count: ClassVar[int] = 7
    other: typing.ClassVar[str] = "o"
    start: InitVar[int] = 3
    items: list[int] = field(default_factory=list)

    def __post_init__(self, start):
        self.items.append(start)

@dataclass(frozen=True, slots=True)
class Spot:
    where: Point

class Demo(ARCBaseGame):
    def __init__(self):
        self.thing = Thing(Kind.RED)
        self.spot = Spot(Point(1))
        super().__init__("demo", [Level([Sprite([[1]], name="s", scale=2)], data={"t": [1]})])
        self.saved = copy.deepcopy(self.current_level)
        assert typing.get_type_hints(self.hinted)["kind"] is Kind

    def hinted(self, kind: Kind) -> None: ...
"""


def test_standard_library_works_inside_a_game(tmp_path: Path) -> None:
    game = load_game(make_game(tmp_path, STANDARD_LIBRARY))
    twin = copy.deepcopy(game)
    thing = vars(twin)["thing"]
    assert thing.items == [3]
    assert thing == vars(game)["thing"]
    assert thing is not vars(game)["thing"]
    assert sorted(type(thing).__dataclass_fields__) == ["count", "items", "kind", "other", "start"]
    twin.current_level.get_sprites()[0].pixels[0, 0] = 9
    assert game.current_level.get_sprites()[0].render().tolist() == [[1, 1], [1, 1]]
    assert twin.current_level.get_sprites()[0].render().tolist() == [[9, 9], [9, 9]]
    assert type(game).perform_action is ARCBaseGame.perform_action


def test_file_is_the_source(tmp_path: Path) -> None:
    source = SMALL_GAME + "\nDemo.where = __file__, __name__\n"
    where, name = vars(type(load_game(make_game(tmp_path, source))))["where"]
    assert where == str(tmp_path / "demo.py")
    assert name in sys.modules  # the standard library looks classes' modules up there


def test_two_games_of_one_source_share_nothing(tmp_path: Path) -> None:
    source = SMALL_GAME + "\nimport arcengine\narcengine.seen = getattr(arcengine, 'seen', 0) + 1\n"
    source += "Demo.counter = arcengine.seen\n"
    one, other = load_game(make_game(tmp_path, source)), load_game(tmp_path)
    assert type(one) is not type(other)
    assert vars(type(one))["counter"] == vars(type(other))["counter"] == 1
    one._available_actions.append(7)
    one.perform_action(engine.ActionInput(id=1))
    assert other.current_level.get_sprites()[0].x == 1
    assert other._available_actions == [1, 2, 6]


def test_seed_is_passed_to_a_constructor_that_takes_one(tmp_path: Path) -> None:
    assert load_game(make_game(tmp_path / "with"), seed=5)._seed == 5
    without = SMALL_GAME.replace("self, seed=0", "self").replace(", seed=seed", "")
    assert load_game(make_game(tmp_path / "without", without), seed=5)._seed == 0


@pytest.mark.parametrize("only_levels", [True, False])
def test_only_reset_levels_is_known_to_the_constructor(tmp_path: Path, only_levels: bool) -> None:
    game = load_game(make_game(tmp_path), only_reset_levels=only_levels)
    assert vars(game)["resets_of_levels_only"] is only_levels
    answer = game.perform_action(engine.ActionInput())
    assert answer.full_reset is not only_levels
    assert ARCBaseGame.only_reset_levels is False


FAULTY = [
    ("def broken(:", faults.SourceDoesNotCompile, "demo.py does not compile: invalid syntax"),
    ("x = '\\0'\n\0", faults.SourceDoesNotCompile, "demo.py does not compile: "),
    ("1 / 0", faults.SourceRaises, "demo.py raises ZeroDivisionError: division by zero when it is run"),
    ("import sys; sys.exit(3)", faults.SourceRaises, "demo.py raises SystemExit: 3"),
    ("from arcengine import Nonsense", faults.SourceRaises, "cannot import name 'Nonsense'"),
    ("import arcengine.nonsense", faults.SourceRaises, "No module named 'arcengine.nonsense'"),
    ("from . import other", faults.SourceRaises, "ImportError"),
    ("class Other: pass", faults.ClassMissing, "demo.py defines no class Demo"),
    ("Demo = 5", faults.ClassMissing, "demo.py defines no class Demo"),
    ("class Demo: pass", faults.ClassNotGame, "Demo in demo.py is not a subclass of ARCBaseGame"),
    (
        "from arcengine import ARCBaseGame\nclass Demo(ARCBaseGame):\n  def __init__(self): raise KeyError('k')",
        faults.ConstructorRaises,
        "the constructor of Demo raises KeyError: 'k'",
    ),
    (
        "from arcengine import ARCBaseGame\nclass Demo(ARCBaseGame):\n  def __init__(self): super().__init__('d', [])",
        faults.ConstructorRaises,
        "ValueError: Game must have at least one level, got []",
    ),
    (
        "from arcengine import ARCBaseGame\nclass Demo(ARCBaseGame): pass",
        faults.ConstructorRaises,
        "the constructor of Demo raises TypeError",
    ),
]


@pytest.mark.parametrize(("source", "error", "message"), FAULTY)
def test_faulty_source_is_named_with_its_reason(
    tmp_path: Path, source: str, error: type[GameLoadError], message: str
) -> None:
    with pytest.raises(error) as caught:
        load_game(make_game(tmp_path, source))
    assert message in str(caught.value)
    assert isinstance(caught.value, GameLoadError)


def test_loading_again_sees_a_changed_source(tmp_path: Path) -> None:
    load_game(make_game(tmp_path))
    make_game(tmp_path, SMALL_GAME.replace("[1, 2, 6]", "[3]"))
    assert load_game(tmp_path)._available_actions == [3]
