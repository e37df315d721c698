"""Which pages may open a socket."""

from typing import Any

from channels.security.websocket import OriginValidator
from django.conf import settings


class OwnPagesOnly(OriginValidator):
    """Refuses sockets opened by pages of other sites. A client without an Origin header is not a browser: welcome."""

    def __init__(self, application: Any) -> None:
        super().__init__(application, settings.ALLOWED_HOSTS)

    def valid_origin(self, parsed_origin: Any) -> bool:
        return parsed_origin is None or super().valid_origin(parsed_origin)
