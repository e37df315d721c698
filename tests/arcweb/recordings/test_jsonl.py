import gzip
import json
import uuid
from datetime import UTC, datetime

import numpy as np
import pytest

from arcweb.recordings.jsonl import JsonlError, find_files, guid_of, read
from arcweb.recordings.models import State
from arcweb.recordings.record import BadRecordError, parse
from tests.arcweb.recordings.official import FOOTER, GAME, GRID, GUID, make_line, make_lines, write_lines


def names(path):
    return [record.action for record in read(path)]


def test_record_holds_what_the_line_says():
    line = make_line(
        2,
        action=6,
        frame=[GRID, GRID],
        state="WIN",
        levels_completed=3,
        full_reset=False,
        available_actions=[1, 6, 7],
        action_input={"id": 6, "data": {"x": 40, "y": 7, "game_id": "ab12-older"}, "reasoning": {"why": "luck"}},
    )
    record = parse(line)
    assert (record.action, record.x, record.y) == (6, 40, 7)
    assert (record.state, record.levels_completed, record.win_levels) == (State.WIN, 3, 3)
    assert record.at == datetime(2026, 3, 25, 12, 0, 2, tzinfo=UTC)
    assert record.available_actions == 0b1100_0010
    assert (record.game_id, record.guid) == (GAME, GUID)
    assert np.array_equal(record.frames, [GRID, GRID])


@pytest.mark.parametrize(
    ("action_input", "action"),
    [
        ({"id": 3}, 3),
        ({"id": "ACTION3"}, 3),
        ({"id": "action3"}, 3),
        ({"id": "3"}, 3),
        ({"id": "RESET"}, 0),
        ({"id": 7, "data": None}, 7),
        ({}, 0),
        (None, 0),
    ],
)
def test_action_is_read_from_number_or_name_and_is_reset_where_missing(action_input, action):
    assert parse(make_line(5, action_input=action_input)).action == action


def test_coordinates_are_read_for_a_click_only():
    line = make_line(1, action_input={"id": 1, "data": {"x": -5, "y": "left"}})
    assert (parse(line).x, parse(line).y) == (None, None)
    line = make_line(1, action_input={"id": 6, "data": {}})
    assert (parse(line).x, parse(line).y) == (None, None)


def test_preview_names_of_the_levels_are_read():
    line = make_line(1, levels_completed=None, win_levels=None, score=2, win_score=5)
    record = parse(line)
    assert (record.levels_completed, record.win_levels) == (2, 5)
    line = make_line(1, levels_completed=None, win_levels=None, score=2)
    assert (parse(line).levels_completed, parse(line).win_levels) == (2, 0)


def test_missing_frame_differs_from_an_empty_one():
    assert parse(make_line(1)).frames is None
    assert parse(make_line(1, frame=[])).frames.shape == (0, 64, 64)


@pytest.mark.parametrize(
    ("time", "read_as"),
    [
        ("2026-03-25T12:00:00Z", datetime(2026, 3, 25, 12, tzinfo=UTC)),
        ("2026-03-25T13:30:00.250+01:30", datetime(2026, 3, 25, 12, 0, 0, 250_000, tzinfo=UTC)),
    ],
)
def test_time_is_read_as_utc(time, read_as):
    assert parse(make_line() | {"timestamp": time}).at == read_as


WIDE = [[0] * 65] + [[0] * 64] * 63
CELL_99 = [[99] + [0] * 63] + [[0] * 64] * 63
CELL_300 = [[300] + [0] * 63] + [[0] * 64] * 63
CELL_TEXT = [["1"] + [0] * 63] + [[0] * 64] * 63


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"levels_completed": 300}, "levels_completed must be an integer from 0 to 254, got 300"),
        ({"levels_completed": -1}, "levels_completed must be"),
        ({"levels_completed": 1.0}, "levels_completed must be"),
        ({"levels_completed": True}, "levels_completed must be"),
        ({"levels_completed": None}, "neither levels_completed nor score is there"),
        ({"win_levels": "3"}, "win_levels must be an integer from 0 to 254, got '3'"),
        ({"state": "PAUSED"}, "state must be one of"),
        ({"state": ["WIN"]}, "state must be one of"),
        ({"state": None}, "no data with a state"),
        ({"full_reset": "no"}, "full_reset must be true or false"),
        ({"action_input": 3}, "action_input must be an object"),
        ({"action_input": {"id": 8}}, "action_input.id must be"),
        ({"action_input": {"id": "JUMP"}}, "action_input.id must be"),
        ({"action_input": {"id": True}}, "action_input.id must be"),
        ({"action_input": {"id": None}}, "action_input.id must be"),
        ({"action_input": {"id": 6, "data": {"x": -1, "y": 0}}}, "data.x must be an integer from 0 to 63, got -1"),
        ({"action_input": {"id": 6, "data": {"x": 1, "y": 64}}}, "data.y must be"),
        ({"action_input": {"id": 6, "data": {"x": 1}}}, "data.y must be"),
        ({"action_input": {"id": 6, "data": {"x": 1.5, "y": 1}}}, "data.x must be"),
        ({"available_actions": 6}, "available_actions must be a list"),
        ({"available_actions": [9]}, "available_actions must be"),
        ({"game_id": "../../etc/passwd"}, "game_id must be letters"),
        ({"game_id": 12}, "game_id must be letters"),
        ({"guid": "a" * 101}, "guid must be letters"),
        ({"guid": "a\ud800"}, "guid must be letters"),
        ({"frame": 5}, "frame must be a list"),
        ({"frame": GRID}, r"frame\[0\] must be 64 rows"),
        ({"frame": [GRID, GRID[:63]]}, r"frame\[1\] must be 64 rows"),
        ({"frame": [WIDE]}, r"frame\[0\] must be 64 rows"),
        ({"frame": [[64] * 64]}, r"frame\[0\] must be 64 rows"),
        ({"frame": [CELL_99]}, "a cell of 99"),
        ({"frame": [CELL_300]}, r"frame\[0\] has a cell"),
        ({"frame": [CELL_TEXT]}, r"frame\[0\] has a cell"),
    ],
)
def test_value_out_of_range_is_refused(changes, reason):
    with pytest.raises(BadRecordError, match=reason):
        parse(make_line(1, **changes))


@pytest.mark.parametrize(
    "time", [None, 12, "yesterday", "2026-03-25", "2026-03-25T12:00:00", "0001-01-01T00:00:00+14:00"]
)
def test_time_without_zone_or_sense_is_refused(time):
    with pytest.raises(BadRecordError, match="timestamp must be an ISO 8601 time with its zone"):
        parse(make_line() | {"timestamp": time})


def test_long_values_are_shortened_in_the_reason():
    with pytest.raises(BadRecordError) as refusal:
        parse(make_line(1, state="x" * 10_000))
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("footer", [FOOTER, {"timestamp": "2026-03-25T12:00:00+00:00", "data": FOOTER}])
def test_footer_is_no_record(tmp_path, footer):
    assert names(write_lines(tmp_path / "a.jsonl", [*make_lines(3), footer])) == [0, 1, 1, 1]


def test_blank_lines_line_ends_and_byte_order_mark_do_not_matter(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n\r\n".join(json.dumps(line).encode() for line in make_lines(2)))
    assert names(path) == [0, 1, 1]


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("cut", [1, 2, 30, 60, 200])
def test_last_line_cut_short_is_left_out_with_a_warning(tmp_path, cut, end):
    text = json.dumps(make_line(3))[:-cut]
    path = write_lines(tmp_path / "a.jsonl", [*make_lines(2), text], end)
    warnings = []
    assert len(list(read(path, warnings.append))) == 3
    assert warnings == [f"{path}:4: warning: the last line is cut short and was left out"]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("this is no JSON", "not JSON"),
        ("{this is no JSON}", "not JSON"),
        ("[1, 2]", "not a JSON object"),
        ("{}", "not a record"),
        ('{"data": []}', "not a record"),
        ("[" * 100_000, "not JSON"),
        ("1" * 5000, "not JSON"),
    ],
)
@pytest.mark.parametrize("is_last", [True, False])
def test_line_that_is_no_record_is_refused_with_file_and_line(tmp_path, bad, reason, is_last):
    path = write_lines(tmp_path / "a.jsonl", [*make_lines(2), bad, *([] if is_last else [make_line(3)])])
    with pytest.raises(JsonlError, match=reason) as refusal:
        list(read(path))
    assert str(refusal.value).startswith(f"{path}:4: ")


def test_line_cut_short_in_the_middle_is_refused(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [make_line(0), json.dumps(make_line(1))[:-30], make_line(2)])
    with pytest.raises(JsonlError, match=":2: not JSON"):
        list(read(path))


def test_line_numbers_count_blank_lines(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [make_line(0), "", "", "oops"])
    with pytest.raises(JsonlError, match=":4: not JSON"):
        list(read(path))


def test_line_that_is_not_utf8_is_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(json.dumps(make_line(0)).encode() + b'\n{"a": "\xff"}\n')
    with pytest.raises(JsonlError, match=":2: not JSON"):
        list(read(path))


def test_endless_line_is_refused_without_reading_it_all(tmp_path, monkeypatch):
    monkeypatch.setattr("arcweb.recordings.jsonl.MAX_LINE_BYTES", 1000)
    path = write_lines(tmp_path / "a.jsonl", [make_line(0), "x" * 100_000])
    with pytest.raises(JsonlError, match=":2: the line is longer than 1000 bytes"):
        list(read(path))


@pytest.mark.parametrize(("member", "other"), [("game_id", "cd34-1"), ("guid", "another")])
def test_file_of_two_plays_is_refused(tmp_path, member, other):
    path = write_lines(tmp_path / "a.jsonl", [make_line(0), make_line(1, **{member: other})])
    with pytest.raises(JsonlError, match=f":2: {member} is {other} here and"):
        list(read(path))


def test_record_after_the_footer_is_refused(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [make_line(0), FOOTER, make_line(1)])
    with pytest.raises(JsonlError, match=":3: there is a line after the footer"):
        list(read(path))


@pytest.mark.parametrize("lines", [[], ["", ""], [FOOTER], ['{"timestamp": "2026']])
def test_file_without_a_record_is_refused(tmp_path, lines):
    path = write_lines(tmp_path / "a.jsonl", lines)
    with pytest.raises(JsonlError, match="there is no record in it"):
        list(read(path))


def test_record_without_any_game_is_refused(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [make_line(0, game_id=None)])
    with pytest.raises(JsonlError, match="does not say which game"):
        list(read(path))


def test_game_of_the_data_wins_over_that_of_the_action():
    data = {"action_input": {"id": 0, "data": {"game_id": "ab12-older"}}}
    assert parse(make_line(0, **data)).game_id == GAME
    assert parse(make_line(0, **data, game_id=None)).game_id == "ab12-older"


def test_compressed_file_reads_like_the_plain_one(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, make_lines(3))).encode()))
    assert names(path) == [0, 1, 1, 1]


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-20], lambda data: b"plain text", lambda data: data[:-4] + b"...."]
)
def test_damaged_compressed_file_is_refused(tmp_path, damage):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(damage(gzip.compress("\n".join(map(json.dumps, make_lines(3))).encode())))
    with pytest.raises(JsonlError, match="cannot be read"):
        list(read(path))


def test_files_are_found_at_any_depth_in_order(tmp_path):
    paths = [tmp_path / name for name in ("a/b/c/2.jsonl", "a/1.recording.jsonl", "3.jsonl.gz", "a/no.json", "jsonl")]
    for path in paths:
        write_lines(path, [])
    (tmp_path / "folder.jsonl").mkdir()
    assert find_files(tmp_path) == sorted(paths[:3])
    assert find_files(paths[3]) == [paths[3]]


def test_guid_comes_from_the_records_then_the_name_then_the_content(tmp_path):
    lines = make_lines(2)
    assert guid_of(write_lines(tmp_path / "x.recording.jsonl", lines)) == GUID
    late = [make_line(0, guid=""), make_line(1)]
    assert guid_of(write_lines(tmp_path / "x.recording.jsonl", late)) == GUID
    bare = make_lines(2, guid=None)
    other = "7f1c2d3e-0000-4000-8000-00000000abcd"
    assert guid_of(write_lines(tmp_path / f"{other}.recording.jsonl", bare)) == other
    assert guid_of(write_lines(tmp_path / f"{GAME}.agent.80.{other}.recording.jsonl", bare)) == other
    assert guid_of(write_lines(tmp_path / f"{GAME}-{other}.jsonl", bare)) == other
    assert guid_of(write_lines(tmp_path / "player-7.recording.jsonl", bare)) == "player-7"
    derived = guid_of(write_lines(tmp_path / "play.jsonl", bare))
    assert uuid.UUID(derived).version == 5
    assert guid_of(write_lines(tmp_path / "renamed.jsonl", bare)) == derived
    assert guid_of(write_lines(tmp_path / "play.jsonl", [*bare, make_line(3, guid=None)])) != derived
