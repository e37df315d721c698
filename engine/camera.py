"""The camera: what part of a level is seen, and how it becomes a 64x64 frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np

from engine.displays import RenderableUserDisplay
from engine.looks import Pixels
from engine.sprites import Shown, Sprite

_by_layer = itemgetter(0)

# What is drawn in parts; a class with one of these of its own draws the whole, anew each time.
_DRAWING = ("_raw_render", "_calculate_scale_and_offset")

_MAX_BOXES = 4

type Box = tuple[int, int, int, int]
"""Left, top, right and bottom in the level; right and bottom are outside."""


@dataclass(slots=True)
class _Drawn:
    """The last view, and all that it was made from."""

    setting: tuple[int, ...]
    shown: list[Shown]
    view: Pixels
    frame: Pixels | None = None  # the view enlarged, once that was asked for


def _changed(was: list[Shown], now: list[Shown]) -> list[Shown] | None:
    """What is in one of the lists only; None where what is in both is in another order."""
    if len(was) == len(now):
        return [one for pair in zip(was, now, strict=True) if pair[0] is not pair[1] for one in pair]
    was, now = ([one for one in shown if one[1] is not None] for shown in (was, now))
    before, after = set(map(id, was)), set(map(id, now))
    if [id(one) for one in was if id(one) in after] != [id(one) for one in now if id(one) in before]:
        return None
    return [one for one in was if id(one) not in after] + [one for one in now if id(one) not in before]


def _boxes(shown: list[Shown]) -> list[Box]:
    """A few boxes that hold all these: near ones share a box, far ones do not."""
    boxes: list[Box] = []
    for _, look, left, top, right, bottom in shown:
        if look is None:
            continue
        near = len(boxes) - 1 if len(boxes) == _MAX_BOXES else len(boxes)
        for index, box in enumerate(boxes):
            if left <= box[2] and top <= box[3] and right >= box[0] and bottom >= box[1]:
                near = index
                break
        if near < len(boxes):
            box = boxes[near]
            boxes[near] = min(left, box[0]), min(top, box[1]), max(right, box[2]), max(bottom, box[3])
        else:
            boxes.append((left, top, right, bottom))
    return boxes


class Camera:
    """A view of `width` x `height` cells whose top left corner is at (x, y) of the level.

    The view is enlarged by the greatest whole factor that fits 64x64 and centred; `letter_box` fills the rest,
    `background` the cells where nothing lies. `interfaces` then draw on the frame, in order.
    ValueError: a side above 64, or below 0 on construction.
    """

    MAX_DIMENSION = 64

    _last: _Drawn | None = None
    _border: tuple[int, Pixels] | None = None  # a colour, and a frame of nothing else
    _has_own_drawing: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._has_own_drawing = any(getattr(cls, name) is not getattr(Camera, name) for name in _DRAWING)

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
        if self._has_own_drawing or "_raw_render" in self.__dict__:
            frame = self._enlarged(self._raw_render(sprites))
        else:
            drawn = self._draw(sprites)
            if drawn.frame is None:
                drawn.frame = self._enlarged(drawn.view)
            frame = drawn.frame.copy()
        for interface in self._interfaces:
            frame = interface.render_interface(frame)
        return frame

    def _enlarged(self, view: Pixels) -> Pixels:
        """A new frame int8 [64, 64] with the view in it."""
        size = self.MAX_DIMENSION
        scale, left, top = self._calculate_scale_and_offset()
        height, width = view.shape
        if self._border is None or self._border[0] is not self._letter_box:
            self._border = self._letter_box, np.full((size, size), self._letter_box, dtype=np.int8)
        if (height, width) == (size, size):
            return view.copy()
        frame = self._border[1].copy()
        if scale > 1:
            bands = frame[top : top + height * scale].reshape(height, scale, size)
            bands[:, :, left : left + width * scale] = view.repeat(scale, axis=1)[:, np.newaxis]
        else:
            frame[top : top + height, left : left + width] = view
        return frame

    def _raw_render(self, sprites: list[Sprite]) -> Pixels:
        """A new view int8 [height, width]: the visible sprites in the order of their layers."""
        return self._draw(sprites).view.copy()

    def _draw(self, sprites: list[Sprite]) -> _Drawn:
        """The view, drawn anew only where something changed: a game moves few of its sprites at once."""
        left, top, width, height = self._x, self._y, self._width, self._height
        setting = (left, top, width, height, self._background, self._letter_box)
        shown = [sprite._shown or sprite.shown() for sprite in sprites]
        last, self._last = self._last, None  # a sprite that cannot be drawn leaves half a view
        changed = _changed(last.shown, shown) if last is not None and last.setting == setting else None
        if last is None or changed is None:
            if width < 0 or height < 0:
                raise ValueError(f"Camera dimensions must be positive, got {width}x{height}")
            drawn = _Drawn(setting, shown, np.full((height, width), self._background, dtype=np.int8))
            boxes = [(left, top, left + width, top + height)]
        else:
            drawn, boxes = last, _boxes(changed)
        if boxes:
            drawn.frame = None
            for box in boxes:
                self._draw_box(drawn.view, shown, box)
        drawn.shown = shown
        self._last = drawn
        return drawn

    def _draw_box(self, view: Pixels, shown: list[Shown], box: Box) -> None:
        """Draw what lies in one part of the view."""
        left, top = max(box[0], self._x), max(box[1], self._y)
        right, bottom = min(box[2], self._x + self._width), min(box[3], self._y + self._height)
        if left >= right or top >= bottom:
            return
        part = view[top - self._y : bottom - self._y, left - self._x : right - self._x]
        part.fill(self._background)
        inside = [one for one in shown if one[2] < right and one[3] < bottom and one[4] > left and one[5] > top]
        inside.sort(key=_by_layer)
        for _, look, x, y, _, _ in inside:
            if look is not None:
                look.draw_on(part, x - left, y - top, right - left, bottom - top)

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
