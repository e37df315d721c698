"""Sprites: the pictures that a level is made of, where they are, and what they bump into."""

from __future__ import annotations

import itertools
import uuid
from enum import Enum, auto
from typing import Any, ClassVar, Self

import numpy as np

from engine.looks import Look, Pixels, check_divides, enlarge, shrink, turn


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

# Names of nameless sprites: unique, and in the order of creation, so that nothing depends on chance.
_serial_numbers = itertools.count(1)


# What says where a sprite is, and whether: cameras and levels read what is behind these unless a class has its own.
_PLACE = ("is_visible", "is_collidable", "layer", "x", "y", "width", "height")


class Sprite:
    """A picture with a place, a layer, a way of being turned and scaled, and a way of colliding.

    `pixels` is int8 [y, x]; it may be rebound or changed in place at any time. `scale` n > 0 repeats each pixel n
    times, n < 0 divides both sides by 1 - n. `rotation` is clockwise, in degrees: 0, 90, 180 or 270. Higher layers
    are drawn later. Without `interaction`, `visible` and `collidable` decide it.

    ValueError: pixels not two-dimensional, no such rotation, scale 0 or one that does not divide the sides.
    OverflowError: a pixel that does not fit int8.
    """

    VALID_ROTATIONS: ClassVar[set[int]] = {0, 90, 180, 270}

    rotation: int
    _look: Look | None = None  # the last one
    _pixels: Pixels
    _is_shared = True  # whether a game may hold `_pixels` too, and so write into it without telling anyone
    _has_own_render: ClassVar[bool] = False
    _has_own_place: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._has_own_render = cls.render is not Sprite.render
        cls._has_own_place = any(getattr(cls, name) is not getattr(Sprite, name) for name in _PLACE)

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
        self._pixels = _as_pixels(pixels)
        self._is_shared = self._pixels is pixels
        self._name = name if name is not None else str(uuid.UUID(int=next(_serial_numbers)))
        self._x = int(x)
        self._y = int(y)
        self._layer = int(layer)
        self._set_rotation(rotation)
        self._mirror_ud = mirror_ud
        self._mirror_lr = mirror_lr
        self._blocking = blocking
        self._scale: int
        self.set_scale(scale)
        self._interaction = _MODES[bool(visible), bool(collidable)] if interaction is None else interaction
        self._tags: list[str] = [] if tags is None else tags

    def clone(self, new_name: str | None = None) -> Sprite:
        """An independent Sprite that looks, lies and collides like this one."""
        pixels = self._pixels
        if pixels.dtype != np.int8:
            pixels = np.array(pixels.tolist(), dtype=np.int8)  # OverflowError for what int8 cannot hold
        twin = Sprite(
            pixels=pixels.copy(),
            name=new_name if new_name is not None else self._name,
            x=self._x,
            y=self._y,
            scale=self._scale,
            rotation=self.rotation,
            mirror_ud=self._mirror_ud,
            mirror_lr=self._mirror_lr,
            blocking=self._blocking,
            layer=self._layer,
            interaction=self._interaction,
            tags=self._tags.copy(),
        )
        twin._is_shared = False  # the copy is the twin's alone
        if pixels is self._pixels and not self._is_shared:  # the twin's array has the same content and type
            twin._look = self._look
        return twin

    def __copy__(self) -> Self:
        """A copy that has the same array: what is written into one shows in both."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        self._is_shared = twin._is_shared = True
        return twin

    # What it looks like

    @property
    def pixels(self) -> Pixels:
        """The array [y, x] itself: writing into it changes the sprite."""
        self._is_shared = True
        return self._pixels

    @pixels.setter
    def pixels(self, pixels: Pixels) -> None:
        self._pixels = pixels
        self._is_shared = True

    def render(self) -> Pixels:
        """A new array [y, x] of the sprite turned, mirrored and scaled."""
        pixels = self._pixels
        if self.rotation != 0 or self._mirror_ud or self._mirror_lr or self._scale != 1:
            pixels = self._current_look().pixels
        return pixels.copy()

    def look(self) -> Look:
        """What `render` shows, not to be written to; made anew only after something of it has changed."""
        if self._has_own_render or "render" in self.__dict__:
            return Look(self.render())
        look = self._look
        turned = (self._scale, self.rotation, self._mirror_ud, self._mirror_lr)
        if look is not None and look.turned == turned and not self._is_shared:  # nearly always
            return look
        return self._current_look()

    def _extent(self) -> tuple[int, int]:
        """Width and height as drawn, found without drawing where that can be."""
        scale = self._scale
        if scale < 1 or self._has_own_render or "render" in self.__dict__:
            look = self.look()
            return look.width, look.height
        height, width = self._pixels.shape
        if self.rotation in (0, 180):
            return width * scale, height * scale
        if self.rotation in (90, 270):
            return height * scale, width * scale
        look = self._current_look()  # a rotation that a game has written by hand
        return look.width, look.height

    def _current_look(self) -> Look:
        pixels, look = self._pixels, self._look
        turned = (self._scale, self.rotation, self._mirror_ud, self._mirror_lr)
        # The bytes stand for the content of an array that a game may have written into.
        content = (pixels.tobytes(), pixels.shape, pixels.dtype) if self._is_shared else None
        if look is not None and look.turned == turned and look.content == content:
            return look
        shown = turn(pixels, self.rotation, self._mirror_ud, self._mirror_lr)
        if self._scale > 1:
            shown = enlarge(shown, self._scale)
        elif self._scale != 1:
            shown = shrink(shown, 1 - self._scale)
        else:
            shown = shown.copy()
        self._look = Look(shown, turned, content)
        return self._look

    def color_remap(self, old_color: int | None, new_color: int) -> Self:
        """Paint the pixels of `old_color`, or all coloured ones if it is None, with `new_color`."""
        chosen = self._pixels >= 0 if old_color is None else self._pixels == old_color
        self._pixels = np.where(chosen, new_color, self._pixels)
        self._is_shared, self._look = False, None
        return self

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
            np.copyto(region, look.pixels, casting="unsafe", where=look.solid)
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
        dx, dy = other._x - self._x, other._y - self._y
        width, height = self._extent()
        other_width, other_height = other._extent()
        if dx >= width or dy >= height or dx <= -other_width or dy <= -other_height:
            return False
        if self._blocking is _PIXEL_PERFECT or other._blocking is _PIXEL_PERFECT:
            return self.look().touches(other.look(), dx, dy)
        return True

    # Reading it

    @property
    def name(self) -> str:
        return self._name

    @property
    def x(self) -> int:
        return self._x

    @property
    def y(self) -> int:
        return self._y

    @property
    def width(self) -> int:
        """Columns as drawn."""
        return int(self._extent()[0])

    @property
    def height(self) -> int:
        """Rows as drawn."""
        return int(self._extent()[1])

    @property
    def scale(self) -> int:
        return self._scale

    @property
    def layer(self) -> int:
        return self._layer

    @property
    def mirror_ud(self) -> bool:
        return self._mirror_ud

    @property
    def mirror_lr(self) -> bool:
        return self._mirror_lr

    @property
    def tags(self) -> list[str]:
        """The tags themselves, not a copy: append to add one."""
        return self._tags

    @property
    def blocking(self) -> BlockingMode:
        return self._blocking

    @property
    def interaction(self) -> InteractionMode:
        return self._interaction

    @property
    def is_visible(self) -> bool:
        """True if it is drawn."""
        return self._interaction is _TANGIBLE or self._interaction is _INTANGIBLE

    @property
    def is_collidable(self) -> bool:
        """True if it can be bumped into."""
        return self._interaction is _TANGIBLE or self._interaction is _INVISIBLE

    # Changing it

    def move(self, dx: int, dy: int) -> None:
        self._x += int(dx)
        self._y += int(dy)

    def set_position(self, x: int, y: int) -> Self:
        self._x = int(x)
        self._y = int(y)
        return self

    def set_name(self, name: str) -> Self:
        if not name:
            raise ValueError(f"Name cannot be empty, got {name!r}")
        self._name = name
        return self

    def set_layer(self, layer: int) -> Self:
        self._layer = int(layer)
        return self

    def set_mirror_ud(self, mirror_ud: bool) -> Self:
        self._mirror_ud = mirror_ud
        return self

    def set_mirror_lr(self, mirror_lr: bool) -> Self:
        self._mirror_lr = mirror_lr
        return self

    def _set_rotation(self, rotation: int) -> None:
        normalized = rotation % 360
        if normalized not in self.VALID_ROTATIONS:
            raise ValueError(f"Rotation must be one of {self.VALID_ROTATIONS}, got {rotation}")
        self.rotation = normalized

    def set_rotation(self, rotation: int) -> Self:
        """Turn it to `rotation` degrees clockwise; ValueError unless a multiple of 90."""
        self._set_rotation(int(rotation))
        return self

    def rotate(self, delta: int) -> Self:
        """Turn it by `delta` degrees clockwise; ValueError unless that is a multiple of 90."""
        self._set_rotation((self.rotation + delta) % 360)
        return self

    def set_scale(self, scale: int) -> Self:
        """Scale it: n > 0 times n, n < 0 divided by 1 - n; ValueError for 0 or where the sides do not divide."""
        whole = int(scale)
        if whole == 0:
            raise ValueError(f"Scale cannot be zero, got {scale!r}")
        if whole < 0:
            check_divides(self._pixels, 1 - whole)
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
        self._interaction = interaction
        return self

    def set_visible(self, visible: bool) -> Self:
        self._interaction = _MODES[bool(visible), bool(self.is_collidable)]
        return self

    def set_collidable(self, collidable: bool) -> Self:
        self._interaction = _MODES[bool(self.is_visible), bool(collidable)]
        return self


def _as_pixels(pixels: list[list[int]] | Pixels) -> Pixels:
    """`pixels` as int8 [y, x]; an int8 array is used as it is, not copied."""
    if isinstance(pixels, np.ndarray):
        array = pixels.astype(np.int8, copy=False)
    elif isinstance(pixels, list) and all(isinstance(row, list) for row in pixels):
        array = np.array(pixels, dtype=np.int8)
    else:
        raise ValueError(f"Pixels must be a 2D list or a 2D numpy array, got {type(pixels).__name__}")
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
