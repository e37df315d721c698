"""Chromium, driven by Playwright's asynchronous interface. An error in a page's console fails the test."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, WebError, async_playwright

from tests.services import not_run
from tests.services.outcomes import has_failed

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Nothing may be asked of hosts outside: neither tests nor CI have a network.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The system's Chromium program."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        not_run("browser: no Chromium program found")
    return Path(program)


@pytest_asyncio.fixture
async def browser(chromium: Path) -> AsyncIterator[Browser]:
    """A headless browser of this test's own."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        await browser.close()


@pytest.fixture
def page_errors() -> list[str]:
    """Errors of all pages of the test: console errors and uncaught exceptions. Must be empty at its end.

    A test that provokes one asserts what it is, then clears the list.
    """
    return []


@pytest_asyncio.fixture
async def context(
    request: pytest.FixtureRequest, browser: Browser, page_errors: list[str]
) -> AsyncIterator[BrowserContext]:
    """One person's browser: its pages share cookies. 1280x800; `page.set_viewport_size` changes it."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(15_000)

    def note_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            page_errors.append(f"{message.location['url']}: {message.text}")

    def note_exception(error: WebError) -> None:
        page_errors.append(str(error.error))

    context.on("console", note_console)
    context.on("weberror", note_exception)
    yield context
    if has_failed(request) or page_errors:
        folder = Path(tempfile.mkdtemp(prefix="arc-failure-"))
        for number, page in enumerate(context.pages):
            path = folder / f"page-{number}.png"
            await page.screenshot(path=path)
            print(f"{page.url} is shown in {path}")
    await context.close()
    assert not page_errors, page_errors


@pytest_asyncio.fixture
async def page(context: BrowserContext) -> Page:
    """An empty page of the person's browser."""
    return await context.new_page()
