"""What all linear predictors share: what a fit leaves, how it is written as a formula, and how moments are saved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.gram import Gram
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base import documents
from manyjudges.core.moments import Moments
from manyjudges.exceptions import DocumentError, ManyJudgesError
from manyjudges.learn.inference.calibration import Calibration
from manyjudges.learn.predictors.curves import Curve


@dataclass(frozen=True, eq=False)
class LinearFit:
    """What fitting a linear predictor leaves.

    Attributes
    ----------
    coefficients : (chosen,) array
        Of the mean of exactly as many judgments as the plan says.
    bias : float
    deviation : float
        Standard deviation of the error to expect when the plan is followed.
    residual_variance : float
        Mean squared error on the training objects.
    moments : Moments, optional
        Of the chosen attributes, for a predictor that weighs any numbers of judgments.
    calibration : tuple of pairs of float
    curve : Curve, optional
        What a straight line misses.
    ridge : float
        By which its coefficients were tamed.
    """

    coefficients: Floats
    bias: float
    deviation: float
    residual_variance: float
    moments: Moments | None = None
    calibration: Calibration = ()
    curve: Curve | None = None
    ridge: float = 0.0


class HasFit(Protocol):
    """A fit, or whatever has the same attributes, such as a Predictor."""

    @property
    def coefficients(self) -> Floats:
        """As in a LinearFit."""

    @property
    def bias(self) -> float:
        """As in a LinearFit."""

    @property
    def deviation(self) -> float:
        """As in a LinearFit."""

    @property
    def residual_variance(self) -> float:
        """As in a LinearFit."""

    @property
    def moments(self) -> Moments | None:
        """As in a LinearFit."""

    @property
    def calibration(self) -> Calibration:
        """As in a LinearFit."""

    @property
    def curve(self) -> Curve | None:
        """As in a LinearFit."""


@dataclass(frozen=True, eq=False)
class ChosenCells:
    """Cells of the chosen attributes, and the names that a message needs."""

    cells: Cells
    objects: Any
    attributes: tuple[str, ...]


def formula(attributes: tuple[str, ...], repeats: Integers, coefficients: Floats, bias: float) -> str:
    """A predictor in the paper's style.

    >>> formula(("beans", "round"), np.array([5, 2]), np.array([0.95, -50.0]), 3.0)
    '0.95·beans/5 − 50·round/2 + 3'
    """
    terms = [(w, f"·{name}/{n}") for name, n, w in zip(attributes, repeats, coefficients, strict=True)]
    text = ""
    for w, rest in [*terms, (bias, "")]:
        # A minus sign, not a hyphen, which could be taken for a part of an attribute's name.
        sign = ("−" if w < 0 else "") if not text else (" − " if w < 0 else " + ")
        text += f"{sign}{_short(abs(w))}{rest}"
    return text


def _short(number: float) -> str:
    return (
        f"{number:.3g}"
        if number == 0 or 1e-4 <= number < 1000
        else f"{number:,.0f}"
        if 1000 <= number < 1e7
        else f"{number:.2e}"
    )


def moments_document(moments: Moments) -> dict[str, Any]:
    """Moments as plain lists, numbers and strings."""
    return {
        "attributes": list(moments.attributes),
        "n_objects": moments.n_objects,
        "label_mean": moments.label_mean,
        "label_variance": moments.label_variance,
        "means": moments.means.tolist(),
        "cross": moments.cross.tolist(),
        "noise": moments.noise.tolist(),
        "covariance": moments.covariance.tolist(),
    }


def read_moments(document: dict[str, Any]) -> Moments:
    """The moments in a model's document."""
    fields = documents.field(document, "moments", dict)
    try:
        moments = Moments.from_values(
            fields["cross"],
            fields["noise"],
            fields["covariance"],
            fields["label_variance"],
            attributes=fields["attributes"],
            means=fields["means"],
            label_mean=fields["label_mean"],
            n_objects=int(documents.number(fields, "n_objects")),
        )
    except ManyJudgesError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise DocumentError(
            f"the model's moments cannot be read: {type(error).__name__}: {error}.", column="moments"
        ) from None
    # As it was written: making it positive semi-definite once more would change its last digits.
    return replace(moments, matrix=Gram(np.array(fields["covariance"], dtype=float).reshape(moments.covariance.shape)))
