"""The main job, end to end: play in the browser, find the record in the database, watch the replay, calibrate."""

import json
from typing import Any

import numpy as np
from playwright.async_api import Page, expect

from arcweb.recordings import codec
from tests.browser.conftest import Served
from tests.browser.pages import click_cell, colours_of, do, moves_of, recorded_play, shown_colours, start
from tests.services.daphne import Installation

KEYBOARD, CLICK = "kp31-5d2c7e90", "vq58-91b3e04c"


def attempts_of(installation: Installation, game_id: str) -> list[dict[str, Any]]:
    """All attempts of a game, newest first, with their recordings."""
    return installation.rows(
        "SELECT a.*, r.guid, p.number FROM studies_attempt a JOIN recordings_recording r ON r.id = a.recording_id "
        "JOIN games_game g ON g.id = a.game_id JOIN studies_participant p ON p.id = a.participant_id "
        f"WHERE g.game_id = '{game_id}' ORDER BY a.id DESC"
    )


def assert_recorded(installation: Installation, attempt: dict[str, Any], records: list[dict[str, Any]]) -> None:
    """Every step and every frame in the database is as in the shipped play."""
    steps = installation.rows(
        f"SELECT * FROM recordings_step WHERE recording_id = {attempt['recording_id']} ORDER BY step"
    )
    assert [step["step"] for step in steps] == list(range(len(records)))
    grid = None
    for step, record in zip(steps, records, strict=True):
        frames = codec.decode(bytes(step["frames"]), grid)
        grid = frames[-1]
        assert np.array_equal(frames, record["frame"]), f"step {step['step']}"
        assert step["action"] == record["action_input"]["id"]
        assert step["levels_completed"] == record["levels_completed"]
    assert all(step["key_down_ms"] for step in steps[1:]), "a person's key or pointer went down for each"


async def test_keyboard_game_won_by_keys_is_recorded_replayed_and_counted(page: Page, served: Served) -> None:
    records = recorded_play(KEYBOARD, "won")
    await start(page, served.link)
    for step, (action, _, _) in enumerate(moves_of(records), start=1):
        await do(page, step, action)
    await expect(page.locator("main")).to_have_attribute("data-state", "win")
    await expect(page.get_by_role("heading", name="You completed the whole game")).to_be_visible()

    attempt = attempts_of(served.installation, KEYBOARD)[0]
    assert attempt["outcome"] == "won"
    assert_recorded(served.installation, attempt, records)

    await log_in(page, served)
    await page.goto(f"{served.url}/staff/replay/{attempt['guid']}/")
    await expect(page.locator("main")).to_have_attribute("data-step", "0")
    await page.keyboard.press("End")
    await expect(page.locator("main")).to_have_attribute("data-step", str(len(records) - 1))
    assert await shown_colours(page) == colours_of(records[-1]["frame"][-1])

    figures = json.loads(served.installation.manage("baselines", "--json", "--game", KEYBOARD))[KEYBOARD]
    assert min(figures["completers"]) >= 1
    assert all(isinstance(value, int) for value in figures["baseline_actions"])


async def log_in(page: Page, served: Served) -> None:
    """Log in with the printed name and password."""
    await page.goto(f"{served.url}/login/")
    await page.get_by_label("Name").fill(served.login)
    await page.get_by_label("Password").fill(served.password)
    await page.get_by_role("button", name="Log in").click()
    await expect(page).to_have_url(f"{served.url}/staff/games/")


async def test_click_game_won_with_the_mouse_is_recorded(page: Page, served: Served) -> None:
    records = recorded_play(CLICK, "won")
    link = served.url + served.installation.manage("open_study", "Click", CLICK).strip()
    await start(page, link)
    for step, move in enumerate(moves_of(records), start=1):
        await do(page, step, *move)
    await expect(page.locator("main")).to_have_attribute("data-state", "win")
    assert_recorded(served.installation, attempts_of(served.installation, CLICK)[0], records)
    await page.get_by_role("link", name="Continue").or_(page.get_by_role("button", name="Continue")).click()
    await expect(page.get_by_text("Thank you")).to_be_visible()


async def test_cutoff_ends_the_game_in_front_of_the_player(page: Page, served: Served) -> None:
    limits = ("--soft-limit", "2", "--hard-limit", "4")
    link = served.url + served.installation.manage("open_study", "Short", KEYBOARD, *limits).strip()
    await start(page, link)
    await do(page, 1, 4)
    await expect(page.locator("main")).to_have_attribute("data-phase", "prompted")
    await expect(page.get_by_text("Please bring this game to an end.", exact=True)).to_be_visible()
    await expect(page.get_by_role("heading", name="Time is up for this game")).to_be_visible()
    await page.keyboard.press("KeyD")
    attempt = attempts_of(served.installation, KEYBOARD)[0]
    assert attempt["outcome"] == "time_limit"
    steps = served.installation.rows(
        f"SELECT step FROM recordings_step WHERE recording_id = {attempt['recording_id']} ORDER BY step"
    )
    assert [step["step"] for step in steps] == [0, 1]


async def test_unavailable_keys_and_a_held_key_cost_nothing_more(page: Page, served: Served) -> None:
    await start(page, served.link)
    await click_cell(page, 30, 30)
    await page.keyboard.press("Control+KeyZ")
    await page.keyboard.press("KeyR")
    await page.keyboard.press("KeyQ")
    await page.keyboard.down("KeyD")
    for _ in range(5):
        await page.keyboard.down("KeyD")  # a held key repeats
    await page.keyboard.up("KeyD")
    await do(page, 2, 1)
    attempt = attempts_of(served.installation, KEYBOARD)[0]
    steps = served.installation.rows(
        f"SELECT action FROM recordings_step WHERE recording_id = {attempt['recording_id']} ORDER BY step"
    )
    assert [step["action"] for step in steps] == [0, 4, 1]


async def test_each_use_of_the_link_is_a_new_participant(page: Page, served: Served) -> None:
    await start(page, served.link)
    await start(page, served.link)
    newest, older = attempts_of(served.installation, KEYBOARD)[:2]
    assert newest["participant_id"] != older["participant_id"]


async def test_modal_names_only_the_controls_of_the_game(page: Page, served: Served) -> None:
    await page.goto(served.link)
    text = (await page.locator("body").inner_text()).lower()
    assert "start" in text
    assert "click" not in text
    assert "undo" not in text
    for word in ("goal", "herd", "level_tags", "agents", "keyboard game"):
        assert word not in text
