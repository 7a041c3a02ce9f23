"""Budgets, costs and limits on repeats, as somebody wrote them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import Moments, select, simulate
from manyjudges.core.budget import COST_TOLERANCE, as_budget, as_costs, as_max_repeats
from manyjudges.exceptions import PlanError
from tests.support.messages import refused

ATTRIBUTES = ("a", "b", "c")


@pytest.fixture(scope="module")
def moments():
    crowd = simulate.gaussian(n_objects=150, n_attributes=8, random_state=1)
    return Moments.estimate(crowd.pilot(2), crowd.labels)


@pytest.mark.parametrize("budget", [-1, np.nan, np.inf, "40", None, True, pytest.param(10**400, id="huge")])
def test_budgets_that_make_no_sense(moments, budget):
    with refused(PlanError, column="budget", value=budget):
        select(moments, budget)


@pytest.mark.parametrize(
    ("costs", "row"),
    [
        ({"a0": 0}, "a0"),
        ({"a1": -2}, "a1"),
        ({"a1": np.inf}, "a1"),
        ({"height": 4}, None),
        ({"a0": "four"}, None),
        ({"a0": 10**400}, None),
        ({"a": 2}, None),
        ([1, 2], None),
    ],
)
def test_costs_that_make_no_sense(moments, costs, row):
    with refused(PlanError, column="costs", row=row):
        select(moments, 10, costs=costs)


@pytest.mark.parametrize(
    ("max_repeats", "row"),
    [
        ({"zz": 1}, None),
        ({"a0": -1}, "a0"),
        ({"a0": float("nan")}, "a0"),
        ({"a0": "two"}, None),
        ({"a0": 1, "a1": 2.5}, "a1"),
        ({"a0": -np.inf}, "a0"),
        ([2, 1, 0.3, 1, 1, 1, 1, 1], "a2"),
        ([1, 2], None),
    ],
)
def test_caps_that_make_no_sense(moments, max_repeats, row):
    with refused(PlanError, column="max_repeats", row=row):
        select(moments, 5, max_repeats=max_repeats)


@pytest.mark.parametrize("budget", [3, 3.0, np.float32(3), np.int8(3)])
def test_a_budget_is_a_plain_number(budget):
    assert type(as_budget(budget)) is float
    assert as_budget(budget) == 3


def test_a_budget_of_minus_nothing_is_0(moments):
    assert str(as_budget(-0.0)) == "0.0"
    assert str(select(moments, -0.0).budget) == "0.0"


@pytest.mark.parametrize("as_given", [dict, pd.Series])
def test_what_a_mapping_leaves_out_costs_1_and_has_no_limit(as_given):
    assert as_costs(as_given({"c": 0.5, "a": 2}), ATTRIBUTES).tolist() == [2, 1, 0.5]
    assert as_max_repeats(as_given({"c": 0, "a": 2.0}), ATTRIBUTES).tolist() == [2, np.inf, 0]
    assert as_costs(None, ATTRIBUTES).tolist() == [1, 1, 1]
    assert as_max_repeats(None, ATTRIBUTES).tolist() == [np.inf] * 3


def test_an_array_is_taken_in_the_order_of_the_attributes_and_stays_as_it_was():
    given = np.array([2.0, 3.0, np.inf])
    assert as_max_repeats(given, ATTRIBUTES).tolist() == [2, 3, np.inf]
    assert as_max_repeats([0, 1, 2], ATTRIBUTES).tolist() == [0, 1, 2]
    as_costs(given[:2], ATTRIBUTES[:2])[0] = as_max_repeats(given, ATTRIBUTES)[1] = 7
    assert given.tolist() == [2.0, 3.0, np.inf]


def test_no_attributes_have_no_costs():
    assert as_costs({}, ()).tolist() == as_max_repeats([], ()).tolist() == []


def test_summed_costs_miss_a_budget_by_less_than_the_tolerance():
    """A million judgments at a tenth, one after the other, and far less than one judgment more."""
    assert abs(np.full(1_000_000, 0.1).cumsum()[-1] - 100_000) <= COST_TOLERANCE * 100_000 < 0.1
