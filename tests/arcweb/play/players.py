"""A client of the play socket, written from docs/protocol.md alone: it shares no code with the server."""

import json
import struct
import zlib
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

STATES = {1: "NOT_FINISHED", 2: "WIN", 3: "GAME_OVER"}


@dataclass(frozen=True)
class Shown:
    """A step message, read. `grids` are 4,096 cells each, row by row."""

    step: int
    action: int
    x: int
    y: int
    state: str
    levels: int
    win_levels: int
    offered: set[int]
    full_reset: bool
    snapshot: bool
    grids: list[bytes]


class Player:
    """One connection. `shown` is the last step message."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.shown: Shown | None = None
        self.last = 0  # the last grid, packed, as one number: XOR is all that is done to it

    async def say(self, message: object) -> None:
        await self.connection.send(message if isinstance(message, str | bytes) else json.dumps(message))

    async def act(self, step: int, action: int, **members: Any) -> dict[str, Any] | Shown:
        """Do an action and hear the answer."""
        await self.say({"type": "act", "step": step, "action": action, **members})
        return await self.hear()

    async def hear(self) -> dict[str, Any] | Shown:
        """The next message, read."""
        message = await self.connection.recv()
        if isinstance(message, str):
            read = json.loads(message)
            assert isinstance(read, dict)
            return read
        self.shown = self._read(message)
        return self.shown

    async def hear_until(self, kind: str) -> dict[str, Any]:
        """The next text message of a type; what comes before it is taken in."""
        while True:
            message = await self.hear()
            if isinstance(message, dict) and message["type"] == kind:
                return message

    def _read(self, message: bytes) -> Shown:
        kind, flags, step, action, x, y, state, levels, win_levels, offered = struct.unpack("<BBIBBBBBBB", message[:13])
        assert kind == 1
        keyframe, count = struct.unpack("<BH", message[13:16])
        raw = zlib.decompress(message[16:], wbits=-15) if count else b""
        last = 0 if keyframe else self.last
        grids = []
        for at in range(0, count * 2048, 2048):
            last ^= int.from_bytes(raw[at : at + 2048], "big")
            packed = last.to_bytes(2048, "big")
            grids.append(bytes(cell for pair in packed for cell in (pair >> 4, pair & 15)))
        self.last = last
        return Shown(
            step,
            action,
            x,
            y,
            STATES[state],
            levels,
            win_levels,
            {bit for bit in range(8) if offered >> bit & 1},
            bool(flags & 1),
            bool(flags & 2),
            grids,
        )


class Players:
    """Connections to one server, closed together."""

    def __init__(self, server_url: str) -> None:
        self._address = f"{server_url.replace('http', 'ws', 1)}/ws/play"
        self._connections: list[ClientConnection] = []

    async def connect(self, token: str, **options: Any) -> Player:
        """Connect to an attempt, without hearing anything."""
        self._connections.append(await connect(f"{self._address}/{token}/", proxy=None, **options))
        return Player(self._connections[-1])

    async def join(self, token: str) -> Player:
        """Connect to an attempt and take in its current state."""
        player = await self.connect(token)
        welcome, snapshot = await player.hear(), await player.hear()
        assert isinstance(welcome, dict)
        assert welcome["type"] == "welcome"
        assert isinstance(snapshot, Shown)
        assert snapshot.snapshot
        assert snapshot.step == welcome["step"]
        return player

    async def leave(self) -> None:
        """Close every connection."""
        for connection in self._connections:
            await connection.close()
