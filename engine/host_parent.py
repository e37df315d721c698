"""The parent of all games: a fresh, single-threaded interpreter with the engine loaded, which only forks and kills.

The server has threads and an event loop and must not fork; this process can. It owns the pids of the games until it has
reaped them, so a kill never meets a stranger. `engine.host_link` runs `python -m engine.host_parent FD`, where FD is
one end of a stream socket:

    server -> parent   {"start": game, "directory", "seed", "only_reset_levels", "memory_bytes"} with one descriptor
                       {"kill": game}
    parent -> server   {"ready": true}, {"born": game, "pid"}, {"died": game, "status": exit code, or minus the signal},
                       {"stillborn": game, "reason"}

When the server's end closes, every game is killed and this process ends.
"""

import contextlib
import gc
import importlib
import os
import resource
import selectors
import signal
import socket
import sys
from collections import deque
from typing import Any

from engine import host_child, host_walls
from engine.host_compiler import Codes
from engine.host_wire import pack_note, take_notes

# What published games import and the engine does not: shared with the parent it costs a game neither time nor memory.
_GAMES_IMPORT = ("copy", "heapq", "queue", "string", "typing_extensions")


class Parent:
    """The forking loop. `games` maps each living game's pid to its number."""

    def __init__(self, server: socket.socket) -> None:
        self.server = server
        self.pid = os.getpid()
        self.games: dict[int, int] = {}
        self._buffer = bytearray()
        self._descriptors: deque[int] = deque()
        self._waiting: deque[tuple[dict[str, Any], int]] = deque()
        self._selector = selectors.DefaultSelector()
        self._codes = Codes()

    def run(self) -> None:
        """Serve until the server hangs up, then leave no process behind."""
        alarm, alarm_in = socket.socketpair()
        alarm.setblocking(False)
        alarm_in.setblocking(False)
        signal.set_wakeup_fd(alarm_in.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(self.server, selectors.EVENT_READ)
        self._selector.register(alarm, selectors.EVENT_READ)
        try:
            self._tell({"ready": True})
            while True:
                keys = [key for key, _ in self._selector.select(0 if self._waiting else None)]
                for key in keys:
                    if key.data is not None:
                        self._read_code(key.fd, key.data)
                ready = [key.fileobj for key in keys]
                if alarm in ready:
                    alarm.recv(4096)
                    self._reap()
                if self.server in ready:
                    self._read()
                elif self._waiting:  # only when nothing is left to read: kills overtake, and the server never waits
                    self._fork(*self._waiting.popleft())
        except (EOFError, ConnectionError):
            pass  # the server is gone
        finally:
            self._end_all()

    def _read(self) -> None:
        data, descriptors, _, _ = socket.recv_fds(self.server, 65536, 64)
        if not data:
            raise EOFError
        self._descriptors.extend(descriptors)
        self._buffer += data
        for note in take_notes(self._buffer):
            if "start" in note:
                # Descriptors arrive in the order of the messages that carry them.
                self._waiting.append((note, self._descriptors.popleft()))
            else:
                self._kill(note["kill"])

    def _fork(self, order: dict[str, Any], channel: int) -> None:
        pipe: tuple[int, ...] = ()
        try:
            pipe = os.pipe()
            pid = os.fork()
        except OSError as error:
            for descriptor in (channel, *pipe):
                os.close(descriptor)
            self._tell({"stillborn": order["start"], "reason": str(error)})
            return
        code, to_parent = pipe
        if pid == 0:
            os.setpgid(0, 0)
            host_child.live(channel, to_parent, self.pid, order, self._codes)
        os.close(channel)
        os.close(to_parent)
        os.set_blocking(code, False)
        self._selector.register(code, selectors.EVENT_READ, bytearray())
        _new_group(pid)
        self.games[pid] = order["start"]
        self._tell({"born": order["start"], "pid": pid})

    def _read_code(self, descriptor: int, message: bytearray) -> None:
        """Read on in what a game's process says of its code before it runs it."""
        data = os.read(descriptor, 2**20)
        message += data
        if data and not self._codes.too_long(message):
            return
        self._selector.unregister(descriptor)
        os.close(descriptor)
        if not data:
            self._codes.keep(message)

    def _kill(self, game: int) -> None:
        for waiting in self._waiting:
            if waiting[0]["start"] == game:
                self._waiting.remove(waiting)
                os.close(waiting[1])
                self._tell({"stillborn": game, "reason": "killed before it was started"})
                return
        for pid, number in self.games.items():
            if number == game:
                _kill_group(pid)
                os.kill(pid, signal.SIGKILL)  # it may have left its group
                return

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            game = self.games.pop(pid, None)
            if game is not None:
                _kill_group(pid)  # what it forked; the group's number stays taken as long as anyone is in it
                self._tell({"died": game, "status": os.waitstatus_to_exitcode(status)})

    def _end_all(self) -> None:
        for pid in self.games:
            _kill_group(pid)
            os.kill(pid, signal.SIGKILL)
        while True:
            try:
                pid, status = os.waitpid(-1, 0)
            except ChildProcessError:
                return
            game = self.games.pop(pid, None)
            if game is not None:
                _kill_group(pid)
                self._tell({"died": game, "status": os.waitstatus_to_exitcode(status)})

    def _tell(self, note: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # the server is gone, which the next read notices
            self.server.sendall(pack_note(note))


def _new_group(pid: int) -> None:
    """Make the child lead a group of its own; the child does it as well, so that neither has to wait for the other."""
    with contextlib.suppress(PermissionError, ProcessLookupError):
        os.setpgid(pid, pid)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(PermissionError, ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def main(descriptor: int) -> None:
    """Be the parent, talking to the server over the given descriptor."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server; its end ends this process
    if not host_walls.version():
        host_child.prctl(host_child.PR_SET_DUMPABLE, 0)  # so that games cannot look into this process and each other
    for name in _GAMES_IMPORT:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    # Room for the descriptors of games that wait to be forked, and no higher than what a child closes.
    limit = host_child.MAX_DESCRIPTORS
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    # What is loaded now is shared with the games for good: keep the collector from touching (so copying) it.
    gc.collect()
    gc.disable()
    gc.freeze()
    Parent(socket.socket(fileno=descriptor)).run()


if __name__ == "__main__":
    main(int(sys.argv[1]))
