"""Addresses of the sockets."""

from django.urls import path

from arcweb.play.consumers import PlayConsumer

websocket_urlpatterns = [
    path("ws/play/<str:token>/", PlayConsumer.as_asgi()),  # type: ignore[arg-type]  # Channels routes with Django's path
]
