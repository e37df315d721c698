"""The engine, but for its host and the terminal, reads no clock, no environment and no chance, and needs numpy only."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

MODULES = sorted(
    path
    for path in (Path(__file__).parents[2] / "engine").glob("*.py")
    if not path.name.startswith(("host", "terminal"))
)
FORBIDDEN = {"time", "datetime", "random", "secrets"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_module_imports_nothing_that_varies(path: Path) -> None:
    tree = ast.parse(path.read_text())
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").partition(".")[0])
        elif isinstance(node, ast.Attribute):
            assert node.attr not in ("environ", "getenv", "uuid4", "urandom"), f"{path.name}:{node.lineno}"
    assert imported - {"engine", "numpy"} <= sys.stdlib_module_names - FORBIDDEN


def test_engine_was_found() -> None:
    assert len(MODULES) > 10
