from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, simulate
from manyjudges.exceptions import JudgmentsError, ManyJudgesError
from manyjudges.learn.checks import check_data, raise_stops
from manyjudges.learn.checks.check import CheckedData, Failed, NotApplicable, Passed
from manyjudges.learn.checks.leaks import CHECK
from manyjudges.learn.training_data import load_training_data, match_training_data
from tests.support.checks import JARS, JUDGED_JARS, frame_of_jars, training_with
from tests.support.messages import refused


def test_the_label_as_an_attribute_stops():
    with refused(JudgmentsError, value="Grade", column="Grade"):
        raise_stops(training_with(Grade=JARS.labels))
    (result,) = check_data(training_with(Grade=JARS.labels)).stops
    assert result.check.code == "MJ502"
    assert result.outcome.values["attributes"] == ("Grade",)
    assert check_data(training_with(Grade=JARS.labels)).warnings[0].severity == "stop"  # at the top


def test_a_transformed_label_is_found_and_not_called_equal():
    with refused(JudgmentsError, value="log grade", column="log grade"):
        raise_stops(training_with(**{"log grade": -np.log(JARS.labels)}))


def test_many_leaks_are_named_together():
    facts = {f"copy {i}": JARS.labels * i for i in range(1, 6)}
    with refused(JudgmentsError, value="copy 1", column="copy 1"):
        raise_stops(training_with(**facts))


def test_an_attribute_that_was_named_noiseless_never_stops():
    data = training_with(noiseless=["Grade"], Grade=JARS.labels)
    raise_stops(data)
    assert isinstance(CHECK.run(CheckedData.of(data)), Passed)


def test_honest_judgments_pass_however_good_they_are():
    good = JUDGED_JARS.assign(
        value=JUDGED_JARS["object"].map(JARS.labels) + np.random.default_rng(0).normal(size=len(JUDGED_JARS)) / 100
    )
    data = match_training_data(Judgments.from_frame(good), JARS.labels)
    raise_stops(data)


def test_a_leak_is_said_before_moments_are_refused_for_it():
    """Of a column that came along, each object may have one value, of which no noise can be estimated."""
    once = pd.DataFrame(
        {"object": JARS.labels.index, "attribute": "Grade", "worker": "file", "value": JARS.labels.to_numpy()}
    )
    data = match_training_data(Judgments.from_frame(pd.concat([JUDGED_JARS, once])), JARS.labels)
    with refused(JudgmentsError, value="Grade", column="Grade"):
        raise_stops(data)


def test_stops_can_be_muted_by_code_and_unknown_codes_are_refused():
    data = training_with(Grade=JARS.labels)
    raise_stops(data, mute=["MJ502", "MJ101"])
    with pytest.raises(JudgmentsError):
        raise_stops(data, mute=["MJ101"])
    with pytest.raises(ManyJudgesError) as error:
        raise_stops(data, mute=["MJ999"])
    assert error.value.value == "MJ999"


def test_a_scanned_table_stops_too():
    with refused(JudgmentsError, value="Grade", column="Grade"):
        raise_stops(load_training_data(iter([frame_of_jars(Grade=JARS.labels)]), JARS.labels))


def test_moments_without_sums_are_not_judged():
    assert isinstance(CHECK.run(CheckedData.of(simulate.gaussian(30, 3, random_state=0).truth)), NotApplicable)


def test_moments_with_sums_are_enough():
    data = training_with(Grade=JARS.labels)
    assert isinstance(CHECK.run(CheckedData.of(data.moments, data.table)), Failed)
