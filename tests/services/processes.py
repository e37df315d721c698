"""Programs that tests start and end by their process id."""

import contextlib
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def bound_to_this_process(command: list[str], farewell: signal.Signals = signal.SIGKILL) -> list[str]:
    """The command, made to end by `farewell` when this process is killed before it could end it itself.

    Linux watches the thread that starts the command: start it from one that lives as long as it should.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", farewell.name.removeprefix("SIG"), *command] if setpriv else command


def wait_until(ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Callable[[], str]) -> None:
    """Wait at most 90 s for `ready`. RuntimeError with the program's log when it ends before, or never gets there."""
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args!r} ended with {process.returncode}:\n{log()}")
        if ready():
            return
        time.sleep(0.02)
    raise RuntimeError(f"{process.args!r} was not ready within 90 s:\n{log()}")


def end(process: subprocess.Popen[bytes], polite: signal.Signals) -> None:
    """Ask by the signal, insist after 10 s. Nothing when it has ended already."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(polite)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)
