"""The player's pages, as a browser without JavaScript sees them."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from arcweb.games.models import Game
from arcweb.recordings.models import State, Step
from arcweb.studies.models import Attempt, Outcome, Participant, Study
from tests import toy
from tests.arcweb.play.visits import FIELD
from tests.arcweb.studies.builders import NOW, make_attempt, make_game, make_participant, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(tmp_path: Path, settings: Settings) -> Study:
    """Two toys with files."""
    settings.ENVIRONMENTS_DIR = tmp_path
    for name in ("toy1", "toy2"):
        toy.write_toy(tmp_path, name=name)
    return make_study(make_game("toy1-00000001", available_actions=[6]), make_game("toy2-00000001"))


def link_of(study: Study) -> str:
    return reverse("join", args=[study.link_token])


def ticket_on(client: Client, page: str) -> dict[str, str]:
    return dict(FIELD.findall(client.get(page).content.decode()))


def test_opening_the_link_makes_no_participant(client: Client, study: Study) -> None:
    assert client.get(link_of(study)).status_code == 200
    assert not Participant.objects.exists()


def test_pressing_start_twice_makes_one_participant_and_one_attempt(client: Client, study: Study) -> None:
    form = ticket_on(client, link_of(study))
    first, second = (client.post(link_of(study), form).headers["Location"] for _ in range(2))
    assert first == second == reverse("play", args=[Attempt.objects.get().token])
    assert Participant.objects.count() == 1


@pytest.mark.parametrize("ticket", [{}, {"ticket": "forged"}, {"ticket": "a:b:c"}])
def test_start_without_a_true_ticket_is_a_new_participant(client: Client, study: Study, ticket: dict[str, str]) -> None:
    make_participant(study)
    assert client.post(link_of(study), ticket).status_code == 302
    assert Participant.objects.count() == 2


def test_closed_study_takes_nobody(client: Client, study: Study) -> None:
    form = ticket_on(client, link_of(study))
    Study.objects.update(is_open=False)
    for answer in (client.get(link_of(study)), client.post(link_of(study), form)):
        assert "Start" not in answer.content.decode()
    assert not Participant.objects.exists()


def test_study_without_a_playable_game_offers_none(client: Client, study: Study) -> None:
    Game.objects.update(problem="does not load")
    assert "Start" not in client.get(link_of(study)).content.decode()


def test_place_leads_through_all_games_to_the_end(client: Client, study: Study) -> None:
    place = reverse("place", args=[make_participant(study).token])
    for name in ("toy1", "toy2"):
        assert name in client.get(place).content.decode()
        play = client.post(place).headers["Location"]
        assert client.get(place).headers["Location"] == play, "whoever is in a game is led back to it"
        Attempt.objects.unfinished().end(Outcome.WON, NOW)
    assert "Thank you" in client.get(place).content.decode()
    assert client.post(place).headers["Location"] == place


def test_controls_before_a_game_are_those_of_the_game_only(client: Client, study: Study) -> None:
    page = client.get(link_of(study)).content.decode()
    assert "Click" in page
    assert "Space" not in page
    assert "Toy" not in page, "the title is not for players"


@pytest.mark.parametrize("name", ["join", "place", "play"])
def test_unknown_address_is_not_found(client: Client, name: str) -> None:
    page = reverse(name, args=["unknown"])
    for unknown in (
        page,
        page.replace("unknown", "%00"),
        page.replace("unknown", "x" * 60),
        page.replace("unknown", "é"),
    ):
        assert client.get(unknown).status_code == 404


def test_last_page_tells_how_far_each_game_went(client: Client, study: Study) -> None:
    participant = make_participant(study)
    won, ended = (
        make_attempt(participant, game=game, outcome=outcome, ended_at=NOW, started_at=NOW)
        for game, outcome in zip(study.games.order_by("name"), (Outcome.WON, Outcome.ENDED_BY_PLAYER), strict=True)
    )
    for attempt, levels in ((won, 3), (ended, 2)):
        Step.objects.create(
            recording=attempt.recording,
            step=0,
            action=0,
            received_at=NOW,
            answered_at=NOW,
            state=State.NOT_FINISHED,
            levels_completed=levels,
            win_levels=3,
            available_actions=0,
        )
    page = client.get(reverse("place", args=[participant.token])).content.decode()
    assert "completed" in page
    assert "2 of 3 levels" in page


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ((1200, 1800), "30 minutes at most; after 20 minutes"),
        ((60, 90), "90 seconds at most; after 1 minute"),
        ((1, 1), "1 second at most."),
    ],
)
def test_limits_are_told_in_words(client: Client, study: Study, limits: tuple[int, int], words: str) -> None:
    Study.objects.update(soft_limit_seconds=limits[0], hard_limit_seconds=limits[1])
    assert words in client.get(link_of(study)).content.decode()


def test_pages_forbid_everything_inline_and_are_not_kept(client: Client, study: Study) -> None:
    answer = client.get(link_of(study))
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "no-store" in answer.headers["Cache-Control"]
    assert answer.headers["Referrer-Policy"] == "same-origin"
