"""Addresses of the staff pages."""

from django.urls import path, re_path

from arcweb.staff import views
from engine.catalog import IDENTIFIER

app_name = "staff"
urlpatterns = [
    path("games/", views.games, name="games"),
    path("recordings/", views.recordings, name="recordings"),
    re_path(rf"^replay/(?P<guid>{IDENTIFIER.pattern})/$", views.replay_page, name="replay"),
    re_path(rf"^replay/(?P<guid>{IDENTIFIER.pattern})/data/$", views.replay_data, name="replay_data"),
]
