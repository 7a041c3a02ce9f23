"""What every search gives back: judgments in order, and what is explained after each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Moments, select
from manyjudges.core.search.result import explained_along, in_order
from tests.support.plain import plain_explained, random_moments

SEEDS = st.integers(0, 1_000_000)


@given(seed=SEEDS, d=st.integers(1, 6), most=st.integers(0, 3))
def test_all_of_a_plan_is_bought_each_time_what_is_worth_most(seed, d, most):
    """Every judgment that could have come next is tried, by a pseudo-inverse each."""
    rng = np.random.default_rng(seed)
    moments, repeats = random_moments(rng, d, noiseless=0), rng.integers(0, most + 1, size=d)
    costs = rng.uniform(0.5, 3, size=d)
    found = in_order(moments, repeats, costs)
    assert np.bincount(found.picks, minlength=d).tolist() == repeats.tolist()
    have = np.zeros(d, dtype=int)
    for pick, value in zip(found.picks, found.explained, strict=True):
        now = plain_explained(moments, have)
        worth = [
            (plain_explained(moments, have + step) - now) / price if have @ step < repeats @ step else -np.inf
            for step, price in zip(np.eye(d, dtype=int), costs, strict=True)
        ]
        assert worth[pick] >= max(worth) - 1e-7 * moments.label_variance
        have[pick] += 1
        assert value == pytest.approx(plain_explained(moments, have), rel=1e-6, abs=1e-12)


@given(seed=SEEDS, d=st.integers(1, 5), picks=st.lists(st.integers(0, 4), max_size=10))
def test_what_is_explained_along_any_path(seed, d, picks):
    moments = random_moments(np.random.default_rng(seed), d)
    path = np.array([pick % d for pick in picks], dtype=np.int64)
    along = explained_along(moments, path)
    assert along.shape == path.shape
    for steps, value in enumerate(along, start=1):
        repeats = np.bincount(path[:steps], minlength=d)
        assert value == pytest.approx(plain_explained(moments, repeats), rel=1e-6, abs=1e-9)


def test_the_path_of_greedy_search_is_in_this_order(rng):
    moments = random_moments(rng, 6, noiseless=0)
    plan = select(moments, 15)
    again = in_order(moments, plan.to_array(), plan.costs)
    assert again.picks.tolist() == plan.picks.tolist()
    np.testing.assert_allclose(again.explained, plan.path_explained, rtol=1e-12)


def test_equals_come_in_the_order_of_the_attributes():
    moments = Moments.from_values([0.5] * 3, [1.0] * 3, np.eye(3), 2.0)
    assert in_order(moments, np.array([2, 2, 2]), np.ones(3)).picks.tolist() == [0, 1, 2, 0, 1, 2]
    dear_first = in_order(moments, np.array([1, 1, 1]), np.array([3.0, 1.0, 1.0]))
    assert dear_first.picks.tolist() == [1, 2, 0]


def test_a_plan_of_nothing_has_no_path(rng):
    moments = random_moments(rng, 3)
    nothing = in_order(moments, np.zeros(3, dtype=np.int64), np.ones(3))
    assert (len(nothing.picks), len(nothing.explained), nothing.bound) == (0, 0, None)
    assert explained_along(moments, nothing.picks).shape == (0,)
