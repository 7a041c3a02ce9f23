"""The budget curve: the errors and plans of the error curve, around one budget."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Moments, projected_error, select
from manyjudges.core.objective import explained
from manyjudges.exceptions import PlanError
from manyjudges.learn.budgets import BudgetCurve, budget_curve, round_budgets, with_budget
from tests.support.messages import refused


@pytest.fixture(scope="module", params=[None, {"number of beans": 2.5}], ids=["equal costs", "costs"])
def made(request, beans):
    crowd, pilot = beans
    options = {"costs": request.param, "cv_repeats": 1, "random_state": 0}
    methods = ("scoring", "full")
    curve = projected_error(pilot, crowd.labels, [2, 8, 12, 20], methods=methods, shrinkage=0.1, **options)
    moments = Moments.estimate(pilot, crowd.labels)
    return BudgetCurve.of(curve, "full", 8), curve, moments, request.param


def test_errors_are_those_projected(made):
    found, curve, _, _ = made
    rows = curve.to_frame()
    for name in ("error", "low", "high", "explained", "in_sample_error"):
        assert getattr(found, name).ravel().tolist() == rows[name].tolist()
    assert found.error**2 == pytest.approx(curve.loss)
    assert (found.budgets, found.methods, found.baseline_error) == (curve.budgets, curve.methods, curve.baseline_error)


def test_what_was_chosen_lies_on_the_curve(made):
    found, curve, _, _ = made
    assert found.chosen == (1, 1)
    assert found.error[found.chosen] == np.sqrt(curve.loss[1, 1])
    assert (found.chosen_method, found.shrinkage) == ("full", 0.1)


def test_an_error_that_is_estimated_below_zero_is_zero(made):
    _, curve, _, _ = made
    found = BudgetCurve.of(replace(curve, loss=curve.loss - curve.loss.max()), "full", 8)
    assert (found.error == 0).all()
    assert (found.explained == 1).all()
    assert (found.low == 0).all()


def test_plans_are_those_of_select(made):
    found, _, moments, costs = made
    for method in found.methods:
        for budget, repeats, cost, loss in zip(
            found.budgets,
            found.plans[method],
            found.costs[method],
            found.in_sample_error[found.methods.index(method)] ** 2,
            strict=True,
        ):
            plan = select(moments, budget, method=method, costs=costs, shrinkage=0.1)
            assert repeats == plan.repeats
            assert cost == plan.cost <= budget
            promised = moments.label_variance - explained(moments, plan.to_array())
            assert loss == pytest.approx(promised)  # by the moments as estimated, not as tamed for the plan


def test_next_units_add_up(made):
    found, _, _, _ = made
    steps = found.next_units
    assert steps["from_budget"].tolist() == [8, 12]
    assert steps["to_budget"].tolist() == [12, 20]
    assert steps["error"].tolist() == found.error[1, 2:].tolist()
    whole = found.explained[1, 3] - found.explained[1, 1]
    assert steps["gained"].sum() == pytest.approx(whole)
    assert steps["gained_per_unit"] @ steps["extra_cost"] == pytest.approx(whole)


def test_tables_and_json(made):
    found, _, _, _ = made
    frame = found.to_frame()
    assert len(frame) == 8
    assert frame["explained"].to_numpy() == pytest.approx(1 - (frame["error"] / found.baseline_error).to_numpy() ** 2)
    assert all("×" in words for words in frame["plan"])
    document = json.loads(found.to_json(), parse_constant=pytest.fail)
    assert document["plans"]["full"][1] == found.plans["full"][1]
    assert len(document["next_units"]) == 2


@given(st.floats(0, 1e5), st.lists(st.floats(0.01, 50), min_size=1, max_size=4))
def test_round_budgets(budget, prices):
    found = round_budgets(budget, np.array(prices))
    assert budget in found
    assert 6 <= len(found) <= 12
    assert (np.diff(found) > 0).all()
    assert min(set(found) - {budget}) >= min(prices) * (1 - 1e-9)
    assert max(found) <= max(2.5 * budget, 10 * min(prices)) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("budget", "price", "expected"),
    [(0, 1.0, (0, 1, 2, 3, 4, 5, 7, 10)), (1, 0.05, (0.05, 0.1, 0.15)), (4, 1.0, (1, 2, 3, 4, 5, 7, 10))],
)
def test_budgets_are_round(budget, price, expected):
    assert round_budgets(budget, np.array([price]))[: len(expected)] == expected


def test_the_budget_in_the_middle_is_chosen_where_none_is_named(beans):
    crowd, pilot = beans
    options = {"shrinkage": 0.0, "cv_repeats": 1}
    found = budget_curve(pilot, crowd.labels, budgets=[2, 5, 9], **options)
    assert (found.chosen_budget, found.methods) == (5, ("auto", "scoring", "full"))
    usual = budget_curve(pilot, crowd.labels, method="scoring", **options)
    assert usual.chosen_budget == 20
    assert usual.error[usual.chosen] == projected_error(pilot, crowd.labels, [20], methods=["scoring"], **options).error


def test_budgets_that_somebody_gave():
    assert with_budget([20, 5], 8) == (5, 8, 20)
    assert with_budget(iter([8, 5]), 8) == (5, 8)
    assert with_budget(5, 8) == (5, 8)
    for wrong in (True, "5, 8"):
        with refused(PlanError, value=wrong, column="budgets"):
            with_budget(wrong, 8)
    with refused(PlanError, value=-1, column="budget"):
        with_budget([-1], 8)
