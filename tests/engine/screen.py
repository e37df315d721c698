"""`python -m engine` in a real pseudo-terminal: keys typed into it, and its drawings read as a person does."""

from __future__ import annotations

import codecs
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.services.environment import ROOT

LIMIT = 60  # seconds for anything that is waited for
COLOURS = re.findall(r"[0-9A-F]{6}", re.findall(r"^`(FFFFFF [^`]*)`", (ROOT / "docs/protocol.md").read_text(), re.M)[0])
PALETTE = {tuple(bytes.fromhex(colour)): index for index, colour in enumerate(COLOURS)}

_SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")
_TAKE_TERMINAL = (
    "import fcntl,os,sys,termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)


class Screen:
    """What a terminal shows after some output: a character and its two colours a cell, modes, and past drawings."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], tuple[str, Any, Any]] = {}
        self.modes: dict[str, bool] = {}
        self.boards: list[Any] = []  # int [64, 64] of each finished drawing, None where it was no board
        self.stray = ""  # written outside the other screen
        self._row = self._column = 0
        self._over: Any = None
        self._under: Any = None

    def feed(self, text: str) -> str:
        """Take the text in; the start of a sequence that has not ended yet is given back."""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                found = _SEQUENCE.match(text, at)
                if not found:
                    assert len(text) - at < 30, repr(text[at : at + 40])
                    return text[at:]
                self._obey(*found.groups())
                at = found.end()
                continue
            self._put(text[at])
            at += 1
        return ""

    def _put(self, character: str) -> None:
        if not self.modes.get("1049"):
            self.stray += character
        elif character == "\r":
            self._column = 0
        elif character == "\n":
            self._row += 1
        else:
            self.cells[self._row, self._column] = character, self._over, self._under
            self._column += 1

    def _obey(self, numbers: str, command: str) -> None:
        if command in "hl":
            self.modes[numbers.removeprefix("?")] = command == "h"
        elif command == "H":
            self._row = self._column = 0
        elif command == "K":
            self._erase(lambda row, column: row == self._row and column >= self._column)
        elif command == "J":
            self._erase(lambda row, column: (row, column) >= (self._row, self._column))
            self.boards.append(self.board())
        elif command == "m":
            self._colour([int(number or 0) for number in numbers.split(";")])
        else:
            raise AssertionError(f"unknown sequence {numbers}{command}")

    def _colour(self, numbers: list[int]) -> None:
        if numbers == [0]:
            self._over = self._under = None
            return
        assert len(numbers) == 5
        assert numbers[1] == 2
        if numbers[0] == 38:
            self._over = tuple(numbers[2:])
        else:
            assert numbers[0] == 48
            self._under = tuple(numbers[2:])

    def _erase(self, is_gone: Callable[[int, int], bool]) -> None:
        self.cells = {place: cell for place, cell in self.cells.items() if not is_gone(*place)}

    def board(self) -> Any:
        """The colour numbers int [64, 64] in the upper 32 rows, None if these are not all upper half blocks."""
        grid = np.zeros((64, 64), int)
        for row in range(32):
            for column in range(64):
                character, over, under = self.cells.get((row, column), (" ", None, None))
                if character != "▀":
                    return None
                grid[2 * row : 2 * row + 2, column] = PALETTE[over], PALETTE[under]
        return grid

    def lines(self, first: int = 32) -> list[str]:
        """The text from a row on, without the space at the end of lines."""
        rows = [[" "] * 200 for _ in range(40)]
        for (row, column), (character, _, _) in self.cells.items():
            rows[row][column] = character
        return ["".join(row).rstrip() for row in rows[first:]]


class Playing:
    """A command in a pseudo-terminal of its own; a context manager that ends it."""

    def __init__(self, *arguments: str, columns: int = 80, rows: int = 40) -> None:
        self.master, self.slave = os.openpty()
        self.resize(columns, rows)
        self.attributes = termios.tcgetattr(self.slave)
        self.screen = Screen()
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._rest = ""
        command = [sys.executable, "-c", _TAKE_TERMINAL, sys.executable, "-m", "engine", *arguments]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=self.slave, stdout=self.slave, stderr=self.slave, start_new_session=True
        )

    def __enter__(self) -> Playing:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait(LIMIT)
        os.close(self.master)
        os.close(self.slave)

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def click(self, x: int, y: int, button: int | None = None) -> None:
        """Press and release the button that clicks the cell (x, y), or another one there."""
        number = y % 2 * 2 if button is None else button
        self.send(f"\x1b[<{number};{x + 1};{y // 2 + 1}M\x1b[<{number};{x + 1};{y // 2 + 1}m".encode())

    def until(self, ready: Callable[[], bool]) -> None:
        """Read what is drawn until `ready`."""
        deadline = time.monotonic() + LIMIT
        while not ready():
            assert time.monotonic() < deadline, f"not so within {LIMIT} s: {self.screen.lines()} {self.screen.stray}"
            self._read(0.05)

    def until_text(self, text: str) -> None:
        self.until(lambda: any(text in line for line in self.screen.lines(0)))

    def ended(self) -> int:
        """Wait for the end and give the exit code."""
        self.until(lambda: self.process.poll() is not None)
        while self._read(0.05):
            pass
        return self.process.returncode

    def _read(self, seconds: float) -> bool:
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        self._rest = self.screen.feed(self._rest + self._decoder.decode(os.read(self.master, 65536)))
        return True

    def is_restored(self) -> bool:
        """Whether the terminal is as it was: its settings, and every mode that was set is unset (the cursor: set)."""
        modes = {mode for mode, on in self.screen.modes.items() if on}
        return termios.tcgetattr(self.slave) == self.attributes and modes == {"25"}

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)
