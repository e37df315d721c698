"""The camera: what part of a level is seen, and how it becomes a 64x64 frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from engine.displays import RenderableUserDisplay
from engine.looks import Look, Pixels
from engine.sprites import InteractionMode, Sprite

_by_layer = itemgetter(0)
_TANGIBLE, _INTANGIBLE = InteractionMode.TANGIBLE, InteractionMode.INTANGIBLE

type Shown = tuple[Look, int, int]  # and the column and row in the view where its top left corner lies


@dataclass(slots=True)
class _Composed:
    """The last view, and all that it was made from."""

    ground: tuple[int, int, int]
    shown: list[Shown]
    view: Pixels


def _around(shown: list[Shown], width: int, height: int) -> tuple[int, int, int, int]:
    """The smallest rectangle (left, top, right, bottom) of the view that holds all these."""
    return (
        max(0, min(x for _, x, _ in shown)),
        max(0, min(y for _, _, y in shown)),
        min(width, max(x + look.width for look, x, _ in shown)),
        min(height, max(y + look.height for look, _, y in shown)),
    )


def _draw(shown: list[Shown], part: Pixels, left: int, top: int) -> None:
    """Draw what falls into a part of the view that begins at column `left` and row `top`."""
    height, width = part.shape
    for look, x, y in shown:
        column, row = x - left, y - top
        if column < width and row < height and column + look.width > 0 and row + look.height > 0:
            look.draw_on(part, column, row, width, height)


class Camera:
    """A view of `width` x `height` cells whose top left corner is at (x, y) of the level.

    The view is enlarged by the greatest whole factor that fits 64x64 and centred; `letter_box` fills the rest,
    `background` the cells where nothing lies. `interfaces` then draw on the frame, in order.
    ValueError: a side above 64, or below 0 on construction.
    """

    MAX_DIMENSION = 64

    _last: _Composed | None = None

    def __init__(
        self,
        x: int = 0,
        y: int = 0,
        width: int = 64,
        height: int = 64,
        background: int = 5,
        letter_box: int = 5,
        interfaces: Sequence[RenderableUserDisplay] | None = None,
    ) -> None:
        if width > 64 or height > 64 or width < 0 or height < 0:
            raise ValueError(f"Camera dimensions cannot exceed 64x64 pixels and must be positive, got {width}x{height}")
        self._x = x
        self._y = y
        self._width: int
        self._height: int
        self.width = width
        self.height = height
        self._background = background
        self._letter_box = letter_box
        self._interfaces: list[RenderableUserDisplay] = list(interfaces or ())

    @property
    def x(self) -> int:
        return self._x

    @x.setter
    def x(self, value: int) -> None:
        self._x = int(value)

    @property
    def y(self) -> int:
        return self._y

    @y.setter
    def y(self, value: int) -> None:
        self._y = int(value)

    @property
    def width(self) -> int:
        return self._width

    @width.setter
    def width(self, value: int) -> None:
        self._width = self._side(value, "Width")

    @property
    def height(self) -> int:
        return self._height

    @height.setter
    def height(self, value: int) -> None:
        self._height = self._side(value, "Height")

    def _side(self, value: int, side: str) -> int:
        whole = int(value)
        if whole > self.MAX_DIMENSION:
            raise ValueError(f"{side} cannot exceed {self.MAX_DIMENSION} pixels, got {value}")
        return whole

    @property
    def background(self) -> int:
        return self._background

    @background.setter
    def background(self, value: int) -> None:
        self._background = value

    @property
    def letter_box(self) -> int:
        return self._letter_box

    @letter_box.setter
    def letter_box(self, value: int) -> None:
        self._letter_box = value

    def resize(self, width: int, height: int) -> None:
        self.width = width
        self.height = height

    def move(self, dx: int, dy: int) -> None:
        self._x += int(dx)
        self._y += int(dy)

    def replace_interface(self, new_interfaces: Sequence[RenderableUserDisplay]) -> None:
        """Draw these interfaces from now on, and no others. They are not cloned."""
        self._interfaces = list(new_interfaces or ())

    def render(self, sprites: list[Sprite]) -> Pixels:
        """A new frame int8 [64, 64]: the view enlarged and centred, with the interfaces on it."""
        frame = self._enlarged(self._raw_render(sprites))
        for interface in self._interfaces:
            frame = interface.render_interface(frame)
        return frame

    def _enlarged(self, view: Pixels) -> Pixels:
        """A new frame int8 [64, 64] with the view in it."""
        size = self.MAX_DIMENSION
        frame = np.full((size, size), self._letter_box, dtype=np.int8)
        scale, left, top = self._calculate_scale_and_offset()
        height, width = view.shape
        if scale > 1:
            bands = frame[top : top + height * scale].reshape(height, scale, size)
            bands[:, :, left : left + width * scale] = view.repeat(scale, axis=1)[:, np.newaxis]
        else:
            frame[top : top + height, left : left + width] = view
        return frame

    def _raw_render(self, sprites: list[Sprite]) -> Pixels:
        """A new view int8 [height, width]: the visible sprites in the order of their layers."""
        ground = (self._width, self._height, self._background)
        shown = self._shown(sprites)
        last, self._last = self._last, None  # a sprite that cannot be drawn leaves half a view
        if last is None or last.ground != ground or len(last.shown) != len(shown):
            view = np.full((self._height, self._width), self._background, dtype=np.int8)
            _draw(shown, view, 0, 0)
        elif last.shown == shown:
            view = last.view
        else:
            # Only where something changed is drawn anew: a game moves few of its sprites at once.
            changed = [pair for pair in zip(last.shown, shown, strict=True) if pair[0] != pair[1]]
            left, top, right, bottom = _around([one for pair in changed for one in pair], self._width, self._height)
            view = last.view
            if left < right and top < bottom:
                part = view[top:bottom, left:right]
                part[...] = self._background
                _draw(shown, part, left, top)
        self._last = _Composed(ground, shown, view)
        return view.copy()

    def _shown(self, sprites: list[Sprite]) -> list[Shown]:
        """The looks to draw, in their order, and where in the view."""
        left, top = self._x, self._y
        found: list[tuple[int, Look, int, int]] = []
        for sprite in sprites:
            if sprite._has_own_place:
                if sprite.is_visible:
                    found.append((sprite.layer, sprite.look(), sprite.x - left, sprite.y - top))
            elif sprite._interaction is _TANGIBLE or sprite._interaction is _INTANGIBLE:
                found.append((sprite._layer, sprite.look(), sprite._x - left, sprite._y - top))
        found.sort(key=_by_layer)
        return [each[1:] for each in found]

    def _calculate_scale_and_offset(self) -> tuple[int, int, int]:
        """The factor by which the view is enlarged, and the frame's column and row where it begins."""
        scale = min(self.MAX_DIMENSION // self._width, self.MAX_DIMENSION // self._height)
        left = (self.MAX_DIMENSION - self._width * scale) // 2
        top = (self.MAX_DIMENSION - self._height * scale) // 2
        return scale, left, top

    def display_to_grid(self, display_x: int, display_y: int) -> tuple[int, int] | None:
        """The level's cell (x, y) under a cell of the frame, None for a cell of the letter box."""
        scale = min(int(64 / self.width), int(64 / self.height))
        left = int((64 - self.width * scale) / 2)
        top = int((64 - self.height * scale) / 2)
        if display_x < left or display_y < top:
            return None
        column, row = int((display_x - left) / scale), int((display_y - top) / scale)
        if column >= self.width or row >= self.height:
            return None
        return column + self.x, row + self.y
