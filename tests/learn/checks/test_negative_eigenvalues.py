from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Judgments, Moments, simulate
from manyjudges.core.estimation import error_of_means, raw_covariance
from manyjudges.learn.checks.check import CheckedData, NotApplicable, Passed
from manyjudges.learn.checks.negative_eigenvalues import CHECK
from tests.support.checks import warnings_of


def test_negative_eigenvalues():
    crowd = simulate.gaussian(100, 10, noise=(8.0, 15.0), random_state=0)
    moments = Moments.estimate(crowd.pilot(2), crowd.labels)
    (found,) = warnings_of(moments)
    assert found.kind == "negative_eigenvalues"
    assert 0.2 <= found.values["share"] < 1
    assert found.values["smallest"] < 0
    assert "comes out negative" in str(found)
    assert warnings_of(moments.regularized(shrinkage=0.1)) == ()


@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_the_share_is_that_of_all_eigenvalues(rng, gaps):
    block = 0.3 * rng.normal(size=(40, 12, 1)) + rng.normal(size=(40, 12, 2))
    block[:, 4] = 1.0
    block[rng.random(block.shape) < gaps] = np.nan
    moments = Moments.estimate(Judgments.from_array(block), rng.normal(size=40))
    (found,) = [concern for concern in warnings_of(moments) if concern.kind == "negative_eigenvalues"]
    sums, used = moments.sums, np.flatnonzero(moments.scale)
    raw = raw_covariance(sums, error_of_means(sums, moments.noise, np.zeros(12, dtype=bool)))[np.ix_(used, used)]
    values = np.linalg.eigvalsh(raw / np.outer(moments.scale[used], moments.scale[used]))
    assert found.values["share"] == pytest.approx(-values[values < 0].sum() / np.abs(values).sum())
    assert found.values["smallest"] == pytest.approx(values[0])
    assert (found.values["negative"], found.values["of"]) == ((values < 0).sum(), 11)


def test_negative_eigenvalues_do_not_depend_on_units():
    crowd = simulate.gaussian(100, 10, noise=(8.0, 15.0), random_state=0)
    frame = crowd.pilot(2).to_frame()
    (one,) = warnings_of(Moments.estimate(Judgments.from_frame(frame), crowd.labels))
    frame.loc[frame["attribute"] == "a3", "value"] *= 2.54
    (other,) = warnings_of(Moments.estimate(Judgments.from_frame(frame), crowd.labels))
    assert one.values["share"] == pytest.approx(other.values["share"])


def test_many_judgments_cure_negative_eigenvalues():
    crowd = simulate.gaussian(100, 10, noise=(8.0, 15.0), random_state=0)
    assert warnings_of(Moments.estimate(crowd.pilot(60), crowd.labels)) == ()


def test_an_attribute_that_never_changes_is_left_out(rng):
    block = rng.normal(size=(60, 3, 2))
    block[:, 1] = 1.0
    judgments = Judgments.from_array(block)
    labels = block[:, 0].mean(axis=1) + rng.normal(size=60)
    assert all(np.isfinite(c.values.get("share", 0)) for c in warnings_of(Moments.estimate(judgments, labels)))


def test_regularized_moments_do_not_know_where_they_come_from():
    crowd = simulate.gaussian(100, 10, random_state=0)
    moments = Moments.estimate(crowd.pilot(2), crowd.labels)
    assert isinstance(CHECK.run(CheckedData.of(moments)), Passed)
    assert isinstance(CHECK.run(CheckedData.of(moments.regularized(shrinkage=0.1))), NotApplicable)
