"""A small game for tests that are about the product, not about a game, and studies to play it in.

The toy: a dot starts at x 0. ACTION4 moves it one to the right; the third move completes the level. ACTION5 loses.
ACTION6 puts a mark where it was clicked and answers three frames. ACTION1 misbehaves as TROUBLE says. Three levels.
"""

import json
from pathlib import Path

SOURCE = """
from arcengine import ARCBaseGame, Camera, Level, Sprite


def misbehave(game):
    TROUBLE


class Toy0(ARCBaseGame):
    def __init__(self, seed=0):
        dot = Sprite([[9]], name="dot")
        levels = [Level([dot.clone()], grid_size=(64, 64)) for _ in range(3)]
        super().__init__("toy0-00000001", levels, Camera(), available_actions=[1, 4, 5, 6])
        self.frames_left = 0

    def step(self):
        action = self.action.id.value
        dot = self.current_level.get_sprites_by_name("dot")[0]
        if action == 1:
            misbehave(self)
        elif action == 4:
            dot.move(1, 0)
            if dot.x == 3:
                self.next_level()
        elif action == 5:
            self.lose()
        elif action == 6:
            if self.frames_left == 0:
                self.frames_left = 3
                x, y = self.action.data["x"], self.action.data["y"]
                self.current_level.add_sprite(Sprite([[8]], name="mark", x=x, y=y))
            self.frames_left -= 1
            mark = self.current_level.get_sprites_by_name("mark")[-1]
            mark.color_remap(None, 8 + self.frames_left)
            if self.frames_left:
                return
        self.complete_action()
"""

HANG = "while True: pass"
EXIT = "import os; os._exit(3)"
RAISE = "raise RuntimeError('no such move')"
ALLOCATE = "game.hoard = bytearray(4 * 2**30)"
WRONG_SIZE = "import numpy; game.camera.render = lambda sprites: numpy.zeros((63, 64), dtype=numpy.int8)"


def write_toy(root: Path, trouble: str = "pass", name: str = "toy0") -> Path:
    """Write a toy game below a folder of games, and return its own folder."""
    directory = root / name / "00000001"
    directory.mkdir(parents=True)
    class_name = name.capitalize()
    source = SOURCE.replace("TROUBLE", trouble).replace("Toy0", class_name).replace("toy0-", f"{name}-")
    (directory / f"{name}.py").write_text(source)
    metadata = {"game_id": f"{name}-00000001", "title": "Toy", "default_fps": 20, "class_name": class_name}
    (directory / "metadata.json").write_text(json.dumps(metadata))
    return directory
