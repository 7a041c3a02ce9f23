from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Judgments, Moments
from manyjudges.judges import check_independence
from manyjudges.learn.checks.check import CheckedData, Failed, NotApplicable, Passed
from manyjudges.learn.checks.dependent_workers import CHECK
from tests.support.checks import kinds, warnings_of
from tests.support.dependent import crowd as shared_crowd


def test_dependent_workers(rng):
    judgments = Judgments.from_frame(shared_crowd(rng, n_objects=200, halo=0.7))
    moments = Moments.estimate(judgments, rng.normal(size=200))
    assert "dependent_workers" not in kinds(warnings_of(moments))
    found = warnings_of(moments, judgments)[-1]
    assert found.kind == "dependent_workers"
    assert found.values["halo"] == pytest.approx(0.7, abs=0.1)
    assert "move together" in str(found)
    assert str(found) == check_independence(judgments).message  # one wording for both


def test_workers_who_cannot_be_checked_are_no_concern(rng):
    judgments = Judgments.from_array(rng.normal(size=(50, 2, 4)) + rng.normal(size=(50, 2, 1)))
    assert warnings_of(Moments.estimate(judgments, rng.normal(size=50)), judgments) == ()


def test_it_needs_workers_who_can_be_compared(rng):
    labels = rng.normal(size=50)
    judgments = Judgments.from_array(rng.normal(size=(50, 2, 4)))
    moments = Moments.estimate(judgments, labels)
    alone = Judgments.from_frame(judgments.to_frame().assign(worker=[f"w{i}" for i in range(400)]))
    outcomes = [CHECK.run(CheckedData.of(moments, each)) for each in (None, judgments, alone)]
    assert [type(each) for each in outcomes] == [NotApplicable] * 3
    assert len({each.reason for each in outcomes}) == 3


def test_independent_workers_pass(rng):
    judgments = Judgments.from_frame(shared_crowd(rng, n_objects=200, halo=0.0))
    moments = Moments.estimate(judgments, rng.normal(size=200))
    assert isinstance(CHECK.run(CheckedData.of(moments, judgments)), Passed)


def test_few_workers_with_biases_of_their_own(rng):
    bias = np.repeat(rng.normal(size=(1, 2, 3)), 200, axis=0)
    frame = Judgments.from_array(rng.normal(size=(200, 2, 1)) + 2 * bias + rng.normal(size=(200, 2, 3))).to_frame()
    frame["worker"] = frame.groupby(["object", "attribute"]).cumcount().map("w{}".format)
    judgments = Judgments.from_frame(frame)
    outcome = CHECK.run(CheckedData.of(Moments.estimate(judgments, rng.normal(size=200)), judgments))
    assert isinstance(outcome, Failed)
    assert outcome.values["shared_noise"] > 0.25
