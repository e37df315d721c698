"""Grids as text: one hex digit a cell (0 to f), "." for -1 (transparent), one line a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_DIGITS = "0123456789abcdef"


def grid_to_text(grid: ArrayLike) -> str:
    """The rows of `grid` [y, x], values -1..15, joined by newlines, without one at the end.

    ValueError, naming the cell, for another value; for an array that is not two-dimensional or has no cells.
    """
    array: NDArray[Any] = np.asarray(grid)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"A grid has rows and columns, got shape {array.shape}")
    return "\n".join(
        "".join(_digit(value, x, y) for x, value in enumerate(row)) for y, row in enumerate(array.tolist())
    )


def text_to_grid(text: str) -> NDArray[np.int8]:
    """The grid int8 [y, x] of `text`; space around rows, and empty lines before and after them, do not count.

    ValueError, naming line and column from 1, for a character that is no cell; for an empty line between rows, for
    rows of different lengths, for no rows.
    """
    rows = [line.strip() for line in text.strip().splitlines()]
    if not rows:
        raise ValueError("A grid has at least one row, got none")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise ValueError(f"Row {number} has {len(row)} cells, row 1 has {len(rows[0])}")
    cells = [[_cell(character, x, y) for x, character in enumerate(row, 1)] for y, row in enumerate(rows, 1)]
    return np.array(cells, dtype=np.int8)


def _digit(value: Any, x: int, y: int) -> str:
    if value == -1:
        return "."
    if value not in range(16):
        raise ValueError(f"The cell at x={x}, y={y} is {value}, not -1..15")
    return _DIGITS[int(value)]


def _cell(character: str, x: int, y: int) -> int:
    if character == ".":
        return -1
    value = _DIGITS.find(character.lower())
    if value < 0:
        raise ValueError(f"Row {y}, column {x}: {character!r} is neither a hex digit nor '.'")
    return value
