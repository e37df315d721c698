"""Recording files into the database: each file in one transaction, whole or not at all."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from itertools import batched, chain, islice, zip_longest
from pathlib import Path

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from arcweb.games.models import Game
from arcweb.recordings import jsonl
from arcweb.recordings.codec import Grid
from arcweb.recordings.erasure import erase
from arcweb.recordings.models import Erasure, Origin, Recording
from arcweb.recordings.record import Record, from_step
from arcweb.recordings.store import encode_frames, frames_of

BATCH = 500  # steps for one statement: with frames some 50 kB as they are stored
# Steps made ready, compressed, before the transaction begins: nearly every file whole, so that the database is locked
# for the writing only, and people who play meanwhile do not wait. What is beyond streams.
READY = 20_000
# Plain SQL: `bulk_create` takes four times as long as reading the lines does.
INSERT = """
    INSERT INTO recordings_step
      (recording_id, step, action, x, y, received_at, answered_at, state,
       levels_completed, win_levels, full_reset, available_actions, frames)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
IMPORTED = (Origin.IMPORTED_HUMAN, Origin.IMPORTED_AGENT)

Warn = Callable[[str], None]
Cell = int | str | bytes | datetime | None  # SQLite takes times as text


class Fate(Enum):
    """What became of a file."""

    IMPORTED = auto()
    ALREADY_HERE = auto()
    STUB = auto()
    ERASED = auto()


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of one file, and how many steps were stored for it."""

    fate: Fate
    guid: str
    steps: int = 0


class RefusedError(ValueError):
    """A file that cannot be imported. The text begins with the file and says why."""


def import_file(path: Path, origin: Origin, warn: Warn = lambda _message: None) -> Imported:
    """Store the recording in this file.

    The same recording again is left alone, so that an import can be repeated. Of two files with one guid, one of them
    without any action after the opening record, the other one is kept. A recording that was erased does not come back.

    Raises:
        RefusedError: the file is not a recording, or another recording has its guid. Nothing of it is stored.
    """
    try:
        guid = jsonl.guid_of(path)
        known = Recording.objects.select_related("game").filter(guid=guid).first()
        if known is not None:
            return _meet(path, known, origin, warn)
        if Erasure.objects.filter(guid=guid).exists():
            return Imported(Fate.ERASED, guid)
        return _store(path, guid, origin, warn)
    except jsonl.JsonlError as error:
        raise RefusedError(str(error)) from error
    except IntegrityError as error:
        raise RefusedError(f"{path}: the database refused it: {error}") from error


@dataclass(slots=True)
class _Tally:
    """What the rows made so far add up to."""

    steps: int = 0
    win_levels: int = 0
    unnamed: int = 0


def _store(path: Path, guid: str, origin: Origin, warn: Warn, stub: Recording | None = None) -> Imported:
    """Store the file under this guid, in the place of the stub if there is one."""
    records = jsonl.read(path, warn)
    first = next(records)
    tally = _Tally()
    rows = _rows(chain((first,), records), tally)
    ready = list(islice(rows, READY))
    with transaction.atomic():
        if stub is not None:
            erase(stub, by="import_recordings", reason="a stub: its guid has a play with actions", now=timezone.now())
        game = _game(first.game_id)
        recording = Recording.objects.create(guid=guid, game=game, origin=origin, created_at=first.at)
        with connection.cursor() as cursor:
            for batch in batched(chain(ready, rows), BATCH):
                cursor.executemany(INSERT, [(recording.pk, *row) for row in batch])
        if not game.level_count and not game.directory:
            game.level_count = tally.win_levels
            game.save(update_fields=["level_count"])
    if tally.unnamed:
        warn(f"{path}: warning: {tally.unnamed} records do not name their action; they were taken as RESET")
    return Imported(Fate.IMPORTED, guid, tally.steps)


def _rows(records: Iterable[Record], tally: _Tally) -> Iterator[tuple[Cell, ...]]:
    """The values that INSERT names after the recording's key, for each record."""
    before: Grid | None = None
    for number, record in enumerate(records):
        at = connection.ops.adapt_datetimefield_value(record.at)
        yield (
            number,
            record.action,
            record.x,
            record.y,
            at,
            at,
            record.state.value,
            record.levels_completed,
            record.win_levels,
            record.full_reset,
            record.available_actions,
            None if record.frames is None else encode_frames(number, record.frames, before),
        )
        if record.frames is not None and len(record.frames):
            before = record.frames[-1]
        tally.steps += 1
        tally.win_levels = max(tally.win_levels, record.win_levels)
        tally.unnamed += number > 0 and not record.names_action


def _game(game_id: str) -> Game:
    """The game as the catalogue knows it, else a new entry without files; its level count follows from the records."""
    name, _, version = game_id.partition("-")
    return Game.objects.get_or_create(game_id=game_id, defaults={"name": name, "version": version})[0]


def _meet(path: Path, known: Recording, origin: Origin, warn: Warn) -> Imported:
    """Decide about a file whose guid is here already."""
    records = jsonl.read(path, warn)
    first, second = next(records), next(records, None)
    if first.game_id != known.game.game_id:
        raise RefusedError(f"{path}: {known.guid} is here already, as a play of {known.game.game_id}")
    if known.origin in IMPORTED and known.origin != origin:
        raise RefusedError(f"{path}: {known.guid} is here already, with the origin {known.get_origin_display()}")
    known_steps = known.steps.count()
    if second is None and known_steps > 1:
        return Imported(Fate.STUB, known.guid)
    if second is not None and known_steps == 1 and known.origin in IMPORTED:
        return _store(path, known.guid, origin, warn, stub=known)
    if (number := _difference(known, jsonl.read(path))) is not None:
        raise RefusedError(f"{path}: {known.guid} is here already and differs from step {number} on")
    return Imported(Fate.ALREADY_HERE, known.guid)


def _difference(known: Recording, records: Iterator[Record]) -> int | None:
    """The first step in which a recording and a file differ; None: they are the same."""
    stored = (from_step(step, frames) for step, frames in frames_of(known))
    for number, (mine, theirs) in enumerate(zip_longest(stored, records)):
        if mine is None or theirs is None or not mine.same_play(theirs):
            return number
    return None
