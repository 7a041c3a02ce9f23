"""Least squares on the means of exactly as many judgments as planned (the paper's step 4)."""

from __future__ import annotations

import numpy as np

from manyjudges.arrays.sums import MEAN_TOLERANCE
from manyjudges.arrays.types import Floats
from manyjudges.base.messages import quote_value
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.exceptions import JudgmentsError, MissingJudgmentsError
from manyjudges.learn.predictors.linear import ChosenCells, HasFit, LinearFit
from manyjudges.learn.training_data import TrainingData
from manyjudges.tables.judgments import Judgments


def fit_least_squares(
    plan: Plan, data: TrainingData, *, moments: Moments | None, ridge: float | str, rng: np.random.Generator
) -> LinearFit:
    """Fit to the first judgments of each pair, as many as planned; moments, a ridge and chance have no part in it."""
    chosen = data.only(plan.repeats)
    _check_enough(plan, chosen.in_memory)
    # The first r[a] judgments, not all: least squares must see means as noisy as those that it will be given.
    coefficients, bias, variance = _regress(chosen.in_memory.means(plan.repeats).to_numpy(), chosen.known_labels)
    return LinearFit(coefficients, bias, float(np.sqrt(variance)), variance)


def predict_least_squares(fit: HasFit, chosen: ChosenCells) -> tuple[Floats, Floats]:
    """Prediction of each object from its mean judgments, and the deviation of its error, which is the same for all."""
    _check_judged(chosen)
    predictions = fit.bias + chosen.cells.mean @ fit.coefficients
    return predictions, np.full(len(predictions), fit.deviation)


def _regress(means: Floats, y: Floats) -> tuple[Floats, float, float]:
    """Coefficients, bias and residual variance of ordinary least squares."""
    centre, middle = means.mean(axis=0), y.mean()
    x = means - centre
    scale = np.sqrt((x * x).mean(axis=0))
    # A column that differs by rounding alone would get a coefficient of any size.
    flat = scale <= MEAN_TOLERANCE * np.abs(centre)
    x[:, flat], scale[flat] = 0.0, 1.0
    # In standardized units, so that lstsq's cutoff for small singular values does not depend on the user's units.
    coefficients, *_ = np.linalg.lstsq(x / scale, y - middle, rcond=None)
    coefficients /= scale
    error = y - middle - x @ coefficients
    # By n less the coefficients and the bias, which makes it an unbiased estimate of the residual variance.
    freedom = max(len(y) - 1 - x.shape[1], 1)
    return coefficients, float(middle - centre @ coefficients), float(error @ error) / freedom


def _check_enough(plan: Plan, judgments: Judgments) -> None:
    missing = plan.missing(judgments)
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
