"""Held out: what predictions are worth on objects that had no part in them, with the judgments at hand."""

from __future__ import annotations

__all__ = ["IntervalCalibration", "Residuals", "held_out", "interval_calibration"]

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import special

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.frames import table
from manyjudges.base.messages import quote_value
from manyjudges.base.progress import Progress
from manyjudges.base.results import Result, as_tuple, plain
from manyjudges.core.plan import Plan
from manyjudges.exceptions import PlanError
from manyjudges.learn.inference.held_out_predictions import predict_held_out
from manyjudges.learn.training_data import TrainingData, match_training_data
from manyjudges.tables.judgments import Judgments

if TYPE_CHECKING:
    import pandas as pd

_WILSON = 1.96
"""Standard deviations either way that hold 95 of 100 normal values."""

_LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Levels of intervals whose coverage is looked at."""


@dataclass(frozen=True, eq=False, repr=False)
class Residuals(Result):
    """Label and prediction of each object, by a predictor that was fitted to others. Made by :func:`held_out`.

    Attributes
    ----------
    objects : array
    labels, predictions : arrays
    deviations : array
        Standard deviation of the error that the predictor expects for each.
    fold : array of int
        The fold that the object was held out in.
    """

    FORMAT: ClassVar[str] = "manyjudges.residuals/1"

    objects: Any
    labels: Floats
    predictions: Floats
    deviations: Floats
    fold: Integers

    @property
    def errors(self) -> Floats:
        """Predictions less labels."""
        return self.predictions - self.labels

    @property
    def mean_error(self) -> float:
        """Whether predictions are too high (above 0) or too low on the whole."""
        return float(self.errors.mean())

    @property
    def rmse(self) -> float:
        """Root of the mean squared error."""
        return float(np.sqrt(np.mean(self.errors**2)))

    @property
    def correlation(self) -> float:
        """Of labels and predictions; NaN where a predictor says the same of all objects."""
        # Means of the other folds go against the labels of one's own, so that guessing them would seem to correlate.
        same = [np.ptp(self.predictions[self.fold == fold]) == 0 for fold in np.unique(self.fold)]
        if all(same) or np.ptp(self.labels) == 0:
            return float("nan")
        return float(np.corrcoef(self.labels, self.predictions)[0, 1])

    @property
    def r2(self) -> float:
        """Share of the labels' variance that predictions explain; below 0 where the mean would do better."""
        scatter = float(np.sum((self.labels - self.labels.mean()) ** 2))
        return 1 - float(np.sum(self.errors**2)) / scatter if scatter > 0 else float("nan")

    @property
    def headline(self) -> str:
        """What it comes to."""
        return f"Held-out predictions of {len(self.labels):,} objects: rmse {self.rmse:.4g}, R² {self.r2:.3f}"

    def to_frame(self) -> pd.DataFrame:
        """A row for each object."""
        return table(
            {
                "object": self.objects,
                "label": self.labels,
                "prediction": self.predictions,
                "error": self.errors,
                "deviation": self.deviations,
                "fold": self.fold,
            }
        )

    def to_document(self) -> dict[str, Any]:
        """The numbers as plain lists, numbers and strings."""
        derived = {name: plain(getattr(self, name)) for name in ("mean_error", "rmse", "correlation", "r2")}
        return super().to_document() | derived


@dataclass(frozen=True, eq=False, repr=False)
class IntervalCalibration(Result):
    """Whether intervals hold the label as often as they say. Made by :func:`interval_calibration`.

    Attributes
    ----------
    levels : tuple of float
        How often an interval should hold the label.
    covered : array
        How often it does.
    low, high : arrays
        Wilson's 95 % confidence limits of ``covered``.
    n : int
        Objects.
    """

    FORMAT: ClassVar[str] = "manyjudges.calibration/1"

    levels: tuple[float, ...]
    covered: Floats
    low: Floats
    high: Floats
    n: int

    def to_frame(self) -> pd.DataFrame:
        """A row for each level."""
        return table({"level": self.levels, "covered": self.covered, "low": self.low, "high": self.high})


def held_out(
    judgments: Judgments,
    labels: Any,
    plan: Plan,
    *,
    cv: int = 5,
    random_state: int | None = 0,
    noiseless: Collection[str] = (),
    predictor_ridge: float | str | None = None,
    progress: Progress | None = None,
) -> Residuals:
    """Predict each object by a predictor of the plan that was fitted to the objects of other folds.

    This is the error with the judgments at hand, say two a pair, and not with those that the plan will buy: expect it
    to be larger where the plan asks for more of an attribute than there is, and smaller where it asks for fewer. And
    the plan itself may have been chosen with the help of all objects. What to expect once the plan is followed is told
    by :func:`manyjudges.projected_error`; this shows where predictions go wrong, and whether their intervals are right.

    Parameters
    ----------
    judgments, labels
        As for :meth:`Moments.estimate`.
    plan : Plan
    cv : int
        How many folds.
    random_state : int, optional
        Of the folds.
    noiseless, predictor_ridge
        As for :func:`fit_predictor`.
    progress : callable, optional
        Called with how many folds are done and how many there are.
    """
    data = match_training_data(judgments, labels, noiseless=noiseless)
    return residuals_of(
        plan, data, cv=cv, random_state=random_state, predictor_ridge=predictor_ridge, progress=progress
    )


def residuals_of(
    plan: Plan,
    data: TrainingData,
    *,
    cv: int = 5,
    random_state: int | None = 0,
    predictor_ridge: float | str | None = None,
    progress: Progress | None = None,
) -> Residuals:
    """:func:`held_out` of a table that has been read."""
    result = predict_held_out(
        plan, data, cv=cv, random_state=random_state, predictor_ridge=predictor_ridge, progress=progress
    )
    objects, labels = np.array(data.in_memory.objects), data.known_labels.copy()
    return Residuals(objects, labels, result.predictions, result.deviations, result.fold)


def interval_calibration(residuals: Residuals, *, levels: Iterable[float] = _LEVELS) -> IntervalCalibration:
    """How often intervals of normal errors, prediction ± z · deviation, hold the label.

    ``low`` and ``high`` are Wilson's (1927) confidence limits, which stay between 0 and 1.

    Examples
    --------
    >>> labels = np.array([0.0, 1.0, 2.0, 3.0])
    >>> found = Residuals(np.arange(4), labels, labels + [0.1, -0.5, 1.0, 2.5], np.ones(4), np.arange(4))
    >>> interval_calibration(found, levels=[0.5, 0.95]).covered
    array([0.5 , 0.75])
    """
    shares = as_tuple(levels, "levels")
    for level in shares:
        if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
            raise PlanError(
                f"the level of an interval must lie between 0 and 1, such as 0.9, not {quote_value(level)}.",
                value=level,
                column="levels",
            )
    reach = special.ndtri((1 + np.array(shares, dtype=float)) / 2)
    # Of an error and a deviation of 0, both, the interval is one point, which is right.
    inside = np.abs(residuals.errors)[:, None] <= reach * residuals.deviations[:, None]
    n = len(residuals.labels)
    covered = inside.mean(axis=0)
    low, high = wilson(covered, n)
    return IntervalCalibration(tuple(map(float, shares)), covered, low, high, n)


def wilson(share: Any, n: int) -> tuple[Floats, Floats]:
    """Wilson's 95 % confidence limits of a share of n cases.

    >>> low, high = wilson(0.5, 100)
    >>> low.round(3), high.round(3)
    (np.float64(0.404), np.float64(0.596))
    """
    z = _WILSON
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)
