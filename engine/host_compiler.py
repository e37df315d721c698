"""Compiling the sources of games away from whatever lives long, and keeping what comes out.

Compiling takes most of the time of a start, and leaves megabytes behind in the process that does it; a source can be
written so that the compiler crashes or asks for any amount of memory. So a game's process, which has its limits already
and has run nothing of the game, forks another one for compiling, and passes the code on to the parent of all games
before it runs it. The parent keeps the bytes, never looks into them, and every later process inherits them.

    compiler -> game's process    kind (1 byte), then the marshalled code or the error's text
    game's process -> parent      lengths of key and code (see _KEPT), key, code; no code if the parent has it already
"""

import contextlib
import hashlib
import marshal
import os
import struct
from types import CodeType

from engine.loader import compile_source

CODE, ERROR, MEMORY = b"c", b"e", b"m"
MAX_ERROR = 2_000  # characters
_KEPT = struct.Struct("!II")


class Codes:
    """Marshalled code by source and file name, at most `limit` bytes; what was not used for longest goes first."""

    def __init__(self, limit: int = 32 * 2**20) -> None:
        self.limit = limit
        self.size = 0
        self._codes: dict[bytes, bytes] = {}

    def get(self, key: bytes) -> bytes | None:
        """The code, or None."""
        return self._codes.get(key)

    def keep(self, message: bytes | bytearray) -> None:
        """Take a message of `kept`. One that was cut off, because its process was killed, changes nothing."""
        if len(message) < _KEPT.size:
            return
        key_size, code_size = _KEPT.unpack_from(message)
        if len(message) != _KEPT.size + key_size + code_size:
            return
        key, code = bytes(message[_KEPT.size : _KEPT.size + key_size]), bytes(message[_KEPT.size + key_size :])
        had = self._codes.pop(key, None)
        self.size -= _cost(key, had) if had else 0
        code = code or had or b""
        if not code:
            return
        self._codes[key] = code
        self.size += _cost(key, code)
        while self.size > self.limit:
            oldest = next(iter(self._codes))
            self.size -= _cost(oldest, self._codes.pop(oldest))

    def too_long(self, message: bytes | bytearray) -> bool:
        """Whether there is no use in reading on."""
        return len(message) > self.limit


def _cost(key: bytes, code: bytes) -> int:
    return len(key) + len(code)


def kept(key: bytes, code: bytes) -> bytes:
    """The message to the parent."""
    return _KEPT.pack(len(key), len(code)) + key + code


class Compiler:
    """Gives compiled code to `engine.catalog.load_game` in a game's process, once.

    `to_parent` is the descriptor of the pipe to the parent. `source_hash` is the SHA-256 of what was compiled, in hex.
    """

    def __init__(self, codes: Codes, to_parent: int) -> None:
        self.source_hash = ""
        self._codes = codes
        self._to_parent = to_parent

    def __call__(self, text: bytes, filename: str) -> CodeType:
        """The code of the source. Raises MemoryError, or ValueError with the compiler's reason."""
        digest = hashlib.sha256(text)
        self.source_hash = digest.hexdigest()
        key = digest.digest() + os.fsencode(filename)
        had = self._codes.get(key)
        code = had or _compile_elsewhere(text, filename)
        # Now, and never again: what this process says after it has run the game's code can be the game's.
        with contextlib.suppress(BrokenPipeError):  # more than the parent will keep
            _write(self._to_parent, kept(key, b"" if had else code))
        os.close(self._to_parent)
        loaded: CodeType = marshal.loads(code)  # noqa: S302 - it came from our own compiler
        return loaded


def _compile_elsewhere(text: bytes, filename: str) -> bytes:
    here, there = os.pipe()
    game = os.getpid()
    pid = os.fork()
    if pid == 0:
        _answer_and_exit(there, game, text, filename)
    os.close(there)
    answer = bytearray()
    while data := os.read(here, 2**20):
        answer += data
    os.close(here)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    kind, rest = bytes(answer[:1]), bytes(answer[1:])
    if status == 0 and kind == CODE:
        return rest
    if kind == MEMORY:
        raise MemoryError
    raise ValueError(rest.decode() if kind == ERROR else f"the compiler ended with status {status}")


def _answer_and_exit(there: int, game: int, text: bytes, filename: str) -> None:
    status = 1
    try:
        if os.getppid() == game:
            _write(there, _answer(text, filename))
            status = 0
    finally:
        os._exit(status)


def _answer(text: bytes, filename: str) -> bytes:
    try:
        return CODE + marshal.dumps(compile_source(text, filename))
    except MemoryError:
        return MEMORY
    except (SyntaxError, ValueError, RecursionError) as error:
        return ERROR + str(error)[:MAX_ERROR].encode("utf-8", "replace")


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
