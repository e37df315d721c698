"""Imports run one way. Read from the files themselves, imports inside functions included."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.environment import ROOT

EVERY_ROOM = {"games", "recordings", "studies", "play", "calibration", "scorecards", "validation", "staff"}
# engine <- games <- recordings <- studies <- play; recordings, studies <- calibration <- scorecards; staff sees all.
MAY_IMPORT = {
    "games": set[str](),
    "recordings": {"games"},
    "studies": {"games", "recordings"},
    "play": {"games", "recordings", "studies"},
    "calibration": {"games", "recordings", "studies"},
    "scorecards": {"games", "recordings", "studies", "calibration"},
    "validation": {"games", "recordings"},
    "staff": EVERY_ROOM,
}
PLAIN_PYTHON = sys.stdlib_module_names | {"numpy", "engine"}


def imports(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that a module of `package` imports; relative names are made full."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: 1 - node.level or None] if node.level else []
            base = ".".join([*parents, *filter(None, [node.module])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def imports_under(folder: str) -> Iterator[tuple[str, str, str]]:
    """File, `file:line`, and the imported name, for each import in the Python files of a folder or in one file."""
    paths = [ROOT / folder] if folder.endswith(".py") else sorted((ROOT / folder).rglob("*.py"))
    for path in paths:
        file = path.relative_to(ROOT)
        for line, name in imports(path.read_text(), ".".join(file.parent.parts)):
            yield str(file), f"{file}:{line} imports {name}", name


def is_allowed_in_room(file: str, name: str) -> bool:
    """Whether a file below arcweb/<room>/ may import the name: packages always, rooms as the table says."""
    top, _, rest = name.partition(".")
    if top != "arcweb":
        return True
    room, target = Path(file).parts[1], rest.split(".")[0]
    return target == room or target in MAY_IMPORT[room]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import os, engine.host", ["os", "engine.host"]),
        ("def f():\n    from arcweb.play import session", ["arcweb.play.session"]),
        ("from . import models", ["arcweb.games.models"]),
        ("from .models import Game", ["arcweb.games.models.Game"]),
        ("from ..play import clock", ["arcweb.play.clock"]),
    ],
)
def test_imports_are_read_from_source_with_full_names(source: str, names: list[str]) -> None:
    assert [name for _, name in imports(source, "arcweb.games")] == names


@pytest.mark.parametrize(
    ("file", "name", "allowed"),
    [
        ("arcweb/games/models.py", "django.db.models", True),
        ("arcweb/games/models.py", "engine.catalog", True),
        ("arcweb/games/models.py", "arcweb.games.scan", True),
        ("arcweb/games/models.py", "arcweb.recordings.models", False),
        ("arcweb/recordings/models.py", "arcweb.studies.models", False),
        ("arcweb/play/consumers.py", "arcweb.recordings.models", True),
        ("arcweb/play/consumers.py", "arcweb.settings", False),
        ("arcweb/staff/views.py", "arcweb.play.session", True),
    ],
)
def test_room_table_judges_an_import(file: str, name: str, allowed: bool) -> None:
    assert is_allowed_in_room(file, name) is allowed


def test_engine_imports_nothing_but_python_and_numpy() -> None:
    assert [where for _, where, name in imports_under("engine") if name.split(".")[0] not in PLAIN_PYTHON] == []


def test_play_session_imports_nothing_but_the_engine() -> None:
    found = list(imports_under("arcweb/play/session.py"))
    assert found
    assert [where for _, where, name in found if name.split(".")[0] not in PLAIN_PYTHON] == []


def test_rooms_are_all_in_the_table() -> None:
    rooms = {path.parent.name for path in (ROOT / "arcweb").glob("*/__init__.py")}
    assert rooms - EVERY_ROOM == set()


def test_rooms_import_in_one_direction() -> None:
    inside = [found for found in imports_under("arcweb") if len(Path(found[0]).parts) > 2]
    assert inside
    assert [where for file, where, name in inside if not is_allowed_in_room(file, name)] == []


def test_product_imports_no_reference_package() -> None:
    reference = {"arcengine", "arc_agi"}
    product = [*imports_under("engine"), *imports_under("arcweb")]
    assert [where for _, where, name in product if name.split(".")[0] in reference] == []
