"""Grids as text and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from engine.textgrid import grid_to_text, text_to_grid


@given(npst.arrays(np.int8, npst.array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.integers(-1, 15)))
def test_text_of_a_grid_gives_the_grid_back(grid: Any) -> None:
    assert np.array_equal(text_to_grid(grid_to_text(grid)), grid)


def test_grid_to_text_is_one_digit_a_cell() -> None:
    assert grid_to_text([[-1, 0, 9], [10, 15, -1]]) == ".09\naf."


def test_text_to_grid_takes_indented_text_in_either_case() -> None:
    grid = text_to_grid("""
        .0
        Af
    """)
    assert grid.tolist() == [[-1, 0], [10, 15]]
    assert grid.dtype == np.int8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "A grid has at least one row, got none"),
        (" \n ", "A grid has at least one row, got none"),
        ("01\n0", "Row 2 has 1 cells, row 1 has 2"),
        ("01\n\n01", "Row 2 has 0 cells, row 1 has 2"),
        ("01\n0g", "Row 2, column 2: 'g' is neither a hex digit nor '.'"),
        ("0 1", "Row 1, column 2: ' ' is neither a hex digit nor '.'"),
    ],
)
def test_text_to_grid_names_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared below
        text_to_grid(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ([[0, 16]], "The cell at x=1, y=0 is 16, not -1..15"),
        ([[0], [-2]], "The cell at x=0, y=1 is -2, not -1..15"),
        ([[0.5]], "The cell at x=0, y=0 is 0.5, not -1..15"),
        ([1, 2], "A grid has rows and columns, got shape (2,)"),
        ([[]], "A grid has rows and columns, got shape (1, 0)"),
    ],
)
def test_grid_to_text_names_what_is_wrong(grid: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared below
        grid_to_text(grid)
    assert str(caught.value) == message
