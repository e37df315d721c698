"""How a live game can fail: one family, each with a `code` for protocols and the database and a plain message.

Whatever the error, the game's process is dead and its descriptors are closed when the caller sees it.
"""


class HostError(Exception):
    """A game that cannot go on.

    `code` is stable and short; `str(error)` is a plain sentence; `details` is the traceback's text for staff, or empty.
    """

    code = "host"

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class GameHung(HostError):
    """No answer within the wall time of one action, or of the construction."""

    code = "hang"


class GameCrashed(HostError):
    """The game raised, called `sys.exit` or `os._exit`, or a signal killed its process."""

    code = "crash"


class GameOutOfMemory(HostError):
    """The game asked for more memory than its process may have."""

    code = "memory"


class InvalidFrame(HostError):
    """The game answered something that is not a list of 64x64 integer grids of 0..15 with a valid state beside it."""

    code = "invalid_frame"


class GameNotLoaded(HostError):
    """The game's files do not give a game: the message says why, as the catalogue does."""

    code = "load"


class GameDropped(HostError):
    """The caller dropped this game, so nothing more can be asked of it."""

    code = "dropped"


class HostGone(HostError):
    """The process that starts games is gone or cannot start one. No fault of the game: starting it again may work."""

    code = "host"
