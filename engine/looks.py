"""How a sprite looks once turned, mirrored and scaled; and the arithmetic of drawing one array on another."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[Any]
"""Palette indices [y, x], int8 unless a game rebinds them: 0..15 a colour, -1 nothing, -2 nothing but solid."""


class Look:
    """A sprite's appearance at one moment. Never changes, so that any number of sprites and frames may share it.

    `content` is that of the array which it shows, as it was: with another content the array needs another look.
    """

    def __init__(self, pixels: Pixels, content: object = None) -> None:
        self.pixels = pixels
        self.content = content
        self.height: int
        self.width: int
        self.height, self.width = pixels.shape

    @cached_property
    def drawn(self) -> NDArray[np.bool_] | None:
        """Mask [y, x] of the pixels that show; None where all of them do."""
        mask = self.pixels >= 0
        return None if mask.all() else mask

    @cached_property
    def solid(self) -> NDArray[np.bool_] | None:
        """Mask [y, x] of the pixels that other sprites bump into; None where all of them are solid."""
        mask = self.pixels != -1
        return None if mask.all() else mask

    def __deepcopy__(self, memo: dict[int, Any]) -> Look:
        return self

    def draw_on(self, canvas: Pixels, x: int, y: int, width: int, height: int) -> None:
        """Draw with the top left corner at (x, y) on the width x height cells of `canvas` that can be drawn on."""
        right, bottom = x + self.width, y + self.height
        pixels, drawn = self.pixels, self.drawn
        if x < 0 or y < 0 or right > width or bottom > height:
            left, right = max(0, x), min(width, right)
            top, bottom = max(0, y), min(height, bottom)
            if right <= left or bottom <= top:
                return
            inside = slice(top - y, bottom - y), slice(left - x, right - x)
            pixels = pixels[inside]
            drawn = drawn[inside] if drawn is not None else None
            x, y = left, top
        target = canvas[y:bottom, x:right]
        if drawn is None:
            target[...] = pixels
        else:
            np.copyto(target, pixels, casting="unsafe", where=drawn)

    def touches(self, other: Look, dx: int, dy: int) -> bool:
        """True if solid pixels of both meet when `other` lies (dx, dy) to the right and below of this look."""
        left, right = max(0, dx), min(self.width, dx + other.width)
        top, bottom = max(0, dy), min(self.height, dy + other.height)
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
    commonest[gone] = -1
    return commonest.reshape(height, width)


def check_divides(pixels: Pixels, factor: int) -> None:
    """ValueError unless both sides of `pixels` divide by the factor."""
    height, width = pixels.shape
    if height % factor or width % factor:
        sides = f"Array dimensions ({height}, {width})"
        raise ValueError(f"{sides} must be divisible by scale factor {factor}, got scale {1 - factor}")
