from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, select
from manyjudges.exceptions import PlanError
from manyjudges.learn.costs.bill import Bill, BillItem, as_new, bill_of
from manyjudges.learn.training_data import match_training_data
from tests.support.messages import refused

NAMES = ["tall", "old", "red"]
MOMENTS = Moments.from_values([1.0, 0.5, 2.0], [1.0, 0.8, 0.3], np.diag([2.0, 1.0, 1.0]), 3.0, attributes=NAMES)


def judgments_of(counts):
    """A table that has so many judgments of each pair."""
    rows = [
        {"object": f"o{i}", "attribute": NAMES[j], "value": float(k)}
        for i, row in enumerate(counts)
        for j, count in enumerate(row)
        for k in range(count)
    ]
    return Judgments.from_frame(pd.DataFrame(rows))


def test_a_bill_says_what_is_lacking_and_what_new_objects_cost():
    plan = select(MOMENTS, budget=1, costs={"tall": 0.25, "old": 0.1, "red": 0.5})
    data = match_training_data(judgments_of([[2, 1, 1], [0, 1, 2]]), {"o0": 1.0, "o1": 2.0})
    lacking = data.lacking(plan)
    bill = bill_of(plan, lacking, currency="€", new=10)
    wanted = plan.repeats
    have = {"tall": [2, 0], "old": [1, 1], "red": [1, 2]}
    short = {name: sum(max(n - each, 0) for each in have[name]) for name, n in wanted.items()}
    assert bill.currency == "EUR"
    assert dict(zip(bill.attributes, bill.missing.tolist(), strict=True)) == short
    assert bill.labelled.judgments == sum(short.values()) == lacking["judgments"]
    assert bill.labelled.cost == pytest.approx(plan.missing(data.in_memory)["cost"].sum())
    assert bill.new == (10, 10 * sum(wanted.values()), pytest.approx(10 * plan.cost))
    assert list(bill.to_frame().columns) == ["repeats", "price", "cost", "missing", "missing_cost", "new", "new_cost"]
    document = json.loads(bill.to_json())
    assert document["new"] == {"objects": 10, "judgments": bill.new.judgments, "cost": bill.new.cost}
    assert document["total"]["cost"] == pytest.approx(bill.labelled.cost + bill.new.cost)
    assert "labelled objects at hand still lack" in bill.headline
    assert "Together: €" in bill.headline


def test_without_new_objects_the_labelled_ones_are_all():
    plan = select(MOMENTS, budget=2)
    bill = bill_of(plan, {"judgments": 3, "cost": 3.0, "objects": None, "attributes": {"tall": 3}})
    assert bill.new is None
    assert bill.total == bill.labelled == BillItem(None, 3, 3.0)
    assert bill.to_document()["new"] is None
    assert bill.headline.endswith("The labelled objects at hand still lack 3 judgments for 3 units.")
    assert bill_of(plan, {"judgments": 3, "cost": 3.0, "objects": None}, new=2).total.objects is None


@pytest.mark.parametrize(
    ("lacking", "new", "words"),
    [
        ((1, 1, 1.0), 1, "1 labelled object at hand still lacks 1 judgment for 1 unit. 1 new object takes"),
        ((2, 3, 3.0), 0, "2 labelled objects at hand still lack 3 judgments for 3 units. 0 new objects take"),
        ((1200, 3000, 3000.0), 2, "1,200 labelled objects at hand still lack 3,000 judgments for 3,000 units. 2 new"),
    ],
    ids=str,
)
def test_one_is_one_and_more_are_more(lacking, new, words):
    numbers = dict(zip(("objects", "judgments", "cost"), lacking, strict=True))
    assert words in bill_of(select(MOMENTS, budget=2), numbers, new=new).headline


def test_a_plan_that_buys_nothing_costs_nothing():
    bill = bill_of(select(MOMENTS, budget=0), {"judgments": 0, "cost": 0.0, "objects": 0}, currency="USD", new=7)
    assert bill.total == (7, 0, 0.0)
    assert bill.to_frame().empty


@pytest.mark.parametrize("new", [-1, 1.5, "5", True], ids=repr)
def test_new_objects_are_counted(new):
    with refused(PlanError, value=new, column="new"):
        as_new(new)


COUNTS = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=5).filter(
    lambda counts: any(map(any, counts))
)


@settings(max_examples=50)
@given(COUNTS, st.lists(st.sampled_from([0.05, 0.1, 0.5, 1.0, 3.0]), min_size=3, max_size=3), st.integers(0, 1000))
def test_bills_add_up(counts, prices, new):
    plan = select(MOMENTS, budget=4, costs=prices)
    judgments = judgments_of(counts)
    data = match_training_data(judgments, {name: float(i) for i, name in enumerate(judgments.objects)})
    bill = bill_of(plan, data.lacking(plan), new=new)
    assert bill.per_object == (1, bill.repeats.sum(), pytest.approx(bill.cost.sum()))
    assert bill.cost == pytest.approx(bill.repeats * bill.price)
    assert bill.labelled.judgments == bill.missing.sum()
    assert bill.labelled.cost == pytest.approx(bill.missing_cost.sum())
    assert bill.total.judgments == bill.labelled.judgments + bill.new.judgments
    assert bill.total.cost == pytest.approx(bill.labelled.cost + bill.new.cost)
    frame = bill.to_frame()
    assert frame["new_cost"].sum() + frame["missing_cost"].sum() == pytest.approx(bill.total.cost)


@settings(max_examples=30)
@given(st.sampled_from([0.01, 0.125, 7.0, 1000.0]), st.floats(0.5, 20))
def test_in_another_unit_the_plan_is_the_same_and_the_bill_scales(scale, budget):
    prices = np.array([0.25, 1.0, 0.5])
    lacking = {"judgments": 2, "cost": 1.5, "objects": 1}
    one, other = select(MOMENTS, budget, costs=prices), select(MOMENTS, budget * scale, costs=prices * scale)
    assert one.repeats == other.repeats
    bills: list[Bill] = [bill_of(one, lacking, new=3), bill_of(other, lacking, new=3)]
    assert bills[1].cost == pytest.approx(scale * bills[0].cost)
    assert bills[1].new.cost == pytest.approx(scale * bills[0].new.cost)
