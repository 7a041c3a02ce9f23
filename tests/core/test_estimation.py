"""What sums say about true values; estimates as a whole are in test_moments.py, with the plain twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.sums import Sums
from manyjudges.core import estimation
from manyjudges.exceptions import MomentsError, PlanError
from tests.support.messages import refused


def sums_of(values, labels=None):
    """Sums of an array of judgments, NaN where there are none."""
    n, d, _ = values.shape
    at = np.argwhere(~np.isnan(values))
    cells = Cells.of_rows(at[:, 0] * d + at[:, 1], values[tuple(at.T)], (n, d))
    return Sums.of(cells, np.arange(float(n)) if labels is None else labels)


def test_the_error_of_a_mean_is_a_share_of_the_noise(rng):
    values = rng.normal(size=(50, 2, 4))
    sums = sums_of(values)
    noise = sums.variance / sums.repeated
    np.testing.assert_allclose(estimation.error_of_means(sums, noise, np.array([False, True])), [noise[0] / 4, 0.0])


def test_objects_with_one_judgment_have_the_noise_of_the_others(rng):
    values = rng.normal(size=(10, 1, 2))
    values[5:, 0, 1] = np.nan
    sums = sums_of(values)
    noise = sums.variance / sums.repeated
    wanted = (5 * noise / 2 + 5 * noise) / 10
    np.testing.assert_allclose(estimation.error_of_means(sums, noise, np.array([False])), wanted)


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_a_raw_covariance_is_taken_over_the_objects_that_have_both(rng, gaps):
    values = rng.normal(size=(30, 3, 1)) + np.zeros((30, 3, 2))
    values[rng.random((30, 3)) < gaps] = np.nan
    values[0] = 1.0
    found = estimation.raw_covariance(sums_of(values), np.array([0.5, 0.0, 0.0]))
    means = values.mean(axis=2)
    centred = means - np.nanmean(means, axis=0)
    wanted = np.array([[np.nanmean(centred[:, a] * centred[:, b]) for b in range(3)] for a in range(3)])
    np.testing.assert_allclose(found, wanted - np.diag([0.5, 0, 0]), rtol=1e-10, atol=1e-12)


def test_noise_that_is_more_than_there_is_leaves_no_negative_eigenvalue(rng):
    sums = sums_of(rng.normal(size=(20, 4, 2)))
    scale = np.sqrt(np.diag(sums.products.dense) / 20)
    gram, removed = estimation.external_covariance(sums, 0.99 * scale**2, scale)
    assert np.linalg.eigvalsh(gram.dense).min() > -1e-12
    assert (removed < 0).all()
    assert len(removed)


def test_without_noise_the_covariance_stays_a_factor(rng):
    sums = sums_of(np.concatenate([rng.normal(size=(20, 3, 1)), np.ones((20, 1, 1))], axis=1))
    scale = np.sqrt(sums.products.diagonal / 20)
    gram, removed = estimation.external_covariance(sums, np.zeros(4), scale)
    assert gram.factor is not None
    assert len(removed) == 0
    assert (gram.dense[3] == 0).all()  # never changes


@pytest.mark.parametrize("ridge", [-1.0, np.nan, np.inf, "much", None])
def test_ridges_that_make_no_sense(ridge):
    with refused(PlanError, value=ridge, column="ridge"):
        estimation.check_taming(ridge=ridge)
    with refused(PlanError, value=ridge, column="plan_ridge"):
        estimation.check_taming(ridge=ridge, ridge_name="plan_ridge")


@pytest.mark.parametrize("shrinkage", [-0.1, 1.1, np.nan, "much"])
def test_shrinkages_that_make_no_sense(shrinkage):
    with refused(PlanError, value=shrinkage):
        estimation.check_taming(shrinkage=shrinkage)


def test_what_tames_may_be_nothing_or_all():
    for ridge, shrinkage in ((0, 0), (5.0, 1), (np.float64(0.1), np.float32(0.5))):
        estimation.check_taming(ridge=ridge, shrinkage=shrinkage)


names = st.lists(st.sampled_from("abcdef"), unique=True).map(tuple)


@given(names, names)
def test_attributes_of_both_are_all_of_them_once(left, right):
    both = estimation.all_attributes(left, right)
    assert sorted(both) == sorted({*left, *right})
    if list(left) == sorted(left) and list(right) == sorted(right):
        assert both == estimation.all_attributes(right, left) == tuple(sorted(both))
    else:
        assert both[: len(left)] == left


def test_sums_among_more_attributes_are_found_by_name(rng):
    sums = sums_of(rng.normal(size=(10, 2, 2)))
    wide = estimation.expand_attributes(sums, ("c", "a"), ("a", "b", "c"))
    np.testing.assert_array_equal(wide.means[[2, 0]], sums.means)
    assert wide.objects.tolist() == [10, 0, 10]
    assert estimation.expand_attributes(sums, ("c", "a"), ("c", "a")) is sums


@pytest.mark.parametrize("n_objects", [0, 1, 2])
def test_too_few_objects(n_objects):
    with refused(MomentsError):
        estimation.check_enough(n_objects)


@pytest.mark.parametrize("noiseless", [["a", "x", "y"], "a"])
def test_names_that_are_no_attributes(noiseless):
    with refused(MomentsError):
        estimation.check_noiseless(noiseless, ("a", "b"))


def test_moments_of_different_attributes():
    estimation.check_shapes(2, np.zeros((2, 2)), cross=(2,))
    with refused(MomentsError):
        estimation.check_shapes(2, np.zeros((3, 2)), cross=(2,), noise=(1,))


def test_less_than_nothing_is_named(rng):
    values = rng.normal(size=(8, 2, 2))
    whole, more = sums_of(values), sums_of(np.concatenate([values, values]))
    estimation.check_rest(("a", "b"), more, more - whole)
    with refused(MomentsError):
        estimation.check_rest(("a", "b"), whole, whole - more)
    single = values.copy()
    single[:, 1, 1] = np.nan
    with refused(MomentsError):
        estimation.check_rest(("a", "b"), sums_of(single), sums_of(single) - sums_of(values[:4]))
    with refused(MomentsError):
        estimation.check_rest(("a", "b"), whole, whole - sums_of(10 * values))
