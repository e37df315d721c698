"""One test run: lays the ground before Django's settings load, and says at the end what could not run.

Tests get a data folder and settings of their own: nothing of the developer's `var/` or `.env` is read or written.
`--database postgresql` runs the tests that use a database on a throwaway PostgreSQL server instead of SQLite.
"""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.services import NOT_RUN, postgresql
from tests.services.environment import settings_environment

VAR_DIR = pytest.StashKey[Path]()
USES_DATABASE = {"db", "transactional_db", "django_db_reset_sequences", "live_server", "new_database"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database",
        choices=("sqlite", "postgresql"),
        default="sqlite",
        help="postgresql: run only the tests that use a database, on a throwaway PostgreSQL server",
    )


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    """A wrapper, because pytest-django loads the settings in this hook, and we must come first."""
    var_dir = Path(tempfile.mkdtemp(prefix="arc-tests-"))
    early_config.stash[VAR_DIR] = var_dir
    (var_dir / "static").mkdir()
    database_url = ""
    if early_config.known_args_namespace.database == "postgresql":
        if programs := postgresql.programs():
            early_config.stash[postgresql.RUNNING] = server = postgresql.PostgreSQL(programs)
            early_config.add_cleanup(server.stop)
            database_url = server.url("arc")
        elif os.environ.get("REQUIRE_ALL") == "1":
            raise pytest.UsageError(f"{NOT_RUN}{postgresql.MISSING} (REQUIRE_ALL=1)")
    early_config.add_cleanup(lambda: shutil.rmtree(var_dir, ignore_errors=True))
    os.environ.update(settings_environment(var_dir, database_url))
    return (yield)


def pytest_report_header(config: pytest.Config) -> str:
    return f"database: {config.getoption('--database')}"


def pytest_itemcollected(item: pytest.Item) -> None:
    fixtures = set(getattr(item, "fixturenames", ()))
    if item.get_closest_marker("django_db") or (USES_DATABASE & fixtures and "browser" not in fixtures):
        item.add_marker(pytest.mark.database)  # a browser sees no database: one kind is enough for it


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--database") == "sqlite":
        return
    chosen = [item for item in items if item.get_closest_marker("database")]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
    items[:] = chosen
    if postgresql.RUNNING not in config.stash:
        for item in items:
            item.add_marker(pytest.mark.skip(reason=NOT_RUN + postgresql.MISSING))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name every part that could not run, with the number of tests it took along."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ") for report in skipped if isinstance(report.longrepr, tuple)
    )
    for reason, tests in sorted(reasons.items()):
        if reason.startswith(NOT_RUN):
            terminalreporter.write_line(f"{reason} ({tests} tests)", yellow=True)
