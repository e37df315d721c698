"""Looks are shared between sprites and moments; what is written into one sprite's pixels must stay its own."""

import copy

import numpy as np

from engine import Sprite


def test_sprites_painted_alike_do_not_share_their_pixels() -> None:
    one, other = (Sprite([[1, 2], [3, -1]]) for _ in range(2))
    for sprite in (one, other):
        sprite.look()
        sprite.color_remap(1, 7)
    one.pixels[0, 0] = 9
    assert one.render().tolist() == [[9, 2], [3, -1]]
    assert other.render().tolist() == [[7, 2], [3, -1]]
    fresh = Sprite([[1, 2], [3, -1]])
    fresh.look()
    assert fresh.color_remap(1, 7).pixels.tolist() == [[7, 2], [3, -1]]


def test_shallow_copy_shares_its_pixels_and_both_show_what_is_written() -> None:
    sprite = Sprite([[1, 2]])
    sprite.look()
    twin = copy.copy(sprite)
    twin.look()
    pixels = twin.pixels
    assert sprite.look().pixels.tolist() == [[1, 2]]
    pixels[0, 0] = 8
    assert sprite.render().tolist() == twin.render().tolist() == [[8, 2]]
    assert sprite.look().pixels.tolist() == [[8, 2]]


def test_deep_copy_has_pixels_of_its_own() -> None:
    sprite = Sprite([[1, 2]])
    sprite.look()
    twin = copy.deepcopy(sprite)
    twin.pixels[0, 0] = 8
    assert (sprite.render().tolist(), twin.render().tolist()) == ([[1, 2]], [[8, 2]])


def test_frames_and_looks_given_away_are_copies() -> None:
    sprite = Sprite(np.array([[1, 2]], dtype=np.int8))
    sprite.render()[...] = 5
    assert sprite.look().pixels.tolist() == [[1, 2]]
