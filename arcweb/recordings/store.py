"""Steps in and grids out of the append-only table."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from arcweb.recordings import codec
from arcweb.recordings.codec import Grid
from arcweb.recordings.models import Recording, Step


def encode_frames(number: int, frames: NDArray[np.uint8], before: Grid | None) -> bytes:
    """Frames of a step as they are stored: chained to the grid before, with a keyframe now and then for seeking.

    Args:
        number: the step's ordinal.
        frames: shape (n, 64, 64), values 0..15.
        before: the last grid of the step before; None where there is none.
    """
    return codec.encode(frames, None if number % codec.KEYFRAME_EVERY == 0 else before)


def append(step: Step) -> None:
    """Add a step to its recording.

    Raises:
        IntegrityError: a step of this number is there already.
    """
    step.save(force_insert=True)


def last_grid(recording: Recording, number: int) -> Grid:
    """The last grid of a step, shape (64, 64): zeros where nothing before it had a frame."""
    grid = np.zeros((64, 64), np.uint8)
    chain: list[bytes] = []
    payloads = recording.steps.filter(step__lte=number, frames__isnull=False).order_by("-step")
    for payload in payloads.values_list("frames", flat=True).iterator(chunk_size=codec.KEYFRAME_EVERY):
        chain.append(bytes(payload or b""))
        if codec.is_keyframe(chain[-1]) and not codec.is_empty(chain[-1]):
            break
    for payload in reversed(chain):
        frames = codec.decode(payload, grid)
        grid = frames[-1] if len(frames) else grid
    return grid


def frames_of(recording: Recording) -> Iterator[tuple[Step, NDArray[np.uint8] | None]]:
    """Every step with its frames, shape (n, 64, 64); None where it was recorded without frame data."""
    grid: Grid | None = None
    for step in recording.steps.order_by("step").iterator(chunk_size=500):
        if step.frames is None:
            yield step, None
            continue
        frames = codec.decode(bytes(step.frames), grid)
        grid = frames[-1] if len(frames) else grid
        yield step, frames
