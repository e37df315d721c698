"""The server's entry: pages over HTTP, play over WebSockets."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arcweb.settings")
pages = get_asgi_application()

from arcweb.play.origin import OwnPagesOnly  # noqa: E402 - needs the settings
from arcweb.play.routing import websocket_urlpatterns  # noqa: E402 - models need the settings to be loaded first

sockets = OwnPagesOnly(URLRouter(websocket_urlpatterns))
application = ProtocolTypeRouter({"http": pages, "websocket": sockets})
