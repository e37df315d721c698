"""The published baselines out of the released action counts, by files, import and command: ten games, 76 levels."""

import io
import json
import random
from datetime import timedelta

import pytest
from django.core.management import call_command

from tests.arcweb.recordings.official import BEGIN

LEVELS = {"ar25": 8, "bp35": 9, "cd82": 6, "ls20": 7, "m0r0": 6, "re86": 8, "sb26": 8, "tr87": 6, "tu93": 9, "wa30": 9}


def write_play(path, game_id, guid, completed_at, levels, rng):
    """An official file without frames of a play that completed level k after `completed_at[k - 1]` actions.

    Its actions are drawn by lot, resets and undos among them, since each counts 1; so are those after its last level.
    """
    completed_at = [0, *completed_at]
    actions = completed_at[-1] + (rng.randrange(20) if len(completed_at) <= levels else 0)
    with path.open("w") as file:
        level = 0
        for number in range(actions + 1):
            while level + 1 < len(completed_at) and number >= completed_at[level + 1]:
                level += 1
            data = {
                "game_id": game_id,
                "state": "WIN" if level == levels else "NOT_FINISHED",
                "levels_completed": level,
                "win_levels": levels,
                "action_input": {"id": rng.randrange(8) if number else 0, "data": {}, "reasoning": None},
                "guid": guid,
                "full_reset": number == 0,
                "available_actions": [1, 2, 3, 4, 5, 6, 7],
            }
            timestamp = (BEGIN + timedelta(seconds=number)).isoformat()
            file.write(json.dumps({"timestamp": timestamp, "data": data}) + "\n")


@pytest.mark.django_db
def test_published_baselines_of_ten_games_are_reproduced(human_counts, tmp_path):
    rng = random.Random(3)
    released = json.loads(human_counts.read_text())
    published = {f"{name}-00000000": game["published_baseline_actions"] for name, game in released.items()}
    for name, game in released.items():
        by_level = game["cumulative_actions_at_level_completion"]
        (tmp_path / name).mkdir()
        for guid in by_level["1"]:
            counts = [by_level[str(level)][guid] for level in range(1, len(by_level) + 1)]
            completed_at = [count for count in counts if count is not None]
            assert completed_at == counts[: len(completed_at)], "a level was completed after one that was not"
            path = tmp_path / name / f"{guid}.recording.jsonl"
            write_play(path, f"{name}-00000000", guid, completed_at, len(by_level), rng)
    call_command("import_recordings", str(tmp_path), stdout=io.StringIO())
    out = io.StringIO()
    call_command("baselines", "--json", stdout=out)
    computed = json.loads(out.getvalue())
    assert {game_id: game["baseline_actions"] for game_id, game in computed.items()} == published
    assert {game_id[:4]: len(game["completers"]) for game_id, game in computed.items()} == LEVELS
    assert sum(map(len, published.values())) == 76
    assert computed["ls20-00000000"]["completers"] == [11, 9, 8, 8, 8, 6, 6]
