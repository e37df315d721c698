"""The play page in a real browser, as a person uses it."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

from playwright.async_api import Page, expect

from tests.services.environment import ROOT

KEYS = {1: "KeyW", 2: "KeyS", 3: "KeyA", 4: "KeyD", 5: "Space", 7: "Control+KeyZ", 0: "KeyR"}


def recorded_play(game_id: str, outcome: str) -> list[dict[str, Any]]:
    """The records of a shipped play, from the opening on, without the footer."""
    path = ROOT / "fixtures" / "recordings" / f"{game_id}.{outcome}.recording.jsonl.gz"
    with gzip.open(path, "rt") as lines:
        return [line["data"] for line in map(json.loads, lines) if "data" in line]


def moves_of(records: list[dict[str, Any]]) -> Iterator[tuple[int, int | None, int | None]]:
    """Action, x, y of every record after the opening."""
    for record in records[1:]:
        action = record["action_input"]
        yield action["id"], action["data"].get("x"), action["data"].get("y")


async def start(page: Page, link: str) -> None:
    """Follow a link and press Start; returns when the first grid is shown."""
    await page.goto(link)
    await page.get_by_role("button", name="Start").click()
    await expect(page.locator("main")).to_have_attribute("data-step", "0")


async def do(page: Page, step: int, action: int, x: int | None = None, y: int | None = None) -> None:
    """Do an action by key or mouse; returns when its last grid is shown as this step."""
    if action == 6:
        assert x is not None
        assert y is not None
        await click_cell(page, x, y)
    else:
        await page.keyboard.press(KEYS[action])
    await expect(page.locator("main")).to_have_attribute("data-step", str(step))


async def click_cell(page: Page, x: int, y: int) -> None:
    """Click the middle of a cell of the board."""
    box = await page.locator("canvas").bounding_box()
    assert box is not None
    await page.mouse.click(box["x"] + (x + 0.5) * box["width"] / 64, box["y"] + (y + 0.5) * box["height"] / 64)


async def shown_colours(page: Page) -> list[str]:
    """The colour of the middle of every cell on the canvas, row by row, as six hex digits."""
    colours = await page.locator("canvas").evaluate(
        """canvas => {
            const {width, height} = canvas, pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
            const hex = (at) => [0, 1, 2].map((i) => pixels[at + i].toString(16).padStart(2, "0")).join("");
            const cells = [];
            for (let y = 0; y < 64; y++) for (let x = 0; x < 64; x++) {
                const px = Math.floor((x + 0.5) * width / 64), py = Math.floor((y + 0.5) * height / 64);
                cells.push(hex((py * width + px) * 4));
            }
            return cells;
        }"""
    )
    return [str(colour).upper() for colour in colours]


PALETTE = """
    FFFFFF CCCCCC 999999 666666 333333 000000 E53AA3 FF7BCC
    F93C31 1E93FF 88D8F1 FFDC00 FF851B 921231 4FCC30 A356D6
""".split()  # noqa: SIM905 - as the facts about the official player list them


def colours_of(grid: list[list[int]]) -> list[str]:
    """A grid's cells, row by row, as the colours that a person should see."""
    return [PALETTE[cell] for row in grid for cell in row]
