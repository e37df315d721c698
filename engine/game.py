"""The game: its levels and its camera, the loop that turns an action into frames, and the rules of resetting."""

from __future__ import annotations

import copy
from abc import ABC
from collections.abc import Iterable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from engine.actions import ActionInput, GameAction, require_position
from engine.camera import Camera
from engine.frames import FrameData, FrameDataRaw, GameState
from engine.levels import Level
from engine.looks import Pixels
from engine.sprites import Sprite

MAX_FRAME_PER_ACTION = 1000
"""The last frame of an action that is still followed by another; 1,001 frames pass, the next is an error."""


class ARCBaseGame(ABC):  # noqa: B024 - abstract in the reference too: games add abstract methods of their own
    """Base of all games. A subclass implements `step`, usually also `on_set_level`.

    The levels given are cloned, twice: one set is played, the other is kept clean for resets. `win_score` above 1
    replaces the number of levels in answers. ValueError for no levels.
    """

    only_reset_levels: bool = False
    """True makes every RESET a level reset unless the game is won; otherwise one as a level's first action is full."""

    def __init__(
        self,
        game_id: str,
        levels: list[Level],
        camera: Camera | None = None,
        debug: bool = False,
        win_score: int = 1,
        available_actions: list[int] | None = None,
        seed: int = 0,
    ) -> None:
        if not levels:
            raise ValueError(f"Game must have at least one level, got {levels!r}")
        self._game_id = game_id
        self._levels: list[Level] = [level.clone() for level in levels]
        self._clean_levels: list[Level] = [level.clone() for level in levels]
        for level, clean in zip(self._levels, self._clean_levels, strict=True):
            # Clones share their placeable areas; two games made of the same levels must not.
            level._placeable_areas = clean._placeable_areas = copy.deepcopy(level._placeable_areas)
        self._current_level_index = 0
        self._debug = debug
        self._camera = camera if camera is not None else Camera()
        self._state = GameState.NOT_PLAYED
        self._score = 0
        self._next_level = False
        self._action = ActionInput()
        self._action_complete = False
        self._action_count = 0
        self._full_reset = False
        self._win_score = win_score if win_score > 1 else len(levels)
        self.set_level(0)
        # After set_level, so that on_set_level cannot have the last word about these.
        self._available_actions: list[int] = [1, 2, 3, 4, 5, 6] if available_actions is None else available_actions
        self._placeable_sprite: Sprite | None = None
        self._seed = seed

    def debug(self, message: str) -> None:
        """Print the message if the game was made with `debug`."""
        if self._debug:
            print(message)

    # Reading it

    @property
    @final
    def game_id(self) -> str:
        return self._game_id

    @property
    @final
    def camera(self) -> Camera:
        return self._camera

    @property
    @final
    def win_score(self) -> int:
        """The number of levels to complete."""
        return self._win_score

    @property
    @final
    def action(self) -> ActionInput:
        """The action being performed, or the last one."""
        return self._action

    @property
    @final
    def current_level(self) -> Level:
        return self._levels[self._current_level_index]

    @property
    @final
    def level_index(self) -> int:
        return self._current_level_index

    def is_last_level(self) -> bool:
        return self._current_level_index == len(self._levels) - 1

    # Levels

    @final
    def set_level(self, index: int) -> None:
        """Play this level from now on, as it stands (it is not reset). IndexError if there is none."""
        if not 0 <= index < len(self._levels):
            raise IndexError(f"Level index {index} out of range [0, {len(self._levels)})")
        self._current_level_index = index
        self._action_count = 0
        level = self.current_level
        if level.grid_size:
            self.camera.resize(level.grid_size[0], level.grid_size[1])
        self.on_set_level(level)

    def set_level_by_name(self, name: str) -> None:
        """Play the first level of this name from now on. ValueError if there is none."""
        for index, level in enumerate(self._levels):
            if level.name == name:
                self.set_level(index)
                return
        raise ValueError(f"Level with name {name} not found")

    def on_set_level(self, level: Level) -> None:  # noqa: B027 - most games need nothing here
        """Called whenever a level begins; override it to prepare what belongs to the level."""

    def next_level(self) -> None:
        """Count the level as completed; the next one begins with the next frame, after the last the game is won."""
        self._score += 1
        if self.is_last_level():
            self.win()
        else:
            self._next_level = True

    def _really_set_next_level(self) -> None:
        self.set_level(self._current_level_index + 1)
        self._next_level = False

    # The loop

    @final
    def perform_action(self, action_input: ActionInput, raw: bool = False) -> FrameData | FrameDataRaw:
        """Perform one action: call `step` and draw a frame until the action is complete.

        The answer has arrays if `raw`, else plain lists. After WIN and GAME_OVER everything but RESET changes nothing
        and is answered without frames, always as FrameData with level counts of 0. ValueError for a click without
        x and y, and when the action goes on after 1,001 frames.
        """
        self._full_reset = False
        if action_input.id is GameAction.RESET:
            self.handle_reset()
        elif self._state in (GameState.GAME_OVER, GameState.WIN):
            return FrameData(
                game_id=self._game_id,
                state=self._state,
                action_input=action_input,
                available_actions=self._available_actions,
            )
        elif action_input.id is GameAction.ACTION6:
            require_position(action_input)
        self._set_action(action_input)
        frames: list[Pixels] = []
        while not self.is_action_complete():
            if len(frames) > MAX_FRAME_PER_ACTION:
                raise ValueError(f"Action took too many frames, more than {len(frames)}")
            if self._next_level:
                self._really_set_next_level()
            else:
                self.step()
            frames.append(self.camera.render(self.current_level.get_sprites()))
        answer = _raw_answer if raw else _plain_answer
        return answer(self, action_input, frames)

    @final
    def _set_action(self, action_input: ActionInput) -> None:
        self._state = GameState.NOT_FINISHED
        self._action = action_input
        self._action_complete = False
        if action_input.id is not GameAction.RESET:
            self._action_count += 1

    def step(self) -> None:
        """One frame's worth of game logic for `self.action`; override it.

        It is called again, and a frame drawn each time, until `complete_action` has been called.
        """
        self.complete_action()

    @final
    def complete_action(self) -> None:
        """Let the current action end with this frame."""
        self._action_complete = True

    @final
    def is_action_complete(self) -> bool:
        return not self._next_level and self._action_complete

    @final
    def win(self) -> None:
        self._state = GameState.WIN

    @final
    def lose(self) -> None:
        self._state = GameState.GAME_OVER

    # Resets

    def handle_reset(self) -> None:
        """Reset the game or its current level: see `only_reset_levels`. A won game is always reset in full."""
        won = self._state == GameState.WIN
        if won or (self._action_count == 0 and not self.only_reset_levels):
            self.full_reset()
        else:
            self.level_reset()

    def full_reset(self) -> None:
        """Begin again with all levels clean, at the first one."""
        self._levels = [level.clone() for level in self._clean_levels]
        self._score = 0
        self._action_count = 0
        self._full_reset = True
        self.set_level(0)
        self._state = GameState.NOT_FINISHED

    def level_reset(self) -> None:
        """Begin the current level again."""
        index = self._current_level_index
        self._levels[index] = self._clean_levels[index].clone()
        self.set_level(index)
        self._state = GameState.NOT_FINISHED

    # What game logic asks for

    def try_move(self, sprite_name: str, dx: int, dy: int) -> list[Sprite]:
        """`try_move_sprite` for the first sprite of this name. ValueError if there is none."""
        sprites = self.current_level.get_sprites_by_name(sprite_name)
        if not sprites:
            raise ValueError(f"No sprite found with name: {sprite_name}")
        return self.try_move_sprite(sprites[0], dx, dy)

    def try_move_sprite(self, sprite: Sprite, dx: int, dy: int) -> list[Sprite]:
        """Move the sprite unless it would collide: gives the sprites in its way, none if it has moved."""
        x, y = sprite.x, sprite.y
        sprite.move(dx, dy)
        in_the_way = [other for other in self.current_level.get_sprites() if sprite.collides_with(other)]
        if in_the_way:
            sprite.set_position(x, y)
        return in_the_way

    def get_pixels_at_sprite(self, sprite: Sprite) -> Pixels:
        """The part of the view that lies where the sprite is."""
        return self.get_pixels(sprite.x - self.camera.x, sprite.y - self.camera.y, sprite.width, sprite.height)

    def get_pixels(self, x: int, y: int, width: int, height: int) -> Pixels:
        """A part of the camera's view (before enlarging, without interfaces), in the view's own coordinates."""
        view = self.camera._raw_render(self.current_level.get_sprites())
        return view[y : y + height, x : x + width]

    def set_placeable_sprite(self, sprite: Sprite | None) -> None:
        """While there is one, valid clicks are the level's placeable areas instead of its clickable sprites."""
        self._placeable_sprite = sprite

    # What the state graph asks for; never shown to players

    def _get_graph_location(self) -> tuple[float, float, float] | None:
        """Where to draw the present state in a state graph; None leaves it to the graph."""
        return None

    def _get_hidden_state(self) -> NDArray[Any]:
        """What tells apart states that look the same; override it where a game has such."""
        return np.zeros((4, 4), dtype=np.int8)

    def _get_valid_actions(self) -> list[ActionInput]:
        """Every action worth trying now, without ACTION7; clicks carry positions on the frame."""
        valid_actions: list[ActionInput] = []
        for action in self._available_actions:
            if action in (1, 2, 3, 4, 5):
                valid_actions.append(ActionInput(id=GameAction.from_id(action)))
            elif action == 6:
                placing = self._placeable_sprite
                valid_actions += self._get_valid_placeble_actions() if placing else self._get_valid_clickable_actions()
        return valid_actions

    def _get_valid_placeble_actions(self) -> list[ActionInput]:
        cells = (
            (x, y)
            for area in self.current_level.placeable_areas
            for y in range(area.y, area.y + area.height, area.y_scale)
            for x in range(area.x, area.x + area.width, area.x_scale)
        )
        return _clicks(self.camera, cells)

    def _get_valid_clickable_actions(self) -> list[ActionInput]:
        """One click for each sprite tagged sys_click, then sys_place: on its first coloured pixel, row by row.

        A sprite tagged sys_every_pixel gets one for every coloured pixel.
        """
        level = self.current_level
        cells: list[tuple[int, int]] = []
        for sprite in level.get_sprites_by_tag("sys_click") + level.get_sprites_by_tag("sys_place"):
            if not self._is_sprite_clickable_now(sprite):
                continue
            coloured = np.argwhere(sprite.look().pixels >= 0).tolist()
            chosen = coloured if "sys_every_pixel" in sprite._tags else coloured[:1]
            cells += [(sprite._x + column, sprite._y + row) for row, column in chosen]
        return _clicks(self.camera, cells)

    def _is_sprite_clickable_now(self, sprite: Sprite) -> bool:
        """Override it where not every sprite tagged sys_click or sys_place can be clicked at all times."""
        return True


# Not methods, whose names games might use for something else.


def _raw_answer(game: ARCBaseGame, action_input: ActionInput, frames: list[Pixels]) -> FrameDataRaw:
    actions = game._available_actions
    values = {
        "game_id": game._game_id,
        "state": game._state,
        "levels_completed": game._score,
        "win_levels": game._win_score,
        "action_input": action_input,
        "full_reset": game._full_reset,
        "available_actions": actions.copy() if type(actions) is list else copy.copy(actions),
    }
    return FrameDataRaw.of_frames(frames, values)


def _plain_answer(game: ARCBaseGame, action_input: ActionInput, frames: list[Pixels]) -> FrameData:
    lists: list[Any] = [frame.tolist() for frame in frames]
    are_grids = all(frame.ndim == 2 and frame.dtype.kind in "iu" for frame in frames)
    answer = FrameData(
        game_id=game._game_id,
        frame=[] if are_grids else lists,
        state=game._state,
        levels_completed=game._score,
        win_levels=game._win_score,
        action_input=action_input,
        full_reset=game._full_reset,
        available_actions=game._available_actions,
    )
    if are_grids:  # lists of ints already: reading each of 4,096 cells again would find nothing
        answer.frame = lists
    return answer


def _clicks(camera: Camera, cells: Iterable[tuple[int, int]]) -> list[ActionInput]:
    """For each of the view's cells (x, y), a click on the frame's first cell that shows it."""
    scale, left, top = camera._calculate_scale_and_offset()
    click = GameAction.ACTION6
    return [ActionInput(id=click, data={"x": x * scale + left, "y": y * scale + top}) for x, y in cells]
