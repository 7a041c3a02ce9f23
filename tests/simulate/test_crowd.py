from __future__ import annotations

import csv
from importlib import resources

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

from manyjudges import Judgments, ManyJudgesError, Moments, select, simulate
from manyjudges.simulate.crowd import indicator_covariance
from tests.support.messages import refused

CROWDS = [simulate.gaussian, simulate.jelly_beans, simulate.height_weight]


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


def test_covariance_of_indicators(rng):
    for _ in range(20):
        h, k, rho = rng.normal(), rng.normal(), rng.uniform(-0.99, 0.99)
        both = multivariate_normal([0, 0], [[1, rho], [rho, 1]]).cdf([h, k])
        one, two = (multivariate_normal(0, 1).cdf(x) for x in (h, k))
        got = indicator_covariance(np.array([[0.5, rho], [rho, 0.5]]), np.array([h, k]))[0, 1]
        assert got == pytest.approx(both - one * two, abs=1e-6)


def test_the_same_seed_gives_the_same_crowd():
    frames = [simulate.height_weight(20, random_state=3).pilot(2).to_frame() for _ in range(2)]
    assert frames[0].equals(frames[1])
    assert not simulate.height_weight(20, random_state=4).pilot(2).to_frame().equals(frames[0])


def test_nobody_judges_the_same_pair_twice():
    crowd = simulate.jelly_beans(10, random_state=0)
    requests = pd.DataFrame({"object": crowd.objects, "attribute": "beautiful", "count": 3})
    total = crowd.pilot(2)
    for _ in range(3):
        total = total + Judgments.from_frame(crowd.judge(requests))
    assert (total.counts()["beautiful"] == 11).all()
    twice = pd.concat([requests, requests])
    assert len(Judgments.from_frame(crowd.judge(twice))) == 60


def test_following_a_plan_buys_exactly_that():
    crowd = simulate.jelly_beans(30, random_state=0)
    plan = select(crowd.truth, 9)
    counts = crowd.follow(plan).counts()
    assert counts.iloc[0].to_dict() == plan.repeats
    assert (counts == counts.iloc[0]).all().all()


def test_new_objects_are_new():
    crowd = simulate.jelly_beans(5, random_state=0)
    first, second = crowd.more(5), crowd.more(5)
    assert not set(crowd.objects) & set(first.objects)
    assert not set(first.objects) & set(second.objects)


def test_unknown_names_are_named():
    with refused(ManyJudgesError):
        simulate.height_weight(label="age")
    crowd = simulate.jelly_beans(3)
    with refused(ManyJudgesError):
        crowd.judge(pd.DataFrame({"object": ["jar"], "attribute": ["beautiful"], "count": [1]}))
