"""Ratings on a scale: who gives them, which numbers they are, and what they come to on average."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import Moments, simulate
from manyjudges.judges import check_independence
from manyjudges.learn import check_data


@pytest.fixture(scope="module")
def crowd():
    return simulate.essays(300, random_state=0)


@pytest.fixture(scope="module")
def ratings(crowd):
    return crowd.pilot(2).to_frame()


def test_ratings_are_whole_numbers_of_the_scale_and_grades_whole_points(crowd, ratings):
    assert set(ratings["value"]) == {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}
    grades = simulate.essays(20_000, random_state=1).labels
    assert (grades == grades.round()).all()
    assert grades.between(0, 100).all()
    assert grades.max() >= 98
    assert crowd.labels.name == "grade"
    assert crowd.objects[0] == "essay 0001"


def test_a_grader_rates_all_criteria_of_an_essay_and_there_are_forty(ratings):
    sheets = ratings.groupby(["object", "worker"], observed=True)["attribute"].nunique()
    assert len(sheets) == 600
    assert set(sheets) == {8}
    assert sorted(ratings["worker"].unique()) == [f"grader {i:03d}" for i in range(40)]


def test_no_grader_rates_a_pair_twice_even_when_all_have_rated_it():
    crowd = simulate.essays(2, random_state=0)
    first = crowd.judge(pd.DataFrame({"object": ["essay 0001"], "attribute": ["grammar"], "count": [30]}))
    second = crowd.judge(pd.DataFrame({"object": ["essay 0001"], "attribute": ["grammar"], "count": [25]}))
    workers = [*first["worker"], *second["worker"]]
    assert len(set(workers)) == 55
    assert set(workers[:40]) == {f"grader {i:03d}" for i in range(40)}


def test_values_are_what_graders_say_on_average():
    crowd = simulate.essays(3, random_state=4)
    judged = crowd.judge(pd.DataFrame({"object": "essay 0002", "attribute": list(crowd.attributes), "count": 4000}))
    means = judged.groupby("attribute")["value"].mean()
    np.testing.assert_allclose(means, crowd.values.loc["essay 0002", means.index], atol=0.08)


def test_some_graders_are_stricter_than_others_each_about_other_criteria():
    crowd = simulate.essays(4000, random_state=2)
    table = crowd.pilot(2).to_frame()
    lean = table.pivot_table(index="worker", columns="attribute", values="value", observed=True)
    assert 0.25 < lean["argument"].std() < 0.6
    assert lean["argument"].std() > 1.5 * lean["grammar"].std() > 0
    among = lean.corr().to_numpy()[np.triu_indices(8, 1)]
    assert abs(np.mean(among)) < 0.15
    assert np.abs(among).max() < 0.6


def test_nothing_is_wrong_with_the_data(crowd):
    pilot = crowd.pilot(2)
    assert not check_independence(pilot).broken
    assert check_data(Moments.estimate(pilot, crowd.labels), judgments=pilot).warnings == ()
