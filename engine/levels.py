"""Levels: the sprites of one stage of a game, its size and its data."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import reduce
from operator import attrgetter
from typing import Any

from engine.sprites import BlockingMode, InteractionMode, Sprite

_layer_of = attrgetter("layer")
_TANGIBLE, _INVISIBLE = InteractionMode.TANGIBLE, InteractionMode.INVISIBLE
_PIXEL_PERFECT = BlockingMode.PIXEL_PERFECT


class PlaceableArea:
    """Cells where a game's placeable sprite may be put: width x height from (x, y), every x_scale-th and y_scale-th."""

    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0
    x_scale: int = 1
    y_scale: int = 1

    def __init__(self, x: int, y: int, width: int, height: int, x_scale: int = 1, y_scale: int = 1) -> None:
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.x_scale = x_scale
        self.y_scale = y_scale


class Level:
    """Sprites in the order they were added, a camera size `grid_size` (width, height) or None, and free-form data.

    On construction, PIXEL_PERFECT sprites tagged "sys_static" become one sprite a layer, after all others.
    """

    def __init__(
        self,
        sprites: list[Sprite] | None = None,
        grid_size: tuple[int, int] | None = None,
        data: dict[str, Any] | None = None,
        name: str = "Level",
        placeable_areas: list[PlaceableArea] | None = None,
    ) -> None:
        self._sprites: list[Sprite] = list(sprites) if sprites else []
        self._grid_size = grid_size
        self._data: dict[str, Any] = {} if data is None else data
        self._name = name
        self._placeable_areas: list[PlaceableArea] = placeable_areas if placeable_areas is not None else []
        self._sorted_sprites: list[Sprite] | None = None  # highest layer first
        self._need_sort = True
        if sprites:
            self._merge_sys_static_pixel_perfect_on_init()

    def _merge_sys_static_pixel_perfect_on_init(self) -> None:
        """Make one sprite a layer of the static ones, in the order in which the layers appear, after all others."""
        others: list[Sprite] = []
        static_by_layer: dict[int, list[Sprite]] = {}
        for sprite in self._sprites:
            if sprite.blocking is _PIXEL_PERFECT and "sys_static" in sprite.tags:
                static_by_layer.setdefault(sprite.layer, []).append(sprite)
            else:
                others.append(sprite)
        merged = [reduce(lambda over, under: over.merge(under), group) for group in static_by_layer.values()]
        self._sprites = others + merged

    def clone(self) -> Level:
        """A Level with clones of the sprites and a deep copy of the data; placeable areas are shared."""
        return Level(
            sprites=[sprite.clone() for sprite in self._sprites],
            grid_size=self._grid_size,
            data=copy.deepcopy(self._data),
            name=self._name,
            placeable_areas=self._placeable_areas,
        )

    @property
    def name(self) -> str:
        return self._name

    @property
    def grid_size(self) -> tuple[int, int] | None:
        """The camera's (width, height) in this level; None leaves the camera as it is."""
        return self._grid_size

    @property
    def placeable_areas(self) -> list[PlaceableArea]:
        return self._placeable_areas

    def get_data(self, key: str) -> Any:
        """The value under `key`, None if there is none."""
        return self._data.get(key)

    def add_sprite(self, sprite: Sprite) -> None:
        self._sprites.append(sprite)
        self._need_sort = True

    def remove_sprite(self, sprite: Sprite) -> None:
        """Take the sprite out; nothing happens if it is not in the level."""
        if sprite in self._sprites:
            self._sprites.remove(sprite)

    def remove_all_sprites(self) -> None:
        self._sprites = []

    def get_sprites(self) -> list[Sprite]:
        """A new list of all sprites."""
        return self._sprites.copy()

    def get_sprites_by_name(self, name: str) -> list[Sprite]:
        return [one for one in self._sprites if (one.name if one._has_own_place else one._name) == name]

    def get_sprites_by_tag(self, tag: str) -> list[Sprite]:
        return [one for one in self._sprites if tag in (one.tags if one._has_own_place else one._tags)]

    def get_sprites_by_tags(self, tags: Sequence[str]) -> list[Sprite]:
        """The sprites that have all of `tags`; none for no tags."""
        if not tags:
            return []
        return [sprite for sprite in self._sprites if all(tag in sprite.tags for tag in tags)]

    def get_sprites_by_any_tag(self, tags: Sequence[str]) -> list[Sprite]:
        """The sprites that have at least one of `tags`."""
        return [sprite for sprite in self._sprites if any(tag in sprite.tags for tag in tags)]

    def get_all_tags(self) -> set[str]:
        return {tag for sprite in self._sprites for tag in sprite.tags}

    def get_sprite_at(self, x: int, y: int, tag: str | None = None, ignore_collidable: bool = False) -> Sprite | None:
        """The uppermost sprite that covers (x, y), None if none does.

        Only collidable ones unless `ignore_collidable`, only ones with `tag` if given. A PIXEL_PERFECT sprite does
        not cover its -1 pixels. A change of layer counts only after the next `add_sprite`.
        """
        if self._need_sort or self._sorted_sprites is None or len(self._sorted_sprites) != len(self._sprites):
            self._sorted_sprites = sorted(self._sprites, key=_layer_of, reverse=True)
            self._need_sort = False
        if type(x) is not int or type(y) is not int:  # what is no index fails where one is needed
            covering = (one for one in self._sorted_sprites if _covers(one, x, y, ignore_collidable))
            return next((one for one in covering if tag is None or tag in one.tags), None)
        for sprite in self._sorted_sprites:
            if sprite._has_own_place:
                if not _covers(sprite, x, y, ignore_collidable):
                    continue
            else:  # the same without asking properties: games ask for every cell of a level
                column = x - sprite._raw_x
                if column < 0:
                    continue
                row = y - sprite._raw_y
                if row < 0:
                    continue
                mode = sprite._raw_interaction
                if not (ignore_collidable or mode is _TANGIBLE or mode is _INVISIBLE):
                    continue
                look = sprite._valid_look or sprite.look()
                if column >= look.width or row >= look.height:
                    continue
                is_pixel_perfect = sprite._blocking is _PIXEL_PERFECT
                if is_pixel_perfect and not look.is_opaque and look.holes[row * look.width + column]:
                    continue
            if tag is None or tag in sprite.tags:
                return sprite
        return None

    def collides_with(self, sprite: Sprite, ignoreMode: bool = False) -> list[Sprite]:
        """The sprites that `sprite` collides with, as `Sprite.collides_with` judges."""
        return [other for other in self._sprites if sprite.collides_with(other, ignoreMode=ignoreMode)]


def _covers(sprite: Sprite, x: int, y: int, ignore_collidable: bool) -> bool:
    if not (ignore_collidable or sprite.is_collidable):
        return False
    column, row = x - sprite.x, y - sprite.y
    if column < 0 or row < 0 or column >= sprite.width or row >= sprite.height:
        return False
    return bool(sprite.blocking is not _PIXEL_PERFECT or sprite.look().pixels[row, column] != -1)
