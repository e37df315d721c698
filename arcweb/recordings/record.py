"""One line of the official JSONL format as one value, and back."""

import reprlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcweb.recordings.models import State, Step, actions_of, mask_of
from engine.catalog import IDENTIFIER

RESET = 0
CLICK = 6
MAX_LEVELS = 254  # the engine's own limit

_ACTIONS = {"RESET": RESET} | {f"ACTION{number}": number for number in range(1, 8)}
_STATES = {state.name: state for state in State} | {"NOT_STARTED": State.NOT_PLAYED}


class BadRecordError(ValueError):
    """Not a record, or a record with a value out of range. The text says which and why."""


@dataclass(frozen=True, slots=True)
class Record:
    """One action and its answer. `frames` is (n, 64, 64) cells 0..15; None: made without frame data.

    `names_action` is false where the line did not say which action it was; `action` is then RESET, the default of the
    official data model.
    """

    at: datetime
    action: int
    x: int | None
    y: int | None
    state: State
    levels_completed: int
    win_levels: int
    full_reset: bool
    available_actions: int
    frames: NDArray[np.uint8] | None = field(default=None, compare=False)
    game_id: str = field(default="", compare=False)
    guid: str = field(default="", compare=False)
    names_action: bool = field(default=True, compare=False)

    def same_play(self, other: "Record") -> bool:
        """Whether both tell the same: time, action, answer and every cell."""
        if self != other or (self.frames is None) != (other.frames is None):
            return False
        return self.frames is None or other.frames is None or np.array_equal(self.frames, other.frames)


def is_footer(line: dict[str, Any]) -> bool:
    """Whether this is the scorecard that ends a released file, bare or wrapped like a record."""
    body = line.get("data", line)
    return isinstance(body, dict) and "state" not in body and {"cards", "total_actions"} <= body.keys()


def parse(line: dict[str, Any]) -> Record:
    """Read one line of the official format, of the released files or of the older preview (`score`, `win_score`).

    Raises:
        BadRecordError: naming the member and its value.
    """
    data = line.get("data")
    if not isinstance(data, dict) or "state" not in data:
        raise BadRecordError("not a record: there is no data with a state")
    action_input = data.get("action_input")
    if not isinstance(action_input, dict):
        if action_input is not None:
            raise _bad("action_input", "an object", action_input)
        action_input = {}
    action_data = action_input.get("data")
    if not isinstance(action_data, dict):
        action_data = {}
    action = _action("action_input.id", action_input.get("id", RESET))
    x, y = _coordinates(action_data) if action == CLICK else (None, None)
    win_levels = _integer(data, ("win_levels", "win_score"), MAX_LEVELS, default=0)
    levels_completed = _integer(data, ("levels_completed", "score"), MAX_LEVELS)
    return Record(
        at=_time(line.get("timestamp")),
        action=action,
        x=x,
        y=y,
        state=_state(data["state"]),
        levels_completed=levels_completed,
        win_levels=win_levels,
        full_reset=_flag(data.get("full_reset")),
        available_actions=_available(data.get("available_actions")),
        frames=_frames(data["frame"]) if data.get("frame") is not None else None,
        game_id=_name("game_id", data.get("game_id") or action_data.get("game_id")),
        guid=_name("guid", data.get("guid")),
        names_action="id" in action_input,
    )


def from_step(step: Step, frames: NDArray[np.uint8] | None) -> Record:
    """A stored step and its decoded frames. The time is the one at which the engine had answered."""
    return Record(
        at=step.answered_at,
        action=step.action,
        x=step.x,
        y=step.y,
        state=State(step.state),
        levels_completed=step.levels_completed,
        win_levels=step.win_levels,
        full_reset=step.full_reset,
        available_actions=step.available_actions,
        frames=frames,
    )


def to_line(record: Record, game_id: str, guid: str) -> dict[str, Any]:
    """The record in the official format, members in the official order; no `frame` where there is no frame data."""
    action_data: dict[str, Any] = {"game_id": game_id}
    if record.x is not None:
        action_data |= {"x": record.x, "y": record.y}
    data: dict[str, Any] = {"game_id": game_id}
    if record.frames is not None:
        data["frame"] = record.frames.tolist()
    data |= {
        "state": record.state.name,
        "levels_completed": record.levels_completed,
        "win_levels": record.win_levels,
        "action_input": {"id": record.action, "data": action_data, "reasoning": None},
        "guid": guid,
        "full_reset": record.full_reset,
        "available_actions": actions_of(record.available_actions),
    }
    return {"timestamp": record.at.astimezone(UTC).isoformat(), "data": data}


def _bad(member: str, wanted: str, got: object) -> BadRecordError:
    return BadRecordError(f"{member} must be {wanted}, got {reprlib.repr(got)}")


def _is_integer(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _integer(data: dict[str, Any], members: tuple[str, ...], high: int, default: int | None = None) -> int:
    """The first of these members that is there."""
    for member in members:
        if member in data:
            value = data[member]
            if not _is_integer(value, 0, high):
                raise _bad(member, f"an integer from 0 to {high}", value)
            return int(value)
    if default is None:
        raise BadRecordError(f"not a record: neither {' nor '.join(members)} is there")
    return default


def _time(value: object) -> datetime:
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
        if time is not None and time.tzinfo is not None:
            return time.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise _bad("timestamp", "an ISO 8601 time with its zone", value)


def _action(member: str, value: object) -> int:
    if isinstance(value, str):
        value = int(value) if value in set("01234567") else _ACTIONS.get(value.upper(), value)
    if not isinstance(value, int) or not _is_integer(value, 0, 7):
        raise _bad(member, "0 to 7 or an action's name", value)
    return value


def _coordinates(data: dict[str, Any]) -> tuple[int | None, int | None]:
    """x and y of a click. Both may be missing: some recorders leave them out of the opening record."""
    x, y = data.get("x"), data.get("y")
    if x is None and y is None:
        return None, None
    for member, value in (("x", x), ("y", y)):
        if not _is_integer(value, 0, 63):
            raise _bad(f"action_input.data.{member}", "an integer from 0 to 63", value)
    return x, y


def _state(value: object) -> State:
    state = _STATES.get(value) if isinstance(value, str) else None
    if state is None:
        raise _bad("state", "one of " + ", ".join(_STATES), value)
    return state


def _flag(value: object) -> bool:
    if value is not None and not isinstance(value, bool):
        raise _bad("full_reset", "true or false", value)
    return bool(value)


def _available(value: object) -> int:
    if value is None:
        return 0
    if not isinstance(value, list):
        raise _bad("available_actions", "a list", value)
    return mask_of([_action("available_actions", action) for action in value])


def _name(member: str, value: object) -> str:
    """A game's or a recording's name; empty where there is none."""
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or not IDENTIFIER.fullmatch(value):
        raise _bad(member, "letters, digits, '.', '_' and '-', at most 100", value)
    return value


def _frames(value: object) -> NDArray[np.uint8]:
    """Lists of 64x64 lists to (n, 64, 64). `bytes` of a row is many times faster here than numpy's own reading."""
    if not isinstance(value, list):
        raise _bad("frame", "a list of 64x64 grids", value)
    rows: list[bytes] = []
    for number, grid in enumerate(value):
        if not isinstance(grid, list) or len(grid) != 64 or not all(isinstance(row, list) for row in grid):
            raise _bad(f"frame[{number}]", "64 rows of 64 cells", grid)
        if any(len(row) != 64 for row in grid):
            raise _bad(f"frame[{number}]", "64 rows of 64 cells", next(row for row in grid if len(row) != 64))
        try:
            rows += map(bytes, grid)
        except (TypeError, ValueError) as error:
            raise BadRecordError(f"frame[{number}] has a cell that is not an integer from 0 to 15") from error
    grids = np.frombuffer(b"".join(rows), np.uint8).reshape(len(value), 64, 64)
    if grids.size and grids.max() > 15:
        raise BadRecordError(f"frame has a cell of {grids.max()}: cells are integers from 0 to 15")
    return grids
