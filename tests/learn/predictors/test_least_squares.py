"""Least squares of objects that come in blocks is least squares of all of them at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges.arrays.sums import MEAN_TOLERANCE
from manyjudges.learn.predictors.least_squares import Regression


def at_once(x, y):
    """Ordinary least squares of all objects, as a textbook has it."""
    centre, middle = x.mean(axis=0), y.mean()
    away = x - centre
    scale = np.sqrt((away * away).mean(axis=0))
    flat = scale <= MEAN_TOLERANCE * np.abs(centre)
    away[:, flat], scale[flat] = 0.0, 1.0
    w = np.linalg.lstsq(away / scale, y - middle, rcond=None)[0] / scale
    error = y - middle - away @ w
    return w, middle - centre @ w, error @ error / max(len(y) - 1 - x.shape[1], 1)


def in_blocks(x, y, cuts):
    regression = Regression(x.shape[1])
    for rows in np.split(np.arange(len(y)), sorted(cuts)):
        regression.add(x[rows], y[rows])
    return regression.solve()


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 6), st.lists(st.integers(0, 40), max_size=4))
def test_blocks_may_be_cut_anywhere(seed, n, d, cuts):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-6, 6, d) + 10.0 ** rng.integers(-3, 6, d)
    y = rng.normal(size=n) + 100
    found, wanted = in_blocks(x, y, [cut for cut in cuts if cut <= n]), at_once(x, y)
    if n > d + 1:
        np.testing.assert_allclose(found[0], wanted[0], rtol=1e-5, atol=1e-9 * np.abs(wanted[0]).max())
    predicted, other = x @ found[0] + found[1], x @ wanted[0] + wanted[1]
    np.testing.assert_allclose(predicted, other, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found[2], wanted[2], rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("cuts", [[], [3], [1, 20]])
def test_columns_that_say_nothing_have_no_weight(cuts):
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.normal(size=30), np.full(30, 0.1), rng.normal(size=30)])
    x[:, 1] += np.where(np.arange(30) % 2, 1e-17, 0.0)
    y = 2 * x[:, 0] - x[:, 2] + 5
    coefficients, bias, variance = in_blocks(x, y, cuts)
    np.testing.assert_allclose(coefficients, [2, 0, -1], atol=1e-9)
    assert bias == pytest.approx(5)
    assert variance == pytest.approx(0, abs=1e-20)


def test_columns_that_are_copies_share_the_weight():
    rng = np.random.default_rng(1)
    one = rng.normal(size=50)
    coefficients, *_ = in_blocks(np.column_stack([one, one]), 3 * one, [10, 30])
    np.testing.assert_allclose(coefficients, [1.5, 1.5])
