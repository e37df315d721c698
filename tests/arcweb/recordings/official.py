"""Builders of official JSONL lines and files, as other recorders write them."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

BEGIN = datetime(2026, 3, 25, 12, 0, tzinfo=UTC)
GUID = "0b9a7a52-2f0e-4f5c-9d2c-6d2f8e0c7a11"
GAME = "ab12-0011223344"
GRID = [[(x + y) % 16 for x in range(64)] for y in range(64)]


def make_line(number: int = 0, action: object = 1, **changes: Any) -> dict[str, Any]:
    """Line `number` of a recording; `changes` replace members of its data, and those that are None leave it."""
    data: dict[str, Any] = {
        "game_id": GAME,
        "state": "NOT_FINISHED",
        "levels_completed": 0,
        "win_levels": 3,
        "action_input": {"id": action if number else 0, "data": {}, "reasoning": None},
        "guid": GUID,
        "full_reset": number == 0,
        "available_actions": [1, 2, 3, 4],
    } | changes
    data = {member: value for member, value in data.items() if value is not None}
    return {"timestamp": (BEGIN + timedelta(seconds=number)).isoformat(), "data": data}


def make_lines(count: int, **changes: Any) -> list[dict[str, Any]]:
    """The opening line and `count` actions."""
    return [make_line(number, **changes) for number in range(count + 1)]


def write_lines(path: Path, lines: Iterable[object], end: str = "\n") -> Path:
    """Write a file of these lines: text as it is, anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + end)
    return path


FOOTER = {
    "won": 0,
    "played": 1,
    "total_actions": 3,
    "levels_completed": 0,
    "cards": {GAME: {"game_id": GAME, "total_plays": 1, "guids": [GUID], "actions_by_level": [[]]}},
}
