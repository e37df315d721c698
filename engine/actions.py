"""The actions of a game: which exist, which carry a position, and one of them as sent to a game."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

from engine.records import Field, Problem, Record, ValidationError, read_dict, read_int, read_str

MAX_REASONING_BYTES = 16 * 1024
"""The most that `ActionInput.reasoning` may take as compact JSON, in bytes."""


class SimpleAction(Record):
    """The data of an action without a position."""

    game_id: str

    _fields = {"game_id": Field(str, read_str)}  # noqa: RUF012 - declared ClassVar by Record


class ComplexAction(Record):
    """The data of a click: x to the right and y downwards, 0..63 on the 64x64 frame."""

    game_id: str
    x: int
    y: int

    _fields = {  # noqa: RUF012 - declared ClassVar by Record
        "game_id": Field(str, read_str),
        "x": Field(int, read_int(ge=0, le=63)),
        "y": Field(int, read_int(ge=0, le=63)),
    }


class GameAction(Enum):
    """Everything a player can do. The value is the action's id, 0 to 7; only ACTION6 carries a position."""

    RESET = (0, SimpleAction)
    ACTION1 = (1, SimpleAction)
    ACTION2 = (2, SimpleAction)
    ACTION3 = (3, SimpleAction)
    ACTION4 = (4, SimpleAction)
    ACTION5 = (5, SimpleAction)
    ACTION6 = (6, ComplexAction)
    ACTION7 = (7, SimpleAction)

    action_type: type[SimpleAction] | type[ComplexAction]

    def __init__(self, action_id: int, action_type: type[SimpleAction] | type[ComplexAction]) -> None:
        self._value_ = action_id
        self.action_type = action_type

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        # Enum's own way calls GameAction(value), which knows members by the tuples above, not by their ids.
        return getattr, (GameAction, self.name)

    @property
    def action_data(self) -> SimpleAction | ComplexAction:
        """Default data of this action. Members are shared by all games, so none of them remembers any data."""
        return self.action_type()

    def is_simple(self) -> bool:
        return self.action_type is SimpleAction

    def is_complex(self) -> bool:
        return self.action_type is ComplexAction

    def validate_data(self, data: dict[str, Any]) -> bool:
        """True, or ValidationError if `data` does not fit this action."""
        self.action_type.model_validate(data)
        return True

    def set_data(self, data: dict[str, Any]) -> SimpleAction | ComplexAction:
        """`data` read for this action; nothing is kept on the member."""
        return self.action_type(**data)

    @classmethod
    def from_id(cls, action_id: int) -> GameAction:
        """The action with this id, else ValueError."""
        try:
            return _BY_ID[action_id]
        except (KeyError, TypeError):
            raise ValueError(f"No GameAction with id {action_id}") from None

    @classmethod
    def from_name(cls, name: str) -> GameAction:
        """The action with this name in any case, else ValueError."""
        try:
            return cls[name.upper()]
        except KeyError:
            raise ValueError(f"No GameAction with name '{name}'") from None

    @classmethod
    def all_simple(cls) -> list[GameAction]:
        return [action for action in cls if action.is_simple()]

    @classmethod
    def all_complex(cls) -> list[GameAction]:
        return [action for action in cls if action.is_complex()]


_BY_ID: dict[int, GameAction] = {action.value: action for action in GameAction}


def _read_action(value: Any) -> GameAction:
    """A member as it is, or the one with this id; a number equal to the id will do, its text will not."""
    if isinstance(value, GameAction):
        return value
    try:
        return _BY_ID[value]
    except (KeyError, TypeError):  # TypeError: a value that cannot be hashed
        raise ValueError("should be 0, 1, 2, 3, 4, 5, 6 or 7") from None


def _read_reasoning(value: Any) -> Any:
    if value is None:
        return None
    try:
        size = len(json.dumps(value, separators=(",", ":")).encode("utf-8"))
    except (TypeError, ValueError, RecursionError):
        raise ValueError("reasoning must be JSON-serialisable") from None
    if size > MAX_REASONING_BYTES:
        raise ValueError(f"reasoning exceeds {MAX_REASONING_BYTES} bytes")
    return value


class ActionInput(Record):
    """One action as sent to a game: `id` by member or number, `data` (x and y for a click), opaque `reasoning`."""

    id: GameAction
    data: dict[str, Any]
    reasoning: Any

    _fields = {  # noqa: RUF012 - declared ClassVar by Record
        "id": Field(lambda: GameAction.RESET, _read_action),
        "data": Field(dict, read_dict),
        "reasoning": Field(lambda: None, _read_reasoning),
    }


def require_position(action_input: ActionInput) -> None:
    """ValidationError for a click whose x or y is missing or null: game code must never see such a one."""
    data = action_input.data
    if data.get("x") is None or data.get("y") is None:
        missing = [name for name in ("x", "y") if data.get(name) is None]
        raise ValidationError("ActionInput.data", [Problem(name, "a click needs x and y", None) for name in missing])
