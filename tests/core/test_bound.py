from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Moments, baseline, select, simulate
from manyjudges.core.bound import upper_bound
from manyjudges.core.plan import Plan
from manyjudges.exceptions import PlanError
from tests.support.messages import refused
from tests.support.plain import all_plans, plain_explained, random_moments

SEEDS = st.integers(0, 1_000_000)


def plain_relaxation(moments, budget, costs, steps=20_000):
    """The relaxation's optimum by the multiplicative rule r ∝ r √(slope/cost), and the bound at its end."""
    r = np.full(len(costs), budget / costs.sum())
    for _ in range(steps):
        w = np.linalg.solve(moments.covariance + np.diag(moments.noise / r), moments.cross)
        slope = moments.noise * w**2 / r**2
        r = r * np.sqrt(slope / costs)
        r = np.maximum(r * budget / (costs @ r), 1e-15)
    reached = plain_explained(moments, r)
    return reached, reached + budget * (slope / costs).max() - slope @ r


@given(
    seed=SEEDS,
    d=st.integers(1, 5),
    budget=st.integers(0, 6),
    noiseless=st.sampled_from([0, 0.4, 1]),
    costs=st.sampled_from(["equal", "whole", "real"]),
    full_rank=st.booleans(),
    capped=st.booleans(),
)
def test_no_plan_explains_more(seed, d, budget, noiseless, costs, full_rank, capped):
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, d, noiseless=noiseless, rank=d if full_rank else max(1, d - 2))
    prices = {"equal": np.ones(d), "whole": rng.integers(1, 4, d) * 1.0, "real": rng.uniform(0.4, 2, d)}[costs]
    max_repeats = np.where(rng.random(d) < 0.5, rng.integers(0, 3, d), np.inf) if capped else np.full(d, np.inf)
    best = max(plain_explained(moments, r) for r in all_plans(d, budget, prices) if (r <= max_repeats).all())
    assert best <= upper_bound(moments, budget, prices, max_repeats) * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_equals_the_multiplicative_rule(seed):
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, 12, noiseless=0)
    costs = np.ones(12) if seed % 2 else rng.uniform(0.5, 2, 12)
    budget = [3, 10.5, 40][seed % 3] if seed % 2 == 0 else [3, 10, 40][seed % 3]
    reached, bound = plain_relaxation(moments, budget, costs)
    ours = upper_bound(moments, budget, costs, np.full(12, np.inf))
    assert reached * (1 - 1e-9) <= ours <= bound * (1 + 1e-9)
    assert ours == pytest.approx(reached, rel=1e-5)


@pytest.mark.parametrize("budget", [20, 40, 80])
def test_close_to_what_exchange_finds(budget):
    """On the median random problem of 40 attributes, at least 99 % of the bound."""
    truths = [simulate.gaussian(4, 40, random_state=seed).truth for seed in range(15)]
    assert np.median([select(truth, budget, method="exchange").gap for truth in truths]) <= 0.01


@given(seed=SEEDS, budget=st.integers(1, 20))
def test_one_attribute_is_proven_best(seed, budget):
    plan = select(random_moments(np.random.default_rng(seed), 1), budget)
    assert plan.gap == 0
    assert plan.bound == pytest.approx(plan.explained, rel=1e-6)


def test_attributes_without_noise_are_worth_one_judgment():
    moments = Moments.from_values([1.0, 0.5, 0.4], [0.0, 0.0, 0.0], np.eye(3), 3.0)
    assert select(moments, 2).bound == pytest.approx(1.25, rel=1e-5)
    assert select(moments, 100).gap == 0


def test_attributes_without_noise_that_say_the_same_come_for_free():
    """Not tight, but valid: what cannot be told apart is taken to be known."""
    root = np.random.default_rng(0).normal(size=(6, 2))
    covariance = root @ root.T
    moments = Moments.from_values(covariance @ np.ones(6), np.zeros(6), covariance, 1000.0)
    assert select(moments, 2).gap == pytest.approx(0, abs=1e-6)
    assert select(moments, 1).bound == pytest.approx(select(moments, 2).explained)


@given(seed=SEEDS, exponent=st.integers(-8, 8))
def test_units_do_not_matter(seed, exponent):
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, 6)
    unit = 10.0 ** rng.uniform(-6, 6, size=6)
    other = Moments.from_values(
        moments.cross * unit * 10.0**exponent,
        moments.noise * unit**2,
        moments.covariance * np.outer(unit, unit),
        moments.label_variance * 100.0**exponent,
    )
    assert select(other, 8).bound == pytest.approx(select(moments, 8).bound * 100.0**exponent, rel=1e-6)


def test_what_is_not_affordable_does_not_count():
    moments = Moments.from_values([1.0, 0.1], [1.0, 1.0], np.eye(2), 3.0)
    assert upper_bound(moments, 2.0, np.array([5.0, 1.0]), np.full(2, np.inf)) == pytest.approx(0.01 / 1.5)
    assert select(moments, 0.5).bound == 0
    assert select(moments, 0.5).gap == 0
    assert select(moments, 2.9).bound == pytest.approx(select(moments, 2).bound)


def test_many_attributes_most_of_them_without_noise():
    """However hard the problem, a bound within bounded work, never below what is reached."""
    for noiseless in (0.3, 1.0):
        moments = random_moments(np.random.default_rng(3), 150, noiseless=noiseless)
        plan = select(moments, 40)
        assert plan.explained <= plan.bound_at(40) <= plain_explained(moments, np.full(150, 10**6)) * (1 + 1e-6)


def test_the_bound_goes_along_with_a_plan(beans):
    crowd, pilot = beans
    moments = Moments.estimate(pilot, crowd.labels)
    plan = select(moments, 12)
    assert plan.at(5).bound == pytest.approx(select(moments, 5).bound)
    assert baseline(pilot, crowd.labels, 12, kind="averages").bound == pytest.approx(plan.bound)
    assert Plan.from_json(plan.to_json()).bound == plan.bound
    assert Plan.from_json(plan.to_json()) == plan
    unsaid = select(moments, 12)
    read = Plan.from_json(unsaid.to_json())
    assert read == plan
    with refused(PlanError, column="bound"):
        _ = read.bound


def test_the_bound_is_that_of_the_moments_the_plan_was_made_from(beans):
    crowd, pilot = beans
    moments = Moments.estimate(pilot, crowd.labels)
    plan = select(moments, 12, shrinkage=0.5)
    assert plan.bound == pytest.approx(select(moments.regularized(shrinkage=0.5), 12).bound)


def estimated(n, d, seed, k=2):
    """Moments of few objects: once positive semi-definite, their covariance is singular, and does not fit cross."""
    crowd = simulate.gaussian(n, d, random_state=seed)
    return Moments.estimate(crowd.pilot(k), crowd.labels)


@pytest.mark.parametrize(
    ("n", "d", "budget", "seed"),
    [(100, 40, 20, 32), (100, 40, 20, 45), (20, 6, 10, 265), (20, 6, 10, 285), (60, 60, 60, 2), (40, 30, 15, 0)],
)
def test_bounds_of_few_objects_are_tight(n, d, budget, seed):
    moments = estimated(n, d, seed)
    reached, bound = plain_relaxation(moments, budget, np.ones(d), steps=4000)
    ours = upper_bound(moments, budget, np.ones(d), np.full(d, np.inf))
    assert reached * (1 - 1e-9) <= ours <= bound * (1 + 1e-4)


@given(seed=SEEDS, n=st.integers(4, 20), d=st.integers(2, 5), budget=st.integers(1, 6), costs=st.booleans())
def test_no_plan_explains_more_than_the_bound_of_few_objects(seed, n, d, budget, costs):
    rng = np.random.default_rng(seed)
    moments = estimated(n, d, seed)
    prices = rng.integers(1, 4, d) * 1.0 if costs else np.ones(d)
    best = max(plain_explained(moments, r) for r in all_plans(d, budget, prices))
    assert best <= upper_bound(moments, budget, prices, np.full(d, np.inf)) * (1 + 1e-7)


def test_attributes_without_noise_that_contradict_each_other_have_no_bound():
    moments = Moments.from_values([1.0, 0.2], [0.0, 0.0], np.ones((2, 2)), 3.0)
    plan = select(moments, 1)
    assert plan.bound == np.inf
    assert plan.gap == 1
    assert Plan.from_json(plan.to_json()) == plan
