"""The curved predictor: the best linear predictor, and on top of it what a straight line misses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from manyjudges.arrays.types import Floats
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.exceptions import PlanError
from manyjudges.learn.inference.curve_trial import try_curve
from manyjudges.learn.predictors.best_linear import fit_best_linear, predict_best_linear
from manyjudges.learn.predictors.linear import ChosenCells, HasFit, LinearFit
from manyjudges.learn.training_data import TrainingData


def fit_curved(
    plan: Plan,
    data: TrainingData,
    *,
    moments: Moments | None,
    ridge: float | str,
    rng: np.random.Generator,
) -> LinearFit:
    """Fit the best linear predictor, and the curve with the weights that held-out objects give it."""
    linear = fit_best_linear(plan, data, moments=moments, ridge=ridge, rng=rng)
    trial = try_curve(plan, data, ridge=plan.predictor_ridge, forced=True)
    if trial is None or linear.moments is None:
        raise PlanError(
            "a curve needs judgments in memory of 40 objects or more, of the attributes that the plan asks for. Use "
            "--predictor best_linear (predictor='best_linear').",
            value="curved",
            column="predictor",
        )
    curve = trial.fit(plan, data, linear.moments)
    return replace(linear, deviation=linear.deviation * float(np.sqrt(curve.share)), curve=curve)


def predict_curved(fit: HasFit, chosen: ChosenCells) -> tuple[Floats, Floats]:
    """Prediction of each object, from whatever judgments of it there are, and the deviation of its error."""
    linear, deviations = predict_best_linear(fit, chosen)
    if fit.curve is None:
        raise ValueError("a curved fit keeps its curve")
    # What the curve takes off the error it takes off everywhere: held-out objects are too few to say more.
    predicted: Any = fit.curve.predict(linear, chosen.cells)
    return predicted, deviations * np.sqrt(fit.curve.share)
