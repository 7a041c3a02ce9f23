"""Predictions of objects by predictors that were fitted to others."""

from __future__ import annotations

__all__ = ["predict_held_out"]

from dataclasses import dataclass
from typing import Any

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.progress import Progress
from manyjudges.base.seeds import generator
from manyjudges.core.plan import Plan
from manyjudges.exceptions import ManyJudgesError, MomentsError
from manyjudges.learn.fitting import fit
from manyjudges.learn.inference.cross_validation import check_enough_objects, check_options
from manyjudges.learn.predictor import Predictor
from manyjudges.learn.training_data import TrainingData


@dataclass(frozen=True, eq=False)
class HeldOutPredictions:
    """What predictors said of objects that they had not seen.

    Attributes
    ----------
    predictions, deviations : arrays
        Of each object; deviations are those of the error that the predictor expects.
    fold : array of int
        The fold that the object was held out in.
    """

    predictions: Floats
    deviations: Floats
    fold: Integers


def predict_held_out(
    plan: Plan,
    data: TrainingData,
    *,
    cv: int = 5,
    random_state: int | None = 0,
    predictor_ridge: float | str | None = None,
    progress: Progress | None = None,
) -> HeldOutPredictions:
    """Fit a plan's predictor to all folds but one, predict the one, and so on."""
    check_options(cv)
    check_enough_objects(data.n_objects, cv)
    fold = np.empty(data.n_objects, dtype=np.int64)
    # Folds of sizes that differ by one at most, at random.
    fold[generator(random_state).permutation(data.n_objects)] = np.arange(data.n_objects) % cv
    predictions, deviations = np.zeros(len(fold)), np.zeros(len(fold))
    for f in range(cv):
        out = np.flatnonzero(fold == f)
        # The plan is held fixed, so that errors are those of the predictor that the plan gets, and not of other plans'.
        # With "auto", the ridge is chosen again in each fold, since that is a part of fitting.
        fitted = _fit_without(data, fold == f, plan, predictor_ridge)
        predictions[out], deviations[out] = fitted.predict(data.in_memory[out], return_std=True)
        if progress is not None:
            progress(f + 1, cv)
    return HeldOutPredictions(predictions, deviations, fold)


def _fit_without(data: TrainingData, left_out: Any, plan: Plan, predictor_ridge: float | str | None) -> Predictor:
    try:
        return fit(plan, data.of_objects(np.flatnonzero(~left_out)), predictor_ridge=predictor_ridge)
    except ManyJudgesError as error:
        raise MomentsError(f"a training part of the cross-validation cannot be used: {error}", **error.fields) from None
