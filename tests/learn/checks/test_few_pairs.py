from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Moments, simulate
from manyjudges.learn.checks.check import CheckedData, NotApplicable, Passed
from manyjudges.learn.checks.few_pairs import CHECK, MIN_PAIRS
from tests.support.checks import kinds, warnings_of


def second_judgments(crowd, n):
    """One judgment of every pair, and a second one on n objects only."""
    frame = crowd.pilot(2).to_frame()
    first = frame.groupby(["object", "attribute"]).cumcount() == 0
    return frame[first | frame["object"].isin(crowd.objects[:n])]


def test_few_pairs():
    crowd = simulate.gaussian(200, 3, random_state=0)
    moments = Moments.estimate(Judgments.from_frame(second_judgments(crowd, MIN_PAIRS - 1)), crowd.labels)
    (found,) = [concern for concern in warnings_of(moments) if concern.kind == "few_pairs"]
    assert found.values["attributes"] == ("a0", "a1", "a2")
    assert found.values["pairs"] == (19, 19, 19)
    assert found.values["relative_error"] == pytest.approx([np.sqrt(2 / 19)] * 3)
    assert "'a0', 'a1', 'a2'" in str(found)
    assert "32%" in str(found)
    enough = Moments.estimate(Judgments.from_frame(second_judgments(crowd, MIN_PAIRS)), crowd.labels)
    assert "few_pairs" not in kinds(warnings_of(enough))


def test_only_the_attributes_with_few_pairs_are_named():
    crowd = simulate.gaussian(200, 3, random_state=0)
    full, thin = crowd.pilot(2).to_frame(), second_judgments(crowd, 10)
    frame = pd.concat([full[full["attribute"] != "a1"], thin[thin["attribute"] == "a1"]])
    found = warnings_of(Moments.estimate(Judgments.from_frame(frame), crowd.labels))
    assert [concern.values["attributes"] for concern in found if concern.kind == "few_pairs"] == [("a1",)]


def test_what_is_noiseless_needs_no_pairs():
    crowd = simulate.gaussian(200, 3, random_state=0)
    measured = Judgments.from_frame(second_judgments(crowd, 10))
    assert warnings_of(Moments.estimate(measured, crowd.labels, noiseless=measured.attributes)) == ()


def test_where_all_is_noiseless_or_pairs_are_not_known():
    crowd = simulate.gaussian(200, 3, random_state=0)
    moments = Moments.estimate(crowd.pilot(2), crowd.labels, noiseless=crowd.attributes)
    assert isinstance(CHECK.run(CheckedData.of(moments)), NotApplicable)
    assert isinstance(CHECK.run(CheckedData.of(crowd.truth)), NotApplicable)
    assert isinstance(CHECK.run(CheckedData.of(Moments.estimate(crowd.pilot(2), crowd.labels))), Passed)
