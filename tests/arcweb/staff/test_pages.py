"""Staff pages: who may see them, what they show, and that a longer list asks no more of the database."""

import json
import struct
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from arcweb.recordings.models import Recording, State, Step
from arcweb.staff.models import User
from arcweb.studies.models import Attempt, Outcome
from tests.arcweb.studies.builders import NOW, make_attempt, make_game, make_participant, make_study

pytestmark = pytest.mark.django_db

PAGES = [
    reverse("staff:games"),
    reverse("staff:recordings"),
    reverse("staff:replay", args=["some-guid"]),
    reverse("staff:replay_data", args=["some-guid"]),
]


def make_played(frames: bytes | None = b"\1\1\0", **values: Any) -> Attempt:
    """An attempt with step 0 and one action."""
    attempt = make_attempt(started_at=NOW, **values)
    for number in (0, 1):
        Step.objects.create(
            recording=attempt.recording,
            step=number,
            action=number,
            received_at=NOW + timedelta(seconds=10 * number),
            answered_at=NOW + timedelta(seconds=10 * number + 2),
            state=State.NOT_FINISHED,
            levels_completed=number,
            win_levels=3,
            available_actions=0b10,
            frames=frames,
        )
    return attempt


@pytest.mark.parametrize("page", PAGES)
def test_page_without_a_staff_login_leads_to_the_login(client: Client, page: str) -> None:
    login = f"{reverse('login')}?next={page}"
    assert client.get(page).headers["Location"] == login
    client.force_login(User.objects.create_user("somebody"))
    assert client.get(page).headers["Location"] == login


def test_games_page_names_what_cannot_be_loaded_and_why(admin_client: Client) -> None:
    make_game("aa01-1")
    make_game("bb01-1", problem="bb01.py does not compile: line 3")
    page = admin_client.get(reverse("staff:games")).content.decode()
    assert "aa01-1" in page
    assert "bb01.py does not compile: line 3" in page


def test_empty_lists_say_what_to_do_next(admin_client: Client) -> None:
    assert "ENVIRONMENTS_DIR" in admin_client.get(reverse("staff:games")).content.decode()
    assert "import_recordings" in admin_client.get(reverse("staff:recordings")).content.decode()
    assert "make play" not in admin_client.get(reverse("home")).content.decode()
    make_game()
    assert "make play" in admin_client.get(reverse("home")).content.decode()


def test_recordings_page_asks_the_same_of_the_database_for_more_rows(
    admin_client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for wanted in (1, 9):
        while Recording.objects.count() < wanted:
            make_played(outcome=Outcome.WON, ended_at=NOW)
        with django_assert_num_queries(6):  # session, user, unfinished attempts, count, recordings, figures
            page = admin_client.get(reverse("staff:recordings")).content.decode()
        assert page.count("1 of 3") == wanted


def test_recordings_page_of_one_game_shows_its_recordings_only(admin_client: Client) -> None:
    study = make_study(make_game("aa01-1"), make_game("bb01-1"))
    for game in study.games.all():
        make_played(participant=make_participant(study), game=game)
    page = admin_client.get(reverse("staff:recordings"), {"game": "bb01-1"}).content.decode()
    assert page.count("/staff/replay/") == 1
    assert "aa01-1" not in page


def test_replay_page_shows_an_excluded_attempt_as_such(admin_client: Client) -> None:
    attempt = make_played(outcome=Outcome.TIME_LIMIT, ended_at=NOW, excluded=True, exclusion_reason="Knew the game.")
    assert attempt.recording is not None
    page = admin_client.get(reverse("staff:replay", args=[attempt.recording.guid])).content.decode()
    assert "time limit" in page
    assert "Knew the game." in page


@pytest.mark.parametrize(("frames", "lengths"), [(b"\1\1\0rest", [7, 7]), (None, [0, 0])])
def test_replay_data_packs_the_head_and_every_step_as_stored(
    admin_client: Client, frames: bytes | None, lengths: list[int]
) -> None:
    attempt = make_played(frames)
    assert attempt.recording is not None
    body = admin_client.get(reverse("staff:replay_data", args=[attempt.recording.guid])).content
    blocks = []
    while body:
        (length,) = struct.unpack("<I", body[:4])
        blocks.append(body[4 : 4 + length])
        body = body[4 + length :]
    head = json.loads(blocks[0])
    assert [len(block) for block in blocks[1:]] == lengths
    assert [step["levels"] for step in head["steps"]] == [0, 1]
    assert [step["frames"] for step in head["steps"]] == ([1, 1] if frames else [None, None])
    assert [(step["at"], step["think"]) for step in head["steps"]] == [(0, None), (10_000, 8)]
    assert (head["win_levels"], head["limits"], head["outcome"]) == (3, {"soft": 1200, "hard": 1800}, "")


def test_replay_of_an_unknown_recording_is_not_found(admin_client: Client) -> None:
    assert admin_client.get(reverse("staff:replay", args=["none"])).status_code == 404
