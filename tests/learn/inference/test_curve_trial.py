"""A curve is kept where held-out objects say so, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Judgments, select
from manyjudges.learn.inference.curve_trial import FoldPredictions, predict_folds, try_curve
from manyjudges.learn.training_data import match_training_data


def world(kind, seed=0, n=100, d=2):
    """Judgments of attributes on which the label depends by a straight line, or by a parabola."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, d))
    judgments = Judgments.from_array(truth[:, :, None] + 0.4 * rng.normal(size=(n, d, 3)))
    y = truth[:, 0] + (2 * truth[:, 0] ** 2 if kind == "curved" else truth[:, 1]) + 0.5 * rng.normal(size=n)
    data = match_training_data(judgments, y)
    return select(data.moments, 6, max_repeats=[3] * d), data


@pytest.fixture(scope="module", params=["straight", "curved"])
def tried(request):
    return request.param, try_curve(*world(request.param))


def test_a_curve_is_kept_where_there_is_one(tried):
    kind, trial = tried
    assert trial.kept is (kind == "curved")
    if kind == "curved":
        assert trial.share < 0.8
        assert trial.folds.curves.shape[1] == 2, "a forest is worth its time"
    else:
        assert trial.share > 0.9


def test_a_forest_is_not_grown_where_a_kernel_sees_no_curve():
    shapes = [try_curve(*world("straight", seed)).folds.curves.shape[1] for seed in range(3)]
    assert 1 in shapes


def test_weights_of_an_object_come_from_other_folds():
    rng = np.random.default_rng(0)
    fold = np.arange(40) % 4
    away, linear, curves = rng.normal(size=40), rng.normal(size=40), rng.normal(size=(40, 2))
    before = FoldPredictions(fold, away, linear, linear, curves).stacked()
    changed = away.copy()
    changed[fold == 1] += 5
    after = FoldPredictions(fold, changed, linear, linear, curves).stacked()
    np.testing.assert_array_equal(after[fold == 1], before[fold == 1])
    weights = FoldPredictions(fold, away, linear, linear, curves).weights()
    assert (weights >= 0).all()


def test_units_of_the_label_do_not_matter():
    plan, data = world("curved", n=60)
    other = match_training_data(data.in_memory, data.known_labels * 2.54 + 10)
    one, two = try_curve(plan, data), try_curve(plan, other)
    assert two.loss == pytest.approx(2.54**2 * one.loss, rel=1e-3)
    assert two.linear_loss == pytest.approx(2.54**2 * one.linear_loss)


def test_there_is_nothing_to_try_on_few_objects_or_with_an_empty_plan():
    plan, data = world("curved", n=39)
    assert try_curve(plan, data) is None
    plan, data = world("curved", n=60)
    assert try_curve(select(data.moments, 0), data) is None
    way = {"ridge": 0.0, "cv": 5, "random_state": 0}
    once = match_training_data(data.in_memory.first(dict.fromkeys(data.attributes, 1)), data.known_labels)
    assert predict_folds(plan, once, **way) is None, "the noise of single judgments is not known"


def test_attributes_and_judgments_that_are_all_alike_do_not_stop_it():
    values = np.ones((60, 2, 2))
    values[:, 0] = np.random.default_rng(0).normal(size=(60, 2))
    data = match_training_data(Judgments.from_array(values), np.random.default_rng(1).normal(size=60))
    trial = try_curve(select(data.moments, 4), data)
    assert trial is None or np.isfinite(trial.loss)
