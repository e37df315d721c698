"""The limits of an attempt, judged by the server's times alone: pure functions of when it started and of now."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

LAST_SECONDS = 120.0


class Phase(StrEnum):
    """Where an attempt stands in its time."""

    PLAYING = "playing"
    PROMPTED = "prompted"
    LAST_MINUTES = "last_minutes"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Clock:
    """An attempt's clock. Limits in seconds after `started_at`, when step 0 was stored."""

    started_at: datetime
    soft_limit: float
    hard_limit: float

    @property
    def deadline(self) -> datetime:
        """An action received before this moment counts."""
        return self.started_at + timedelta(seconds=self.hard_limit)

    def elapsed(self, now: datetime) -> float:
        """Seconds since the start; never negative, never beyond the hard limit."""
        return min(max((now - self.started_at).total_seconds(), 0.0), self.hard_limit)

    def phase(self, now: datetime) -> Phase:
        if now >= self.deadline:
            return Phase.OVER
        if self.elapsed(now) < self.soft_limit:
            return Phase.PLAYING
        return Phase.LAST_MINUTES if self.elapsed(now) >= self._last_minutes_from else Phase.PROMPTED

    def next_change(self, now: datetime) -> float | None:
        """Seconds from now until the phase changes; None when it is over."""
        for moment in (self.soft_limit, self._last_minutes_from, self.hard_limit):
            at = self.started_at + timedelta(seconds=moment)
            if at > now:
                return (at - now).total_seconds()
        return None

    def as_json(self, now: datetime) -> dict[str, float | str]:
        """CLOCK of the protocol."""
        return {
            "elapsed": round(self.elapsed(now), 3),
            "soft_limit": self.soft_limit,
            "hard_limit": self.hard_limit,
            "phase": self.phase(now),
        }

    @property
    def _last_minutes_from(self) -> float:
        """Two minutes before the end, but no earlier than half way from the prompt to the end."""
        return max(self.hard_limit - LAST_SECONDS, (self.soft_limit + self.hard_limit) / 2)
