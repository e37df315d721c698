"""What happened: one recording for each play of a game, one step for each action, append-only."""

import uuid

from django.db import models

from arcweb.games.models import Game

MASK_OF_ALL_ACTIONS = 0b1111_1110


class Origin(models.TextChoices):
    """Whose play it is. Only the human ones enter baselines."""

    HUMAN = "human", "human"
    SIMULATED = "simulated", "simulated"
    AGENT = "agent", "agent"
    IMPORTED_HUMAN = "imported_human", "imported human"
    IMPORTED_AGENT = "imported_agent", "imported agent"


class State(models.IntegerChoices):
    """The engine's GameState, as it is stored and as it goes over the socket."""

    NOT_PLAYED = 0
    NOT_FINISHED = 1
    WIN = 2
    GAME_OVER = 3


def new_guid() -> str:
    return str(uuid.uuid4())


class Recording(models.Model):
    """One play of one game by anyone."""

    guid = models.CharField(max_length=100, unique=True, default=new_guid)
    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="recordings")
    origin = models.CharField(max_length=20, choices=Origin)
    source_hash = models.CharField(max_length=64, blank=True, help_text="Of the game's source when it was played.")
    engine_version = models.CharField(max_length=50, blank=True)
    seed = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("-created_at", "-id")
        indexes = (models.Index(fields=("game", "origin")),)

    def __str__(self) -> str:
        return self.guid


class Step(models.Model):
    """One action and all its frames. The database refuses every UPDATE, and a DELETE outside `erasure.erase`.

    `available_actions` is a bit mask, bit k for ACTIONk. `frames` is what `codec.encode` made of them, chained to the
    last grid of the step before; NULL where the play was recorded without frame data.
    """

    pk = models.CompositePrimaryKey("recording_id", "step")
    recording = models.ForeignKey(Recording, on_delete=models.DO_NOTHING, related_name="steps", db_index=False)
    step = models.PositiveIntegerField()
    action = models.PositiveSmallIntegerField()
    x = models.PositiveSmallIntegerField(null=True)
    y = models.PositiveSmallIntegerField(null=True)
    received_at = models.DateTimeField(help_text="When the server had the action.")
    answered_at = models.DateTimeField(help_text="When the engine had answered it.")
    key_down_ms = models.BigIntegerField(null=True, help_text="When the key went down: ms since 1970, player's clock.")
    state = models.PositiveSmallIntegerField(choices=State)
    levels_completed = models.PositiveSmallIntegerField()
    win_levels = models.PositiveSmallIntegerField()
    full_reset = models.BooleanField(default=False)
    available_actions = models.PositiveSmallIntegerField()
    frames = models.BinaryField(null=True)

    class Meta:
        ordering = ("recording_id", "step")
        constraints = (
            models.CheckConstraint(condition=models.Q(action__lte=7), name="step_action_0_to_7"),
            models.CheckConstraint(
                condition=models.Q(x__isnull=True, y__isnull=True)
                | models.Q(x__isnull=False, y__isnull=False, x__lte=63, y__lte=63),
                name="step_x_y_both_or_neither_0_to_63",
            ),
            models.CheckConstraint(
                condition=models.Q(available_actions__lte=MASK_OF_ALL_ACTIONS), name="step_available_actions_1_to_7"
            ),
        )

    def __str__(self) -> str:
        return f"{self.recording_id}/{self.step}"

    @property
    def available(self) -> list[int]:
        """The available actions as a list, as in the official format."""
        return actions_of(self.available_actions)


class Erasure(models.Model):
    """A recording that was deleted: that it was, when, by whom and why; nothing of what was in it."""

    guid = models.CharField(max_length=100)
    recording_id = models.BigIntegerField(unique=True)
    game_id = models.CharField(max_length=100)
    steps = models.PositiveIntegerField()
    erased_by = models.CharField(max_length=150)
    reason = models.TextField()
    erased_at = models.DateTimeField()

    class Meta:
        ordering = ("-erased_at",)

    def __str__(self) -> str:
        return self.guid


def mask_of(actions: list[int] | tuple[int, ...]) -> int:
    """Bit mask of action ids, bit k for ACTIONk; ids outside 1..7 have no bit."""
    return sum({1 << action for action in actions if 1 <= action <= 7})


def actions_of(mask: int) -> list[int]:
    """Action ids of a bit mask, rising."""
    return [action for action in range(1, 8) if mask >> action & 1]
