"""Addresses of the player's pages."""

from django.urls import path, register_converter

from arcweb.play import views


class TokenConverter:
    """What `studies.models.new_token` makes."""

    regex = "[A-Za-z0-9_-]{1,50}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(TokenConverter, "token")

urlpatterns = [
    path("join/<token:link_token>/", views.JoinView.as_view(), name="join"),
    path("p/<token:token>/", views.PlaceView.as_view(), name="place"),
    path("play/<token:token>/", views.play, name="play"),
]
