from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.core.search.knapsack import best_items


def plain_best(values, costs, budget):
    subsets = itertools.product([False, True], repeat=len(values))
    return max(values[list(mask)].sum() for mask in subsets if costs[list(mask)].sum() <= budget + 1e-9)


@given(seed=st.integers(0, 1_000_000), n=st.integers(1, 9), kind=st.sampled_from(["whole", "tenths", "real"]))
def test_equals_trying_every_choice(seed, n, kind):
    rng = np.random.default_rng(seed)
    values = rng.exponential(size=n)
    whole = rng.integers(1, 8, n)
    costs = {"whole": whole * 1.0, "tenths": whole * 0.1, "real": rng.uniform(0.1, 5, n)}[kind]
    budget = float(rng.integers(1, 12)) * (0.1 if kind == "tenths" else 1.0)
    taken = best_items(values, costs, budget, leeway=1e-9 * budget)
    total = 0.0 if taken is None else values[taken].sum()
    assert total == pytest.approx(plain_best(values, costs, budget))
    if taken is not None:
        assert costs[taken].sum() <= budget * (1 + 2e-9)
        assert best_items(values, costs, budget, leeway=1e-9 * budget, to_beat=total) is None


def test_nothing_fits():
    assert best_items(np.ones(3), np.full(3, 2.0), 1.0) is None
    assert best_items(np.ones(3), np.full(3, 2.0), 0.0) is None


def test_ten_tenths_are_one():
    assert best_items(np.ones(12), np.full(12, 0.1), 1.0, leeway=1e-9).sum() == 10
