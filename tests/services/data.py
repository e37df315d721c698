"""Real data that lies beside the repository and is never copied into it."""

import os
from pathlib import Path

import pytest

from tests.services import not_run
from tests.services.environment import ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder `../shared/data`."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        not_run("real data: no folder ../shared/data")
    return folder


@pytest.fixture(scope="session")
def human_counts() -> Path:
    """human_counts.json, action counts of the released human test: where ARC_HUMAN_COUNTS says, or shared."""
    named = os.environ.get("ARC_HUMAN_COUNTS")
    path = Path(named) if named else ROOT.parent / "shared" / "data" / "human_counts.json"
    if not path.is_file():
        not_run("human counts: no ../shared/data/human_counts.json, and ARC_HUMAN_COUNTS names no file")
    return path
