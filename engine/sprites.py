"""Sprites: the pictures that a level is made of, where they are, and what they bump into."""

from __future__ import annotations

import itertools
import reprlib
from enum import Enum, auto
from sys import getrefcount
from types import NoneType, SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np

from engine.looks import Look, Pixels, check_divides, content_of, look_of, narrowed, repainted
from engine.noticing import is_changed, noticed, noticed_class, noticed_method, prepare_early


class BlockingMode(Enum):
    """How collisions with a sprite are judged."""

    NOT_BLOCKED = auto()
    BOUNDING_BOX = auto()
    PIXEL_PERFECT = auto()


class InteractionMode(Enum):
    """Whether a sprite is drawn and whether it can be bumped into."""

    TANGIBLE = auto()  # drawn, solid
    INTANGIBLE = auto()  # drawn only
    INVISIBLE = auto()  # solid only
    REMOVED = auto()  # neither


_NOT_BLOCKED, _PIXEL_PERFECT = BlockingMode.NOT_BLOCKED, BlockingMode.PIXEL_PERFECT
_TANGIBLE, _INTANGIBLE = InteractionMode.TANGIBLE, InteractionMode.INTANGIBLE
_INVISIBLE, _REMOVED = InteractionMode.INVISIBLE, InteractionMode.REMOVED

_MODES = {
    (True, True): _TANGIBLE,
    (True, False): _INTANGIBLE,
    (False, True): _INVISIBLE,
    (False, False): _REMOVED,
}


def _references_of_one_holder() -> int:
    """What `getrefcount` counts for an array in an attribute of one sprite, in a variable, and in its own argument.

    Some versions of Python do not count all of these.
    """
    holder = SimpleNamespace(pixels=np.zeros((1, 1)))
    pixels = holder.pixels
    return getrefcount(pixels)


_REFERENCES_OF_ONE_HOLDER = _references_of_one_holder()

# Names of nameless sprites: unique, and in the order of creation, so that nothing depends on chance.
_serial_numbers = itertools.count(1)


def _new_name() -> str:
    digits = f"{next(_serial_numbers):032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


# What says how a sprite looks, and where it is: a class with one of these of its own is asked each time.
_APPEARANCE = ("render", "pixels", "rotation")
_PLACE = ("is_visible", "is_collidable", "layer", "x", "y", "width", "height", "blocking", "name", "tags")

type Shown = tuple[int, Look | None, int, int, int, int]
"""What a camera must know of a sprite: its layer, its look, and its picture's left, top, right and bottom in the level.

Right and bottom are outside. The look is None and the place empty where it is not drawn."""

_NOT_SHOWN: Shown = (0, None, 0, 0, 0, 0)


def _draw_itself(sprite: Sprite) -> None:
    sprite._has_own_look = True
    sprite._forget_look()


def _prepare(sprite: Sprite) -> None:
    sprite._has_own_look = is_changed(type(sprite), Sprite, _APPEARANCE)
    sprite._has_own_place = is_changed(type(sprite), Sprite, _PLACE)
    sprite._valid_look = sprite._last_look = sprite._valid_shown = sprite._last_shown = None


def _judge_class(sprite: Sprite) -> None:
    sprite._has_own_look |= is_changed(type(sprite), Sprite, _APPEARANCE)
    sprite._has_own_place |= is_changed(type(sprite), Sprite, _PLACE)
    sprite._forget_look()


class Sprite:
    """A picture with a place, a layer, a way of being turned and scaled, and a way of colliding.

    `pixels` is int8 [y, x]; it may be rebound or changed in place at any time. `scale` n > 0 repeats each pixel n
    times, n < 0 divides both sides by 1 - n. `rotation` is clockwise, in degrees: 0, 90, 180 or 270. Higher layers
    are drawn later. Without `interaction`, `visible` and `collidable` decide it.

    ValueError: pixels not two-dimensional, no such rotation, scale 0 or one that does not divide the sides.
    OverflowError: a pixel that does not fit int8.
    """

    VALID_ROTATIONS: ClassVar[set[int]] = {0, 90, 180, 270}

    # What is behind the properties. Only methods of this class write it, and forget what was derived from it.
    # No attribute of a sprite has a default in the class: Python reads those that have one half as fast.
    _raw_pixels: Pixels
    _raw_x: int
    _raw_y: int
    _raw_layer: int
    _raw_scale: int
    _raw_rotation: int
    _raw_mirror_ud: bool
    _raw_mirror_lr: bool
    _raw_interaction: InteractionMode

    # What was derived: None once it may be wrong. The last ones are kept, for they may prove right.
    _valid_look: Look | None
    _last_look: Look | None
    _valid_shown: Shown | None
    _last_shown: Shown | None

    # Whether its class, or the sprite itself, has a say of its own in how it looks, or where it is.
    _has_own_look: bool
    _has_own_place: bool

    def __init__(
        self,
        pixels: list[list[int]] | Pixels,
        name: str | None = None,
        x: int = 0,
        y: int = 0,
        layer: int = 0,
        scale: int = 1,
        rotation: int = 0,
        mirror_ud: bool = False,
        mirror_lr: bool = False,
        blocking: BlockingMode = BlockingMode.PIXEL_PERFECT,
        interaction: InteractionMode | None = None,
        visible: bool = True,
        collidable: bool = True,
        tags: list[str] | None = None,
    ) -> None:
        _prepare(self)
        self._raw_scale, self._raw_rotation = 1, 0
        self.pixels = _as_pixels(pixels)
        self._name = name if name is not None else _new_name()
        self._raw_x = int(x)
        self._raw_y = int(y)
        self._raw_layer = int(layer)
        self._set_rotation(rotation)
        self._raw_mirror_ud = mirror_ud
        self._raw_mirror_lr = mirror_lr
        self._blocking = blocking
        self.set_scale(scale)
        self._raw_interaction = _MODES[bool(visible), bool(collidable)] if interaction is None else interaction
        self._tags: list[str] = [] if tags is None else tags

    def __init_subclass__(cls, **more: Any) -> None:
        super(Sprite, cls).__init_subclass__(**more)  # noqa: UP008 - without names it would need `__class__`
        prepare_early(cls, _prepare)

    def clone(self, new_name: str | None = None) -> Sprite:
        """An independent Sprite that looks, lies and collides like this one."""
        pixels = self.pixels if self._has_own_look else self._raw_pixels
        if not self._is_sound():
            return self._made_anew(pixels, new_name)
        is_narrow = pixels.dtype == np.int8
        twin = Sprite.__new__(Sprite)
        twin._has_own_look = twin._has_own_place = False
        twin._raw_pixels = pixels.copy() if is_narrow else narrowed(pixels)
        twin._valid_look = twin._last_look = self._valid_look if is_narrow else None
        twin._valid_shown = twin._last_shown = None
        twin._name = self._name if new_name is None else new_name
        twin._raw_x = self._raw_x
        twin._raw_y = self._raw_y
        twin._raw_layer = self._raw_layer
        twin._raw_rotation = self.rotation % 360
        twin._raw_mirror_ud = self._raw_mirror_ud
        twin._raw_mirror_lr = self._raw_mirror_lr
        twin._raw_scale = self._raw_scale
        twin._raw_interaction = self._raw_interaction
        twin._blocking = self._blocking
        twin._tags = self._tags.copy()
        return twin

    def _is_sound(self) -> bool:
        """True if all that a constructor converts and judges was left as it is set by our own methods."""
        return (
            type(self._raw_x) is type(self._raw_y) is type(self._raw_layer) is int  # without a call: games clone a lot
            and self._raw_scale > 0
            and self.rotation in self.VALID_ROTATIONS
        )

    def _made_anew(self, pixels: Pixels, new_name: str | None) -> Sprite:
        """A clone judged like any new sprite: whoever wrote values into this one may have written wrong ones."""
        return Sprite(
            pixels=pixels.tolist(),
            name=self._name if new_name is None else new_name,
            x=self._raw_x,
            y=self._raw_y,
            layer=self._raw_layer,
            scale=self._raw_scale,
            rotation=self.rotation,
            mirror_ud=self._raw_mirror_ud,
            mirror_lr=self._raw_mirror_lr,
            blocking=self._blocking,
            interaction=self._raw_interaction,
            tags=self._tags.copy(),
        )

    def __getstate__(self) -> dict[str, Any]:
        # A copy may share the pixels, and then neither of the two can know what is written into them.
        self._valid_look = self._valid_shown = None
        return self.__dict__

    # What it looks like

    @property
    def pixels(self) -> Pixels:
        """The array [y, x] itself: writing into it changes the sprite."""
        self._valid_look = self._valid_shown = None
        return self._raw_pixels

    @pixels.setter
    def pixels(self, pixels: Pixels) -> None:
        self._raw_pixels = pixels
        self._valid_look = self._valid_shown = None

    @noticed_method(_draw_itself)
    def render(self) -> Pixels:
        """A new array [y, x] of the sprite turned, mirrored and scaled."""
        if self._has_own_look:
            turned = (self.rotation, self._raw_mirror_ud, self._raw_mirror_lr, self._raw_scale)
            return look_of(self.pixels, content_of(self.pixels), *turned).pixels.copy()
        return (self._valid_look or self.look()).pixels.copy()

    def look(self) -> Look:
        """What `render` shows, not to be written to; made anew only after something of it has changed."""
        if self._valid_look is not None:
            return self._valid_look
        if self._has_own_look:
            return Look(self.render())
        pixels = self._raw_pixels
        look = self._last_look
        content = (pixels.shape, pixels.tobytes(), pixels.dtype)
        if look is None or look.content != content:
            turned = (self._raw_rotation, self._raw_mirror_ud, self._raw_mirror_lr, self._raw_scale)
            look = self._last_look = look_of(pixels, content, *turned)
        # Others who hold the array may write into it unseen; a view's array belongs to others altogether.
        if getrefcount(pixels) <= _REFERENCES_OF_ONE_HOLDER and pixels.base is None:
            self._valid_look = look
        return look

    def _forget_look(self) -> None:
        self._valid_look = self._last_look = self._valid_shown = None

    def _forget_place(self) -> None:
        self._valid_shown = None
        if not self._has_whole_place():  # where such numbers fail, or how, is not for shortcuts to decide
            self._has_own_place = True

    def _has_whole_place(self) -> bool:
        values = self.__dict__
        return all(type(values.get(name, 0)) is int for name in ("_raw_x", "_raw_y", "_raw_layer"))

    def shown(self) -> Shown:
        """What a camera must know of it: the same object as before, if and only if nothing has changed."""
        if self._valid_shown is not None:
            return self._valid_shown
        is_plain = not self._has_own_place
        mode = self._raw_interaction
        if (mode is _TANGIBLE or mode is _INTANGIBLE) if is_plain else self.is_visible:
            look = self._valid_look or self.look()
            layer, x, y = (self._raw_layer, self._raw_x, self._raw_y) if is_plain else (self.layer, self.x, self.y)
            shown: Shown = (layer, look, x + look.left, y + look.top, x + look.right, y + look.bottom)
            is_plain = is_plain and look is self._valid_look
        else:
            shown = _NOT_SHOWN
        if shown == self._last_shown:
            shown = self._last_shown
        self._last_shown = shown
        if is_plain:
            self._valid_shown = shown
        return shown

    def color_remap(self, old_color: int | None, new_color: int) -> Self:
        """Paint the pixels of `old_color`, or all coloured ones if it is None, with `new_color`."""
        look = self._valid_look
        if look is not None and self._is_upright() and type(new_color) is int and type(old_color) in (int, NoneType):
            look = repainted(look, old_color, new_color)
            self.pixels = look.pixels.copy()
            self._valid_look = self._last_look = look
            return self
        pixels = self.pixels
        chosen = pixels >= 0 if old_color is None else pixels == old_color
        self.pixels = np.where(chosen, new_color, pixels)
        return self

    def _is_upright(self) -> bool:
        """True if what shows are the pixels as they are."""
        return not (self._raw_rotation or self._raw_mirror_ud or self._raw_mirror_lr) and self._raw_scale == 1

    def merge(self, other: Sprite) -> Sprite:
        """A new sprite that shows this one over `other`, on the higher of their layers, with the tags of both."""
        left, top = min(self._x, other._x), min(self._y, other._y)
        ours, theirs = self.look(), other.look()
        right = max(self._x + ours.width, other._x + theirs.width)
        bottom = max(self._y + ours.height, other._y + theirs.height)
        canvas = np.full((bottom - top, right - left), -1, dtype=np.int8)
        for sprite, look in ((other, theirs), (self, ours)):
            x, y = sprite._x - left, sprite._y - top
            region = canvas[y : y + look.height, x : x + look.width]
            np.copyto(region, look.pixels, casting="unsafe", where=True if look.solid is None else look.solid)
        return Sprite(
            pixels=canvas,
            name=self._name,
            x=left,
            y=top,
            layer=max(self._layer, other._layer),
            blocking=_merged_blocking(self._blocking, other._blocking),
            interaction=_merged_interaction(self._interaction, other._interaction),
            tags=list(dict.fromkeys(self._tags + other._tags)),
        )

    # What it bumps into

    def collides_with(self, other: Sprite, ignoreMode: bool = False) -> bool:
        """True if the two overlap: pixel by pixel if either is PIXEL_PERFECT, else by their bounding boxes.

        Never with itself. Unless `ignoreMode`, both must be collidable and neither NOT_BLOCKED.
        """
        if self is other:
            return False
        if not ignoreMode:
            if not (self.is_collidable and other.is_collidable):
                return False
            if self._blocking is _NOT_BLOCKED or other._blocking is _NOT_BLOCKED:
                return False
        dx, dy = other._raw_x - self._raw_x, other._raw_y - self._raw_y
        ours, theirs = self._valid_look or self.look(), other._valid_look or other.look()
        if dx >= ours.width or dy >= ours.height or -dx >= theirs.width or -dy >= theirs.height:
            return False
        if self._blocking is _PIXEL_PERFECT or other._blocking is _PIXEL_PERFECT:
            return ours.touches(theirs, dx, dy)
        return True

    # Reading it

    __class__ = noticed_class(_judge_class)
    _x = noticed("_raw_x", _forget_place)
    _y = noticed("_raw_y", _forget_place)
    _layer = noticed("_raw_layer", _forget_place)
    _interaction = noticed("_raw_interaction", _forget_place)
    _scale = noticed("_raw_scale", _forget_look)
    _mirror_ud = noticed("_raw_mirror_ud", _forget_look)
    _mirror_lr = noticed("_raw_mirror_lr", _forget_look)
    rotation = noticed("_raw_rotation", _forget_look)

    @property
    def name(self) -> str:
        return self._name

    @property
    def x(self) -> int:
        return self._raw_x

    @property
    def y(self) -> int:
        return self._raw_y

    @property
    def width(self) -> int:
        """Columns as drawn."""
        if self._raw_rotation or self._raw_scale != 1 or self._has_own_look:
            return self.look().width
        width: int = self._raw_pixels.shape[1]
        return width

    @property
    def height(self) -> int:
        """Rows as drawn."""
        if self._raw_rotation or self._raw_scale != 1 or self._has_own_look:
            return self.look().height
        height: int = self._raw_pixels.shape[0]
        return height

    @property
    def scale(self) -> int:
        return self._raw_scale

    @property
    def layer(self) -> int:
        return self._raw_layer

    @property
    def mirror_ud(self) -> bool:
        return self._raw_mirror_ud

    @property
    def mirror_lr(self) -> bool:
        return self._raw_mirror_lr

    @property
    def tags(self) -> list[str]:
        """The tags themselves, not a copy: append to add one."""
        return self._tags

    @property
    def blocking(self) -> BlockingMode:
        return self._blocking

    @property
    def interaction(self) -> InteractionMode:
        return self._raw_interaction

    @property
    def is_visible(self) -> bool:
        """True if it is drawn."""
        return self._raw_interaction is _TANGIBLE or self._raw_interaction is _INTANGIBLE

    @property
    def is_collidable(self) -> bool:
        """True if it can be bumped into."""
        return self._raw_interaction is _TANGIBLE or self._raw_interaction is _INVISIBLE

    # Changing it

    def move(self, dx: int, dy: int) -> None:
        self._raw_x += int(dx)
        self._raw_y += int(dy)
        self._valid_shown = None

    def set_position(self, x: int, y: int) -> Self:
        self._raw_x = int(x)
        self._raw_y = int(y)
        self._valid_shown = None
        return self

    def set_name(self, name: str) -> Self:
        if not name:
            raise ValueError(f"Name cannot be empty, got {name!r}")
        self._name = name
        return self

    def set_layer(self, layer: int) -> Self:
        self._raw_layer = int(layer)
        self._valid_shown = None
        return self

    def set_mirror_ud(self, mirror_ud: bool) -> Self:
        self._mirror_ud = mirror_ud
        return self

    def set_mirror_lr(self, mirror_lr: bool) -> Self:
        self._mirror_lr = mirror_lr
        return self

    def _set_rotation(self, rotation: int) -> None:
        try:
            normalized = rotation % 360
        except TypeError:
            raise TypeError(f"Rotation must be a number, got {rotation!r}") from None
        if normalized not in self.VALID_ROTATIONS:
            raise ValueError(f"Rotation must be one of {self.VALID_ROTATIONS}, got {rotation}")
        if normalized != self._raw_rotation or self._has_own_look:
            self.rotation = normalized

    def set_rotation(self, rotation: int) -> Self:
        """Turn it to `rotation` degrees clockwise; ValueError unless a multiple of 90."""
        self._set_rotation(int(rotation))
        return self

    def rotate(self, delta: int) -> Self:
        """Turn it by `delta` degrees clockwise; ValueError unless that is a multiple of 90."""
        if (self.rotation + delta) % 90:
            raise ValueError(f"Rotation must be one of {self.VALID_ROTATIONS}, got {self.rotation} rotated by {delta}")
        self._set_rotation((self.rotation + delta) % 360)
        return self

    def set_scale(self, scale: int) -> Self:
        """Scale it: n > 0 times n, n < 0 divided by 1 - n; ValueError for 0 or where the sides do not divide."""
        whole = int(scale)
        if whole == 0:
            raise ValueError(f"Scale cannot be zero, got {scale!r}")
        if whole < 0:
            check_divides(self.pixels, 1 - whole)
        if whole != self._raw_scale or self._has_own_look:
            self._scale = whole
        return self

    def adjust_scale(self, delta: int) -> None:
        """Change the scale by `delta` in steps of one, each of them valid (ValueError), 0 being left out."""
        step = 1 if delta > 0 else -1
        target = self._scale + delta
        if target == 0 and delta > 0:
            raise ValueError(f"Scale cannot be zero, got {self._scale} adjusted by {delta}")
        while self._scale != target:
            self.set_scale(self._scale + step or step)

    def set_blocking(self, blocking: BlockingMode) -> Self:
        if not isinstance(blocking, BlockingMode):
            raise ValueError(f"blocking must be a BlockingMode enum value, got {blocking!r}")
        self._blocking = blocking
        return self

    def set_interaction(self, interaction: InteractionMode) -> Self:
        if not isinstance(interaction, InteractionMode):
            raise ValueError(f"interaction must be an InteractionMode enum value, got {interaction!r}")
        self._raw_interaction = interaction
        self._valid_shown = None
        return self

    def set_visible(self, visible: bool) -> Self:
        self._raw_interaction = _MODES[bool(visible), bool(self.is_collidable)]
        self._valid_shown = None
        return self

    def set_collidable(self, collidable: bool) -> Self:
        self._raw_interaction = _MODES[bool(self.is_visible), bool(collidable)]
        self._valid_shown = None
        return self


def _as_pixels(pixels: list[list[int]] | Pixels) -> Pixels:
    """`pixels` as int8 [y, x]; an int8 array is used as it is, not copied."""
    if isinstance(pixels, np.ndarray):
        array = pixels.astype(np.int8, copy=False)
    elif isinstance(pixels, list) and all(isinstance(row, list) for row in pixels):
        if len(widths := {len(row) for row in pixels}) > 1:
            raise ValueError(f"Pixels must be rows of one length, got rows of {sorted(widths)} pixels")
        array = np.array(pixels, dtype=np.int8)
    else:
        raise ValueError(f"Pixels must be a 2D list or a 2D numpy array, got {reprlib.repr(pixels)}")
    if array.ndim != 2:
        raise ValueError(f"Pixels must be a 2D array, got shape {array.shape}")
    return array


def _merged_blocking(over: BlockingMode, under: BlockingMode) -> BlockingMode:
    """The stricter of the two, whichever sprite it comes from."""
    return max(over, under, key=lambda mode: mode.value)


def _merged_interaction(over: InteractionMode, under: InteractionMode) -> InteractionMode:
    """The upper sprite's mode, unless the lower one makes the whole tangible or the upper one is removed."""
    if over is _REMOVED:
        return under
    return _TANGIBLE if under is _TANGIBLE else over
