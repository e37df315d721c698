"""The limits, judged by hand-made times."""

from datetime import UTC, datetime, timedelta

import pytest

from arcweb.play.clock import Clock, Phase

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("seconds", "phase"),
    [
        (-5, Phase.PLAYING),
        (0, Phase.PLAYING),
        (1199.999, Phase.PLAYING),
        (1200, Phase.PROMPTED),
        (1679.999, Phase.PROMPTED),
        (1680, Phase.LAST_MINUTES),
        (1799.999, Phase.LAST_MINUTES),
        (1800, Phase.OVER),
        (90_000, Phase.OVER),
    ],
)
def test_phase_at_the_standard_limits(seconds: float, phase: Phase) -> None:
    assert Clock(START, 1200, 1800).phase(after(seconds)) is phase


def test_last_minutes_with_close_limits_begin_half_way_after_the_prompt() -> None:
    clock = Clock(START, 10, 20)
    assert [clock.phase(after(s)) for s in (9, 10, 14, 15, 19, 20)] == [
        Phase.PLAYING,
        Phase.PROMPTED,
        Phase.PROMPTED,
        Phase.LAST_MINUTES,
        Phase.LAST_MINUTES,
        Phase.OVER,
    ]


def test_next_change_leads_through_every_phase_to_the_end() -> None:
    clock, now, phases = Clock(START, 1200, 1800), START, [Phase.PLAYING]
    while (wait := clock.next_change(now)) is not None:
        now += timedelta(seconds=wait)
        phases.append(clock.phase(now))
    assert phases == [Phase.PLAYING, Phase.PROMPTED, Phase.LAST_MINUTES, Phase.OVER]
    assert now == clock.deadline == after(1800)


def test_next_change_with_equal_limits_is_the_end() -> None:
    clock = Clock(START, 3, 3)
    assert clock.next_change(after(1)) == 2
    assert clock.phase(after(3)) is Phase.OVER
    assert clock.next_change(after(3)) is None


def test_as_json_never_shows_less_than_nothing_or_more_than_the_limit() -> None:
    clock = Clock(START, 1200, 1800)
    assert clock.as_json(after(-3)) == {"elapsed": 0.0, "soft_limit": 1200, "hard_limit": 1800, "phase": "playing"}
    assert clock.as_json(after(4000))["elapsed"] == 1800
