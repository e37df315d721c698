"""Games on disk: finding them, reading their metadata.json, loading them, and writing a baseline back.

A game is a folder with a metadata.json and a Python source: `class_name` in lower case, or as it is, with ".py".
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.faults import (
    BaselineChanged,
    GameIdMissing,
    GameLoadError,
    MetadataError,
    MetadataMissing,
    MetadataNotJSON,
    MetadataNotObject,
    SourceMissing,
)
from engine.game import ARCBaseGame
from engine.jsontext import replace_numbers
from engine.loader import Compiler, construct, load_class, remembered_code

__all__ = [
    "GameLoadError",
    "Metadata",
    "MetadataError",
    "find_games",
    "load_game",
    "read_metadata",
    "source_hash",
    "source_path",
    "write_baseline",
]

METADATA_NAME = "metadata.json"
DEFAULT_FPS = 5
MAX_FPS = 1000
# What names a game or a recording in databases, addresses and file names.
IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Metadata:
    """What a game's metadata.json says. An optional value of the wrong type counts as absent.

    `name` and `version` are the parts of `game_id` before and after its first "-" ("" if it has none). `title` is
    `name` where absent. Items of the wrong type in a list of tags are left out; `baseline_actions` (actions a level)
    is None unless it is a list of whole numbers. `raw` is the whole object as read.
    """

    game_id: str
    name: str
    version: str
    title: str
    default_fps: int
    tags: list[str]
    private_tags: list[str]
    level_tags: list[list[str]]
    baseline_actions: list[int] | None
    class_name: str
    raw: dict[str, Any]


def find_games(root: str | Path) -> list[Path]:
    """The folders at any depth under `root`, itself included, that hold a metadata.json, sorted. None if no folder."""
    return sorted(Path(folder) for folder, _, files in os.walk(root) if METADATA_NAME in files)


def read_metadata(directory: str | Path) -> Metadata:
    """What metadata.json in the game's folder says. MetadataError if it cannot be used."""
    raw = _parsed(_read_text(Path(directory) / METADATA_NAME), Path(directory) / METADATA_NAME)
    game_id = raw.get("game_id")
    if game_id is None:
        raise GameIdMissing(f"{Path(directory) / METADATA_NAME} has no game_id")
    if not isinstance(game_id, str) or not IDENTIFIER.fullmatch(game_id):
        raise GameIdMissing(
            f"{Path(directory) / METADATA_NAME} has no usable game_id: {ascii(game_id)[:200]} is not 1 to 100 letters, "
            "digits, '.', '_' and '-'"
        )
    name, _, version = game_id.partition("-")
    level_tags = raw.get("level_tags")
    return Metadata(
        game_id=game_id,
        name=name,
        version=version,
        title=_text(raw.get("title"), name),
        default_fps=_fps(raw.get("default_fps")),
        tags=_texts(raw.get("tags")),
        private_tags=_texts(raw.get("private_tags")),
        level_tags=[_texts(tags) for tags in level_tags] if isinstance(level_tags, list) else [],
        baseline_actions=_counts(raw.get("baseline_actions")),
        class_name=_text(raw.get("class_name"), game_id[:1].upper() + game_id[1:4]),
        raw=raw,
    )


def source_path(directory: str | Path) -> Path:
    """The game's source file. SourceMissing if there is none, MetadataError if its name cannot be told."""
    return _source_of(Path(directory), read_metadata(directory))


def source_hash(directory: str | Path) -> str:
    """The SHA-256 of the game's source, in hex. Errors as for `source_path`."""
    path = source_path(directory)
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise SourceMissing(f"cannot read the source {path}: {error.strerror}") from error


def load_game(
    directory: str | Path, seed: int = 0, *, only_reset_levels: bool = False, compiler: Compiler = remembered_code
) -> ARCBaseGame:
    """A new game from the folder; every call runs its source anew, so that two games share nothing.

    `seed` is passed if the game's constructor takes one. `only_reset_levels` is the game's attribute of this name,
    set before its constructor runs. `compiler` turns the source into code. GameLoadError, with the reason, if the game
    cannot be loaded.
    """
    metadata = read_metadata(directory)
    game_class = load_class(_source_of(Path(directory), metadata), metadata.class_name, compiler)
    return construct(game_class, seed, only_reset_levels)


def write_baseline(directory: str | Path, baseline: Sequence[int], *, expected: Metadata | None = None) -> None:
    """Replace `baseline_actions` in metadata.json, or add it, and leave every other byte as it was.

    The file is replaced as a whole or not at all, under an advisory lock on its folder, and keeps its mode.
    With `expected`, BaselineChanged if the file's baseline is no longer the one read there. MetadataError, the file
    untouched, if metadata.json is not an object. ValueError for a baseline that is not of whole numbers above 0.
    """
    numbers = list(baseline)
    if any(type(number) is not int or number < 1 for number in numbers):
        raise ValueError(f"A baseline is a list of whole numbers above 0, got {numbers!r}")
    path = (Path(directory) / METADATA_NAME).resolve()
    with _locked(path.parent):
        text = _read_text(path)
        now = _parsed(text, path).get("baseline_actions")
        if expected is not None and now != expected.raw.get("baseline_actions"):
            raise BaselineChanged(f"{path} has another baseline than was read: {now!r}")
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        changed = mark + replace_numbers(text.removeprefix(mark), "baseline_actions", numbers)
        _replace(path, changed.encode("utf-8"))


def _read_text(path: Path) -> str:
    """The file's text, line ends and byte-order mark as they are."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise MetadataMissing(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise MetadataNotJSON(f"{path} is not UTF-8 text: {error}") from error


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        raw = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise MetadataNotJSON(f"{path} is not JSON: {error}") from error
    if not isinstance(raw, dict):
        raise MetadataNotObject(f"{path} holds a JSON {type(raw).__name__}, not an object")
    return raw


def _source_of(directory: Path, metadata: Metadata) -> Path:
    class_name = metadata.class_name
    if not class_name.isidentifier():
        raise SourceMissing(f"{directory} names the class {class_name!r}, which is not a Python name")
    names = dict.fromkeys((f"{class_name.lower()}.py", f"{class_name}.py"))
    for name in names:
        if (directory / name).is_file():
            return directory / name
    raise SourceMissing(f"{directory} has no source {' or '.join(names)}")


def _text(value: object, default: str) -> str:
    return value if isinstance(value, str) and value else default


def _fps(value: object) -> int:
    return value if type(value) is int and 0 < value <= MAX_FPS else DEFAULT_FPS


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _counts(value: object) -> list[int] | None:
    if not isinstance(value, list) or any(type(item) is not int for item in value):
        return None
    return list(value)


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Hold the folder's advisory lock. (A lock on the file itself would be lost with the file when it is replaced.)"""
    try:
        folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise MetadataMissing(f"cannot open {directory}: {error.strerror}") from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
        os.fsync(folder)
    finally:
        os.close(folder)


def _replace(path: Path, content: bytes) -> None:
    """Give the file this content so that a reader, or a crash at any moment, finds the old one or the new one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), path.stat().st_mode & 0o7777)
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
