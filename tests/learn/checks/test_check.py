from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Judgments, Moments, simulate
from manyjudges.exceptions import MomentsError
from manyjudges.learn.checks.check import CheckedData, Failed


def test_moments_are_needed():
    with pytest.raises(MomentsError) as error:
        CheckedData.of(3)
    assert error.value.value == 3


def test_moments_are_brought_into_memory():
    crowd = simulate.gaussian(40, 3, random_state=0)
    data = CheckedData(Moments.estimate(crowd.pilot(2), crowd.labels))
    assert isinstance(data.moments.noise, np.ndarray)


def test_independence_is_asked_once_and_only_where_workers_are_named():
    crowd = simulate.gaussian(40, 3, random_state=0)
    judgments = crowd.pilot(2)
    moments = Moments.estimate(judgments, crowd.labels)
    assert CheckedData(moments).independence is None
    nameless = Judgments.from_frame(judgments.to_frame().drop(columns="worker"))
    assert CheckedData(moments, nameless).independence is None
    data = CheckedData(moments, judgments)
    assert data.independence is data.independence
    assert CheckedData(moments, judgments, workers=data.independence).independence is data.independence


def test_a_failure_says_what_why_and_what_to_do():
    assert Failed("A.", "B.", "C.").message == "A. B. C."
