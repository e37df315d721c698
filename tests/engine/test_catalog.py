"""Finding games, reading their metadata, and writing a baseline without touching anything else."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import faults
from engine.catalog import (
    Metadata,
    MetadataError,
    find_games,
    load_game,
    read_metadata,
    source_hash,
    source_path,
    write_baseline,
)
from engine.jsontext import replace_numbers
from tests.engine.folders import make_game


def test_find_games_at_any_depth_sorted(tmp_path: Path) -> None:
    for folder in ("b/2", "a/1/deep/er", "b/1"):
        make_game(tmp_path / folder)
    (tmp_path / "empty").mkdir()
    assert find_games(tmp_path) == [tmp_path / "a/1/deep/er", tmp_path / "b/1", tmp_path / "b/2"]
    assert find_games(tmp_path / "nowhere") == []


def test_read_metadata_fills_in_what_is_absent(tmp_path: Path) -> None:
    make_game(tmp_path, game_id="ls20-9607627b")
    raw = {"game_id": "ls20-9607627b"}
    assert read_metadata(tmp_path) == Metadata(
        "ls20-9607627b", "ls20", "9607627b", "ls20", 5, [], [], [], None, "Ls20", raw
    )


def test_read_metadata_keeps_what_is_there(tmp_path: Path) -> None:
    given_values: dict[str, Any] = {
        "title": "A Title",
        "default_fps": 30,
        "tags": ["keyboard"],
        "private_tags": ["p"],
        "level_tags": [["a"], []],
        "baseline_actions": [3, 4],
        "class_name": "Other",
        "unknown": {"k": 1},
    }
    metadata = read_metadata(make_game(tmp_path, **given_values))
    assert {name: getattr(metadata, name) for name in given_values if name != "unknown"} == {
        name: value for name, value in given_values.items() if name != "unknown"
    }
    assert metadata.raw["unknown"] == {"k": 1}


@pytest.mark.parametrize(
    ("key", "value", "read"),
    [
        ("title", 5, "demo"),
        ("default_fps", "fast", 5),
        ("default_fps", 0, 5),
        ("default_fps", True, 5),
        ("tags", "keyboard", []),
        ("tags", ["a", 1], ["a"]),
        ("level_tags", [["a", None], "b"], [["a"], []]),
        ("baseline_actions", [1, "2"], None),
        ("baseline_actions", 3, None),
        ("baseline_actions", [], []),
        ("class_name", None, "Demo"),
    ],
)
def test_optional_value_of_the_wrong_type_counts_as_absent(tmp_path: Path, key: str, value: Any, read: Any) -> None:
    assert getattr(read_metadata(make_game(tmp_path, **{key: value})), key) == read


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (None, faults.MetadataMissing, "cannot read"),
        (b"{", faults.MetadataNotJSON, "is not JSON"),
        (b"\xff\xfe", faults.MetadataNotJSON, "is not UTF-8 text"),
        (b"[" * 100_000, faults.MetadataNotJSON, "is not JSON"),
        (b"[1]", faults.MetadataNotObject, "holds a JSON list, not an object"),
        (b"null", faults.MetadataNotObject, "not an object"),
        (b"{}", faults.GameIdMissing, "has no game_id"),
        (b'{"game_id": 5}', faults.GameIdMissing, "has no usable game_id: 5 is not"),
        (b'{"game_id": "a/b"}', faults.GameIdMissing, "has no usable game_id: 'a/b' is not"),
        (b'{"game_id": "\\ud800"}', faults.GameIdMissing, r"has no usable game_id: '\\ud800' is not"),
    ],
)
def test_unusable_metadata_is_named_with_its_reason(
    tmp_path: Path, content: bytes | None, error: type[MetadataError], message: str
) -> None:
    if content is not None:
        (tmp_path / "metadata.json").write_bytes(content)
    with pytest.raises(error, match=message):
        load_game(tmp_path)


@pytest.mark.parametrize(("class_name", "file"), [("Demo", "demo.py"), ("Demo", "Demo.py"), ("MyGame", "mygame.py")])
def test_source_has_the_name_of_the_class(tmp_path: Path, class_name: str, file: str) -> None:
    make_game(tmp_path, None, class_name=class_name)
    (tmp_path / file).write_bytes(b"print()\r\n")
    assert source_path(tmp_path) == tmp_path / file
    assert source_hash(tmp_path) == hashlib.sha256(b"print()\r\n").hexdigest()


@pytest.mark.parametrize("class_name", ["Demo", "../demo", "no name"])
def test_missing_source_is_named(tmp_path: Path, class_name: str) -> None:
    with pytest.raises(faults.SourceMissing):
        load_game(make_game(tmp_path, None, class_name=class_name))


BEFORE_AND_AFTER = [
    ('{"game_id": "a", "baseline_actions": [1, 2], "z": 1}', '{"game_id": "a", "baseline_actions": [7, 8, 9], "z": 1}'),
    ('{"baseline_actions":[1,2],"z":1}', '{"baseline_actions":[7,8,9],"z":1}'),
    ('{"baseline_actions": null}\n', '{"baseline_actions": [7, 8, 9]}\n'),
    ('{"baseline_actions": []}', '{"baseline_actions": [7, 8, 9]}'),
    (
        '{\n  "a": {"baseline_actions": [0]},\n  "baseline_actions": [\n    1,\n    2\n  ],\n  "z": 1\n}\n',
        '{\n  "a": {"baseline_actions": [0]},\n  "baseline_actions": [\n    7,\n    8,\n    9\n  ],\n  "z": 1\n}\n',
    ),
    (
        '{\r\n\t"baseline_actions": [\r\n\t\t1\r\n\t]\r\n}\r\n',
        '{\r\n\t"baseline_actions": [\r\n\t\t7,\r\n\t\t8,\r\n\t\t9\r\n\t]\r\n}\r\n',
    ),
    ('\ufeff{"é": "“", "baseline_actions": [ 1 ]}', '\ufeff{"é": "“", "baseline_actions": [ 7, 8, 9 ]}'),
    ('{\n    "z": "}"\n}', '{\n    "z": "}",\n    "baseline_actions": [7, 8, 9]\n}'),
    ('{"z":1,"y":2}', '{"z":1,"y":2,"baseline_actions":[7,8,9]}'),
    ('{"z": 1}', '{"z": 1, "baseline_actions": [7, 8, 9]}'),
    ("{}", '{"baseline_actions": [7, 8, 9]}'),
    ('{"baseline_actions": 1, "baseline_actions": 2}', '{"baseline_actions": 1, "baseline_actions": [7, 8, 9]}'),
]


@pytest.mark.parametrize(("before", "after"), BEFORE_AND_AFTER)
def test_write_baseline_changes_nothing_else(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "metadata.json"
    path.write_bytes(before.encode())
    path.chmod(0o640)
    write_baseline(tmp_path, [7, 8, 9])
    assert path.read_bytes().decode() == after
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["metadata.json"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
layouts = st.sampled_from([{}, {"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}, {"ensure_ascii": False}])


@given(
    st.dictionaries(st.text(max_size=4) | st.just("k"), json_values, max_size=5),
    layouts,
    st.lists(st.integers(0, 99), max_size=4),
)
def test_replaced_numbers_are_all_that_changes(obj: dict[str, Any], layout: Any, numbers: list[int]) -> None:
    text = json.dumps(obj, **layout)
    changed = replace_numbers(text, "k", numbers)
    assert list(json.loads(changed).items()) == list({**obj, "k": numbers}.items())
    assert replace_numbers(changed, "k", numbers) == changed


@pytest.mark.parametrize("content", [b"[1, 2]", b'"text"', b"{", b""])
def test_write_baseline_leaves_what_is_no_object_untouched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "metadata.json"
    path.write_bytes(content)
    with pytest.raises(MetadataError):
        write_baseline(tmp_path, [1])
    assert path.read_bytes() == content


@pytest.mark.parametrize("baseline", [[0], [-1], [1.5], ["2"], [True], [None]])
def test_write_baseline_refuses_what_is_no_count(tmp_path: Path, baseline: Any) -> None:
    make_game(tmp_path)
    before = (tmp_path / "metadata.json").read_bytes()
    with pytest.raises(ValueError, match="whole numbers above 0"):
        write_baseline(tmp_path, baseline)
    assert (tmp_path / "metadata.json").read_bytes() == before


def test_write_baseline_refuses_when_another_was_written_since(tmp_path: Path) -> None:
    read = read_metadata(make_game(tmp_path, baseline_actions=[1]))
    write_baseline(tmp_path, [2], expected=read)
    with pytest.raises(faults.BaselineChanged):
        write_baseline(tmp_path, [3], expected=read)
    assert read_metadata(tmp_path).baseline_actions == [2]


def test_write_baseline_without_a_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(faults.MetadataMissing):
        write_baseline(tmp_path, [1])
    with pytest.raises(faults.MetadataMissing):
        write_baseline(tmp_path / "nowhere", [1])


def test_writers_at_once_never_lose_each_other_or_show_half_a_file(tmp_path: Path) -> None:
    make_game(tmp_path, baseline_actions=[1], title="stays")
    seen: list[Any] = []

    def write(number: int) -> None:
        for _ in range(5):
            write_baseline(tmp_path, [number] * number)
            seen.append(read_metadata(tmp_path))

    writers = [threading.Thread(target=write, args=(number,)) for number in (1, 20, 300)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(seen) == 15
    assert all(one.title == "stays" and len(one.baseline_actions) in (1, 20, 300) for one in seen)
    assert sorted(os.listdir(tmp_path)) == ["demo.py", "metadata.json"]


def test_write_baseline_through_a_symbolic_link_changes_its_target(tmp_path: Path) -> None:
    make_game(tmp_path / "real")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/metadata.json").symlink_to(tmp_path / "real/metadata.json")
    write_baseline(tmp_path / "linked", [4])
    assert (tmp_path / "linked/metadata.json").is_symlink()
    assert read_metadata(tmp_path / "real").baseline_actions == [4]
