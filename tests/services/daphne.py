"""The product as it is run: Daphne in a process of its own, over its own data folder and database."""

import os
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Protocol
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, build_opener

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from psycopg.rows import dict_row

from tests.services.environment import ROOT, settings_environment
from tests.services.outcomes import has_failed
from tests.services.postgresql import RUNNING
from tests.services.processes import bound_to_this_process, end, free_port, wait_until


class Installation:
    """One data folder with its database, and the management commands over it. `environment` holds its settings."""

    def __init__(self, var_dir: Path, database_url: str = "", **changed_settings: str) -> None:
        self.var_dir = var_dir
        self.environment = {**settings_environment(var_dir, database_url), **changed_settings}

    @property
    def environment_of_process(self) -> dict[str, str]:
        """This process's environment, under this installation's settings."""
        return {**os.environ, **self.environment}

    def manage(self, *arguments: str, timeout: float = 120) -> str:
        """What a management command prints. RuntimeError with all it said when it exits with anything but 0."""
        done = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            check=False,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=ROOT,
            env=self.environment_of_process,
        )
        if done.returncode:
            raise RuntimeError(
                f"manage.py {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
            )
        return done.stdout

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Read from the database with plain SQL, beside the running server."""
        url = self.environment["DATABASE_URL"]
        if url.startswith("sqlite"):
            with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=20)) as connection:
                connection.row_factory = sqlite3.Row
                return [dict(row) for row in connection.execute(query)]
        with psycopg.connect(url, row_factory=dict_row) as connection:
            return connection.execute(query.encode()).fetchall()


class Server(Installation):
    """A running product on a loopback port that stays the same over `kill` and `restart`."""

    def __init__(self, var_dir: Path, database_url: str = "", **changed_settings: str) -> None:
        super().__init__(var_dir, database_url, **changed_settings)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log_path = var_dir / "server.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Of the server process, running or the last one that ran."""
        assert self._process is not None, "the server was never started"
        return self._process.pid

    @property
    def log(self) -> str:
        """All that the server has printed, over all its starts."""
        return self._log_path.read_text(errors="replace") if self._log_path.exists() else ""

    def start(self) -> None:
        """Start, and wait until it answers HTTP."""
        daphne = [sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(self.port), "arcweb.asgi:application"]
        with self._log_path.open("ab") as log:
            self._process = subprocess.Popen(
                bound_to_this_process(daphne),
                cwd=ROOT,
                env=self.environment_of_process,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_until(self._answers, self._process, lambda: self.log)

    def kill(self) -> None:
        """End it as a crash would (SIGKILL): nothing is finished, nothing is flushed."""
        assert self._process is not None, "the server was never started"
        end(self._process, signal.SIGKILL)

    def stop(self) -> None:
        """End it as a deploy would (SIGTERM)."""
        if self._process is not None:
            end(self._process, signal.SIGTERM)

    def restart(self) -> None:
        """Start again on the same port and database; stops it first when it still runs."""
        self.stop()
        self.start()

    def _answers(self) -> bool:
        try:
            build_opener(ProxyHandler({})).open(self.url, timeout=5).close()
        except HTTPError as answer:
            answer.close()
        except (URLError, OSError):
            return False
        return True


class StartServer(Protocol):
    def __call__(self, **changed_settings: str) -> Server: ...


@pytest.fixture(scope="session")
def static_root() -> Path:
    """All static files with hashed names, collected once for the run: in-process tests and servers share them."""
    call_command("collectstatic", interactive=False, verbosity=0)
    return Path(settings.STATIC_ROOT)


@pytest.fixture(scope="session")
def new_database(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], str]:
    """Gives the URL of a new, migrated database of the run's kind; an SQLite file lies in the given folder."""
    template = Installation(tmp_path_factory.mktemp("template"))
    postgresql = pytestconfig.stash.get(RUNNING, None)
    name = f"template_{secrets.token_hex(4)}"
    if postgresql is not None:
        template.environment["DATABASE_URL"] = postgresql.create_database(name)
    template.manage("migrate", "--verbosity=0")

    def new(folder: Path) -> str:
        if postgresql is not None:
            return postgresql.create_database(f"server_{secrets.token_hex(4)}", template=name)
        for file in template.var_dir.glob("db.sqlite3*"):
            shutil.copy(file, folder / file.name)
        return f"sqlite:///{folder / 'db.sqlite3'}"

    return new


@pytest.fixture
def start_server(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    static_root: Path,
    new_database: Callable[[Path], str],
) -> Iterator[StartServer]:
    """Starts servers with a new database each; keywords are settings: `start_server(GAME_ACTION_SECONDS="1")`."""
    with ExitStack() as stack:

        def start(**changed_settings: str) -> Server:
            var_dir = tmp_path_factory.mktemp("server")
            (var_dir / "static").symlink_to(static_root)
            server = Server(var_dir, new_database(var_dir), **changed_settings)
            stack.callback(_show_log_of_failed_test, request, server)
            stack.callback(server.stop)
            server.start()
            return server

        yield start


@pytest.fixture
def server(start_server: StartServer) -> Server:
    """The product, running over a new and migrated database without games."""
    return start_server()


def _show_log_of_failed_test(request: pytest.FixtureRequest, server: Server) -> None:
    if has_failed(request):
        print(f"{server.url} printed:\n{server.log[-20_000:]}")
