"""A killed server, a reload and a second tab in front of a person: nothing is lost and nothing is done twice."""

import pytest
from playwright.async_api import BrowserContext, Page, expect

from tests.browser.pages import do, shown_colours, start
from tests.services.daphne import Server, StartServer

GAME = "kp31-5d2c7e90"


@pytest.fixture
def served_study(start_server: StartServer) -> tuple[Server, str]:
    """A server with the bundled games, and the address of a study of the keyboard game."""
    server = start_server()
    server.manage("load_games")
    return server, server.url + server.manage("open_study", "Resume", GAME).strip()


def steps_of(server: Server) -> list[tuple[int, int]]:
    return [(row["step"], row["action"]) for row in server.rows("SELECT * FROM recordings_step ORDER BY step")]


async def test_killed_server_comes_back_by_itself_and_a_reload_shows_the_same(
    served_study: tuple[Server, str], page: Page, page_errors: list[str]
) -> None:
    server, link = served_study
    await start(page, link)
    for step, action in enumerate((4, 3, 2), start=1):
        await do(page, step, action)
    before = await shown_colours(page)
    server.kill()
    await expect(page.locator("main")).not_to_have_attribute("data-connection", "online")
    await page.keyboard.press("KeyD")  # pressed into the dark: sent when the server is back
    server.restart()
    await expect(page.locator("main")).to_have_attribute("data-step", "4", timeout=30_000)
    assert steps_of(server) == [(0, 0), (1, 4), (2, 3), (3, 2), (4, 4)]

    after = await shown_colours(page)
    await page.reload()
    await expect(page.locator("main")).to_have_attribute("data-step", "4")
    assert await shown_colours(page) == after
    assert len(before) == len(after) == 64 * 64
    page_errors.clear()  # the browser reports each connection that was refused meanwhile


async def test_second_tab_takes_over_and_the_first_says_so(
    served_study: tuple[Server, str], context: BrowserContext, page: Page
) -> None:
    server, link = served_study
    await start(page, link)
    await do(page, 1, 4)
    second = await context.new_page()
    await second.goto(page.url)
    await expect(second.locator("main")).to_have_attribute("data-step", "1")
    await expect(page.get_by_role("heading", name="Playing continues in another tab")).to_be_visible()
    await page.keyboard.press("KeyD")
    await do(second, 2, 3)
    assert steps_of(server) == [(0, 0), (1, 4), (2, 3)]
