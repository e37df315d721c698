"""Small game folders for tests."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

SMALL_GAME = """
from arcengine import ARCBaseGame, Camera, Level, Sprite

LEVELS = [Level([Sprite([[8]], name="one", x=1, y=2)], grid_size=(8, 8)), Level(name="second")]

class Demo(ARCBaseGame):
    def __init__(self, seed=0):
        self.resets_of_levels_only = self.only_reset_levels
        super().__init__("demo-v1", LEVELS, Camera(0, 0, 8, 8), available_actions=[1, 2, 6], seed=seed)

    def step(self):
        if self.action.id.value == 2:
            self.next_level()
        else:
            self.current_level.get_sprites()[0].move(1, 0)
        self.complete_action()
"""


def make_game(directory: Path, source: str | None = SMALL_GAME, **metadata: Any) -> Path:
    """A folder with a metadata.json, of game_id "demo-v1" unless told otherwise, and demo.py."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "metadata.json").write_text(json.dumps({"game_id": "demo-v1", **metadata}))
    if source is not None:
        (directory / "demo.py").write_text(textwrap.dedent(source))
    return directory
