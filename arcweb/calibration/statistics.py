"""Statistics over sequences of counts."""

from collections.abc import Iterable


def upper_median(counts: Iterable[int]) -> int:
    """The middle of the sorted counts; of an even number of them, the upper of the two in the middle.

    This is `sorted[n // 2]`, the published human baseline (documentation of the ARC-AGI toolkit).

    Raises:
        ValueError: there are no counts.
    """
    ordered = sorted(counts)
    if not ordered:
        raise ValueError("the median of no counts is not defined")
    return ordered[len(ordered) // 2]
