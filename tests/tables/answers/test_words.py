"""Words: the ladders and pairs that are made of what the languages say."""

from __future__ import annotations

from manyjudges.tables.answers.words import known_ladders, known_pairs


def ladder(title):
    return next(each for each in known_ladders() if each.title == title)


def test_ladders_have_their_steps_in_order():
    agreement = ladder("agreement (English)")
    assert [step[0] for step in agreement.steps] == [
        "strongly disagree",
        "disagree",
        "somewhat disagree",
        "neither agree nor disagree",
        "somewhat agree",
        "agree",
        "strongly agree",
    ]
    assert agreement.offered[-1] == tuple(range(7))
    assert agreement.step_of["neutral"] == 3


def test_opposites_are_filled_into_degrees():
    satisfaction = ladder("satisfaction (English)")
    assert [step[0] for step in satisfaction.steps] == [
        "extremely dissatisfied",
        "very dissatisfied",
        "dissatisfied",
        "somewhat dissatisfied",
        "neither dissatisfied nor satisfied",
        "somewhat satisfied",
        "satisfied",
        "very satisfied",
        "extremely satisfied",
    ]
    assert satisfaction.step_of["indifferent"] == 4
    assert satisfaction.step_of["very unsatisfied"] == 1


def test_pairs_have_both_numbers():
    assert {"yes": 1, "no": 0, "y": 1, "n": 0}.items() <= known_pairs()[0].items()
    assert all(set(pair.values()) == {0, 1} for pair in known_pairs())
