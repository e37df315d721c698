import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from arcweb.recordings import codec
from arcweb.recordings.codec import CodecError, decode, encode, is_empty, is_keyframe
from arcweb.recordings.store import encode_frames

GRID = np.add.outer(np.arange(64), np.arange(64)).astype(np.uint8) % 16

grids = arrays(np.uint8, st.tuples(st.integers(0, 4), st.just(64), st.just(64)), elements=st.integers(0, 15))


@settings(max_examples=50)
@given(grids, st.none() | arrays(np.uint8, (64, 64), elements=st.integers(0, 15)))
def test_decode_of_encode_is_identity(frames, before):
    assert np.array_equal(decode(encode(frames, before), before), frames)


@settings(max_examples=15)
@given(st.lists(grids, max_size=6), st.integers(0, 200))
def test_steps_chain_through_deltas_keyframes_and_empty_steps(steps, first):
    before = after = None
    for number, frames in enumerate(steps, first):
        data = encode_frames(number, frames, before)
        decoded = decode(data, after)
        assert np.array_equal(decoded, frames)
        assert is_empty(data) == (len(frames) == 0)
        before = frames[-1] if len(frames) else before
        after = decoded[-1] if len(decoded) else after


@settings(max_examples=300)
@given(st.binary(max_size=64), st.booleans())
def test_any_bytes_decode_or_are_refused(data, with_before):
    try:
        frames = decode(data, GRID if with_before else None)
    except CodecError:
        return
    assert frames.shape[1:] == (64, 64)
    assert frames.max(initial=0) <= 15


@given(st.integers(0, 10**6), st.integers(0, 7))
def test_a_damaged_bit_never_raises_anything_else(position, bit):
    data = bytearray(encode([GRID, GRID.T[::-1]], None))
    data[position % len(data)] ^= 1 << bit
    try:
        frames = decode(bytes(data), GRID)
    except CodecError:
        return
    assert frames.shape[1:] == (64, 64)


def test_layout_is_the_documented_one():
    frames = np.zeros((2, 64, 64), np.uint8)
    frames[0, 0, 0], frames[0, 0, 1], frames[1, 63, 63] = 10, 11, 5
    data = encode(frames)
    packed = bytearray(2 * 2048)
    packed[0] = 0xAB  # left cell in the high bits
    packed[2048] = 0xAB  # the second grid has it no more: XOR with the first
    packed[-1] = 0x05
    assert data[:3] == b"\x01\x02\x00"
    assert zlib.decompress(data[3:], -15) == packed


def test_keyframe_decodes_by_itself_and_a_delta_does_not():
    assert is_keyframe(encode([GRID]))
    assert not is_keyframe(encode([GRID], GRID))
    with pytest.raises(CodecError, match="need the grid before"):
        decode(encode([GRID], GRID))


def test_no_grids_are_three_zero_bytes_and_no_keyframe():
    assert encode([]) == encode([], GRID) == b"\0\0\0"
    assert not is_keyframe(encode([]))
    assert decode(b"\0\0\0").shape == (0, 64, 64)


def test_unchanged_grid_costs_a_few_bytes():
    assert len(encode([GRID], GRID)) <= 24


@pytest.mark.parametrize(
    ("frames", "reason"),
    [
        (np.zeros((1, 63, 64), np.uint8), r"shape .* got \(1, 63, 64\)"),
        (np.zeros((64, 64), np.uint8), r"shape .* got \(64, 64\)"),
        (np.full((1, 64, 64), 16), "0 to 15, got 16 to 16"),
        (np.full((1, 64, 64), -1), "0 to 15, got -1 to -1"),
        (np.full((1, 64, 64), 1.5), "integers, got float64"),
    ],
)
def test_encode_refuses_what_are_no_grids(frames, reason):
    with pytest.raises(ValueError, match=reason):
        encode(frames)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x01\x01",
        b"\x02\x01\x00" + encode([GRID])[3:],
        encode([GRID])[:-1],
        encode([GRID]) + b"\0",
        b"\x01\x02\x00" + encode([GRID])[3:],
        encode([GRID, GRID])[:1] + b"\x01\x00" + encode([GRID, GRID])[3:],
        b"\0\0\0more",
        b"\x01\xff\xff" + zlib.compress(bytes(2048), wbits=-15),
    ],
)
def test_decode_refuses_damaged_bytes(data):
    with pytest.raises(CodecError):
        decode(data, GRID)


def test_decode_of_a_bomb_inflates_no_more_than_the_count_allows():
    bomb = b"\x01\x01\x00" + zlib.compress(bytes(50_000_000), wbits=-15)
    with pytest.raises(CodecError, match="1 grids are 2048 bytes"):
        decode(bomb)


def test_keyframes_come_at_least_every_64_steps():
    keyframes = [number for number in range(200) if is_keyframe(encode_frames(number, GRID[np.newaxis], GRID))]
    assert keyframes[0] == 0
    assert max(np.diff(keyframes)) <= codec.KEYFRAME_EVERY
