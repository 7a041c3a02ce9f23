from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, Plan, select, simulate
from manyjudges.exceptions import DocumentError, PlanError
from tests.support.messages import refused
from tests.support.plain import random_moments, unbalanced_frame


@pytest.fixture
def plan():
    moments = Moments.from_values(
        [1.0, 0.5, 0.4], [1.0, 0.0, 2.0], np.diag([2.0, 1.0, 1.0]), 3.0, attributes=["a", "b", "never"]
    )
    return select(moments, 6, costs={"a": 1.5, "never": 10})


def test_what_a_plan_says(plan):
    assert plan.repeats == {"a": 3, "b": 1}
    assert plan.to_array().tolist() == [3, 1, 0]
    assert plan.budget == 6
    assert plan.cost == 5.5
    assert plan.explained == pytest.approx(1 / (2 + 1 / 3) + 0.25)
    assert plan.projected_loss == pytest.approx(3 - plan.explained)


def test_path(plan):
    assert [step.attribute for step in plan.path] == ["b", "a", "a", "a"]
    assert [step.cost for step in plan.path] == [1, 2.5, 4, 5.5]
    assert plan.path[-1].explained == plan.explained
    assert plan.path[-1].projected_loss == plan.projected_loss
    assert plan.path[0].explained == pytest.approx(0.25)


def test_smaller_budgets(plan):
    smaller = plan.at(4)
    assert smaller.repeats == {"a": 2, "b": 1}
    assert smaller.budget == 4
    assert plan.at(3.99).repeats == {"a": 1, "b": 1}
    assert plan.at(0).repeats == {}
    assert plan.at(6) == plan
    with refused(PlanError, value=7.0, column="budget"):
        plan.at(7)
    with refused(PlanError, value=-1, column="budget"):
        plan.at(-1)


def test_rounding_of_real_costs_does_not_shorten_a_path():
    moments = Moments.from_values([1.0], [1.0], [[1.0]], 2.0, attributes=["a"])
    plan = select(moments, 1, costs={"a": 0.1})
    assert [plan.at(b).repeats["a"] for b in (0.1, 0.3, 0.6, 0.7, 0.8, 1)] == [1, 3, 6, 7, 8, 10]


def test_frame(plan):
    frame = plan.to_frame()
    assert frame.index.tolist() == ["a", "b"]
    assert frame["repeats"].tolist() == [3, 1]
    assert frame["cost"].tolist() == [4.5, 1]
    assert frame["gain"].sum() == pytest.approx(plan.explained)


def test_missing(plan):
    frame = pd.DataFrame(
        {"object": ["p", "p", "p", "p", "q", "q"], "attribute": ["a", "a", "a", "b", "a", "c"], "value": range(6)}
    )
    missing = plan.missing(Judgments.from_frame(frame))
    assert missing.to_dict(orient="records") == [
        {"object": "q", "attribute": "a", "count": 2, "cost": 3.0},
        {"object": "q", "attribute": "b", "count": 1, "cost": 1.0},
    ]
    nobody = Judgments.from_frame(frame[frame["attribute"] == "c"])
    assert plan.missing(nobody)["count"].tolist() == [3, 1]


@given(st.integers(0, 10_000), st.integers(0, 12))
def test_what_is_missing_is_what_the_plan_asks_less_what_is_there(seed, budget):
    rng = np.random.default_rng(seed)
    judgments = Judgments.from_frame(unbalanced_frame(rng, n_objects=5))
    moments = random_moments(rng, 3)
    plan = select(
        Moments.from_values(moments.cross, moments.noise, moments.covariance, moments.label_variance, attributes="abc"),
        budget,
    )
    missing = plan.missing(judgments)
    expected = {}
    for name, wanted in plan.repeats.items():
        have = judgments.counts()[name] if name in judgments.attributes else dict.fromkeys(judgments.objects, 0)
        expected |= {(o, name): wanted - have[o] for o in judgments.objects if have[o] < wanted}
    assert (
        dict(zip(zip(missing["object"], missing["attribute"], strict=True), missing["count"], strict=True)) == expected
    )


@given(st.integers(0, 10_000), st.integers(1, 5), st.floats(0, 20))
def test_json_comes_back(seed, d, budget):
    rng = np.random.default_rng(seed)
    plan = select(random_moments(rng, d), budget, costs=rng.uniform(0.5, 2, d))
    again = Plan.from_json(plan.to_json())
    assert again == plan
    assert hash(again) == hash(plan)
    assert again.path == plan.path
    assert again.attributes == plan.attributes


def test_json_can_be_read_by_a_person_and_another_language(plan):
    document = json.loads(plan.to_json())
    assert document["format"] == "manyjudges.plan/1"
    assert document["repeats"] == {"a": 3, "b": 1}
    assert document["path"][0]["attribute"] == "b"
    assert plan.to_json().endswith("}\n")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"format": "manyjudges.model/1"}, DocumentError),
        ({"budget": None}, DocumentError),
        ({"budget": True}, DocumentError),
        ({"budget": -1}, PlanError),
        ({"budget": 5}, DocumentError),
        ({"prices": {"a": 1.5}}, DocumentError),
        ({"prices": {"a": 0, "b": 1, "never": 1}}, PlanError),
        ({"repeats": {"a": 4}}, DocumentError),
        ({"path": "x"}, DocumentError),
        ({"path": [{"attribute": "b", "explained": "x"}]}, DocumentError),
        ({"label_variance": 0}, DocumentError),
        ({"path": [1]}, DocumentError),
    ],
    ids=[
        *("format", "no budget", "boolean", "negative", "too little", "prices", "free", "repeats", "path", "step"),
        *("variance", "no step"),
    ],
)
def test_documents_that_are_no_plan(plan, change, error):
    with refused(error):
        Plan.from_json(json.dumps(json.loads(plan.to_json()) | change))


@pytest.mark.parametrize("text", ["", "{", "[]", "1", b"\xff"], ids=["empty", "cut", "list", "number", "bytes"])
def test_text_that_is_no_document(text):
    with refused(DocumentError, column="format"):
        Plan.from_json(text)


def test_a_plan_keeps_the_currency_of_its_costs(plan):
    money = plan.with_currency("€")
    assert money.currency == money.at(2).currency == Plan.from_json(money.to_json()).currency == "EUR"
    assert repr(money).startswith("Plan for a budget of €6.00 (full): 3×a + 1×b; costs €5.50")
    assert money.repeats == plan.repeats
    assert (plan.money(1234.5), money.money(1234.5)) == ("1,234.5", "€1,234.50")


def test_a_plan_from_a_file_has_a_currency_that_there_is(plan):
    with refused(DocumentError, value="gold", column="currency"):
        Plan.from_document(plan.to_document() | {"currency": "gold"})
    assert Plan.from_document({k: v for k, v in plan.to_document().items() if k != "currency"}).currency == ""


def test_objects_that_nobody_has_judged_lack_the_whole_plan(plan):
    missing = plan.missing(["q", "p"])
    assert missing.to_dict(orient="records") == [
        {"object": "q", "attribute": "a", "count": 3, "cost": 4.5},
        {"object": "q", "attribute": "b", "count": 1, "cost": 1.0},
        {"object": "p", "attribute": "a", "count": 3, "cost": 4.5},
        {"object": "p", "attribute": "b", "count": 1, "cost": 1.0},
    ]
    assert missing["cost"].sum() == 2 * plan.cost


def test_missing_needs_judgments_or_names(plan):
    with refused(PlanError, column="judgments"):
        plan.missing(pd.DataFrame({"object": ["p"], "attribute": ["a"], "value": [1]}))
    with refused(PlanError, column="judgments"):
        plan.missing("photo 1")


def test_what_a_person_sees(plan):
    assert repr(plan) == ("Plan for a budget of 6 (full): 3×a + 1×b; costs 5.5, explains 22.6% of the label's variance")
    assert "nothing" in repr(plan.at(0))
    assert "<table" in plan._repr_html_()


def test_plans_cannot_be_changed(plan):
    with pytest.raises(AttributeError):
        plan.budget = 7
    with pytest.raises(ValueError, match="read-only"):
        plan.picks[0] = 1


@pytest.mark.parametrize(
    ("change", "value", "column"),
    [
        ({"bound": -1}, -1.0, "bound"),
        ({"shrinkage": 2}, 2.0, "shrinkage"),
        ({"plan_ridge": -1}, -1.0, "plan_ridge"),
        ({"predictor_ridge": -0.1}, -0.1, "predictor_ridge"),
    ],
)
def test_documents_that_claim_what_cannot_be(change, value, column):
    moments = Moments.from_values([1.0, 0.5], [1.0, 0.0], np.eye(2), 3.0)
    document = json.loads(select(moments, 3).to_json())
    with refused(DocumentError, value=value, column=column):
        Plan.from_json(json.dumps(document | change))


def test_a_promise_of_more_than_there_is_says_where_it_comes_from():
    """Two attributes that say the same: shrinking lets each of them explain it once more."""
    moments = Moments.from_values([0.99, 0.99], [0.01, 0.01], [[1.0, 0.99], [0.99, 1.0]], 1.0)
    assert "than there is" not in repr(select(moments, 2))
    assert "shrinkage, which chose the plan" in repr(select(moments, 2, shrinkage=0.9))


def test_a_plan_keeps_the_ridge_of_its_predictor():
    plan = select(Moments.from_values([1.0, 0.5], [1.0, 0.0], np.eye(2), 3.0), 3)
    kept = plan.with_predictor_ridge(0.3)
    assert kept == plan, "it buys the same"
    assert (Plan.from_json(kept.to_json()).predictor_ridge, kept.at(2).predictor_ridge) == (0.3, 0.3)
    earlier = {name: value for name, value in plan.to_document().items() if name != "predictor_ridge"}
    assert Plan.from_document(earlier).predictor_ridge == 0


def test_caps_and_ridge_come_back_under_their_names():
    plan = select(simulate.gaussian(10, 3, random_state=0).truth, 6, max_repeats={"a0": 2}, plan_ridge=0.5)
    document = plan.to_document()
    assert (document["max_repeats"], document["plan_ridge"]) == ({"a0": 2}, 0.5)
    again = Plan.from_document(document)
    assert (again, again.plan_ridge) == (plan, 0.5)


@pytest.mark.parametrize(("old", "new"), [("most", "max_repeats"), ("ridge", "plan_ridge")])
def test_a_plan_of_an_earlier_version_is_told_so(old, new):
    document = select(simulate.gaussian(10, 3, random_state=0).truth, 6).to_document()
    document[old] = document.pop(new)
    with refused(DocumentError, value=old):
        Plan.from_document(document)


def test_what_answers_stand_for_goes_with_a_plan(plan):
    words = {"kind": "scale", "words": {"never": 1, "often": 2}}
    assert plan.answers is None
    gap = plan.gap
    told = plan.with_answers({"a": words, "of another table": words})
    assert told.answers == {"a": words}
    assert "bound" in vars(told)
    assert told.gap == gap
    assert told.at(4).answers == {"a": words}
    assert Plan.from_json(told.to_json()) == told
    assert json.loads(told.to_json())["answers"] == {"a": words}
    assert Plan.from_json(plan.to_json()).answers is None
    numbers = plan.with_answers({})
    assert plan == told
    assert numbers != told
    assert Plan.from_json(numbers.to_json()).answers == numbers.answers == {}


def test_a_plan_of_before_there_were_answers_is_read(plan):
    document = plan.to_document()
    del document["answers"]
    assert Plan.from_document(document) == plan


def test_answers_to_what_the_plan_does_not_ask_are_refused(plan):
    with refused(DocumentError, value="z", column="answers"):
        Plan.from_document(plan.to_document() | {"answers": {"z": {}}})
    with refused(DocumentError, value=[1], column="answers"):
        Plan.from_document(plan.to_document() | {"answers": [1]})
