"""Human baselines: recordings -> level results -> the upper median for each level."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from django.db.models import Q, QuerySet
from django.db.models.functions import Length

from arcweb.calibration.counting import LevelResult, PlayedStep, level_results
from arcweb.calibration.statistics import upper_median
from arcweb.games.models import Game
from arcweb.recordings.codec import EMPTY
from arcweb.recordings.models import Origin, Recording, Step

CHUNK = 10_000  # steps fetched at once, some hundred bytes each


@dataclass(frozen=True, slots=True)
class LevelBaseline:
    """One level: the action counts of everyone who completed it, won or not."""

    level: int
    counts: tuple[int, ...]

    @property
    def completers(self) -> int:
        return len(self.counts)

    @property
    def baseline(self) -> int | None:
        """The upper median; None where nobody completed the level."""
        return upper_median(self.counts) if self.counts else None


@dataclass(frozen=True, slots=True)
class GameBaselines:
    """One game: how many recordings were counted, and its levels, all of them, from level 1."""

    game: Game
    recordings: int
    levels: tuple[LevelBaseline, ...]

    @property
    def baseline_actions(self) -> list[int | None]:
        return [level.baseline for level in self.levels]

    @property
    def completers(self) -> list[int]:
        return [level.completers for level in self.levels]


def counted_recordings() -> QuerySet[Recording]:
    """Whose plays enter baselines: imported human ones, and attempts here that are not excluded.

    Plays through a study's open link count only where the study says so. How an attempt ended does not matter.
    """
    by_invitation = Q(attempt__participant__through_link=False)
    by_link = Q(attempt__participant__study__counts_link_plays=True)
    attempts = Q(origin=Origin.HUMAN, attempt__excluded=False) & (by_invitation | by_link)
    return Recording.objects.filter(Q(origin=Origin.IMPORTED_HUMAN) | attempts)


def baselines(games: QuerySet[Game]) -> list[GameBaselines]:
    """The baselines of these games, in their order, from their recordings in two queries, steps streaming."""
    known = list(games)
    counted = counted_recordings().filter(game__in=games)
    recordings: dict[int, int] = defaultdict(int)
    counts: dict[tuple[int, int], list[int]] = defaultdict(list)
    most_levels: dict[int, int] = defaultdict(int)
    for game, win_levels, results in _plays(counted):
        recordings[game] += 1
        most_levels[game] = max(most_levels[game], win_levels, *(result.level for result in results))
        for result in results:
            if not result.at_once:
                counts[game, result.level].append(result.actions)
    return [
        GameBaselines(
            game=game,
            recordings=recordings[game.pk],
            levels=tuple(
                LevelBaseline(level, tuple(sorted(counts[game.pk, level])))
                for level in range(1, (game.level_count or most_levels[game.pk]) + 1)
            ),
        )
        for game in known
    ]


def _plays(recordings: QuerySet[Recording]) -> Iterator[tuple[int, int, list[LevelResult]]]:
    """(game's key, highest win_levels, level results) of every recording, from one query without any frames."""
    steps = (
        Step.objects.filter(recording__in=recordings)
        .order_by("recording_id", "step")
        .values_list(
            "recording_id",
            "recording__game_id",
            "step",
            "action",
            "levels_completed",
            "full_reset",
            "win_levels",
            Length("frames"),
        )
        .iterator(chunk_size=CHUNK)
    )
    for (_recording, game), rows in groupby(steps, key=itemgetter(0, 1)):
        most_levels = 0
        played: list[PlayedStep] = []
        for _, _, step, action, levels_completed, full_reset, win_levels, size in rows:
            most_levels = max(most_levels, win_levels)
            played.append(PlayedStep(step, action, levels_completed, full_reset, is_empty=size == len(EMPTY)))
        yield game, most_levels, level_results(played)
