"""Fitting: from a plan and judgments with labels to a predictor."""

from __future__ import annotations

__all__ = ["data_relied_on", "fit", "fit_predictor", "outside_answers_of"]

import warnings
from collections.abc import Collection
from typing import Any, Unpack

import numpy as np

from manyjudges.base.messages import quote_value
from manyjudges.base.seeds import generator
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.exceptions import DataWarning, PlanError
from manyjudges.learn.inference.answer_ranges import outside_answers
from manyjudges.learn.inference.calibration import check_ridge, error_variance
from manyjudges.learn.inference.cross_validation import fewest_objects
from manyjudges.learn.inference.curve_trial import predict_folds
from manyjudges.learn.inference.prediction_intervals import Quantiles, interval_quantiles
from manyjudges.learn.predictor import Predictor
from manyjudges.learn.predictors.linear import LinearFit
from manyjudges.learn.predictors.registry import DEFAULT, PREDICTORS, PredictorMethod, predictor_named
from manyjudges.learn.preparation.preparation import Preparation
from manyjudges.learn.training_data import TrainingData, load_training_data
from manyjudges.scan.options import ScanOptions
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.reading.options import ReadKeywords, ReadOptions

_AUTO = "auto"
"""The curved predictor where held-out objects say so, and else the best linear one."""

_LINEAR = "best_linear"

_FOLDS = 5
"""Folds by which it is seen how far predictions are off."""


def fit_predictor(
    plan: Plan,
    judgments: Any,
    labels: Any = None,
    *,
    predictor: str = DEFAULT,
    moments: Moments | None = None,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    predictor_ridge: float | str | None = None,
    random_state: int | None = 0,
    **reading: Unpack[ReadKeywords],
) -> Predictor:
    """Fit the predictor of a plan.

    Parameters
    ----------
    plan : Plan
    judgments, labels
        As for :func:`answer`: the pilot, or better, all that has been bought since.
    predictor : {"auto", "best_linear", "curved", "least_squares"}
        ``"auto"`` (default) is what was decided along with the plan: ``"best_linear"`` or ``"curved"``.
        ``"best_linear"`` weighs every judgment there is, however many there are; ``"curved"`` adds to it what a
        straight line misses, learned by a kernel and a forest; ``"least_squares"`` fits least squares to the means of
        exactly as many judgments as planned (the paper's step 4).
    moments : Moments, optional
        For ``"best_linear"``, if they are at hand; else they are estimated, of the chosen attributes alone.
    noiseless, unmatched
        As for :meth:`Moments.estimate`.
    predictor_ridge : float or "auto", optional
        For ``"best_linear"``, added to each attribute's variance in standardized units, which tames the coefficients of
        a small sample (default: that of the plan, which is the one that an answer's error belongs to). ``"auto"``
        chooses it by the error on held-out objects.
    random_state : int, optional
        Of the folds by which ``"best_linear"`` learns how large its errors are on new objects.
    **reading
        How to read judgments in a table, as for :func:`read_judgments`. Answers stand for the same as in the judgments
        that the plan was made from.

    Warns
    -----
    DataWarning
        Where answers are far outside the range of those that the plan was made from.

    Examples
    --------
    >>> from manyjudges import Moments, fit_predictor, select, simulate
    >>> crowd = simulate.jelly_beans(n_objects=300, random_state=0)
    >>> pilot = crowd.pilot(2)
    >>> plan = select(Moments.estimate(pilot, crowd.labels), budget=8)
    >>> bought = pilot + Judgments.from_frame(crowd.judge(plan.missing(pilot)))
    >>> print(fit_predictor(plan, bought, crowd.labels))
    131·monochromatic/1 + 0.8·number of beans/6 − 176·round jar/1 + 320
    """
    _ridge_of(plan, predictor_named(_LINEAR if predictor == _AUTO else predictor, _AUTO), predictor_ridge)
    options = ReadOptions.of(**reading)
    if not isinstance(judgments, Judgments):
        options = options.with_answers(plan.answers, plan.attributes)
    data = load_training_data(judgments, labels, ScanOptions(options, unmatched), noiseless=noiseless)
    for warning in outside_answers_of(plan, data):
        warnings.warn(warning, stacklevel=2)
    return fit(
        plan, data, predictor=predictor, moments=moments, predictor_ridge=predictor_ridge, random_state=random_state
    )


def fit(
    plan: Plan,
    data: TrainingData,
    *,
    predictor: str = DEFAULT,
    moments: Moments | None = None,
    predictor_ridge: float | str | None = None,
    random_state: int | None = 0,
) -> Predictor:
    """:func:`fit_predictor` to a table that has been read."""
    rng = generator(random_state)
    if data.preparation.is_plain:
        data = data.prepared(Preparation.from_document(plan.preparation))
    if predictor == _AUTO:  # decided along with the plan
        predictor = "curved" if data.preparation.curved else _LINEAR
    method = predictor_named(predictor, _AUTO)
    ridge = _ridge_of(plan, method, predictor_ridge)
    # Whoever made these moments said what is measured without error; folds of the table must be told, too, or a single
    # judgment would be too few to estimate its noise.
    if moments is not None:
        data = data.with_noiseless(moments.noiseless)
    # Reliabilities are shrunk towards those of the other attributes: of the chosen ones here, whoever asks.
    if data.preparation.joint_moments:
        moments = None
    fitted = method.fit(plan, data, moments=moments, ridge=ridge, rng=rng)
    known: dict[str, Any] = vars(fitted) | {"preparation": data.only(plan.repeats).preparation}
    return Predictor(method.name, plan, **known, quantiles=_quantiles(plan, data, fitted, method, random_state))


def _quantiles(
    plan: Plan, data: TrainingData, fitted: LinearFit, method: PredictorMethod, random_state: int | None
) -> Quantiles:
    """How many standard deviations held-out predictions are off."""
    if data.table is None or not plan.repeats or data.n_objects < fewest_objects(_FOLDS) or fitted.moments is None:
        return ()
    way: dict[str, Any] = {"ridge": fitted.ridge, "cv": _FOLDS, "random_state": random_state}
    held_out = predict_folds(plan, data, curves=("kernel", "forest") if method.keeps_curve else (), **way)
    if held_out is None:
        return ()
    variance = error_variance(fitted.moments, fitted.calibration, held_out.promised)
    variance = np.where(variance > 0, variance, fitted.residual_variance)
    predicted, share = held_out.linear, 1.0
    if fitted.curve is not None:
        predicted, share = held_out.stacked(), fitted.curve.share
    return interval_quantiles(held_out.away - predicted, np.sqrt(variance * share))


def data_relied_on(fitted: Predictor, data: TrainingData) -> TrainingData:
    """What a predictor takes from the table that it was fitted to, for checks: they concern nothing else of it.

    Only the attributes of its plan. Where it does not need to know how noisy they are, those that were judged once
    count as measured without error, since checks could not estimate their noise.
    """
    used = data.only(fitted.attributes)
    return used if PREDICTORS[fitted.kind].needs_noise else used.with_noiseless(used.judged_once)


def outside_answers_of(plan: Plan, data: TrainingData) -> tuple[DataWarning, ...]:
    """What to say of answers that lie outside the range of those that a plan was made from."""
    known = ReadOptions(valid=data.valid).with_answers(plan.answers, plan.attributes).codings
    has_limits = any(coding.limits is not None for coding in known.values())
    return outside_answers(plan, known, data.value_counts() if has_limits else None)


def _ridge_of(plan: Plan, method: PredictorMethod, ridge: float | str | None) -> float | str:
    """The ridge that was given or, where the method takes one, that of the plan; refuses what cannot be fitted."""
    if not isinstance(plan, Plan):
        raise PlanError(f"a predictor is fitted to a Plan, not to {type(plan).__name__}.", value=plan, column="plan")
    if ridge is None:
        return plan.predictor_ridge if method.takes_ridge else 0.0
    check_ridge(ridge)
    if ridge != 0 and not method.takes_ridge:
        others = " or ".join(repr(other.name) for other in PREDICTORS.values() if other.takes_ridge)
        raise PlanError(
            f"predictor_ridge={quote_value(ridge)} goes with predictor={others}; {method.name.replace('_', ' ')} has "
            "none.",
            value=ridge,
            column="predictor_ridge",
        )
    return ridge
