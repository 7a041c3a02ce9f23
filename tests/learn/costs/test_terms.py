from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges import Moments, select
from manyjudges.exceptions import PlanError
from manyjudges.learn.costs.bill import bill_of
from manyjudges.learn.costs.terms import Terms, largest_budget
from tests.support.messages import refused

NAMES = ("tall", "old", "red")
MOMENTS = Moments.from_values([1.0, 0.5, 2.0], [1.0, 0.8, 0.3], np.diag([2.0, 1.0, 1.0]), 3.0, attributes=NAMES)


def test_terms_are_read_as_people_write_them():
    terms = Terms.of("2 €", price="0,05", costs={"old": "0,10 €", "red": 0.2}, new=100)
    assert (terms.budget, terms.total, terms.new, terms.currency) == (2.0, None, 100, "EUR")
    assert terms.costs_of(NAMES).tolist() == [0.05, 0.1, 0.2]


def test_without_prices_a_judgment_costs_one_unit():
    assert Terms.of(5).costs_of(NAMES).tolist() == [1.0, 1.0, 1.0]
    assert Terms.of(5, costs=[1, 2, 3]).costs_of(NAMES).tolist() == [1.0, 2.0, 3.0]
    assert Terms.of(5, costs=["$1", "$2", 3]).currency == "USD"
    assert Terms.of(5, costs=pd.Series({"old": 4}), price=2).costs_of(NAMES).tolist() == [2.0, 4.0, 2.0]


def test_a_budget_or_a_total_is_needed():
    for both in ({}, {"budget": 2, "total": 500}):
        with refused(PlanError, value=both.get("total"), column="total" if both else "budget"):
            Terms.of(**both)


def test_money_without_a_price_of_judgments_is_refused():
    with refused(PlanError, value="tall", column="price"):
        Terms.of("$2").costs_of(NAMES)
    assert Terms.of("$2", costs=dict.fromkeys(NAMES, 0.1)).costs_of(NAMES).tolist() == [0.1] * 3


def test_different_currencies_are_named():
    with refused(PlanError, value="0.05 €", column="price"):
        Terms.of("$2", price="0.05 €")
    with refused(PlanError, value="£1", column="cost of 'old'"):
        Terms.of(2, price="$0.05", costs={"old": "£1"})


@pytest.mark.parametrize("terms", [{"budget": -1}, {"total": -1}, {"budget": 1, "price": 0}], ids=str)
def test_amounts_are_positive(terms):
    with refused(PlanError, value=list(terms.values())[-1], column=list(terms)[-1]):
        Terms.of(**terms)


def test_an_unknown_attribute_is_named():
    with refused(PlanError, value="tal", column="costs"):
        Terms.of(2, costs={"tal": 1}).costs_of(NAMES)


def test_what_a_total_covers_is_said():
    terms = Terms.of(total="$500", price=0.05, new=5000)
    assert terms.covered(300, 0.05) == (
        "The total of $500.00 covers what the 300 labelled objects at hand lack and 5,000 new objects: "
        "a budget of $0.05 per object."
    )
    assert "and no new objects: a budget of 4 units" in Terms.of(total=8).covered(2, 4)
    assert Terms.of(total=8, new=9).covered(2, 0) == (
        "The total of 8 units is too small for one judgment of each object: it has to cover what the 2 labelled "
        "objects at hand lack and 9 new objects."
    )


class Lacking:
    """What objects lack of a plan that have so many judgments of each attribute."""

    def __init__(self, counts):
        self.counts = np.array(counts)

    def __call__(self, plan):
        short = np.maximum(plan.to_array() - self.counts, 0).sum(axis=0)
        names = dict(zip(plan.attributes, short.tolist(), strict=True))
        return {"judgments": int(short.sum()), "cost": float(short @ plan.costs), "objects": None, "attributes": names}


PRICES = st.lists(st.sampled_from([0.05, 0.1, 0.3, 1.0, 2.5]), min_size=3, max_size=3)
COUNTS = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=4)


@settings(max_examples=25, deadline=None)
@given(st.floats(0, 12), PRICES, COUNTS, st.integers(0, 20), st.sampled_from(["full", "scoring"]))
def test_a_total_is_never_exceeded_and_well_used(total, prices, counts, new, method):
    lacking = Lacking(counts)
    terms = Terms.of(total=total, costs=dict(zip(NAMES, prices, strict=True)), new=new)
    costs = terms.costs_of(NAMES)

    def plan_at(budget):
        return select(MOMENTS, budget, costs=costs, method=method)

    def fits(plan):
        return terms.within_total(plan, lacking(plan)["cost"])

    budget = largest_budget(plan_at, fits, costs)
    bill = bill_of(plan_at(budget), lacking(plan_at(budget)), new=new)
    assert bill.total.cost <= total * (1 + 1e-9)
    if method == "full" and len(set(prices)) == 1:
        # One judgment more of each object is too much.
        assert not fits(plan_at(budget + prices[0]))


def test_a_total_for_more_than_there_is_to_buy_ends():
    def plan_at(budget):
        return select(MOMENTS, budget, max_repeats=[2, 1, 0])

    assert largest_budget(plan_at, lambda plan: True, np.ones(3)) == 3.0
    assert largest_budget(plan_at, lambda plan: plan.cost == 0, np.ones(3)) == 0.0
