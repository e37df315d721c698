"""Who joins and which game comes next."""

from pathlib import Path

import pytest
from pytest_django import Settings

from arcweb.games.models import Game
from arcweb.recordings.models import Origin
from arcweb.studies import assignment
from arcweb.studies.models import Attempt, Outcome
from engine.catalog import source_hash
from tests import toy
from tests.arcweb.studies.builders import NOW, make_game, make_participant, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def toys(tmp_path: Path, settings: Settings) -> list[Game]:
    """Two toys with files."""
    settings.ENVIRONMENTS_DIR = tmp_path
    for name in ("toy1", "toy2"):
        toy.write_toy(tmp_path, name=name)
    return [make_game("toy2-00000001"), make_game("toy1-00000001")]


def test_join_with_one_ticket_twice_makes_one_participant() -> None:
    study = make_study()
    first = assignment.join_through_link(study, "ticket-1", NOW)
    assert assignment.join_through_link(study, "ticket-1", NOW) == first
    second = assignment.join_through_link(study, "ticket-2", NOW)
    assert [first.code, second.code] == ["P-01", "P-02"]
    assert first.through_link


def test_games_come_in_the_order_of_the_study_and_each_once(toys: list[Game]) -> None:
    participant = make_participant(make_study(*toys))
    seen = []
    while (attempt := assignment.start_attempt(participant, NOW)) is not None:
        seen.append((attempt.game_name, assignment.place_of(participant)))
        Attempt.objects.filter(pk=attempt.pk).end(Outcome.WON, NOW)
    assert seen == [("toy2", (1, 2)), ("toy1", (2, 2))]


def test_start_twice_gives_the_same_attempt(toys: list[Game]) -> None:
    participant = make_participant(make_study(*toys))
    assert assignment.start_attempt(participant, NOW) == assignment.start_attempt(participant, NOW)
    assert participant.attempts.count() == 1


def test_start_notes_what_is_played_and_under_which_limits(toys: list[Game]) -> None:
    study = make_study(*toys, soft_limit=60, hard_limit=90)
    attempt = assignment.start_attempt(make_participant(study), NOW)
    assert attempt is not None
    assert attempt.recording is not None
    assert attempt.recording.origin == Origin.HUMAN
    assert attempt.recording.source_hash == source_hash(toys[0].path)
    assert (attempt.soft_limit_seconds, attempt.hard_limit_seconds) == (60, 90)
    assert attempt.started_at is None


def test_game_that_cannot_be_played_is_passed_over(toys: list[Game]) -> None:
    participant = make_participant(make_study(make_game(problem="does not compile"), make_game(directory=""), *toys))
    game = assignment.next_game(participant)
    assert game == toys[0]
    assert assignment.place_of(participant) == (0, 2)
