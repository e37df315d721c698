"""What tests need around the product: throwaway servers, a browser, real data; and words for what is missing."""

import os
from typing import NoReturn

import pytest

NOT_RUN = "Not run: "


def not_run(reason: str) -> NoReturn:
    """Skip this test because a part of the machine is missing; the summary names it. A failure under REQUIRE_ALL=1."""
    if os.environ.get("REQUIRE_ALL") == "1":
        pytest.fail(f"{NOT_RUN}{reason} (REQUIRE_ALL=1)", pytrace=False)
    pytest.skip(NOT_RUN + reason)
