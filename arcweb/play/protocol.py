"""The socket's messages, both directions, as `docs/protocol.md` describes them for other clients."""

import json
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcweb.play.session import Position, Refused
from arcweb.recordings import codec
from engine.frames import GameState

PROTOCOL = 1
MAX_MESSAGE_BYTES = 4096
MAX_KEY_DOWN_MS = 2**53 - 1
COMPLEX_ACTION = 6

REFUSALS = {
    "not_json": "a message is one JSON object as text",
    "too_large": f"a message has at most {MAX_MESSAGE_BYTES} bytes",
    "unknown_type": "type must be act, end or ping",
    "bad_step": "step must be an integer of 0 or more",
    "future_step": "step is beyond the next one",
    "bad_action": "action must be an integer from 0 to 7",
    "bad_coordinates": "action 6 needs x and y, integers from 0 to 63",
    "bad_key_down_ms": "key_down_ms must be an integer from 0 to 2^53 - 1",
    "unavailable_action": "the game does not offer this action now",
    "not_seated": "another connection plays this attempt",
    "ended": "the attempt is over",
}


# Client to server


@dataclass(frozen=True, slots=True)
class Act:
    """Do an action as the step of this number. x, y for ACTION6 only."""

    step: int
    action: int
    x: int | None = None
    y: int | None = None
    key_down_ms: int | None = None


@dataclass(frozen=True, slots=True)
class End:
    """The player ends the game."""


@dataclass(frozen=True, slots=True)
class Ping:
    """Answered with a pong."""


type ClientMessage = Act | End | Ping


def parse(text: str | None) -> ClientMessage:
    """Read a client's message; None stands for a binary one.

    Raises:
        Refused: it is not a message of this protocol.
    """
    if text is None:
        raise Refused("not_json")
    if len(text.encode("utf-8", "surrogatepass")) > MAX_MESSAGE_BYTES:
        raise Refused("too_large")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused("not_json") from None
    if not isinstance(message, dict):
        raise Refused("not_json")
    match message.get("type"):
        case "act":
            return _parse_act(message)
        case "end":
            return End()
        case "ping":
            return Ping()
        case _:
            raise Refused("unknown_type", _integer(message.get("step"), 2**31 - 1))


def _parse_act(message: dict[str, Any]) -> Act:
    step = _integer(message.get("step"), 2**31 - 1)
    if step is None:
        raise Refused("bad_step")
    action = _integer(message.get("action"), 7)
    if action is None:
        raise Refused("bad_action", step)
    x = y = None
    if action == COMPLEX_ACTION:
        x, y = _integer(message.get("x"), 63), _integer(message.get("y"), 63)
        if x is None or y is None:
            raise Refused("bad_coordinates", step)
    key_down_ms = _integer(message.get("key_down_ms"), MAX_KEY_DOWN_MS)
    if key_down_ms is None and message.get("key_down_ms") is not None:
        raise Refused("bad_key_down_ms", step)
    return Act(step, action, x, y, key_down_ms)


def _integer(value: object, largest: int) -> int | None:
    """The value if it is a JSON integer from 0 to `largest`. True is not 1 here, and 3.0 is not 3."""
    return value if type(value) is int and 0 <= value <= largest else None


# Server to client: text


def rejected(refusal: Refused) -> str:
    return json.dumps(
        {"type": "rejected", "code": refusal.code, "step": refusal.step, "message": REFUSALS[refusal.code]}
    )


def welcome(step: int, fps: int, clock: dict[str, Any]) -> str:
    return json.dumps({"type": "welcome", "protocol": PROTOCOL, "step": step, "fps": fps, "clock": clock})


def clock(clock: dict[str, Any]) -> str:
    return json.dumps({"type": "clock", "clock": clock})


def ended(outcome: str, code: str = "") -> str:
    return json.dumps({"type": "ended", "outcome": outcome} | ({"code": code} if code else {}))


REPLACED = json.dumps({"type": "replaced"})
WAIT = json.dumps({"type": "wait"})
PONG = json.dumps({"type": "pong"})

# Server to client: the step message

_HEAD = struct.Struct("<BBIBBBBBBB")
_STEP_MESSAGE = 1
_FULL_RESET, _SNAPSHOT = 1, 2
_NO_COORDINATE = 255


_STATES = {GameState.NOT_PLAYED: 0, GameState.NOT_FINISHED: 1, GameState.WIN: 2, GameState.GAME_OVER: 3}


def snapshot(position: Position) -> bytes:
    """Where an attempt stands, for a client that knows nothing yet: the last grid alone, as a keyframe."""
    return step_message(position, codec.encode(position.grid[np.newaxis]), snapshot=True)


def step_message(position: Position, frames: bytes, *, snapshot: bool = False) -> bytes:
    """A position as it goes to the browser, with the frames that led to it as `recordings.codec` made them."""
    move = position.move
    head = _HEAD.pack(
        _STEP_MESSAGE,
        position.full_reset * _FULL_RESET | snapshot * _SNAPSHOT,
        position.step,
        move.action,
        _NO_COORDINATE if move.x is None else move.x,
        _NO_COORDINATE if move.y is None else move.y,
        _STATES[position.state],
        position.levels_completed,
        position.win_levels,
        sum(1 << action for action in position.offered),
    )
    return head + frames
