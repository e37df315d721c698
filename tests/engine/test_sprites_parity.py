"""Sprites of this engine against those of the reference: the same random recipe, the same random calls."""

from __future__ import annotations

from typing import Any

import arcengine
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import engine
from tests.engine.strategies import (
    BLOCKINGS,
    INTERACTIONS,
    grids,
    make_sprite,
    outcome,
    plain,
    sprite_recipes,
    sprite_state,
)

small = st.integers(-4, 4)
calls = st.one_of(
    st.tuples(st.just("move"), st.tuples(small, small)),
    st.tuples(st.just("set_position"), st.tuples(st.integers(-9, 9), st.floats(-9, 9))),
    st.tuples(st.just("set_rotation"), st.tuples(st.sampled_from([0, 90, 180, 270, 360, -90, 45, 91.5]))),
    st.tuples(st.just("rotate"), st.tuples(st.sampled_from([90, -90, 180, 270, -450, 30]))),
    st.tuples(st.just("set_scale"), st.tuples(st.integers(-3, 4))),
    st.tuples(st.just("adjust_scale"), st.tuples(st.sampled_from([0, 1, 2, -1, -2]))),
    st.tuples(st.just("set_mirror_ud"), st.tuples(st.booleans())),
    st.tuples(st.just("set_mirror_lr"), st.tuples(st.booleans())),
    st.tuples(st.just("set_layer"), st.tuples(small)),
    st.tuples(st.just("set_name"), st.tuples(st.sampled_from(["", "new"]))),
    st.tuples(st.just("set_visible"), st.tuples(st.booleans())),
    st.tuples(st.just("set_collidable"), st.tuples(st.booleans())),
    st.tuples(st.just("set_blocking"), st.tuples(st.sampled_from([*BLOCKINGS, None]))),
    st.tuples(st.just("set_interaction"), st.tuples(st.sampled_from([*INTERACTIONS, None]))),
    st.tuples(st.just("color_remap"), st.tuples(st.sampled_from([None, -1, 0, 2]), st.sampled_from([-1, 3, 200]))),
    st.tuples(st.just("paint"), st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([-2, -1, 7]))),
    st.tuples(st.just("rebind"), st.tuples(grids(), st.sampled_from([np.int8, np.int64]))),
    st.tuples(st.just("turn_by_hand"), st.tuples(st.sampled_from([90, 180, -90]))),
    st.tuples(st.just("scribble_on_render"), st.just(())),
    st.tuples(st.just("clone"), st.tuples(st.sampled_from([None, "twin"]))),
)


def call(names: Any, sprite: Any, method: str, arguments: tuple[Any, ...]) -> Any:
    """What a game does to a sprite: a method, or what it writes into it."""
    if method == "paint":
        y, x, value = arguments
        sprite.pixels[y % sprite.pixels.shape[0], x % sprite.pixels.shape[1]] = value
        return None
    if method == "rebind":
        sprite.pixels = np.array(arguments[0], dtype=arguments[1])
        return None
    if method == "turn_by_hand":
        sprite.rotation = arguments[0]
        return None
    if method == "scribble_on_render":
        sprite.render()[...] = 9
        return None
    kinds = {"set_blocking": names.BlockingMode, "set_interaction": names.InteractionMode}
    if method in kinds and arguments[0] is not None:
        arguments = (kinds[method][arguments[0]],)
    result = getattr(sprite, method)(*arguments)
    return "itself" if result is sprite else result


def adjusting_never_ends(sprite: Any, method: str, arguments: tuple[Any, ...]) -> bool:
    """The reference looks for scale 0 for ever where it is the target."""
    return method == "adjust_scale" and sprite.scale + arguments[0] == 0


@given(sprite_recipes(), st.lists(calls, max_size=8))
def test_sprite_under_random_calls_is_as_in_the_reference(recipe: Any, film: list[Any]) -> None:
    ours, theirs = make_sprite(engine, recipe), make_sprite(arcengine, recipe)
    assert outcome(ours.render) == outcome(theirs.render)
    for method, arguments in film:
        if adjusting_never_ends(theirs, method, arguments):
            continue
        assert outcome(lambda m=method, a=arguments: call(engine, ours, m, a)) == outcome(
            lambda m=method, a=arguments: call(arcengine, theirs, m, a)
        )
        assert sprite_state(ours) == sprite_state(theirs)
        for read in ("render", "width", "height"):
            assert outcome(lambda r=read: _read(ours, r)) == outcome(lambda r=read: _read(theirs, r))


def _read(sprite: Any, name: str) -> Any:
    value = getattr(sprite, name)
    return value() if callable(value) else value


@given(sprite_recipes(far=4), sprite_recipes(far=4), st.booleans())
def test_collision_is_as_in_the_reference(one: Any, other: Any, ignore_mode: bool) -> None:
    def judge(names: Any) -> Any:
        first, second = make_sprite(names, one), make_sprite(names, other)
        return first.collides_with(second, ignoreMode=ignore_mode), first.collides_with(first, ignoreMode=ignore_mode)

    assert outcome(lambda: judge(engine)) == outcome(lambda: judge(arcengine))


@given(sprite_recipes(far=4), sprite_recipes(far=4))
def test_merge_is_as_in_the_reference(one: Any, other: Any) -> None:
    def merged(names: Any) -> Any:
        return make_sprite(names, one).merge(make_sprite(names, other))

    assert outcome(lambda: merged(engine)) == outcome(lambda: merged(arcengine))


@st.composite
def divisible(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    factor = draw(st.integers(2, 4))
    width, height = factor * draw(st.integers(1, 3)), factor * draw(st.integers(1, 3))
    values = draw(st.sampled_from([[-1, 3], [-1, -1, 3, 4], [-2, -1, -1, 5], [0, 1, 15]]))
    row = st.lists(st.sampled_from(values), min_size=width, max_size=width)
    return draw(st.lists(row, min_size=height, max_size=height)), 1 - factor


@given(divisible())
def test_scaling_down_is_as_in_the_reference(case: tuple[list[list[int]], int]) -> None:
    pixels, scale = case
    assert outcome(lambda: engine.Sprite(pixels, scale=scale).render()) == outcome(
        lambda: arcengine.Sprite(pixels, scale=scale).render()
    )


bad_arguments = st.sampled_from(
    [
        {"pixels": []},
        {"pixels": [[]]},
        {"pixels": [[1, 2], [3]]},
        {"pixels": ((1,),)},
        {"pixels": [[300]]},
        {"pixels": [[None]]},
        {"pixels": np.zeros(3)},
        {"pixels": np.zeros((2, 2, 2))},
        {"pixels": np.array([[300, -1]])},
        {"pixels": "12"},
        {"pixels": None},
        {"rotation": 45},
        {"rotation": "north"},
        {"rotation": None},
        {"scale": 0},
        {"scale": -1},
        {"scale": "big"},
        {"scale": 2.9},
        {"x": "left"},
        {"x": 1.9},
        {"y": None},
        {"layer": None},
        {"nonsense": 1},
    ]
)


@given(bad_arguments)
def test_sprite_from_bad_values_fails_as_in_the_reference(arguments: dict[str, Any]) -> None:
    values = {"pixels": [[1, 2, 3]], "name": "bad", **arguments}
    assert outcome(lambda: engine.Sprite(**values)) == outcome(lambda: arcengine.Sprite(**values))


@given(sprite_recipes(), st.sampled_from([np.int8, np.int16, np.uint8]))
def test_sprite_from_array_is_as_in_the_reference(recipe: Any, kind: Any) -> None:
    pixels = np.array(recipe["pixels"]).astype(kind)
    ours = engine.Sprite(pixels.copy(), name="a")
    theirs = arcengine.Sprite(pixels.copy(), name="a")
    assert plain(ours) == plain(theirs)
