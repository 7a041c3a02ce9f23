"""Curve trials: whether a curve predicts held-out objects better than the straight line, and by how much."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.seeds import generator
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.exceptions import ManyJudgesError
from manyjudges.learn.predictors.best_linear import weigh
from manyjudges.learn.predictors.curves import Curve, curve_parts, fit_curves, posterior_means
from manyjudges.learn.training_data import TrainingData

_FEWEST_OBJECTS = 40
"""Objects below which no curve is tried: a forest of 32 others says nothing. No benchmark sets it."""

_STANDARD_ERRORS = 1.0
"""Standard errors by which held-out losses must be lower for the curve to be kept."""


_WORTH_A_FOREST = 0.5
"""Standard errors by which the kernel alone must be better for a forest to be tried. No benchmark sets it: on recorded
crowds, it was better by -1 to 1 where there was no curve, and by 4 where there was one."""


@dataclass(frozen=True, eq=False)
class FoldPredictions:
    """What predictors that were fitted to the other folds say of each object, about the label's mean of those folds.

    Attributes
    ----------
    fold : (objects,) array of int
    away : (objects,) array
        Labels.
    linear, promised : (objects,) arrays
        Of the best linear predictor: its prediction, and how much of the label's variance it promises to explain.
    curves : (objects, n) array
        Predictions of the curves that were asked for, kernel and forest.
    """

    fold: Integers
    away: Floats
    linear: Floats
    promised: Floats
    curves: Floats

    def stacked(self) -> Floats:
        """Predictions of the stack, whose weights come from the other folds, too."""
        parts = np.column_stack([self.linear, self.curves])
        stacked = np.zeros(len(self.away))
        for f in range(int(self.fold.max()) + 1):
            own = self.fold == f
            # So that choosing the weights is part of what is held out.
            weights, _ = nnls(parts[~own], self.away[~own])
            stacked[own] = parts[own] @ weights
        return stacked

    def weights(self) -> Floats:
        """Weights of the stack from all objects: of the linear prediction, the kernel and the forest."""
        return np.asarray(nnls(np.column_stack([self.linear, self.curves]), self.away)[0])


def predict_folds(
    plan: Plan,
    data: TrainingData,
    *,
    ridge: float,
    cv: int,
    random_state: int | None,
    curves: Collection[str] = (),
) -> FoldPredictions | None:
    """Predict each object from the planned judgments, or those there are, by predictors that were fitted without it.

    None where there are too few judgments to do without a part of them.

    Parameters
    ----------
    plan : Plan
        Held fixed.
    data : TrainingData
        In memory, as judgments are averaged.
    ridge : float
        Of the linear predictor.
    cv, random_state
        Of the folds.
    curves : collection of str
        What else to fit: ``"kernel"``, ``"forest"``.
    """
    chosen = data.only(plan.repeats)
    cells, planned = chosen.in_memory.cells(), chosen.in_memory.first(plan.repeats).cells()
    y, rng = chosen.known_labels, generator(random_state)
    fold = np.empty(len(y), dtype=np.int64)
    fold[rng.permutation(len(y))] = np.arange(len(y)) % cv
    away, linear, promised = np.zeros(len(y)), np.zeros(len(y)), np.zeros(len(y))
    found = np.zeros((len(y), len(curves)))
    try:
        for f in range(cv):
            train, test = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
            moments = chosen.of_objects(train).moments.regularized(ridge=ridge)
            held_out = planned.rows(test)
            predicted, promised[test] = weigh(held_out, moments)
            away[test], linear[test] = y[test] - moments.label_mean, predicted - moments.label_mean
            if curves:
                fitted = fit_curves(moments, cells.rows(train), y[train], rng, curves)
                found[test] = curve_parts(fitted, posterior_means(moments, held_out))
    except ManyJudgesError:
        return None
    return FoldPredictions(fold, away, linear, promised, found)


@dataclass(frozen=True, eq=False)
class CurveTrial:
    """What a curve lost on held-out objects.

    Attributes
    ----------
    folds : FoldPredictions
    loss, linear_loss : float
        Squared error of the curve and of the straight line, with as many judgments as planned or, where there are
        fewer, with those there are.
    kept : bool
        Whether the curve is better by more than the standard error of the difference.
    """

    folds: FoldPredictions
    loss: float
    linear_loss: float
    kept: bool

    @property
    def share(self) -> float:
        """Squared error of the curve as a share of the straight line's."""
        return self.loss / max(self.linear_loss, np.finfo(float).tiny)

    def fit(self, plan: Plan, data: TrainingData, moments: Moments, *, random_state: int | None = 0) -> Curve:
        """The curve of all objects; ``moments`` are those of the linear predictor."""
        chosen = data.only(plan.repeats)
        rng, cells = generator(random_state), chosen.in_memory.cells()
        kernel, forest = fit_curves(moments, cells, chosen.known_labels, rng, ("kernel", "forest"))
        return Curve(self.folds.weights(), kernel, forest, moments, self.share)


def try_curve(
    plan: Plan,
    data: TrainingData,
    *,
    ridge: float = 0.0,
    cv: int = 5,
    random_state: int | None = 0,
    forced: bool = False,
) -> CurveTrial | None:
    """Compare a curve with the linear predictor on held-out objects; None where there is nothing to compare.

    Parameters
    ----------
    plan : Plan
        Held fixed.
    data : TrainingData
        As judgments are averaged.
    ridge : float
        Of the linear predictor.
    cv, random_state
        Of the folds.
    forced : bool
        Whether the curve is wanted in any case, so that all of it is fitted.
    """
    if data.table is None or not plan.repeats or data.n_objects < max(_FEWEST_OBJECTS, cv):
        return None
    way: dict[str, Any] = {"ridge": ridge, "cv": cv, "random_state": random_state}
    folds = predict_folds(plan, data, curves=("kernel",), **way)
    if folds is None:
        return None
    # A kernel takes a tenth of the time of a forest. Where it sees no curve at all, there is hardly one to be seen.
    if forced or _trial_of(folds, _WORTH_A_FOREST).kept:
        folds = predict_folds(plan, data, curves=("kernel", "forest"), **way) or folds
    return _trial_of(folds, _STANDARD_ERRORS)


def _trial_of(folds: FoldPredictions, standard_errors: float) -> CurveTrial:
    lost, linear_lost = (folds.stacked() - folds.away) ** 2, (folds.linear - folds.away) ** 2
    gain = linear_lost - lost
    better = bool(gain.mean() > standard_errors * gain.std(ddof=1) / np.sqrt(len(gain)))
    return CurveTrial(folds, float(lost.mean()), float(linear_lost.mean()), better)
