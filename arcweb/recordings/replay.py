"""A recording as one download for the replay page.

u32 (little endian) length of the head; the head: JSON, UTF-8
for each step in order: u32 length of its frames; its frames, as stored; length 0: recorded without frame data
"""

import json
import struct
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from arcweb.recordings.models import Recording, Step


def pack(recording: Recording, limits: tuple[int | None, int | None], outcome: str) -> bytes:
    """The whole recording. `limits`: soft and hard, in seconds, where it was played under any."""
    steps = list(recording.steps.order_by("step"))
    head = {
        "steps": list(_heads(steps)),
        "win_levels": max((step.win_levels for step in steps), default=recording.game.level_count),
        "fps": recording.game.default_fps,
        "limits": {"soft": limits[0], "hard": limits[1]},
        "outcome": outcome,
    }
    blocks = [json.dumps(head, separators=(",", ":")).encode(), *(bytes(step.frames or b"") for step in steps)]
    return b"".join(struct.pack("<I", len(block)) + block for block in blocks)


def _heads(steps: list[Step]) -> Iterator[dict[str, Any]]:
    answered: datetime | None = None
    for step in steps:
        yield {
            "step": step.step,
            "action": step.action,
            "x": step.x,
            "y": step.y,
            "at": (step.received_at - steps[0].received_at).total_seconds() * 1000,
            "think": (step.received_at - answered).total_seconds() if answered else None,
            "state": step.state,
            "levels": step.levels_completed,
            "full_reset": step.full_reset,
            "frames": None if step.frames is None else int.from_bytes(step.frames[1:3], "little"),
        }
        answered = step.answered_at
