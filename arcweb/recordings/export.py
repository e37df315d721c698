"""A stored recording as an official JSONL file, frames and footer included."""

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arcweb.recordings.models import Recording, State
from arcweb.recordings.record import RESET, Record, from_step, to_line
from arcweb.recordings.store import frames_of


class Card:
    """What the toolkit's scorecard says of one recording: the footer of the file.

    A play is a run: it begins with the opening record and anew with every full reset. `actions_by_level` holds
    `[level, actions so far in the play]` for every level completed.
    """

    def __init__(self, game_id: str, guid: str) -> None:
        self._game_id = game_id
        self._guid = guid
        self._plays: list[dict[str, Any]] = []

    def add(self, record: Record) -> None:
        """Count the next record; answers after the end, which have no frame, do not count."""
        if record.frames is not None and not len(record.frames):
            return
        is_reset = record.action == RESET
        if not self._plays or (is_reset and record.full_reset):
            self._plays.append({"levels": 0, "state": State.NOT_FINISHED, "actions": 0, "by_level": [], "resets": 0})
        else:
            self._plays[-1]["actions"] += 1
            self._plays[-1]["resets"] += is_reset
        play = self._plays[-1]
        play["state"] = record.state
        for level in range(play["levels"] + 1, record.levels_completed + 1):
            play["by_level"].append([level, play["actions"]])
        play["levels"] = max(play["levels"], record.levels_completed)

    def footer(self) -> dict[str, Any]:
        """The last line of the file."""
        column = {name: [play[name] for play in self._plays] for name in ("levels", "actions", "by_level", "resets")}
        states = [State(play["state"]).name for play in self._plays]
        total = sum(column["actions"])
        card = {
            "game_id": self._game_id,
            "total_plays": len(self._plays),
            "guids": [self._guid] * len(self._plays),
            "levels_completed": column["levels"],
            "states": states,
            "actions": column["actions"],
            "actions_by_level": column["by_level"],
            "resets": column["resets"],
            "total_actions": total,
        }
        return {
            "won": int("WIN" in states),
            "played": int(bool(self._plays)),
            "total_actions": total,
            "levels_completed": max(column["levels"], default=0),
            "cards": {self._game_id: card},
        }


def export_file(recording: Recording, directory: Path) -> Path:
    """Write `<guid>.recording.jsonl` into the directory and return its path. The file appears whole or not at all.

    Raises:
        OSError: it cannot be written.
        CodecError: stored frames are damaged.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{recording.guid}.recording.jsonl"
    handle, unfinished = tempfile.mkstemp(prefix=f".{recording.guid}.", dir=directory)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            for line in _lines(recording):
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
        Path(unfinished).chmod(0o644)
        os.replace(unfinished, path)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
    return path


def _lines(recording: Recording) -> Iterator[dict[str, Any]]:
    game_id = recording.game.game_id
    card = Card(game_id, recording.guid)
    for step, frames in frames_of(recording):
        record = from_step(step, frames)
        card.add(record)
        yield to_line(record, game_id, recording.guid)
    yield card.footer()
