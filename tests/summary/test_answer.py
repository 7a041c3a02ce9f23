"""The answer: numbers of the plan, and a sentence to read."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from manyjudges import Moments, Plan, select
from manyjudges.summary import Answer


def moments_of(d, names=None, least=0.5):
    names = [f"a{i}" for i in range(d)] if names is None else names
    return Moments.from_values(np.linspace(1, least, d), np.ones(d), np.eye(d), 16.0, attributes=names, label_mean=70.0)


def answer_of(plan, loss=8.41, std_error=0.6):
    return Answer.of(plan, label_mean=70.0, loss=loss, std_error=std_error)


def test_numbers_are_those_of_the_plan():
    plan = select(moments_of(4), 9, costs={"a1": 2}, shrinkage=0.1)
    answer = answer_of(plan)
    frame = plan.to_frame().loc[list(answer.attributes)]
    for name in ("repeats", "price", "cost", "gain"):
        assert getattr(answer, name) == pytest.approx(frame[name].to_numpy())
    assert dict(zip(answer.attributes, answer.repeats.tolist(), strict=True)) == plan.repeats
    assert (np.diff(answer.share) <= 0).all()
    assert answer.share.sum() == pytest.approx(1)
    assert (answer.budget, answer.spent, answer.method, answer.shrinkage) == (9, plan.cost, "full", 0.1)
    assert answer.promised == plan.projected_loss / 16
    assert answer.of_best == pytest.approx(plan.explained / plan.bound, abs=1e-6)
    assert answer.to_frame().index.tolist() == list(answer.attributes)


def test_errors_are_those_of_the_loss():
    answer = answer_of(select(moments_of(2), 3))
    assert answer.deviation == pytest.approx(2.9)
    assert (answer.low, answer.high) == pytest.approx((8.41 - 2 * 0.6, 8.41 + 2 * 0.6))
    assert (answer.deviation_low**2, answer.deviation_high**2) == pytest.approx((answer.low, answer.high))
    assert answer.relative_loss == pytest.approx(8.41 / 16)
    assert (answer.baseline_deviation, answer.label_mean, answer.label_variance) == (4, 70, 16)


@pytest.mark.parametrize(
    ("loss", "helps", "words"),
    [(8.0, True, "4.0."), (15.5, None, "Whether they help is not sure."), (16.5, False, "would not help.")],
)
def test_whether_it_helps(loss, helps, words):
    answer = answer_of(select(moments_of(2), 3), loss=loss)
    assert answer.helps is helps
    assert words in answer.sentence
    assert answer.sentence.startswith("As things stand, buy nothing: " if helps is False else "For each object, buy ")


def test_names_stand_on_one_line():
    sentence = answer_of(select(moments_of(2, ["", "a\nb\u202e"]), 22)).sentence
    assert "“(no name)”" in sentence
    assert "“a b”" in sentence


def test_a_loss_about_zero_stays_above_it():
    answer = answer_of(select(moments_of(2), 3), loss=-0.1, std_error=0.2)
    assert (answer.low, answer.deviation, answer.deviation_low) == (0, 0, 0)
    assert answer.high > 0


def test_the_sentence():
    plan = select(moments_of(2, ["tall", "male"]), 22)
    assert answer_of(plan).sentence == (
        "For each object, buy 15 judgments of “tall” and 7 of “male”, at a cost of 22. "
        "Expect to be off by about 2.9 (2.7 to 3.1); without any judgments it would be 4.0."
    )


@pytest.mark.parametrize(
    ("d", "budget", "words"),
    [
        (1, 1, "buy 1 judgment of “a0”, at a cost of 1."),
        (1, 2.5, "buy 2 judgments of “a0”, at a cost of 2 of 2.5."),
        (7, 7, "1 of “a5” and 1 more attribute, at a cost of 7."),
        (9, 9, "1 of “a5” and 3 more attributes, at a cost of 9."),
        (2, 0, "Within a budget of 0, there is nothing worth buying. Expect"),
    ],
)
def test_one_and_many(d, budget, words):
    assert words in answer_of(select(moments_of(d, least=0.9), budget)).sentence


def test_digits_follow_the_error():
    plan = select(moments_of(1), 1)
    assert "about 2.90 (2.89 to 2.91)" in answer_of(plan, std_error=0.03).sentence
    assert "about 1,234 (1,2" in answer_of(plan, loss=1234.0**2, std_error=1e4).sentence
    assert "about 2.9 (2.9 to 2.9)" in answer_of(plan, std_error=0.0).sentence


def test_a_plan_that_buys_nothing():
    answer = answer_of(select(moments_of(2), 0))
    assert (answer.attributes, answer.spent, answer.promised, answer.of_best) == ((), 0, 1, 1)
    assert len(answer.to_frame()) == 0
    assert json.loads(answer.to_json())["repeats"] == []


def test_how_good_it_is_may_not_be_known():
    plan = select(moments_of(2), 4)
    assert answer_of(Plan.from_json(plan.to_json())).of_best is None
    assert answer_of(replace(plan, bound_at=lambda _: np.inf)).of_best is None


def test_json_has_the_plan(beans):
    plan = select(moments_of(2), 4)
    document = json.loads(answer_of(plan).to_json(), parse_constant=pytest.fail)
    assert document["format"] == "manyjudges.answer/1"
    assert Plan.from_document(document["plan"]) == plan
