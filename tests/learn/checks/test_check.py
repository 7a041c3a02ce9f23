from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Judgments, Moments, simulate
from manyjudges.exceptions import ManyJudgesError, MomentsError
from manyjudges.learn.checks.check import Check, CheckedData, Failed, Passed
from manyjudges.learn.training_data import TrainingData, match_training_data
from tests.support.messages import refused


def test_moments_are_needed():
    with pytest.raises(MomentsError) as error:
        CheckedData.of(3)
    assert error.value.value == 3


def test_moments_are_brought_into_memory():
    crowd = simulate.gaussian(40, 3, random_state=0)
    data = CheckedData.of(Moments.estimate(crowd.pilot(2), crowd.labels))
    assert isinstance(data.moments.noise, np.ndarray)


def test_independence_is_asked_once_and_only_where_workers_are_named():
    crowd = simulate.gaussian(40, 3, random_state=0)
    judgments = crowd.pilot(2)
    moments = Moments.estimate(judgments, crowd.labels)
    assert CheckedData.of(moments).independence is None
    nameless = Judgments.from_frame(judgments.to_frame().drop(columns="worker"))
    assert CheckedData.of(moments, nameless).independence is None
    data = CheckedData.of(moments, judgments)
    assert data.independence is data.independence
    assert CheckedData.of(moments, judgments, workers=data.independence).independence is data.independence


def test_a_failure_says_what_why_and_what_to_do():
    assert Failed("A.", "B.", "C.").message == "A. B. C."


def test_a_check_is_a_code_a_severity_a_title_and_a_function_of_training_data():
    def run(data: TrainingData):
        return Passed(f"{data.n_objects} objects, {len(data.attributes)} attributes, {len(data.known_labels)} labels.")

    check = Check("MJ199", "note", "Odd labels", run)
    assert (check.code, check.severity, check.title, check.kind) == ("MJ199", "note", "Odd labels", "MJ199")
    assert Check("MJ199", "note", "Odd labels", run, kind="odd_labels").kind == "odd_labels"
    crowd = simulate.gaussian(40, 3, random_state=0)
    data = match_training_data(crowd.pilot(2), crowd.labels)
    assert check.run(data) == check.run(CheckedData.of(data)) == Passed("40 objects, 3 attributes, 40 labels.")


def test_training_data_are_checked_with_the_moments_that_they_have():
    crowd = simulate.gaussian(40, 3, random_state=0)
    data = match_training_data(crowd.pilot(2), crowd.labels)
    checked = CheckedData.of(data)
    assert checked.moments is data.moments
    assert (checked.table, checked.n_objects) == (data.table, 40)
    moments = Moments.estimate(crowd.pilot(2), crowd.labels)
    assert (CheckedData.of(moments).attributes, CheckedData.of(moments).n_objects) == (crowd.attributes, 40)


@pytest.mark.parametrize("code", ["", 5, "MJ1 2", "MJ", "199", "mj199", "MJ199\n", None])
def test_a_code_is_letters_and_a_number(code):
    with refused(ManyJudgesError, value=code, column="code"):
        Check(code, "note", "Odd labels", Passed)
    assert Check("MY1", "note", "Odd labels", Passed).code == "MY1"


def test_only_known_severities():
    with refused(ManyJudgesError, value="fatal", column="severity"):
        Check("MJ199", "fatal", "Odd labels", Passed)
