"""Scoring, which takes attributes by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Moments, select, simulate
from manyjudges.core.objective import explained
from manyjudges.core.search.scoring import scoring_picks
from tests.support.plain import (
    all_plans,
    plain_greedy,
    plain_scoring_objective,
    random_caps,
    random_costs,
    random_moments,
)


@pytest.fixture(scope="module")
def moments():
    crowd = simulate.gaussian(n_objects=150, n_attributes=8, random_state=1)
    return Moments.estimate(crowd.pilot(2), crowd.labels)


def test_scoring_takes_attributes_by_themselves():
    # Two copies of one noisy attribute, and a weaker one that knows something else.
    covariance = np.array([[1.0, 0.999, 0.0], [0.999, 1.0, 0.0], [0.0, 0.0, 1.0]])
    moments = Moments.from_values(
        [0.6, 0.6, 0.4], [0.01, 0.01, 0.01], covariance, 1.0, attributes=["a", "copy", "other"]
    )
    assert select(moments, 2, method="scoring").repeats == {"a": 1, "copy": 1}
    assert select(moments, 2, method="full").repeats == {"a": 1, "other": 1}


def test_what_a_scoring_plan_explains_is_said_by_the_whole_covariance(moments):
    plan = select(moments, 12, method="scoring")
    assert plan.explained == pytest.approx(explained(moments, plan.to_array()))


def test_scoring_by_the_hundred_thousand(rng):
    d = 100_000
    cross, noise, variance = rng.normal(size=d), rng.uniform(0, 3, d), rng.uniform(0.5, 2, d)
    picks = scoring_picks(cross, noise, variance, 150_000, np.ones(d))
    assert len(picks) == 150_000
    repeats = np.bincount(picks, minlength=d)
    bought = _last_gain(cross, noise, variance, repeats - 1)[repeats > 0]
    not_bought = _last_gain(cross, noise, variance, repeats)
    assert bought.min() >= not_bought.max() * (1 - 1e-9)


def _last_gain(cross, noise, variance, r):
    def value(n):
        return cross**2 * n / np.where(n > 0, variance * n + noise, 1)

    return value(r + 1) - value(r)


def test_scoring_from_arrays_alone_with_costs():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        cross, noise, variance = rng.normal(size=3), rng.uniform(0.1, 2, 3), rng.uniform(0.1, 2, 3)
        picks = scoring_picks(cross, noise, variance, 7.0, np.array([1.0, 2.0, 3.0]))
        assert np.array([1.0, 2.0, 3.0])[picks].sum() <= 7


SEEDS = st.integers(0, 1_000_000)


COSTS = st.sampled_from(["equal", "whole", "real"])


@given(seed=SEEDS, d=st.integers(1, 6), budget=st.integers(0, 12))
def test_scoring_equals_asking_about_every_attribute_at_every_step(seed, d, budget):
    moments = random_moments(np.random.default_rng(seed), d)
    plan = select(moments, budget, method="scoring")
    _, path = plain_greedy(plain_scoring_objective, moments, budget)
    assert plan.picks.tolist() == path


@given(seed=SEEDS, d=st.integers(1, 4), budget=st.integers(0, 8), kind=COSTS, capped=st.booleans())
def test_scoring_finds_the_optimum_of_its_objective(seed, d, budget, kind, capped):
    """The paper's Theorem on greedy, and beyond it any costs and caps, by exhaustive search."""
    rng = np.random.default_rng(seed)
    moments, costs = random_moments(rng, d), random_costs(rng, d, kind)
    max_repeats = random_caps(rng, d) if capped else None
    plan = select(moments, budget, method="scoring", costs=costs, max_repeats=max_repeats)
    plans = (
        repeats for repeats in all_plans(d, budget, costs) if max_repeats is None or (repeats <= max_repeats).all()
    )
    best = max(plain_scoring_objective(moments, repeats) for repeats in plans)
    assert plain_scoring_objective(moments, plan.to_array()) == pytest.approx(best, rel=1e-8)
