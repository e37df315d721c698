import pytest

from arcweb.calibration.statistics import upper_median


@pytest.mark.parametrize(
    ("counts", "median"),
    [
        ([7], 7),
        ([7, 9], 9),
        ([9, 7], 9),
        ([5, 1, 3], 3),
        ([4, 1, 3, 2], 3),  # four completers: the third
        ([5, 4, 1, 3, 2], 3),  # five: the third too
        ([2, 2, 2, 9], 2),
        ([2, 2, 9, 9], 9),
        ([1, 1, 1, 1, 1, 1000], 1),
    ],
)
def test_upper_median_of_hand_worked_counts(counts, median):
    assert upper_median(counts) == median
    assert upper_median(iter(counts)) == median


def test_upper_median_leaves_its_argument_alone():
    counts = [3, 1, 2]
    upper_median(counts)
    assert counts == [3, 1, 2]


def test_upper_median_of_nothing_is_refused():
    with pytest.raises(ValueError, match="no counts"):
        upper_median([])
