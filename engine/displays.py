"""User-interface layers, drawn on the finished 64x64 frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from engine.looks import Pixels
from engine.sprites import InteractionMode, Sprite

FRAME_SIZE = 64

_Pair = tuple[Sprite, Sprite]


class RenderableUserDisplay(ABC):
    """Anything that draws on the frame after the camera has: counters, bars, borders, cursors."""

    @abstractmethod
    def render_interface(self, frame: Pixels) -> Pixels:
        """The frame int8 [64, 64] to show: `frame` drawn on, or another array of its shape."""
        return frame

    def draw_sprite(self, frame: Pixels, sprite: Sprite, start_x: int, start_y: int) -> Pixels:
        """Draw the sprite on `frame`, its top left corner at (start_x, start_y) of the frame; gives `frame` back."""
        look = sprite.look()
        look.draw_on(frame, start_x + look.left, start_y + look.top, FRAME_SIZE, FRAME_SIZE)
        return frame


class ToggleableUserDisplay(RenderableUserDisplay):
    """Pairs of sprites (shown while enabled, shown while disabled), at their positions on the frame.

    The sprites given are cloned. ValueError for an index outside the pairs.
    """

    def __init__(self, sprite_pairs: Sequence[_Pair] | None = None) -> None:
        self._sprite_pairs: list[_Pair] = [(on.clone(), off.clone()) for on, off in sprite_pairs or ()]

    def clone(self) -> ToggleableUserDisplay:
        return ToggleableUserDisplay(self._sprite_pairs)

    def is_enabled(self, index: int) -> bool:
        return self._pair(index)[0].interaction is not InteractionMode.REMOVED

    def enable(self, index: int) -> None:
        self._enable_sprite_pair(self._pair(index))

    def disable(self, index: int) -> None:
        self._disable_sprite_pair(self._pair(index))

    def enable_all_by_tag(self, tag: str) -> None:
        """Enable the pairs whose first sprite has the tag."""
        for pair in self._find_sprites_by_tag(tag):
            self._enable_sprite_pair(pair)

    def disabled_all_by_tag(self, tag: str) -> None:
        """Disable the pairs whose first sprite has the tag."""
        for pair in self._find_sprites_by_tag(tag):
            self._disable_sprite_pair(pair)

    def enable_first_by_tag(self, tag: str) -> bool:
        """Enable the first disabled pair with the tag; False if there is none."""
        for pair in self._find_sprites_by_tag(tag):
            if pair[0].interaction is InteractionMode.REMOVED:
                self._enable_sprite_pair(pair)
                return True
        return False

    def disabled_first_by_tag(self, tag: str) -> bool:
        """Disable the first pair with the tag that is enabled (its first sprite INTANGIBLE); False if there is none."""
        for pair in self._find_sprites_by_tag(tag):
            if pair[0].interaction is InteractionMode.INTANGIBLE:
                self._disable_sprite_pair(pair)
                return True
        return False

    def render_interface(self, frame: Pixels) -> Pixels:
        """Draw every sprite that is not REMOVED, pair by pair."""
        for pair in self._sprite_pairs:
            for sprite in pair:
                if sprite.interaction is not InteractionMode.REMOVED:
                    frame = self.draw_sprite(frame, sprite, sprite.x, sprite.y)
        return frame

    def _pair(self, index: int) -> _Pair:
        if not 0 <= index < len(self._sprite_pairs):
            raise ValueError(f"Index {index} is out of bounds")
        return self._sprite_pairs[index]

    def _find_sprites_by_tag(self, tag: str) -> list[_Pair]:
        return [pair for pair in self._sprite_pairs if tag in pair[0].tags]

    def _enable_sprite_pair(self, sprite_pair: _Pair) -> None:
        sprite_pair[0].set_interaction(InteractionMode.INTANGIBLE)
        sprite_pair[1].set_interaction(InteractionMode.REMOVED)

    def _disable_sprite_pair(self, sprite_pair: _Pair) -> None:
        sprite_pair[0].set_interaction(InteractionMode.REMOVED)
        sprite_pair[1].set_interaction(InteractionMode.INTANGIBLE)
