"""Opening studies."""

import pytest

from arcweb.games.models import Game
from arcweb.studies.models import Study
from arcweb.studies.opening import open_demo_study, open_study
from tests.arcweb.studies.builders import NOW, make_game

pytestmark = pytest.mark.django_db


def order_of(study: Study) -> list[str]:
    return list(study.study_games.values_list("game__game_id", flat=True))


def test_open_study_keeps_the_order_given() -> None:
    games = [make_game("bb01-1"), make_game("aa01-1")]
    assert order_of(open_study("Test", games, NOW)) == ["bb01-1", "aa01-1"]


def test_open_study_with_a_game_twice_or_none_is_refused() -> None:
    game = make_game()
    for games in ([], [game, game]):
        with pytest.raises(ValueError, match="each once"):
            open_study("Test", games, NOW)


@pytest.mark.parametrize(("soft", "hard"), [(2, 1), (-1, 1), (0, 0)])
def test_open_study_with_limits_out_of_order_is_refused(soft: int, hard: int) -> None:
    with pytest.raises(ValueError, match=f"{soft} and {hard} seconds"):
        open_study("Test", [make_game()], NOW, soft_limit=soft, hard_limit=hard)


def test_open_demo_study_again_appends_what_is_new() -> None:
    make_game("bb01-1")
    study = open_demo_study(NOW)
    make_game("aa01-1")
    make_game("cc01-1", problem="does not load")
    assert open_demo_study(NOW) == study
    assert order_of(study) == ["bb01-1", "aa01-1"]
    assert study.counts_link_plays


def test_open_to_all_names_a_study_once_and_only_with_a_playable_game() -> None:
    study = open_study("Test", [make_game(), make_game()], NOW)
    assert list(Study.objects.open_to_all()) == [study]
    Game.objects.update(problem="gone")
    assert not Study.objects.open_to_all()
