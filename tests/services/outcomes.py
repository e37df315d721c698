"""How a test has gone so far, for fixtures that show more after a failure."""

from collections.abc import Generator

import pytest

FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


def has_failed(request: pytest.FixtureRequest) -> bool:
    """Whether setting up or running the test that this fixture serves has failed."""
    failed: bool = request.node.stash.get(FAILED, False)
    return failed
