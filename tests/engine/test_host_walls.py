"""What a game's process cannot do to the machine, as far as this kernel can refuse it (see docs/engine.md)."""

import asyncio
import os
import socket
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.host import GameCrashed, Host
from engine.host_walls import version
from tests.engine.host_games import write_game

# name -> the version of Landlock that refuses it, and the attempt. {secret} is a file of the server's user outside of
# the game's folder, {own} the game's folder, {server} the server's pid, {port} a port on which somebody listens.
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
    "listen": (4, "socket.socket().bind(('127.0.0.1', 0))"),
    "signal_the_server": (6, "os.kill({server}, signal.SIGTERM)"),
    "signal_the_parent": (6, "os.kill(os.getppid(), signal.SIGKILL)"),
}


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
    if version() < needed:
        pytest.skip(f"this kernel's Landlock has version {version()}, not {needed}")
    secret, own = tmp_path / "secret", tmp_path / "game"
    secret.write_text("hunter2")
    step = "import socket\n" + attempt.format(secret=secret, own=own, server=os.getpid(), port=port)
    game = await host.start(write_game(own, step=step))
    with pytest.raises(GameCrashed, match="PermissionError"):
        await game.act(5)
    assert secret.read_text() == "hunter2"
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
