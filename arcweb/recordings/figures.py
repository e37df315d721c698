"""A few figures of recordings for lists: how long, how far."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Max, Min, Q

from arcweb.recordings.codec import EMPTY
from arcweb.recordings.models import Recording, Step


@dataclass(frozen=True, slots=True)
class Figures:
    """`actions` leaves out step 0 and what came after the end. `duration` is from the first step to the last answer."""

    steps: int = 0
    actions: int = 0
    levels_completed: int = 0
    win_levels: int = 0
    duration: timedelta = timedelta(0)

    @property
    def levels(self) -> str:
        return f"{self.levels_completed} of {self.win_levels}"


def figures_of(recordings: Iterable[Recording]) -> dict[int, Figures]:
    """Figures by the recordings' keys, in one query; recordings without steps are left out."""
    rows = (
        Step.objects.filter(recording__in=list(recordings))
        .order_by()
        .values("recording_id")
        .annotate(
            steps=Count("step"),
            actions=Count("step", filter=Q(step__gt=0) & ~Q(frames=EMPTY)),
            levels_completed=Max("levels_completed"),
            win_levels=Max("win_levels"),
            began=Min("received_at"),
            ended=Max("answered_at"),
        )
    )
    return {
        row["recording_id"]: Figures(
            row["steps"], row["actions"], row["levels_completed"], row["win_levels"], row["ended"] - row["began"]
        )
        for row in rows
    }
