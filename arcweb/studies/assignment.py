"""Who joins, and which game comes next: each participant attempts each game once, in the study's order."""

from datetime import datetime

from django.db import IntegrityError, transaction

import engine
from arcweb.games.models import Game
from arcweb.recordings.models import Origin, Recording
from arcweb.studies.models import Attempt, Participant, Study
from engine.catalog import source_hash


def join_through_link(study: Study, token: str, now: datetime) -> Participant:
    """The participant of this token, made if it is new: asking twice makes one participant."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)  # numbers are given one at a time
        participant = Participant.objects.filter(study=study, token=token).first()
        if participant is None:
            last = study.participants.order_by("-number").first()
            number = last.number + 1 if last else 1
            participant = Participant.objects.create(
                study=study, number=number, token=token, through_link=True, joined_at=now
            )
    return participant


def next_game(participant: Participant) -> Game | None:
    """The first game of the study that can be played and that the participant has not attempted; None: all done."""
    attempted = participant.attempts.values("game_name")
    return (
        Game.objects.playable()
        .filter(studygame__study=participant.study)
        .exclude(name__in=attempted)
        .order_by("studygame__position")
        .first()
    )


def current_attempt(participant: Participant) -> Attempt | None:
    """The attempt that the participant is in; one whose recording was erased is none."""
    return participant.attempts.unfinished().filter(recording__isnull=False).first()


def start_attempt(participant: Participant, now: datetime) -> Attempt | None:
    """The participant's current attempt, else a new one of the next game; None when no game is left.

    Its clock does not run before step 0.
    """
    attempt, game = current_attempt(participant), next_game(participant)
    if attempt is not None or game is None:
        return attempt
    try:
        with transaction.atomic():
            recording = Recording.objects.create(
                game=game,
                origin=Origin.HUMAN,
                source_hash=source_hash(game.path),
                engine_version=engine.__version__,
                created_at=now,
            )
            return Attempt.objects.create(
                participant=participant,
                game=game,
                game_name=game.name,
                recording=recording,
                soft_limit_seconds=participant.study.soft_limit_seconds,
                hard_limit_seconds=participant.study.hard_limit_seconds,
                created_at=now,
            )
    except IntegrityError:
        # Start was pressed twice at once: the other press made it.
        return current_attempt(participant)


def place_of(participant: Participant) -> tuple[int, int]:
    """How many games the participant has attempted, and how many there are in all."""
    attempted = participant.attempts.count()
    total = Game.objects.playable().filter(studygame__study=participant.study).count()
    return attempted, max(total, attempted)
