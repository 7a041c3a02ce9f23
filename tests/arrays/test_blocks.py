from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.arrays.blocks import block_slices, ranks_within


@given(n=st.integers(0, 50), d=st.integers(0, 10), size=st.integers(1, 60))
def test_slices_cover_every_object_once_and_keep_to_the_size(n, d, size):
    parts = list(block_slices(n, d, size))
    assert [i for part in parts for i in range(part.start, part.stop)] == list(range(n))
    for part in parts:
        rows = part.stop - part.start
        assert rows == 1 or rows * d <= size


@pytest.mark.parametrize(("n", "blocks"), [(2**21, 1), (2**21 + 1, 2)])
def test_the_default_is_two_million_pairs(n, blocks):
    assert len(list(block_slices(n, 1))) == blocks


@given(sizes=st.lists(st.integers(1, 5), max_size=10))
def test_ranks_count_from_zero_in_every_run(sizes):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    assert ranks_within(groups).tolist() == [rank for size in sizes for rank in range(size)]
