"""Addresses of the staff pages."""

from django.urls import path

from arcweb.staff import views

app_name = "staff"
urlpatterns = [
    path("games/", views.games, name="games"),
    path("recordings/", views.recordings, name="recordings"),
    path("replay/<str:guid>/", views.replay_page, name="replay"),
    path("replay/<str:guid>/data/", views.replay_data, name="replay_data"),
]
