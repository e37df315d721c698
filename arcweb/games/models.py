"""The catalogue in the database: which games there are, and what is known of each."""

from pathlib import Path
from typing import ClassVar

from django.conf import settings
from django.db import models


class Stage(models.TextChoices):
    """Pipeline of an environment (technical report, 3.4)."""

    SPECIFICATION = "specification"
    INTERNAL = "internal"
    EXTERNAL = "external"
    DONE = "done"


class GameQuerySet(models.QuerySet["Game"]):
    def playable(self) -> "GameQuerySet":
        """Games whose files are here and load."""
        return self.exclude(directory="").filter(problem="")

    def named(self, name: str) -> "Game":
        """The game of this id, or of this name where only one version has it.

        Raises:
            LookupError: there is none, or several; the text says so.
        """
        for matching in (self.filter(game_id=name), self.filter(name=name)):
            games = list(matching)
            if len(games) > 1:
                raise LookupError(f"{name} is not unique: {', '.join(map(str, games))}")
            if games:
                return games[0]
        raise LookupError(f"there is no game {name}")


class Game(models.Model):
    """One version of one game, `name-version`. Games known from imported recordings only have no directory."""

    game_id = models.CharField(max_length=100, unique=True)
    name = models.CharField(max_length=100, db_index=True)
    version = models.CharField(max_length=100, blank=True)
    directory = models.CharField(max_length=500, blank=True, help_text="Relative to ENVIRONMENTS_DIR; empty: no files.")
    source_hash = models.CharField(max_length=64, blank=True)
    default_fps = models.PositiveSmallIntegerField(default=5)
    level_count = models.PositiveSmallIntegerField(default=0)
    available_actions = models.JSONField(default=list, blank=True)
    stage = models.CharField(max_length=20, choices=Stage, default=Stage.INTERNAL)
    problem = models.TextField(blank=True, help_text="Why the game cannot be loaded; empty when it can.")
    scanned_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[GameQuerySet] = GameQuerySet.as_manager()  # type: ignore[assignment]  # django-stubs: a manager

    class Meta:
        ordering = ("game_id",)

    def __str__(self) -> str:
        return self.game_id

    @property
    def path(self) -> Path:
        """The folder of the game's files."""
        return Path(settings.ENVIRONMENTS_DIR) / self.directory
