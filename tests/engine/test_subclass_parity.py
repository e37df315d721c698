"""Subclasses as games write them, on both engines: what they override is asked, whenever they are used."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import arcengine
import numpy as np
import pytest

import engine
from tests.engine.strategies import outcome, plain

ENGINES = (engine, arcengine)


def frames(names: ModuleType, sprites: list[Any]) -> Any:
    return plain(names.Camera(0, 0, 8, 8).render(sprites))


def early(names: ModuleType) -> Any:
    """Uses itself before it calls the constructor of Sprite."""

    class Early(names.Sprite):
        def __init__(self) -> None:
            self.pixels = np.array([[1, 2]], dtype=np.int8)
            self._x = self._y = 2
            self.seen = outcome(lambda: self.pixels)
            self.failed = outcome(lambda: self.width)
            super().__init__([[3, 4, 5]], "early", x=self.x + 1, y=self._y)

    sprite = Early()
    return sprite.seen, frames(names, [sprite]), plain(sprite), sprite.collides_with(names.Sprite([[1]], x=5, y=2))


def without_constructor(names: ModuleType) -> Any:
    """Sets all that the reference's constructor sets, by itself."""

    class Bare(names.Sprite):
        def __init__(self) -> None:
            self.pixels = np.array([[1, -1], [2, 3]], dtype=np.int8)
            self._name, self._x, self._y, self._layer, self._scale, self._tags = "bare", 1, 2, 0, 2, ["wall"]
            self.rotation, self._mirror_ud, self._mirror_lr = 90, False, True
            self._blocking = names.BlockingMode.PIXEL_PERFECT
            self._interaction = names.InteractionMode.TANGIBLE

    sprite = Bare()
    level = names.Level([sprite, names.Sprite([[7]], "seven", x=2, y=2)])
    return plain(sprite), frames(names, [sprite]), plain(level.collides_with(sprite)), plain(sprite.clone())


def camera_without_constructor(names: ModuleType) -> Any:
    class Bare(names.Camera):
        def __init__(self) -> None:
            self._x, self._y, self._width, self._height = 0, 0, 8, 8
            self._background, self._letter_box, self._interfaces = 3, 4, []

    return plain(Bare().render([names.Sprite([[1]])]))


def static_sprites_kept_apart(names: ModuleType) -> Any:
    class Apart(names.Level):
        def _merge_sys_static_pixel_perfect_on_init(self) -> None:
            self.merged = False

    sprites = [names.Sprite([[1]], name=name, x=x, tags=["sys_static"]) for x, name in enumerate("abc")]
    return [[sprite.name for sprite in kind(list(sprites))._sprites] for kind in (Apart, names.Level)]


def merging_again(names: ModuleType) -> Any:
    level = names.Level()
    for x in range(3):
        level.add_sprite(names.Sprite([[x]], name="wall", x=x, tags=["sys_static"], layer=x % 2))
    level._merge_sys_static_pixel_perfect_on_init()
    return plain(level.get_sprites())


def area_without_numbers(names: ModuleType) -> Any:
    area = names.PlaceableArea
    return area.x, area.y, area.width, area.height, area.x_scale, area.y_scale


def nested_dumps(names: ModuleType) -> Any:
    answer = names.FrameData(action_input={"id": 3})
    told = [
        answer.model_dump_json(**{choice: True}) for choice in ("exclude_none", "exclude_unset", "exclude_defaults")
    ]
    return told, plain(answer.model_dump(exclude_none=True))


def digits_of_other_scripts(names: ModuleType) -> Any:
    return [
        outcome(lambda text=text: names.ComplexAction(x=text).x) for text in ("3", "\u0663", "\uff13", " 4 ", "1_0")
    ]


CASES = [
    *(early, without_constructor, camera_without_constructor, static_sprites_kept_apart, merging_again),
    *(area_without_numbers, nested_dumps, digits_of_other_scripts),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_same_as_in_the_reference(case: Any) -> None:
    ours, theirs = (case(names) for names in ENGINES)
    assert ours == theirs
