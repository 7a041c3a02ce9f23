"""Sums in place are the sums of all blocks at once."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, scan_moments
from manyjudges.arrays.accumulator import Accumulator
from manyjudges.arrays.cells import Cells
from manyjudges.arrays.libraries import STRIP
from manyjudges.arrays.sums import Sums
from manyjudges.exceptions import MomentsError
from tests.support.messages import refused


def table(rng, n, d, k, *, gaps, centre=0.0):
    values = centre + rng.normal(size=(n, d, 1)) + rng.normal(size=(n, d, k))
    if gaps:
        values[rng.random(values.shape) < gaps] = np.nan
        values[0, :, 0] = centre  # so that every attribute is judged
    return values


def cells_of(values):
    return Judgments.from_array(values).cells()


def check_same(found, wanted, scale=1.0):
    for field in fields(Sums):
        ours, theirs = getattr(found, field.name), getattr(wanted, field.name)
        if field.name == "products":
            ours, theirs = ours.dense, theirs.dense
        if theirs is None:
            assert ours is None, field.name
        else:
            np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-9 * scale, err_msg=field.name)


@given(
    seed=st.integers(0, 10_000),
    d=st.integers(1, 7),
    k=st.integers(1, 3),
    gaps=st.sampled_from([0.0, 0.3]),
    centre=st.sampled_from([0.0, 1e6]),
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=5),
)
def test_blocks_add_up_to_what_one_pass_gives(seed, d, k, gaps, centre, sizes):
    rng = np.random.default_rng(seed)
    values = table(rng, sum(sizes), d, k, gaps=gaps, centre=centre)
    labels = 1e5 + rng.normal(size=len(values))
    cells = Judgments.from_array(values).cells()
    accumulator, start = Accumulator(labels.mean() + 3), 0
    for size in sizes:
        part = slice(start, start + size)
        accumulator.add(Cells(cells.count[part], cells.mean[part], cells.scatter[part]), labels[part])
        start += size
    assert accumulator.n_objects == len(values)
    wanted = Sums.of(cells, labels)
    check_same(accumulator.finish(), wanted if not gaps or cells.complete else wanted.materialized())


def test_attributes_that_come_later():
    rng = np.random.default_rng(0)
    first, second = table(rng, 5, 2, 2, gaps=0), table(rng, 6, 4, 2, gaps=0)
    y = rng.normal(size=11)
    whole = np.full((11, 4, 2), np.nan)
    whole[:5, :2], whole[5:] = first, second
    accumulator = Accumulator(0.0)
    accumulator.add(cells_of(first), y[:5])
    accumulator.add(cells_of(second), y[5:])
    check_same(accumulator.finish(), Sums.of(cells_of(whole), y))


def test_more_attributes_than_a_strip_has():
    rng = np.random.default_rng(1)
    values, y = table(rng, 40, STRIP + 30, 2, gaps=0.4), rng.normal(size=40)
    accumulator = Accumulator(0.0)
    for part in (slice(0, 15), slice(15, 40)):
        cells = Judgments.from_array(values).cells()
        accumulator.add(Cells(cells.count[part], cells.mean[part], cells.scatter[part]), y[part])
    check_same(accumulator.finish(), Sums.of(cells_of(values), y))


def test_equal_values_have_no_variance():
    values = np.full((30, 2, 2), 0.1)
    values[:, 1] += np.arange(30)[:, None]
    accumulator = Accumulator(0.0)
    for part in (slice(0, 7), slice(7, 30)):
        cells = cells_of(values[part])
        accumulator.add(cells, np.arange(30.0)[part])
    assert accumulator.finish().products.dense[0, 0] == pytest.approx(0.0, abs=0)


def test_nothing_is_copied():
    accumulator = Accumulator(0.0, 3)
    matrix = accumulator._products
    accumulator.add(cells_of(np.random.default_rng(0).normal(size=(5, 3, 2))), np.arange(5.0))
    assert accumulator._products is matrix or np.shares_memory(accumulator._products, matrix)


@pytest.mark.parametrize("gaps", [0.0, 0.4])
def test_attributes_in_another_order_and_some_that_others_have(rng, gaps):
    values = table(rng, 30, 8, 2, gaps=gaps)
    y, order = rng.normal(size=30), rng.permutation(8)

    def summed():
        accumulator = Accumulator(0.0)
        accumulator.add(cells_of(values), y)
        return accumulator

    check_same(summed().finish(order, strip=3), summed().finish().only(order))
    more = rng.permutation(10)
    found = summed().finish(more, strip=3)
    positions = np.argsort(more)[:8]
    check_same(found, summed().finish().with_attributes(positions, 10))


@pytest.mark.parametrize("gaps", [0.0, 0.3])
@pytest.mark.parametrize("size", [1e200, 1e308])
def test_values_too_large_to_square_are_named_and_nothing_else_is_said(rng, gaps, size):
    values, y = table(rng, 30, 3, 2, gaps=gaps), pd.Series(rng.normal(size=30))
    values[:, 1] = np.tanh(values[:, 1]) * size
    frame = Judgments.from_array(values).to_frame()
    with refused(MomentsError, column="x1"):
        scan_moments(frame, y)
    with refused(MomentsError, column="x1"):
        Moments.estimate(Judgments.from_array(values), y)


def test_labels_too_large_to_square_are_named_and_nothing_else_is_said(rng):
    frame = Judgments.from_array(table(rng, 30, 3, 2, gaps=0)).to_frame()
    with refused(MomentsError, column="label"):
        scan_moments(frame, pd.Series(1e200 * rng.normal(size=30)))
