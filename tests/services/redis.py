"""A Redis server for one test run, from the program installed on this machine."""

import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services import not_run
from tests.services.processes import bound_to_this_process, end, free_port, wait_until


class Redis:
    """One server on a free loopback port, in memory only."""

    def __init__(self, program: str, folder: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        log_path = folder / "log"
        command = [program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder)]
        with log_path.open("wb") as log:
            self._process = subprocess.Popen(
                bound_to_this_process([*command, "--save", "", "--appendonly", "no"]),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            wait_until(self._answers, self._process, log_path.read_text)
        except RuntimeError:
            self.stop()
            raise

    def stop(self) -> None:
        end(self._process, signal.SIGTERM)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(7).startswith(b"+PONG")
        except OSError:
            return False


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """The run's Redis server."""
    program = shutil.which("redis-server")
    if program is None:
        not_run("Redis: no redis-server program found")
    server = Redis(program, tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture
def redis_url(redis_server: Redis) -> str:
    """For REDIS_URL; also in the subprocess servers of `start_server(REDIS_URL=redis_url)`."""
    return redis_server.url
