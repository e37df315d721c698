import io
import json
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from arcengine import FrameData
from django.core.management import CommandError, call_command
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from hypothesis.extra.numpy import arrays

from arcweb.games.models import Game
from arcweb.recordings.models import Origin, Recording, State, Step
from arcweb.recordings.store import encode_frames, frames_of
from tests.arcweb.recordings.official import FOOTER, GAME, GRID, GUID, make_line, make_lines, write_lines

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def export(*arguments):
    out = io.StringIO()
    call_command("export_recordings", *map(str, arguments), stdout=out)
    return [Path(line) for line in out.getvalue().splitlines()]


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.django_db
def test_export_of_an_import_is_the_file_again(tmp_path):
    lines = [
        make_line(0, frame=[GRID]),
        make_line(1, frame=[GRID, GRID[::-1]]),
        make_line(2, action_input={"id": 6, "data": {"x": 5, "y": 6}, "reasoning": None}, frame=[], levels_completed=0),
        make_line(3, state="WIN", levels_completed=3),
    ]
    call_command("import_recordings", str(write_lines(tmp_path / "a.jsonl", lines)), stdout=io.StringIO())
    [path] = export(GUID, tmp_path / "out")
    assert path == tmp_path / "out" / f"{GUID}.recording.jsonl"
    *records, _footer = lines_of(path)
    for line in lines:
        line["data"]["action_input"]["data"]["game_id"] = GAME
    assert records == lines


@pytest.mark.django_db
def test_export_reads_in_the_reference_data_model(tmp_path):
    lines = [make_line(0, frame=[GRID]), make_line(1, frame=[GRID, GRID], state="GAME_OVER")]
    call_command("import_recordings", str(write_lines(tmp_path / "a.jsonl", lines)), stdout=io.StringIO())
    *records, _footer = lines_of(export(GUID, tmp_path)[0])
    frames = [FrameData.model_validate(record["data"]) for record in records]
    assert [len(frame.frame) for frame in frames] == [1, 2]
    assert frames[1].action_input.id.name == "ACTION1"


@pytest.mark.django_db
def test_footer_is_the_scorecard_of_the_play(tmp_path):
    played = [
        make_line(0, frame=[GRID]),
        make_line(1, frame=[GRID]),
        make_line(2, frame=[GRID], levels_completed=1),
        make_line(3, frame=[GRID], levels_completed=1, state="GAME_OVER"),
        make_line(4, frame=[], levels_completed=0, state="GAME_OVER"),
        make_line(5, action=0, frame=[GRID], levels_completed=1),
        make_line(6, frame=[GRID], levels_completed=3, state="WIN"),
        make_line(7, action=0, frame=[GRID], full_reset=True),
        make_line(8, frame=[GRID]),
    ]
    call_command("import_recordings", str(write_lines(tmp_path / "a.jsonl", played)), stdout=io.StringIO())
    footer = lines_of(export(GUID, tmp_path)[0])[-1]
    assert footer == {
        "won": 1,
        "played": 1,
        "total_actions": 6,
        "levels_completed": 3,
        "cards": {
            GAME: {
                "game_id": GAME,
                "total_plays": 2,
                "guids": [GUID, GUID],
                "levels_completed": [3, 0],
                "states": ["WIN", "NOT_FINISHED"],
                "actions": [5, 1],
                "actions_by_level": [[[1, 2], [2, 5], [3, 5]], []],
                "resets": [1, 0],
                "total_actions": 6,
            }
        },
    }
    assert FOOTER.keys() == footer.keys()


@pytest.mark.django_db
def test_all_recordings_of_a_game_are_exported(tmp_path):
    for guid, game in (("g1", GAME), ("g2", GAME), ("g3", "cd34-1")):
        path = write_lines(tmp_path / f"{guid}.jsonl", make_lines(1, guid=guid, game_id=game))
        call_command("import_recordings", str(path), stdout=io.StringIO())
    paths = export("--game", GAME, tmp_path / "out")
    assert sorted(path.name for path in paths) == ["g1.recording.jsonl", "g2.recording.jsonl"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(path.name for path in paths)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "arguments", [["nobody", "out"], ["--game", "zz99", "out"], ["out"], ["g", "--game", "x", "out"]]
)
def test_export_of_nothing_is_an_error(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError):
        export(*arguments)
    assert not (tmp_path / "out").exists()


grids = arrays(
    np.uint8, st.tuples(st.integers(0, 3), st.just(64), st.just(64)), elements=st.integers(0, 15), fill=st.just(5)
)
steps = st.builds(
    dict,
    action=st.integers(0, 7),
    place=st.none() | st.tuples(st.integers(0, 63), st.integers(0, 63)),
    after=st.timedeltas(timedelta(0), timedelta(hours=1)),
    state=st.sampled_from(State),
    levels=st.integers(0, 254),
    full_reset=st.booleans(),
    available_actions=st.integers(0, 127).map(lambda bits: bits << 1),
    frames=st.none() | grids,
)


class RoundTrip(TestCase):
    """A class, because hypothesis rolls the database back after each example only so."""

    @settings(max_examples=25, deadline=None)
    @given(st.lists(steps, min_size=1, max_size=5))
    def test_import_of_an_export_gives_the_same_steps_and_frames(self, plan):
        game = Game.objects.create(game_id=GAME, name="ab12")
        recording = Recording.objects.create(guid=GUID, game=game, origin=Origin.HUMAN, created_at=NOW)
        at, before = NOW, None
        for number, step in enumerate(plan):
            at += step["after"]
            frames = step["frames"]
            x, y = step["place"] if step["place"] and step["action"] == 6 else (None, None)
            Step.objects.create(
                recording=recording,
                step=number,
                action=step["action"],
                x=x,
                y=y,
                received_at=at,
                answered_at=at,
                state=step["state"],
                levels_completed=step["levels"],
                win_levels=254,
                full_reset=step["full_reset"],
                available_actions=step["available_actions"],
                frames=None if frames is None else encode_frames(number, frames, before),
            )
            before = frames[-1] if frames is not None and len(frames) else before
        stored = list(recording.steps.values_list("step", "frames"))
        with tempfile.TemporaryDirectory() as folder:
            [path] = export(GUID, folder)
            Recording.objects.filter(pk=recording.pk).update(guid="the-original")
            call_command("import_recordings", str(path), stdout=io.StringIO())
        back = Recording.objects.get(guid=GUID)
        assert list(back.steps.values_list("step", "frames")) == stored
        for (mine, frames), (theirs, again) in zip(frames_of(recording), frames_of(back), strict=True):
            for column in ("action", "x", "y", "answered_at", "state", "levels_completed", "win_levels", "full_reset"):
                assert getattr(mine, column) == getattr(theirs, column)
            assert mine.available == theirs.available
            assert np.array_equal(frames, again)
