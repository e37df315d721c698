"""The catalogue after a scan of a folder of games, good and bad."""

import json
from pathlib import Path

import pytest
from pytest_django import Settings

from arcweb.games.models import Game
from arcweb.games.scan import scan_games
from engine.catalog import source_hash
from tests import toy
from tests.arcweb.studies.builders import NOW

pytestmark = pytest.mark.django_db


def test_scan_notes_what_a_game_says_of_itself(tmp_path: Path) -> None:
    directory = toy.write_toy(tmp_path)
    (game,) = scan_games(tmp_path, NOW)
    assert (game.game_id, game.name, game.version) == ("toy0-00000001", "toy0", "00000001")
    assert (game.level_count, game.available_actions, game.default_fps) == (3, [1, 4, 5, 6], 20)
    assert (game.directory, game.source_hash) == ("toy0/00000001", source_hash(directory))
    assert list(Game.objects.playable()) == [game]


BROKEN = {
    "does not compile": "def broken(:",
    "has no class": "x = 1",
    "raises on import": "raise RuntimeError('on import')",
    "raises in its constructor": (
        "from arcengine import ARCBaseGame\n"
        "class Toy1(ARCBaseGame):\n    def __init__(self): raise KeyError('in the constructor')\n"
    ),
    "hangs in its constructor": (
        "from arcengine import ARCBaseGame\n"
        "class Toy1(ARCBaseGame):\n    def __init__(self):\n        while True: pass\n"
    ),
    "ends the process": "import os\nos._exit(0)",
    "says what no database can hold": "raise RuntimeError(chr(0xD800) + chr(0))",
}


@pytest.mark.parametrize("source", BROKEN.values(), ids=list(BROKEN))
def test_scan_names_a_broken_game_with_its_reason_and_loads_the_others(
    tmp_path: Path, settings: Settings, source: str
) -> None:
    settings.GAME_ACTION_SECONDS = 1.0
    toy.write_toy(tmp_path)
    (toy.write_toy(tmp_path, name="toy1") / "toy1.py").write_text(source)
    good, bad = scan_games(tmp_path, NOW)
    assert (good.game_id, good.problem) == ("toy0-00000001", "")
    assert bad.game_id == "toy1-00000001"
    assert len(bad.problem) > 10
    assert list(Game.objects.playable()) == [good]


@pytest.mark.parametrize("text", ["[1, 2]", "{", "null", ""])
def test_scan_of_metadata_that_is_no_object_names_it_by_its_folder_and_leaves_it(tmp_path: Path, text: str) -> None:
    metadata = toy.write_toy(tmp_path) / "metadata.json"
    metadata.write_text(text)
    (game,) = scan_games(tmp_path, NOW)
    assert game.game_id == "toy0-00000001"
    assert "metadata.json" in game.problem
    assert metadata.read_text() == text


@pytest.mark.parametrize(
    "values",
    [
        {"default_fps": 10**30},
        {"default_fps": -1, "tags": 3, "title": None},
        {"class_name": "../toy0"},
        {"class_name": "\ud800"},
        {"game_id": "\ud800"},
        {"game_id": "x" * 101},
        {"game_id": "../../etc"},
        {"baseline_actions": [{"a": 1}]},
    ],
)
def test_scan_survives_any_value_in_metadata(tmp_path: Path, values: dict[str, object]) -> None:
    metadata = {"game_id": "toy1-00000001", "class_name": "Toy1"} | values
    (toy.write_toy(tmp_path, name="toy1") / "metadata.json").write_text(json.dumps(metadata))
    toy.write_toy(tmp_path)
    assert "toy0-00000001" in [game.game_id for game in scan_games(tmp_path, NOW) if not game.problem]


def test_scan_again_forgets_the_problem_of_a_mended_game(tmp_path: Path) -> None:
    source = toy.write_toy(tmp_path) / "toy0.py"
    text = source.read_text()
    source.write_text("def broken(:")
    assert scan_games(tmp_path, NOW)[0].problem
    source.write_text(text)
    assert not scan_games(tmp_path, NOW)[0].problem
    assert Game.objects.get().problem == ""


def test_scan_of_two_folders_with_one_game_id_keeps_the_first_and_says_so(tmp_path: Path) -> None:
    first = toy.write_toy(tmp_path)
    second = toy.write_toy(tmp_path, name="toy1")
    (second / "metadata.json").write_text(json.dumps({"game_id": "toy0-00000001", "class_name": "Toy1"}))
    told: list[str] = []
    (game,) = scan_games(tmp_path, NOW, told.append)
    assert game.path.name == first.name
    assert len(told) == 1
    assert "toy1" in told[0]


def test_scan_prefers_the_folder_that_loads_to_a_broken_copy(tmp_path: Path) -> None:
    good = toy.write_toy(tmp_path)
    copy = toy.write_toy(tmp_path, name="aaa0")
    (copy / "metadata.json").write_text((good / "metadata.json").read_text())
    (game,) = scan_games(tmp_path, NOW)
    assert (game.directory, game.problem) == ("toy0/00000001", "")


def test_game_whose_files_are_gone_stays_without_them(tmp_path: Path) -> None:
    directory = toy.write_toy(tmp_path)
    scan_games(tmp_path, NOW)
    (directory / "metadata.json").unlink()
    assert scan_games(tmp_path, NOW) == []
    game = Game.objects.get()
    assert (game.directory, game.level_count) == ("", 3)
    assert not Game.objects.playable()
