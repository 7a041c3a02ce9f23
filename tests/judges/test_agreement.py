"""How far judgments go with what others said of the same things; the plain twin of it is in test_workforce.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.judges.agreement import LEAST_NOISE, SHRINK, Comparisons, shrunk


def crowd(seed, *, objects=80, workers=5, noise=0.5, attributes=2):
    """Values of everybody on everything, with their pairs, attributes and workers."""
    rng = np.random.default_rng(seed)
    attribute, thing, worker = (each.ravel() for each in np.indices((attributes, objects, workers)))
    truth = rng.normal(size=(attributes, objects))
    values = 10 * attribute + truth[attribute, thing] + noise * rng.normal(size=attribute.size)
    return values, attribute * objects + thing, attribute, worker


def comparisons(seed, **how):
    values, pairs, attributes, workers = crowd(seed, **how)
    return Comparisons.of(values, pairs, attributes, attributes.max() + 1), workers


def test_judgments_are_compared_with_those_of_others_alone():
    """Three judgments of one thing, and one of another, of which nobody else said anything."""
    values, pairs = np.array([1.0, 2.0, 6.0, 3.0]), np.array([0, 0, 0, 1])
    found = Comparisons.of(values, pairs, np.zeros(4, dtype=int), 1)
    assert found.rows.tolist() == [0, 1, 2]
    standard = (values - 3.0) / np.std(values)
    np.testing.assert_allclose(found.own, standard[:3])
    np.testing.assert_allclose(found.others, [standard[[1, 2]].mean(), standard[[0, 2]].mean(), standard[:2].mean()])


def test_an_attribute_that_never_varies_is_compared_with_nothing():
    values = np.array([0.1, 0.1, 0.1, 1.0, 2.0, 1.0])
    found = Comparisons.of(values, np.array([0, 0, 1, 2, 2, 2]), np.array([0, 0, 0, 1, 1, 1]), 3)
    assert found.attributes.tolist() == [1, 1, 1]
    assert found.slope[[0, 2]].tolist() == [0.0, 0.0]
    assert (found.noise >= LEAST_NOISE).all()


@given(st.integers(0, 10**6), st.floats(0.1, 100), st.floats(-1e4, 1e4))
def test_units_do_not_matter(seed, unit, shift):
    values, pairs, attributes, workers = crowd(seed, objects=12, workers=3)
    one = Comparisons.of(values, pairs, attributes, 2)
    other = Comparisons.of(unit * values + shift, pairs, attributes, 2)
    for name in ("own", "others", "slope", "noise", "typical"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6, atol=1e-7, err_msg=name)
    groups = workers[one.rows]
    np.testing.assert_allclose(one.correlation(groups, 3), other.correlation(groups, 3), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("noise", [0.2, 1.0, 3.0])
def test_agreement_is_what_noise_leaves_of_it(noise):
    """Correlation of one judgment and the mean of four others, each with this noise on a truth of variance 1."""
    found, workers = comparisons(0, objects=4000, noise=noise)
    correlation, error = found.correlation(workers[found.rows], 5)
    truth = 1 / np.sqrt((1 + noise**2) * (1 + noise**2 / 4))
    assert (np.abs(correlation - truth) < 4 * error).all()
    np.testing.assert_allclose(found.expected(workers[found.rows], 5), truth, atol=0.05)


def test_a_typical_worker_agrees_as_much_as_the_crowd_and_one_at_random_not_at_all():
    values, pairs, attributes, workers = crowd(1, objects=800)
    at_random = workers == 4
    for a in range(2):
        mine = at_random & (attributes == a)
        values[mine] = np.random.default_rng(a).permutation(values[mine])
    found = Comparisons.of(values, pairs, attributes, 2)
    relative, error = found.relative(workers[found.rows], 5)
    assert (relative[:4] > 1).all()  # the crowd counts the one at random, too
    assert abs(relative[4]) < 4 * error[4] < 0.5


def test_being_always_high_is_no_disagreement():
    values, pairs, attributes, workers = crowd(3)
    before = Comparisons.of(values, pairs, attributes, 2)
    values[workers == 0] += 0.5
    after = Comparisons.of(values, pairs, attributes, 2)
    groups = workers[after.rows]
    np.testing.assert_allclose(before.correlation(groups, 5)[0][0], after.correlation(groups, 5)[0][0], atol=0.01)


def test_nothing_is_known_of_groups_without_comparisons_or_spread():
    found, workers = comparisons(4, objects=10)
    groups = np.zeros(len(found.rows), dtype=int)
    for numbers in (*found.correlation(groups, 3), *found.relative(groups, 3), found.expected(groups, 3)):
        assert np.isfinite(numbers[0])
        assert np.isnan(numbers[1:]).all()
    assert found.standard_deviation(groups, 3)[1:].tolist() == [0.0, 0.0]
    one_each = np.arange(len(found.rows))
    assert np.isnan(found.correlation(one_each, len(one_each))[0]).all()
    assert workers.max() == 4


@given(st.floats(-1, 1), st.integers(0, 10**6), st.floats(-1, 1))
def test_what_is_shrunk_lies_between_its_own_and_the_crowds(correlation, number, overall):
    found = float(shrunk(np.array([correlation]), np.array([number]), overall)[0])
    assert min(correlation, overall) - 1e-12 <= found <= max(correlation, overall) + 1e-12
    if number == SHRINK:
        assert found == pytest.approx((correlation + overall) / 2)
