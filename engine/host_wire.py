"""The messages between the server and the process of one game, both directions.

A game is not trusted, so nothing that comes from its process is unpickled or believed: every size is bounded before it
is read, and every value is checked on the server's side, too.

    request   3 bytes: action id, x, y (0 for actions without coordinates); the first request is LOAD
    reply     kind (1 byte), size of the body (4 bytes, big endian), body
              LOADED  JSON: class_name, source_hash, levels, win_levels, available_actions
              STEP    header (see _STEP), the available actions, then the frames, one byte a cell
              FAILED  JSON: code, message, details
"""

import json
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import index
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.frames import GameState
from engine.host_errors import GameCrashed, GameNotLoaded, GameOutOfMemory, HostError, InvalidFrame

LOADED, STEP, FAILED = 1, 2, 3

REQUEST = struct.Struct("!BBB")
LOAD = REQUEST.pack(255, 0, 0)
HEAD = struct.Struct("!BI")
# Number of frames, index of the state in GameState, levels completed, levels to win, full reset, number of actions.
_STEP = struct.Struct("!HBBBBB")
_STATES = tuple(GameState)

SIZE = 64
_CELLS = SIZE * SIZE
MAX_FRAMES = 1001  # the engine's own ceiling for one action
MAX_LEVELS = 254
MAX_ACTIONS = 32
MAX_MESSAGE, MAX_DETAILS = 2_000, 20_000
_MAX_TEXT_BODY = 300_000  # JSON may spell one character with twelve
_MAX_BODY = {LOADED: _MAX_TEXT_BODY, FAILED: _MAX_TEXT_BODY, STEP: _STEP.size + MAX_ACTIONS + MAX_FRAMES * _CELLS}

_ERRORS: dict[str, type[HostError]] = {
    error.code: error for error in (GameCrashed, GameOutOfMemory, InvalidFrame, GameNotLoaded)
}


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What a game says of itself once constructed. `source_hash`: SHA-256 of its source, in hex."""

    class_name: str
    source_hash: str
    levels: int
    win_levels: int
    available_actions: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class StepResult:
    """The answer to one action. `frames` is a read-only uint8 array (n, 64, 64) of 0..15 with n from 0 to 1001.

    No frames at all is legal: the engine answers so to an action after the end of the game.
    """

    frames: NDArray[np.uint8]
    state: GameState
    levels_completed: int
    win_levels: int
    full_reset: bool
    available_actions: tuple[int, ...]


class Answer(Protocol):
    """What `perform_action(..., raw=True)` returns, as far as it crosses."""

    frame: Any
    state: GameState
    levels_completed: int
    win_levels: int
    full_reset: bool
    available_actions: Any


# Both sides: the rules an answer must keep. Each raises InvalidFrame with the offending value.


def _whole(name: str, value: object, highest: int) -> int:
    try:
        number = index(value)  # type: ignore[arg-type]  # whatever the game put there
    except TypeError:
        raise InvalidFrame(f"{name} is {_short(value)}, not a whole number") from None
    if not 0 <= number <= highest:
        raise InvalidFrame(f"{name} is {number}, outside 0..{highest}")
    return number


def _actions(values: Iterable[object]) -> tuple[int, ...]:
    try:
        actions = tuple(_whole("an available action", value, 7) for value in values)
    except TypeError:
        raise InvalidFrame(f"available_actions is {_short(values)}, not a list") from None
    if len(actions) > MAX_ACTIONS:
        raise InvalidFrame(f"available_actions has {len(actions)} entries, more than {MAX_ACTIONS}")
    return actions


def _grid(frame: object) -> NDArray[np.uint8]:
    if not isinstance(frame, np.ndarray):
        raise InvalidFrame(f"a frame is {_short(frame)}, not an array")
    if frame.shape != (SIZE, SIZE):
        raise InvalidFrame(f"a frame has the shape {frame.shape}, not ({SIZE}, {SIZE})")
    if frame.dtype.kind not in "iu":
        raise InvalidFrame(f"a frame holds {frame.dtype}, not whole numbers")
    lowest, highest = int(frame.min()), int(frame.max())
    if lowest < 0 or highest > 15:
        raise InvalidFrame(f"a frame holds the value {lowest if lowest < 0 else highest}, outside 0..15")
    return frame.astype(np.uint8)


def _short(value: object) -> str:
    return f"{str(value)[:60]!r} ({type(value).__name__})"


# In the game's process: write replies.


def pack(kind: int, body: bytes) -> bytes:
    """A whole reply."""
    return HEAD.pack(kind, len(body)) + body


def pack_info(
    class_name: str, source_hash: str, levels: object, win_levels: object, available_actions: Iterable[object]
) -> bytes:
    """The LOADED reply. Raises InvalidFrame if a value is out of range."""
    body = {
        "class_name": class_name[:200],
        "source_hash": source_hash,
        "levels": _whole("the number of levels", levels, MAX_LEVELS),
        "win_levels": _whole("win_levels", win_levels, MAX_LEVELS),
        "available_actions": _actions(available_actions),
    }
    return pack(LOADED, json.dumps(body).encode())


def pack_step(answer: Answer) -> bytes:
    """The STEP reply. Raises InvalidFrame, naming the first value that breaks a rule."""
    frames = list(answer.frame)
    if len(frames) > MAX_FRAMES:
        raise InvalidFrame(f"one action gave {len(frames)} frames, more than {MAX_FRAMES}")
    if answer.state not in _STATES:
        raise InvalidFrame(f"state is {_short(answer.state)}")
    actions = _actions(answer.available_actions)
    header = _STEP.pack(
        len(frames),
        _STATES.index(answer.state),
        _whole("levels_completed", answer.levels_completed, MAX_LEVELS),
        _whole("win_levels", answer.win_levels, MAX_LEVELS),
        bool(answer.full_reset),
        len(actions),
    )
    return pack(STEP, b"".join((header, bytes(actions), *(_grid(frame).tobytes() for frame in frames))))


def pack_failure(code: str, message: str, details: str = "") -> bytes:
    """The FAILED reply, cut to what the server accepts (the end of a traceback says most)."""
    body = {"code": code, "message": message[:MAX_MESSAGE], "details": details[-MAX_DETAILS:]}
    return pack(FAILED, json.dumps(body).encode())


# On the server: read replies, believing nothing. Each raises InvalidFrame on nonsense.


def unpack_head(reply: bytes | bytearray) -> tuple[int, int]:
    """(kind, size of the body in bytes) of a reply that has at least its head; both within what is allowed."""
    kind, size = HEAD.unpack_from(reply)
    if size > _MAX_BODY.get(kind, -1):
        raise InvalidFrame(f"the game's process sent an impossible message (kind {kind}, {size} bytes)")
    return kind, size


def unpack_info(body: bytes) -> GameInfo:
    """A LOADED reply's body."""
    info = _json(body)
    class_name, source_hash, actions = (info.get(key) for key in ("class_name", "source_hash", "available_actions"))
    if not isinstance(class_name, str) or not isinstance(source_hash, str) or not isinstance(actions, list):
        raise InvalidFrame("the game's process described the game in an impossible way")
    return GameInfo(
        class_name=_storable(class_name)[:200],
        source_hash=_storable(source_hash)[:64],
        levels=_whole("the number of levels", info.get("levels"), MAX_LEVELS),
        win_levels=_whole("win_levels", info.get("win_levels"), MAX_LEVELS),
        available_actions=_actions(actions),
    )


def unpack_step(body: bytes) -> StepResult:
    """A STEP reply's body; the frames are a view of it."""
    if len(body) < _STEP.size:
        raise InvalidFrame(f"the game's process sent an answer of {len(body)} bytes")
    count, state, levels_completed, win_levels, full_reset, n_actions = _STEP.unpack_from(body)
    start = _STEP.size + n_actions
    if count > MAX_FRAMES or len(body) != start + count * _CELLS:
        raise InvalidFrame(f"the game's process sent {len(body)} bytes for {count} frames")
    frames = np.frombuffer(body, np.uint8, offset=start).reshape(count, SIZE, SIZE)
    if count and int(frames.max()) > 15:
        raise InvalidFrame(f"a frame holds the value {int(frames.max())}, outside 0..15")
    return StepResult(
        frames=frames,
        state=_STATES[_whole("the state's index", state, len(_STATES) - 1)],
        levels_completed=_whole("levels_completed", levels_completed, MAX_LEVELS),
        win_levels=_whole("win_levels", win_levels, MAX_LEVELS),
        full_reset=bool(full_reset),
        available_actions=_actions(body[_STEP.size : start]),
    )


def unpack_failure(body: bytes) -> HostError:
    """A FAILED reply's body, as the error to raise."""
    failure = _json(body)
    error = _ERRORS.get(str(failure.get("code")))
    if error is None:
        raise InvalidFrame("the game's process reported an impossible failure")
    return error(_storable(failure.get("message"))[:MAX_MESSAGE], _storable(failure.get("details"))[:MAX_DETAILS])


def _storable(text: object) -> str:
    """The text without what UTF-8 or a database cannot hold: a game may say anything."""
    return str(text).encode("utf-8", "replace").decode().replace("\0", "?")


def _json(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InvalidFrame("the game's process sent a message that cannot be read")
    return value


# Between the server and the parent of the games, who trust each other: JSON behind its length.

_LENGTH = struct.Struct("!I")


def pack_note(note: dict[str, Any]) -> bytes:
    """One message between the server and the parent."""
    body = json.dumps(note).encode()
    return _LENGTH.pack(len(body)) + body


def take_notes(buffer: bytearray) -> Iterator[dict[str, Any]]:
    """Take the complete messages off the front of the buffer; a rest stays for the next bytes."""
    while len(buffer) >= _LENGTH.size:
        end = _LENGTH.size + _LENGTH.unpack_from(buffer)[0]
        if len(buffer) < end:
            return
        note = json.loads(buffer[_LENGTH.size : end])
        del buffer[:end]
        yield note
