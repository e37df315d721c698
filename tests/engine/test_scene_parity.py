"""Levels, cameras, interfaces and whole small games of this engine against those of the reference."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import arcengine
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from tests.engine.strategies import TAGS, camera_recipes, make_sprite, outcome, plain, sprite_recipes

sprites_of_a_level = st.lists(sprite_recipes(), max_size=6)
places = st.integers(-3, 14)
cells = st.one_of(places, places.map(np.int64), st.sampled_from([1.0, 2.5]))


def make_level(names: ModuleType, recipes: list[Any], **more: Any) -> Any:
    return names.Level([make_sprite(names, recipe) for recipe in recipes], **more)


@given(sprites_of_a_level)
def test_level_merges_static_sprites_as_the_reference(recipes: list[Any]) -> None:
    def look(names: ModuleType) -> Any:
        level = make_level(names, recipes)
        return [plain(level.get_sprites()), plain(level.clone().get_sprites()), plain(level.get_all_tags())]

    assert outcome(lambda: look(engine)) == outcome(lambda: look(arcengine))


level_calls = st.one_of(
    st.tuples(st.just("get_sprite_at"), st.tuples(cells, cells, st.sampled_from([None, "wall"]), st.booleans())),
    st.tuples(st.just("get_sprites_by_name"), st.tuples(st.sampled_from("abcd"))),
    st.tuples(st.just("get_sprites_by_tag"), st.tuples(st.sampled_from(TAGS))),
    st.tuples(st.just("get_sprites_by_tags"), st.tuples(st.lists(st.sampled_from(TAGS), max_size=2))),
    st.tuples(st.just("get_sprites_by_any_tag"), st.tuples(st.lists(st.sampled_from(TAGS), max_size=2))),
    st.tuples(st.just("remove_all_sprites"), st.just(())),
    st.tuples(st.just("get_data"), st.tuples(st.sampled_from(["known", "unknown"]))),
    st.tuples(st.just("add"), st.tuples(sprite_recipes())),
    st.tuples(st.just("remove"), st.tuples(st.integers(0, 5))),
    st.tuples(st.just("relayer"), st.tuples(st.integers(0, 5), st.integers(-2, 3))),
    st.tuples(st.just("collide"), st.tuples(st.integers(0, 5), st.booleans())),
)


def call_level(names: ModuleType, level: Any, method: str, arguments: tuple[Any, ...]) -> Any:
    sprites = level.get_sprites()
    if method == "add":
        return level.add_sprite(make_sprite(names, arguments[0]))
    if method in ("remove", "relayer", "collide"):
        if not sprites:
            return None
        sprite = sprites[arguments[0] % len(sprites)]
        if method == "remove":
            return level.remove_sprite(sprite)
        if method == "relayer":
            return plain(sprite.set_layer(arguments[1]))
        return level.collides_with(sprite, ignoreMode=arguments[1])
    return getattr(level, method)(*arguments)


@given(sprites_of_a_level, st.lists(level_calls, max_size=8))
def test_level_under_random_calls_is_as_in_the_reference(recipes: list[Any], film: list[Any]) -> None:
    made = [outcome_level(names, recipes) for names in (engine, arcengine)]
    if made[0] is None or made[1] is None:
        assert made == [None, None]
        return
    for method, arguments in film:
        ours, theirs = (
            outcome(lambda n=names, v=level, m=method, a=arguments: call_level(n, v, m, a))
            for names, level in zip((engine, arcengine), made, strict=True)
        )
        assert ours == theirs
        assert plain(made[0].get_sprites()) == plain(made[1].get_sprites())


def outcome_level(names: ModuleType, recipes: list[Any]) -> Any:
    try:
        return make_level(names, recipes, data={"known": 5}, name="L", grid_size=(8, 8))
    except ValueError:
        return None


def test_uppermost_sprite_is_found_as_in_the_reference_after_changes() -> None:
    def told(names: ModuleType) -> list[str]:
        low, high, new = (names.Sprite([[1]], name, layer=layer) for name, layer in (("l", 0), ("h", 1), ("n", 2)))
        level = names.Level([low, high])
        found = [level.get_sprite_at(0, 0)]
        low.set_layer(5)  # not noticed until a sprite is added
        found.append(level.get_sprite_at(0, 0))
        level.remove_sprite(high)
        level.add_sprite(new)
        found.append(level.get_sprite_at(0, 0))
        return [sprite.name for sprite in found]

    assert told(engine) == told(arcengine) == ["h", "h", "l"]


class _Bar:
    """A bar on the frame's last row, as games draw them."""

    def render_interface(self, frame: Any) -> Any:
        frame[63, :20] = 11
        return frame


pairs = st.lists(st.tuples(sprite_recipes(far=70), sprite_recipes(far=70)), max_size=3)


def make_camera(names: ModuleType, recipe: Any, sprite_pairs: Any) -> Any:
    pairs = [(make_sprite(names, on), make_sprite(names, off)) for on, off in sprite_pairs]
    bar = type("Bar", (_Bar, names.RenderableUserDisplay), {})
    return names.Camera(**recipe, interfaces=[names.ToggleableUserDisplay(pairs), bar()])


@given(camera_recipes, sprites_of_a_level, pairs, st.tuples(places, places))
def test_camera_renders_as_the_reference(recipe: Any, sprites: Any, sprite_pairs: Any, shift: tuple[int, int]) -> None:
    def render(names: ModuleType) -> Any:
        camera = make_camera(names, recipe, sprite_pairs)
        camera.move(*shift)
        made = [make_sprite(names, sprite) for sprite in sprites]
        frames = [camera.render(made), camera._raw_render(made), camera.render([])]
        return [*frames, camera._calculate_scale_and_offset()]

    assert outcome(lambda: render(engine)) == outcome(lambda: render(arcengine))


@given(camera_recipes, st.integers(-1, 64), st.integers(-1, 64))
def test_display_to_grid_is_as_in_the_reference(recipe: Any, x: int, y: int) -> None:
    assert engine.Camera(**recipe).display_to_grid(x, y) == arcengine.Camera(**recipe).display_to_grid(x, y)


camera_calls = st.one_of(
    st.tuples(st.just("resize"), st.tuples(st.integers(-1, 70), st.integers(-1, 70))),
    st.tuples(st.just("move"), st.tuples(st.floats(-5, 5), st.integers(-5, 5))),
    st.tuples(st.sampled_from(["x", "y", "width", "height"]), st.floats(-2, 70)),
    st.tuples(st.sampled_from(["background", "letter_box"]), st.sampled_from([0, 15, 200])),
)


@given(camera_recipes, st.lists(camera_calls, max_size=5))
def test_camera_under_random_calls_is_as_in_the_reference(recipe: Any, film: list[Any]) -> None:
    def state(camera: Any) -> Any:
        names = ("x", "y", "width", "height", "background", "letter_box", "_x", "_width", "_background")
        return [getattr(camera, name) for name in names]

    def change(camera: Any, name: str, value: Any) -> Any:
        return getattr(camera, name)(*value) if isinstance(value, tuple) else setattr(camera, name, value)

    ours, theirs = engine.Camera(**recipe), arcengine.Camera(**recipe)
    for name, value in film:
        mine, wanted = (outcome(lambda c=c, n=name, v=value: change(c, n, v)) for c in (ours, theirs))
        assert mine == wanted
        assert state(ours) == state(theirs)
    assert outcome(lambda: ours.render([])) == outcome(lambda: theirs.render([]))


@pytest.mark.parametrize("side", [{"width": 65}, {"height": 65}, {"width": -1}, {"height": -1}, {"width": "wide"}])
def test_camera_from_bad_values_fails_as_in_the_reference(side: Any) -> None:
    assert outcome(lambda: engine.Camera(**side)) == outcome(lambda: arcengine.Camera(**side))


toggles = st.tuples(
    st.sampled_from(
        [
            *["enable", "disable", "is_enabled", "enable_all_by_tag", "disabled_all_by_tag"],
            *["enable_first_by_tag", "disabled_first_by_tag"],
        ]
    ),
    st.integers(-1, 3),
    st.sampled_from(TAGS),
)


@given(pairs, st.lists(toggles, max_size=6))
def test_toggleable_display_is_as_in_the_reference(sprite_pairs: Any, film: list[Any]) -> None:
    def make(names: ModuleType) -> Any:
        return names.ToggleableUserDisplay([(make_sprite(names, a), make_sprite(names, b)) for a, b in sprite_pairs])

    ours, theirs = make(engine), make(arcengine)
    for method, index, tag in film:
        argument = tag if "tag" in method else index
        mine, wanted = (outcome(lambda d=d, m=method, a=argument: getattr(d, m)(a)) for d in (ours, theirs))
        assert mine == wanted
        frames = [outcome(lambda d=d: d.clone().render_interface(np.zeros((64, 64), np.int8))) for d in (ours, theirs)]
        assert frames[0] == frames[1]


def small_game(names: ModuleType, levels: list[Any], camera: Any, plan: list[Any]) -> Any:
    """A game whose steps follow a plan: what it does in each, and whether the action is over with it."""

    class Planned(names.ARCBaseGame):  # type: ignore[misc, name-defined]  # either engine's
        def __init__(self) -> None:
            areas = [names.PlaceableArea(1, 1, 4, 3, 2, 1)]
            made = [make_level(names, r, grid_size=g, name=f"L{i}", placeable_areas=areas) for i, (r, g) in levels]
            self.plan = list(plan)
            self.found: list[Any] = []
            super().__init__("plan", made, names.Camera(**camera), available_actions=[1, 6, 7], win_score=1)

        def step(self) -> None:
            do, over = self.plan.pop(0) if self.plan else ("nothing", True)
            sprites = self.current_level.get_sprites()
            if do == "move" and sprites:
                self.found.append(plain(self.try_move_sprite(sprites[0], 1, 0)))
            elif do == "move_by_name":
                self.found.append(outcome(lambda: self.try_move("b", 0, 1)))
            elif do == "pixels" and sprites:
                self.found.append(plain(self.get_pixels_at_sprite(sprites[0])))
            elif do == "next":
                self.next_level()
            elif do == "next_by_name":
                self.set_level_by_name("L0")
            elif do == "win":
                self.win()
            elif do == "lose":
                self.lose()
            elif do == "place":
                self.set_placeable_sprite(sprites[0] if sprites else None)
            if over:
                self.complete_action()

    return Planned()


plans = st.lists(
    st.tuples(
        st.sampled_from(["move", "move_by_name", "pixels", "next", "next_by_name", "win", "lose", "place", "nothing"]),
        st.booleans(),
    ),
    max_size=12,
)
grid_sizes = st.one_of(st.none(), st.tuples(st.integers(1, 64), st.integers(1, 64)))


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.lists(sprite_recipes(), max_size=4), grid_sizes), min_size=1, max_size=3),
    camera_recipes,
    plans,
    st.lists(st.sampled_from([0, 0, 1, 6, 7]), max_size=8),
    st.booleans(),
    st.booleans(),
)
def test_game_follows_a_plan_as_in_the_reference(
    levels: Any, camera: Any, plan: Any, film: list[int], only_levels: bool, raw: bool
) -> None:
    def played(names: ModuleType) -> Any:
        game = small_game(names, list(enumerate(levels)), camera, plan)
        game.only_reset_levels = only_levels
        told: list[Any] = []
        for number in film:
            action = names.ActionInput(id=number, data={"x": 3, "y": 4} if number == 6 else {})
            answer = game.perform_action(action, raw=raw)
            told += [plain(answer), plain(answer.frame), plain(game._get_valid_actions()), game.level_index]
            told += [game._action_count, game.found, plain(game.current_level.get_sprites())]
        return told

    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ONLY_RESET_LEVELS", str(only_levels).lower())
        assert outcome(lambda: played(engine)) == outcome(lambda: played(arcengine))
