"""All predictors, by name: the one place in which they are named.

To add one, write its file beside this one (``best_linear`` is a good one to copy), say in ``base/methods.py`` what it
does, and enter it in ``PREDICTORS``. The choices and the help of the command line, ``fit_predictor``, the estimator and
saved models follow by themselves.
"""

from __future__ import annotations

__all__ = ["PREDICTORS", "PredictorMethod"]

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import quote_value, suggest
from manyjudges.base.methods import DEFAULT_PREDICTOR, PREDICTOR_SUMMARIES
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.exceptions import PlanError
from manyjudges.learn.predictors.best_linear import fit_best_linear, predict_best_linear, verify_best_linear
from manyjudges.learn.predictors.curved import fit_curved, predict_curved
from manyjudges.learn.predictors.least_squares import fit_least_squares, predict_least_squares
from manyjudges.learn.predictors.linear import ChosenCells, HasFit, LinearFit
from manyjudges.learn.training_data import TrainingData


class Fit(Protocol):
    """Fits a predictor to the attributes that a plan chose."""

    def __call__(
        self,
        plan: Plan,
        data: TrainingData,
        *,
        moments: Moments | None,
        ridge: float | str,
        rng: np.random.Generator,
    ) -> LinearFit:
        """``moments`` are those of the table if they are at hand."""


@dataclass(frozen=True)
class PredictorMethod:
    """A way to predict the label from judgments.

    Attributes
    ----------
    name : str
    summary : str
        What it does, for help and docs: from ``base/methods.py``.
    fit : callable
    predict : callable
        From a fit and cells of the chosen attributes to predictions and deviations of their errors.
    keeps_moments : bool
        It keeps moments of the chosen attributes, and with them weighs any numbers of judgments.
    keeps_curve : bool
        It keeps what a straight line misses.
    takes_ridge : bool
        Its coefficients can be tamed.
    needs_noise : bool
        It must know how noisy each attribute is, and so needs second judgments of attributes measured with error.
    needs_planned_judgments : bool
        It is fitted to exactly as many judgments as planned, and cannot do without any of them.
    verify : callable, optional
        From a fit that was saved and the plan's repeats to whether its parts agree with each other: a file can be
        edited. None where a fit says nothing twice.
    """

    name: str
    summary: str
    fit: Fit
    predict: Callable[[HasFit, ChosenCells], tuple[Floats, Floats]]
    keeps_moments: bool = False
    keeps_curve: bool = False
    takes_ridge: bool = False
    needs_noise: bool = False
    needs_planned_judgments: bool = False
    verify: Callable[[HasFit, Integers], bool] | None = None


PREDICTORS: dict[str, PredictorMethod] = {
    method.name: method
    for method in (
        PredictorMethod(
            "best_linear",
            PREDICTOR_SUMMARIES["best_linear"],
            fit_best_linear,
            predict_best_linear,
            keeps_moments=True,
            takes_ridge=True,
            needs_noise=True,
            verify=verify_best_linear,
        ),
        PredictorMethod(
            "curved",
            PREDICTOR_SUMMARIES["curved"],
            fit_curved,
            predict_curved,
            keeps_moments=True,
            keeps_curve=True,
            takes_ridge=True,
            needs_noise=True,
            verify=verify_best_linear,
        ),
        PredictorMethod(
            "least_squares",
            PREDICTOR_SUMMARIES["least_squares"],
            fit_least_squares,
            predict_least_squares,
            needs_planned_judgments=True,
        ),
    )
}
"""All predictors, by name, in the order in which they are named to users."""

DEFAULT = DEFAULT_PREDICTOR
"""The predictor unless another is asked for."""


def takes_ridge(name: str) -> bool:
    """Whether the coefficients of a predictor, or of those that ``"auto"`` chooses from, can be tamed."""
    return name == "auto" or predictor_named(name).takes_ridge


def predictor_named(name: str, *others: str) -> PredictorMethod:
    """The predictor of a name, or an error that lists the names, with others that the caller accepts."""
    if not isinstance(name, str) or name not in PREDICTORS:
        names = [*others, *PREDICTORS]
        raise PlanError(
            f"there is no predictor {quote_value(name)}; choose one of {', '.join(names)}.{suggest(name, names)}",
            value=name,
            column="predictor",
        )
    return PREDICTORS[name]
