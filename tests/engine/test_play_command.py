"""`python -m engine`: games listed, and played in a real pseudo-terminal with real keys and mouse reports."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import ActionInput
from engine.catalog import load_game
from tests.engine.folders import make_game
from tests.engine.screen import Playing
from tests.services.environment import ROOT

BUNDLED = ROOT / "fixtures/environment_files"
KP31, MZ24, VQ58 = "kp31-5d2c7e90", "mz24-c7a60f18", "vq58-91b3e04c"
# From fixtures/plays.
VQ58_LEVEL_1 = [(29, 18), (25, 49), (14, 45), (18, 9), (49, 13), (45, 49), (34, 45), (38, 14), (44, 18)]

# Each action paints the view in its number's colour, three frames long; a click marks its cell. 5 wins a level.
ECHO = """
from arcengine import ARCBaseGame, Camera, Level, Sprite

class Demo(ARCBaseGame):
    def __init__(self, seed=0):
        levels = [Level([Sprite([[15]], "mark")]), Level([Sprite([[15]], "mark")])]
        super().__init__("demo-v1", levels, Camera(background=8 + seed), available_actions=[1, 2, 3, 4, 5, 6, 7])
        self.left = 0

    def step(self):
        number = self.action.id.value
        if number == 0:
            return self.complete_action()
        self.left = self.left - 1 if self.left else 2
        self.camera.background = number if self.left == 0 else 12 + self.left
        if self.left:
            return
        if number == 6:
            self.current_level.get_sprites()[0].set_position(self.action.data["x"], self.action.data["y"])
        if number == 5:
            self.next_level()
        MORE
        self.complete_action()
"""


class Film:
    """A terminal, and the same game in this process: each act must show the same boards, in order."""

    def __init__(self, playing: Playing, directory: Path, seed: int = 0) -> None:
        self.playing = playing
        self.game: Any = load_game(directory, seed, only_reset_levels=True)
        self.seen = 0
        self.expect(0)

    def expect(self, action: int, x: int = 0, y: int = 0) -> None:
        """Wait for the last frame of the action, performed here, and compare everything that was drawn meanwhile."""
        data = {"x": x, "y": y} if action == 6 else {}
        frames = self.game.perform_action(ActionInput(id=action, data=data), raw=True).frame
        boards = self.playing.screen.boards
        # The last drawing comes with its own text, after all frames: wait for all of the drawings.
        self.playing.until(lambda: len(boards) >= self.seen + len(frames))
        drawn = boards[self.seen : self.seen + len(frames)]
        self.seen += len(frames)
        assert [board.tolist() for board in drawn] == [frame.tolist() for frame in frames]


@pytest.fixture
def echo(tmp_path: Path) -> Iterator[Playing]:
    make_game(tmp_path / "demo", ECHO.replace("MORE", "pass"), default_fps=50)
    with Playing("play", "demo", "--games", str(tmp_path), "--seed", "1") as playing:
        yield playing


def test_bundled_game_is_played_with_keys() -> None:
    with Playing("play", "kp31") as playing:
        film = Film(playing, BUNDLED / "kp31" / KP31.partition("-")[2])
        assert playing.screen.lines()[:4] == [
            f"{KP31}  level 1 of 7  actions 0, in all 0",
            "",
            "WASD or ↑←↓→ · Space or F",
            "Q quit",
        ]
        for key, action in ((b"d", 4), (b"\x1b[A", 1), (b"\x1bOD", 3), (b" ", 5), (b"s", 2), (b"r", 0), (b"F", 5)):
            playing.send(key)
            film.expect(action)
        assert playing.screen.lines()[0].endswith("actions 7, in all 7")
        assert playing.screen.lines()[3] == "R reset · Q quit"
        playing.send(b"q")
        assert playing.ended() == 0
        assert playing.is_restored()


def test_bundled_game_is_won_a_level_with_the_mouse() -> None:
    with Playing("play", VQ58) as playing:
        film = Film(playing, BUNDLED / "vq58" / VQ58.partition("-")[2])
        for place in VQ58_LEVEL_1:
            playing.click(*place)
            film.expect(6, *place)
        assert playing.screen.lines()[:2] == [
            f"{VQ58}  level 2 of 7  actions 0, in all 9",
            "Level 1 of 7 completed.",
        ]


def test_undo_takes_an_action_back() -> None:
    with Playing("play", "mz24") as playing:
        film = Film(playing, BUNDLED / "mz24" / MZ24.partition("-")[2])
        start = playing.screen.boards[-1]
        playing.send(b"d")
        film.expect(4)
        assert (playing.screen.boards[-1] != start).any()
        playing.send(b"\x1a")
        film.expect(7)
        assert playing.screen.lines()[3] == "Ctrl-Z undo · R reset · Q quit"


def test_every_action_counts_and_only_the_games_own_are_done(echo: Playing, tmp_path: Path) -> None:
    film = Film(echo, tmp_path / "demo", seed=1)
    assert echo.screen.boards[-1][0, 1] == 9, "the seed"
    for key, action in ((b"r", None), (b"w", 1), (b"x", None), (b"\x1a", 7), (b"rr", 0), (b"r", None), (b"s", 2)):
        echo.send(key)  # R does nothing at the start of a level
        if action is not None:
            film.expect(action)
    for button in (1, 64):
        echo.click(9, 9, button)
    for cell in ((10, 20), (63, 63), (0, 1)):
        echo.click(*cell)
        film.expect(6, *cell)
    assert echo.screen.lines()[0] == "demo-v1  level 1 of 2  actions 7, in all 7"
    echo.send(b"f")
    film.expect(5)
    assert echo.screen.lines()[0] == "demo-v1  level 2 of 2  actions 0, in all 8"


def test_win_and_game_over_leave_reset_only(tmp_path: Path) -> None:
    source = ECHO.replace("MORE", "if number == 3: self.lose()")
    make_game(tmp_path / "demo", source, default_fps=50)
    with Playing("play", "demo-v1", "--games", str(tmp_path)) as playing:
        film = Film(playing, tmp_path / "demo")
        playing.send(b"a")
        film.expect(3)
        assert playing.screen.lines()[1:4] == ["This try is over. R tries this level again.", "", "R reset · Q quit"]
        playing.send(b"w")
        for key, action in ((b"r", 0), (b" ", 5), (b" ", 5)):
            playing.send(key)
            film.expect(action)
        assert playing.screen.lines()[0] == "demo-v1  level 2 of 2  actions 0, in all 4"
        assert playing.screen.lines()[1] == "Level 2 of 2 completed. You completed the whole game. R plays it again."
        playing.send(b"wr")
        film.expect(0)
        assert playing.screen.lines()[0] == "demo-v1  level 1 of 2  actions 0, in all 0"


def test_frames_take_their_time_and_a_press_jumps_to_the_last(tmp_path: Path) -> None:
    make_game(tmp_path / "demo", ECHO.replace("MORE", "pass"), default_fps=5)
    with Playing("play", "demo", "--games", str(tmp_path)) as playing:
        film = Film(playing, tmp_path / "demo")
        started = time.monotonic()
        playing.click(5, 5)
        film.expect(6, 5, 5)
        assert time.monotonic() - started >= 2 / 5, "three frames, 1/5 s each but for the last, which stays"

        def backgrounds() -> list[int]:
            return [int(board[63, 63]) for board in playing.screen.boards[film.seen :]]

        playing.send(b"ww")  # the second press jumps over what the first one has to show
        playing.until(lambda: backgrounds().count(1) == 2)
        assert backgrounds() in ([1, 14, 13, 1], [14, 1, 14, 13, 1]), "both at once, or the second a moment later"


def test_press_that_waits_is_dropped_when_the_level_has_changed(echo: Playing, tmp_path: Path) -> None:
    Film(echo, tmp_path / "demo", seed=1)
    echo.send(b"fw")
    echo.until_text("Level 1 of 2 completed. Not done, because the game moved on.")
    echo.send(b"q")
    assert echo.ended() == 0
    assert echo.screen.lines()[0] == "demo-v1  level 2 of 2  actions 0, in all 1"


def test_resets_are_level_resets(tmp_path: Path) -> None:
    make_game(tmp_path / "demo", ECHO.replace("MORE", "if number == 3: self.set_level(1)"), default_fps=1000)
    with Playing("play", "demo", "--games", str(tmp_path)) as playing:
        film = Film(playing, tmp_path / "demo")
        for key, action in ((b"a", 3), (b"r", 0)):  # by the other rule a full reset: no action in level 2 yet
            playing.send(key)
            film.expect(action)
        assert playing.screen.lines()[0] == "demo-v1  level 1 of 2  actions 2, in all 2"


@pytest.mark.parametrize(
    ("more", "leave", "code"),
    [
        ("pass", b"q", 0),
        ("pass", b"\x03", 130),
        ("pass", b"\x1c", 131),  # Ctrl-\, SIGQUIT
        ("pass", signal.SIGTERM, 143),
        ("pass", signal.SIGHUP, 129),
        ("open('HUNG', 'w').close()\n        while True: pass", b"w\x03", 130),
        ("raise SystemExit(7)", b"w", 7),
        ("raise RuntimeError('no such move')", b"w", 1),
        ("self.camera._background = 16", b"ww", 1),
    ],
)
def test_terminal_is_restored_however_it_is_left(
    tmp_path: Path, more: str, leave: bytes | signal.Signals, code: int
) -> None:
    hung = tmp_path / "hung"  # written by the game that hangs
    make_game(tmp_path / "demo", ECHO.replace("MORE", more).replace("HUNG", str(hung)), default_fps=1000)
    with Playing("play", "demo", "--games", str(tmp_path)) as playing:
        Film(playing, tmp_path / "demo")
        assert not playing.is_restored()
        if isinstance(leave, signal.Signals):
            playing.signal(leave)
        elif leave == b"w\x03":
            playing.send(b"w")
            playing.until(hung.exists)
            playing.send(b"\x03")
        else:
            playing.send(leave)
        assert playing.ended() == code
        assert playing.is_restored()
        if code == 1:
            assert "RuntimeError: no such move" in playing.screen.stray or "value 16" in playing.screen.stray


def test_what_a_game_prints_is_shown_afterwards(tmp_path: Path) -> None:
    make_game(tmp_path / "demo", ECHO.replace("MORE", "print('moved by', number)"), default_fps=1000)
    with Playing("play", "demo", "--games", str(tmp_path)) as playing:
        film = Film(playing, tmp_path / "demo")
        playing.send(b"w")
        film.expect(1)
        assert "moved" not in "".join(playing.screen.lines(0))
        playing.send(b"q")
        assert playing.ended() == 0
        assert "moved by 1" in playing.screen.stray


def test_window_that_is_too_small_says_so_until_it_grows(tmp_path: Path) -> None:
    make_game(tmp_path / "demo", ECHO.replace("MORE", "pass"))
    with Playing("play", "demo", "--games", str(tmp_path), columns=80, rows=24) as playing:
        playing.until_text("Make the window larger: 64 columns and 36 rows are")
        playing.resize(64, 36)
        playing.until_text("demo-v1  level 1 of 2")
        playing.until(lambda: playing.screen.boards[-1] is not None)
        assert playing.screen.boards[-1][0, 1] == 8
        assert max(column for _, column in playing.screen.cells) < 64
        playing.resize(63, 36)
        playing.until_text("it has 63 and 36")


def run(*arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "engine", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout, done.stderr


def test_list_names_the_games(tmp_path: Path) -> None:
    assert run("list") == (0, f"{KP31}\n{MZ24}\n{VQ58}\n", "")
    assert run("list", "--games", str(tmp_path)) == (2, "", f"There are no games in {tmp_path}.\n")
    make_game(tmp_path / "good")
    (make_game(tmp_path / "bad") / "metadata.json").write_text("{")
    code, listed, problems = run("list", "--games", str(tmp_path))
    assert (code, listed) == (0, "demo-v1\n")
    assert "bad/metadata.json is not JSON" in problems


def test_play_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    ids = f"{KP31}\n  {MZ24}\n  {VQ58}\n"
    assert run("play", "nope") == (2, "", f"There is no game nope in {BUNDLED}. There are:\n  {ids}")
    code, _, told = run("play", "kp31")
    assert (code, told.split(":")[0]) == (2, "A game is played in a terminal")
    for version in ("v1", "v2"):
        make_game(tmp_path / version, game_id=f"demo-{version}")
    assert run("play", "demo", "--games", str(tmp_path)) == (
        2,
        "",
        f"More than one game in {tmp_path} is called demo. There are:\n  demo-v1\n  demo-v2\n",
    )
    assert run("play", "demo", "--games", str(tmp_path / "none"))[0] == 2


def test_help_names_the_keys() -> None:
    code, told, _ = run("play", "--help")
    assert code == 0
    assert "Ctrl-Z              ACTION7, undo" in told
    assert "termios" not in told


def test_without_termios_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from engine import __main__ as command

    monkeypatch.setattr(command, "_has_termios", lambda: False)
    for arguments in (["play", "kp31"], ["play", "--help"]):
        with pytest.raises(SystemExit):
            command.main(arguments)
        out, err = capsys.readouterr()
        assert "This system has no termios" in out + err
