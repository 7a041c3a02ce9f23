"""Joint moments: attributes and label have one covariance matrix, and a small sample exaggerates reliabilities less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Moments, select, simulate
from manyjudges.core.joint import joint_moments
from tests.support.plain import random_moments, unbalanced_frame


def estimated(seed, n=25, d=8):
    crowd = simulate.gaussian(n, d, random_state=seed)
    return Moments.estimate(crowd.pilot(2), crowd.labels)


def whole_matrix(moments):
    """Attributes and label together, in standard deviations of the label and of means of judgments."""
    scale = np.sqrt(np.append(moments.variances + moments.noise, moments.label_variance))
    matrix = np.block(
        [[moments.covariance, moments.cross[:, None]], [moments.cross[None, :], np.array([[moments.label_variance]])]]
    )
    return matrix / np.outer(scale, scale)


@pytest.mark.parametrize("seed", range(5))
def test_attributes_and_label_are_positive_semi_definite_together(seed):
    plain = estimated(seed)
    together = joint_moments(plain)
    assert np.linalg.eigvalsh(whole_matrix(together)).min() > -1e-9
    assert (together.variances >= together.cross**2 / together.label_variance * (1 - 1e-9)).all()
    assert together.label_variance == plain.label_variance
    np.testing.assert_allclose(together.covariance, together.covariance.T)


def test_apart_they_are_not():
    """So few objects that the paper's moments promise to explain more than there is."""
    plain = [estimated(seed, n=12, d=10) for seed in range(5)]
    assert min(np.linalg.eigvalsh(whole_matrix(each)).min() for each in plain) < -0.01
    promised = [select(each, 40).explained / each.label_variance for each in plain]
    assert max(promised) > 1
    for each in plain:
        together = joint_moments(each)
        assert select(together, 40).explained <= together.label_variance * (1 + 1e-9)


def test_reliabilities_come_nearer_to_their_mean_and_single_judgments_vary_as_before():
    plain = estimated(3, n=200)
    # Nothing is far from positive semi-definite here, so that shrinking is nearly all that is done.
    together = joint_moments(plain)
    before, after = (each.variances / (each.variances + each.noise) for each in (plain, together))
    assert after.std() < before.std()
    np.testing.assert_allclose(together.variances + together.noise, plain.variances + plain.noise, rtol=0.02)


def test_equal_reliabilities_seen_through_much_noise_are_nearly_made_equal():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(30, 20))
    values = truth[:, :, None] + rng.normal(size=(30, 20, 2))
    plain = Moments.estimate(Judgments.from_array(values), rng.normal(size=30))
    together = joint_moments(plain)
    before, after = (each.variances / (each.variances + each.noise) for each in (plain, together))
    assert before.std() > 0.1
    assert after.std() < before.std() / 2


def test_units_do_not_matter():
    frame = unbalanced_frame(np.random.default_rng(1))
    labels = pd.Series(np.random.default_rng(2).normal(size=30), index=sorted(frame["object"].unique()))
    scale = {"a": 2.54, "b": 1000.0, "c": 1e-3}
    other = frame.assign(value=frame["value"] * frame["attribute"].map(scale) + 7)
    plain, converted = (
        joint_moments(Moments.estimate(Judgments.from_frame(each), y))
        for each, y in ((frame, labels), (other, labels * 10))
    )
    units = np.array([scale[name] for name in plain.attributes])
    np.testing.assert_allclose(converted.covariance, plain.covariance * np.outer(units, units), rtol=1e-7)
    np.testing.assert_allclose(converted.noise, plain.noise * units**2, rtol=1e-9)
    np.testing.assert_allclose(converted.cross, plain.cross * units * 10, rtol=1e-7)


def test_order_of_attributes_does_not_matter():
    plain = estimated(4)
    crowd = simulate.gaussian(25, 8, random_state=4)
    pilot = crowd.pilot(2)
    turned = joint_moments(Moments.estimate(pilot.only(pilot.attributes[::-1]), crowd.labels))
    np.testing.assert_allclose(turned.covariance[::-1, ::-1], joint_moments(plain).covariance, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(turned.noise[::-1], joint_moments(plain).noise, rtol=1e-9)


def test_moments_that_were_given_keep_their_reliabilities():
    given = random_moments(np.random.default_rng(0), 6)
    together = joint_moments(given)
    np.testing.assert_allclose(together.noise, given.noise)
    np.testing.assert_allclose(together.covariance, given.covariance, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(together.cross, given.cross, rtol=1e-6)


def test_attributes_without_noise_and_without_variance_stay_so():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 5, 2)) + rng.normal(size=(30, 5, 1))
    values[:, 0] = 3.0
    values[:, 1, 1] = values[:, 1, 0]
    together = joint_moments(Moments.estimate(Judgments.from_array(values), rng.normal(size=30)))
    assert (together.noise[0], together.noise[1]) == (0, 0)
    assert together.variances[0] == pytest.approx(0, abs=1e-12)
    assert np.isfinite(together.covariance).all()


def test_judgments_that_are_all_alike_do_not_stop_it():
    values = np.ones((10, 4, 2))
    together = joint_moments(Moments.estimate(Judgments.from_array(values), np.arange(10.0)))
    assert not together.covariance.any()
    assert not together.cross.any()


def test_an_attribute_varies_as_much_as_its_covariance_with_the_label_demands():
    given = random_moments(np.random.default_rng(5), 4, noiseless=0)
    small = given.covariance.copy()
    small[0, 0] = given.cross[0] ** 2 / given.label_variance / 2
    together = joint_moments(replace(given, matrix=type(given.matrix)(small)))
    assert together.variances[0] >= together.cross[0] ** 2 / together.label_variance * (1 - 1e-9)
