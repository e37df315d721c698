import pytest

from arcweb.calibration.baselines import baselines, counted_recordings
from arcweb.games.models import Game
from arcweb.recordings.models import Origin
from arcweb.studies.models import Outcome
from tests.arcweb.calibration.plays import make_attempt, make_game, make_play

pytestmark = pytest.mark.django_db


def counts_of(game):
    [result] = baselines(Game.objects.filter(pk=game.pk))
    return [list(level.counts) for level in result.levels]


def test_everyone_who_completed_a_level_is_pooled():
    game = make_game()
    make_play(game, 5, 9, 2)
    make_play(game, 3, 4)
    make_play(game, 8)
    make_play(game)
    [result] = baselines(Game.objects.all())
    assert [list(level.counts) for level in result.levels] == [[3, 5, 8], [4, 9], [2]]
    assert result.completers == [3, 2, 1]
    assert result.baseline_actions == [5, 9, 2]
    assert result.recordings == 4


def test_level_that_nobody_completed_has_no_baseline():
    make_play(make_game(), 5)
    [result] = baselines(Game.objects.all())
    assert result.baseline_actions == [5, None, None]
    assert result.completers == [1, 0, 0]


def test_number_of_levels_is_the_catalogues_else_the_highest_seen():
    known, unknown, old = make_game("ab12-1", level_count=2), make_game("cd34-1"), make_game("ef56-1")
    make_play(known, 1, win_levels=5)
    make_play(unknown, 1, win_levels=4)
    make_play(unknown, 1, win_levels=3)
    make_play(old, 1, 1, win_levels=0)
    assert [len(result.levels) for result in baselines(Game.objects.all())] == [2, 4, 2]


def test_levels_completed_at_once_enter_no_baseline():
    game = make_game()
    recording = make_play(game, 4)
    last = recording.steps.order_by("step").last()
    last.step, last.levels_completed = last.step + 1, 3
    last.save(force_insert=True)
    assert counts_of(game) == [[4], [2], []]


def test_answers_with_empty_frames_are_not_counted():
    game = make_game()
    recording = make_play(game, 2)
    template = recording.steps.order_by("step").last()
    rows = [(4, b"\0\0\0", 0), (5, b"\x01\0\0", 0), (6, b"\x01\x01\0rest", 1), (7, None, 2)]
    for number, frames, levels in rows:
        template.step, template.frames, template.levels_completed = number, frames, levels
        template.save(force_insert=True)
    assert counts_of(game) == [[2], [3], []]


@pytest.mark.parametrize("origin", [Origin.AGENT, Origin.IMPORTED_AGENT, Origin.SIMULATED, Origin.HUMAN])
def test_play_that_is_not_a_persons_attempt_is_not_counted(origin):
    game = make_game()
    make_play(game, 1, origin=origin)
    make_play(game, 2)
    assert counts_of(game)[0] == [2]


@pytest.mark.parametrize("outcome", ["", *Outcome])
def test_levels_count_however_the_attempt_ended(outcome):
    game = make_game()
    make_attempt(make_play(game, 5, origin=Origin.HUMAN), outcome=outcome)
    assert counts_of(game)[0] == [5]


@pytest.mark.parametrize(
    ("attempt", "counted"),
    [
        ({}, True),
        ({"excluded": True, "exclusion_reason": "cycled through the games"}, False),
        ({"through_link": True}, False),
        ({"through_link": True, "counts_link_plays": True}, True),
        ({"through_link": True, "counts_link_plays": True, "excluded": True, "exclusion_reason": "staff"}, False),
        ({"through_link": False, "counts_link_plays": True}, True),
    ],
)
def test_attempt_counts_by_how_its_player_came_and_not_when_excluded(attempt, counted):
    recording = make_play(make_game(), 5, origin=Origin.HUMAN)
    make_attempt(recording, **attempt)
    assert list(counted_recordings()) == ([recording] if counted else [])


def test_games_keep_their_own_counts_and_order():
    second, first = make_game("cd34-1"), make_game("ab12-1")
    for count in (1, 2):
        make_play(first, count)
        make_play(second, 10 * count)
    results = baselines(Game.objects.all())
    assert [result.game for result in results] == [first, second]
    assert [list(result.levels[0].counts) for result in results] == [[1, 2], [10, 20]]


def test_queries_do_not_grow_with_the_recordings(django_assert_num_queries):
    for game in (make_game("ab12-1"), make_game("cd34-1")):
        for count in range(1, 6):
            make_attempt(make_play(game, count, origin=Origin.HUMAN))
            make_play(game, count)
    with django_assert_num_queries(2) as queries:
        assert len(baselines(Game.objects.all())) == 2
    assert not any('"recordings_step"."frames",' in query["sql"] for query in queries.captured_queries)


def test_no_games_have_no_baselines():
    assert baselines(Game.objects.none()) == []
