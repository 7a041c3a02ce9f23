from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Moments, MomentsError, simulate
from manyjudges.core.estimation import error_of_means, raw_covariance
from manyjudges.exceptions import DataWarning
from manyjudges.learn.diagnosis import FEW_PAIRS, check_data
from tests.judges.test_dependence import crowd as shared_crowd


def kinds(found):
    return [concern.kind for concern in found]


def second_judgments(crowd, n):
    """One judgment of every pair, and a second one on n objects only."""
    frame = crowd.pilot(2).to_frame()
    first = frame.groupby(["object", "attribute"]).cumcount() == 0
    return frame[first | frame["object"].isin(crowd.objects[:n])]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "make",
    [
        lambda seed: simulate.height_weight(880, random_state=seed),
        lambda seed: simulate.gaussian(500, 10, random_state=seed),
        lambda seed: simulate.jelly_beans(200, random_state=seed),
    ],
)
def test_a_healthy_crowd_gives_none(make, seed):
    crowd = make(seed)
    pilot = crowd.pilot(2)
    assert check_data(Moments.estimate(pilot, crowd.labels), pilot) == ()


def test_few_objects():
    crowd = simulate.gaussian(60, 20, random_state=0)
    (found,) = check_data(Moments.estimate(crowd.pilot(3), crowd.labels))
    assert found.kind == "few_objects"
    assert found.values == {"n_objects": 60, "n_attributes": 20, "enough": 100}
    assert "60 objects for 20 attributes" in str(found)
    assert "100 objects or more" in str(found)


def test_thirty_objects_are_the_fewest():
    crowd = simulate.gaussian(30, 2, random_state=0)
    assert kinds(check_data(Moments.estimate(crowd.pilot(3)[:29], crowd.labels[:29]))) == ["few_objects"]
    assert check_data(Moments.estimate(crowd.pilot(3), crowd.labels)) == ()


def test_a_known_truth_gives_no_concern():
    truth = simulate.gaussian(10, 5, random_state=0).truth
    assert check_data(truth) == ()


def test_negative_eigenvalues():
    crowd = simulate.gaussian(100, 10, noise=(8.0, 15.0), random_state=0)
    moments = Moments.estimate(crowd.pilot(2), crowd.labels)
    (found,) = check_data(moments)
    assert found.kind == "negative_eigenvalues"
    assert 0.2 <= found.values["share"] < 1
    assert found.values["smallest"] < 0
    assert "comes out negative" in str(found)
    assert check_data(moments.regularized(shrinkage=0.1)) == ()


@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_the_share_is_that_of_all_eigenvalues(rng, gaps):
    block = 0.3 * rng.normal(size=(40, 12, 1)) + rng.normal(size=(40, 12, 2))
    block[:, 4] = 1.0
    block[rng.random(block.shape) < gaps] = np.nan
    moments = Moments.estimate(Judgments.from_array(block), rng.normal(size=40))
    (found,) = [concern for concern in check_data(moments) if concern.kind == "negative_eigenvalues"]
    sums, used = moments.sums, np.flatnonzero(moments.scale)
    raw = raw_covariance(sums, error_of_means(sums, moments.noise, np.zeros(12, dtype=bool)))[np.ix_(used, used)]
    values = np.linalg.eigvalsh(raw / np.outer(moments.scale[used], moments.scale[used]))
    assert found.values["share"] == pytest.approx(-values[values < 0].sum() / np.abs(values).sum())
    assert found.values["smallest"] == pytest.approx(values[0])
    assert (found.values["negative"], found.values["of"]) == ((values < 0).sum(), 11)


def test_negative_eigenvalues_do_not_depend_on_units():
    crowd = simulate.gaussian(100, 10, noise=(8.0, 15.0), random_state=0)
    frame = crowd.pilot(2).to_frame()
    (one,) = check_data(Moments.estimate(Judgments.from_frame(frame), crowd.labels))
    frame.loc[frame["attribute"] == "a3", "value"] *= 2.54
    (other,) = check_data(Moments.estimate(Judgments.from_frame(frame), crowd.labels))
    assert one.values["share"] == pytest.approx(other.values["share"])


def test_many_judgments_cure_negative_eigenvalues():
    crowd = simulate.gaussian(100, 10, noise=(8.0, 15.0), random_state=0)
    assert check_data(Moments.estimate(crowd.pilot(60), crowd.labels)) == ()


def test_few_pairs():
    crowd = simulate.gaussian(200, 3, random_state=0)
    moments = Moments.estimate(Judgments.from_frame(second_judgments(crowd, FEW_PAIRS - 1)), crowd.labels)
    (found,) = [concern for concern in check_data(moments) if concern.kind == "few_pairs"]
    assert found.values["attributes"] == ("a0", "a1", "a2")
    assert found.values["pairs"] == (19, 19, 19)
    assert found.values["relative_error"] == pytest.approx([np.sqrt(2 / 19)] * 3)
    assert "'a0', 'a1', 'a2'" in str(found)
    assert "32%" in str(found)
    enough = Moments.estimate(Judgments.from_frame(second_judgments(crowd, FEW_PAIRS)), crowd.labels)
    assert "few_pairs" not in kinds(check_data(enough))


def test_only_the_attributes_with_few_pairs_are_named():
    crowd = simulate.gaussian(200, 3, random_state=0)
    full, thin = crowd.pilot(2).to_frame(), second_judgments(crowd, 10)
    frame = pd.concat([full[full["attribute"] != "a1"], thin[thin["attribute"] == "a1"]])
    found = check_data(Moments.estimate(Judgments.from_frame(frame), crowd.labels))
    assert [concern.values["attributes"] for concern in found if concern.kind == "few_pairs"] == [("a1",)]


def test_what_is_noiseless_needs_no_pairs():
    crowd = simulate.gaussian(200, 3, random_state=0)
    measured = Judgments.from_frame(second_judgments(crowd, 10))
    assert check_data(Moments.estimate(measured, crowd.labels, noiseless=measured.attributes)) == ()


def test_an_attribute_that_never_changes_is_left_out(rng):
    block = rng.normal(size=(60, 3, 2))
    block[:, 1] = 1.0
    judgments = Judgments.from_array(block)
    labels = block[:, 0].mean(axis=1) + rng.normal(size=60)
    assert all(np.isfinite(c.values.get("share", 0)) for c in check_data(Moments.estimate(judgments, labels)))


def test_dependent_workers(rng):
    judgments = Judgments.from_frame(shared_crowd(rng, n_objects=200, halo=0.7))
    moments = Moments.estimate(judgments, rng.normal(size=200))
    assert "dependent_workers" not in kinds(check_data(moments))
    found = check_data(moments, judgments)[-1]
    assert found.kind == "dependent_workers"
    assert found.values["halo"] == pytest.approx(0.7, abs=0.1)
    assert "move together" in str(found)


def test_workers_who_cannot_be_checked_are_no_concern(rng):
    judgments = Judgments.from_array(rng.normal(size=(50, 2, 4)) + rng.normal(size=(50, 2, 1)))
    assert check_data(Moments.estimate(judgments, rng.normal(size=50)), judgments) == ()


def test_every_message_ends_with_what_to_do():
    crowd = simulate.gaussian(15, 10, noise=(8.0, 15.0), random_state=1)
    found = check_data(Moments.estimate(crowd.pilot(2), crowd.labels))
    assert kinds(found) == ["few_objects", "negative_eigenvalues", "few_pairs"]
    for concern in found:
        assert str(concern).endswith(".")
        assert any(word in str(concern).split(". ")[-1] for word in ("Judge", "Collect"))


def test_warnings_can_be_sent_and_compared():
    one = DataWarning("too few", "few_objects", {"n_objects": 3})
    again = pickle.loads(pickle.dumps(one))
    assert (str(again), again.kind, again.values) == ("too few", "few_objects", {"n_objects": 3})
    assert again == one
    assert hash(again) == hash(one)
    assert one != DataWarning("too few", "few_objects", {"n_objects": 4})
    assert one != DataWarning("too few", "few_pairs", {"n_objects": 3})
    assert one != "too few"


def test_a_concern_can_be_warned_of():
    crowd = simulate.gaussian(12, 3, random_state=0)
    concern = check_data(Moments.estimate(crowd.pilot(3), crowd.labels))[0]
    with pytest.warns(DataWarning, match="12 objects"):
        warnings.warn(concern, stacklevel=1)


def test_copies_of_one_opinion():
    """Six copies of one opinion are not six opinions."""
    crowd = simulate.jelly_beans(n_objects=60, random_state=0)
    once = crowd.pilot(1).to_frame()
    copies = Judgments.from_frame(pd.concat([once.assign(worker=f"copy {i}") for i in range(6)]))
    found = {warning.kind: warning for warning in check_data(Moments.estimate(copies, crowd.labels), copies)}
    assert found["identical_judgments"].values == {"attributes": ("number of beans",)}
    assert "six copies are not six opinions" in str(found["identical_judgments"])
    said = Moments.estimate(copies, crowd.labels, noiseless=["number of beans"])
    assert "identical_judgments" not in {warning.kind for warning in check_data(said, copies)}


def test_concerns_are_about_moments():
    with pytest.raises(MomentsError, match="needs Moments, not DataFrame"):
        check_data(pd.DataFrame())
