"""Builders of games, studies, participants and attempts for tests; each takes what the test is about."""

from datetime import UTC, datetime
from itertools import count
from typing import Any

from arcweb.games.models import Game
from arcweb.recordings.models import Origin, Recording
from arcweb.studies.models import Attempt, Participant, Study
from arcweb.studies.opening import open_study

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
_numbers = count(1)


def make_game(game_id: str = "", **values: Any) -> Game:
    """A playable game of the catalogue, without files."""
    game_id = game_id or f"g{next(_numbers):03d}-00000001"
    name, _, version = game_id.partition("-")
    defaults = {"name": name, "version": version, "directory": f"{name}/{version}", "available_actions": [1, 2]}
    return Game.objects.create(game_id=game_id, **defaults | {"level_count": 3} | values)


def make_study(*games: Game, **limits: int) -> Study:
    return open_study("Test", games or (make_game(),), NOW, **limits)


def make_participant(study: Study | None = None) -> Participant:
    study = study or make_study()
    number = study.participants.count() + 1
    return Participant.objects.create(study=study, number=number, through_link=False, joined_at=NOW)


def make_attempt(participant: Participant | None = None, **values: Any) -> Attempt:
    """An attempt of the first game of the participant's study."""
    participant = participant or make_participant()
    game = values.pop("game", None) or participant.study.games.order_by("studygame__position")[0]
    recording = Recording.objects.create(game=game, origin=Origin.HUMAN, created_at=NOW)
    defaults = {"soft_limit_seconds": 1200, "hard_limit_seconds": 1800, "created_at": NOW, "game_name": game.name}
    return Attempt.objects.create(participant=participant, game=game, recording=recording, **defaults | values)
