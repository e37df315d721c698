"""The player's socket: hears messages, hands them on."""

import asyncio
import logging
from datetime import datetime
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.utils import timezone

from arcweb.play.live import LiveAttempt, live_attempts

logger = logging.getLogger(__name__)

UNKNOWN_ATTEMPT = 4404
TRY_AGAIN_LATER = 1013


class PlayConsumer(AsyncWebsocketConsumer):
    """One connection to one attempt."""

    live: LiveAttempt | None = None
    open = False

    def __init__(self) -> None:
        super().__init__()
        self._hearing: set[asyncio.Task[None]] = set()

    @property
    def name(self) -> str:
        return str(self.channel_name)

    async def connect(self) -> None:
        await self.accept()
        self.live = await live_attempts.find(self.scope["url_route"]["kwargs"]["token"])
        if self.live is None:
            await self.close(UNKNOWN_ATTEMPT)
            return
        self.open = True
        await self.live.sit(self)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        # Tasks of their own, so that a ping is answered while an action is thought about, and an action's time of
        # arrival is the true one. The attempt takes them in their order.
        task = asyncio.create_task(self._hear(text_data, timezone.now()))
        self._hearing.add(task)
        task.add_done_callback(self._hearing.discard)

    async def disconnect(self, code: int) -> None:
        self.open = False
        if self.live is not None:
            await live_attempts.leave(self.live, self)

    async def _hear(self, text: str | None, received_at: datetime) -> None:
        if self.live is None:
            return
        try:
            await self.live.hear(self, text, received_at)
        except Exception:
            # Never silence: whatever it was, the page connects anew and sees where the attempt stands.
            logger.exception("attempt %s: a message was not answered", self.live.attempt.token)
            await self.hang_up()

    async def tell(self, message: str | bytes) -> None:
        """Send a message to the player; nothing when the connection is gone."""
        if not self.open:
            return
        content: dict[str, Any] = {"bytes_data": message} if isinstance(message, bytes) else {"text_data": message}
        await self.send(**content)

    async def hang_up(self) -> None:
        """Ask the player's page to come back a little later."""
        self.open = False
        await self.close(TRY_AGAIN_LATER)
