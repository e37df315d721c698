"""Studies and their games, to be set up by staff; attempts, to be looked at and excluded with a reason."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from arcweb.studies.models import Attempt, Study, StudyGame


class StudyGameInline(admin.TabularInline[StudyGame, Study]):
    model = StudyGame
    extra = 1


@admin.register(Study)
class StudyAdmin(admin.ModelAdmin[Study]):
    list_display = ("name", "is_open", "soft_limit_seconds", "hard_limit_seconds", "created_at")
    readonly_fields = ("link_token",)
    inlines = (StudyGameInline,)


@admin.register(Attempt)
class AttemptAdmin(admin.ModelAdmin[Attempt]):
    list_display = ("participant", "game", "status", "started_at", "ended_at", "excluded")
    list_filter = ("outcome", "excluded", "game")
    list_select_related = ("participant", "game")
    fields = ("participant", "game", "status", "problem", "started_at", "ended_at", "excluded", "exclusion_reason")
    readonly_fields = ("participant", "game", "status", "problem", "started_at", "ended_at")

    def save_model(self, request: HttpRequest, obj: Attempt, form: Any, change: bool) -> None:
        """Only what was changed here: the rest may have gone on since the form was opened."""
        obj.save(update_fields=form.changed_data)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Attempt | None = None) -> bool:
        return False
