"""Command: open a study behind a link."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils import timezone

from arcweb.games.models import Game
from arcweb.studies.opening import open_study


class Command(BaseCommand):
    help = "Open a study of games in the given order, and print the address of its link."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("games", nargs="+", metavar="game_id")
        parser.add_argument("--soft-limit", type=int, default=20 * 60, metavar="SECONDS")
        parser.add_argument("--hard-limit", type=int, default=30 * 60, metavar="SECONDS")

    def handle(self, *args: Any, **options: Any) -> None:
        found = {game.game_id: game for game in Game.objects.playable().filter(game_id__in=options["games"])}
        if missing := [game_id for game_id in options["games"] if game_id not in found]:
            raise CommandError(f"no playable game {missing[0]}; see manage.py load_games")
        try:
            study = open_study(
                options["name"],
                [found[game_id] for game_id in options["games"]],
                timezone.now(),
                soft_limit=options["soft_limit"],
                hard_limit=options["hard_limit"],
            )
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(reverse("join", args=[study.link_token]))
