"""Addresses of the player's pages."""

from django.urls import path

from arcweb.play import views

urlpatterns = [
    path("join/<token:link_token>/", views.JoinView.as_view(), name="join"),
    path("p/<token:token>/", views.PlaceView.as_view(), name="place"),
    path("play/<token:token>/", views.play, name="play"),
]
