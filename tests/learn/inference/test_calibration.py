"""How large a predictor's errors are on new objects, and whether its intervals say so."""

from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Judgments, Moments, Predictor, fit_predictor, select, simulate
from manyjudges.base.seeds import generator
from manyjudges.exceptions import PlanError
from manyjudges.learn.inference.calibration import as_ridge, calibrate, error_variance
from manyjudges.learn.training_data import load_training_data
from tests.support.messages import refused

CROWD, PILOT = (150, 6, 5), 3


@pytest.fixture(scope="module")
def plan(crowd, pilot):
    return select(Moments.estimate(pilot, crowd.labels), 8)


@pytest.fixture(scope="module")
def fitted(crowd, pilot, plan):
    return fit_predictor(plan, pilot, crowd.labels)


def coverage(crowd, plan, fitted, change, rng):
    """Shares of new objects whose label lies within the intervals of 80 and 95 %."""
    new = crowd.more(500)
    frame = new.follow({name: n * (2 if change == "surplus" else 1) for name, n in plan.repeats.items()}).to_frame()
    if change == "missing":
        frame = frame[rng.random(len(frame)) > 0.4]
    judged, y = Judgments.from_frame(frame).match(new.labels, unmatched="drop")
    predicted, deviation = fitted.predict(judged, return_std=True)
    away = np.abs(predicted - y) / deviation
    return np.mean(away < 1.2816), np.mean(away < 1.96)


@pytest.mark.slow
@pytest.mark.parametrize("change", ["as planned", "missing", "surplus"])
@pytest.mark.parametrize("kind", ["gaussian", "height_weight"])
def test_intervals_cover_what_they_say(change, kind):
    covered, rng = [], np.random.default_rng(0)
    for seed in range(12):
        if kind == "gaussian":
            crowd = simulate.gaussian(200, 12, random_state=seed)
        else:
            crowd = simulate.height_weight(400, random_state=seed)
        pilot = crowd.pilot(2)
        plan = select(Moments.estimate(pilot, crowd.labels), 24, costs=crowd.costs or None)
        bought = pilot + Judgments.from_frame(crowd.judge(plan.missing(pilot)))
        covered.append(coverage(crowd, plan, fit_predictor(plan, bought, crowd.labels), change, rng))
    np.testing.assert_allclose(np.mean(covered, axis=0), [0.8, 0.95], atol=0.03)


def test_intervals_hold_where_the_moments_promise_far_too_much():
    """So few objects that a plan promises to explain nearly all there is, and explains half of it."""
    covered, promised = [], []
    for seed in range(12):
        crowd = simulate.gaussian(100, 20, random_state=seed)
        pilot = crowd.pilot(2)
        plan = select(Moments.estimate(pilot, crowd.labels), 40)
        fitted = fit_predictor(plan, pilot, crowd.labels)
        promised.append(plan.explained / plan.label_variance)
        covered.append(coverage(crowd, plan, fitted, "as planned", np.random.default_rng(seed)))
    assert np.mean(promised) > 0.7
    np.testing.assert_allclose(np.mean(covered, axis=0), [0.8, 0.95], atol=0.03)


def test_without_enough_to_hold_out_the_promise_is_taken_as_it_is():
    X = np.random.default_rng(0).normal(size=(6, 2, 2))
    X[1:, :, 1] = np.nan  # one object has two judgments: no fold can do without it
    judgments, y = Judgments.from_array(X), np.arange(6.0)
    plan = select(Moments.estimate(judgments, y), 3)
    fitted = fit_predictor(plan, judgments, y, predictor_ridge="auto")
    assert fitted.calibration == ()
    assert fitted.deviation > 0


def test_a_ridge_tames_the_coefficients(crowd, pilot, plan, fitted):
    tamed = fit_predictor(plan, pilot, crowd.labels, predictor_ridge=0.5)
    assert np.abs(tamed.coefficients).sum() < np.abs(fitted.coefficients).sum()
    assert Predictor.from_json(tamed.to_json()).coefficients.tolist() == tamed.coefficients.tolist()
    few = simulate.gaussian(50, 30, random_state=1)
    judged = few.pilot(2)
    small = select(Moments.estimate(judged, few.labels), 40)
    plain, auto = (fit_predictor(small, judged, few.labels, predictor_ridge=ridge) for ridge in (0, "auto"))
    assert auto.expected_loss(few.truth) < plain.expected_loss(few.truth)
    for wrong in ("much", -1):
        with refused(PlanError, value=wrong, column="predictor_ridge"):
            fit_predictor(plan, pilot, crowd.labels, predictor_ridge=wrong)


def test_many_objects_are_not_planned_again(crowd, pilot, plan):
    data = load_training_data(pilot, crowd.labels)
    own = data.only(plan.repeats).moments
    assert calibrate(plan, data, own, ridge=0.0, rng=generator(0), max_work=10) == ()
    assert len(calibrate(plan, data, own, ridge=0.0, rng=generator(0))) > 1


def test_calibration_knows_attributes_by_name(crowd, pilot):
    """Costs and caps of a plan belong to names, in whatever order a table has them."""
    X = np.stack([pilot.means(1).to_numpy(), 2 * pilot.means(2).to_numpy() - pilot.means(1).to_numpy()], axis=2)
    names = list(pilot.attributes)
    y = pilot.match(crowd.labels)[1]
    forward = Judgments.from_array(X, attributes=names)
    backward = Judgments.from_array(X[:, ::-1], attributes=names[::-1])
    plan = select(Moments.estimate(backward, y), 15, costs={"a0": 4}, max_repeats={"a2": 2})
    one, other = (fit_predictor(plan, table, y) for table in (forward, backward))
    np.testing.assert_allclose(one.calibration, other.calibration, rtol=1e-9)


def test_between_promises_what_held_out_objects_showed_is_interpolated(fitted):
    moments = fitted.moments
    variance, unsure = moments.label_variance, moments.label_variance / moments.n_objects
    pairs = ((0.4 * variance, 0.3 * variance), (0.8 * variance, 0.5 * variance))
    explained = [
        variance + unsure - error_variance(moments, pairs, share * variance) for share in (0, 0.2, 0.4, 0.6, 0.8, 1)
    ]
    np.testing.assert_allclose(explained, np.array([0, 0.15, 0.3, 0.4, 0.5, 0.5]) * variance, atol=1e-12)
    assert error_variance(moments, (), 0.4 * variance) == pytest.approx(0.6 * variance)


def test_a_plan_of_nothing_promises_nothing_to_be_calibrated(crowd, pilot, plan):
    data = load_training_data(pilot, crowd.labels)
    nothing = plan.at(0)
    assert calibrate(nothing, data, data.only(nothing.repeats).moments, ridge=0.0, rng=generator(0)) == ()


def test_a_ridge_that_somebody_gave_is_taken_as_it_is(crowd, pilot, plan):
    data = load_training_data(pilot, crowd.labels).only(plan.repeats)
    assert as_ridge(0.25, plan, data, generator(0)) == 0.25
    assert as_ridge("auto", plan, data, generator(0)) == as_ridge("auto", plan, data, generator(0)) >= 0
    with refused(PlanError, value="automatic", column="predictor_ridge") as info:
        as_ridge("automatic", plan, data, generator(0))
    assert info.value.value == "automatic"


def test_of_a_large_table_without_noise_the_textbook_says_what_is_lost_on_new_objects():
    """Against the true loss of least squares on 200 small tables, each of them taken to be large."""
    said, true = [], []
    names = [f"x{i}" for i in range(6)]
    w = np.linspace(-1, 1, 6)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(40, 6))
        y = x @ w + rng.normal(size=40)
        judgments = Judgments.from_array(x[:, :, None], attributes=names)
        data = load_training_data(judgments, y, noiseless=names)
        plan = select(data.moments, 6)
        own = data.only(plan.repeats).moments
        ((promised, honest),) = calibrate(plan, data, own, ridge=0.0, rng=generator(0), max_work=1)
        assert promised == pytest.approx(plan.explained)
        said.append(own.label_variance - honest)
        fitted = fit_predictor(plan, judgments, y, predictor="least_squares")
        missed = np.append(w - fitted.to_frame()["coefficient"].reindex(names).fillna(0), fitted.bias)
        true.append(1 + missed @ missed)
    assert np.mean(said) == pytest.approx(np.mean(true), rel=0.05)


def test_with_hardly_more_objects_than_coefficients_nothing_is_said():
    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(6)]
    data = load_training_data(
        Judgments.from_array(rng.normal(size=(8, 6, 1)), attributes=names), rng.normal(size=8), noiseless=names
    )
    plan = select(data.moments, 6)
    assert len(plan.repeats) == 6
    own = data.only(plan.repeats).moments
    assert calibrate(plan, data, own, ridge=0.0, rng=generator(0), max_work=1) == ()
