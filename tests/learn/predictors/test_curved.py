"""The curved predictor: a straight line, and on top of it what the line misses."""

from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Judgments, Predictor, fit_predictor, select
from manyjudges.exceptions import PlanError
from manyjudges.learn.training_data import match_training_data
from tests.support.messages import refused


def parabola(seed, n=80, unit=1.0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, 2))
    judgments = Judgments.from_array(unit * (truth[:, :, None] + 0.3 * rng.normal(size=(n, 2, 3))))
    return judgments, truth[:, 0] + 2 * truth[:, 0] ** 2 + truth[:, 1]


@pytest.fixture(scope="module")
def fitted():
    judgments, y = parabola(0)
    plan = select(match_training_data(judgments, y).moments, 4)
    return plan, fit_predictor(plan, judgments, y, predictor="curved")


def test_it_predicts_new_objects_better_than_the_line(fitted):
    plan, curved = fitted
    linear = fit_predictor(plan, *parabola(0), predictor="best_linear")
    new, y = parabola(1)
    errors = [np.mean((model.predict(new) - y) ** 2) for model in (curved, linear)]
    assert errors[0] < 0.7 * errors[1]
    assert curved.deviation == pytest.approx(linear.deviation * np.sqrt(curved.curve.share))
    np.testing.assert_array_equal(curved.coefficients, linear.coefficients)


def test_it_comes_back_from_json_and_predicts_the_same(fitted):
    _, curved = fitted
    text = curved.to_json()
    again = Predictor.from_json(text)
    new, _ = parabola(2)
    np.testing.assert_array_equal(again.predict(new, return_std=True), curved.predict(new, return_std=True))
    assert again.to_json() == text


def test_units_of_judgments_hardly_matter(fitted):
    """Trees see values in single precision, so that a threshold may fall on the other side of a value."""
    plan, curved = fitted
    judgments, y = parabola(0, unit=2.54)
    other = fit_predictor(plan, judgments, y, predictor="curved")
    found, wanted = other.predict(parabola(1, unit=2.54)[0]), curved.predict(parabola(1)[0])
    assert np.abs(found - wanted).max() < 0.05 * y.std()


def test_few_objects_have_no_curve(fitted):
    plan, _ = fitted
    judgments, y = parabola(0, n=30)
    with refused(PlanError, value="curved", column="predictor"):
        fit_predictor(plan, judgments, y, predictor="curved")
