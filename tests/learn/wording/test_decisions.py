"""How an answer was decided, in plain words."""

from __future__ import annotations

import pytest

from manyjudges import choose
from manyjudges.learn.wording.decisions import decisions_of

CROWD, PILOT = (60, 4, 0), 2


@pytest.fixture(scope="module")
def decided(crowd, pilot):
    choice = choose(pilot, crowd.labels, 8, cv_repeats=1)
    return choice, decisions_of(choice)


def test_each_trial_is_told_and_the_plan_comes_last(decided):
    choice, told = decided
    assert len(told) == len(choice.trials) + 1
    assert [each.kept for each in told] == [*(trial.kept for trial in choice.trials), True]
    assert (told[-1].question, told[-1].error) == ("Plan", choice.error)
    assert told[-1].tried.startswith(choice.method)
    questions = list(dict.fromkeys(each.question for each in told))
    assert questions == ["Scale of ratings", "Workers", "Moments", "Predictor", "Plan"]


def test_one_way_of_each_question_is_kept(decided):
    _, told = decided
    for question in {each.question for each in told}:
        assert [each.kept for each in told if each.question == question].count(True) == 1


def test_what_was_asked_for_says_so(crowd, pilot):
    way = {"method": "full", "shrinkage": 0.0, "joint_moments": True}
    told = {each.question: each for each in decisions_of(choose(pilot, crowd.labels, 8, cv_repeats=1, **way))}
    assert (told["Moments"].tried, told["Moments"].why) == ("attributes and label together", "as asked for")
    assert (told["Plan"].tried, told["Workers"].why) == ("full", "switched off")
