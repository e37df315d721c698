"""Keys and mouse reports read, words and colours written, byte by byte."""

from __future__ import annotations

import numpy as np
import pytest

from engine.terminal import CLICK, QUIT, RESET, Press, picture, read_palette, take_presses
from engine.terminal_play import keys_in_words


@pytest.mark.parametrize(
    ("keys", "action"),
    [
        *((key, 1) for key in (b"w", b"W", b"\x1b[A", b"\x1bOA")),
        *((key, 2) for key in (b"s", b"S", b"\x1b[B", b"\x1bOB")),
        *((key, 3) for key in (b"a", b"A", b"\x1b[D", b"\x1bOD")),
        *((key, 4) for key in (b"d", b"D", b"\x1b[C", b"\x1bOC")),
        *((key, 5) for key in (b" ", b"f", b"F")),
        *((b"\x1a", 7), (b"r", RESET), (b"q", QUIT)),
        *((b"\x1bw", 1), (b"\x1b\x1b[A", 1), ("é".encode() + b"w", 1)),
        (b"zxu1\r\t\x7f\x1b[1;5A\x1b[3~\x1b[Z\x1bOPw", 1),  # only the last is a game's key
        (b"\x1b[\x01w", 1),
    ],
)
def test_keys_are_those_of_the_play_page(keys: bytes, action: int) -> None:
    assert take_presses(bytearray(keys)) == [Press(action)]
    typed, presses = bytearray(), []
    for byte in keys:  # as they arrive over a slow line
        typed.append(byte)
        presses += take_presses(typed)
    assert presses == [Press(action)]
    assert not typed


@pytest.mark.parametrize(
    ("report", "cell"),
    [
        (b"\x1b[<0;1;1M", (0, 0)),
        (b"\x1b[<2;1;1M", (0, 1)),
        (b"\x1b[<0;64;32M", (63, 62)),
        (b"\x1b[<2;64;32M", (63, 63)),
        (b"\x1b[<0;1;1m", None),  # released
        (b"\x1b[<0;65;1M", None),
        (b"\x1b[<0;1;33M", None),
        (b"\x1b[<0;0;1M", None),
        (b"\x1b[<1;1;1M", None),  # the middle button
        (b"\x1b[<16;1;1M", None),  # with Ctrl
        (b"\x1b[<64;1;1M", None),  # the wheel
    ],
)
def test_mouse_reports_name_a_cell(report: bytes, cell: tuple[int, int] | None) -> None:
    assert take_presses(bytearray(report)) == ([] if cell is None else [Press(CLICK, *cell)])


def test_words_name_only_the_keys_that_the_game_takes() -> None:
    assert keys_in_words({1, 2, 3, 4, 5, 6, 7, 0, QUIT}) == (
        "WASD or ↑←↓→ · Space or F · click (right: lower cell) · Ctrl-Z undo · R reset · Q quit"
    )
    assert keys_in_words({3, 4}) == "AD or ←→"
    assert keys_in_words({6}) == "click (right: lower cell)"


def test_picture_changes_colours_only_where_they_change() -> None:
    grid = np.zeros((64, 64), np.uint8)
    grid[1, 63] = 5
    first, *others = picture(grid, read_palette())
    assert first == "\x1b[38;2;255;255;255m\x1b[48;2;255;255;255m" + "▀" * 63 + "\x1b[48;2;0;0;0m▀\x1b[0m"
    assert others == ["\x1b[38;2;255;255;255m\x1b[48;2;255;255;255m" + "▀" * 64 + "\x1b[0m"] * 31
