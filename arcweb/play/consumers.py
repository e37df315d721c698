"""The player's socket: hears messages, hands them on."""

import asyncio
import logging
from collections.abc import Coroutine
from datetime import datetime
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.utils import timezone

from arcweb.play import protocol
from arcweb.play.live import LiveAttempt, live_attempts
from arcweb.play.protocol import Ping
from arcweb.play.session import Refused

logger = logging.getLogger(__name__)

UNKNOWN_ATTEMPT = 4404
TRY_AGAIN_LATER = 3013  # WebSocket's own 1013 is not for applications to send

_at_work: set[asyncio.Task[None]] = set()  # asyncio itself would forget tasks that nobody holds


class PlayConsumer(AsyncWebsocketConsumer):
    """One connection to one attempt.

    What takes time runs in tasks of its own: a ping is answered while an action is thought about, and a game that is
    being opened, or an action under way, is not cut off half way when the connection goes. The attempt takes them in
    their order.
    """

    live: LiveAttempt | None = None
    is_open = False

    @property
    def name(self) -> str:
        return str(self.channel_name)

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Channels would have every message wait for the database's thread first, and arrive too late."""
        if message["type"] == "websocket.receive":
            await self.receive(message.get("text"))
        else:
            await super().dispatch(message)

    async def connect(self) -> None:
        await self.accept()
        self.is_open = True
        self._seating = self._begin(self._take_seat())

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        received_at = timezone.now()
        try:
            message = protocol.parse(text_data)
        except Refused as refusal:
            await self.tell(protocol.rejected(refusal))
            return
        if isinstance(message, Ping):
            await self.tell(protocol.PONG)
        else:
            self._begin(self._play(message, received_at))

    async def disconnect(self, code: int) -> None:
        self.is_open = False
        self._begin(self._leave_seat())

    async def tell(self, message: str | bytes) -> None:
        """Send a message to the player; nothing when the connection is gone."""
        if not self.is_open:
            return
        content: dict[str, Any] = {"bytes_data": message} if isinstance(message, bytes) else {"text_data": message}
        await self.send(**content)

    async def hang_up(self, code: int = TRY_AGAIN_LATER) -> None:
        """End the connection; by default, the player's page comes back a little later."""
        if self.is_open:
            self.is_open = False
            await self.close(code)

    async def _take_seat(self) -> None:
        self.live = await live_attempts.find(self.scope["url_route"]["kwargs"]["token"])
        if self.live is None:
            await self.hang_up(UNKNOWN_ATTEMPT)
        else:
            await self.live.sit(self)

    async def _play(self, message: protocol.Act | protocol.End, received_at: datetime) -> None:
        await asyncio.wait((self._seating,))
        if self.live is not None:
            await self.live.play(self, message, received_at)

    async def _leave_seat(self) -> None:
        await asyncio.wait((self._seating,))
        if self.live is not None:
            await live_attempts.leave(self.live, self)

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(self._guard(work))
        _at_work.add(task)
        task.add_done_callback(_at_work.discard)
        return task

    async def _guard(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception:
            # Never silence: whatever it was, the page connects anew and is shown where the attempt stands.
            logger.exception("%s failed", self.scope["path"])
            await self.hang_up()
