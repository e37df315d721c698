"""Who plays which games under which limits, and how each attempt ended."""

import secrets
from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from arcweb.games.models import Game
from arcweb.recordings.models import Recording

# Longer than a live process may be busy with a last action: thought about twice, with a replay between, and stored.
OVERDUE_GRACE = timedelta(seconds=3 * settings.GAME_ACTION_SECONDS + 30)


def new_token() -> str:
    """An address that cannot be guessed: whoever knows it is the participant."""
    return secrets.token_urlsafe(16)


class StudyQuerySet(models.QuerySet["Study"]):
    def open_to_all(self) -> "StudyQuerySet":
        """Studies whose link takes new participants and leads to a game."""
        return self.filter(is_open=True, games__in=Game.objects.playable()).distinct()


class Study(models.Model):
    """Games in an order, and the limits under which they are played."""

    name = models.CharField(max_length=100)
    link_token = models.CharField(max_length=50, unique=True, default=new_token)
    is_open = models.BooleanField(default=True, help_text="Whether the link takes new participants.")
    counts_link_plays = models.BooleanField(
        default=False, help_text="Whether plays that came through the open link enter baselines."
    )
    soft_limit_seconds = models.PositiveIntegerField(default=20 * 60, help_text="The player is asked to conclude.")
    hard_limit_seconds = models.PositiveIntegerField(default=30 * 60, help_text="The server ends the attempt.")
    created_at = models.DateTimeField(default=timezone.now)
    games: "models.ManyToManyField[Game, StudyGame]" = models.ManyToManyField(Game, through="StudyGame")

    objects: ClassVar[StudyQuerySet] = StudyQuerySet.as_manager()  # type: ignore[assignment]  # see Game

    class Meta:
        ordering = ("-created_at",)
        verbose_name_plural = "studies"
        constraints = (
            models.CheckConstraint(
                condition=Q(soft_limit_seconds__lte=F("hard_limit_seconds"), hard_limit_seconds__gte=1),
                name="study_soft_limit_not_after_hard_limit",
            ),
        )

    def __str__(self) -> str:
        return self.name


class StudyGame(models.Model):
    """A game's place in a study."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="study_games")
    game = models.ForeignKey(Game, on_delete=models.PROTECT)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("study", "game"), name="one_place_for_a_game"),
            models.UniqueConstraint(fields=("study", "position"), name="one_game_at_a_place"),
        )

    def __str__(self) -> str:
        return f"{self.position}. {self.game_id}"


class Participant(models.Model):
    """A person in a study. Nothing here says who; `token` is in the person's address."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="participants")
    number = models.PositiveIntegerField()
    token = models.CharField(max_length=50, unique=True, default=new_token)
    through_link = models.BooleanField(help_text="Came through the study's open link, not by invitation.")
    joined_at = models.DateTimeField()

    class Meta:
        ordering = ("study", "number")
        constraints = (models.UniqueConstraint(fields=("study", "number"), name="one_participant_for_a_number"),)

    def __str__(self) -> str:
        return self.code

    @property
    def code(self) -> str:
        """What pages and exports call the participant."""
        return f"P-{self.number:02d}"


class Outcome(models.TextChoices):
    """How an attempt ended; empty while it has not."""

    WON = "won", "won"
    ENDED_BY_PLAYER = "ended_by_player", "ended by player"
    TIME_LIMIT = "time_limit", "time limit"
    ABANDONED = "abandoned", "abandoned"
    CRASHED = "crashed", "crashed"


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def unfinished(self) -> "AttemptQuerySet":
        return self.filter(outcome="")

    def end_overdue(self, now: datetime) -> int:
        """End what no server process has ended by itself: it was down, or nobody ever opened the socket.

        The times are the exact ones; the grace only leaves a live process the time to finish an action.
        """
        ended = 0
        for attempt in self.unfinished():
            if now >= attempt.deadline + OVERDUE_GRACE:
                outcome = Outcome.TIME_LIMIT if attempt.started_at else Outcome.ABANDONED
                ended += self.filter(pk=attempt.pk).end(outcome, attempt.deadline)
        return ended

    def end(self, outcome: Outcome, at: datetime, problem: str = "") -> int:
        """End those that have not ended yet; an outcome, once there, stays. Returns how many ended."""
        return self.unfinished().update(outcome=outcome, ended_at=at, problem=problem, seat_holder="", seat_until=None)


class Attempt(models.Model):
    """One participant's first run of one game. The clock starts with step 0 and is judged by `started_at` alone."""

    token = models.CharField(max_length=50, unique=True, default=new_token)
    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, related_name="attempts")
    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="attempts")
    game_name = models.CharField(max_length=100)
    recording = models.OneToOneField(Recording, on_delete=models.SET_NULL, null=True, related_name="attempt")
    soft_limit_seconds = models.PositiveIntegerField()
    hard_limit_seconds = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=20, choices=Outcome, blank=True)
    problem = models.TextField(blank=True, help_text="What went wrong, for staff.")
    excluded = models.BooleanField(default=False)
    exclusion_reason = models.TextField(blank=True)
    seat_holder = models.CharField(max_length=100, blank=True, help_text="Which connection plays it.")
    seat_until = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[AttemptQuerySet] = AttemptQuerySet.as_manager()  # type: ignore[assignment]  # see Game

    class Meta:
        ordering = ("-created_at",)
        constraints = (
            models.UniqueConstraint(fields=("participant", "game_name"), name="one_attempt_for_a_game_name"),
            models.CheckConstraint(
                condition=Q(outcome="", ended_at__isnull=True) | (~Q(outcome="") & Q(ended_at__isnull=False)),
                name="attempt_ended_with_an_outcome",
            ),
            models.CheckConstraint(
                condition=Q(excluded=False) | ~Q(exclusion_reason=""), name="attempt_excluded_with_a_reason"
            ),
        )
        indexes = (models.Index(fields=("outcome", "started_at")),)

    def __str__(self) -> str:
        return f"{self.participant} {self.game_name}"

    @property
    def deadline(self) -> datetime:
        """When the hard limit ends it; before step 0, when it is given up."""
        return (self.started_at or self.created_at) + timedelta(seconds=self.hard_limit_seconds)

    @property
    def status(self) -> str:
        """The named state: `playing` or the outcome."""
        return self.get_outcome_display() if self.outcome else "playing"
