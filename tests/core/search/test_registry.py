from __future__ import annotations

from typing import get_args, get_type_hints

import numpy as np
import pytest

from manyjudges import Moments, Plan, select, simulate
from manyjudges.core.objective import explained
from manyjudges.core.search.registry import SEARCHES
from manyjudges.core.search.scoring import scoring_picks
from manyjudges.exceptions import PlanError
from manyjudges.study.config import PlanSection


def moments_of(crowd, k=2):
    return Moments.estimate(crowd.pilot(k), crowd.labels)


@pytest.fixture(scope="module")
def moments():
    return moments_of(simulate.gaussian(n_objects=150, n_attributes=8, random_state=1))


@pytest.mark.parametrize("method", SEARCHES)
def test_costs_as_mapping_and_as_array_are_the_same(moments, method):
    by_name = select(moments, 9, method=method, costs={"a0": 2, "a3": 0.5})
    prices = np.ones(8)
    prices[[0, 3]] = 2, 0.5
    assert by_name == select(moments, 9, method=method, costs=prices)


@pytest.mark.parametrize("method", SEARCHES)
def test_summed_real_costs_meet_the_budget(method):
    moments = Moments.from_values([1.0], [1.0], [[1.0]], 2.0, attributes=["a"])
    for budget, price, n in [(0.3, 0.1, 3), (1.0, 0.1, 10), (0.7, 0.1, 7), (100.0, 0.1, 1000)]:
        plan = select(moments, budget, method=method, costs={"a": price})
        assert plan.repeats == {"a": n}
        assert plan.cost <= budget


def test_what_does_not_fit_any_more_gives_way_to_what_does():
    # The best gain per cost is 'dear', twice; the third time only 'cheap' still fits.
    moments = Moments.from_values([10.0, 1.0], [1.0, 1.0], [[1e-3, 0.0], [0.0, 1.0]], 1e6, attributes=["dear", "cheap"])
    for method in SEARCHES:
        plan = select(moments, 7, method=method, costs={"dear": 3})
        assert plan.repeats == {"dear": 2, "cheap": 1}


def test_ties_go_to_the_first(rng):
    d = 5
    root = rng.normal(size=3)
    covariance = np.full((d, d), 0.3) + 0.7 * np.eye(d)
    moments = Moments.from_values(np.full(d, 0.5), np.full(d, 0.9), covariance * (root @ root), 3.0)
    for method in SEARCHES:
        assert select(moments, 3, method=method).to_array().tolist() == [1, 1, 1, 0, 0]


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


def test_regularization_changes_the_plan_not_the_label(moments):
    shrunk = select(moments, 12, shrinkage=1.0)
    np.testing.assert_array_equal(shrunk.to_array(), select(moments, 12, method="scoring").to_array())
    assert shrunk.label_variance == moments.label_variance
    tamed = select(moments, 12, plan_ridge=0.5)
    assert tamed.path == select(moments.regularized(ridge=0.5), 12).path
    assert (tamed.ridge, shrunk.shrinkage) == (0.5, 1.0)
    assert Plan.from_json(tamed.to_json()) == tamed


@pytest.mark.parametrize("budget", [-1, np.nan, np.inf, "40", None, True, 10**400])
def test_budgets_that_make_no_sense(moments, budget):
    with pytest.raises(PlanError, match="budget must be"):
        select(moments, budget)


def test_a_budget_without_end_is_refused(moments):
    for method in SEARCHES:
        with pytest.raises(PlanError, match="more than 10,000,000 judgments"):
            select(moments, 1e9, method=method)


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ({"a0": 0}, "cost of 'a0' is 0"),
        ({"a1": -2}, "cost of 'a1' is -2"),
        ({"a1": np.inf}, "cost of 'a1' is inf"),
        ({"height": 4}, "'height', which is no attribute"),
        ({"a0": "four"}, "must be numbers"),
        ({"a0": 10**400}, "must be numbers"),
        ({"a": 2}, "Did you mean 'a"),
        ([1, 2], "need as many costs"),
    ],
)
def test_costs_that_make_no_sense(moments, costs, words):
    with pytest.raises(PlanError, match=words):
        select(moments, 10, costs=costs)


def test_unknown_methods_are_named(moments):
    with pytest.raises(
        PlanError, match=r"no method 'ful'; choose one of full, scoring, exchange, exact\. Did you mean 'full'"
    ):
        select(moments, 10, method="ful")
    with pytest.raises(PlanError, match=r"no method \['full'\]"):
        select(moments, 10, method=["full"])
    with pytest.raises(PlanError, match="select needs Moments, not str"):
        select("moments", 10)
    with pytest.raises(PlanError, match="no attribute to choose from"):
        select(moments.subset([]), 10)


@pytest.mark.parametrize("budget", [100, 3000, 20_000])
def test_exact_copies_stay_ties_however_large_the_budget(budget):
    covariance = [[1, 0.3, 1], [0.3, 1, 0.3], [1, 0.3, 1]]
    with_copy = select(Moments.from_values([0.5, 0.4, 0.5], [1, 2, 1], covariance, 1.0), budget)
    alone = select(Moments.from_values([0.5, 0.4], [1, 2], [[1, 0.3], [0.3, 1]], 1.0), budget)
    assert with_copy.repeats == alone.repeats


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


@pytest.mark.parametrize(
    ("max_repeats", "message"),
    [
        ({"zz": 1}, r"max_repeats are given for 'zz', which is no attribute here"),
        ({"a0": -1}, "max_repeats of 'a0' is -1"),
        ({"a0": float("nan")}, "max_repeats of 'a0' is nan"),
        ({"a0": "two"}, "must be numbers"),
        ([1, 2], "need as many max_repeats"),
    ],
)
def test_caps_that_make_no_sense(moments, max_repeats, message):
    with pytest.raises(PlanError, match=message):
        select(moments, 5, max_repeats=max_repeats)


@pytest.mark.parametrize("limit", ["3", -1, float("nan")])
def test_time_limits_that_make_no_sense(moments, limit):
    with pytest.raises(PlanError, match="time limit must be 0 or a positive number"):
        select(moments, 5, method="exact", time_limit=limit)


def test_auto_needs_judgments(moments):
    with pytest.raises(PlanError, match="takes judgments: use choose"):
        select(moments, 5, method="auto")


def test_scoring_from_arrays_alone_with_costs():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        cross, noise, variance = rng.normal(size=3), rng.uniform(0.1, 2, 3), rng.uniform(0.1, 2, 3)
        picks = scoring_picks(cross, noise, variance, 7.0, np.array([1.0, 2.0, 3.0]))
        assert np.array([1.0, 2.0, 3.0])[picks].sum() <= 7


def test_an_unknown_name_is_answered_with_the_names_of_all_searches(moments):
    with pytest.raises(PlanError, match=f"choose one of {', '.join(SEARCHES)}") as info:
        select(moments, 5, method="none")
    assert info.value.value == "none"


def test_every_search_is_documented():
    for name in SEARCHES:
        assert f'``"{name}"``' in select.__doc__


def test_a_study_can_name_every_search_that_folds_can_run():
    """``study`` knows no mathematics, so that it writes the names down itself."""
    method = get_type_hints(PlanSection)["method"]
    assert set(get_args(method)) == {"auto", *(name for name, search in SEARCHES.items() if search.in_folds is None)}
