"""The process of one game: shut in, then load the game and answer actions until the server hangs up.

Runs right after the fork and never returns. See `engine.host` for what this protects and what it does not.
"""

import ctypes
import gc
import os
import random
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from types import CodeType
from typing import Any, NoReturn, cast

import numpy as np
import numpy.random  # here and not in a game: it is 4 MB and slow to import

from engine import host_calls, host_walls
from engine import host_wire as wire
from engine.actions import ActionInput, GameAction
from engine.catalog import GameLoadError, load_game
from engine.host_compiler import Codes, Compiler
from engine.host_errors import InvalidFrame

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
_ON_LINUX = sys.platform == "linux"
_LIBC = ctypes.CDLL(None)
_CHANNEL, _TO_PARENT = 3, 4  # the parent has both in use for good, so neither is one of what it passes
_roomy = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)  # the limit of address space for a last message
_LANDLOCK, _READABLE = host_walls.version(), host_walls.readable_paths()
MAX_DESCRIPTORS = 4096  # the parent has no higher ones


def prctl(option: int, value: int) -> None:
    """Linux's prctl(2); nothing elsewhere, where the closing of the sockets must do."""
    if _ON_LINUX:
        _LIBC.prctl(option, value, 0, 0, 0)


def live(channel: int, to_parent: int, parent: int, order: dict[str, Any], codes: Codes) -> NoReturn:
    """Be the process of one game.

    `channel` is the descriptor of the socket to the server, `to_parent` that of the pipe for compiled code, `parent`
    the pid forked from; `order` holds directory, seed, only_reset_levels and memory_bytes.
    """
    status = 1
    try:
        _shut_in(channel, to_parent, parent, int(order["memory_bytes"]))
        host_walls.build(_LANDLOCK, (*_READABLE, order["directory"]))
        _serve(socket.socket(fileno=_CHANNEL), order, codes)
        status = 0
    finally:
        os._exit(status)


def _shut_in(channel: int, to_parent: int, parent: int, memory_bytes: int) -> None:
    """Leave the process with one socket, one pipe, no output and bounded memory."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # died before the line above
        os._exit(0)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)

    os.dup2(channel, _CHANNEL, inheritable=False)
    os.dup2(to_parent, _TO_PARENT, inheritable=False)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.closerange(_TO_PARENT + 1, MAX_DESCRIPTORS)

    for limit in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
        resource.setrlimit(limit, (0, 0))
    _limit_memory(memory_bytes)
    gc.enable()


def _limit_memory(more: int) -> None:
    """Allow `more` bytes of address space above what the fork starts with.

    Address space and not RLIMIT_DATA, because that one does not count shared anonymous mappings. The hard limit leaves
    some room above the soft one for reporting the failure.
    """
    global _roomy
    if _ON_LINUX:
        with open("/proc/self/statm") as statm:
            soft = int(statm.read().split()[0]) * resource.getpagesize() + more
        hard = soft + 32 * 2**20
        _roomy = (hard, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _make_room() -> None:
    """Where memory ran out, get some for saying so. The call itself allocates nothing: its arguments exist already."""
    if _ON_LINUX:
        resource.setrlimit(resource.RLIMIT_AS, _roomy)


def _serve(channel: socket.socket, order: dict[str, Any], codes: Codes) -> None:
    # A game that draws from the global generators still plays the same again from the same seed.
    random.seed(order["seed"])
    np.random.seed(order["seed"] % 2**32)

    game: Any = None

    def load() -> bytes:
        nonlocal game
        compiler = Compiler(codes, _TO_PARENT)

        def code_of(text: bytes, filename: str) -> CodeType:
            code = compiler(text, filename)
            # The last of ours for which this process needs more than a game may have.
            resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))  # alone it does not keep root from forking
            host_walls.drop_capabilities()
            host_calls.refuse()
            return code

        game = load_game(
            order["directory"], order["seed"], only_reset_levels=order["only_reset_levels"], compiler=code_of
        )
        if hasattr(_LIBC, "malloc_trim"):  # glibc: up to half a megabyte is free by now, but not given back
            _LIBC.malloc_trim(0)
        return wire.pack_info(
            type(game).__name__, compiler.source_hash, len(game._levels), game._win_score, game._available_actions
        )

    if channel.recv(len(wire.LOAD), socket.MSG_WAITALL) != wire.LOAD or not _answer(channel, load, "load"):
        return
    while request := channel.recv(wire.REQUEST.size, socket.MSG_WAITALL):
        action_id, x, y = wire.REQUEST.unpack(request)
        action = GameAction.from_id(action_id)
        action_input = ActionInput(id=action, data={"x": x, "y": y} if action.is_complex() else {})

        def act(action_input: ActionInput = action_input) -> bytes:
            return wire.pack_step(cast(wire.Answer, game.perform_action(action_input, raw=True)))

        if not _answer(channel, act, "crash"):
            return


def _answer(channel: socket.socket, work: Callable[[], bytes], code: str) -> bool:
    """Send what `work` returns, or why it failed; True if it did not fail."""
    try:
        reply = work()
    except InvalidFrame as error:
        failure = error.code, str(error), ""
    except BaseException as error:
        # Everything, SystemExit too: the process ends with this message in any case.
        _make_room()
        failure = _describe(error, code)
    else:
        channel.sendall(reply)
        return True
    channel.sendall(wire.pack_failure(*failure))
    return False


def _describe(error: BaseException, code: str) -> tuple[str, str, str]:
    """(code, message, details) of what the game raised."""
    if _ran_out_of_memory(error):
        return "memory", "The game asked for more memory than it may have.", ""
    try:
        message = str(error)
    except BaseException:  # an exception whose __str__ raises must still be reported
        message = "(its message cannot be read)"
    if not isinstance(error, GameLoadError):  # its message is written for readers already
        message = f"{type(error).__name__}: {message}"
    return code, message, "".join(traceback.format_exception(error))


def _ran_out_of_memory(error: BaseException | None) -> bool:
    """Whether the error is, or was caused by, a MemoryError: the catalogue wraps what a constructor raises."""
    for _ in range(20):
        if error is None or isinstance(error, MemoryError):
            break
        error = error.__cause__ or error.__context__
    return isinstance(error, MemoryError)
