"""Official JSONL files: lines in, records out, one line in memory at a time."""

import gzip
import json
import re
import uuid
import zlib
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, cast

from arcweb.recordings.record import BadRecordError, Record, is_footer, parse
from engine.catalog import IDENTIFIER

SUFFIXES = (".jsonl", ".jsonl.gz")
# A line of 1,001 frames, the most that an action may have, written with spaces, is about 20 MB.
MAX_LINE_BYTES = 64 * 1024 * 1024

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


class JsonlError(ValueError):
    """A file that is not a recording: `file:line: reason`, or `file: reason` where no line is to blame."""

    def __init__(self, path: Path, line: int | None, reason: str) -> None:
        super().__init__(f"{path}: {reason}" if line is None else f"{path}:{line}: {reason}")


def find_files(path: Path) -> list[Path]:
    """The file itself, or every recording file under the folder, at any depth, in the order of their paths."""
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.rglob("*") if file.name.endswith(SUFFIXES) and file.is_file())


def read(path: Path, warn: Callable[[str], None] = lambda _message: None) -> Iterator[Record]:
    """The records of a file, in order. A last line that was cut short is left out, with a warning.

    Raises:
        JsonlError: any other line that is not a record, records of two games or two guids, or no record at all.
    """
    lines = _lines(path)
    number, text = next(lines, (0, b""))
    game_id, guid, count, ended = "", "", 0, False
    while number:
        next_number, next_text = next(lines, (0, b""))
        try:
            line = _loads(text, is_last=not next_number)
            if line is None:
                warn(f"{path}:{number}: warning: the last line is cut short and was left out")
            elif ended:
                raise BadRecordError("there is a line after the footer")
            elif is_footer(line):
                ended = True
            else:
                record = parse(line)
                game_id = _same("game_id", game_id, record.game_id)
                guid = _same("guid", guid, record.guid)
                if not game_id:
                    raise BadRecordError("the first record does not say which game it is")
                count += 1
                yield record
        except BadRecordError as error:
            raise JsonlError(path, number, str(error)) from error
        number, text = next_number, next_text
    if not count:
        raise JsonlError(path, None, "there is no record in it")


def guid_of(path: Path) -> str:
    """The recording's guid: as its records say, else as the file is named, else derived from the content.

    Raises:
        JsonlError: as in `read`, in the lines that had to be read.
    """
    if guid := next((record.guid for record in read(path) if record.guid), ""):
        return guid
    if uuids := _UUID.findall(path.name):
        return cast(str, uuids[-1]).lower()
    stem, official, _ = path.name.partition(".recording.jsonl")
    if official and IDENTIFIER.fullmatch(stem):
        return stem
    digest = sha256()
    for _number, text in _lines(path):
        digest.update(text + b"\n")
    return str(uuid.uuid5(uuid.NAMESPACE_OID, digest.hexdigest()))


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """(line number from 1, text without its end) of every line that is not blank."""
    number = 1
    try:
        with _open(path) as file:
            while text := file.readline(MAX_LINE_BYTES + 1):
                if len(text) > MAX_LINE_BYTES:
                    raise JsonlError(path, number, f"the line is longer than {MAX_LINE_BYTES} bytes")
                if stripped := text.strip():
                    yield number, stripped
                number += 1
    except (OSError, EOFError, zlib.error) as error:
        raise JsonlError(path, number, f"cannot be read: {error}") from error


def _open(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path, "rb")) if path.suffix == ".gz" else path.open("rb")


def _loads(text: bytes, *, is_last: bool) -> dict[str, Any] | None:
    """The object of a line; None for a last line that is the beginning of one."""
    try:
        line = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        if is_last and _is_cut_short(text, error):
            return None
        raise BadRecordError(f"not JSON: {error}") from error
    if not isinstance(line, dict):
        raise BadRecordError("not a record: the line is not a JSON object")
    return line


def _is_cut_short(text: bytes, error: Exception) -> bool:
    """Whether this is an object whose end is missing, as a crash of the recorder leaves it, and not just anything."""
    if not text.startswith(b"{"):
        return False
    return not text.endswith(b"}") or (isinstance(error, json.JSONDecodeError) and error.pos >= len(error.doc))


def _same(member: str, known: str, value: str) -> str:
    if known and value and known != value:
        raise BadRecordError(f"{member} is {value} here and {known} in the lines before")
    return known or value
