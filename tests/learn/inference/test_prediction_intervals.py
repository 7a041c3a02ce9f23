"""How far intervals reach: as far as held-out predictions were off."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from manyjudges import fit_predictor, select, simulate
from manyjudges.core.moments import Moments
from manyjudges.exceptions import PlanError
from manyjudges.learn.inference.prediction_intervals import interval_quantiles, reach_of
from tests.support.messages import refused


def test_a_share_of_the_errors_lies_within_the_reach_of_that_share():
    errors = np.random.default_rng(0).standard_t(3, size=400)
    for level, reach in interval_quantiles(errors, np.full(400, 0.5)):
        within = np.mean(np.abs(errors) <= 0.5 * reach)
        assert level <= within <= level + 2 / 400


def test_of_errors_smaller_than_expected_only_the_shape_is_taken():
    """The plan was made with these objects."""
    errors = np.random.default_rng(0).standard_t(3, size=400)
    size = np.sqrt(np.mean(errors**2))
    wanted = interval_quantiles(errors, np.full(400, size))
    np.testing.assert_allclose(interval_quantiles(errors, np.full(400, 3 * size)), wanted)
    np.testing.assert_allclose(interval_quantiles(errors, np.full(400, size / 3)), [(a, 3 * b) for a, b in wanted])


def test_few_objects_say_nothing_of_rare_errors():
    errors = np.arange(1.0, 40.0)
    levels = [level for level, _ in interval_quantiles(errors, np.ones(39))]
    assert max(levels) == 0.95
    assert interval_quantiles(np.array([]), np.array([])) == ()


def test_deviations_of_zero_do_not_stop_it():
    [(_, reach), *_] = interval_quantiles(np.zeros(30), np.zeros(30))
    assert reach == 0


def test_reaches_between_shares_and_beyond_the_last():
    quantiles = ((0.5, 1.0), (0.9, 3.0))
    assert reach_of(0.5, quantiles) == pytest.approx(1.0)
    assert reach_of(0.9, quantiles) == pytest.approx(3.0)
    assert 1 < reach_of(0.7, quantiles) < 3
    assert reach_of(0.95, quantiles) == 3.0
    assert reach_of(0.99999, quantiles) == pytest.approx(norm.ppf(0.999995))
    assert reach_of(0.2, quantiles) < 1


def test_where_nothing_was_held_out_they_are_those_of_a_normal_distribution():
    assert reach_of(0.8, ()) == pytest.approx(1.2816, abs=1e-4)


@pytest.mark.parametrize("coverage", [0, 1, 0.0, 1.0, 95, -0.1, "0.95", float("nan"), None, True])
def test_what_is_no_share_is_refused(coverage):
    with refused(PlanError, value=coverage, column="coverage"):
        reach_of(coverage, ())


def test_intervals_hold_the_labels_of_new_objects_whatever_their_errors_look_like():
    """Labels with rare large deviations: intervals of a normal distribution would be too wide for half of them."""
    crowd = simulate.gaussian(900, 4, random_state=0)
    pilot, rng = crowd.pilot(2), np.random.default_rng(1)
    odd = rng.standard_t(2.5, size=900) * 3
    plan = select(Moments.estimate(pilot, crowd.labels), 6)
    first, second = pilot[:400], pilot[400:]
    labels = (crowd.labels + odd).iloc
    fitted = fit_predictor(plan, first, labels[:400])
    shares = {}
    for coverage in (0.5, 0.9):
        low, high = fitted.predict_interval(second, coverage)
        shares[coverage] = np.mean((low <= labels[400:]) & (labels[400:] <= high))
    assert shares[0.5] == pytest.approx(0.5, abs=0.06)
    assert shares[0.9] == pytest.approx(0.9, abs=0.04)
    low, high = fitted.predict_interval(second, 0.5)
    deviation = fitted.predict(second, return_std=True)[1]
    assert ((high - low) / 2 / deviation).max() < 0.9 * norm.ppf(0.75)
