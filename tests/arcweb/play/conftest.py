"""A running product with a toy game, shared by the tests of a module: each test makes participants of its own."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from tests import toy
from tests.arcweb.play.players import Players
from tests.arcweb.play.visits import join
from tests.services.daphne import Server

TOY = "toy0-00000001"


@pytest.fixture(scope="module")
def toy_server(
    tmp_path_factory: pytest.TempPathFactory, static_root: Path, new_database: Callable[[Path], str]
) -> Iterator[Server]:
    """The product with one toy game, which hangs on ACTION1."""
    games, var_dir = tmp_path_factory.mktemp("games"), tmp_path_factory.mktemp("server")
    toy.write_toy(games, toy.HANG)
    (var_dir / "static").symlink_to(static_root)
    server = Server(var_dir, new_database(var_dir), ENVIRONMENTS_DIR=str(games), GAME_ACTION_SECONDS="1")
    server.manage("load_games")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def standard_study(toy_server: Server) -> str:
    """The link of a study with the standard limits."""
    return toy_server.url + toy_server.manage("open_study", "Standard", TOY).strip()


@pytest.fixture
def token(standard_study: str) -> str:
    """A new participant's attempt of the toy."""
    return join(standard_study)


@pytest.fixture
def new_token(standard_study: str) -> Callable[[], str]:
    """Makes further participants."""
    return lambda: join(standard_study)


@pytest.fixture
def token_under_limits(toy_server: Server) -> Callable[[int, int], str]:
    """Makes an attempt with a soft and a hard limit, in seconds."""

    def new(soft: int, hard: int) -> str:
        limits = ("--soft-limit", str(soft), "--hard-limit", str(hard))
        return join(toy_server.url + toy_server.manage("open_study", "Short", TOY, *limits).strip())

    return new


@pytest.fixture
async def players(toy_server: Server) -> AsyncIterator[Players]:
    """Connects players to the running product, and ends their connections."""
    players = Players(toy_server.url)
    yield players
    await players.leave()
