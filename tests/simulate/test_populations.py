"""Which simulated crowds there are, and that they have the numbers that they say."""

from __future__ import annotations

import csv
from importlib import resources

import numpy as np
import pytest

from manyjudges import ManyJudgesError, Moments, select, simulate
from tests.support.messages import refused

CROWDS = [simulate.gaussian, simulate.jelly_beans, simulate.height_weight, simulate.essays]


@pytest.mark.slow
@pytest.mark.parametrize("make", CROWDS)
def test_the_truth_is_what_a_large_sample_estimates(make):
    crowd = make(n_objects=15_000, random_state=0)
    moments, truth = Moments.estimate(crowd.pilot(2), crowd.labels), crowd.truth
    sigma, label = np.sqrt(np.diag(truth.covariance)), np.sqrt(truth.label_variance)
    assert moments.attributes == truth.attributes == crowd.attributes
    np.testing.assert_allclose(moments.noise / truth.noise, 1, atol=0.06)
    np.testing.assert_allclose((moments.covariance - truth.covariance) / np.outer(sigma, sigma), 0, atol=0.09)
    np.testing.assert_allclose((moments.cross - truth.cross) / sigma / label, 0, atol=0.05)
    np.testing.assert_allclose((moments.means - truth.means) / sigma, 0, atol=0.05)
    assert moments.label_mean == pytest.approx(truth.label_mean, abs=0.05 * label)
    assert moments.label_variance == pytest.approx(truth.label_variance, rel=0.05)


@pytest.mark.parametrize("label", ["height", "weight"])
def test_height_and_weight_have_the_published_numbers(label):
    table = simulate.height_weight(10, label=label).truth.to_frame()
    with resources.files("manyjudges.simulate").joinpath("data/height_weight.csv").open() as file:
        rows = {row["attribute"]: row for row in csv.DictReader(file)}
    assert len(rows) == 39
    spread = {"height": 0.25, "weight": 0.18}[label]
    for name, row in rows.items():
        assert table.loc[name, "noise_ratio"] == pytest.approx(float(row["noise_ratio"]), rel=1e-5)
        assert table.loc[name, "correlation"] == pytest.approx(float(row[label]) / spread, abs=1e-5)


@pytest.mark.parametrize("label", ["age", None, ""])
def test_labels_that_there_are_not(label):
    with refused(ManyJudgesError, value=label, column="label"):
        simulate.height_weight(label=label)


@pytest.mark.parametrize("make", CROWDS)
@pytest.mark.parametrize("n_objects", [0, -1, 1.0, True, "10", None])
def test_numbers_of_objects_that_make_no_sense(make, n_objects):
    with refused(ManyJudgesError, value=n_objects, column="n_objects"):
        make(n_objects)


@pytest.mark.parametrize("r_squared", [0.1, 0.8, 0.99])
@pytest.mark.parametrize("n_attributes", [1, 5, 30])
def test_the_true_values_of_a_gaussian_crowd_explain_as_much_as_was_asked_for(r_squared, n_attributes):
    truth = simulate.gaussian(2, n_attributes, r_squared=r_squared, random_state=3).truth
    explained = truth.cross @ np.linalg.solve(truth.covariance, truth.cross)
    assert explained / truth.label_variance == pytest.approx(r_squared)
    np.testing.assert_allclose(np.diag(truth.covariance), 1)


def test_noise_of_a_gaussian_crowd_lies_in_its_range():
    noise = simulate.gaussian(2, 200, noise=(2.0, 2.5), random_state=0).truth.noise
    assert 2.0 <= noise.min() < 2.05
    assert 2.45 < noise.max() <= 2.5


@pytest.mark.parametrize("n_attributes", [1, 10, 11, 101])
def test_names_of_attributes_are_in_order_however_many_there_are(n_attributes):
    names = simulate.gaussian(2, n_attributes, random_state=0).attributes
    assert len(set(names)) == n_attributes
    assert list(names) == sorted(names)


def test_asking_whether_a_jar_is_round_or_beautiful_corrects_the_guess():
    """Guesses are too high for round jars and too low for beautiful ones, beyond what either says of the label."""
    truth = simulate.jelly_beans(2).truth
    at = [truth.attributes.index(name) for name in ("number of beans", "round jar", "beautiful")]
    weights = np.linalg.solve(truth.covariance[np.ix_(at, at)], truth.cross[at])
    assert weights[0] > 0
    assert weights[1] < 0
    assert weights[2] > 0
    assert truth.covariance[at[0], at[1]] > 0 > truth.covariance[at[0], at[2]]


def test_only_numeric_judgments_of_people_are_dear():
    crowd = simulate.height_weight(5, label="weight", random_state=0)
    assert crowd.costs == {"height (numerical)": 4.0, "weight (numerical)": 4.0}
    assert crowd.labels.name == "weight"
    frame = crowd.pilot(1).to_frame()
    numeric = frame["attribute"].isin(list(crowd.costs))
    assert set(frame.loc[~numeric, "value"]) <= {0.0, 1.0}
    assert not set(frame.loc[numeric, "value"]) <= {0.0, 1.0}


@pytest.mark.parametrize("seed", range(3))
def test_essays_are_rated_as_a_teacher_would_expect(seed):
    """Argument is worth asking several times, grammar once, and what overlaps with them or says nothing, never."""
    crowd = simulate.essays(300, random_state=seed)
    plan = select(crowd.truth, 8)
    assert plan.repeats == {"argument": 4, "clarity": 1, "evidence": 2, "grammar": 1}
    estimated = select(Moments.estimate(crowd.pilot(2), crowd.labels), 8).repeats
    assert estimated["argument"] >= 3
    assert "handwriting" not in estimated
    table = crowd.truth.to_frame()
    assert table.loc["handwriting", "correlation"] == 0
    assert table["icc"].idxmax() == "grammar"
    assert table["icc"].idxmin() == "originality"


def test_criteria_that_overlap_say_little_beyond_each_other():
    truth = simulate.essays(2).truth
    for one, other in (("clarity", "structure"), ("grammar", "vocabulary")):
        both = [truth.attributes.index(name) for name in (one, other)]
        alone = truth.cross[both[0]] ** 2 / truth.covariance[both[0], both[0]]
        together = truth.cross[both] @ np.linalg.solve(truth.covariance[np.ix_(both, both)], truth.cross[both])
        assert alone <= together < 1.1 * alone
