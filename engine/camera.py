"""The camera: what part of a level is seen, and how it becomes a 64x64 frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from engine.displays import RenderableUserDisplay
from engine.looks import Pixels
from engine.noticing import is_changed, noticed_class, noticed_method, prepare_early
from engine.sprites import Shown, Sprite

_by_layer = itemgetter(0)

# What is drawn in parts; a class with one of these of its own draws the whole, anew each time.
_DRAWING = ("_raw_render", "_calculate_scale_and_offset")

_MAX_BOXES = 4
_NEAR = 12  # cells between two boxes: drawing some cells more is cheaper than drawing a box more

type Box = tuple[int, int, int, int]
"""Left, top, right and bottom in the level; right and bottom are outside."""


class _View:
    """What a camera shows: the part of the level, and what it was drawn from."""

    __slots__ = ("bands", "frame", "pixels", "scale", "setting", "shown")

    def __init__(self, setting: tuple[int, ...], shown: list[Shown]) -> None:
        self.setting = setting
        self.shown = shown
        _, _, width, height, background, _ = setting
        if width < 0 or height < 0:
            raise ValueError(f"Camera dimensions must be positive, got {width}x{height}")
        self.pixels = np.full((height, width), background, dtype=np.int8)
        self.frame: Pixels | None = None  # the view enlarged, once that was asked for
        self.scale: int
        self.bands: Pixels  # of the frame: [row of the view, row in that row, column of the frame]

    def enlarge_into(self, frame: Pixels, scale: int, left: int, top: int) -> Pixels:
        """Keep this frame up to date, too, from now on; gives it back."""
        self.bands = _enlarge(self.pixels, frame, scale, left, top)
        self.frame, self.scale = frame, scale
        return frame

    def update(self, shown: list[Shown]) -> bool:
        """Draw anew only what differs; False if all of it must be."""
        if self.shown == shown:
            return True
        changed = _changed(self.shown, shown)
        if changed is None:
            return False
        self.shown = shown
        for box in _boxes(changed):
            self.draw(box)
        return True

    def draw(self, box: Box) -> None:
        """Draw what lies in one part of the level."""
        x, y, width, height, background, _ = self.setting
        left, top, right, bottom = box
        left, top = (left if left > x else x), (top if top > y else y)
        right = right if right < x + width else x + width
        bottom = bottom if bottom < y + height else y + height
        if left >= right or top >= bottom:
            return
        part = self.pixels[top - y : bottom - y, left - x : right - x]
        part.fill(background)
        inside = [one for one in self.shown if one[2] < right and one[3] < bottom and one[4] > left and one[5] > top]
        inside.sort(key=_by_layer)
        for _, look, column, row, _, _ in inside:
            if look is not None:
                look.draw_on(part, column - left, row - top, right - left, bottom - top)
        if self.frame is not None:
            scale = self.scale
            wide = part if scale == 1 else part.repeat(scale, axis=1)
            self.bands[top - y : bottom - y, :, (left - x) * scale : (right - x) * scale] = wide[:, np.newaxis]


def _enlarge(view: Pixels, frame: Pixels, scale: int, left: int, top: int) -> Pixels:
    """Draw the view on the frame, `scale` times as large; gives its place there as [row, row in the row, column]."""
    height, width = view.shape
    bands = frame[top : top + height * scale].reshape(height, scale, -1)[:, :, left : left + width * scale]
    bands[...] = view.repeat(scale, axis=1)[:, np.newaxis]
    return bands


def _changed(was: list[Shown], now: list[Shown]) -> list[Shown] | None:
    """What is in one of the lists only; None where what is in both is in another order."""
    if len(was) == len(now):
        changed: list[Shown] = []
        for one, other in zip(was, now, strict=True):
            if one is not other:
                changed += one, other
        return changed
    start = _count_equal(was, now)
    was, now = was[start:], now[start:]
    end = _count_equal(reversed(was), reversed(now))
    was, now = ([one for one in shown[: len(shown) - end] if one[1] is not None] for shown in (was, now))
    before, after = set(map(id, was)), set(map(id, now))
    if [id(one) for one in was if id(one) in after] != [id(one) for one in now if id(one) in before]:
        return None
    return [one for one in was if id(one) not in after] + [one for one in now if id(one) not in before]


def _count_equal(was: Iterable[Shown], now: Iterable[Shown]) -> int:
    """How many are the same before the first that is not."""
    count = 0
    for one, other in zip(was, now, strict=False):
        if one is not other:
            break
        count += 1
    return count


def _boxes(shown: list[Shown]) -> list[Box]:
    """A few boxes that hold all these: near ones share a box, far ones do not."""
    boxes: list[Box] = []
    for _, look, left, top, right, bottom in shown:
        if look is None:
            continue
        for near, (x, y, x_end, y_end) in enumerate(boxes):  # noqa: B007 - used after it
            if left - x_end <= _NEAR and top - y_end <= _NEAR and x - right <= _NEAR and y - bottom <= _NEAR:
                break
        else:
            if len(boxes) < _MAX_BOXES:
                boxes.append((left, top, right, bottom))
                continue
        boxes[near] = (  # without min and max, which take longer than all the rest
            left if left < x else x,
            top if top < y else y,
            right if right > x_end else x_end,
            bottom if bottom > y_end else y_end,
        )
    return boxes


def _draw_itself(camera: Camera) -> None:
    camera._has_own_drawing = True


def _prepare(camera: Camera) -> None:
    camera._has_own_drawing = is_changed(type(camera), Camera, _DRAWING)
    camera._last_view = None
    camera._border = None, np.empty((0, 0), dtype=np.int8)


def _judge_class(camera: Camera) -> None:
    camera._has_own_drawing |= is_changed(type(camera), Camera, _DRAWING)


class Camera:
    """A view of `width` x `height` cells whose top left corner is at (x, y) of the level.

    The view is enlarged by the greatest whole factor that fits 64x64 and centred; `letter_box` fills the rest,
    `background` the cells where nothing lies. `interfaces` then draw on the frame, in order.
    ValueError: a side above 64, or below 0 on construction.
    """

    MAX_DIMENSION = 64
    __class__ = noticed_class(_judge_class)

    _has_own_drawing: bool
    _last_view: _View | None
    _border: tuple[int | None, Pixels]  # a colour, and a frame of it

    def __init_subclass__(cls, **more: Any) -> None:
        super(Camera, cls).__init_subclass__(**more)  # noqa: UP008 - without names it would need `__class__`
        prepare_early(cls, _prepare)

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
        _prepare(self)
        self._x = x
        self._y = y
        self._width: int
        self._height: int
        self.width = width
        self.height = height
        self._background = background
        self._letter_box = letter_box
        self._interfaces: list[RenderableUserDisplay] = list(interfaces or ())

    def __getstate__(self) -> dict[str, Any]:
        # A copy draws anew: the parts of a view share memory, which their copies would not.
        return {**self.__dict__, "_last_view": None}

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
        border = self._empty_frame()
        if self._has_own_drawing:
            frame = border.copy()
            _enlarge(self._raw_render(sprites), frame, *self._calculate_scale_and_offset())
        else:
            view = self._view_of(sprites)
            whole = view.frame
            if whole is None:
                whole = view.enlarge_into(border.copy(), *self._calculate_scale_and_offset())
            frame = whole.copy()
        for interface in self._interfaces:
            frame = interface.render_interface(frame)
        return frame

    def _empty_frame(self) -> Pixels:
        """A frame of nothing but letter box; not to be written to."""
        colour, frame = self._border
        if colour is not self._letter_box:
            frame = np.full((self.MAX_DIMENSION, self.MAX_DIMENSION), self._letter_box, dtype=np.int8)
            self._border = self._letter_box, frame
        return frame

    @noticed_method(_draw_itself)
    def _raw_render(self, sprites: list[Sprite]) -> Pixels:
        """A new view int8 [height, width]: the visible sprites in the order of their layers."""
        return self._view_of(sprites).pixels.copy()

    def _view_of(self, sprites: list[Sprite]) -> _View:
        """The last view, brought up to date: a game moves few of its sprites at once."""
        setting = (self._x, self._y, self._width, self._height, self._background, self._letter_box)
        shown = [sprite._valid_shown or sprite.shown() for sprite in sprites]
        view, self._last_view = self._last_view, None  # a sprite that cannot be drawn leaves half a view
        if view is None or view.setting != setting or not view.update(shown):
            view = _View(setting, shown)
            x, y, width, height, _, _ = setting
            view.draw((x, y, x + width, y + height))
        self._last_view = view
        return view

    @noticed_method(_draw_itself)
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
