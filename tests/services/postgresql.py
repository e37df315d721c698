"""A PostgreSQL server for one test run, from the programs installed on this machine."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row

from tests.services import not_run
from tests.services.processes import bound_to_this_process, end, wait_until

MISSING = "PostgreSQL: no initdb and postgres programs found"


def programs() -> Path | None:
    """The folder of initdb and postgres: that of the initdb on PATH, else Debian's newest; None when there is none."""
    found = shutil.which("initdb")
    candidates = [Path(found).resolve().parent] if found else []
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda bin_: -int(bin_.parent.name))
    return next((bin_ for bin_ in candidates if (bin_ / "postgres").exists()), None)


class PostgreSQL:
    """One server, reached through a socket in a folder that only its owner can enter; no port is opened."""

    def __init__(self, bin_: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="arc-postgresql-"))
        # The server refuses to run as root.
        owner = _unprivileged_user() if os.geteuid() == 0 else None
        user: dict[str, Any] = {}
        if owner:
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        data = self.folder / "data"
        self._log_path = self.folder / "log"
        initdb = [str(bin_ / "initdb"), "-D", str(data), "-U", "arc", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(
            [*initdb, "--locale=C.UTF-8"], check=True, cwd=self.folder, stdout=subprocess.DEVNULL, timeout=120, **user
        )
        # fsync is for power cuts. What a commit means to the client (synchronous_commit) stays as in production.
        options = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "fsync": "off"}
        with self._log_path.open("wb") as log:
            self._process = subprocess.Popen(
                bound_to_this_process(
                    [
                        str(bin_ / "postgres"),
                        *("-D", str(data)),
                        *(part for name, value in options.items() for part in ("-c", f"{name}={value}")),
                    ],
                    signal.SIGQUIT,
                ),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **user,
            )
        try:
            wait_until(self._answers, self._process, lambda: self._log_path.read_text())
        except RuntimeError:
            self.stop()
            raise

    def url(self, database: str = "postgres") -> str:
        """For DATABASE_URL."""
        return f"postgres://arc@{quote(str(self.folder), safe='')}/{database}"

    def create_database(self, name: str, template: str = "template0") -> str:
        """Make a database, a copy of `template`, and give its URL. Nobody may be connected to the template."""
        with psycopg.connect(host=str(self.folder), user="arc", dbname="postgres", autocommit=True) as connection:
            connection.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
            )
        return self.url(name)

    def query(self, query: LiteralString, database: str = "postgres") -> list[dict[str, Any]]:
        """Rows of a query, from a connection of its own."""
        with psycopg.connect(self.url(database), row_factory=dict_row) as connection:
            return connection.execute(query).fetchall()

    def stop(self) -> None:
        """End the server, its clients' sessions with it, and remove its folder."""
        end(self._process, signal.SIGINT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        try:
            psycopg.connect(host=str(self.folder), user="arc", dbname="postgres", connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


def _unprivileged_user() -> pwd.struct_passwd:
    with contextlib.suppress(KeyError):
        return pwd.getpwnam("postgres")
    return pwd.getpwnam("nobody")


RUNNING = pytest.StashKey[PostgreSQL]()


@pytest.fixture(scope="session")
def postgresql_server(pytestconfig: pytest.Config) -> Iterator[PostgreSQL]:
    """The run's PostgreSQL server, whichever database the other tests use."""
    if RUNNING in pytestconfig.stash:
        yield pytestconfig.stash[RUNNING]
    elif bin_ := programs():
        server = PostgreSQL(bin_)
        yield server
        server.stop()
    else:
        not_run(MISSING)
