"""The loop and the resets of a game, what its author may override, and that no two games share anything."""

from __future__ import annotations

import copy
import subprocess
import sys
from types import ModuleType
from typing import Any

import arcengine
import numpy as np
import pytest

import engine
from engine import ActionInput, ARCBaseGame, FrameData, GameState, Level, PlaceableArea, Sprite
from engine.textgrid import grid_to_text, text_to_grid
from tests.engine.strategies import outcome, plain

ROOM = """
    4444
    4..4
    4444
"""


def act(game: Any, number: int, **data: int) -> Any:
    return game.perform_action(ActionInput(id=number, data=data), raw=True)


class Walk(ARCBaseGame):
    """Two rooms of 4x3: 1 walks right, 2 completes the level, 3 loses, 4 pauses for two frames, 5 never ends."""

    def __init__(self) -> None:
        def level(name: str) -> Level:
            wall = Sprite(text_to_grid(ROOM), "wall", tags=["sys_static"])
            return Level([wall, Sprite([[9]], "walker", x=1, y=1, layer=1)], grid_size=(4, 3), name=name)

        super().__init__("walk", [level("first"), level("second")], engine.Camera(background=0, letter_box=3))

    def step(self) -> None:
        number = self.action.id.value
        if number == 1:
            self.try_move("walker", 1, 0)
        elif number == 2:
            self.next_level()
        elif number == 3:
            self.lose()
        if number != 5 and (number != 4 or self.pausing()):
            self.complete_action()

    def pausing(self) -> bool:
        self.paused = getattr(self, "paused", 0) + 1
        return self.paused % 3 == 0


def board(answer: Any) -> list[str]:
    """The last frame, one text line for each of the camera's rows."""
    return grid_to_text(answer.frame[-1][8:56:16, ::16]).splitlines()


def test_walking_until_the_wall() -> None:
    game = Walk()
    assert board(act(game, 0)) == ["4444", "4904", "4444"]
    assert board(act(game, 1)) == ["4444", "4094", "4444"]
    assert board(act(game, 1)) == ["4444", "4094", "4444"]
    assert board(act(game, 0)) == ["4444", "4904", "4444"]


def test_view_is_centred_in_the_letter_box() -> None:
    frame = act(Walk(), 1).frame[0]
    assert frame.shape == (64, 64)
    assert frame.dtype == np.int8
    assert set(frame[:8].flat) == set(frame[56:].flat) == {3}
    assert 3 not in frame[8:56]


def test_next_level_begins_with_a_frame_of_its_own() -> None:
    game = Walk()
    act(game, 1)
    answer = act(game, 2)
    assert [len(answer.frame), answer.levels_completed, answer.win_levels, game.level_index] == [2, 1, 2, 1]
    assert answer.state is GameState.NOT_FINISHED
    assert act(game, 2).state is GameState.WIN


def test_pause_shows_one_frame_a_step() -> None:
    assert len(act(Walk(), 4).frame) == 3


def test_after_the_end_only_reset_is_answered_with_frames() -> None:
    game = Walk()
    act(game, 2)
    act(game, 3)
    answer = act(game, 1)
    assert isinstance(answer, FrameData)
    assert [answer.frame, answer.levels_completed, answer.win_levels] == [[], 0, 0]
    assert answer.state is GameState.GAME_OVER
    assert act(game, 0).levels_completed == 1


@pytest.mark.parametrize(
    ("only_levels", "film", "full", "level"),
    [
        (False, [2, 0], True, 0),  # the first action of a level
        (False, [2, 1, 0], False, 1),
        (False, [2, 1, 0, 0], True, 0),  # a double press
        (True, [0], False, 0),
        (True, [2, 0, 0], False, 1),
        (True, [2, 3, 0], False, 1),
        (True, [2, 2, 0], True, 0),  # a won game
        (False, [2, 2, 0], True, 0),
    ],
)
def test_reset_rules(only_levels: bool, film: list[int], full: bool, level: int) -> None:
    game = Walk()
    game.only_reset_levels = only_levels
    answers = [act(game, number) for number in film]
    assert (answers[-1].full_reset, game.level_index) == (full, level)


def test_action_of_1001_frames_passes_and_the_next_frame_is_an_error() -> None:
    class Slow(ARCBaseGame):
        wanted = 1001

        def step(self) -> None:
            self.count = getattr(self, "count", 0) + 1
            if self.count == self.wanted:
                self.complete_action()

    slow = Slow("slow", [Level()])
    assert len(act(slow, 1).frame) == 1001
    slow.count, slow.wanted = 0, 1002
    with pytest.raises(ValueError, match="too many frames, more than 1001"):
        act(slow, 1)


@pytest.mark.parametrize("data", [{}, {"x": 1}, {"y": 1}, {"x": None, "y": 1}, {"x": 1, "y": None}])
def test_click_without_a_position_never_reaches_the_game(data: dict[str, Any]) -> None:
    game = Walk()
    before = game.current_level, game._action_count, game._state
    with pytest.raises(engine.ValidationError, match="a click needs x and y, got None"):
        game.perform_action(ActionInput(id=6, data=data))
    assert (game.current_level, game._action_count, game._state) == before


def test_lists_and_arrays_are_the_same_answer() -> None:
    raw, lists = act(Walk(), 2), Walk().perform_action(ActionInput(id=2))
    assert [frame.tolist() for frame in raw.frame] == lists.frame
    assert lists.model_dump(exclude={"frame", "action_input"}) == raw.model_dump(exclude={"action_input"})
    assert FrameData.model_validate(lists.model_dump()) == lists


def test_answer_keeps_the_actions_that_were_available_then() -> None:
    game = Walk()
    answer = act(game, 1)
    game._available_actions.remove(1)
    assert answer.available_actions == [1, 2, 3, 4, 5, 6]
    assert act(game, 1).available_actions == [2, 3, 4, 5, 6]


# What nothing is shared between


def test_defaults_are_not_shared() -> None:
    Sprite([[1]]).tags.append("seen")
    Level()._data["seen"] = 1
    one, other = Walk(), Walk()
    one._available_actions.append(7)
    one.camera._interfaces.append(engine.ToggleableUserDisplay())
    assert Sprite([[1]]).tags == []
    assert Level().get_data("seen") is None
    assert other._available_actions == [1, 2, 3, 4, 5, 6]
    assert Walk().camera._interfaces == []


def test_games_of_the_same_levels_share_neither_sprites_nor_data_nor_areas() -> None:
    levels = [Level([Sprite([[1]], "s")], data={"list": [1]}, placeable_areas=[PlaceableArea(0, 0, 1, 1)])]
    one, other = ARCBaseGame("one", levels), ARCBaseGame("other", levels)
    one.current_level.get_sprites()[0].pixels[0, 0] = 5
    one.current_level.get_data("list").append(2)
    one.current_level.placeable_areas[0].width = 9
    one.current_level.placeable_areas.clear()
    level = other.current_level
    assert level.get_sprites()[0].pixels.tolist() == [[1]]
    assert level.get_data("list") == [1]
    assert [area.width for area in level.placeable_areas] == [1]


def test_environment_does_not_change_resets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONLY_RESET_LEVELS", "true")
    assert act(Walk(), 0).full_reset


HASH_SEEDED = """
from engine import Level, Sprite
parts = [Sprite([[n]], x=n, tags=["sys_static", f"t{n}", "a", "b", "c"]) for n in range(6)]
merged = Level(parts).clone().get_sprites()
print([(s.name, s.tags, s.pixels.tolist()) for s in merged], Sprite([[1]]).name)
"""


def test_nothing_depends_on_the_process() -> None:
    def told(hash_seed: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", HASH_SEEDED],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            env={"PYTHONHASHSEED": hash_seed},
            cwd=".",
        ).stdout

    assert told("1") == told("2") != ""


# What a look is made from


def test_clone_of_a_sprite_with_other_numbers_looks_as_on_the_reference() -> None:
    kinds = []
    for names in (arcengine, engine):
        sprite = names.Sprite([[1, 2], [3, -1]], scale=2)
        sprite.color_remap(1, np.int64(7))  # the pixels are int64 now, a clone's are int8 again
        sprite.render()
        twin = sprite.clone()
        kinds.append((twin.render().dtype, twin.render().tolist(), twin.pixels.dtype))
    assert kinds[0] == kinds[1]


def test_sprites_copied_deeply_look_like_their_own_pixels() -> None:
    for scale, rotation in ((1, 0), (2, 0), (1, 90), (-1, 180)):
        sprite = Sprite([[1, 1], [1, 1]], scale=scale, rotation=rotation)
        twins = [sprite, copy.deepcopy(sprite), sprite.clone(), copy.copy(sprite)]
        assert [twin.look().pixels.max() for twin in twins] == [1, 1, 1, 1]
        twins[1].pixels[:] = 2
        twins[2].pixels[:] = 3
        assert [twin.render().max() for twin in twins] == [1, 2, 3, 1]
        sprite.pixels[:] = 4
        assert [twin.look().pixels.max() for twin in twins] == [4, 2, 3, 4]


def test_what_a_game_writes_on_a_rendered_array_stays_off_the_sprite() -> None:
    sprite = Sprite([[1, 2]], scale=2, rotation=90)
    sprite.render()[:] = 9
    assert 9 not in sprite.render()
    assert 9 not in sprite.pixels


def overriding_scene(names: ModuleType) -> Any:
    """Sprites and a camera with everything overridden that games override."""

    class Fat(names.Sprite):  # type: ignore[misc, name-defined]  # either engine's
        offset = 0

        @property
        def x(self) -> int:
            return int(self._x + self.offset)

        @property
        def width(self) -> int:
            return 2

        @property
        def layer(self) -> int:
            return 7

        @property
        def is_visible(self) -> bool:
            return bool(self.offset < 3)

        def render(self) -> Any:
            return np.repeat(super().render(), 2, axis=1) + self.offset

        def move(self, dx: int, dy: int) -> None:
            super().move(dx, dy)
            self.offset += 1

        def collides_with(self, other: Any, ignoreMode: bool = False) -> bool:
            return bool(super().collides_with(other, ignoreMode) and "soft" not in other.tags)

    class Tilted(names.Camera):  # type: ignore[misc, name-defined]  # either engine's
        def _raw_render(self, sprites: Any) -> Any:
            return super()._raw_render(sprites).T.astype(np.int64)

        def _calculate_scale_and_offset(self) -> tuple[int, int, int]:
            return 3, 5, 1

    class Scene(names.ARCBaseGame):  # type: ignore[misc, name-defined]  # either engine's
        def step(self) -> None:
            level = self.current_level
            if not hasattr(self, "fat"):
                self.fat = Fat([[1, -1], [2, 3]], "fat", x=1, y=1)
                self.plain = names.Sprite([[6, 6]], "plain", x=6, y=1, tags=["sys_click"])
                self.plain.render = lambda: np.full((2, 3), 8, np.int8)
                soft = names.Sprite([[7]], "soft", x=4, y=1, tags=["soft"])
                for sprite in (self.fat, self.plain, soft):
                    level.add_sprite(sprite)
            self.told = [plain(self.try_move("fat", 1, 0)), self.plain.width, self.fat.width, self.fat.height]
            self.told += [plain(level.get_sprite_at(x, 1)) for x in range(9)]
            self.told += [plain(level.collides_with(self.plain)), plain(self.fat.merge(self.plain))]
            self.complete_action()

    return Scene("scene", [names.Level()], Tilted(width=12, height=12, background=0))


def test_overridden_properties_and_rendering_count_as_in_the_reference() -> None:
    def played(names: ModuleType) -> Any:
        game = overriding_scene(names)
        told = []
        for _ in range(5):
            answer = game.perform_action(names.ActionInput(id=1), raw=True)
            told += [plain(answer.frame), game.told]
            told += [plain(game._get_valid_actions()), plain(game.get_pixels(0, 0, 4, 9))]
        return told

    ours = outcome(lambda: played(engine))
    assert ours == outcome(lambda: played(arcengine))
    assert isinstance(ours, list)


def test_frames_of_other_types_are_read_as_in_the_reference() -> None:
    def shown(names: ModuleType, made: Any) -> Any:
        class Other(names.RenderableUserDisplay):  # type: ignore[misc, name-defined]  # either engine's
            def render_interface(self, frame: Any) -> Any:
                return made

        game = names.ARCBaseGame("other", [names.Level()], names.Camera(interfaces=[Other()]))
        return game.perform_action(names.ActionInput(id=1)).frame

    flat, deep = np.ones(2, int), np.ones((1, 1, 1), int)
    for made in (np.ones((2, 2)), np.full((2, 2), 1.5), np.ones((2, 2), bool), flat, deep):
        assert outcome(lambda m=made: shown(engine, m)) == outcome(lambda m=made: shown(arcengine, m))


def test_errors_name_the_offending_value() -> None:
    game = Walk()
    for call, error, message in (
        (lambda: Sprite([[1]], rotation=45), ValueError, "got 45"),
        (lambda: Sprite([[1]], scale=0), ValueError, "got 0"),
        (lambda: Sprite([[1]], scale=-1), ValueError, r"\(1, 1\) must be divisible by scale factor 2"),
        (lambda: Sprite(np.zeros(3)), ValueError, r"got shape \(3,\)"),
        (lambda: Sprite([[1]], scale=-1).adjust_scale(1), ValueError, "must be divisible"),
        (lambda: Sprite([[1, 1], [1, 1]], scale=-1).adjust_scale(1), ValueError, "-1 adjusted by 1"),
        (lambda: engine.Camera(width=65), ValueError, "got 65x64"),
        (lambda: ARCBaseGame("none", []), ValueError, r"at least one level, got \[\]"),
        (lambda: game.set_level(2), IndexError, r"Level index 2 out of range \[0, 2\)"),
        (lambda: game.set_level_by_name("third"), ValueError, "Level with name third not found"),
        (lambda: game.try_move("nobody", 1, 0), ValueError, "No sprite found with name: nobody"),
        (lambda: engine.ToggleableUserDisplay().enable(0), ValueError, "Index 0 is out of bounds"),
    ):
        with pytest.raises(error, match=message):
            call()
