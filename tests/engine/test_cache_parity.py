"""Whatever a game does behind the engine's back to what is remembered, it sees what the reference shows."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from types import ModuleType
from typing import Any

import arcengine
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import engine
from tests.engine.strategies import camera_recipes, make_sprite, outcome, sprite_recipes, sprite_state


class Scene:
    """Sprites, the level that they are in, its camera, and what a game has kept of all this."""

    def __init__(self, names: ModuleType, recipes: list[Any], camera: Any) -> None:
        self.names = names
        self.sprites = [make_sprite(names, recipe) for recipe in recipes]
        self.level = names.Level(list(self.sprites), grid_size=None)
        self.camera = names.Camera(**camera)
        self.kept: list[Any] = []

        class Fancy(names.Sprite):
            """Asked for its place and its look each time, it tells other ones."""

            shift = 1

            @property
            def x(self) -> Any:
                return self._x + self.shift

            def render(self) -> Any:
                return super().render()[::-1]

        class Stain(names.RenderableUserDisplay):
            def __init__(self, kept: list[Any], way: int) -> None:
                self.kept, self.way = kept, way

            def render_interface(self, frame: Any) -> Any:
                frame[self.way, :8] = self.way
                self.kept.append(frame)
                return frame if self.way % 2 else frame.copy()

        self.fancy, self.stain = Fancy, Stain

    def look(self) -> Any:
        """What can be seen of it without reading any pixels, which would make the engine look anew."""
        places = [(x, y) for x in range(-3, 9, 2) for y in range(-3, 9, 2)]
        at = [outcome(lambda x=x, y=y: self.number_of(self.level.get_sprite_at(x, y))) for x, y in places]
        collisions = [
            outcome(lambda one=one: [self.number_of(other) for other in self.level.collides_with(one)])
            for one in self.sprites
        ]
        sizes = [outcome(lambda one=one: (one.width, one.height)) for one in self.sprites]
        frame = outcome(lambda: self.camera.render(self.level.get_sprites()))
        view = outcome(lambda: self.camera._raw_render(self.level._sprites))
        return frame, view, at, collisions, sizes

    def number_of(self, sprite: Any) -> int | None:
        """Which sprite of the level it is."""
        return next((number for number, one in enumerate(self.level._sprites) if one is sprite), None)


WRITERS: list[Callable[[Any, int], Any]] = [
    lambda array, colour: array.fill(colour),
    lambda array, colour: array.__setitem__((0, 0), colour),
    lambda array, colour: np.putmask(array, array > 0, colour),
    lambda array, colour: np.copyto(array, colour),
    lambda array, colour: np.add(array, 0 * array + 1, out=array, casting="unsafe"),
    lambda array, colour: np.place(array, array < 0, [colour]),
    lambda array, colour: array.flat.__setitem__(0, colour),
    lambda array, colour: array.T.__setitem__((0, 0), colour),
]

OTHER_ARRAYS: list[Callable[[Any], Any]] = [
    lambda array: array[::-1],
    lambda array: array.T,
    lambda array: array[:, :],
    lambda array: np.asfortranarray(array),
    lambda array: array.astype(np.int64),
    lambda array: array.astype(np.uint8) % 16,
    lambda array: array.astype(np.float64),
    lambda array: array > 0,
    lambda array: np.broadcast_to(array[:1], array.shape),
    lambda array: np.array(array.tolist(), dtype=np.int16),
]

COPIES: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    lambda thing: pickle.loads(pickle.dumps(thing)),  # noqa: S301 - our own
]

CLONES: list[Callable[[Any], Any]] = [lambda sprite: sprite.clone(), *COPIES]

TURNS: list[Callable[[Any, int], Any]] = [
    lambda sprite, n: sprite.set_rotation(90 * (n % 4)),
    lambda sprite, n: sprite.rotate(90),
    lambda sprite, n: sprite.set_scale(n % 3 + 1),
    lambda sprite, n: sprite.set_mirror_ud(bool(n % 2)),
    lambda sprite, n: sprite.set_mirror_lr(bool(n % 2)),
    lambda sprite, n: sprite.color_remap(None if n % 2 else 1, n % 16),
    lambda sprite, n: sprite.set_layer(n % 4 - 1),
    lambda sprite, n: sprite.move(n % 5 - 2, n % 3 - 1),
    lambda sprite, n: sprite.set_position(np.int64(n % 7), float(n % 5)),
    lambda sprite, n: sprite.set_position((-1) ** n * 10**6, 0),
    lambda sprite, n: sprite.set_visible(bool(n % 2)),
    lambda sprite, n: sprite.set_collidable(bool(n % 2)),
    lambda sprite, n: setattr(sprite, "_x", [n % 9, 1.5, np.int16(2)][n % 3]),
    lambda sprite, n: setattr(sprite, "_layer", n % 4),
    lambda sprite, n: setattr(sprite, "rotation", [90, 270, 450, 45, -90][n % 5]),
    lambda sprite, n: setattr(sprite, "_scale", [1, 2, -1, 0][n % 4]),
    lambda sprite, n: sprite._tags.append("wall"),
]

VIEWS: list[Callable[[Any, int], Any]] = [
    lambda camera, n: camera.move(n % 5 - 2, n % 3 - 1),
    lambda camera, n: camera.resize(n % 64 + 1, n % 30 + 1),
    lambda camera, n: setattr(camera, "x", n - 30),
    lambda camera, n: setattr(camera, "y", (-1) ** n * 10**7),
    lambda camera, n: setattr(camera, "background", n % 16),
    lambda camera, n: setattr(camera, "letter_box", n % 16),
    lambda camera, n: setattr(camera, "_width", n % 64 + 1),
    lambda camera, n: setattr(camera, "_background", n % 16),
]


def alter_array(scene: Scene, i: int, j: int, n: int) -> None:
    writer = WRITERS[n % len(WRITERS)]
    if j % 2 and scene.kept:
        writer(scene.kept[i % len(scene.kept)], n % 16)
    else:
        writer(scene.sprites[i].pixels, n % 16)


def keep_array(scene: Scene, i: int, j: int, n: int) -> None:
    pixels = scene.sprites[i].pixels
    scene.kept.append([pixels, pixels[:1], pixels.T, memoryview(pixels).obj][n % 4])


def keep_what_is_shown(scene: Scene, i: int, j: int, n: int) -> None:
    scene.kept.append(scene.sprites[i].render() if n % 2 else scene.camera.render(scene.level.get_sprites()))


def share_array(scene: Scene, i: int, j: int, n: int) -> None:
    scene.sprites[i].pixels = scene.sprites[j].pixels


def keep_and_share_a_part(scene: Scene, i: int, j: int, n: int) -> None:
    """Of the whole array nothing is left but the views of it."""
    whole = np.array([[1, 2, 3], [4, -1, 6]], dtype=np.int8)
    scene.sprites[i].pixels = whole[:, : 1 + n % 2]
    scene.kept.append(whole[:, :])


def rebind_array(scene: Scene, i: int, j: int, n: int) -> None:
    scene.sprites[i].pixels = OTHER_ARRAYS[n % len(OTHER_ARRAYS)](scene.sprites[j].pixels)


def turn(scene: Scene, i: int, j: int, n: int) -> None:
    TURNS[j % len(TURNS)](scene.sprites[i], n)


def turn_otherwise(scene: Scene, i: int, j: int, n: int) -> None:
    TURNS[n % len(TURNS)](scene.sprites[i], j)


def copy_sprite(scene: Scene, i: int, j: int, n: int) -> None:
    twin = CLONES[n % len(CLONES)](scene.sprites[i])
    scene.level.add_sprite(twin)
    scene.sprites[j] = twin


def copy_level(scene: Scene, i: int, j: int, n: int) -> None:
    scene.level = COPIES[n % len(COPIES)](scene.level)


def copy_camera(scene: Scene, i: int, j: int, n: int) -> None:
    scene.kept.append(np.zeros((2, 2), dtype=np.int8))
    twin = COPIES[n % 2](scene.camera)
    twin.render(scene.level.get_sprites()[i:])
    if j % 2:
        scene.camera = twin


def copy_all(scene: Scene, i: int, j: int, n: int) -> None:
    scene.level, scene.camera, scene.sprites = copy.deepcopy((scene.level, scene.camera, scene.sprites))


def reorder(scene: Scene, i: int, j: int, n: int) -> None:
    sprites = scene.level._sprites
    changes: list[Callable[[], Any]] = [
        sprites.reverse,
        lambda: sprites.sort(key=lambda sprite: sprite.y),
        lambda: sprites.append(scene.sprites[i]),
        lambda: sprites.insert(0, scene.sprites[i]),
        lambda: sprites.pop() if sprites else None,
        lambda: setattr(scene.level, "_sprites", [*sprites[1:], *sprites[:1]]),
        lambda: scene.level.add_sprite(scene.sprites[i]),
        lambda: scene.level.remove_sprite(scene.sprites[i]),
        scene.level.remove_all_sprites,
    ]
    changes[n % len(changes)]()


def change_view(scene: Scene, i: int, j: int, n: int) -> None:
    VIEWS[n % len(VIEWS)](scene.camera, 7 * i + 3 * j)


def stain(scene: Scene, i: int, j: int, n: int) -> None:
    scene.camera.replace_interface([scene.stain(scene.kept, way % 16) for way in range(n % 3)])


def draw_by_itself(scene: Scene, i: int, j: int, n: int) -> None:
    """A method of one sprite is replaced, or given back."""
    sprite = scene.sprites[i]
    if n % 3 == 0:
        sprite.render = lambda: np.full((2, 3), j, dtype=np.int8)
    elif n % 3 == 1:
        usual = sprite.render
        sprite.render = lambda: usual().T
    elif "render" in vars(sprite):
        del sprite.render


def view_by_itself(scene: Scene, i: int, j: int, n: int) -> None:
    """A method of the camera is replaced, or given back."""
    camera = scene.camera
    if n % 2 == 0:
        camera._raw_render = lambda sprites: np.full((camera.height, camera.width), j, dtype=np.int8)
    elif "_raw_render" in vars(camera):
        del camera._raw_render


def become_fancy(scene: Scene, i: int, j: int, n: int) -> None:
    """A clone is a plain Sprite; games make it one of their class again."""
    sprite = scene.sprites[i]
    sprite.__class__ = scene.names.Sprite if n % 3 == 0 else scene.fancy
    if n % 2:
        sprite.shift = j


CHANGES = [
    *(
        alter_array,
        alter_array,
        keep_array,
        keep_what_is_shown,
        share_array,
        keep_and_share_a_part,
        rebind_array,
        turn,
        turn_otherwise,
    ),
    *(copy_sprite, copy_level, copy_camera, copy_all, reorder, reorder, change_view, stain),
    *(draw_by_itself, view_by_itself, become_fancy),
]

films = st.lists(
    st.tuples(st.sampled_from(CHANGES), st.integers(0, 2), st.integers(0, 2), st.integers(0, 50)), max_size=25
)
small_cameras = camera_recipes.map(lambda recipe: {**recipe, "x": recipe["x"] // 4, "y": recipe["y"] // 4})


def watched(names: ModuleType, recipes: list[Any], camera: Any, film: list[Any]) -> list[Any]:
    """What is seen after each change."""
    try:
        scene = Scene(names, recipes, camera)
    except ValueError:
        return ["a static sprite cannot be scaled down"]
    seen: list[Any] = [scene.look()]
    for change, *numbers in film:
        told = outcome(lambda change=change, numbers=numbers: change(scene, *numbers))
        seen.append((change.__name__, told, scene.look()))
    return [*seen, [outcome(lambda one=one: sprite_state(one)) for one in scene.sprites]]


PLAIN = {
    "pixels": [[1, 2], [-1, 3]],
    "name": "a",
    "x": 1,
    "y": 1,
    "layer": 0,
    "scale": 1,
    "rotation": 0,
    "tags": [],
    "mirror_ud": False,
    "mirror_lr": False,
    "visible": True,
    "collidable": True,
    "interaction": None,
    "blocking": "PIXEL_PERFECT",
}
CAMERA = {"x": 0, "y": 0, "width": 8, "height": 8, "background": 5, "letter_box": 4}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numpy warns of casts in both engines
@settings(max_examples=200)
@given(st.lists(sprite_recipes(far=3), min_size=3, max_size=3), small_cameras, films)
@example([PLAIN] * 3, CAMERA, [(become_fancy, 0, 2, 1), (become_fancy, 0, 0, 3), (become_fancy, 0, 1, 1)])
@example([PLAIN] * 3, CAMERA, [(become_fancy, 0, 0, 1), (draw_by_itself, 0, 0, 1), (turn, 0, 7, 3)])
@example([PLAIN] * 3, CAMERA, [(draw_by_itself, 0, 2, 0), (copy_all, 0, 0, 0), (draw_by_itself, 0, 2, 2)])
@example([PLAIN] * 3, CAMERA, [(view_by_itself, 0, 2, 0), (view_by_itself, 0, 0, 1), (turn, 0, 7, 3)])
@example([PLAIN] * 3, CAMERA, [(keep_array, 0, 0, 0), (alter_array, 0, 1, 1), (alter_array, 0, 1, 0)])
@example([PLAIN] * 3, CAMERA, [(keep_array, 0, 0, 1), (alter_array, 0, 1, 1), (turn, 0, 7, 3), (alter_array, 0, 1, 0)])
@example([PLAIN] * 3, CAMERA, [(keep_and_share_a_part, 0, 0, 0), (alter_array, 0, 1, 1), (alter_array, 0, 1, 0)])
@example([PLAIN] * 3, CAMERA, [(copy_sprite, 0, 0, 1), (alter_array, 0, 0, 1), (turn, 0, 7, 3), (alter_array, 0, 0, 0)])
@example([PLAIN] * 3, CAMERA, [(keep_what_is_shown, 0, 0, 0), (alter_array, 0, 1, 0), (keep_what_is_shown, 0, 0, 1)])
@example([PLAIN] * 3, CAMERA, [(keep_what_is_shown, 0, 0, 1), (alter_array, 0, 1, 0), (turn, 0, 7, 3)])
def test_nothing_that_is_remembered_can_be_seen(recipes: list[Any], camera: Any, film: list[Any]) -> None:
    ours, theirs = (watched(names, recipes, camera, film) for names in (engine, arcengine))
    for one, other in zip(ours, theirs, strict=True):
        assert one == other
