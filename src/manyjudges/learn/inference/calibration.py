"""Calibration: how large a predictor's errors are on objects it has not seen, and the ridge that makes them small.

What is asked here is answered by :mod:`manyjudges.learn.inference.cross_validation`: a predictor makes no plan itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manyjudges.arrays.types import Integers
from manyjudges.base.messages import quote_value
from manyjudges.core.estimation import is_ridge
from manyjudges.core.moments import Moments
from manyjudges.core.objective import weights
from manyjudges.core.plan import Plan
from manyjudges.exceptions import ManyJudgesError, PlanError
from manyjudges.learn.inference.cross_validation import MULTIPLES, choose_ridge, explained_held_out, multiplied
from manyjudges.learn.search_capabilities import can_repeat
from manyjudges.learn.training_data import TrainingData

Calibration = tuple[tuple[float, float], ...]
"""What the moments promise to explain, and what was explained of held-out objects, at several numbers of judgments."""

_MAX_WORK = 100_000_000
"""Objects times attributes squared, above which no plan is made anew to see what it explains of new objects.

A limit on time: there it took 0.2 s (10,000 objects and 100 attributes) and 0.3 s (1,000 and 316) on one core, with
budgets of two judgments an attribute (``benchmarks/constants.py calibration``). What was explained was 98 % of the
promise in the first, so that larger tables of as many attributes lose little by the limit; in the second, 57 %.
"""

_CALIBRATION_FOLDS = 5
"""Folds that a table's sums are divided for: 20 parts."""


def check_ridge(ridge: Any) -> None:
    """Refuse what is neither an amount of ridge nor ``"auto"``."""
    if not (ridge == "auto" if isinstance(ridge, str) else is_ridge(ridge)):
        raise PlanError(
            f"predictor_ridge must be 0, a positive number or 'auto', not {quote_value(ridge)}.",
            value=ridge,
            column="predictor_ridge",
        )


def as_ridge(ridge: float | str, plan: Plan, chosen: TrainingData, rng: np.random.Generator) -> float:
    """The ridge that was passed, or the one that held-out objects choose."""
    check_ridge(ridge)
    if not isinstance(ridge, str):
        return ridge
    try:
        return choose_ridge(chosen.fold_sums(_CALIBRATION_FOLDS, rng), _repeats(plan), rng=rng)
    except ManyJudgesError:  # too few judgments to do without a part of them
        return 0.0


def calibrate(
    plan: Plan,
    data: TrainingData,
    own: Moments,
    *,
    ridge: float,
    rng: np.random.Generator,
    max_work: int = _MAX_WORK,
) -> Calibration:
    """What the moments promise at several multiples of the plan, and what held-out objects make of it.

    Parameters
    ----------
    plan : Plan
    data : TrainingData
        With all attributes, so that the plan can be made anew in every fold.
    own : Moments
        The predictor's, of the attributes that the plan chose.
    ridge : float
        Of the predictor.
    rng : numpy.random.Generator
    max_work : int
        Objects times attributes squared from which nothing is held out.
    """
    repeats = _repeats(plan)
    if not len(repeats):
        return ()
    work = _work(data)
    # Without noise every multiple of a plan promises the same, so that one pair is all there is to find.
    if not own.noise.any() and work > max_work // 100:
        return _by_degrees_of_freedom(own, repeats)
    # A plan that no search made, such as a baseline's, or one of other attributes, cannot be made anew.
    # Choosing a plan by the same objects is part of what makes its promise too good, and only plans made anew in the
    # folds show that part. If not that, then at least weights that the held-out objects had no part in.
    replan = can_repeat(plan.method) and set(plan.attributes) == set(data.attributes) and work <= max_work
    chosen = data.only(plan.repeats)
    # All attributes and new plans if that can be had; the chosen ones and the plan as it is, if not.
    for table, again in [(data, True)] * replan + [(chosen, False)]:
        if _work(table) > max_work:
            return ()
        try:
            honest = explained_held_out(
                table.fold_sums(_CALIBRATION_FOLDS, rng), plan, replan=again, predictor_ridge=ridge, rng=rng
            )
        except ManyJudgesError:  # too few judgments to do without a part of them
            continue
        many = [multiplied(repeats, multiple) for multiple in MULTIPLES]
        # b'w, which is what each prediction of ``best_linear`` promises too, whatever judgments an object has: so the
        # promise is what the truth is looked up by.
        promised = [float(own.cross @ weights(own, n)) for n in many]
        return tuple(zip(promised, honest.tolist(), strict=True))
    return ()


def _repeats(plan: Plan) -> Integers:
    return np.array(list(plan.repeats.values()), dtype=np.int64)


def _work(data: TrainingData) -> int:
    return data.n_objects * len(data.attributes) ** 2


def _by_degrees_of_freedom(own: Moments, repeats: Integers) -> Calibration:
    """The same for a large table without noise, where the textbook says what least squares loses on new objects.

    With p coefficients, the mean among them, and n objects, the mean squared error on the training objects is about
    σ²(1 - p/n), and on new ones σ²(1 + p/n): the final prediction error (Akaike, 1970), their quotient (n + p)/(n - p).
    """
    promised = float(own.cross @ weights(own, repeats))
    p, n = np.count_nonzero(repeats) + 1, own.n_objects
    if n <= p + 1:
        return ()
    loss = (own.label_variance - promised) * (n + p) / (n - p)
    return ((promised, own.label_variance - loss),)


def error_variance(moments: Moments, calibration: Calibration, promised: Any) -> Any:
    """Variance of the error, by what held-out objects made of such promises.

    Between the multiples of the plan that were looked at, what is explained is interpolated as a function of what the
    moments promise: that is one number, whichever judgments of an object there are.
    """
    if not calibration:
        return moments.label_variance - promised
    # No judgments promise nothing and explain nothing, which holds by itself and anchors the small promises.
    pairs = sorted([(0.0, 0.0), *calibration])
    # A line between the points looked at, and flat beyond the last: more judgments than were tried promise more, but
    # nothing shows that they keep it.
    honest = np.interp(promised, [pair[0] for pair in pairs], [pair[1] for pair in pairs])
    # The label's mean is an estimate, too: Var(y)/n.
    unsure = moments.label_variance / max(moments.n_objects, 1)
    return moments.label_variance + unsure - honest
