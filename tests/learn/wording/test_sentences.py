"""Sentences: an answer in words."""

from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Moments, select
from manyjudges.learn.wording.sentences import what_to_buy, what_to_expect


def moments_of(d, names=None, least=0.5):
    names = [f"a{i}" for i in range(d)] if names is None else names
    return Moments.from_values(np.linspace(1, least, d), np.ones(d), np.eye(d), 16.0, attributes=names, label_mean=70.0)


def bought(plan, *, worse=False):
    rows = plan.to_frame()
    return what_to_buy(plan, list(rows.index), rows["repeats"].tolist(), worse=worse)


def expected(error=2.9, low=2.69, high=3.1, baseline=4.0, budget=3):
    return what_to_expect(select(moments_of(2), budget), error, low, high, baseline)


def test_what_to_buy():
    plan = select(moments_of(2, ["tall", "male"]), 22)
    assert bought(plan) == "For each object, buy 15 judgments of “tall” and 7 of “male”, at a cost of 22."
    assert bought(plan, worse=True) == (
        "As things stand, buy nothing: 15 judgments of “tall” and 7 of “male”, at a cost of 22, would not help."
    )


@pytest.mark.parametrize(
    ("d", "budget", "words"),
    [
        (1, 1, "buy 1 judgment of “a0”, at a cost of 1."),
        (1, 2.5, "buy 2 judgments of “a0”, at a cost of 2 of 2.5."),
        (7, 7, "1 of “a5” and 1 more attribute, at a cost of 7."),
        (9, 9, "1 of “a5” and 3 more attributes, at a cost of 9."),
        (2, 0, "Within a budget of 0, there is nothing worth buying."),
        (2, 0.5, "A budget of 0.5 is too small to buy anything: the cheapest judgment costs 1."),
    ],
)
def test_one_and_many(d, budget, words):
    assert words in bought(select(moments_of(d, least=0.9), budget))


def test_names_stand_on_one_line():
    sentence = bought(select(moments_of(2, ["", "a\nb\u202e"]), 22))
    assert "“(no name)”" in sentence
    assert "“a b”" in sentence


@pytest.mark.parametrize(
    ("errors", "sentence"),
    [
        ({}, "Expect to be off by about 2.9 (2.7 to 3.1); guessing the mean would be off by 4.0."),
        (
            {"high": 4.1},
            "Expect to be off by about 2.9 (2.7 to 4.1); guessing the mean would be off by 4.0. Whether the judgments "
            "help is not sure.",
        ),
        (
            {"error": 4.2, "high": 4.9},
            "Expect to be off by about 4.2 (2.7 to 4.9). No better than guessing the mean, off by 4.0.",
        ),
        ({"low": 0.0}, "Expect to be off by about 2.9 (up to 3.1); guessing the mean would be off by 4.0."),
        (
            {"error": 0.0, "low": 0.0, "high": 1.2},
            "The error to expect cannot be told apart from zero: it is at most about 1.2; guessing the mean would be "
            "off by 4.0.",
        ),
        ({"error": None}, "The error to expect was not estimated."),
        ({"budget": 0}, "Expect to be off by about 2.9 (2.7 to 3.1) when always guessing the mean."),
    ],
)
def test_what_to_expect(errors, sentence):
    assert expected(**errors) == sentence


def test_digits_follow_the_error():
    assert "about 2.90 (2.89 to 2.91)" in expected(2.9, 2.89, 2.91)
    assert "about 1,234 (1,226 to 1,242)" in expected(1234.0, 1226.0, 1242.0, 2000.0)
    assert "about 2.9 (2.9 to 2.9)" in expected(2.9, 2.9, 2.9)
    assert "off by 1.2." in expected(57.0, 20.0, 99.0, 1.23), "a baseline has two digits, too"
