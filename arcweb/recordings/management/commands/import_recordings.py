"""`manage.py import_recordings PATH`: official JSONL files into the database."""

from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arcweb.recordings.imports import Fate, RefusedError, import_file
from arcweb.recordings.jsonl import SUFFIXES, find_files
from arcweb.recordings.models import Origin

ORIGINS = {"human": Origin.IMPORTED_HUMAN, "agent": Origin.IMPORTED_AGENT}
SAYINGS = {
    Fate.ALREADY_HERE: "already here, skipped",
    Fate.STUB: "skipped: it has no actions, and the play of the same guid that is here has",
    Fate.ERASED: "skipped: this recording was erased",
}


class Command(BaseCommand):
    help = "Import recordings from official JSONL files: one file, or all *.jsonl and *.jsonl.gz under a folder."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a file, or a folder of any depth")
        parser.add_argument("--origin", choices=ORIGINS, default="human", help="whose plays; baselines: human only")

    def handle(self, *args: Any, path: Path, origin: str, **options: Any) -> None:
        if not path.exists():
            raise CommandError(f"{path}: there is no such file or folder")
        files = find_files(path)
        if not files:
            raise CommandError(f"{path}: there is no {' or '.join('*' + suffix for suffix in SUFFIXES)} in it")
        fates: Counter[Fate] = Counter()
        steps = refused = 0
        for file in files:
            try:
                done = import_file(file, ORIGINS[origin], warn=self.stderr.write)
            except RefusedError as error:
                refused += 1
                self.stderr.write(str(error))
                continue
            fates[done.fate] += 1
            steps += done.steps
            if done.fate in SAYINGS:
                self.stdout.write(f"{file}: {done.guid} {SAYINGS[done.fate]}")
        skipped = sum(fates[fate] for fate in SAYINGS)
        summary = f"imported {fates[Fate.IMPORTED]} recordings, {steps} steps; skipped {skipped}; refused {refused}"
        if refused:
            raise CommandError(summary)
        self.stdout.write(summary)
