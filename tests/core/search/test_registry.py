from __future__ import annotations

import re

import numpy as np
import pytest
from pydantic import ValidationError

from manyjudges import Moments, MultiSelectRegressor, Plan, select, simulate
from manyjudges.base import methods
from manyjudges.core.search.registry import DEFAULT, SEARCHES
from manyjudges.exceptions import PlanError
from manyjudges.study.config import METHODS, PlanSection
from tests.support.folders import ROOT
from tests.support.messages import refused


@pytest.fixture(scope="module")
def moments():
    crowd = simulate.gaussian(n_objects=150, n_attributes=8, random_state=1)
    return Moments.estimate(crowd.pilot(2), crowd.labels)


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


def test_regularization_changes_the_plan_not_the_label(moments):
    shrunk = select(moments, 12, shrinkage=1.0)
    np.testing.assert_array_equal(shrunk.to_array(), select(moments, 12, method="scoring").to_array())
    assert shrunk.label_variance == moments.label_variance
    tamed = select(moments, 12, plan_ridge=0.5)
    assert tamed.path == select(moments.regularized(ridge=0.5), 12).path
    assert (tamed.plan_ridge, shrunk.shrinkage) == (0.5, 1.0)
    assert Plan.from_json(tamed.to_json()) == tamed
    with refused(PlanError, value=-0.5, column="plan_ridge"):
        select(moments, 12, plan_ridge=-0.5)


def test_a_budget_without_end_is_refused(moments):
    for method in SEARCHES:
        with refused(PlanError, value=1000000000.0, column="budget"):
            select(moments, 1e9, method=method)


def test_unknown_methods_are_named(moments):
    with refused(PlanError, value="ful", column="method"):
        select(moments, 10, method="ful")
    with refused(PlanError, value=["full"], column="method"):
        select(moments, 10, method=["full"])
    with refused(PlanError, value="moments", column="moments"):
        select("moments", 10)
    with refused(PlanError, column="moments"):
        select(moments.subset([]), 10)


@pytest.mark.parametrize("limit", ["3", -1, float("nan")])
def test_time_limits_that_make_no_sense(moments, limit):
    with refused(PlanError, value=limit, column="time_limit"):
        select(moments, 5, method="exact", time_limit=limit)


def test_auto_needs_judgments(moments):
    with refused(PlanError, value="auto", column="method"):
        select(moments, 5, method="auto")


def test_an_unknown_name_is_answered_with_the_names_of_all_searches(moments):
    with refused(PlanError, value="none", column="method") as info:
        select(moments, 5, method="none")
    assert info.value.value == "none"


def test_the_names_that_other_rooms_see_are_those_of_the_registry():
    assert {name: search.summary for name, search in SEARCHES.items()} == methods.SEARCH_SUMMARIES
    assert DEFAULT in SEARCHES
    assert set(methods.CURVE_SEARCHES) <= set(SEARCHES)
    assert list(methods.ANYTIME_SEARCHES) == [name for name, search in SEARCHES.items() if search.anytime]


def test_docs_say_what_every_search_does():
    docstring = " ".join(select.__doc__.split())
    table = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    for name, search in SEARCHES.items():
        assert f'``"{name}"`` {search.summary}' in docstring
        assert f"| `{name}` | {search.summary} |" in table
        assert f'"{name}"' in MultiSelectRegressor.__doc__


def test_a_study_can_name_every_search_that_folds_can_run():
    """``study`` knows no mathematics, so that the names come from below it."""
    own = [name for name, search in SEARCHES.items() if search.in_folds is None]
    assert list(methods.STUDY_SEARCHES) == own
    assert ("auto", *own) == METHODS
    for name in METHODS:
        assert PlanSection(method=name).method == name
    for name in set(SEARCHES) - set(own):
        with pytest.raises(ValidationError):
            PlanSection(method=name)
    text = (ROOT / "docs" / "study-file.md").read_text(encoding="utf-8")
    (row,) = (line for line in text.splitlines() if line.startswith("| `method` |"))
    assert set(re.findall(r'`"(\w+)"`', row)) == set(METHODS)
    template = (ROOT / "src/manyjudges/study/templates/study.toml").read_text(encoding="utf-8")
    assert f"# How a plan is looked for: {', '.join(METHODS[:-1])} or {METHODS[-1]}." in template
