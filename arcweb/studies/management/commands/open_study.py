"""Command: open a study behind a link."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils import timezone

from arcweb.games.models import Game
from arcweb.studies.opening import open_study


class Command(BaseCommand):
    help = "Open a study of games in the given order, and print its link, below the server's address."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("games", nargs="+", metavar="GAME", help="in this order; ids or unique names")
        parser.add_argument("--soft-limit", type=int, default=20 * 60, metavar="SECONDS")
        parser.add_argument("--hard-limit", type=int, default=30 * 60, metavar="SECONDS")

    def handle(self, *args: Any, **options: Any) -> None:
        playable = Game.objects.playable()
        try:
            study = open_study(
                options["name"],
                [playable.named(game) for game in options["games"]],
                timezone.now(),
                soft_limit=options["soft_limit"],
                hard_limit=options["hard_limit"],
            )
        except LookupError as error:
            known = ", ".join(playable.values_list("game_id", flat=True)) or "none; see manage.py load_games"
            raise CommandError(f"{error}; playable are: {known}") from error
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(reverse("join", args=[study.link_token]))
