import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.arcweb.calibration.plays import make_game, make_play

pytestmark = pytest.mark.django_db

METADATA = """{
  "game_id": "ab12-1",
  "title": "AB12",   "x_unknown": {"kept": [1, 2.50, null]},
  "baseline_actions": [
    7,
    7,
    7
  ],
  "tags": ["keyboard"]
}
"""


def run(*options):
    """(stdout, stderr, the last word if it failed)."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("baselines", *options, stdout=out, stderr=err)
    except CommandError as error:
        return out.getvalue(), err.getvalue(), str(error)
    return out.getvalue(), err.getvalue(), None


@pytest.fixture(autouse=True)
def games(settings, tmp_path):
    settings.ENVIRONMENTS_DIR = tmp_path
    return tmp_path


def make_files(games, game_id="ab12-1", text=METADATA):
    directory = games.joinpath(*game_id.split("-"))
    directory.mkdir(parents=True)
    path = directory / "metadata.json"
    if text is not None:
        path.write_text(text.replace("ab12-1", game_id))
    return path


def make_played(game_id="ab12-1", levels=3, **changes):
    game = make_game(game_id, directory=game_id.replace("-", "/"), **changes)
    make_play(game, *range(5, 5 + levels))
    return game


def test_table_shows_completers_baseline_and_metadata(games):
    make_files(games)
    make_play(make_played(), 9, 8)
    make_played("cd34-1", levels=1)
    assert run() == (
        "ab12-1: 2 recordings\n"
        "  level  completers  baseline  metadata\n"
        "      1           2         9         7\n"
        "      2           2         8         7\n"
        "      3           1         7         7\n"
        "\n"
        f"cd34-1: 1 recording (cannot read {games}/cd34/1/metadata.json: No such file or directory)\n"
        "  level  completers  baseline  metadata\n"
        "      1           1         5         -\n"
        "      2           0         -         -\n"
        "      3           0         -         -\n",
        "",
        None,
    )


def test_json_is_one_object_and_nothing_else(games):
    make_files(games)
    make_played()
    make_play(make_game("cd34-1"), 4)
    make_game("ef56-1")
    out, err, failed = run("--json")
    assert json.loads(out) == {
        "ab12-1": {"baseline_actions": [5, 6, 7], "completers": [1, 1, 1], "metadata": [7, 7, 7]},
        "cd34-1": {"baseline_actions": [4, None, None], "completers": [1, 0, 0], "metadata": None},
    }
    assert (err, failed) == ("", None)


def test_no_recordings_are_said_or_an_empty_object(games):
    assert run() == ("no recordings to count\n", "", None)
    assert run("--json") == ("{}\n", "", None)


@pytest.mark.parametrize("game", ["ab12-1", "ab12"])
def test_one_game_is_found_by_id_or_name(games, game):
    make_played()
    make_played("cd34-1")
    assert list(json.loads(run("--json", "--game", game)[0])) == ["ab12-1"]


def test_game_without_recordings_can_be_asked_for(games):
    make_game(level_count=2)
    out, _, _ = run("--json", "--game", "ab12-1")
    assert json.loads(out) == {"ab12-1": {"baseline_actions": [None, None], "completers": [0, 0], "metadata": None}}


def test_unknown_game_is_an_error_that_names_it(games):
    assert run("--game", "zz99", "--json") == ("", "", "there is no game zz99")


def test_name_of_two_versions_is_an_error_that_names_both(games):
    make_played("ab12-1")
    make_played("ab12-2")
    assert run("--game", "ab12") == ("", "", "ab12 is not unique: ab12-1, ab12-2")


def test_write_replaces_the_baselines_and_nothing_else(games):
    path = make_files(games)
    make_played()
    out, err, failed = run("--write")
    assert out.endswith("written: ab12-1: level 1 7 -> 5, level 2 7 -> 6\n")
    assert (err, failed) == ("", None)
    before, _, rest = METADATA.partition("[\n    7,")
    written = path.read_text()
    assert json.loads(written) == json.loads(METADATA) | {"baseline_actions": [5, 6, 7]}
    assert written.startswith(before)
    assert written.endswith(rest[rest.index("],") :])
    assert run("--write")[0].endswith("written: ab12-1: unchanged\n")
    assert path.read_text() == written


def test_write_with_json_keeps_stdout_pure(games):
    make_files(games)
    make_played()
    out, err, _ = run("--json", "--write")
    assert json.loads(out)["ab12-1"]["metadata"] == [7, 7, 7]
    assert err == "written: ab12-1: level 1 7 -> 5, level 2 7 -> 6\n"


def test_dry_run_shows_the_difference_and_writes_nothing(games):
    path = make_files(games)
    make_played()
    out, _, failed = run("--write", "--dry-run")
    assert out.endswith("would write: ab12-1: level 1 7 -> 5, level 2 7 -> 6\n")
    assert (path.read_text(), failed) == (METADATA, None)


@pytest.mark.parametrize(
    ("text", "levels", "reason"),
    [
        (METADATA, 1, "nobody completed level 2, 3"),
        ("[1, 2]", 3, "metadata.json holds a JSON list, not an object"),
        ("{", 3, "metadata.json is not JSON"),
        (None, 3, "metadata.json: No such file"),
        (METADATA.replace("ab12-1", "zz99-2"), 3, "holds zz99-2 now"),
    ],
)
@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_write_refuses_one_game_and_does_the_others(games, text, levels, reason, dry):
    bad = make_files(games, text=text)
    good = make_files(games, "cd34-1")
    make_played(levels=levels)
    make_played("cd34-1")
    out, err, failed = run("--write", *dry)
    assert err.startswith("not written: ab12-1: ")
    assert reason in err
    assert failed == "1 of 2 games were not written"
    assert (bad.read_text() if bad.exists() else None) == text
    assert json.loads(good.read_text())["baseline_actions"] == ([7, 7, 7] if dry else [5, 6, 7])
    assert ("would write" if dry else "written") in out


def test_write_refuses_a_game_whose_files_are_not_here(games):
    make_play(make_game(), 5, 6, 7)
    _, err, failed = run("--write")
    assert err == "not written: ab12-1: the game's files are not here\n"
    assert failed
    assert list(games.iterdir()) == []


def test_files_that_came_after_the_last_scan_are_found(games):
    path = make_files(games)
    make_files(games, "zz99-1", text="no metadata")
    make_play(make_game(), 5, 6, 7)
    assert run("--write")[2] is None
    assert json.loads(path.read_text())["baseline_actions"] == [5, 6, 7]


def test_dry_run_without_write_only_prints(games):
    path = make_files(games)
    make_played()
    assert run("--dry-run") == run()
    assert path.read_text() == METADATA
