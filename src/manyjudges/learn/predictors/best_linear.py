"""The best linear predictor: weighs every judgment that there is of an object (docs/paper.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.types import Floats, Integers
from manyjudges.core.moments import Moments
from manyjudges.core.objective import expected_loss, solve_psd, weights
from manyjudges.core.plan import Plan
from manyjudges.learn.inference.calibration import as_ridge, calibrate, error_variance
from manyjudges.learn.predictors.linear import ChosenCells, HasFit, LinearFit
from manyjudges.learn.training_data import TrainingData

_PATTERNS_AT_ONCE = 1 << 20
"""Matrix entries solved together, when objects differ in how often they were judged: 8 MB of doubles."""

_SAME_SHARE = 1e-6
"""Share of the label's variance by which what saved coefficients explain may miss what their moments say.

Far more than rounding changes on another machine, and far less than an edit that anybody would notice.
"""


def fit_best_linear(
    plan: Plan, data: TrainingData, *, moments: Moments | None, ridge: float | str, rng: np.random.Generator
) -> LinearFit:
    """Fit to all judgments of the attributes that a plan chose."""
    chosen = data.only(plan.repeats)
    amount = as_ridge(ridge, plan, chosen, rng)
    # The ridge tames coefficients of a small sample; the promise that is calibrated is the tamed one.
    own = (chosen.moments if moments is None else moments.subset(chosen.attributes)).regularized(ridge=amount)
    own = own.to_numpy()
    # Two things of one fit: the weights of the plan's own numbers of judgments, to show, and moments, from which the
    # weights of any other numbers follow.
    coefficients, bias = _planned(own, np.array(list(plan.repeats.values()), dtype=np.int64))
    # On the training objects, and so too small; it only stands in where nothing better is known (``_variance``).
    squares = sum(float(((weigh(block.cells(), own)[0] - y) ** 2).sum()) for block, y in chosen.blocks())
    residual = squares / chosen.n_objects
    calibration = calibrate(plan, data, own, ridge=amount, rng=rng)
    # Followed, the plan promises bᵀw of the label's variance.
    variance = _variance(own, calibration, residual, float(coefficients @ own.cross))
    return LinearFit(coefficients, bias, float(np.sqrt(variance)), residual, own, calibration, ridge=amount)


def predict_best_linear(fit: HasFit, chosen: ChosenCells) -> tuple[Floats, Floats]:
    """Prediction of each object, from whatever judgments of it there are, and the deviation of its error."""
    own = _moments_of(fit)
    predictions, promised = weigh(chosen.cells, own)
    return predictions, np.sqrt(_variance(own, fit.calibration, fit.residual_variance, promised))


def _planned(moments: Moments, repeats: Integers) -> tuple[Floats, float]:
    """Coefficients and bias of the best linear predictor when the plan is followed."""
    coefficients = weights(moments, repeats)
    return coefficients, moments.label_mean - float(coefficients @ moments.means)


def verify_best_linear(fit: HasFit, repeats: Integers) -> bool:
    """Whether a fit's coefficients are those of its moments.

    By what they predict: coefficients of nearly collinear attributes differ between machines, predictions do not.
    """
    own = _moments_of(fit)
    coefficients, bias = _planned(own, repeats)
    # Both by what they explain under the moments in the file, where the best linear weights are the maximum.
    best = own.label_variance - expected_loss(own, coefficients, repeats, bias=bias)
    other = own.label_variance - expected_loss(own, fit.coefficients, repeats, bias=fit.bias)
    return bool(abs(best - other) <= _SAME_SHARE * own.label_variance)


def weigh(cells: Cells, moments: Moments, *, at_once: int = _PATTERNS_AT_ONCE) -> tuple[Floats, Floats]:
    """Prediction for objects with n[a] judgments, cross_S (Σ_S + Diag(v/n)_S)⁻¹, and what the moments promise of it.

    S is the set of attributes that an object has judgments of. One system is solved for each pattern of counts, not
    for each object; about ``at_once`` entries of these systems at a time.
    """
    if cells.uniform is None:
        patterns, which = np.unique(cells.count, axis=0, return_inverse=True)
    else:
        patterns, which = cells.count[:1], np.zeros(len(cells.count), dtype=np.int64)
    which = which.reshape(-1)
    w = np.zeros(patterns.shape)
    step = max(1, at_once // max(patterns.shape[1] ** 2, 1))
    for start in range(0, len(patterns), step):
        part = patterns[start : start + step]
        there = part > 0
        # Rows and columns of attributes without judgments are 0, and so is their side of the equation: w is 0 there.
        matrix = np.where(there[:, :, None] & there[:, None, :], moments.covariance, 0.0)
        diagonal = np.arange(part.shape[1])
        matrix[:, diagonal, diagonal] += np.where(there, moments.noise / np.maximum(part, 1), 0.0)
        # Least squared error for x̄ with the second moment Σ_S + Diag(v/n)_S:
        # w = (Σ_S + Diag(v/n)_S)⁻¹ b_S.
        w[start : start + step] = solve_psd(matrix, np.where(there, moments.cross, 0.0))
    # A missing attribute says nothing: it is left at its mean, and its weight is 0.
    away = np.where(cells.count > 0, cells.mean - moments.means, 0.0)
    predictions = moments.label_mean + np.einsum("ij,ij->i", away, w[which])
    # b'w is the label variance that the pattern's judgments explain: obj of the object's own numbers.
    return predictions, (w @ moments.cross)[which]


def _moments_of(fit: HasFit) -> Moments:
    if fit.moments is None:
        raise ValueError("a best linear fit keeps its moments")
    return fit.moments


def _variance(moments: Moments, calibration: Any, residual_variance: float, promised: Any) -> Any:
    """Variance of the error where the moments promise to explain so much.

    Moments of too small a sample may promise an error below zero; the one on the training objects then stands in.
    """
    variance = error_variance(moments, calibration, promised)
    return np.where(variance > 0, variance, residual_variance)
