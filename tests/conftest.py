"""Fixtures for all tests. What runs around the product (servers, browser, data) is in `tests/services/`."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.db import connection, connections

from arcweb.recordings import append_only

# A test's time says nothing on a shared machine; hangs are ended by faulthandler_timeout. CI must say the same of the
# same code each time; new cases are found by everybody else's runs.
hypothesis.settings.register_profile("arc", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("arc")

STATIC_PAGES = {"client", "async_client", "admin_client", "live_server"}


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """On SQLite a real file with its journal, as in production: in memory, threads would lock each other out."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(Path(settings.VAR_DIR) / "test.sqlite3")


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """No need to destroy it: it goes with the run's data folder, or with the throwaway server."""
    return True


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """Lets Django empty the tables after transactional tests, which on SQLite is a DELETE that our triggers refuse.

    They are dropped in the flush's own transaction; `post_migrate`, which follows every flush, lays them again.
    """
    operations: Any = connection.ops
    sql_flush: Callable[..., list[str]] = operations.sql_flush

    def sql_flush_of_history(*arguments: Any, **options: Any) -> list[str]:
        return [f"DROP TRIGGER IF EXISTS {name}" for name in append_only.NAMES] + sql_flush(*arguments, **options)

    if connection.vendor == "sqlite":
        operations.sql_flush = sql_flush_of_history
    yield
    for each in connections.all(initialized_only=True):
        each.close()
        if each.vendor == "postgresql":
            each.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's wrapper only


@pytest.fixture(autouse=True)
def _static_files_for_pages(request: pytest.FixtureRequest) -> None:
    """Pages name static files by their hashed names, so these must have been collected."""
    if STATIC_PAGES & set(request.fixturenames):
        request.getfixturevalue("static_root")
