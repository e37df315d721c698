"""How a sprite looks once turned, mirrored and scaled; and the arithmetic of drawing one array on another."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[Any]
"""Palette indices [y, x], int8 unless a game rebinds them: 0..15 a colour, -1 nothing, -2 nothing but solid."""

type Content = tuple[tuple[int, ...], bytes, np.dtype[Any]]
"""Shape, bytes and type of an array at one moment, asked in this order: the error of what is no array names `shape`."""


def content_of(pixels: Pixels) -> Content:
    return pixels.shape, pixels.tobytes(), pixels.dtype


_MAX_REMEMBERED = 1024  # bytes; looking up a larger one takes as long as making it


class Look:
    """A sprite's appearance at one moment. Never changes, so that any number of sprites and frames may share it.

    `content` is that of the array which it shows, as it was: with another content the array needs another look.
    `picture` is the part of `pixels` that is drawn, from `left` and `top` to `right` and `bottom` (outside).
    """

    def __init__(self, pixels: Pixels, content: Content | None = None) -> None:
        self.pixels = pixels
        self.content = content
        self.height: int
        self.width: int
        self.height, self.width = pixels.shape
        self._trim()

    def _trim(self) -> None:
        """Find what is drawn: transparent edges are common, and a smaller picture is drawn sooner."""
        self.left, self.top, self.right, self.bottom = 0, 0, self.width, self.height
        self.picture = self.pixels
        self.drawn: NDArray[np.bool_] | None = None
        """Mask [y, x] of the pixels of the picture that show; None where all of them do."""
        self.colors: Pixels
        """Those pixels, where not all of them show."""
        # All bytes below 128 means that nothing is below 0.
        self.is_opaque = self.pixels.dtype == np.int8 and self.pixels.tobytes().isascii()
        if self.is_opaque:
            return
        mask = self.pixels >= 0
        rows, columns = mask.tobytes(), mask.T.tobytes()
        count = rows.count(1)
        if count:
            self.top, self.bottom = rows.index(1) // self.width, rows.rindex(1) // self.width + 1
            self.left, self.right = columns.index(1) // self.height, columns.rindex(1) // self.height + 1
        else:
            self.right = self.bottom = 0
        inside = slice(self.top, self.bottom), slice(self.left, self.right)
        self.picture = self.pixels[inside]
        if count < self.picture.size:
            self.drawn = mask[inside]
            self.colors = self.picture[self.drawn]

    @cached_property
    def holes(self) -> bytes:
        """For each pixel, row by row: 1 where it is -1, so that nothing is there at all, else 0."""
        holes: NDArray[np.bool_] = self.pixels == -1
        return holes.tobytes()

    @cached_property
    def solid(self) -> NDArray[np.bool_] | None:
        """Mask [y, x] of the pixels that other sprites bump into; None where all of them are solid."""
        if self.is_opaque:
            return None
        mask: NDArray[np.bool_] = self.pixels != -1
        return None if mask.all() else mask

    def __deepcopy__(self, memo: dict[int, Any]) -> Look:
        return self

    def draw_on(self, canvas: Pixels, x: int, y: int, width: int, height: int) -> None:
        """Draw the picture, its corner at (x, y), on the width x height cells of `canvas` that can be drawn on."""
        right, bottom = x + self.right - self.left, y + self.bottom - self.top
        if x >= 0 and y >= 0 and right <= width and bottom <= height:
            if self.drawn is None:
                canvas[y:bottom, x:right] = self.picture
            else:
                canvas[y:bottom, x:right][self.drawn] = self.colors
            return
        left, top = (x if x > 0 else 0), (y if y > 0 else 0)
        right, bottom = (right if right < width else width), (bottom if bottom < height else height)
        if right <= left or bottom <= top:
            return
        inside = slice(top - y, bottom - y), slice(left - x, right - x)
        if self.drawn is None:
            canvas[top:bottom, left:right] = self.picture[inside]
        else:
            part = canvas[top:bottom, left:right]
            np.copyto(part, self.picture[inside], casting="unsafe", where=self.drawn[inside])

    def touches(self, other: Look, dx: int, dy: int) -> bool:
        """True if solid pixels of both meet when `other` lies (dx, dy) to the right and below of this look."""
        left, top, right, bottom = dx, dy, dx + other.width, dy + other.height
        left, top = (left if left > 0 else 0), (top if top > 0 else 0)
        right = right if right < self.width else self.width
        bottom = bottom if bottom < self.height else self.height
        if left >= right or top >= bottom:
            return False
        ours, theirs = self.solid, other.solid
        if ours is None and theirs is None:
            return True
        both: NDArray[np.bool_] | bool = True
        if ours is not None:
            both = ours[top:bottom, left:right]
        if theirs is not None:
            both = both & theirs[top - dy : bottom - dy, left - dx : right - dx]
        return bool(np.count_nonzero(both))


def look_of(pixels: Pixels, content: Content, rotation: int, mirror_ud: bool, mirror_lr: bool, scale: int) -> Look:
    """The look of `pixels`, which hold `content`. Small ones are remembered, for games alternate between a few."""
    if len(content[1]) > _MAX_REMEMBERED or pixels.dtype.hasobject:
        return Look(_transformed(pixels, rotation, mirror_ud, mirror_lr, scale), content)
    return _remembered(content, rotation, bool(mirror_ud), bool(mirror_lr), scale)


@lru_cache(maxsize=512)
def _remembered(content: Content, rotation: int, mirror_ud: bool, mirror_lr: bool, scale: int) -> Look:
    return Look(_transformed(_array_of(content), rotation, mirror_ud, mirror_lr, scale), content)


def repainted(look: Look, old_color: int | None, new_color: int) -> Look:
    """The look after `color_remap` of a sprite that is not turned or scaled. Remembered, too, for games blink."""
    paint = _repainted if look.pixels.nbytes <= _MAX_REMEMBERED else _repainted.__wrapped__
    return paint(look, old_color, new_color)


@lru_cache(maxsize=512)
def _repainted(look: Look, old_color: int | None, new_color: int) -> Look:
    pixels = np.where(look.pixels >= 0 if old_color is None else look.pixels == old_color, new_color, look.pixels)
    return look_of(pixels, content_of(pixels), 0, False, False, 1)


def narrowed(pixels: Pixels) -> Pixels:
    """Pixels of another type as a new int8 array; OverflowError for what int8 cannot hold."""
    if pixels.nbytes > _MAX_REMEMBERED or pixels.dtype.hasobject:
        return np.array(pixels.tolist(), dtype=np.int8)
    return _narrowed(content_of(pixels)).copy()


@lru_cache(maxsize=64)
def _narrowed(content: Content) -> Pixels:
    return np.array(_array_of(content).tolist(), dtype=np.int8)


def _array_of(content: Content) -> Pixels:
    return np.frombuffer(content[1], content[2]).reshape(content[0])


def _transformed(pixels: Pixels, rotation: int, mirror_ud: bool, mirror_lr: bool, scale: int) -> Pixels:
    """A new array."""
    if rotation or mirror_ud or mirror_lr:
        pixels = turn(pixels, rotation, mirror_ud, mirror_lr)
    if scale == 1:
        return pixels.copy()
    return enlarge(pixels, scale) if scale > 1 else shrink(pixels, 1 - scale)


def turn(pixels: Pixels, rotation: int, mirror_ud: bool, mirror_lr: bool) -> Pixels:
    """A view of `pixels` turned clockwise by `rotation` degrees, then mirrored up-down and left-right."""
    quarters = int((-rotation % 360) / 90)  # counter-clockwise, as numpy counts
    flip_rows = (quarters in (1, 2)) != bool(mirror_ud)
    flip_columns = (quarters in (2, 3)) != bool(mirror_lr)
    if quarters in (1, 3):
        pixels = pixels.T
    return pixels[:: -1 if flip_rows else 1, :: -1 if flip_columns else 1]


def enlarge(pixels: Pixels, factor: int) -> Pixels:
    """`pixels` with each cell as a block of factor x factor."""
    return pixels.repeat(factor, axis=1).repeat(factor, axis=0)


def shrink(pixels: Pixels, factor: int) -> Pixels:
    """`pixels` with each block of factor x factor as one cell: its commonest colour, of equally common the highest.

    A block with more transparent cells than others becomes -1. ValueError where the sides do not divide by the
    factor, or where a block that stays visible holds a -2.
    """
    check_divides(pixels, factor)
    height, width = pixels.shape[0] // factor, pixels.shape[1] // factor
    blocks = pixels.reshape(height, factor, width, factor).swapaxes(1, 2).reshape(height * width, factor * factor)
    if not blocks.size:
        return np.empty((height, width), dtype=pixels.dtype)
    gone = (blocks < 0).sum(axis=1) > (blocks != -1).sum(axis=1)
    if (blocks[~gone] < -1).any():
        raise ValueError(f"A block to scale down by {factor} mixes colours with values below -1")
    colours = np.unique(blocks[blocks >= 0])[::-1]  # the highest first, so that argmax settles ties
    if not colours.size:
        return np.full((height, width), -1, dtype=pixels.dtype)
    counts = (blocks[:, :, np.newaxis] == colours).sum(axis=1)
    commonest: Pixels = colours[counts.argmax(axis=1)]
    if gone.any():  # never in an unsigned array, which could not take it
        commonest[gone] = -1
    return commonest.reshape(height, width)


def check_divides(pixels: Pixels, factor: int) -> None:
    """ValueError unless both sides of `pixels` divide by the factor."""
    height, width = pixels.shape
    if height % factor or width % factor:
        sides = f"Array dimensions ({height}, {width})"
        raise ValueError(f"{sides} must be divisible by scale factor {factor}, got scale {1 - factor}")
