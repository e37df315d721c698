"""Staff pages: the games, the recordings, the replay of one."""

from django.contrib.auth.decorators import user_passes_test
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone

from arcweb.games.models import Game
from arcweb.recordings import replay
from arcweb.recordings.models import Recording
from arcweb.staff.rows import rows_of
from arcweb.studies.models import Attempt, Study
from arcweb.studies.opening import DEMO

RECORDINGS_ON_A_PAGE = 50

staff_required = user_passes_test(lambda user: user.is_active and user.is_staff, login_url="login")


def home(request: HttpRequest) -> HttpResponse:
    """What this is, and the way to a first game, the replays and the staff pages."""
    context = {
        "study": Study.objects.open_to_all().filter(name=DEMO).first(),
        "games_count": Game.objects.playable().count(),
        "recordings_count": Recording.objects.count(),
    }
    return render(request, "home.html", context)


@staff_required
def games(request: HttpRequest) -> HttpResponse:
    """Every game of the catalogue, with what keeps it from being played."""
    rows = Game.objects.annotate(recordings_count=Count("recordings"))
    return render(request, "staff/games.html", {"games": rows})


@staff_required
def recordings(request: HttpRequest) -> HttpResponse:
    """All recordings, or those of one game (`?game=ID`), newest first."""
    Attempt.objects.end_overdue(timezone.now())
    found = Recording.objects.select_related("game", "attempt__participant__study")
    if game_id := request.GET.get("game", "").replace("\0", ""):  # which PostgreSQL does not take
        found = found.filter(game__game_id=game_id)
    page = Paginator(found, RECORDINGS_ON_A_PAGE).get_page(request.GET.get("page"))
    return render(
        request, "staff/recordings.html", {"game_id": game_id, "page_obj": page, "rows": rows_of(page.object_list)}
    )


@staff_required
def replay_page(request: HttpRequest, guid: str) -> HttpResponse:
    """One recording, step by step."""
    recording = get_object_or_404(Recording.objects.select_related("game", "attempt__participant__study"), guid=guid)
    page = {"data": reverse("staff:replay_data", args=[guid]), "fps": recording.game.default_fps}
    return render(request, "staff/replay.html", {"row": rows_of([recording])[0], "page": page})


@staff_required
def replay_data(request: HttpRequest, guid: str) -> HttpResponse:
    """The steps and frames of one recording, as `recordings.replay` packs them."""
    recording = get_object_or_404(Recording.objects.select_related("game", "attempt"), guid=guid)
    attempt = getattr(recording, "attempt", None)
    limits = (attempt.soft_limit_seconds, attempt.hard_limit_seconds) if attempt else (None, None)
    body = replay.pack(recording, limits, attempt.outcome if attempt else "")
    return HttpResponse(body, content_type="application/octet-stream")
