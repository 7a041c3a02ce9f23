"""Calibration: how large a predictor's errors are on objects it has not seen, and the ridge that makes them small."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import quote_value
from manyjudges.core.moments import Moments
from manyjudges.core.objective import weights
from manyjudges.core.plan import Plan
from manyjudges.core.search.registry import SEARCHES
from manyjudges.exceptions import ManyJudgesError, PlanError
from manyjudges.learn.cross_validation import (
    MULTIPLES,
    PARTS_PER_FOLD,
    FoldSums,
    choose_ridge,
    explained_held_out,
    multiplied,
)
from manyjudges.tables.judgments import Judgments

Calibration = tuple[tuple[float, float], ...]
"""What the moments promise to explain, and what was explained of held-out objects, at several numbers of judgments."""

MOST_WORK = 100_000_000
"""Objects times attributes squared, above which no plan is made anew to see what it explains of new objects: there the
sample is large, and a promise near the truth."""


def as_ridge(
    ridge: float | str, plan: Plan, chosen: Judgments, y: Floats, noiseless: frozenset[str], rng: Any
) -> float:
    """A ridge that somebody gave, or the one that held-out objects choose."""
    if not isinstance(ridge, str):
        return ridge
    if ridge != "auto":
        raise PlanError(f"predictor_ridge must be 0, a positive number or 'auto', not {quote_value(ridge)}.")
    try:
        parts = FoldSums.of(chosen, y, 5 * PARTS_PER_FOLD, noiseless & set(chosen.attributes), rng)
        return choose_ridge(parts, np.array(list(plan.repeats.values()), dtype=np.int64), rng=rng)
    except ManyJudgesError:  # too few judgments to do without a part of them
        return 0.0


def calibrated(
    plan: Plan, judgments: Judgments, y: Floats, own: Moments, noiseless: frozenset[str], ridge: float, rng: Any
) -> Calibration:
    """What the moments promise at several multiples of the plan, and what held-out objects make of it."""
    repeats = np.array(list(plan.repeats.values()), dtype=np.int64)
    if not len(repeats):
        return ()
    known = plan.method in SEARCHES and set(plan.attributes) == set(judgments.attributes)
    work = len(y) * len(judgments.attributes) ** 2
    if not own.noise.any() and work > MOST_WORK // 100:
        return _by_degrees_of_freedom(own, repeats)
    replan = known and work <= MOST_WORK
    for table_, again in [(judgments, True)] * replan + [(judgments.only(plan.repeats), False)]:
        if len(y) * len(table_.attributes) ** 2 > MOST_WORK:
            return ()
        try:
            parts = FoldSums.of(table_, y, 5 * PARTS_PER_FOLD, noiseless & set(table_.attributes), rng)
            honest = explained_held_out(parts, plan, replan=again, predictor_ridge=ridge, rng=rng)
        except ManyJudgesError:  # too few judgments to do without a part of them
            continue
        many = [multiplied(repeats, multiple) for multiple in MULTIPLES]
        promised = [float(own.cross @ weights(own, n)) for n in many]
        return tuple(zip(promised, honest.tolist(), strict=True))
    return ()


def _by_degrees_of_freedom(own: Moments, repeats: Integers) -> Calibration:
    """The same for a large table without noise, where the textbook says what least squares loses on new objects."""
    promised = float(own.cross @ weights(own, repeats))
    used, n = np.count_nonzero(repeats) + 1, own.n_objects
    if n <= used + 1:
        return ()
    loss = (own.label_variance - promised) * (n + used) / (n - used)
    return ((promised, own.label_variance - loss),)


def error_variance(moments: Moments, calibration: Calibration, promised: Any) -> Any:
    """Variance of the error, by what held-out objects made of such promises."""
    if not calibration:
        return moments.label_variance - promised
    known = sorted([(0.0, 0.0), *calibration])
    honest = np.interp(promised, [pair[0] for pair in known], [pair[1] for pair in known])
    unsure = moments.label_variance / max(moments.n_objects, 1)  # the label's mean is an estimate, too
    return moments.label_variance + unsure - honest
