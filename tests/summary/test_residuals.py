"""Held-out predictions and their intervals."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from manyjudges import Judgments, Moments, fit_predictor, select, simulate
from manyjudges.exceptions import JudgmentsError, MomentsError, PlanError
from manyjudges.summary import IntervalCalibration, Residuals, held_out, interval_calibration
from manyjudges.summary.residuals import wilson
from tests.support.messages import refused


@pytest.fixture(scope="module")
def study(beans):
    crowd, pilot = beans
    plan = select(Moments.estimate(pilot, crowd.labels), 8)
    return pilot, crowd.labels, plan, held_out(pilot, crowd.labels, plan, cv=4, random_state=3)


def test_each_object_is_predicted_by_the_others(study):
    pilot, labels, plan, found = study
    y = pilot.match(labels)[1]
    assert found.objects.tolist() == pilot.objects.tolist()
    assert (found.labels == y).all()
    assert np.bincount(found.fold).tolist() == [30] * 4
    out = np.flatnonzero(found.fold == 2)
    rest = np.setdiff1d(np.arange(len(y)), out)
    predicted, deviations = fit_predictor(plan, pilot[rest], y[rest]).predict(pilot[out], return_std=True)
    assert found.predictions[out] == pytest.approx(predicted)
    assert found.deviations[out] == pytest.approx(deviations)


def test_an_object_has_no_part_in_its_own_prediction(study):
    pilot, labels, plan, found = study
    changed = labels.copy()
    changed.iloc[0] += 1e6
    again = held_out(pilot, changed, plan, cv=4, random_state=3)
    same = found.fold == found.fold[0]
    assert again.predictions[same] == pytest.approx(found.predictions[same])
    assert again.predictions[~same] != pytest.approx(found.predictions[~same])


def test_numbers(study):
    *_, found = study
    error = found.predictions - found.labels
    assert found.mean_error == pytest.approx(error.mean())
    assert found.rmse**2 == pytest.approx((error**2).mean())
    assert found.correlation == pytest.approx(stats.pearsonr(found.labels, found.predictions).statistic)
    assert found.r2 == pytest.approx(1 - (error**2).mean() / found.labels.var())
    assert found.to_frame()["error"].to_numpy() == pytest.approx(error)
    document = json.loads(found.to_json(), parse_constant=pytest.fail)
    assert document["rmse"] == found.rmse
    assert document["objects"][0] == found.objects[0]


def test_folds_are_repeated_by_their_seed(study):
    pilot, labels, plan, found = study
    assert (held_out(pilot, labels, plan, cv=4, random_state=3).fold == found.fold).all()
    assert (held_out(pilot, labels, plan, cv=4, random_state=4).fold != found.fold).any()


def test_a_plan_that_buys_nothing_guesses_the_mean(study):
    pilot, labels, plan, _ = study
    found = held_out(pilot, labels, plan.at(0), cv=4)
    first = found.fold == 0
    assert found.predictions[first] == pytest.approx(found.labels[~first].mean())
    assert np.isnan(found.correlation)
    assert found.r2 < 0.01
    assert json.loads(found.to_json())["correlation"] is None


@pytest.mark.parametrize(
    ("make", "budget"),
    [
        (lambda seed: simulate.jelly_beans(400, random_state=seed), 8),
        (lambda seed: simulate.gaussian(400, 8, random_state=seed), 12),
        (lambda seed: simulate.height_weight(400, random_state=seed), 20),
    ],
    ids=["jelly beans", "gaussian", "height"],
)
def test_intervals_hold_the_label_about_as_often_as_they_say(make, budget):
    crowd = make(2)
    pilot = crowd.pilot(2)
    plan = select(Moments.estimate(pilot, crowd.labels), budget, costs=crowd.costs, shrinkage=0.1)
    found = interval_calibration(held_out(pilot, crowd.labels, plan))
    assert found.covered == pytest.approx(found.levels, abs=0.07)
    assert found.n == 400
    assert ((found.low <= found.covered) & (found.covered <= found.high)).all()
    assert (np.diff(found.covered) >= 0).all()


def test_normal_errors_of_known_size(rng):
    n, deviation = 4000, rng.uniform(0.5, 3, 4000)
    labels = rng.normal(size=n)
    found = Residuals(np.arange(n), labels, labels + rng.normal(size=n) * deviation, deviation, np.arange(n) % 5)
    calibration = interval_calibration(found)
    inside = (calibration.low <= calibration.levels) & (calibration.levels <= calibration.high)
    assert inside.sum() >= 9
    assert calibration.to_frame()["level"].tolist() == list(calibration.levels)
    assert json.loads(calibration.to_json())["n"] == n


def test_wilson_as_scipy_has_it():
    for k in (0, 3, 20):
        low, high = wilson(k / 20, 20)
        assert (low, high) == pytest.approx(tuple(stats.binomtest(k, 20).proportion_ci(method="wilson")), abs=1e-4)


def test_certain_and_right_is_inside():
    same = np.arange(3.0)
    assert interval_calibration(Residuals(same, same, same, np.zeros(3), np.zeros(3, int))).covered.min() == 1


def test_attributes_without_noise_and_objects_without_judgments(rng):
    y = rng.normal(size=40)
    exact = [(f"o{i}", "exact", y[i] + 0.1 * rng.normal()) for i in range(40)]
    noisy = [(f"o{i}", "noisy", y[i] + rng.normal()) for i in range(0, 40, 2) for _ in range(1 + i % 4)]
    judged = Judgments.from_frame(pd.DataFrame(exact + noisy, columns=["object", "attribute", "value"]))
    labels = pd.Series(y, index=[f"o{i}" for i in range(40)])
    plan = select(Moments.estimate(judged, labels, noiseless=["exact"]), 3)
    found = held_out(judged, labels, plan, noiseless=["exact"])
    assert isinstance(interval_calibration(found), IntervalCalibration)
    assert found.r2 > 0.9


def test_wrong_questions(study):
    pilot, labels, plan, found = study
    with refused(JudgmentsError, value=[], column="judgments"):
        held_out([], labels, plan)
    for cv in (1, True, 2.5):
        with refused(PlanError, value=cv, column="cv"):
            held_out(pilot, labels, plan, cv=cv)
    with refused(PlanError, value=121, column="cv"):
        held_out(pilot, labels, plan, cv=121)
    with refused(PlanError, value=-1, column="random_state"):
        held_out(pilot, labels, plan, random_state=-1)
    with refused(PlanError, value=1, column="levels"):
        interval_calibration(found, levels=[1])


def test_a_fold_that_has_all_there_is_to_know():
    rows = [(f"o{i}", "a", float(i)) for i in range(6)] + [("o0", "a", 0.5)]
    judged = Judgments.from_frame(pd.DataFrame(rows, columns=["object", "attribute", "value"]))
    labels = pd.Series(np.arange(6.0), index=[f"o{i}" for i in range(6)])
    plan = select(Moments.estimate(judged, labels), 1)
    with refused(MomentsError, column="a"):
        held_out(judged, labels, plan, cv=3)
