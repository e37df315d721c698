"""The server's end of one game's socket, on an asyncio event loop: one question at a time, one answer to each.

A protocol that stays registered with the loop, not `sock_recv` for each answer: this takes half the time, and
the end of an idle game closes its descriptor at once.
"""

import asyncio

from engine import host_wire as wire
from engine.host_errors import InvalidFrame

_ROOM = 16 * 1024  # an answer with up to three frames needs no second buffer


class Channel(asyncio.BufferedProtocol):
    """Bounded answers from an untrusted process; whatever breaks the rules closes the channel."""

    def __init__(self) -> None:
        self._buffer = bytearray(_ROOM)
        self._filled = 0
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None
        self._failure: Exception | None = None

    async def ask(self, request: bytes, seconds: float) -> tuple[int, bytes]:
        """The (kind, body) that answers the request.

        Raises TimeoutError, EOFError if the process ended, InvalidFrame if its bytes make no sense, and ValueError
        while another question is open.
        """
        if self._failure is not None:
            raise self._failure
        if self._answer is not None:
            raise ValueError("the game is still busy with another action")
        loop = asyncio.get_running_loop()
        self._answer = loop.create_future()
        timer = loop.call_later(seconds, self._fail, TimeoutError())
        try:
            self._transport.write(request)
            return await self._answer
        finally:
            timer.cancel()
            self._answer = None

    def close(self) -> None:
        """Close the socket; an open question ends with EOFError."""
        self._fail(EOFError())

    def _fail(self, failure: Exception) -> None:
        if self._failure is None:
            self._failure = failure
            self._transport.abort()
            if self._answer is not None and not self._answer.done():
                self._answer.set_exception(failure)

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(EOFError())

    def get_buffer(self, sizehint: int) -> memoryview:
        return memoryview(self._buffer)[self._filled :]

    def buffer_updated(self, nbytes: int) -> None:
        self._filled += nbytes
        if self._filled < wire.HEAD.size:
            return
        try:
            kind, size = wire.unpack_head(self._buffer)
        except InvalidFrame as error:
            self._fail(error)
            return
        end = wire.HEAD.size + size
        if self._filled > end or self._answer is None or self._answer.done():
            self._fail(InvalidFrame("the game's process sent an answer to no question"))
        elif self._filled == end:
            # Bytes, so that arrays over them are read-only.
            self._answer.set_result((kind, bytes(memoryview(self._buffer)[wire.HEAD.size : end])))
            self._filled = 0
            if end > _ROOM:
                self._buffer = bytearray(_ROOM)
        elif end > len(self._buffer):
            self._buffer = self._buffer[: self._filled] + bytes(end - self._filled)
