from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Judgments, choose, select, simulate
from manyjudges.core.objective import expected_loss, weights
from manyjudges.exceptions import PlanError
from manyjudges.learn.choice import choose_from
from manyjudges.learn.comparison import compare
from manyjudges.learn.error_curve import curve_of
from manyjudges.learn.preparation.trials import PreparationOptions, prepare_judgments
from manyjudges.learn.training_data import match_training_data
from tests.support.messages import refused

CROWD, PILOT = (200, 8, 5), 2


def true_loss(crowd, moments, budget, *, method="full", shrinkage=0.0, ridge=0.0):
    """Loss on the population of a plan and its best linear predictor from some moments."""
    repeats = select(moments, budget, method=method, shrinkage=shrinkage, costs=crowd.costs or None).to_array()
    w = weights(moments.regularized(ridge=ridge), repeats)
    return expected_loss(crowd.truth, w, repeats, bias=moments.label_mean - w @ moments.means)


def losses_of_auto(kind, n, seeds):
    """True losses of plain Full and of what is chosen, both fitted to the pilot."""
    plain, chosen = [], []
    for seed in seeds:
        crowd = kind(n, seed)
        pilot = crowd.pilot(2)
        # The population is that of judgments as they are.
        way = {"costs": crowd.costs or None, "random_state": seed}
        choice = choose(pilot, crowd.labels, 40, rescale="none", cv_repeats=2, **way)
        terms = {"method": choice.method, "shrinkage": choice.shrinkage, "ridge": choice.predictor_ridge}
        data = match_training_data(pilot, crowd.labels)
        prepared = prepare_judgments(data, PreparationOptions(rescale="none"), **way)
        plain.append(true_loss(crowd, data.moments, 40))
        chosen.append(true_loss(crowd, prepared.moments, 40, **terms))
    return np.array(plain), np.array(chosen)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "least"), [(60, 0.05), (120, 0.02), (200, 0.0)])
def test_auto_is_better_than_full_on_small_samples(n, least):
    plain, chosen = losses_of_auto(lambda n, seed: simulate.gaussian(n, 40, random_state=seed), n, range(8))
    gain = 1 - chosen / plain
    assert gain.mean() > least
    assert gain.min() > -0.1


def uncorrelated(rng, n, d):
    """Attributes that have nothing to do with each other, all of them a little with the label."""
    truth = rng.normal(size=(n, d))
    X = truth[:, :, None] + rng.normal(size=(n, d, 2))
    return Judgments.from_array(X), truth @ np.full(d, 1 / np.sqrt(d)) + rng.normal(size=n)


def test_scoring_is_chosen_where_it_is_better():
    choices = []
    for seed in range(8):
        judgments, y = uncorrelated(np.random.default_rng(seed), 50, 20)
        choices.append(choose(judgments, y, 30, shrinkage=0.0, random_state=seed).method)
    assert choices.count("scoring") >= 6


@pytest.mark.slow
def test_a_choice_says_what_it_was_made_from(crowd, pilot):
    choice = choose(pilot, crowd.labels, 10, random_state=0)
    assert set(choice.considered.columns) == {
        "method",
        "shrinkage",
        "predictor_ridge",
        "loss",
        "std_error",
        "loss_after_refit",
    }
    assert choice.loss == pytest.approx(choice.considered["loss"].min(), rel=0.05)
    frame = choice.to_frame()
    assert list(frame.columns) == ["method", "shrinkage", "predictor_ridge", "error", "low", "high"]
    np.testing.assert_allclose(frame["error"] ** 2, choice.considered["loss"])
    assert ((frame["low"] >= 0) & (frame["low"] < frame["error"]) & (frame["error"] < frame["high"])).all()
    assert choice.error not in frame["error"].tolist(), "the best of many looks better than it is"
    assert "loss" not in repr(choice)
    assert choice.method in str(choice)
    only = choose(pilot, crowd.labels, 10, method="exchange", shrinkage="auto", tame_predictor=False, random_state=0)
    assert set(only.considered["method"]) == {"exchange"}
    assert set(only.considered["predictor_ridge"]) == {0.0}
    kept = choose(pilot, crowd.labels, 10, shrinkage=0.2, random_state=0)
    assert set(kept.considered["shrinkage"]) == {0.2}
    ahead = choose(pilot, crowd.labels, 10, look_ahead=True, random_state=0)
    np.testing.assert_allclose(ahead.considered["loss"], choice.considered["loss"])


def test_bad_choices(crowd, pilot):
    with refused(PlanError, value="a lot", column="shrinkage"):
        choose(pilot, crowd.labels, 10, shrinkage="a lot")
    with refused(PlanError, value="best", column="method"):
        choose(pilot, crowd.labels, 10, method="best")
    with refused(PlanError, value=2.0, column="shrinkage"):
        choose(pilot, crowd.labels, 10, shrinkage=2.0)
    with refused(PlanError, value="10", column="budget"):
        choose(pilot, crowd.labels, "10")


def test_choice_and_curve_come_from_one_cross_validation():
    crowd = simulate.gaussian(60, 5, random_state=3)
    data = match_training_data(crowd.pilot(2), crowd.labels)
    way, costs = {"tame_predictor": False, "cv_repeats": 1}, {"a0": 2.5}
    ticks = []
    compared = compare(data, [2, 4, 8, 16], costs=costs, **way, progress=lambda *at: ticks.append(at))
    choice, curve = compared.choice("auto", 2), curve_of(data, compared)
    alone = choose_from(data, 8, **way, costs=costs)
    assert choice.to_json() == alone.to_json()
    assert curve.budgets == (2, 4, 8, 16)
    assert (curve.loss[0, 2], curve.std_error[0, 2]) == (choice.loss, choice.std_error)
    plan = select(compared.moments("auto"), 8, method=choice.method, shrinkage=choice.shrinkage, costs=costs)
    assert curve.plans[0][2] == plan.with_answers(data.answers)
    assert ticks[-1] == (5 * len(choice.considered), 5 * len(choice.considered)), "each fold and candidate once"
    assert len(ticks) == 5 * len(choice.considered)
