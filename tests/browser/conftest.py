"""The product as a newcomer meets it: `manage.py play` with the bundled games, and what it prints."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import pytest

from tests.services.daphne import Installation
from tests.services.environment import ROOT
from tests.services.processes import bound_to_this_process, end, free_port, wait_until


@dataclass(frozen=True)
class Served:
    """A served installation. `link` is the printed player's link; `login` and `password` are the printed ones."""

    installation: Installation
    url: str
    link: str
    login: str
    password: str


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[Path], str]) -> Iterator[Served]:
    """What `make play` serves, over a fresh data folder."""
    var_dir = tmp_path_factory.mktemp("played")
    installation = Installation(var_dir, new_database(var_dir))
    url = f"http://127.0.0.1:{free_port()}"
    log = var_dir / "play.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            bound_to_this_process([sys.executable, "manage.py", "play", "--port", url.rpartition(":")[2]]),
            cwd=ROOT,
            env=installation.environment_of_process,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )

    def answers() -> bool:
        try:
            build_opener(ProxyHandler({})).open(url, timeout=5).close()
        except (URLError, OSError):
            return False
        return True

    try:
        wait_until(answers, process, log.read_text)
        printed = log.read_text()
        link = re.search(r"Play:\s+(\S+)", printed)
        staff = re.search(r"login (?P<login>\S+), password (?P<password>\S+)", printed)
        assert link, printed
        assert staff, printed
        yield Served(installation, url, link[1], staff["login"], staff["password"])
    finally:
        end(process, signal.SIGTERM)
