"""The error of one plan that stands, on held-out objects: weights are fitted without them, the plan is not made again.

After a campaign the plan rests on many more judgments than those of a fold would, so that plans made again in every
fold would say more of the folds than of the plan.
"""

from __future__ import annotations

import numpy as np

from manyjudges.base.seeds import generator
from manyjudges.core.objective import weights
from manyjudges.core.plan import Plan
from manyjudges.exceptions import ManyJudgesError
from manyjudges.learn.inference.cross_validation import Candidate, Validation, fewest_objects
from manyjudges.learn.inference.curve_trial import try_curve
from manyjudges.learn.inference.expected_loss import expected_loss_of
from manyjudges.learn.training_data import TrainingData


def error_of_plan(
    plan: Plan,
    data: TrainingData,
    *,
    ridge: float = 0.0,
    cv: int = 5,
    cv_repeats: int = 3,
    random_state: int | None = 0,
) -> tuple[float, float] | None:
    """Squared error to expect of a plan on new objects, and its standard error; None where no objects can be held out.

    Parameters
    ----------
    plan : Plan
    data : TrainingData
        As judgments are averaged.
    ridge : float
        Of the predictor.
    cv, cv_repeats, random_state
        Of the folds.
    """
    if data.n_objects < fewest_objects(cv):
        return None
    rng = generator(random_state)
    chosen = data.only(plan.repeats)
    repeats = np.array(list(plan.repeats.values()), dtype=np.int64)
    parts = chosen.fold_sums(cv, rng)
    losses, baseline = np.zeros(len(parts.sums)), np.zeros(len(parts.sums))
    promised = 0.0
    try:
        for _ in range(cv_repeats):
            splits = parts.splits(cv, rng)
            for held_out, fold in zip(splits, parts.folds(splits), strict=True):
                trained = fold.trained()
                w = weights(trained.regularized(ridge=ridge), repeats)
                losses[held_out] += fold.losses(trained, w, repeats) / cv_repeats
                baseline[held_out] += fold.losses(trained, 0 * w, 0 * repeats) / cv_repeats
                promised += max(trained.label_variance - float(trained.cross @ w), 0.0) / (cv * cv_repeats)
    except ManyJudgesError:  # too few judgments to do without a part of them
        return None
    sizes = np.array([part.n_objects for part in parts.sums])
    way = Candidate(plan.method, plan.shrinkage, plan.plan_ridge, ridge)
    validation = Validation((way,), (plan.budget,), sizes, losses[None, None, :], np.array([[promised]]), baseline)
    loss, std_error = expected_loss_of(validation, np.array([0]), 0, after_refit=False, cv=cv)
    trial = None
    if data.preparation.curved:
        trial = try_curve(plan, data, ridge=ridge, cv=cv, random_state=random_state, forced=True)
    share = 1.0 if trial is None else trial.share
    return loss * share, std_error * share
