"""The camera: what part of a level is seen, and how it becomes a 64x64 frame."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import numpy as np

from engine.displays import RenderableUserDisplay
from engine.looks import Pixels
from engine.sprites import Sprite

_by_layer = attrgetter("layer")


class Camera:
    """A view of `width` x `height` cells whose top left corner is at (x, y) of the level.

    The view is enlarged by the greatest whole factor that fits 64x64 and centred; `letter_box` fills the rest,
    `background` the cells where nothing lies. `interfaces` then draw on the frame, in order.
    ValueError: a side above 64, or below 0 on construction.
    """

    MAX_DIMENSION = 64

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
        size = self.MAX_DIMENSION
        frame = np.full((size, size), self._letter_box, dtype=np.int8)
        view = self._raw_render(sprites)
        scale, left, top = self._calculate_scale_and_offset()
        height, width = view.shape
        if scale > 1:
            bands = frame[top : top + height * scale].reshape(height, scale, size)
            bands[:, :, left : left + width * scale] = view.repeat(scale, axis=1)[:, np.newaxis]
        else:
            frame[top : top + height, left : left + width] = view
        for interface in self._interfaces:
            frame = interface.render_interface(frame)
        return frame

    def _raw_render(self, sprites: list[Sprite]) -> Pixels:
        """A new view int8 [height, width]: the visible sprites in the order of their layers."""
        view = np.full((self._height, self._width), self._background, dtype=np.int8)
        for sprite in sorted([sprite for sprite in sprites if sprite.is_visible], key=_by_layer):
            sprite.look().draw_on(view, sprite.x - self._x, sprite.y - self._y, self._width, self._height)
        return view

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
