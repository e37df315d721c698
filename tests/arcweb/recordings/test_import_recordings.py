import gzip
import io
import json
from datetime import UTC, datetime

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from arcweb.games.models import Game
from arcweb.recordings.erasure import erase
from arcweb.recordings.models import Erasure, Origin, Recording, State, Step
from arcweb.recordings.store import frames_of
from tests.arcweb.recordings.official import BEGIN, FOOTER, GAME, GRID, GUID, make_line, make_lines, write_lines

pytestmark = pytest.mark.django_db
OTHER = "7f1c2d3e-0000-4000-8000-00000000abcd"


def run(path, *options):
    """(what the command printed, what it complained of, its last word if it failed)."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("import_recordings", str(path), *options, stdout=out, stderr=err)
    except CommandError as error:
        return out.getvalue(), err.getvalue(), str(error)
    return out.getvalue(), err.getvalue(), None


def test_steps_and_frames_are_stored_as_recorded(tmp_path):
    turned = np.rot90(GRID).tolist()
    lines = [
        make_line(0, frame=[GRID]),
        make_line(1, action="ACTION2", frame=[turned, GRID, turned]),
        make_line(2, action_input={"id": 6, "data": {"x": 3, "y": 61}}, frame=[turned], levels_completed=1),
        make_line(3, state="GAME_OVER", frame=[GRID], levels_completed=1),
        make_line(4, state="GAME_OVER", frame=[], levels_completed=0, win_levels=0),
        make_line(5, action=0, frame=[turned], levels_completed=1),
        FOOTER,
    ]
    path = write_lines(tmp_path / f"{GUID}.recording.jsonl", lines)
    assert run(path) == ("imported 1 recordings, 6 steps; skipped 0; refused 0\n", "", None)
    recording = Recording.objects.get()
    assert (recording.guid, recording.origin, recording.created_at) == (GUID, Origin.IMPORTED_HUMAN, BEGIN)
    stored = list(frames_of(recording))
    assert [step.action for step, _ in stored] == [0, 2, 6, 1, 1, 0]
    assert [(step.x, step.y) for step, _ in stored][1:3] == [(None, None), (3, 61)]
    assert [step.state for step, _ in stored][2:] == [State.NOT_FINISHED, State.GAME_OVER, State.GAME_OVER, 1]
    assert [step.levels_completed for step, _ in stored] == [0, 0, 1, 1, 0, 1]
    assert [step.full_reset for step, _ in stored] == [True] + [False] * 5
    for line, (_, frames) in zip(lines, stored, strict=False):
        assert frames.tolist() == line["data"]["frame"]


def test_recording_without_frame_data_has_no_frames(tmp_path):
    run(write_lines(tmp_path / "a.jsonl", make_lines(3)))
    assert list(Step.objects.values_list("step", "frames")) == [(0, None), (1, None), (2, None), (3, None)]


def test_opening_record_keeps_its_label(tmp_path):
    run(
        write_lines(
            tmp_path / "a.jsonl", [make_line(0, action_input={"id": 6, "data": {"x": 1, "y": 2}}), make_line(1)]
        )
    )
    assert Step.objects.filter(step=0).values_list("action", "x", "y").get() == (6, 1, 2)


def test_folder_of_any_depth_is_imported_compressed_or_not(tmp_path):
    write_lines(tmp_path / "deep/er/a.jsonl", make_lines(2))
    (tmp_path / "b.jsonl.gz").write_bytes(
        gzip.compress("\n".join(json.dumps(line) for line in make_lines(3, guid=OTHER)).encode())
    )
    out, _, failed = run(tmp_path)
    assert (out, failed) == ("imported 2 recordings, 7 steps; skipped 0; refused 0\n", None)


def test_origin_says_whose_plays_they_are(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", make_lines(1))
    run(path, "--origin", "agent")
    assert Recording.objects.get().origin == Origin.IMPORTED_AGENT
    _, err, failed = run(path, "--origin", "human")
    assert "is here already, with the origin imported agent" in err
    assert failed


def test_game_that_is_not_here_enters_the_catalogue_without_files(tmp_path):
    run(write_lines(tmp_path / "a.jsonl", make_lines(1, game_id="ab12-1-beta")))
    game = Game.objects.get()
    assert (game.game_id, game.name, game.version) == ("ab12-1-beta", "ab12", "1-beta")
    assert (game.level_count, game.directory) == (3, "")
    assert not Game.objects.playable().exists()


def test_game_without_a_version_is_taken_as_it_is(tmp_path):
    run(write_lines(tmp_path / "a.jsonl", make_lines(1, game_id="ab12")))
    assert Game.objects.values_list("name", "version").get() == ("ab12", "")


def test_known_game_is_left_alone(tmp_path):
    Game.objects.create(game_id=GAME, name="ab12", directory="ab12/x", level_count=0, problem="does not load")
    before = Game.objects.values().get()
    run(write_lines(tmp_path / "a.jsonl", make_lines(1)))
    assert Game.objects.values().get() == before


def test_second_import_changes_nothing_and_says_so(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [make_line(0, frame=[GRID]), make_line(1, frame=[GRID])])
    run(tmp_path)
    before = list(Step.objects.values_list())
    out, err, failed = run(tmp_path)
    assert out == (f"{path}: {GUID} already here, skipped\nimported 0 recordings, 0 steps; skipped 1; refused 0\n")
    assert (err, failed) == ("", None)
    assert list(Step.objects.values_list()) == before


@pytest.mark.parametrize(
    ("change", "step"),
    [
        ([make_line(0, frame=[GRID]), make_line(1, frame=[GRID[::-1]])], 1),
        ([make_line(0, frame=[GRID]), make_line(1, action=2, frame=[GRID])], 1),
        ([make_line(0, frame=[GRID]), make_line(1)], 1),
        ([make_line(0, frame=[GRID]), make_line(1, frame=[GRID]), make_line(2, frame=[GRID])], 2),
    ],
)
def test_other_recording_of_the_same_guid_is_refused(tmp_path, change, step):
    run(write_lines(tmp_path / "a.jsonl", [make_line(0, frame=[GRID]), make_line(1, frame=[GRID])]))
    path = write_lines(tmp_path / "b.jsonl", change)
    _, err, failed = run(path)
    assert err == f"{path}: {GUID} is here already and differs from step {step} on\n"
    assert failed
    assert Step.objects.count() == 2


def test_guid_of_another_games_recording_is_refused(tmp_path):
    run(write_lines(tmp_path / "a.jsonl", make_lines(2)))
    _, err, failed = run(write_lines(tmp_path / "b.jsonl", make_lines(2, game_id="cd34-1")))
    assert f"is here already, as a play of {GAME}" in err
    assert failed
    assert not Game.objects.filter(game_id="cd34-1").exists()


@pytest.mark.parametrize(("stub", "real"), [("a", "b"), ("b", "a")])
def test_stub_gives_way_to_the_play_of_the_same_guid(tmp_path, stub, real):
    write_lines(tmp_path / f"{stub}.jsonl", make_lines(0))
    write_lines(tmp_path / f"{real}.jsonl", make_lines(5))
    for _ in range(2):
        _, err, failed = run(tmp_path)
        assert (err, failed) == ("", None)
        assert Recording.objects.get().steps.count() == 6


def test_erased_recording_does_not_come_back(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", make_lines(2))
    run(path)
    erase(Recording.objects.get(), by="ada", reason="asked for", now=datetime(2026, 6, 1, tzinfo=UTC))
    out, _, failed = run(path)
    assert "this recording was erased" in out
    assert failed is None
    assert (Recording.objects.count(), Erasure.objects.count()) == (0, 1)


def test_bad_file_is_refused_whole_and_the_others_are_imported(tmp_path):
    first = write_lines(
        tmp_path / "1.jsonl", [*make_lines(700, game_id="cd34-1", guid=OTHER), "not JSON", make_line(2)]
    )
    write_lines(tmp_path / "2.jsonl", make_lines(2))
    third = write_lines(tmp_path / "3.jsonl", [make_line(0), make_line(1, levels_completed=300)])
    out, err, failed = run(tmp_path)
    assert out == ""
    assert err.splitlines() == [
        f"{first}:702: not JSON: Expecting value: line 1 column 1 (char 0)",
        f"{third}:2: levels_completed must be an integer from 0 to 254, got 300",
    ]
    assert failed == "imported 1 recordings, 3 steps; skipped 0; refused 2"
    assert Recording.objects.get().guid == GUID
    assert Game.objects.get().game_id == GAME


def test_last_line_cut_short_is_warned_of_and_the_rest_imported(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [*make_lines(2), json.dumps(make_line(3))[:50]], end="")
    out, err, failed = run(path)
    assert err == f"{path}:4: warning: the last line is cut short and was left out\n"
    assert (Step.objects.count(), failed) == (3, None)
    assert "imported 1" in out


def test_records_without_an_action_are_warned_of(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", make_lines(3, action_input=None))
    _, err, _ = run(path)
    assert err == f"{path}: warning: 3 records do not name their action; they were taken as RESET\n"


@pytest.mark.parametrize("name", ["nothing", "empty"])
def test_path_without_recordings_is_an_error(tmp_path, name):
    (tmp_path / "empty").mkdir()
    assert run(tmp_path / name)[2].startswith(str(tmp_path / name))


def test_file_longer_than_what_is_made_ready_is_whole_or_not_at_all(tmp_path, monkeypatch):
    monkeypatch.setattr("arcweb.recordings.imports.READY", 5)
    monkeypatch.setattr("arcweb.recordings.imports.BATCH", 3)
    lines = make_lines(11)
    assert run(write_lines(tmp_path / "bad.jsonl", [*lines, "oops"]))[2]
    assert not Recording.objects.exists()
    run(write_lines(tmp_path / "good.jsonl", lines))
    assert list(Step.objects.values_list("step", flat=True)) == list(range(12))
