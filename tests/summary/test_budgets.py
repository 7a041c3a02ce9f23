"""The budget curve: the errors and plans of others, put together."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Moments, projected_error, select
from manyjudges.core.objective import explained
from manyjudges.exceptions import PlanError
from manyjudges.summary import BudgetCurve
from manyjudges.summary.budgets import round_budgets, with_budget
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
    for name in ("loss", "std_error", "optimistic_loss"):
        assert (getattr(found, name) == getattr(curve, name)).all()
    assert (found.budgets, found.methods, found.label_variance) == (curve.budgets, curve.methods, curve.label_variance)


def test_what_was_chosen_lies_on_the_curve(made):
    found, curve, _, _ = made
    assert (found.chosen_loss, found.chosen_std_error) == (curve.loss[1, 1], curve.std_error[1, 1])
    assert (found.chosen_method, found.shrinkage, found.baseline_loss) == ("full", 0.1, curve.baseline_loss)


def test_plans_are_those_of_select(made):
    found, _, moments, costs = made
    for method in found.methods:
        for budget, repeats, cost, loss in zip(
            found.budgets,
            found.plans[method],
            found.costs[method],
            found.optimistic_loss[found.methods.index(method)],
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
    whole = (found.loss[1, 1] - found.loss[1, 3]) / found.label_variance
    assert steps["saved"].sum() == pytest.approx(whole)
    assert steps["saved_per_unit"] @ steps["extra_cost"] == pytest.approx(whole)


def test_tables_and_json(made):
    found, _, _, _ = made
    frame = found.to_frame()
    assert len(frame) == 8
    assert frame["relative_loss"].to_numpy() * found.label_variance == pytest.approx(frame["loss"].to_numpy())
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


def test_budgets_that_somebody_gave():
    assert with_budget([20, 5], 8) == (5, 8, 20)
    assert with_budget(iter([8, 5]), 8) == (5, 8)
    for wrong in (5, "5, 8"):
        with refused(PlanError, value=wrong, column="budgets"):
            with_budget(wrong, 8)
    with refused(PlanError, value=-1, column="budget"):
        with_budget([-1], 8)
