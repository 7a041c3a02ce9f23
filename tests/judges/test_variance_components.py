from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.judges.variance_components import effective_opinions, jackknife_error

variances = st.one_of(st.just(0.0), st.floats(1e-3, 10))
calls = st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=3), min_size=1, max_size=4)


@given(variances, variances, st.floats(1e-3, 10), calls)
def test_worth_is_what_weighing_all_calls_by_their_covariance_gives(between, prompt, within, groups):
    group = [g for g, judges in enumerate(groups) for n in judges for _ in range(n)]
    judge = [(g, j) for g, judges in enumerate(groups) for j, n in enumerate(judges) for _ in range(n)]
    same = np.array([[a == b for a in group] for b in group], dtype=float)
    alike = np.array([[a == b for a in judge] for b in judge], dtype=float)
    covariance = between * same + prompt * alike + within * np.eye(len(group))
    ones = np.ones(len(group))
    best = 1 / (ones @ np.linalg.solve(covariance, ones))
    assert effective_opinions(between, prompt, within, groups) == pytest.approx((between + prompt + within) / best)


def test_worth_where_something_is_nothing():
    assert effective_opinions(0.0, 0.0, 0.0, [[3], [1]]) == 1
    assert effective_opinions(1.0, 0.0, 0.0, [[3, 2], [1]]) == 2
    assert effective_opinions(0.0, 1.0, 0.0, [[3, 2], [1]]) == 3
    assert effective_opinions(0.0, 0.0, 1.0, [[np.inf]]) == np.inf
    assert np.isnan(effective_opinions(np.nan, 0.0, 1.0, [[1]]))


def test_the_standard_error_of_a_mean_is_the_usual_one(rng):
    values = rng.normal(size=50)
    left_out = np.array([values.mean(), *((values.sum() - x) / 49 for x in values)])
    assert jackknife_error(left_out) == pytest.approx(values.std(ddof=1) / np.sqrt(50))
    assert np.isnan(jackknife_error(np.array([1.0, 2.0])))
