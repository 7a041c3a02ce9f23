"""What all plans of a box can explain at most."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Moments, select
from manyjudges.core.search.box_bounds import (
    MAX_GAIN_SHARE,
    REPORT_INTERVAL,
    BoxBounds,
    ScaledProblem,
    SearchClock,
    bound_boxes,
    box_problems,
)
from tests.support.plain import plain_explained, random_moments

SEEDS = st.integers(0, 1_000_000)


def random_box(rng, problem):
    """The lower and upper ends of a box that the budget reaches into; what has no noise is bought once at most."""
    d = len(problem.noise)
    low = rng.integers(0, 2, size=d)
    high = np.where(problem.noise > 0, low + rng.integers(0, 4, size=d), 1)
    low = np.minimum(low, high).astype(float)
    inside = problem.affordable(low, high.astype(float))
    return (np.zeros(d), problem.affordable(np.zeros(d), np.minimum(high, 2.0))) if inside is None else (low, inside)


def plans_in(low, high, costs, limit):
    for plan in itertools.product(*(range(int(a), int(b) + 1) for a, b in zip(low, high, strict=True))):
        if np.dot(plan, costs) <= limit:
            yield np.array(plan)


def bounds_of(problem, lows, highs, *, aim=0.0, clock=None):
    low, high = np.array(lows), np.array(highs)
    return bound_boxes(problem, box_problems(problem, low, high), low, high, aim, clock or SearchClock(None))


@given(
    seed=SEEDS,
    d=st.integers(1, 4),
    rank=st.integers(1, 4),
    noiseless=st.sampled_from([0, 0.4, 1]),
    seconds=st.sampled_from([None, 0]),
)
def test_no_plan_of_a_box_explains_more_than_its_bound(seed, d, rank, noiseless, seconds):
    """However early the steps end: the first point already proves a bound."""
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, d, rank=min(rank, d), noiseless=noiseless)
    costs, limit = rng.uniform(0.5, 2, size=d), float(rng.uniform(0.5, 8))
    problem = ScaledProblem.standard(moments, costs, limit, moments.label_variance)
    boxes = [random_box(rng, problem) for _ in range(3)]
    found = bounds_of(problem, *zip(*boxes, strict=True), clock=SearchClock(seconds))
    for (low, high), bound in zip(boxes, found.bound, strict=True):
        best = max(plain_explained(moments, plan) for plan in plans_in(low, high, costs, limit))
        assert best / moments.label_variance <= bound * (1 + 1e-6) + 1e-9


@given(seed=SEEDS, d=st.integers(1, 5), limit=st.integers(1, 6))
def test_a_bound_is_near_the_best_real_plan(seed, d, limit):
    """Up to a tenth of what could be gained, as nothing is known; the point lies in its box and within the budget."""
    moments = random_moments(np.random.default_rng(seed), d, noiseless=0)
    problem = ScaledProblem.standard(moments, np.ones(d), float(limit), moments.label_variance)
    found = bounds_of(problem, [np.zeros(d)], [np.full(d, float(limit))])
    point, bound = found.point[0], found.bound[0]
    assert ((point >= 0) & (point <= limit)).all()
    assert point.sum() <= limit * (1 + 1e-9)
    reached = plain_explained(moments, point) / moments.label_variance
    assert reached <= bound * (1 + 1e-6)
    assert bound - reached <= MAX_GAIN_SHARE * bound * (1 + 1e-6)


def test_the_best_plan_is_in_one_of_two_halves(rng):
    moments = random_moments(rng, 4, noiseless=0)
    problem = ScaledProblem.standard(moments, np.ones(4), 6.0, moments.label_variance)
    low, high = np.zeros(4), np.full(4, 6.0)
    best = max(plain_explained(moments, plan) for plan in plans_in(low, high, np.ones(4), 6))
    halves = [(low, np.array([2.0, 6, 6, 6])), (np.array([3.0, 0, 0, 0]), np.array([6.0, 3, 3, 3]))]
    found = bounds_of(problem, *zip(*halves, strict=True))
    assert found.bound.max() * moments.label_variance >= best * (1 - 1e-9), "one of them has the best plan"


def test_a_bound_that_is_below_the_best_known_plan_is_not_made_closer(rng):
    moments = random_moments(rng, 6, noiseless=0)
    problem = ScaledProblem.standard(moments, np.ones(6), 8.0, moments.label_variance)
    box = [np.zeros(6)], [np.full(6, 8.0)]
    close, early = bounds_of(problem, *box), bounds_of(problem, *box, aim=10.0)
    assert close.bound[0] < early.bound[0] < 10


def test_bounds_of_a_box_do_not_depend_on_units(rng):
    moments = random_moments(rng, 5, noiseless=0.4)
    unit, label = 10.0 ** rng.uniform(-6, 6, size=5) * rng.choice([-1, 1], size=5), 1e-5
    other = Moments.from_values(
        moments.cross * unit * label,
        moments.noise * unit**2,
        moments.covariance * np.outer(unit, unit),
        moments.label_variance * label**2,
    )
    high = np.where(moments.noise > 0, 4.0, 1.0)
    here, there = (
        bounds_of(ScaledProblem.standard(m, np.ones(5), 7.0, m.label_variance), [np.zeros(5)], [high])
        for m in (moments, other)
    )
    np.testing.assert_allclose(here.bound, there.bound, rtol=1e-9)


def test_a_box_reaches_as_far_as_the_budget(rng):
    problem = ScaledProblem.standard(random_moments(rng, 3), np.array([1.0, 2.0, 5.0]), 7.0, 1.0)
    low, high = np.array([1.0, 1, 0]), np.array([9.0, 2, 9])
    assert problem.affordable(low, high).tolist() == [5, 2, 0], "of what the lower end leaves, each for itself"
    assert problem.affordable(low, low).tolist() == low.tolist()
    assert problem.affordable(np.array([3.0, 0, 1]), high) is None, "the lower end alone costs 8"
    assert problem.affordable(np.array([0.0, 3, 0]), high) is None, "there is nothing between 3 and 2"


def test_some_attributes_alone_are_the_problem_without_the_others(rng):
    moments = random_moments(rng, 4, noiseless=0)
    problem = ScaledProblem.standard(moments, np.array([1.0, 2, 3, 4]), 9.0, moments.label_variance)
    names = [moments.attributes[i] for i in (1, 3)]
    alone = ScaledProblem.standard(moments.subset(names), np.array([2.0, 4]), 9.0, moments.label_variance)
    part = problem.subset(np.array([1, 3]))
    for field in ("sigma", "cross", "noise", "costs", "limit"):
        np.testing.assert_allclose(getattr(part, field), getattr(alone, field), rtol=1e-12, err_msg=field)


def test_what_is_bought_without_noise_is_known_and_left_out():
    """Of two copies, buying one leaves nothing to learn from the other; the third goes on as before."""
    covariance = [[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]]
    moments = Moments.from_values([0.6, 0.6, 0.5], [0.0, 0.0, 1.0], covariance, 1.0)
    problem = ScaledProblem.standard(moments, np.ones(3), 4.0, 1.0)
    (box,) = box_problems(problem, np.array([[1.0, 0, 0]]), np.array([[1.0, 0, 3]]))
    assert box.explained_by_known == pytest.approx(0.36)
    assert not box.open.any()
    np.testing.assert_allclose(box.cross, [0, 0, 0.2], atol=1e-12)
    np.testing.assert_allclose(box.sigma, np.diag([0, 0, 0.75]), atol=1e-12)
    assert box_problems(problem, np.zeros((1, 3)), np.array([[1.0, 0, 3]]))[0].explained_by_known == 0


def test_nothing_is_known_of_a_box_at_first():
    nothing = BoxBounds.none(np.array([[1.0, 2.0], [0.0, 3.0]]))
    assert nothing.bound.tolist() == [np.inf, np.inf]
    assert nothing.at(1).point.tolist() == [0, 3]


def test_a_clock_is_up_when_its_time_is_over_and_asks_for_a_report_now_and_then():
    assert SearchClock(0).is_up()
    clock, reports = SearchClock(None), 0
    while not reports or clock.seconds() < 0.25:
        reports += clock.should_report()
    assert reports <= clock.seconds() / REPORT_INTERVAL
    assert not clock.is_up()


@pytest.mark.parametrize("seed", [55, 71])
def test_noisy_copies_leave_directions_without_curvature(seed):
    """Judgments can move between copies at no loss: Newton's equations are singular, and the proof goes on."""
    moments = random_moments(np.random.default_rng(seed), 3, noiseless=0)
    noise = moments.noise.copy()
    noise[0] = 1e-3 * moments.covariance[0, 0]
    copy, scale = np.array([0, 1, 2, 0]), np.array([1, 1, 1, 2.54])
    sigma = moments.covariance[np.ix_(copy, copy)] * np.outer(scale, scale)
    with_copy = Moments.from_values(moments.cross[copy] * scale, noise[copy] * scale**2, sigma, moments.label_variance)
    alone = Moments.from_values(moments.cross, noise, moments.covariance, moments.label_variance)
    plan = select(with_copy, 12, method="exact")
    assert plan.gap == 0
    assert plan.explained == pytest.approx(select(alone, 12, method="exact").explained, rel=1e-6)
