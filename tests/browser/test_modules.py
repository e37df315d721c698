"""The pages' modules by themselves, in a real browser: the frame codec against ours, and the story of a recording."""

import base64
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest_asyncio
from playwright.async_api import Page, Route

from arcweb.recordings import codec
from tests.services.environment import ROOT

SITE = "http://modules.test"
DECODE = """async (steps) => {
  const { decodeFrames } = await import("/js/codec.js");
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  let last = null;
  const all = [];
  for (const step of steps) {
    try {
      const grids = await decodeFrames(bytes(step), last);
      last = grids.at(-1) ?? last;
      all.push(grids.map((grid) => btoa(String.fromCharCode(...grid))));
    } catch (error) {
      all.push(error.constructor.name);
    }
  }
  return all;
}"""
STORY = """async ([name, ...args]) => (await import("/js/replay_story.js"))[name](...args)"""
FIRST_STEP = {"action": 0, "think": None, "state": 1, "levels": 0, "full_reset": False, "frames": 1, "at": 0}


@pytest_asyncio.fixture
async def modules(page: Page) -> Page:
    """An empty page of a site that serves `static/`."""

    async def serve(route: Route) -> None:
        path = route.request.url.removeprefix(SITE)
        if path == "/":
            await route.fulfill(content_type="text/html", body="<!doctype html><link rel=icon href='data:,'>")
        else:
            await route.fulfill(content_type="text/javascript", path=ROOT / "static" / path[1:])

    await page.route(f"{SITE}/**", serve)
    await page.goto(f"{SITE}/")
    return page


async def decode(page: Page, *steps: bytes) -> list[Any]:
    """The grids of each step as the browser decodes them, each as text(), or the name of its error."""
    return list(await page.evaluate(DECODE, [base64.b64encode(step).decode() for step in steps]))


def text(grid: codec.Grid) -> str:
    """Its cells, row by row, in base64."""
    return base64.b64encode(grid.tobytes()).decode()


def changed(grid: codec.Grid, random: np.random.Generator) -> codec.Grid:
    """A copy with a few other cells."""
    copy = grid.copy()
    copy[random.integers(64, size=20), random.integers(64, size=20)] = random.integers(16, size=20)
    return copy


async def test_codec_decodes_what_the_server_encodes(modules: Page) -> None:
    random = np.random.default_rng(3)
    grid = random.integers(16, size=(64, 64), dtype=np.uint8)
    sent, expected = [], []
    for step, count in enumerate((1, 5, 0, 1, 404, 2)):
        before, grids = grid, []
        for _ in range(count):
            grid = changed(grid, random)
            grids.append(grid)
        sent.append(codec.encode(grids, None if step in (0, 4) else before))
        expected.append([text(each) for each in grids])
    assert await decode(modules, *sent) == expected


async def test_codec_rejects_damaged_frames(modules: Page) -> None:
    whole = codec.encode(np.random.default_rng(5).integers(16, size=(2, 64, 64), dtype=np.uint8))
    damaged = {
        "empty": b"",
        "cut in the head": whole[:2],
        "cut in the body": whole[:-4],
        "neither delta nor keyframe": b"\x02" + whole[1:],
        "a delta without the grid before it": b"\x00" + whole[1:],
        "more grids announced": whole[:1] + b"\x03\x00" + whole[3:],
        "fewer grids announced": whole[:1] + b"\x01\x00" + whole[3:],
        "not raw deflate": whole[:3] + zlib.compress(bytes(4096)),
        "something behind it": whole + b"more",
    }
    answers = await decode(modules, *damaged.values())
    assert dict(zip(damaged, answers, strict=True)) == dict.fromkeys(damaged, "DamagedFrames")


async def story(page: Page, name: str, steps: list[dict[str, Any]], *rest: Any) -> Any:
    """A function of the replay's story for steps that differ from FIRST_STEP as given."""
    return await page.evaluate(STORY, [name, [FIRST_STEP | step for step in steps], *rest])


async def test_story_tells_levels_resets_game_overs_and_thinking(modules: Page) -> None:
    steps: list[dict[str, Any]] = [
        {},
        {"action": 1, "think": 12.5, "at": 12_500},
        {"action": 4, "think": 1, "at": 13_500, "levels": 1, "frames": 5},
        {"action": 2, "think": 1, "at": 14_500, "levels": 1, "state": 3},
        {"action": 0, "think": 1, "at": 15_500, "levels": 1},
        {"action": 5, "think": 1, "at": 16_500, "levels": 2, "state": 2},
    ]
    assert await story(modules, "segments", steps, 2) == [
        {"level": 1, "from": 0, "to": 3},
        {"level": 2, "from": 3, "to": 6},
    ]
    said = [[remark["text"] for remark in remarks] for remarks in await story(modules, "remarks", steps, 2)]
    assert said == [[], ["long thinking"], ["level 1 done", "5 frames"], ["game over"], ["level 2 again"], ["won"]]
    assert await story(modules, "marks", steps, {"soft": 14, "hard": None}) == [
        {"kind": "thinking", "index": 1},
        {"kind": "over", "index": 3},
        {"kind": "reset", "index": 4},
        {"kind": "prompt", "index": 3},
    ]
    assert [await story(modules, "startOfLevel", steps, level) for level in (1, 2, 3, 4)] == [0, 2, 5, None]


async def test_story_leaves_levels_as_they_were_in_answers_after_the_end(modules: Page) -> None:
    steps: list[dict[str, Any]] = [{}, {"action": 1, "levels": 1, "state": 3}, {"action": 1, "levels": 0, "frames": 0}]
    assert await story(modules, "segments", steps, 4) == [
        {"level": 1, "from": 0, "to": 2},
        {"level": 2, "from": 2, "to": 3},
    ]


def test_collected_modules_import_collected_modules(static_root: Path) -> None:
    modules = [path for path in (static_root / "js").glob("*.js") if re.search(r"\.[0-9a-f]{12}\.js$", path.name)]
    imports = {
        (path.name, name) for path in modules for name in re.findall(r"""from\s*["']([^"']+)["']""", path.read_text())
    }
    assert len(imports) > 10
    wrong = {pair for pair in imports if not re.fullmatch(r"\./\w+\.[0-9a-f]{12}\.js", pair[1])}
    assert not wrong
    assert {name for _, name in imports if not (static_root / "js" / name).is_file()} == set()
