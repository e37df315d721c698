from django.apps import AppConfig
from django.urls import register_converter


class TokenConverter:
    """What `studies.models.new_token` makes, in addresses."""

    regex = "[A-Za-z0-9_-]{1,50}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class PlayConfig(AppConfig):
    name = "arcweb.play"

    def ready(self) -> None:
        register_converter(TokenConverter, "token")
