"""ℓ_r, the unbiased squared error under any repeats, against the paper's formula one object at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments, Moments, simulate
from manyjudges.arrays.sums import Sums
from manyjudges.core.objective import expected_loss, weights
from manyjudges.learn.inference.fold_sums import FoldSums
from manyjudges.learn.labels.number import held_out_losses

SEEDS = st.integers(0, 1_000_000)


def plain_loss(judged, y, w, r, means, label_mean):
    """ℓ_r of the paper, one object after the other; every pair has two judgments or more."""
    total = 0.0
    for values, label in zip(judged, y, strict=True):
        prediction, correction = label_mean, 0.0
        for i in np.flatnonzero(r):
            x = values[i][~np.isnan(values[i])]
            prediction += w[i] * (x.mean() - means[i])
            correction += w[i] ** 2 * x.var(ddof=1) * (1 / r[i] - 1 / len(x))
        total += (prediction - label) ** 2 + correction
    return total


@given(seed=SEEDS, d=st.integers(1, 5))
def test_the_quadratic_form_is_the_loss_of_each_object(seed, d):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, d, 4)) + 3 * rng.normal(size=(24, d, 1))
    X[:, :, 2:][rng.random((24, d, 2)) < 0.4] = np.nan
    y = rng.normal(size=24)
    judgments = Judgments.from_array(X)
    trained = Moments.estimate(judgments[:12], y[:12])
    w, r = rng.normal(size=d), rng.integers(0, 9, size=d)
    parts = [Sums.over(judgments[at].blocks(), y[at]) for at in (slice(12, 17), slice(17, 24))]
    losses = held_out_losses(parts, trained, w, r)
    expected = [
        plain_loss(X[at], y[at], w, r, trained.means, trained.label_mean) for at in (slice(12, 17), slice(17, 24))
    ]
    np.testing.assert_allclose(losses, expected, rtol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
def test_the_loss_is_unbiased_for_more_judgments_than_there_are(k):
    """The paper's Lemma on ℓ_r: from k judgments, the loss under any repeats."""
    crowd = simulate.gaussian(40_000, 6, random_state=1)
    rng = np.random.default_rng(0)
    w, r = rng.normal(size=6), np.array([1, 2, 5, 40, 0, 3])
    trained = Moments.from_values(
        crowd.truth.cross,
        crowd.truth.noise,
        crowd.truth.covariance,
        crowd.truth.label_variance,
        attributes=crowd.attributes,
        means=crowd.truth.means,
        label_mean=crowd.truth.label_mean,
    )
    judgments, y = crowd.pilot(k).match(crowd.labels)
    parts = FoldSums.of(judgments, y, 100, (), rng)
    losses = held_out_losses(parts.sums, trained, w, r) / 400
    true = expected_loss(crowd.truth, w * (r > 0), r, bias=None)
    assert losses.mean() == pytest.approx(true, abs=4 * losses.std() / 10)


def test_objects_that_lack_attributes_do_not_bias_the_loss():
    crowd = simulate.gaussian(20_000, 4, random_state=2)
    rng = np.random.default_rng(0)
    frame = crowd.pilot(3).to_frame()
    some = Judgments.from_frame(frame[rng.random(len(frame)) < 0.6])
    judgments, y = some.match(crowd.labels, unmatched="drop")
    w, r = np.array([0.5, -0.3, 0.8, 0.1]), np.array([2, 5, 1, 3])
    parts = FoldSums.of(judgments, y, 50, (), rng)
    sizes = np.array([part.n_objects for part in parts.sums])
    losses = held_out_losses(parts.sums, crowd.truth, w, r) / sizes
    assert losses.mean() == pytest.approx(expected_loss(crowd.truth, w, r), abs=4 * losses.std() / np.sqrt(50))


def test_attributes_without_noise_stay_without():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3, 1))
    y = X[:, 0, 0] + rng.normal(size=60)
    judgments = Judgments.from_array(X)
    trained = Moments.estimate(judgments, y, noiseless=judgments.attributes)
    w = np.array([1.0, 0.2, 0.0])
    parts = [Sums.over(judgments.blocks(), y)]
    errors = trained.label_mean + (X[:, :, 0] - trained.means) @ w - y
    np.testing.assert_allclose(held_out_losses(parts, trained, w, np.array([1, 3, 0])), [errors @ errors])


def test_weights_of_no_attributes():
    crowd = simulate.gaussian(30, 3, random_state=0)
    moments = Moments.estimate(crowd.pilot(2), crowd.labels)
    nothing = np.zeros(3, dtype=int)
    judgments, y = crowd.pilot(2).match(crowd.labels)
    losses = held_out_losses([Sums.over(judgments.blocks(), y)], moments, weights(moments, nothing), nothing)
    assert losses[0] == pytest.approx(((y - y.mean()) ** 2).sum())
