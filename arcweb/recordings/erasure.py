"""The one way by which a recording is deleted, with a trace that it was."""

from datetime import datetime

from django.db import transaction

from arcweb.recordings.models import Erasure, Recording


def erase(recording: Recording, *, by: str, reason: str, now: datetime) -> Erasure:
    """Delete a recording and all its steps, and note who did so and why.

    Raises:
        ValueError: `by` or `reason` is empty.
    """
    if not by or not reason:
        raise ValueError(f"an erasure needs a name and a reason, got {by!r} and {reason!r}")
    with transaction.atomic():
        erasure = Erasure.objects.create(
            guid=recording.guid,
            recording_id=recording.pk,
            game_id=recording.game.game_id,
            steps=recording.steps.count(),
            erased_by=by,
            reason=reason,
            erased_at=now,
        )
        recording.steps.all().delete()
        recording.delete()
    return erasure
