"""A source is compiled once for all games of a host, in a process of its own, and whenever it has changed."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.host import GameCrashed, GameNotLoaded, GameOutOfMemory, Host, HostError
from engine.host_compiler import Codes, kept
from tests.engine.host_games import write_game

# A process that has waited for another one knows how much memory that took.
TELL_IF_COMPILED = """
import resource
compiled = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 0
raise ValueError('compiled' if compiled else 'kept')
"""

# Sources that are hard on a compiler: each must end as an error of its own game.
HARD = {
    "syntax": (b"def (", GameNotLoaded, "does not compile"),
    "null_byte": (b"x = 1\0", GameNotLoaded, "does not compile"),
    "not_utf8": (b"x = '\xff'", GameNotLoaded, "does not compile"),
    "unknown_encoding": (b"# coding: no-such-thing\n", GameNotLoaded, "does not compile"),
    "deep_parentheses": (b"(" * 5000 + b")" * 5000, GameNotLoaded, "does not compile"),
    "deep_attributes": (b"x" + b".x" * 100_000, HostError, ""),
    "deep_signs": (b"-" * 100_000 + b"1", HostError, ""),
    "big": (b"x = [" + b"(1, [2]), " * 10_000_000 + b"]", GameOutOfMemory, "memory"),
}


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    host = Host(memory_bytes=256 * 2**20, start_seconds=30.0)
    yield host
    asyncio.run(host.close())


async def how_its_code_came(host: Host, game: Path) -> str:
    with pytest.raises(GameCrashed) as caught:
        await (await host.start(game)).act(5)
    return str(caught.value).removeprefix("ValueError: ")


async def test_source_is_compiled_once_for_each_folder_and_content(host: Host, tmp_path: Path) -> None:
    first, second = (write_game(tmp_path / name, step=TELL_IF_COMPILED) for name in ("first", "second"))
    seen = [await how_its_code_came(host, game) for game in (first, first, first, second, second)]
    assert seen == ["compiled", "kept", "kept", "compiled", "kept"]
    write_game(first, step=TELL_IF_COMPILED.replace("'kept'", "'edited and kept'"))
    seen = [await how_its_code_came(host, game) for game in (first, first, second)]
    assert seen == ["compiled", "edited and kept", "kept"]


async def test_tracebacks_of_kept_code_name_the_source(host: Host, tmp_path: Path) -> None:
    game = write_game(tmp_path / "game", step="raise KeyError(1)")
    for _ in range(2):
        with pytest.raises(GameCrashed) as caught:
            await (await host.start(game)).act(5)
        assert f'File "{game}/game.py"' in caught.value.details
        assert "raise KeyError(1)" in caught.value.details


@pytest.mark.parametrize("name", HARD)
async def test_source_that_is_hard_to_compile_harms_its_own_game_only(host: Host, tmp_path: Path, name: str) -> None:
    text, error, message = HARD[name]
    beside = await host.start(write_game(tmp_path / "good"))
    bad = write_game(tmp_path / "bad")
    (bad / "game.py").write_bytes(text)
    for _ in range(2):
        with pytest.raises(error) as caught:
            await host.start(bad)
        assert message in str(caught.value)
    assert len((await beside.act(0)).frames) == 1
    await beside.drop()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60)), max_size=40))
def test_codes_keep_what_was_used_last_within_their_limit(told: list[tuple[int, int]]) -> None:
    codes = Codes(limit=100)
    order: dict[bytes, bytes] = {}  # the model: the last used is at the end
    for number, size in told:
        key, code = b"%d" % number, bytes(size)
        codes.keep(kept(key, code))
        code = code or order.get(key, b"")
        order.pop(key, None)
        if code:
            order[key] = code
        while sum(len(key) + len(code) for key, code in order.items()) > 100:
            del order[next(iter(order))]
        assert {key: codes.get(key) for key in (b"%d" % n for n in range(10)) if codes.get(key)} == order


@given(st.binary(max_size=30), st.binary(max_size=30), st.data())
def test_message_that_was_cut_off_changes_nothing(key: bytes, code: bytes, data: st.DataObject) -> None:
    codes, message = Codes(), kept(key, code)
    codes.keep(message[: data.draw(st.integers(0, len(message) - 1))])
    assert (codes.size, codes.get(key)) == (0, None)
