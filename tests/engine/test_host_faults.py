"""Games that hang, crash, eat memory or lie: each gets its typed error in time, and the game beside it plays on."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.host import (
    GameCrashed,
    GameHung,
    GameNotLoaded,
    GameOutOfMemory,
    GameProcess,
    Host,
    HostError,
    InvalidFrame,
)
from tests.engine.host_games import is_gone, wait_until, write_game

CRASHES = {
    "os_exit": ("os._exit(3)", "exit status 3"),
    "os_exit_0": ("os._exit(0)", "exit status 0"),
    "sys_exit": ("sys.exit(4)", "SystemExit: 4"),
    "interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "error": ("raise ValueError('the door has no key')", "ValueError: the door has no key"),
    "recursion": ("def f(): f()\nf()", "RecursionError"),
    "segfault": ("ctypes.string_at(0)", "SIGSEGV"),
    "kill": ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
    "terminate": ("signal.raise_signal(signal.SIGTERM)", "SIGTERM"),
    "closed_channel": ("os.close(3)\nwhile True: pass", "SIGKILL"),
    "frames": ("return", "ValueError"),
    "file": ("os.write(os.memfd_create('hoard'), b'x')", "File too large"),
    "unprintable": (
        """
        class Odd(Exception):
            def __str__(self): raise SystemExit
        raise Odd
        """,
        "Odd: (its message cannot be read)",
    ),
    "unpicklable": (
        """
        class Odd(Exception):
            def __reduce__(self): raise TypeError
        error = Odd("odd \\ud800")
        error.f = lambda: 0
        raise error
        """,
        "Odd: odd",
    ),
    "long": ("raise ValueError('x' * 10**7)", "ValueError: xxx"),
}

HANGS = {
    "loop": "while True: pass",
    "c_code": "sum(itertools.repeat(1))",
    "deaf": """
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        while True: pass
    """,
    "stopped": "os.kill(os.getpid(), signal.SIGSTOP)",
    "half_an_answer": "os.write(3, bytes((2, 0, 0, 16, 7)) + bytes(9))\ntime.sleep(60)",
    "hung_message": ("class Odd(Exception):\n    def __str__(self):\n        while True: pass\nraise Odd"),
}

EATERS = {
    "numpy": "self.eaten = np.ones(2**32, dtype=np.uint8)",
    "bytearray": "self.eaten = bytearray(2**32)",
    "list": "self.eaten = []\nwhile True: self.eaten.append([0] * 1000)",
    "dict": "self.eaten = {}\nfor n in itertools.count(): self.eaten[n] = str(n)",
}

BAD_FRAMES = {
    "63x64": ("grid = grid[1:]", r"shape \(63, 64\)"),
    "one_row": ("grid = grid[0]", r"shape \(64,\)"),
    "three_dimensions": ("grid = grid[None]", r"shape \(1, 64, 64\)"),
    "value_16": ("grid = grid.copy(); grid[5, 6] = 16", "value 16"),
    "value_minus_1": ("grid = grid.astype(int); grid[5, 6] = -1", "value -1"),
    "value_wrapping_to_5": ("grid = grid.astype(int); grid[5, 6] = 256 + 5", "value 261"),
    "float": ("grid = grid.astype(float)", "float64"),
    "bool": ("grid = grid.astype(bool)", "bool"),
    "object": ("grid = grid.astype(object)", "object"),
    "list": ("grid = grid.tolist()", "not an array"),
    "none": ("grid = None", "not an array"),
}

LIES = {
    "actions": ("self._available_actions = [1, 9]", "available action is 9"),
    "actions_none": ("self._available_actions = None", "available_actions is"),
    "actions_text": ("self._available_actions = ['ACTION1']", "not a whole number"),
    "score": ("self._score = -1", "levels_completed is -1"),
    "score_text": ("self._score = 'many'", "levels_completed is"),
    "state": ("self._state = 'SOLVED'", "state is"),
    "two_answers": ("os.write(3, bytes((2, 0, 0, 0, 7)) + bytes(14))", "no question"),
    "huge": ("os.write(3, bytes((2, 255, 255, 255, 255)))", "impossible message"),
    "unknown_kind": ("os.write(3, bytes(5))", "impossible message"),
    "wrong_kind": ("os.write(3, bytes((1, 0, 0, 0, 2)) + b'{}')\ntime.sleep(60)", "kind 1"),
    "value_16": (
        "os.write(3, bytes((2, 0, 0, 16, 7, 0, 1, 1, 0, 2, 0, 0)) + bytes([16]) * 4096)\ntime.sleep(60)",
        "value 16",
    ),
    "too_short": ("os.write(3, bytes((2, 0, 0, 0, 7, 0, 1, 1, 0, 2, 0, 0)))\ntime.sleep(60)", "7 bytes for 1 frames"),
    "no_json": ("os.write(3, bytes((3, 0, 0, 0, 1)) + b'[')\ntime.sleep(60)", "cannot be read"),
    "deep_json": ("os.write(3, bytes((3, 0, 1, 0, 0)) + b'[' * 65536)\ntime.sleep(60)", "cannot be read"),
    "no_failure": ("os.write(3, bytes((3, 0, 0, 0, 2)) + b'{}')\ntime.sleep(60)", "impossible failure"),
}


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """Patient enough for a busy machine, and frugal."""
    host = Host(memory_bytes=128 * 2**20)
    yield host
    asyncio.run(host.close())


@pytest.fixture(scope="module")
def hasty() -> Iterator[Host]:
    host = Host(action_seconds=0.5)
    yield host
    asyncio.run(host.close())


async def _act_for_ever(game: GameProcess) -> None:
    while True:
        await game.act(0)


async def _spoil(host: Host, bad: Path, healthy: Path) -> HostError:
    """The error of the bad game's ACTION5, while a healthy game beside it is played before, during and after."""
    beside = await host.start(healthy)
    game = await host.start(bad)
    await beside.act(0)
    acting = asyncio.ensure_future(game.act(5))
    columns = [int(np.argwhere((await beside.act(1)).frames[-1] == 8)[0][1]) for _ in range(3)]
    with pytest.raises(HostError) as caught:
        await acting
    assert is_gone(game.pid)
    columns += [int(np.argwhere((await beside.act(1)).frames[-1] == 8)[0][1]) for _ in range(3)]
    assert columns == [8, 12, 16, 20, 24, 28]
    with pytest.raises(type(caught.value)) as again:
        await game.act(0)
    assert again.value.code == caught.value.code
    await game.drop()
    await beside.drop()
    return caught.value


@pytest.mark.parametrize("name", CRASHES)
async def test_crash_in_step_is_reported(host: Host, tmp_path: Path, name: str) -> None:
    step, message = CRASHES[name]
    error = await _spoil(host, write_game(tmp_path / "bad", step=step), write_game(tmp_path / "good"))
    assert (type(error), error.code) == (GameCrashed, "crash")
    assert message in str(error)
    assert len(str(error)) < 5000


async def test_traceback_is_kept_for_staff(host: Host, tmp_path: Path) -> None:
    error = await _spoil(host, write_game(tmp_path / "bad", step="raise KeyError(1)"), write_game(tmp_path / "good"))
    assert "raise KeyError(1)" in error.details
    assert "in step" in error.details
    assert "\n" not in str(error)


@pytest.mark.parametrize("name", HANGS)
async def test_hang_in_step_is_killed_in_time(hasty: Host, tmp_path: Path, name: str) -> None:
    began = time.monotonic()
    error = await _spoil(hasty, write_game(tmp_path / "bad", step=HANGS[name]), write_game(tmp_path / "good"))
    assert (type(error), error.code) == (GameHung, "hang")
    assert "0.5 seconds" in str(error)
    assert time.monotonic() - began < 4


async def test_hang_in_the_constructor_is_killed_in_time(tmp_path: Path) -> None:
    host = Host(start_seconds=0.5)
    with pytest.raises(GameHung):
        await host.start(write_game(tmp_path / "bad", init="while True: pass"))
    host.start_seconds = 10.0
    game = await host.start(write_game(tmp_path / "good"))
    assert len((await game.act(0)).frames) == 1
    await host.close()


@pytest.mark.parametrize("name", EATERS)
async def test_eating_memory_in_step_is_reported(host: Host, tmp_path: Path, name: str) -> None:
    error = await _spoil(host, write_game(tmp_path / "bad", step=EATERS[name]), write_game(tmp_path / "good"))
    assert (type(error), error.code) == (GameOutOfMemory, "memory")


@pytest.mark.parametrize("name", EATERS)
async def test_eating_memory_in_the_constructor_is_reported(host: Host, tmp_path: Path, name: str) -> None:
    with pytest.raises(GameOutOfMemory):
        await host.start(write_game(tmp_path / "bad", init=EATERS[name]))


async def test_memory_below_the_limit_is_granted(tmp_path: Path) -> None:
    host = Host()
    game = await host.start(write_game(tmp_path / "game", step="self.kept = np.ones(400 * 2**20, dtype=np.uint8)"))
    assert len((await game.act(5)).frames) == 1
    await host.close()


@pytest.mark.parametrize("name", BAD_FRAMES)
async def test_bad_frame_is_reported(host: Host, tmp_path: Path, name: str) -> None:
    render, message = BAD_FRAMES[name]
    bad = write_game(
        tmp_path / "bad", render=f"if self.bad: {render}", init="self.camera.bad = False", step="self.camera.bad = True"
    )
    error = await _spoil(host, bad, write_game(tmp_path / "good"))
    assert (type(error), error.code) == (InvalidFrame, "invalid_frame")
    with pytest.raises(InvalidFrame, match=message):
        raise error


@pytest.mark.parametrize("name", LIES)
async def test_lie_is_reported(host: Host, tmp_path: Path, name: str) -> None:
    step, message = LIES[name]
    error = await _spoil(host, write_game(tmp_path / "bad", step=step), write_game(tmp_path / "good"))
    assert (type(error), error.code) == (InvalidFrame, "invalid_frame")
    with pytest.raises(InvalidFrame, match=message):
        raise error


@pytest.mark.parametrize("name", ["missing", "syntax", "class", "raises", "exits"])
async def test_game_that_does_not_load_is_reported_with_the_reason(host: Host, tmp_path: Path, name: str) -> None:
    bad = write_game(tmp_path / "bad", init="raise ValueError('no levels')" if name == "raises" else "sys.exit('bye')")
    if name == "missing":
        (bad / "game.py").unlink()
    elif name == "syntax":
        (bad / "game.py").write_text("class Game(:\n")
    elif name == "class":
        (bad / "game.py").write_text("class Other: pass\n")
    with pytest.raises(GameNotLoaded, match={"raises": "no levels", "exits": "bye"}.get(name, ".")) as caught:
        await host.start(bad)
    assert caught.value.code == "load"


async def test_death_between_actions_is_reported_by_the_next(host: Host, tmp_path: Path) -> None:
    game = await host.start(write_game(tmp_path / "game"))
    os.kill(game.pid, signal.SIGSEGV)
    assert await asyncio.to_thread(wait_until, lambda: is_gone(game.pid))
    with pytest.raises(GameCrashed, match="SIGSEGV"):
        await game.act(0)


async def test_unasked_answer_between_actions_is_reported_by_the_next(host: Host, tmp_path: Path) -> None:
    step = "threading.Timer(0.05, os.write, (3, bytes((2, 0, 0, 0, 7)) + bytes(7))).start()"
    game = await host.start(write_game(tmp_path / "game", step=step))
    try:
        await game.act(5)
    except GameCrashed as error:
        if "can't start new thread" not in str(error):  # nor can a plain user's game do that
            raise
        return
    with pytest.raises(InvalidFrame):
        await _act_for_ever(game)


async def test_output_is_swallowed(host: Host, tmp_path: Path) -> None:
    step = """
        print("x" * 100_000, flush=True)
        print("oh", file=sys.stderr, flush=True)
        os.write(1, b"raw")
        sys.__stdout__.write("more")
        assert sys.stdin.read() == ""
    """
    game = await host.start(write_game(tmp_path / "game", step=step))
    for _ in range(3):
        assert len((await game.act(5)).frames) == 1
    await game.drop()


async def test_longest_answer_arrives_whole(host: Host, tmp_path: Path) -> None:
    step = "self.shown += 1\nif self.shown < 1001: return\nself.shown = 0"
    game = await host.start(write_game(tmp_path / "game", step=step))
    assert (await game.act(5)).frames.shape == (1001, 64, 64)
    assert len((await game.act(1)).frames) == 1
    await game.drop()
