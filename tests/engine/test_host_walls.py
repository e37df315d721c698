"""What a game's process cannot do to the machine, as far as this kernel can refuse it (see docs/engine.md)."""

import asyncio
import os
import platform
import socket
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import host_calls, host_walls
from engine.host import GameCrashed, Host
from engine.host_walls import version
from tests.engine.host_games import write_game

# name -> the version of Landlock that refuses it (CALLS: none does, but `engine.host_calls`), and the attempt. {secret}
# is a file of the server's user outside of the game's folder, {own} that folder, {server} the server's pid, {port} a
# port on which somebody listens.
CALLS = 1_000
ATTEMPTS = {
    "read_a_file": (1, "open('{secret}').read()"),
    "list_a_folder": (1, "os.listdir(os.path.dirname('{secret}'))"),
    "read_the_servers_environment": (1, "open('/proc/{server}/environ').read()"),
    "read_the_servers_memory": (1, "open('/proc/{server}/mem', 'rb').read(1)"),
    "write_a_file": (1, "open('{secret}', 'w')"),
    "make_a_file": (1, "open('{own}/new', 'w')"),
    "make_a_folder": (1, "os.mkdir('{own}/new')"),
    "make_a_link": (1, "os.symlink('{secret}', '{own}/new')"),
    "make_a_pipe": (1, "os.mkfifo('{own}/new')"),
    "rename_a_file": (1, "os.rename('{secret}', '{secret}2')"),
    "remove_a_file": (1, "os.remove('{secret}')"),
    "change_its_source": (1, "open('{own}/game.py', 'a')"),
    "remove_its_source": (1, "os.remove('{own}/game.py')"),
    "run_a_program": (1, "os.execv(sys.executable, ['python', '-c', ''])"),
    "truncate_a_file": (3, "os.truncate('{secret}', 0)"),
    "connect": (4, "socket.create_connection(('127.0.0.1', {port}))"),
    "bind": (4, "socket.socket().bind(('127.0.0.1', 0))"),
    "listen": (CALLS, "socket.socket().listen()"),
    "connect_by_multipath": (CALLS, "socket.socket(type=socket.SOCK_STREAM, proto=262).connect(('127.0.0.1', {port}))"),
    "send_a_datagram": (CALLS, "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {port}))"),
    "use_a_unix_socket": (CALLS, "socket.socket(socket.AF_UNIX).connect('/run/any')"),
    "signal_the_server": (6, "os.kill({server}, signal.SIGTERM)"),
    "signal_the_parent": (6, "os.kill(os.getppid(), signal.SIGKILL)"),
    "signal_a_thread_of_the_server": (6, "call(234, {server}, {server}, 15)"),
    "limit_the_parent": (CALLS, "resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0))"),
    "limit_the_server": (CALLS, "resource.prlimit({server}, resource.RLIMIT_NOFILE, (8, 8))"),
    "slow_the_server_down": (CALLS, "os.setpriority(os.PRIO_PROCESS, {server}, 19)"),
    "make_shared_memory": (CALLS, "call(29, 0, 4096, 0o1666)"),
    "make_a_message_queue": (CALLS, "call(68, 0, 0o1666)"),
    "keep_a_key": (CALLS, "call(248, b'user', b'name', b'value', 5, -3)"),
    "change_rights": (CALLS, "os.chmod('{secret}', 0)"),
    "change_times": (CALLS, "os.utime('{secret}')"),
    "change_attributes": (CALLS, "os.setxattr('{secret}', 'user.name', b'value')"),
    "call_as_x32": (CALLS, "call(0x40000000 + 39)"),
}


TOOLS = """
import resource, socket

def call(*arguments):
    if ctypes.CDLL(None, use_errno=True).syscall(*arguments) == -1:
        raise OSError(ctypes.get_errno(), "refused")

"""


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    host = Host()
    yield host
    asyncio.run(host.close())


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("name", ATTEMPTS)
async def test_kernel_refuses(host: Host, tmp_path: Path, port: int, name: str) -> None:
    needed, attempt = ATTEMPTS[name]
    if (platform.machine() != "x86_64") if needed == CALLS or "call(" in attempt else (version() < needed):
        pytest.skip("this machine's kernel cannot refuse it, or numbers its calls in another way")
    secret, own = tmp_path / "secret", tmp_path / "game"
    secret.write_text("hunter2")
    mode = secret.stat().st_mode & 0o777
    step = TOOLS + attempt.format(secret=secret, own=own, server=os.getpid(), port=port)
    game = await host.start(write_game(own, step=step))
    with pytest.raises(GameCrashed, match="PermissionError"):
        await game.act(5)
    assert (secret.read_text(), secret.stat().st_mode & 0o777) == ("hunter2", mode)
    assert {path.name for path in own.iterdir()} == {"game.py", "metadata.json"}


async def test_what_games_need_is_allowed(host: Host, tmp_path: Path) -> None:
    own = tmp_path / "game"
    step = """
        import decimal, sqlite3, zoneinfo  # modules that are read from files only now
        import numpy.polynomial
        assert open('{own}/map.txt').read() == 'a map'
        assert sorted(os.listdir('{own}')) == ['game.py', 'map.txt', 'metadata.json']
        assert len(os.urandom(4)) == 4 and np.random.default_rng().random() < 1
        open(os.devnull, 'w').write('x')
        self.camera.told = '1'
    """
    write_game(own, step=textwrap.dedent(step).format(own=own))
    (own / "map.txt").write_text("a map")
    game = await host.start(own)
    assert (await game.act(5)).frames[-1][63, 0] == 7
    await game.drop()


async def test_folder_is_found_through_a_link(host: Host, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(write_game(tmp_path / "game"))
    game = await host.start(tmp_path / "link")
    assert len((await game.act(0)).frames) == 1
    await game.drop()


async def test_limits_cannot_be_raised(host: Host, tmp_path: Path) -> None:
    step = """
        import resource
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (2 * most, 2 * most))
    """
    game = await host.start(write_game(tmp_path / "game", step=step))
    with pytest.raises(GameCrashed, match="not allowed to raise maximum limit"):
        await game.act(5)


@pytest.mark.skipif(not host_calls.supported(), reason="no filter of system calls on this kind of machine")
@pytest.mark.parametrize("attempt", ["os.fork()", "threading.Thread(target=print).start()"])
async def test_process_stays_alone(host: Host, tmp_path: Path, attempt: str) -> None:
    game = await host.start(write_game(tmp_path / "game", step=attempt))
    with pytest.raises(GameCrashed, match=r"BlockingIOError|can't start new thread"):
        await game.act(5)


async def test_process_may_end_itself(host: Host, tmp_path: Path) -> None:
    game = await host.start(write_game(tmp_path / "game", step="os.kill(os.getpid(), signal.SIGUSR1)"))
    with pytest.raises(GameCrashed, match="SIGUSR1"):
        await game.act(5)


@pytest.mark.parametrize("home", ["/usr/src/app", f"{sys.prefix}/app"])
def test_server_below_the_system_or_python_is_not_readable(monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    monkeypatch.setattr(host_walls, "_PACKAGE", Path(home) / "engine")
    readable = [Path(path) for path in host_walls.readable_paths()]
    assert Path(home) / "engine" in readable
    assert not [path for path in readable if (Path(home) / ".env").is_relative_to(path)]
