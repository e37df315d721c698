"""Opening studies: games in an order behind a link."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from arcweb.games.models import Game
from arcweb.studies.models import Study, StudyGame

DEMO = "Demo"


def open_study(
    name: str, games: Sequence[Game], now: datetime, *, soft_limit: int = 20 * 60, hard_limit: int = 30 * 60
) -> Study:
    """A new study of these games in this order; limits in seconds.

    Raises:
        ValueError: no name, no games, a game twice, or limits out of order.
    """
    if not name.strip():
        raise ValueError("a study needs a name")
    if not games or len(set(games)) < len(games):
        raise ValueError(f"a study needs games, each once, got {[str(game) for game in games]}")
    if not 0 <= soft_limit <= hard_limit or hard_limit < 1:
        raise ValueError(f"the soft limit cannot be after the hard limit, got {soft_limit} and {hard_limit} seconds")
    with transaction.atomic():
        study = Study.objects.create(
            name=name, soft_limit_seconds=soft_limit, hard_limit_seconds=hard_limit, created_at=now
        )
        _append(study, games)
    return study


def open_demo_study(now: datetime) -> Study:
    """The demo study, made when it is missing, with every playable game in it; newly found games come last.

    Its plays count, so that a newcomer sees their own in the baselines.
    """
    with transaction.atomic():
        study = Study.objects.filter(name=DEMO).first()
        if study is None:
            study = Study.objects.create(name=DEMO, counts_link_plays=True, created_at=now)
        _append(study, list(Game.objects.playable().exclude(studygame__study=study).order_by("game_id")))
    return study


def _append(study: Study, games: Sequence[Game]) -> None:
    last = study.study_games.order_by("-position").first()
    first_free = last.position + 1 if last else 1
    StudyGame.objects.bulk_create(
        StudyGame(study=study, game=game, position=position) for position, game in enumerate(games, start=first_free)
    )
