"""Playing a game in a terminal, by the rules of the play page: what is offered, what is shown, and how fast."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from engine import host_wire as wire
from engine.actions import ActionInput
from engine.catalog import load_game, read_metadata
from engine.frames import GameState
from engine.game import ARCBaseGame
from engine.terminal import ACT, CLICK, QUIT, RESET, UNDO, Press, Terminal

MOVES = {1: ("W", "↑"), 3: ("A", "←"), 2: ("S", "↓"), 4: ("D", "→")}


def play(directory: Path, seed: int, terminal: Terminal) -> None:
    """Play the game in the folder until the player quits. Whatever the game raises is passed on."""
    metadata = read_metadata(directory)
    random.seed(seed)  # as on the server: games that draw from the global generators repeat themselves, too
    np.random.seed(seed % 2**32)
    game = load_game(directory, seed, only_reset_levels=True)
    Player(game, metadata.game_id, metadata.default_fps, terminal).run()


class Player:
    """One play: the game's last answer, how many actions it took, and the presses that are still to be done.

    `in_level` and `in_all` count as baselines do: every action after the opening RESET, later resets included.
    """

    def __init__(self, game: ARCBaseGame, game_id: str, fps: int, terminal: Terminal) -> None:
        self._game = game
        self._game_id = game_id
        self._frame_time = 1 / fps
        self._terminal = terminal
        self._presses: list[Press] = []
        self._grid: NDArray[np.uint8] = np.zeros((64, 64), np.uint8)
        self._remark = ""
        self.in_level = 0
        self.in_all = 0
        self._is_level_touched = False
        self._answer = self._perform(Press(RESET))

    def run(self) -> None:
        """Show the opening, then do what is pressed until QUIT."""
        self._animate(self._answer)
        self._show()
        while (press := self._next_press()).action != QUIT:
            if press.action in self._offered():
                self._do(press)

    def _next_press(self) -> Press:
        if not self._presses:
            self._presses = self._terminal.wait(self._offered() | {QUIT})
        return self._presses.pop(0)

    def _offered(self) -> set[int]:
        """The actions that the player may do now, as on the play page; after a win also RESET, for a new play."""
        if self._answer.state in (GameState.WIN, GameState.GAME_OVER):
            return {RESET}
        return {*self._answer.available_actions, *([RESET] if self._is_level_touched else [])}

    def _do(self, press: Press) -> None:
        before, self._remark = self._answer, ""
        answer = self._perform(press)
        self.in_level += 1
        self.in_all += 1
        if answer.full_reset:
            self.in_level = self.in_all = 0
        has_risen = answer.levels_completed > before.levels_completed
        self._is_level_touched = press.action != RESET and not has_risen
        self._animate(answer)  # with the text of before: the last frame brings the news
        self._answer = answer
        if has_risen:
            self.in_level = 0
            self._remark = f"Level {answer.levels_completed} of {answer.win_levels} completed."
        if has_risen or answer.state != before.state:
            waiting = [press for press in self._presses if press.action == QUIT]
            if len(waiting) < len(self._presses):
                self._remark = f"{self._remark} Not done, because the game moved on.".strip()
            self._presses = waiting
        self._show()

    def _perform(self, press: Press) -> wire.StepResult:
        """The game's answer, held to the rules that it is held to on the server (InvalidFrame)."""
        data = {"x": press.x, "y": press.y} if press.action == CLICK else {}
        answer: Any = self._game.perform_action(ActionInput(id=press.action, data=data), raw=True)
        return wire.unpack_step(wire.pack_step(cast(wire.Answer, answer))[wire.HEAD.size :])

    def _animate(self, answer: wire.StepResult) -> None:
        """Show the frames one after the other, each for its time; a press jumps to the last."""
        text = self._text()
        for grid in answer.frames[:-1]:
            if self._presses:
                break
            self._terminal.show(grid, text)
            self._presses = self._terminal.wait({*answer.available_actions, RESET, QUIT}, self._frame_time)
        if len(answer.frames):
            self._grid = answer.frames[-1]

    def _show(self) -> None:
        self._terminal.show(self._grid, self._text())

    def _text(self) -> list[str]:
        answer, offered = self._answer, self._offered()
        level = min(answer.levels_completed + 1, answer.win_levels)
        state = {
            GameState.WIN: "You completed the whole game. R plays it again.",
            GameState.GAME_OVER: "This try is over. R tries this level again.",
        }.get(answer.state, "")
        counts = f"actions {self.in_level}, in all {self.in_all}"
        return [
            f"{self._game_id}  level {level} of {answer.win_levels}  {counts}",
            f"{self._remark} {state}".strip(),
            keys_in_words(offered - {RESET, UNDO}),
            keys_in_words(offered & {RESET, UNDO} | {QUIT}),
        ]


def keys_in_words(actions: set[int]) -> str:
    """The keys that give these actions."""
    words = []
    letters, arrows = ("".join(key[way] for action, key in MOVES.items() if action in actions) for way in (0, 1))
    if letters:
        words.append(f"{letters} or {arrows}")
    names = {
        ACT: "Space or F",
        CLICK: "click (right: lower cell)",
        UNDO: "Ctrl-Z undo",
        RESET: "R reset",
        QUIT: "Q quit",
    }
    return " · ".join(words + [name for action, name in names.items() if action in actions])
