"""Least squares on the means of exactly as many judgments as planned (the paper's step 4)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.sums import MEAN_TOLERANCE
from manyjudges.arrays.types import Floats
from manyjudges.base.messages import quote_value
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.exceptions import JudgmentsError, MissingJudgmentsError
from manyjudges.learn.predictors.linear import ChosenCells, HasFit, LinearFit
from manyjudges.learn.training_data import TrainingData

_EPSILON = float(np.finfo(float).eps)


def fit_least_squares(
    plan: Plan, data: TrainingData, *, moments: Moments | None, ridge: float | str, rng: np.random.Generator
) -> LinearFit:
    """Fit to the first judgments of each pair, as many as planned; moments, a ridge and chance have no part in it."""
    chosen, missing, regression = data.only(plan.repeats), list[pd.DataFrame](), Regression(len(plan.repeats))
    for judgments, y in chosen.blocks(in_order=True):
        missing.append(plan.missing(judgments))
        if not any(map(len, missing)):
            # The first r[a] judgments, not all: least squares must see means as noisy as those that it will be given.
            regression.add(judgments.means(plan.repeats).to_numpy(), y)
    _check_enough(pd.concat(missing, ignore_index=True))
    coefficients, bias, variance = regression.solve()
    return LinearFit(coefficients, bias, float(np.sqrt(variance)), variance)


def predict_least_squares(fit: HasFit, chosen: ChosenCells) -> tuple[Floats, Floats]:
    """Prediction of each object from its mean judgments, and the deviation of its error, which is the same for all."""
    _check_judged(chosen)
    predictions = fit.bias + chosen.cells.mean @ fit.coefficients
    return predictions, np.full(len(predictions), fit.deviation)


class Regression:
    """Ordinary least squares of objects that come block after block.

    What is kept of them is the triangle R of a QR decomposition of [1, X, y], from which all that least squares asks
    of X and y follows: RᵀR is their matrix of products, and R has the same singular values as they have.

    Parameters
    ----------
    n_columns : int
        Of X.
    """

    def __init__(self, n_columns: int) -> None:
        self._n = 0
        self._pivot = np.zeros(n_columns + 1)
        self._triangle: Any = np.zeros((0, n_columns + 2))

    def add(self, x: Floats, y: Floats) -> None:
        """Take some more objects."""
        if not len(y):
            return
        rows = np.column_stack([x, y])
        if not self._n:  # about where the means are, so that no digits are lost to large ones
            self._pivot = rows.mean(axis=0)
        block = np.column_stack([np.ones(len(y)), rows - self._pivot])
        self._triangle = np.linalg.qr(np.vstack([self._triangle, block]), mode="r")
        self._n += len(y)

    def solve(self) -> tuple[Floats, float, float]:
        """Coefficients, bias and residual variance."""
        rows, width = self._triangle.shape
        triangle = np.vstack([self._triangle, np.zeros((max(width - rows, 0), width))])
        # The first row has the means; what is below is the triangle of the columns without their means.
        means = self._pivot + triangle[0, 1:] / triangle[0, 0]
        x, y = triangle[1:, 1:-1].copy(), triangle[1:, -1]
        scale = np.sqrt((x * x).sum(axis=0) / self._n)
        # A column that differs by rounding alone would get a coefficient of any size.
        flat = scale <= MEAN_TOLERANCE * np.abs(means[:-1])
        x[:, flat], scale[flat] = 0.0, 1.0
        # In standardized units, so that lstsq's cutoff for small singular values does not depend on the user's units.
        coefficients, *_ = np.linalg.lstsq(x / scale, y, rcond=_EPSILON * max(self._n, len(scale)))
        coefficients /= scale
        error = y - x @ coefficients
        # By n less the coefficients and the bias, which makes it an unbiased estimate of the residual variance.
        freedom = max(self._n - 1 - x.shape[1], 1)
        return coefficients, float(means[-1] - means[:-1] @ coefficients), float(error @ error) / freedom


def _check_enough(missing: pd.DataFrame) -> None:
    if len(missing):
        first = missing.iloc[0]
        raise MissingJudgmentsError(
            f"the plan needs {missing['count'].sum():,} judgments that are missing, of "
            f"{missing['attribute'].nunique()} attributes on {missing['object'].nunique():,} objects, at a cost of "
            f"{missing['cost'].sum():,g}; the first: {first['count']} of {first['attribute']!r} of object "
            f"{quote_value(first['object'])}. Buy them (Plan.missing lists them), or use predictor='best_linear' "
            "(--predictor best_linear), which takes what is there.",
            missing,
            value=int(first["count"]),
            row=str(first["object"]),
            column=first["attribute"],
        )


def _check_judged(chosen: ChosenCells) -> None:
    lacking = np.argwhere(chosen.cells.count == 0)
    if lacking.size:
        row, column = lacking[0]
        raise JudgmentsError(
            f"{len(lacking):,} judgments are missing, the first of {chosen.attributes[column]!r} of object "
            f"{quote_value(chosen.objects[row])}. Collect them (Plan.missing lists them), or use "
            "predictor='best_linear' (--predictor best_linear), which does without.",
            row=str(chosen.objects[row]),
            column=chosen.attributes[column],
        )
