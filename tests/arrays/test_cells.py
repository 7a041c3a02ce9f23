"""What the judgments of each pair add up to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.arrays.cells import Cells

SHAPE = (4, 3)
pairs = st.integers(0, SHAPE[0] * SHAPE[1] - 1)
values = st.floats(-1e6, 1e6)
rows = st.lists(st.tuples(pairs, values), max_size=40)


def cells_of(rows, shape=SHAPE):
    cell, value = zip(*rows, strict=True) if rows else ((), ())
    return Cells.of_rows(np.array(cell, dtype=np.int64), np.array(value, dtype=float), shape)


def plain(rows, shape=SHAPE):
    """Count, mean and scatter, one pair at a time."""
    count, mean, scatter = np.zeros(shape, dtype=int), np.full(shape, np.nan), np.zeros(shape)
    for at in np.ndindex(shape):
        mine = np.array([value for cell, value in rows if cell == at[0] * shape[1] + at[1]])
        count[at] = len(mine)
        if len(mine):
            mean[at], scatter[at] = mine.mean(), ((mine - mine.mean()) ** 2).sum()
    return count, mean, scatter


@given(rows)
def test_cells_are_what_one_pair_at_a_time_gives(rows):
    cells = cells_of(rows)
    count, mean, scatter = plain(rows)
    np.testing.assert_array_equal(cells.count, count)
    np.testing.assert_allclose(cells.mean, mean, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(cells.scatter, scatter, rtol=1e-9, atol=1e-3)
    assert (cells.scatter >= 0).all()
    assert cells.complete == (count > 0).all()
    assert cells.uniform in (None, count[0, 0])


@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows, random):
    one = cells_of(rows)
    other = cells_of(random.sample(rows, len(rows)))
    np.testing.assert_array_equal(one.count, other.count)
    np.testing.assert_allclose(one.mean, other.mean, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(one.scatter, other.scatter, rtol=1e-9, atol=1e-3)


@given(pairs, values, st.integers(1, 9))
def test_judgments_that_agree_have_no_scatter_at_all(cell, value, times):
    cells = cells_of([(cell, value)] * times)
    assert cells.scatter.sum() == 0
    assert cells.mean.ravel()[cell] == value


def test_large_values_keep_the_digits_in_which_they_differ():
    cells = cells_of([(0, 1e8 + 1), (0, 1e8 + 2), (0, 1e8 + 3)])
    assert cells.scatter[0, 0] == 2.0
    assert cells.variance()[0, 0] == 1.0


def test_variances_are_unbiased_and_nothing_for_one_judgment():
    cells = cells_of([(0, 1.0), (0, 3.0), (1, 7.0)])
    assert cells.variance().ravel()[:3].tolist() == [2.0, 0.0, 0.0]


@given(rows)
def test_a_tally_is_counted_pair_by_pair(rows):
    cells, (count, _, _) = cells_of(rows), plain(rows)
    tally = cells.tally()
    variance = cells.variance()
    np.testing.assert_array_equal(tally.single, (count == 1).sum(axis=0))
    np.testing.assert_array_equal(tally.repeated, (count > 1).sum(axis=0))
    np.testing.assert_array_equal(tally.judgments, count.sum(axis=0))
    np.testing.assert_allclose(tally.variance, variance.sum(axis=0))
    np.testing.assert_allclose(tally.variance_of_mean, (variance / np.maximum(count, 1)).sum(axis=0))


@pytest.mark.parametrize("k", [0, 1, 2, 5])
def test_equal_counts_give_the_same_tally_in_one_pass(rng, k):
    values = rng.normal(size=(6, 3, max(k, 1)))
    mean, scatter = values.mean(axis=2), ((values - values.mean(axis=2, keepdims=True)) ** 2).sum(axis=2)
    arrays = np.full((6, 3), k), mean, scatter * (k > 1)
    one, other = Cells(*arrays, uniform=k).tally(), Cells(*arrays).tally()
    for name in ("single", "repeated", "variance", "variance_of_mean", "judgments"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), err_msg=name)


def test_no_pairs_and_no_judgments():
    assert cells_of([], (0, 3)).uniform is None
    empty = cells_of([])
    assert not empty.complete
    assert empty.uniform is None
    assert np.isnan(empty.mean).all()
