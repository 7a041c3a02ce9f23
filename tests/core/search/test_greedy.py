"""Full, the paper's greedy search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, select
from manyjudges.core.search.greedy import search_full
from tests.support.plain import (
    plain_explained,
    plain_greedy,
    random_costs,
    random_moments,
)


@pytest.mark.parametrize("budget", [100, 3000, 20_000])
def test_exact_copies_stay_ties_however_large_the_budget(budget):
    covariance = [[1, 0.3, 1], [0.3, 1, 0.3], [1, 0.3, 1]]
    with_copy = select(Moments.from_values([0.5, 0.4, 0.5], [1, 2, 1], covariance, 1.0), budget)
    alone = select(Moments.from_values([0.5, 0.4], [1, 2], [[1, 0.3], [0.3, 1]], 1.0), budget)
    assert with_copy.repeats == alone.repeats


SEEDS = st.integers(0, 1_000_000)


COSTS = st.sampled_from(["equal", "whole", "real"])


@given(seed=SEEDS, d=st.integers(1, 6), rank=st.integers(1, 6), budget=st.integers(0, 12), kind=COSTS)
def test_full_equals_a_pseudo_inverse_for_every_attribute_at_every_step(seed, d, rank, budget, kind):
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, d, rank=min(rank, d))
    costs = random_costs(rng, d, kind)
    plan = select(moments, budget, costs=costs)
    repeats, path = plain_greedy(plain_explained, moments, budget, costs)
    assert plan.picks.tolist() == path
    np.testing.assert_array_equal(plan.to_array(), repeats)


@given(seed=SEEDS, budget=st.integers(1, 20))
def test_full_never_buys_what_is_known(seed, budget):
    """Without noise, as many attributes as there is to know and no more, however many there are."""
    rng = np.random.default_rng(seed)
    known = rng.normal(size=(30, 3))
    X = np.repeat((known @ rng.normal(size=(3, 8)))[:, :, None], 2, axis=2)
    plan = select(Moments.estimate(Judgments.from_array(X), known @ rng.normal(size=3)), budget)
    assert plan.cost == min(budget, 3)


@given(seed=SEEDS, d=st.integers(1, 6), budget=st.integers(0, 12))
def test_caps_of_zero_leave_an_attribute_out(seed, d, budget):
    rng = np.random.default_rng(seed)
    moments, barred = random_moments(rng, d), int(rng.integers(d))
    rest = [i for i in range(d) if i != barred]
    max_repeats = np.full(d, np.inf)
    max_repeats[barred] = 0
    with_cap = search_full(moments, float(budget), np.ones(d), max_repeats)
    assert barred not in with_cap.picks
    if rest:
        without = search_full(moments.subset([moments.attributes[i] for i in rest]), float(budget), np.ones(d - 1))
        assert with_cap.picks.tolist() == [rest[i] for i in without.picks]


def test_what_is_worth_most_for_its_price_comes_first_and_not_what_explains_most():
    moments = Moments.from_values([1.0, 0.8], [0.0, 0.0], np.eye(2), 2.0)
    assert search_full(moments, 3.0, np.array([1.0, 1.0])).picks.tolist() == [0, 1]
    found = search_full(moments, 3.0, np.array([2.0, 1.0]))
    assert found.picks.tolist() == [1, 0]
    np.testing.assert_allclose(found.explained, [0.64, 1.64])
    assert found.bound is None, "greedy search proves nothing"


def test_the_caps_that_somebody_gave_stay_as_they_were():
    caps = np.array([2.0, 1.0])
    search_full(Moments.from_values([1.0, 0.8], [1.0, 1.0], np.eye(2), 3.0), 5.0, np.ones(2), caps)
    assert caps.tolist() == [2, 1]
