"""Addresses of the player's pages."""

from django.urls import path

from arcweb.play import views

urlpatterns = [
    path("join/<str:link_token>/", views.JoinView.as_view(), name="join"),
    path("p/<str:token>/", views.PlaceView.as_view(), name="place"),
    path("play/<str:token>/", views.play, name="play"),
]
