"""Command: bring the catalogue up to date with ENVIRONMENTS_DIR."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from arcweb.games.scan import scan_games


class Command(BaseCommand):
    help = "Load every game of ENVIRONMENTS_DIR into the catalogue, and say which ones cannot be loaded and why."

    def handle(self, *args: Any, **options: Any) -> None:
        root = settings.ENVIRONMENTS_DIR
        if not root.is_dir():
            raise CommandError(f"ENVIRONMENTS_DIR is no folder: {root}")
        games = scan_games(root, timezone.now(), lambda line: self.stderr.write(line))
        for game in games:
            if game.problem:
                self.stderr.write(f"{game.game_id}: cannot be loaded: {game.problem}")
        loaded = sum(not game.problem for game in games)
        if options["verbosity"] > 1:
            self.stdout.write("\n".join(game.game_id for game in games if not game.problem))
        self.stdout.write(f"{loaded} of {len(games)} games loaded from {root}")
