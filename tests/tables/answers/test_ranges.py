"""Between which numbers new answers are expected."""

from __future__ import annotations

import numpy as np
import pytest

from manyjudges.tables.answers.ranges import expected_range, steps_of


@pytest.mark.parametrize(
    ("values", "counts", "steps"),
    [
        (range(1, 7), [5, 9, 14, 20, 12, 6], 6),
        (range(11), [5] * 11, 11),
        ([-2, -1, 0, 1, 2], [8, 1, 1, 1, 8], 5),
        ([0, 1], [30, 70], 2),
        ([1, 2, 3, 5], [9, 9, 9, 9], None),  # a gap
        ([1, 1.5, 2], [9, 9, 9], None),
        ([1.5, 2.5, 3.5], [9, 9, 9], None),
        (range(12), [9] * 12, None),  # too many
        (range(6), [50, 30, 15, 6, 2, 1], None),  # a count, whose largest value is rare
        (range(1, 7), [4, 9, 14, 20, 12, 6], None),
        ([3], [90], None),
    ],
)
def test_scales_are_told_from_other_numbers(values, counts, steps):
    assert steps_of(np.array([*values], dtype=float), np.array(counts)) == steps


def test_a_new_record_of_a_heavy_tail_is_expected():
    """Of page counts and the like, the largest of many is seldom beyond twice the largest of some."""
    rng = np.random.default_rng(0)
    warned = 0
    for _ in range(200):
        pilot, new = rng.gamma(4, 25, 300).round(), rng.gamma(4, 25, 1000).round()
        values, counts = np.unique(pilot, return_counts=True)
        low, high = expected_range((values[0], values[-1]), steps_of(values, counts))
        warned += bool((new < low).any() or (new > high).any())
    assert warned == 0


def test_counts_with_a_rare_largest_value_may_grow():
    rng = np.random.default_rng(1)
    warned = 0
    for _ in range(200):
        pilot, new = rng.poisson(1.5, 300), rng.poisson(1.5, 300)
        values, counts = np.unique(pilot, return_counts=True)
        low, high = expected_range((values[0], values[-1]), steps_of(values, counts))
        warned += bool((new < low).any() or (new > high).any())
    assert warned < 20
