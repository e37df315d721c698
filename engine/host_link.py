"""The server's end of the parent of all games: starting it, asking it to fork and kill, hearing how children ended.

One daemon thread listens for each parent, so nothing here belongs to an event loop; whoever waits does so on futures.
"""

import asyncio
import contextlib
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from engine import host_wire as wire
from engine.host_errors import HostGone

_ROOT = Path(__file__).absolute().parent.parent
READY_SECONDS = 30.0  # a cold interpreter on a busy machine
_KILL_SECONDS = 5.0


async def result_of[T](future: "Future[T]", seconds: float, parent: "Parent") -> T:
    """The future's result; a parent that keeps it back for so long is killed, and its games with it."""
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.wrap_future(future)
    except TimeoutError:
        parent.kill()
        raise HostGone("The process that starts games does not answer.") from None


class Child:
    """The server's view of one forked process: two futures that the parent's messages fulfil."""

    def __init__(self, parent: "Parent", number: int) -> None:
        self.number = number
        self.born: Future[int] = _future()  # the pid
        self.died: Future[int] = _future()  # the exit code, or minus the signal
        self._parent = parent

    def kill(self) -> None:
        if not self.died.done():
            self._parent.tell({"kill": self.number})

    async def dead(self) -> int:
        """Wait for the end and return its exit code, or minus the signal. Raises HostGone."""
        return await result_of(self.died, _KILL_SECONDS, self._parent)


class Parent:
    """The server's end of the parent process, with one thread that hears what it reports."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-B", "-P", "-m", "engine.host_parent", str(theirs.fileno())],
                cwd="/",
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # the terminal's Ctrl-C is for the server
            )
        self.alive = True
        self.ready: Future[bool] = _future()
        self._socket = ours
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._children: dict[int, Child] = {}
        self._listener = threading.Thread(target=self._listen, name="engine-host", daemon=True)
        self._listener.start()

    def fork(self, channel: socket.socket, order: dict[str, Any]) -> Child:
        """Ask for a new child that serves the other end of `channel`. Raises HostGone."""
        with self._lock:
            if not self.alive:
                raise HostGone("The process that starts games is gone.")
            child = Child(self, next(self._numbers))
            self._children[child.number] = child  # before its birth can be reported
            note = wire.pack_note({"start": child.number, **order})
            try:
                sent = socket.send_fds(self._socket, [note], [channel.fileno()])
                self._socket.sendall(note[sent:])
            except OSError as error:
                self.alive = False
                raise HostGone(f"The process that starts games is gone: {error}") from None
        return child

    def tell(self, note: dict[str, Any]) -> None:
        with self._lock, contextlib.suppress(OSError):  # gone, and its children with it
            self._socket.sendall(wire.pack_note(note))

    def close(self) -> None:
        """Hang up, which ends the parent and all games; waits for that."""
        with contextlib.suppress(OSError):  # already gone
            self._socket.shutdown(socket.SHUT_WR)
        self._listener.join(_KILL_SECONDS)
        if self._listener.is_alive():
            self.kill()
            self._listener.join()

    def kill(self) -> None:
        """End a parent that does not answer; the system then kills its games."""
        self.alive = False
        self._process.kill()

    def _listen(self) -> None:
        buffer = bytearray()
        try:
            while data := self._socket.recv(65536):
                buffer += data
                for note in wire.take_notes(buffer):
                    self._hear(note)
        except OSError:
            pass  # gone, as an end of the data says
        finally:
            self._bury()

    def _bury(self) -> None:
        """Close what is left of a parent that hung up, and tell everybody who waits for news of it."""
        with self._lock:
            self.alive = False
            self._socket.close()
        try:
            self._process.wait(_KILL_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        gone = HostGone("The process that starts games is gone.")
        if not self.ready.done():
            self.ready.set_exception(gone)
        for child in list(self._children.values()):
            if child.born.done():
                _kill_group(child.born.result())
            else:
                child.born.set_exception(gone)
            child.died.set_exception(gone)

    def _hear(self, note: dict[str, Any]) -> None:
        if "ready" in note:
            self.ready.set_result(True)
        elif "born" in note:
            self._children[note["born"]].born.set_result(note["pid"])
        elif "died" in note:
            self._children.pop(note["died"]).died.set_result(note["status"])
        elif "stillborn" in note:
            child = self._children.pop(note["stillborn"])
            gone = HostGone(f"No process could be started: {note['reason']}")
            child.born.set_exception(gone)
            child.died.set_exception(gone)


def _kill_group(pid: int) -> None:
    """Kill what the games of a dead parent have forked: the games die with it, their own children need not.

    Nobody owns these ids any more; but a group's id stays taken while anyone is in it, and a free one is not dealt
    again so soon.
    """
    with contextlib.suppress(PermissionError, ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _environment() -> dict[str, str]:
    """Everything that the parent, and so a game, sees of the server's environment: nothing but where programs lie."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(_ROOT),
        "PYTHONHASHSEED": "0",  # sets in a game iterate the same way in every process
        **one,
    }


def _future[T]() -> "Future[T]":
    """A future that a cancelled waiter cannot cancel."""
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()
    return future
