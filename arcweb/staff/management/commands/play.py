"""Command: everything from an empty database to a served demo study, safe to repeat."""

import os
import secrets
import socket
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from daphne.cli import CommandLineInterface
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.urls import reverse
from django.utils import timezone

from arcweb.games.models import Game
from arcweb.staff.models import User
from arcweb.studies.models import Attempt
from arcweb.studies.opening import open_demo_study

STAFF_NAME = "staff"


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise ArgumentTypeError(f"PORT must be from 1 to 65535, not {text}")
    return int(text)


class Command(BaseCommand):
    help = "Prepare the database, the games and a demo study, then serve on 127.0.0.1 with Daphne."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=_port, default=os.environ.get("PORT") or "8000")

    def handle(self, *args: Any, **options: Any) -> None:
        port = options["port"]
        self._check_free(port)
        if self._static_files_changed():
            call_command("collectstatic", interactive=False, verbosity=0)
        call_command("migrate", interactive=False, verbosity=0)
        call_command("load_games", stdout=self.stdout, stderr=self.stderr)
        now = timezone.now()
        Attempt.objects.end_overdue(now)
        study = open_demo_study(now)
        home = f"http://127.0.0.1:{port}"
        link = f"{home}{reverse('join', args=[study.link_token])}"
        is_playable = study.games.filter(pk__in=Game.objects.playable()).exists()
        self.stdout.write(f"\nPlay:   {link if is_playable else 'nothing yet: no game could be loaded'}")
        self.stdout.write(f"Staff:  {home}{reverse('staff:games')}  {self._staff_login()}")
        self.stdout.write(f"Serving on {home}; stop with Ctrl-C\n")
        self.stdout.flush()
        self._serve(port)

    def _check_free(self, port: int) -> None:
        """Fail before anything is shown once that would then be lost."""
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                raise CommandError(f"port {port}: {error.strerror}; choose another with PORT") from error

    def _static_files_changed(self) -> bool:
        """Whether there is anything to collect: nothing was yet, or a file is newer than what was."""
        manifest = settings.STATIC_ROOT / "staticfiles.json"
        if not manifest.exists():
            return True
        collected_at = manifest.stat().st_mtime
        files = (storage.path(name) for finder in get_finders() for name, storage in finder.list(None))
        return any(Path(file).stat().st_mtime > collected_at for file in files)

    def _staff_login(self) -> str:
        staff = User.objects.filter(is_staff=True).order_by("pk").first()
        if staff is not None:
            new_password = f".venv/bin/python manage.py changepassword {staff.get_username()}"
            return f"login {staff.get_username()}, with the password shown at first (a new one: {new_password})"
        password = secrets.token_urlsafe(12)
        User.objects.create_superuser(STAFF_NAME, password=password)
        return f"login {STAFF_NAME}, password {password}  (shown once)"

    def _serve(self, port: int) -> None:
        """Run Daphne in this process, which has everything loaded already, until it is stopped.

        Without its access log: a participant's address is their key.
        """
        connections.close_all()
        CommandLineInterface().run(["-v", "0", "-b", "127.0.0.1", "-p", str(port), "arcweb.asgi:application"])
