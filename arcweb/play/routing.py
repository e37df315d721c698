"""Addresses of the sockets."""

from typing import Any

from django.urls import path, re_path

from arcweb.play.consumers import PlayConsumer

play: Any = PlayConsumer.as_asgi()  # Channels routes with Django's path, which is typed for views

websocket_urlpatterns = [
    path("ws/play/<token:token>/", play),
    re_path("", play, {"token": ""}),  # an address that is none: told so by the close code
]
