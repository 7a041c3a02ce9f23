"""Sums over objects: those of a union, of what is left, and of some of the attributes."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.sums import Sums

sizes = st.integers(2, 12)
gaps = st.sampled_from([0.0, 0.4])
centres = st.sampled_from([0.0, 1e6])


def made(seed, n, d=4, k=3, *, gaps=0.0, centre=0.0):
    """Cells of random judgments, and labels."""
    rng = np.random.default_rng(seed)
    values = centre + rng.normal(size=(n, d, 1)) + rng.normal(size=(n, d, k))
    keep = rng.random(values.shape) >= gaps
    keep[0] = True
    at = np.argwhere(keep)
    return Cells.of_rows(at[:, 0] * d + at[:, 1], values[keep], (n, d)), centre + rng.normal(size=n)


def part(cells, rows):
    return Cells(cells.count[rows], cells.mean[rows], cells.scatter[rows])


def check_same(found, wanted, scale=1.0):
    for field in fields(Sums):
        ours, theirs = getattr(found, field.name), getattr(wanted, field.name)
        if field.name == "lost":
            continue
        if field.name == "products":
            ours, theirs = ours.dense, theirs.dense
        if theirs is None:
            assert ours is None, field.name
        else:
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-7 * scale, err_msg=field.name)


def plain(cells, labels):
    """The sums, one pair of attributes at a time."""
    n, d = cells.count.shape
    have = cells.count > 0
    means = np.array([cells.mean[have[:, a], a].mean() for a in range(d)])
    away = np.where(have, cells.mean - means, 0.0)
    y = labels - labels.mean()
    products = np.array(
        [[(away[:, a] * away[:, b])[have[:, a] & have[:, b]].sum() for b in range(d)] for a in range(d)]
    )
    return {
        "n_objects": n,
        "label_mean": labels.mean(),
        "label_scatter": y @ y,
        "objects": have.sum(axis=0),
        "means": means,
        "products": products,
        "overlap": np.array([[(have[:, a] & have[:, b]).sum() for b in range(d)] for a in range(d)]),
        "drift": np.array([[away[have[:, b], a].sum() for b in range(d)] for a in range(d)]),
        "cross": np.array([(away[:, a] * y).sum() for a in range(d)]),
        "label_drift": np.array([y[have[:, a]].sum() for a in range(d)]),
    }


@given(st.integers(0, 10**6), sizes, gaps)
def test_sums_are_what_one_pair_at_a_time_gives(seed, n, gaps):
    cells, labels = made(seed, n, gaps=gaps)
    found = Sums.of(cells, labels).materialized()
    for name, wanted in plain(cells, labels).items():
        ours = found.products.dense if name == "products" else getattr(found, name)
        np.testing.assert_allclose(ours, wanted, rtol=1e-9, atol=1e-9, err_msg=name)


@given(st.integers(0, 10**6), sizes, sizes, gaps, gaps, centres)
def test_sums_of_two_sets_are_those_of_their_union(seed, n, m, gaps_here, gaps_there, centre):
    here, y = made(seed, n, gaps=gaps_here, centre=centre)
    there, z = made(seed + 1, m, gaps=gaps_there, centre=centre)
    both = Cells(
        *(np.concatenate([getattr(here, name), getattr(there, name)]) for name in ("count", "mean", "scatter"))
    )
    whole = Sums.of(both, np.concatenate([y, z]))
    total = Sums.of(here, y) + Sums.of(there, z)
    check_same(total.materialized(), whole.materialized(), 1 + centre)
    check_same((Sums.of(there, z) + Sums.of(here, y)).materialized(), whole.materialized(), 1 + centre)


@given(st.integers(0, 10**6), sizes, sizes, gaps, centres)
def test_what_was_added_can_be_taken_away(seed, n, m, gaps, centre):
    here, y = made(seed, n, gaps=gaps, centre=centre)
    there, z = made(seed + 1, m, gaps=gaps, centre=centre)
    rest = (Sums.of(here, y) + Sums.of(there, z)) - Sums.of(there, z)
    check_same(rest.materialized(), Sums.of(here, y).materialized(), 1 + 10 * centre)
    assert (rest.lost > 0).all()


@given(st.integers(0, 10**6), st.lists(st.integers(1, 5), min_size=1, max_size=5))
def test_sums_over_blocks_are_sums_over_all(seed, sizes):
    cells, labels = made(seed, sum(sizes))
    ends = np.cumsum(sizes)
    blocks = [part(cells, slice(end - size, end)) for size, end in zip(sizes, ends, strict=True)]
    check_same(Sums.over(blocks, labels), Sums.of(cells, labels))


@pytest.mark.parametrize("gaps", [0.0, 0.4])
def test_sums_of_some_attributes_are_those_of_a_smaller_table(gaps):
    cells, labels = made(3, 20, d=6, gaps=gaps)
    at = np.array([4, 0, 3])
    smaller = Cells(cells.count[:, at], cells.mean[:, at], cells.scatter[:, at])
    check_same(Sums.of(cells, labels).only(at).materialized(), Sums.of(smaller, labels).materialized())


def test_attributes_that_were_never_judged_add_nothing():
    cells, labels = made(5, 10, d=2)
    small = Sums.of(cells, labels)
    wide = small.with_attributes(np.array([3, 1]), 5)
    assert wide.objects.tolist() == [0, 10, 0, 10, 0]
    check_same(wide.only(np.array([3, 1])), small.materialized())
    assert wide.products.dense[[0, 2, 4]].sum() == 0


@pytest.mark.parametrize("gaps", [0.0, 0.4])
def test_distances_may_be_taken_from_anywhere(gaps):
    cells, labels = made(7, 15, gaps=gaps)
    centres, centre = np.array([1.0, -2.0, 0.0, 5.0]), 3.0
    found = Sums.of(cells, labels).around(centres, centre)
    away, y = np.where(cells.count > 0, cells.mean - centres, 0.0), labels - centre
    np.testing.assert_allclose(found.products.dense, away.T @ away)
    np.testing.assert_allclose(found.cross, away.T @ y)
    np.testing.assert_allclose(found.label_drift, (cells.count > 0).T @ y)
    assert found.label_scatter == pytest.approx(y @ y)


def test_equal_means_stay_exactly_equal():
    labels = np.arange(6.0)
    constant = Cells.of_rows(np.arange(6), np.full(6, 0.1), (6, 1))
    total = Sums.of(constant, labels) + Sums.of(constant, labels)
    assert total.means[0] == 0.1
    assert total.products.dense[0, 0] == 0.0


def test_of_one_judgment_each_the_matrix_is_not_multiplied_out():
    cells = Cells.of_rows(np.arange(12), np.arange(12.0), (4, 3))
    assert Sums.of(cells, np.arange(4.0)).products.factor is not None
