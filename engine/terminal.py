"""A terminal as a board and a keyboard: colours out, keys and mouse reports in. For systems that have termios.

A character shows two cells, one above the other, so that 64x64 cells take 64 columns and 32 rows.
"""

from __future__ import annotations

import os
import re
import select
import signal
import termios
import time
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

SIDE = 64
BOARD_ROWS = SIDE // 2
TEXT_ROWS = 4
"""Rows for text below the board."""

RESET, ACT, CLICK, UNDO, QUIT = 0, 5, 6, 7, -1

# As on the play page (static/js/input.js). With Caps Lock on a terminal sends capitals.
_KEYS = {
    **dict.fromkeys((b"w", b"\x1b[A", b"\x1bOA"), 1),
    **dict.fromkeys((b"s", b"\x1b[B", b"\x1bOB"), 2),
    **dict.fromkeys((b"a", b"\x1b[D", b"\x1bOD"), 3),
    **dict.fromkeys((b"d", b"\x1b[C", b"\x1bOC"), 4),
    **dict.fromkeys((b" ", b"f"), ACT),
    b"\x1a": UNDO,  # Ctrl-Z
    b"r": RESET,
    b"q": QUIT,
}
# A control sequence, a key in application mode, or one byte. An escape before anything else stands for itself.
_KEY = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1bO[@-~]|[^\x1b]|\x1b(?=[^\[O])", re.DOTALL)
_BEGUN = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
_MOUSE = re.compile(rb"\x1b\[<(\d+);(\d+);(\d+)M")
_LEFT, _RIGHT = 0, 2

# Another screen, no cursor, mouse buttons reported as decimal numbers; and back.
_ENTER = "\x1b[?1049h\x1b[?25l\x1b[?1000h\x1b[?1006h"
_LEAVE = "\x1b[?1006l\x1b[?1000l\x1b[?25h\x1b[0m\x1b[?1049l"
_LEAVING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Press(NamedTuple):
    """A key or a click: the action's id or QUIT, and the cell (x, y) for CLICK."""

    action: int
    x: int = 0
    y: int = 0


def read_palette() -> list[tuple[int, int, int]]:
    """Red, green and blue, 0..255, of the 16 colours: those of the play page."""
    page = Path(__file__).resolve().parents[1] / "static" / "js" / "palette.js"
    colours = re.findall(r"\b[0-9A-F]{6}\b", page.read_text())
    if len(colours) != 16:
        raise ValueError(f"{page} has {len(colours)} colours, not 16")
    return [(int(colour[:2], 16), int(colour[2:4], 16), int(colour[4:], 16)) for colour in colours]


def take_presses(typed: bytearray) -> list[Press]:
    """The presses in what was typed, which is taken out; the beginning of a longer sequence stays in for next time."""
    presses: list[Press] = []
    while typed and not _BEGUN.match(typed):
        found = _KEY.match(typed)
        key = bytes(found[0]) if found else bytes(typed[:1])
        del typed[: len(key)]
        mouse = _MOUSE.fullmatch(key)
        if mouse:
            button, column, row = (int(number) for number in mouse.groups())
            # A character is two cells: the left button clicks the upper one, the right button the lower one.
            if button in (_LEFT, _RIGHT) and 1 <= column <= SIDE and 1 <= row <= BOARD_ROWS:
                presses.append(Press(CLICK, column - 1, 2 * (row - 1) + (button == _RIGHT)))
        elif (action := _KEYS.get(key.lower() if len(key) == 1 else key)) is not None:
            presses.append(Press(action))
    return presses


def picture(grid: NDArray[Any], palette: Sequence[tuple[int, int, int]]) -> list[str]:
    """The grid [64, 64] of 0..15 as 32 lines of 64 upper half blocks with the colours of two cells each."""
    lines = []
    for upper, lower in zip(grid[::2].tolist(), grid[1::2].tolist(), strict=True):
        line, last = [], (-1, -1)
        for over, under in zip(upper, lower, strict=True):
            if over != last[0]:
                line.append("\x1b[38;2;{};{};{}m".format(*palette[over]))
            if under != last[1]:
                line.append("\x1b[48;2;{};{};{}m".format(*palette[under]))
            line.append("▀")
            last = over, under
        lines.append("".join(line) + "\x1b[0m")
    return lines


class Terminal:
    """The terminal behind two descriptors, while `opened_terminal` lasts."""

    def __init__(self, keyboard: int, screen: int, signals: int) -> None:
        self._keyboard = keyboard
        self._screen = screen
        self._signals = signals  # becomes readable when the size of the window has changed
        self._typed = bytearray()
        self._palette = read_palette()
        self._shown: tuple[NDArray[Any], Sequence[str]] | None = None

    def show(self, grid: NDArray[Any], text: Sequence[str]) -> None:
        """Draw the grid [64, 64] of 0..15, and the lines of text, cut to the window, below it."""
        self._shown = grid, text
        columns, rows = os.get_terminal_size(self._screen)
        if 0 < columns < SIDE or 0 < rows < BOARD_ROWS + TEXT_ROWS:
            needed = f"{SIDE} columns and {BOARD_ROWS + TEXT_ROWS} rows"
            lines = [f"Make the window larger: {needed} are", f"needed, it has {columns} and {rows}. Q quits."]
        else:
            lines = picture(grid, self._palette) + [line[: columns or SIDE] for line in text]
        drawing = "\x1b[H" + "\r\n".join(f"{line}\x1b[K" for line in lines) + "\x1b[J"
        _write(self._screen, drawing)

    def wait(self, wanted: Container[int], seconds: float | None = None) -> list[Press]:
        """The next presses of the wanted actions, at least one; none if there were none for so many seconds.

        EOFError if the terminal is gone.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            ready, _, _ = select.select([self._keyboard, self._signals], [], [], left)
            if self._signals in ready:
                os.read(self._signals, 4096)
                if self._shown:
                    self.show(*self._shown)
            if self._keyboard in ready:
                typed = os.read(self._keyboard, 4096)
                if not typed:
                    raise EOFError("the terminal is gone")
                self._typed += typed
                if presses := [press for press in take_presses(self._typed) if press.action in wanted]:
                    return presses
            if not ready:
                return []


@contextmanager
def opened_terminal(keyboard: int, screen: int) -> Iterator[Terminal]:
    """A board on the terminal that both descriptors belong to; it is as it was before whenever the block is left.

    Ctrl-C raises KeyboardInterrupt as usual; SIGTERM, SIGQUIT, and SIGHUP when the window is closed, SystemExit.
    """
    before = termios.tcgetattr(keyboard)
    waking, signals = os.pipe()
    for end in (waking, signals):
        os.set_blocking(end, False)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGWINCH, *_LEAVING)}
    old_wakeup = signal.set_wakeup_fd(signals, warn_on_full_buffer=False)
    try:
        signal.signal(signal.SIGWINCH, lambda number, frame: None)  # its arrival is told by the pipe
        for number in _LEAVING:
            signal.signal(number, _leave)
        _listen(keyboard)
        _write(screen, _ENTER)
        yield Terminal(keyboard, screen, waking)
    finally:
        blocked = signal.pthread_sigmask(
            signal.SIG_BLOCK, (signal.SIGINT, *_LEAVING)
        )  # a second Ctrl-C must not cut this short
        with suppress(OSError, termios.error):  # the terminal may be gone
            _write(screen, _LEAVE)
            termios.tcsetattr(keyboard, termios.TCSAFLUSH, before)
        signal.set_wakeup_fd(old_wakeup)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(waking)
        os.close(signals)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _leave(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def _listen(keyboard: int) -> None:
    """Give every key at once and show none; Ctrl-C stays the interrupt, Ctrl-Z is a key like any other."""
    attributes = termios.tcgetattr(keyboard)
    attributes[3] &= ~(termios.ICANON | termios.ECHO)
    attributes[6][termios.VMIN] = 1
    attributes[6][termios.VTIME] = 0
    attributes[6][termios.VSUSP] = bytes([os.fpathconf(keyboard, "PC_VDISABLE")])
    termios.tcsetattr(keyboard, termios.TCSAFLUSH, attributes)


def _write(screen: int, text: str) -> None:
    data = text.encode()
    while data:
        data = data[os.write(screen, data) :]
