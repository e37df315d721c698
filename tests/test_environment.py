"""environment.sh, with a stand-in for Python that makes an environment at once and notes what it was asked."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.services.environment import ROOT

# As Python would: answers version checks with yes, makes an environment, and runs pip.
PYTHON = """#!/bin/sh
echo "$@" >> "$PYTHON_LOG"
case "$*" in
    "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
    "-m pip install"*) exit "${PIP_EXIT:-0}" ;;
    -c*) exit "${CHECK_EXIT:-0}" ;;
esac
"""

Prepare = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project folder, with spaces in its path, that holds the script and the two lock files."""
    folder = tmp_path / "a project"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "environment.sh", folder)
    for lock in ("requirements.txt", "requirements-dev.txt"):
        (folder / lock).write_text(f"packages of {lock}\n")
    python = folder / "python stand-in"
    python.write_text(PYTHON)
    python.chmod(0o755)
    return folder


@pytest.fixture
def prepare(project: Path) -> Prepare:
    """Runs the script for a lock file; keywords change its environment."""

    def run(lock: str = "requirements.txt", **environment: str) -> subprocess.CompletedProcess[str]:
        named = {"PYTHON": str(project / "python stand-in"), "PYTHON_LOG": str(project / "log")}
        return subprocess.run(
            [project / "environment.sh", lock],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **named, **environment},
        )

    return run


@pytest.fixture
def asked(project: Path) -> Callable[[], list[str]]:
    """What Python was asked for since the last call, version checks left out."""
    log = project / "log"

    def take() -> list[str]:
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return [" ".join(line.split()[:3]) for line in lines if not line.startswith("-c")]

    return take


MADE = ["-m venv .venv", "-m pip install"]


def test_new_project_gets_an_environment_with_the_locked_packages(
    prepare: Prepare, asked: Callable[[], list[str]]
) -> None:
    done = prepare()
    assert done.returncode == 0, done.stderr
    assert asked() == MADE


def test_second_time_does_and_says_nothing(prepare: Prepare, asked: Callable[[], list[str]]) -> None:
    prepare()
    asked()
    done = prepare()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert asked() == []


def test_changed_lock_file_installs_into_the_same_environment(
    prepare: Prepare, asked: Callable[[], list[str]], project: Path
) -> None:
    prepare()
    asked()
    (project / "requirements.txt").write_text("other packages\n")
    prepare()
    assert asked() == MADE[1:]


def test_packages_for_tests_include_those_of_the_product(prepare: Prepare, asked: Callable[[], list[str]]) -> None:
    prepare("requirements-dev.txt")
    asked()
    prepare("requirements.txt")
    assert asked() == []


def test_refused_install_fails_and_is_tried_again_in_the_same_environment(
    prepare: Prepare, asked: Callable[[], list[str]]
) -> None:
    done = prepare(PIP_EXIT="1")
    assert done.returncode == 1
    assert "requirements.txt could not be installed" in done.stderr
    asked()
    assert prepare().returncode == 0
    assert asked() == MADE[1:]


def test_environment_whose_making_was_killed_is_made_again(
    prepare: Prepare, asked: Callable[[], list[str]], project: Path
) -> None:
    prepare()
    asked()
    (project / ".venv" / "unfinished").touch()
    prepare()
    assert asked() == MADE


def test_old_python_is_refused_in_one_line(prepare: Prepare, project: Path) -> None:
    done = prepare(CHECK_EXIT="1")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"PYTHON={project / 'python stand-in'} is not a Python of version 3.12 or newer."
    ]
    assert not (project / ".venv").exists()


def test_missing_python_is_named_in_one_line(prepare: Prepare, project: Path, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("dirname", "sort", "cmp", "tail"):
        (programs / name).symlink_to(shutil.which(name) or "/missing")
    done = prepare(PYTHON="", PATH=str(programs), HOME=str(tmp_path), PYENV_ROOT="")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "Python 3.12 or newer is needed and was not found. Install it" in line
    assert not (project / ".venv").exists()
