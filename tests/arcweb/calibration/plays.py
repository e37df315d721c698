"""Builders of recordings in the database, straight into the tables."""

from datetime import UTC, datetime
from typing import Any

from arcweb.games.models import Game
from arcweb.recordings.models import Origin, Recording, State, Step
from arcweb.studies.models import Attempt, Outcome, Participant, Study

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def make_game(game_id: str = "ab12-1", **changes: Any) -> Game:
    name, _, version = game_id.partition("-")
    return Game.objects.get_or_create(game_id=game_id, defaults={"name": name, "version": version} | changes)[0]


def make_play(game: Game, *actions: int, origin: Origin = Origin.IMPORTED_HUMAN, win_levels: int = 3) -> Recording:
    """A play that completes a level after so many actions, one number for each level, and then does one more."""
    recording = Recording.objects.create(game=game, origin=origin, created_at=NOW)
    levels = [0]
    for level, count in enumerate(actions):
        levels += [level] * (count - 1) + [level + 1]
    levels.append(levels[-1])
    Step.objects.bulk_create(
        Step(
            recording=recording,
            step=number,
            action=int(number > 0),
            received_at=NOW,
            answered_at=NOW,
            state=State.NOT_FINISHED,
            levels_completed=completed,
            win_levels=win_levels,
            available_actions=2,
        )
        for number, completed in enumerate(levels)
    )
    return recording


def make_attempt(
    recording: Recording,
    *,
    through_link: bool = False,
    counts_link_plays: bool = False,
    outcome: str = Outcome.ENDED_BY_PLAYER,
    **changes: Any,
) -> Attempt:
    """The attempt, of a new participant in a new study, that this recording is of."""
    study = Study.objects.create(name="test", created_at=NOW, counts_link_plays=counts_link_plays)
    participant = Participant.objects.create(study=study, number=1, through_link=through_link, joined_at=NOW)
    return Attempt.objects.create(
        participant=participant,
        game=recording.game,
        game_name=recording.game.name,
        recording=recording,
        soft_limit_seconds=1200,
        hard_limit_seconds=1800,
        created_at=NOW,
        outcome=outcome,
        ended_at=NOW if outcome else None,
        **changes,
    )
