"""The choice of a method, of shrinkage and of a ridge, by the error on held-out objects."""

from __future__ import annotations

__all__ = ["choose", "choose_from"]

import os
from collections.abc import Collection
from concurrent.futures import Executor
from typing import Any, Unpack

from manyjudges.base.progress import Progress
from manyjudges.base.seeds import generator
from manyjudges.core.budget import as_budget
from manyjudges.learn.checks.registry import as_codes, raise_stops
from manyjudges.learn.comparison import AUTO, Choice, candidates, compare
from manyjudges.learn.inference.cross_validation import check_options
from manyjudges.learn.preparation.trials import PreparationOptions
from manyjudges.learn.training_data import TrainingData, load_training_data
from manyjudges.scan.options import ScanOptions
from manyjudges.tables.reading.options import ReadKeywords


def choose(
    judgments: Any,
    labels: Any,
    budget: float,
    *,
    method: str = AUTO,
    shrinkage: float | str = AUTO,
    plan_ridge: float = 0.0,
    costs: Any = None,
    max_repeats: Any = None,
    tame_predictor: bool = True,
    look_ahead: bool = False,
    cv: int = 5,
    cv_repeats: int = 3,
    random_state: int | None = 0,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    memory_limit: str | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
    rescale: str = AUTO,
    worker_effects: str = AUTO,
    joint_moments: bool | str = AUTO,
    predictor: str = AUTO,
    mute: Collection[str] = (),
    **reading: Unpack[ReadKeywords],
) -> Choice:
    """Choose a method, an amount of shrinkage, or both, by the error on held-out objects.

    Of those whose loss is within 1 % of the least, the simplest is taken: no ridge before some, little
    shrinkage before more, Full before Scoring.

    Parameters
    ----------
    judgments, labels, noiseless, unmatched
        As for :func:`projected_error`.
    budget : float
        The most that one object's judgments may cost.
    method : str
        ``"auto"``, or a method to keep to.
    shrinkage : float or "auto"
        With ``"auto"``, the ridge of the predictor is chosen along with it, apart from what tames the plan.
    plan_ridge : float
        For the plan; see :meth:`Moments.regularized`.
    costs, max_repeats : mapping or array, optional
        As for :func:`select`.
    tame_predictor : bool
        Whether the predictor may have a ridge.
    look_ahead : bool
        Whether to compare plans by what their predictors will lose once the judgments that they ask for have been
        bought, as a campaign does, rather than what they lose when fitted to the judgments at hand.
    cv, cv_repeats, random_state, progress, executor
        As for :func:`projected_error`.
    mute : collection of str
        Codes of checks that do not stop it, such as ``("MJ501",)``; see :func:`check_data`.
    rescale, worker_effects, joint_moments, predictor
        As for :func:`answer`.
    memory_limit, temp_dir, **reading
        As for :func:`projected_error`: how to read judgments that are a path.
    """
    limit = as_budget(budget)
    check_options(cv, cv_repeats, executor)
    # Checked before a table is read, which may take long.
    candidates(method, shrinkage, plan_ridge, tame_predictor), as_codes(mute)
    prepared = PreparationOptions(rescale, worker_effects, joint_moments, predictor)
    options = ScanOptions.of(unmatched=unmatched, memory_limit=memory_limit, temp_dir=temp_dir, **reading)
    rng = generator(random_state)
    data = load_training_data(judgments, labels, options, noiseless=noiseless, cv=int(cv), rng=rng)
    raise_stops(data, mute=mute)  # before anything is computed
    return choose_from(
        data,
        limit,
        method=method,
        shrinkage=shrinkage,
        plan_ridge=plan_ridge,
        costs=costs,
        max_repeats=max_repeats,
        tame_predictor=tame_predictor,
        look_ahead=look_ahead,
        cv=cv,
        cv_repeats=cv_repeats,
        random_state=random_state,
        progress=progress,
        executor=executor,
        options=prepared,
    )


def choose_from(data: TrainingData, budget: float, **way: Any) -> Choice:
    """:func:`choose` from a table that has been read, with the same options."""
    method = way.pop("method", AUTO)
    return compare(data, [as_budget(budget)], methods=[method], **way).choice(method, 0)
