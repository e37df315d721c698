"""How attempts end, and what the database refuses."""

from datetime import timedelta

import pytest
from django.db import IntegrityError

from arcweb.studies.models import OVERDUE_GRACE, Attempt, Outcome
from tests.arcweb.studies.builders import NOW, make_attempt, make_game, make_participant, make_study

pytestmark = pytest.mark.django_db
HALF_AN_HOUR = timedelta(minutes=30)


def test_end_keeps_the_first_outcome() -> None:
    attempt = make_attempt(started_at=NOW)
    assert Attempt.objects.filter(pk=attempt.pk).end(Outcome.WON, NOW) == 1
    assert Attempt.objects.filter(pk=attempt.pk).end(Outcome.TIME_LIMIT, NOW) == 0
    attempt.refresh_from_db()
    assert attempt.outcome == Outcome.WON
    assert attempt.status == "won"


def test_end_gives_the_seat_back() -> None:
    attempt = make_attempt(started_at=NOW, seat_holder="somebody", seat_until=NOW)
    Attempt.objects.all().end(Outcome.ENDED_BY_PLAYER, NOW)
    attempt.refresh_from_db()
    assert (attempt.seat_holder, attempt.seat_until) == ("", None)


def test_end_overdue_ends_at_the_exact_limit_once_the_grace_is_over() -> None:
    attempt = make_attempt(started_at=NOW + timedelta(seconds=7))
    deadline = NOW + timedelta(seconds=7) + HALF_AN_HOUR
    assert Attempt.objects.end_overdue(deadline + OVERDUE_GRACE - timedelta(microseconds=1)) == 0
    assert Attempt.objects.end_overdue(deadline + OVERDUE_GRACE) == 1
    attempt.refresh_from_db()
    assert (attempt.outcome, attempt.ended_at) == (Outcome.TIME_LIMIT, deadline)


def test_end_overdue_of_an_attempt_that_nobody_opened_is_abandoned() -> None:
    attempt = make_attempt()
    assert Attempt.objects.end_overdue(NOW + HALF_AN_HOUR + OVERDUE_GRACE) == 1
    attempt.refresh_from_db()
    assert attempt.outcome == Outcome.ABANDONED


def test_end_overdue_leaves_ended_and_running_attempts_alone() -> None:
    make_attempt(outcome=Outcome.WON, ended_at=NOW, started_at=NOW)
    make_attempt(started_at=NOW + HALF_AN_HOUR)
    assert Attempt.objects.end_overdue(NOW + HALF_AN_HOUR + OVERDUE_GRACE) == 0


def test_second_attempt_of_a_game_in_another_version_is_refused() -> None:
    one, two = make_game("aa01-00000001"), make_game("aa01-00000002")
    participant = make_participant(make_study(one, two))
    make_attempt(participant, game=one)
    with pytest.raises(IntegrityError):
        make_attempt(participant, game=two)


@pytest.mark.parametrize("values", [{"outcome": "won"}, {"ended_at": NOW}, {"excluded": True}])
def test_half_an_end_or_an_exclusion_without_a_reason_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(IntegrityError):
        make_attempt(**values)
