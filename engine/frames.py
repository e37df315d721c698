"""What a game answers to an action."""

from __future__ import annotations

from enum import Enum
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.actions import ActionInput
from engine.records import Field, Record, read_bool, read_int, read_list, read_optional, read_str


class GameState(str, Enum):  # noqa: UP042 - a StrEnum prints as its value, the reference's states do not
    """Where a play stands."""

    NOT_PLAYED = "NOT_PLAYED"
    NOT_FINISHED = "NOT_FINISHED"
    WIN = "WIN"
    GAME_OVER = "GAME_OVER"


def _read_state(value: Any) -> GameState:
    try:
        return GameState(value.decode("utf-8") if isinstance(value, bytes) else value)
    except ValueError:
        raise ValueError("should be 'NOT_PLAYED', 'NOT_FINISHED', 'WIN' or 'GAME_OVER'") from None


_STATE = Field(lambda: GameState.NOT_PLAYED, _read_state)
_ACTION_INPUT = Field(ActionInput, ActionInput.model_validate)
_GUID = Field(lambda: None, read_optional(read_str))
_LEVELS = Field(int, read_int(ge=0, le=254))
_ANY_COUNT = Field(int, read_int())
_ACTIONS = Field(list, read_list(read_int()))


class FrameData(Record):
    """A game's answer in plain types, as it travels: `frame` is a list of grids, each a list of 64 rows of 64 ints.

    `levels_completed` and `win_levels` are 0..254; `available_actions` holds action ids.
    """

    game_id: str
    frame: list[list[list[int]]]
    state: GameState
    levels_completed: int
    win_levels: int
    action_input: ActionInput
    guid: str | None
    full_reset: bool
    available_actions: list[int]

    _fields = {  # noqa: RUF012 - declared ClassVar by Record
        "game_id": Field(str, read_str),
        "frame": Field(list, read_list(read_list(read_list(read_int())))),
        "state": _STATE,
        "levels_completed": _LEVELS,
        "win_levels": _LEVELS,
        "action_input": _ACTION_INPUT,
        "guid": _GUID,
        "full_reset": Field(bool, read_bool),
        "available_actions": _ACTIONS,
    }

    def is_empty(self) -> bool:
        """True for the answer to an action after the end of the game: it has no frames."""
        return len(self.frame) == 0

    def __str__(self) -> str:
        return self.model_dump_json(indent=2)


class FrameDataRaw(Record):
    """A game's answer with its frames as arrays: `frame` is a list of int8 arrays [64, 64], left out of every dump."""

    game_id: str
    state: GameState
    levels_completed: int
    win_levels: int
    action_input: ActionInput
    guid: str | None
    full_reset: bool
    available_actions: list[int]

    _fields = {  # noqa: RUF012 - declared ClassVar by Record
        "game_id": Field(str, read_str),
        "state": _STATE,
        "levels_completed": _ANY_COUNT,
        "win_levels": _ANY_COUNT,
        "action_input": _ACTION_INPUT,
        "guid": _GUID,
        "full_reset": Field(bool, read_bool),
        "available_actions": _ACTIONS,
    }

    def __new__(cls, **values: Any) -> Self:
        record = super().__new__(cls)
        record.__dict__["_frame"] = []
        return record

    @classmethod
    def of_frames(cls, frames: list[NDArray[Any]], values: dict[str, Any]) -> Self:
        """An answer with these frames, without validation; `values` are all fields but the guid."""
        record = object.__new__(cls)
        state = record.__dict__
        state.update(values)
        state["guid"], state["_frame"] = None, frames
        object.__setattr__(record, "_given", set(values))
        return record

    @property
    def frame(self) -> list[NDArray[Any]]:
        frames: list[NDArray[Any]] = self.__dict__["_frame"]
        return frames

    @frame.setter
    def frame(self, frames: list[NDArray[Any]]) -> None:
        self.__dict__["_frame"] = frames

    _frame = frame  # the name the reference keeps it under

    def is_empty(self) -> bool:
        """True for an answer without frames."""
        return len(self.frame) == 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FrameDataRaw) or type(other) is not type(self):
            return NotImplemented
        same_frames = len(self.frame) == len(other.frame) and all(map(np.array_equal, self.frame, other.frame))
        return same_frames and list(self) == list(other)

    __hash__ = None

    def __str__(self) -> str:
        return self.model_dump_json(indent=2)
