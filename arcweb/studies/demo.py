"""The demo study: the bundled games behind an open link, so that a newcomer can try everything at once."""

from datetime import datetime

from django.db import transaction

from arcweb.games.models import Game
from arcweb.studies.models import Study, StudyGame

NAME = "Demo"


def open_demo_study(now: datetime) -> Study:
    """The demo study, made when it is missing, with every playable game in it; newly found games come last."""
    with transaction.atomic():
        study = Study.objects.filter(name=NAME).first()
        if study is None:
            study = Study.objects.create(name=NAME, counts_link_plays=True, created_at=now)
        missing = Game.objects.playable().exclude(studygame__study=study).order_by("game_id")
        last = study.study_games.order_by("-position").first()
        first_free = last.position + 1 if last else 1
        StudyGame.objects.bulk_create(
            StudyGame(study=study, game=game, position=position)
            for position, game in enumerate(missing, start=first_free)
        )
    return study
