from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Moments
from manyjudges.core.objective import Posterior, expected_loss, explained, solve_psd, weights
from tests.support.plain import plain_explained, random_moments

SEEDS = st.integers(0, 100_000)


@given(SEEDS, st.integers(1, 7), st.integers(1, 7))
def test_explained_equals_the_pseudo_inverse(seed, d, rank):
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, d, rank=min(rank, d))
    repeats = rng.integers(0, 4, size=d)
    assert explained(moments, repeats) == pytest.approx(plain_explained(moments, repeats), rel=1e-6, abs=1e-9)


@given(SEEDS, st.integers(1, 7), st.integers(1, 7), st.integers(1, 200))
def test_knowledge_equals_the_pseudo_inverse(seed, d, rank, steps):
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, d, rank=min(rank, d))
    knowledge, repeats, total = Posterior(moments), np.zeros(d, dtype=int), 0.0
    for i in rng.integers(0, d, size=steps):
        gain = knowledge.gains()[i]
        added = knowledge.buy(int(i))
        assert added == pytest.approx(gain, rel=1e-9, abs=1e-15)
        repeats[i] += 1
        total += added
    scale = moments.label_variance
    assert total / scale == pytest.approx(plain_explained(moments, repeats) / scale, abs=1e-8)
    one_more = [plain_explained(moments, repeats + np.eye(d, dtype=int)[i]) for i in range(d)]
    np.testing.assert_allclose(total + knowledge.gains(), one_more, rtol=1e-6, atol=1e-7 * scale)


@given(SEEDS, st.integers(1, 6))
def test_weights_minimise_the_expected_loss(seed, d):
    rng = np.random.default_rng(seed)
    moments = random_moments(rng, d, noiseless=0)
    repeats = rng.integers(0, 4, size=d)
    w = weights(moments, repeats)
    best = expected_loss(moments, w, repeats)
    assert best == pytest.approx(moments.label_variance - explained(moments, repeats), rel=1e-8)
    for _ in range(5):
        other = w + np.where(repeats > 0, rng.normal(size=d), 0) * 0.1
        assert expected_loss(moments, other, repeats) >= best - 1e-9


def test_a_wrong_bias_adds_its_square():
    moments = Moments.from_values([1.0], [1.0], [[1.0]], 2.0, means=[3.0], label_mean=5.0)
    w = np.array([0.5])
    right = 5.0 - 0.5 * 3.0
    assert expected_loss(moments, w, np.array([1]), bias=right) == pytest.approx(
        expected_loss(moments, w, np.array([1]))
    )
    more = expected_loss(moments, w, np.array([1]), bias=right + 2) - expected_loss(moments, w, np.array([1]))
    assert more == pytest.approx(4)


def test_solving_many_at_once_is_solving_one_by_one(rng):
    roots = rng.normal(size=(5, 4, 3))
    matrices, right = roots @ roots.swapaxes(1, 2), rng.normal(size=(5, 4))
    together = solve_psd(matrices, right)
    for matrix, b, x in zip(matrices, right, together, strict=True):
        np.testing.assert_allclose(x, solve_psd(matrix, b), atol=1e-10)


@pytest.mark.parametrize("noise", [1e-6, 1.0, 100.0])
def test_gains_stay_exact_for_thousands_of_judgments(noise):
    moments = Moments.from_values([0.5], [noise], [[1.0]], 1.0)
    knowledge = Posterior(moments)
    for r in range(5000):
        exact = 0.25 * noise / ((r + noise) * (r + 1 + noise)) if r else 0.25 / (1 + noise)
        assert knowledge.buy(0) == pytest.approx(exact, rel=1e-9), r


def test_gains_of_chosen_attributes_are_as_exact(rng):
    covariance = np.array([[1.0, 0.6, 0.1], [0.6, 1.0, 0.3], [0.1, 0.3, 1.0]])
    moments = Moments.from_values([0.5, 0.2, 0.4], [1.0, 2.0, 0.5], covariance, 1.0)
    knowledge, repeats = Posterior(moments), np.zeros(3, dtype=int)
    for i in np.tile([0, 1, 2], 1000):
        knowledge.buy(int(i))
        repeats[i] += 1
    w = weights(moments, repeats)
    left = moments.noise / repeats * w  # q = b - Σw, in the form that does not cancel
    unknown = np.diag(
        np.diag(moments.noise / repeats)
        - np.diag(moments.noise / repeats)
        @ np.linalg.inv(covariance + np.diag(moments.noise / repeats))
        @ np.diag(moments.noise / repeats)
    )
    np.testing.assert_allclose(knowledge.gains(), left**2 / (unknown + moments.noise), rtol=1e-8)


def test_folding_with_collinear_noiseless_attributes_goes_on(rng):
    root = rng.normal(size=(6, 3))
    noise = np.array([0, 0, 0, 1.0, 1.0, 1.0])
    moments = Moments.from_values(root @ root.T @ np.ones(6), noise, root @ root.T, 500.0)
    knowledge, total, repeats = Posterior(moments), 0.0, np.zeros(6, dtype=int)
    for i in [0, 1, 2, *[3, 4, 5] * 100]:
        total += knowledge.buy(i)
        repeats[i] += 1
    assert total == pytest.approx(plain_explained(moments, repeats), rel=1e-7)
