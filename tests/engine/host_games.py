"""A small game for the host's tests, healthy or with a fault put in, written into a folder of the test's."""

import json
import os
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

_SOURCE = """
import ctypes, itertools, json, mmap, os, signal, subprocess, sys, threading, time
import numpy as np
from arcengine import ARCBaseGame, Camera, GameState, Level, Sprite


class Lens(Camera):
    told = ""  # digits to be read in the last row of every frame

    def render(self, sprites):
        grid = super().render(sprites)
        for place, digit in enumerate(self.told):
            grid[63, place] = 6 + int(digit)
{render}
        return grid


class Game(ARCBaseGame):
    '''ACTION1 moves right, ACTION2 completes the level, ACTION3 shows three frames, ACTION5 misbehaves.'''

    def __init__(self, seed=0):
        levels = [Level([Sprite([[colour]], name="dot", x=1, y=2)], grid_size=(16, 16)) for colour in (8, 9)]
        super().__init__("test-00000001", levels, Lens(0, 0, 16, 16), available_actions=[1, 2, 3, 5, 6])
        self.shown = 0
{init}

    def step(self):
        dot = self.current_level.get_sprites()[0]
        action = self.action.id.value
        if action == 1:
            dot.move(1, 0)
        elif action == 2:
            self.next_level()
        elif action == 3:
            dot.move(0, 1)
            self.shown += 1
            if self.shown < 3:
                return
            self.shown = 0
        elif action == 5:
{step}
        elif action == 6:
            dot.set_position(self.action.data["x"] // 4, self.action.data["y"] // 4)
        self.complete_action()
"""


def write_game(folder: Path, step: str = "pass", init: str = "pass", render: str = "pass") -> Path:
    """Write a game that runs the given code on ACTION5, at the end of its constructor, or on rendering a frame."""
    folder.mkdir(exist_ok=True)
    (folder / "metadata.json").write_text(json.dumps({"game_id": "test-00000001", "class_name": "Game"}))
    source = _SOURCE.format(
        step=textwrap.indent(textwrap.dedent(step), " " * 12),
        init=textwrap.indent(textwrap.dedent(init), " " * 8),
        render=textwrap.indent(textwrap.dedent(render), " " * 8),
    )
    (folder / "game.py").write_text(source)
    return folder


def wait_until(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Poll the condition; False if it did not come true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def children_of(pid: int) -> set[int]:
    """The pids of the process's children, of a process with one thread."""
    return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


def is_gone(pid: int) -> bool:
    """Whether no process has this pid, not even a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def status_of(pid: int) -> dict[str, str]:
    """/proc/PID/status as a mapping."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
