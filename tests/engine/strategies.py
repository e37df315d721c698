"""The same random things for both engines: a recipe of plain values, and how either engine makes something of it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from hypothesis import strategies as st

Recipe = dict[str, Any]

BLOCKINGS = ("NOT_BLOCKED", "BOUNDING_BOX", "PIXEL_PERFECT")
INTERACTIONS = ("TANGIBLE", "INTANGIBLE", "INVISIBLE", "REMOVED")
TAGS = ("sys_static", "sys_click", "sys_place", "sys_every_pixel", "wall")

cells = st.sampled_from([-2, -1, -1, 0, 1, 2, 2, 15])


@st.composite
def grids(draw: st.DrawFn, longest: int = 6) -> list[list[int]]:
    width = draw(st.integers(1, longest))
    return draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=longest))


def sprite_recipes(far: int = 10) -> st.SearchStrategy[Recipe]:
    return st.fixed_dictionaries(
        {
            "pixels": grids(),
            "name": st.sampled_from(["a", "b", "c"]),
            "x": st.integers(-far, far),
            "y": st.integers(-far, far),
            "layer": st.integers(-1, 2),
            "scale": st.sampled_from([-2, -1, 1, 1, 1, 2, 3]),
            "rotation": st.sampled_from([0, 0, 90, 180, 270, -90, 450]),
            "mirror_ud": st.booleans(),
            "mirror_lr": st.booleans(),
            "blocking": st.sampled_from(BLOCKINGS),
            "interaction": st.sampled_from([None, *INTERACTIONS]),
            "visible": st.booleans(),
            "collidable": st.booleans(),
            "tags": st.lists(st.sampled_from(TAGS), max_size=3, unique=True),
        }
    )


def make_sprite(names: ModuleType, recipe: Recipe) -> Any:
    """The sprite; scaled down only where its sides divide, so that a recipe always gives one."""
    values = dict(recipe)
    values["pixels"] = [row[:] for row in recipe["pixels"]]
    values["tags"] = recipe["tags"][:]
    values["blocking"] = names.BlockingMode[recipe["blocking"]]
    interaction = recipe["interaction"]
    values["interaction"] = None if interaction is None else names.InteractionMode[interaction]
    factor = 1 - recipe["scale"]
    if factor > 1 and (len(recipe["pixels"]) % factor or len(recipe["pixels"][0]) % factor):
        values["scale"] = 1
    return names.Sprite(**values)


camera_recipes = st.fixed_dictionaries(
    {
        "x": st.integers(-8, 8),
        "y": st.integers(-8, 8),
        "width": st.integers(1, 64),
        "height": st.integers(1, 64),
        "background": st.integers(0, 15),
        "letter_box": st.integers(0, 15),
    }
)


def outcome(call: Callable[[], Any]) -> Any:
    """What the call gives in plain values, or the type of error that it raises."""
    try:
        return plain(call())
    except Exception as error:
        return ("raises", type(error).__name__)


def plain(value: Any) -> Any:
    """A value of either engine in types that compare across engines."""
    kind = type(value).__name__
    if isinstance(value, np.ndarray):
        return ("array", value.dtype.name, value.tolist())
    if kind in ("BlockingMode", "InteractionMode", "GameAction", "GameState"):
        return (kind, value.name)
    if hasattr(value, "rotation"):
        return sprite_state(value)
    if hasattr(value, "model_dump"):
        return (kind, plain(value.model_dump()))
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, set):
        return sorted(value)
    return value


def sprite_state(sprite: Any) -> Any:
    return (
        "sprite",
        plain(sprite.pixels),
        sprite.name,
        (sprite.x, sprite.y, sprite.layer, sprite.scale, sprite.rotation),
        (sprite.mirror_ud, sprite.mirror_lr, sprite.is_visible, sprite.is_collidable),
        (sprite.blocking.name, sprite.interaction.name, sorted(sprite.tags)),
    )
