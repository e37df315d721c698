"""Frames as bytes: how a step's grids are stored, and sent to the browser unchanged.

    byte 0      0: the first grid is XORed with the last grid of the step before; 1 (keyframe): with zeros
    bytes 1-2   how many grids, little endian
    the rest    raw deflate of the grids, each XORed with the grid before it, two cells to a byte, row by row,
                the left cell in the high four bits: 2,048 bytes a grid

No grids are the three bytes `EMPTY`: never a keyframe, since nothing can be decoded from them.
"""

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Grid = NDArray[np.uint8]  # (64, 64), values 0..15, [y, x]

KEYFRAME_EVERY = 64
MAX_GRIDS = 0xFFFF
EMPTY = bytes(3)
_GRID_BYTES = 64 * 64 // 2
_HEAD = 3


class CodecError(ValueError):
    """Bytes that are not frames."""


def encode(grids: Sequence[Grid] | NDArray[np.uint8], before: Grid | None = None) -> bytes:
    """Encode the grids of one step.

    Args:
        grids: n grids, shape (n, 64, 64), values 0..15; n may be 0.
        before: the last grid of the step before; None makes a keyframe, which decodes by itself.

    Raises:
        ValueError: a wrong shape, a value that is not an integer from 0 to 15, or more than 65,535 grids.
    """
    if len(grids) == 0:
        return EMPTY
    cells = np.asarray(grids)
    if cells.ndim != 3 or cells.shape[1:] != (64, 64) or len(cells) > MAX_GRIDS:
        raise ValueError(f"frames must have the shape (n, 64, 64), n at most {MAX_GRIDS}, got {cells.shape}")
    if cells.dtype.kind not in "iu":
        raise ValueError(f"cells must be integers, got {cells.dtype}")
    if cells.min() < 0 or cells.max() > 15:
        raise ValueError(f"cells must be 0 to 15, got {cells.min()} to {cells.max()}")
    packed = _pack(cells.astype(np.uint8, copy=False))
    delta = packed.copy()
    delta[1:] ^= packed[:-1]
    if before is not None:
        delta[0] ^= _pack_one(before)
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = deflate.compress(delta.tobytes()) + deflate.flush()
    return bytes((before is None,)) + len(cells).to_bytes(2, "little") + body


def decode(data: bytes, before: Grid | None = None) -> NDArray[np.uint8]:
    """Decode the grids of one step, shape (n, 64, 64).

    Raises:
        CodecError: damaged bytes, or a delta without the grid before it.
    """
    data = bytes(data)
    if len(data) < _HEAD or data[0] > 1:
        raise CodecError(f"frames cannot begin with {data[:_HEAD]!r}")
    count = int.from_bytes(data[1:_HEAD], "little")
    if count == 0:
        if data != EMPTY:
            raise CodecError(f"no grids are {EMPTY!r}, got {len(data)} bytes beginning with {data[:_HEAD]!r}")
        return np.zeros((0, 64, 64), np.uint8)
    is_delta = data[0] == 0
    if is_delta and before is None:
        raise CodecError("these frames need the grid before them")
    packed = _inflate(data[_HEAD:], count)
    if is_delta and before is not None:
        packed[0] ^= _pack_one(before)
    np.bitwise_xor.accumulate(packed, axis=0, out=packed)
    grids = np.empty((count, _GRID_BYTES * 2), np.uint8)
    grids[:, 0::2] = packed >> 4
    grids[:, 1::2] = packed & 15
    return grids.reshape(count, 64, 64)


def is_keyframe(data: bytes) -> bool:
    """Whether these frames decode without the grid before them, and leave one behind."""
    return data[:1] == b"\x01"


def is_empty(data: bytes) -> bool:
    """Whether there are no grids in these frames."""
    return data[1:_HEAD] == EMPTY[1:]


def _inflate(body: bytes, count: int) -> NDArray[np.uint8]:
    """The XORed grids, (count, 2048); never inflates more than the count allows."""
    inflate = zlib.decompressobj(-15)
    try:
        raw = inflate.decompress(body, count * _GRID_BYTES + 1)
    except zlib.error as error:
        raise CodecError(f"frames cannot be inflated: {error}") from error
    if len(raw) != count * _GRID_BYTES or not inflate.eof or inflate.unused_data:
        raise CodecError(
            f"{count} grids are {count * _GRID_BYTES} bytes and nothing after them, got {len(raw)} or more"
        )
    return np.frombuffer(raw, np.uint8).reshape(count, _GRID_BYTES).copy()


def _pack(grids: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(n, 64, 64) cells to (n, 2048) bytes."""
    flat = grids.reshape(len(grids), -1)
    packed: NDArray[np.uint8] = np.left_shift(flat[:, 0::2], 4, dtype=np.uint8)
    packed |= flat[:, 1::2]
    return packed


def _pack_one(grid: Grid) -> NDArray[np.uint8]:
    """One grid that was checked when it was encoded or decoded, to (2048,) bytes."""
    return _pack(np.asarray(grid, np.uint8)[np.newaxis]).reshape(-1)
