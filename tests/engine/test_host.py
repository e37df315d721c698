"""Games in processes of their own: what a caller can rely on in health, and when processes are taken away."""

import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.actions import ActionInput, GameAction
from engine.catalog import load_game, source_hash
from engine.frames import GameState
from engine.host import GameCrashed, GameDropped, GameHung, GameInfo, GameNotLoaded, GameProcess, Host, HostGone, scan
from tests.engine.host_games import children_of, is_gone, status_of, wait_until, write_game

FILM = [(0,), (1,), (1,), (3,), (6, 40, 12), (2,), (1,), (0,), (6, 0, 63), (2,), (1,), (0,)]


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    host = Host()
    yield host
    asyncio.run(host.close())


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_game(tmp_path / "game")


async def act_for_ever(game: GameProcess) -> None:
    while True:
        await game.act(1)


async def test_act_gives_what_the_game_gives_in_process(host: Host, directory: Path) -> None:
    alone = load_game(directory, seed=0, only_reset_levels=True)
    game = await host.start(directory)
    for action_id, *place in FILM:
        result = await game.act(action_id, *place)
        action = GameAction.from_id(action_id)
        data = dict(zip("xy", place, strict=False))
        expected = alone.perform_action(ActionInput(id=action, data=data), raw=True)
        assert len(result.frames) == len(expected.frame)
        assert all((ours == theirs).all() for ours, theirs in zip(result.frames, expected.frame, strict=True))
        assert (result.frames.dtype, result.frames.shape[1:]) == (np.uint8, (64, 64))
        assert not result.frames.flags.writeable
        assert (result.state, result.levels_completed, result.win_levels, result.full_reset) == (
            expected.state,
            expected.levels_completed,
            expected.win_levels,
            expected.full_reset,
        )
        assert list(result.available_actions) == expected.available_actions
    await game.drop()


async def test_info_describes_the_game_before_any_action(host: Host, directory: Path) -> None:
    game = await host.start(directory)
    assert game.info == GameInfo(
        "Game", source_hash(directory), levels=2, win_levels=2, available_actions=(1, 2, 3, 5, 6)
    )
    await game.drop()


async def test_act_after_the_win_answers_no_frames(host: Host, directory: Path) -> None:
    game = await host.start(directory)
    for action in (0, 2, 2):
        result = await game.act(action)
    assert result.state is GameState.WIN
    assert (await game.act(1)).frames.shape == (0, 64, 64)
    assert (await game.act(GameAction.RESET)).state is GameState.NOT_FINISHED
    await game.drop()


async def test_reset_rule_is_the_callers_choice(host: Host, directory: Path) -> None:
    for only_reset_levels, levels_completed in ((True, 1), (False, 0)):
        game = await host.start(directory, only_reset_levels=only_reset_levels)
        for action in (0, 2, 0):
            result = await game.act(action)
        assert result.levels_completed == levels_completed
        await game.drop()


async def test_global_random_numbers_repeat_from_the_seed(host: Host, tmp_path: Path) -> None:
    directory = write_game(tmp_path / "game", step="import random\nraise ValueError(random.random(), np.random.rand())")

    async def draw(seed: int) -> str:
        game = await host.start(directory, seed=seed)
        with pytest.raises(GameCrashed) as caught:
            await game.act(5)
        return str(caught.value)

    assert await draw(7) == await draw(7) != await draw(8)


async def test_thirty_games_play_at_once_as_each_does_alone(host: Host, directory: Path) -> None:
    games = await asyncio.gather(*(host.start(directory) for _ in range(30)))
    assert len({game.pid for game in games}) == 30

    async def play(n: int) -> int:
        await games[n].act(0)
        for _ in range(n % 10):
            await games[n].act(1)
        return int(np.argwhere((await games[n].act(GameAction.ACTION6, x=4 * (n % 10), y=8)).frames[-1] == 8)[0][1])

    assert await asyncio.gather(*map(play, range(30))) == [4 * (n % 10) for n in range(30)]
    await asyncio.gather(*(game.drop() for game in games))
    assert all(is_gone(game.pid) for game in games)


@pytest.mark.parametrize("place", [(), (1,), (64, 0), (0, -1), (None, None), (True, 0), (1.0, 2)])
async def test_click_without_whole_coordinates_never_reaches_the_game(
    host: Host, directory: Path, place: tuple[Any, ...]
) -> None:
    game = await host.start(directory)
    await game.act(0)
    with pytest.raises(ValueError, match=r"ACTION6 needs [xy] in 0\.\.63"):
        await game.act(6, *place)
    assert (await game.act(6, 4, 4)).frames[-1][4, 4] == 8
    await game.drop()


async def test_unknown_action_is_refused_and_the_game_lives_on(host: Host, directory: Path) -> None:
    game = await host.start(directory)
    with pytest.raises(ValueError, match="8"):
        await game.act(8)
    assert (await game.act(0)).state is GameState.NOT_FINISHED
    await game.drop()


async def test_second_act_before_the_answer_is_refused(host: Host, directory: Path) -> None:
    game = await host.start(directory)
    first, second = await asyncio.gather(game.act(0), game.act(1), return_exceptions=True)
    assert isinstance(second, ValueError)
    assert not isinstance(first, BaseException)
    assert (await game.act(1)).state is GameState.NOT_FINISHED
    await game.drop()


async def test_cancelled_act_drops_the_game(host: Host, tmp_path: Path) -> None:
    game = await host.start(write_game(tmp_path / "game", step="while True: pass"))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await game.act(5)
    with pytest.raises(GameDropped):
        await game.act(0)
    assert await asyncio.to_thread(wait_until, lambda: is_gone(game.pid))


async def test_drop_ends_an_act_under_way(host: Host, tmp_path: Path) -> None:
    game = await host.start(write_game(tmp_path / "game", step="while True: pass"))
    act = asyncio.create_task(game.act(5))
    await asyncio.sleep(0)
    await game.drop()
    with pytest.raises(GameDropped):
        await act
    await game.drop()
    assert is_gone(game.pid)


async def test_cancelled_start_leaves_no_process(tmp_path: Path, directory: Path) -> None:
    host = Host()
    beside = await host.start(directory)
    parent = int(status_of(beside.pid)["PPid"])
    start = asyncio.create_task(host.start(write_game(tmp_path / "hung", init="while True: pass")))
    assert await asyncio.to_thread(wait_until, lambda: len(children_of(parent)) == 2)
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    assert await asyncio.to_thread(wait_until, lambda: children_of(parent) == {beside.pid})
    assert (await beside.act(0)).state is GameState.NOT_FINISHED
    await host.close()


async def test_games_leave_no_descriptors_behind(host: Host, tmp_path: Path) -> None:
    directory = write_game(tmp_path / "game", step="raise ValueError")
    await (await host.start(directory)).drop()
    before = sorted(os.listdir("/proc/self/fd"))
    for _ in range(3):
        await (await host.start(directory)).drop()
        with pytest.raises(GameCrashed):
            await (await host.start(directory)).act(5)
        with pytest.raises(GameNotLoaded):
            await host.start(tmp_path)
    gc.collect()
    assert sorted(os.listdir("/proc/self/fd")) == before


async def test_killed_parent_ends_its_games_and_the_next_start_works(directory: Path) -> None:
    host = Host()
    game, idle = await host.start(directory), await host.start(directory)
    parent = int(status_of(game.pid)["PPid"])
    os.kill(parent, signal.SIGKILL)
    with pytest.raises(HostGone):
        await act_for_ever(game)
    again = await host.start(directory)
    assert (await again.act(0)).state is GameState.NOT_FINISHED
    with pytest.raises(HostGone):
        await idle.act(0)
    assert await asyncio.to_thread(wait_until, lambda: all(map(is_gone, (parent, game.pid, idle.pid))))
    await host.close()


async def test_start_right_after_the_parents_death_works(directory: Path) -> None:
    host = Host()
    game = await host.start(directory)
    os.kill(int(status_of(game.pid)["PPid"]), signal.SIGKILL)
    again = await host.start(directory)
    assert (await again.act(0)).state is GameState.NOT_FINISHED
    await host.close()


async def test_close_ends_every_process(tmp_path: Path, directory: Path) -> None:
    host = Host()
    busy = await host.start(write_game(tmp_path / "busy", step="while True: pass"))
    act = asyncio.create_task(busy.act(5))
    games = [await host.start(directory) for _ in range(3)]
    pids = [busy.pid, *(game.pid for game in games), int(status_of(busy.pid)["PPid"])]
    await host.close()
    assert all(map(is_gone, pids))
    with pytest.raises(GameDropped):
        await act
    with pytest.raises(GameDropped):
        await games[0].act(0)
    await host.close()


async def test_parent_stays_single_threaded_and_out_of_the_terminals_reach(host: Host, directory: Path) -> None:
    game = await host.start(directory)
    parent = int(status_of(game.pid)["PPid"])
    assert status_of(parent)["Threads"] == status_of(game.pid)["Threads"] == "1"
    assert os.getsid(parent) != os.getsid(0)
    assert os.getpgid(game.pid) == game.pid
    await game.drop()


SERVER = """
import asyncio, signal, sys
from engine.host import Host

async def serve():
    host = Host()
    games = [await host.start(sys.argv[1]) for _ in range(2)]
    print(*(game.pid for game in games), flush=True)
    await games[0].act(5)

try:
    asyncio.run(serve())
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_games_end_with_their_server_without_a_word(tmp_path: Path, stop: signal.Signals) -> None:
    directory = write_game(tmp_path / "game", step="while True: pass")
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(directory)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert server.stdout is not None
    pids = [int(pid) for pid in server.stdout.readline().split()]
    pids.append(int(status_of(pids[0])["PPid"]))
    os.killpg(server.pid, stop)  # as the terminal does on Ctrl-C
    out, err = server.communicate(timeout=10)
    assert err == ""
    assert out == ("stopped\n" if stop is signal.SIGINT else "")
    assert wait_until(lambda: all(map(is_gone, pids)))


def test_game_sees_no_secrets_and_no_foreign_descriptors(
    tmp_path: Path, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    spy = write_game(
        tmp_path / "spy",
        step="""
        files = {name: os.readlink("/proc/self/fd/" + name) for name in "0123"}
        rest = [n for n in range(4, 5000) if os.path.exists(f"/proc/self/fd/{n}")]
        raise ValueError(json.dumps([dict(os.environ), files, rest, os.getcwd()]))
        """,
    )

    async def ask() -> str:
        host = Host()
        await host.start(directory)
        game = await host.start(spy)
        await host.start(directory)
        with pytest.raises(GameCrashed) as caught:
            await game.act(5)
        await host.close()
        return str(caught.value)

    environment, files, rest, cwd = json.loads(asyncio.run(ask()).partition(": ")[2])
    assert "SECRET_KEY" not in environment
    assert "hunter2" not in str(environment)
    assert set(environment) <= {
        *("PATH", "LANG", "LC_CTYPE", "PYTHONPATH", "PYTHONHASHSEED"),
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
    }
    assert [files[name] for name in "012"] == ["/dev/null"] * 3
    assert files["3"].startswith("socket:")
    assert (rest, cwd) == ([], "/")


def test_scan_describes_good_games_and_names_bad_ones(tmp_path: Path, directory: Path) -> None:
    hung = write_game(tmp_path / "hung", init="while True: pass")
    raising = write_game(tmp_path / "raising", init="raise KeyError('no such thing')")
    exiting = write_game(tmp_path / "exiting", init="os._exit(0)")
    leaving = write_game(tmp_path / "leaving", init="sys.exit('bye')")
    broken = write_game(tmp_path / "broken")
    (broken / "game.py").write_text("class Game(:")
    began = time.monotonic()
    found = scan([directory, hung, raising, exiting, leaving, broken, tmp_path / "none"], start_seconds=1.0)
    assert time.monotonic() - began < 8
    assert found[directory] == GameInfo("Game", source_hash(directory), 2, 2, (1, 2, 3, 5, 6))
    assert isinstance(found[hung], GameHung)
    assert isinstance(found[exiting], GameCrashed)
    for path, reason in ((raising, "no such thing"), (leaving, "bye"), (broken, ""), (tmp_path / "none", "")):
        assert isinstance(found[path], GameNotLoaded)
        assert reason in str(found[path])
