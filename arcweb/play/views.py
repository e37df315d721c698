"""The player's pages: the link, the controls before each game, the game, the end."""

from typing import Any

from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache

from arcweb.games.models import Game
from arcweb.recordings.figures import figures_of
from arcweb.studies import assignment
from arcweb.studies.models import Attempt, Outcome, Participant, Study, new_token


@method_decorator(never_cache, name="dispatch")
class JoinView(View):
    """The study's open link. Opening it takes nothing: a participant is made when Start is pressed.

    The page carries a ticket with the new participant's token, so that pressing twice makes one participant.
    """

    def get(self, request: HttpRequest, link_token: str) -> HttpResponse:
        study = get_object_or_404(Study, link_token=link_token)
        games = Game.objects.playable().filter(studygame__study=study).order_by("studygame__position")
        first = games.first()
        if not study.is_open or first is None:
            return render(request, "play/closed.html", {"study": study})
        ticket = signing.dumps(new_token(), salt=link_token)
        return render(request, "play/ready.html", _ready(study, first, 1, games.count()) | {"ticket": ticket})

    def post(self, request: HttpRequest, link_token: str) -> HttpResponse:
        study = get_object_or_404(Study, link_token=link_token)
        if not Study.objects.open_to_all().filter(pk=study.pk).exists():
            return render(request, "play/closed.html", {"study": study})
        try:
            token = signing.loads(request.POST.get("ticket", ""), salt=link_token)
        except signing.BadSignature:
            token = new_token()
        return _start_next(assignment.join_through_link(study, token, timezone.now()))


@method_decorator(never_cache, name="dispatch")
class PlaceView(View):
    """Where a participant is now: in a game, before the next one, or done."""

    def get(self, request: HttpRequest, token: str) -> HttpResponse:
        participant = get_object_or_404(Participant.objects.select_related("study"), token=token)
        Attempt.objects.filter(participant=participant).end_overdue(timezone.now())
        attempt = assignment.current_attempt(participant)
        if attempt is not None:
            return redirect("play", attempt.token)
        game = assignment.next_game(participant)
        if game is None:
            return render(request, "play/done.html", {"games": _played(participant)})
        attempted, total = assignment.place_of(participant)
        return render(request, "play/ready.html", _ready(participant.study, game, attempted + 1, total))

    def post(self, request: HttpRequest, token: str) -> HttpResponse:
        return _start_next(get_object_or_404(Participant.objects.select_related("study"), token=token))


@never_cache
def play(request: HttpRequest, token: str) -> HttpResponseBase:
    """The game itself. What happens on it comes over the socket."""
    attempt = get_object_or_404(Attempt.objects.select_related("game", "participant__study"), token=token)
    attempted, total = assignment.place_of(attempt.participant)
    page = {
        "socket": f"/ws/play/{attempt.token}/",
        "next": f"/p/{attempt.participant.token}/",
        "controls": attempt.game.available_actions,
        "game": attempt.game_name,
    }
    return render(request, "play/play.html", {"page": page, "number": attempted, "total": total})


def _start_next(participant: Participant) -> HttpResponse:
    attempt = assignment.start_attempt(participant, timezone.now())
    if attempt is None:
        return redirect("place", participant.token)
    return redirect("play", attempt.token)


def _played(participant: Participant) -> list[tuple[str, str]]:
    """What to tell the participant of each game: its four characters, and how far they came."""
    attempts = participant.attempts.filter(recording__isnull=False).select_related("recording").order_by("created_at")
    figures = figures_of(attempt.recording for attempt in attempts if attempt.recording)
    return [
        (attempt.game_name, "completed" if attempt.outcome == Outcome.WON else f"{played.levels} levels")
        for attempt in attempts
        if (played := figures.get(attempt.recording_id or 0))
    ]


def _ready(study: Study, game: Game, number: int, total: int) -> dict[str, Any]:
    return {
        "study": study,
        "controls": game.available_actions,
        "game_name": game.name,
        "number": number,
        "total": total,
        "soft_limit": _spoken(study.soft_limit_seconds),
        "hard_limit": _spoken(study.hard_limit_seconds),
    }


def _spoken(seconds: int) -> str:
    """`20 minutes`, `90 seconds`."""
    number, unit = (seconds // 60, "minute") if seconds % 60 == 0 else (seconds, "second")
    return f"{number} {unit}{'' if number == 1 else 's'}"
