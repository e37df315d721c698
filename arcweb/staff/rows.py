"""What staff lists show of recordings."""

from collections.abc import Iterable
from dataclasses import dataclass

from arcweb.recordings.figures import Figures, figures_of
from arcweb.recordings.models import Recording
from arcweb.studies.models import Attempt


@dataclass(frozen=True, slots=True)
class Row:
    """A recording in a list. `attempt` is None for imported and other plays."""

    recording: Recording
    attempt: Attempt | None
    figures: Figures

    @property
    def status(self) -> str:
        """The attempt's named state; for others, whose play it is."""
        return self.attempt.status if self.attempt else self.recording.get_origin_display()


def rows_of(recordings: Iterable[Recording]) -> list[Row]:
    """Rows for recordings that were read with their game and attempt."""
    recordings = list(recordings)
    figures = figures_of(recordings)
    return [
        Row(recording, getattr(recording, "attempt", None), figures.get(recording.pk, Figures()))
        for recording in recordings
    ]
