"""Reliability: how far judgments of each attribute can be trusted, and how many make them so. Needs no labels."""

from __future__ import annotations

__all__ = ["Reliability", "reliability"]

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import special

from manyjudges.arrays.sums import MEAN_TOLERANCE
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.frames import table
from manyjudges.base.messages import quote_value
from manyjudges.base.results import Result, as_tuple
from manyjudges.exceptions import JudgmentsError, PlanError
from manyjudges.judges.dependence import check_independence
from manyjudges.tables.judgments import Judgments

if TYPE_CHECKING:
    import pandas as pd

_TARGETS = (0.7, 0.8, 0.9)
"""Reliabilities that are commonly asked for: in early research, in basic research, where people are decided on.

Nunnally, *Psychometric Theory* (2nd edition, 1978), pages 245 and 246.
"""

_NUMBERS = (1, 2, 3, 5, 10, 20, 50)
"""Numbers of judgments at which to say how reliable their mean would be."""

_TAIL = 0.025
"""Chance to lie beyond each confidence limit."""


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(Result):
    """How reliable the judgments of each attribute are: a one-way random-effects analysis of variance.

    Made by :func:`reliability`, which says by which formulas. Arrays have an entry, or a row, for each attribute.

    Attributes
    ----------
    attributes : tuple of str
    n_objects, n_judgments : arrays of int
        Objects that were judged, and judgments of them.
    k : array
        Typical number of judgments of an object (k0): their number where all have the same, somewhat less than the mean
        where they differ.
    object_variance : array
        Variance of the objects' true values, not below 0.
    noise_variance : array
        Variance of judgments of the same object.
    worker_variance : array
        What of the noise is workers being always higher or lower; NaN where workers are not known.
    icc1, icc1_low, icc1_high : arrays
        ICC(1), the reliability of a single judgment, with its 95 % confidence limits. Below 0 where objects differ less
        than chance alone would make them.
    icck : array
        ICC(1,k), the reliability of the mean of k judgments.
    numbers : tuple of int
    projected : array, a row for each attribute and a column for each number
        Reliability of the mean of so many judgments, by Spearman and Brown; from an ICC below 0 it is 0.
    targets : tuple of float
    needed : array, a row for each attribute and a column for each target
        The least number of judgments with that reliability; infinite where ICC(1) is not above 0.
    unknown : tuple of str
        Attributes whose reliability cannot be known: of no object there are two judgments, fewer than two objects were
        judged, or all judgments are the same. Their ICCs are NaN.
    """

    FORMAT: ClassVar[str] = "manyjudges.judges.reliability/1"

    attributes: tuple[str, ...]
    n_objects: Integers
    n_judgments: Integers
    k: Floats
    object_variance: Floats
    noise_variance: Floats
    worker_variance: Floats
    icc1: Floats
    icc1_low: Floats
    icc1_high: Floats
    icck: Floats
    numbers: tuple[int, ...]
    projected: Floats
    targets: tuple[float, ...]
    needed: Floats
    unknown: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """A row for each attribute; ``needed_0.8`` is how many judgments have a reliability of 0.8."""
        names = ("n_objects", "n_judgments", "k", "object_variance", "noise_variance", "worker_variance")
        columns = {name: getattr(self, name) for name in (*names, "icc1", "icc1_low", "icc1_high", "icck")}
        needed = {f"needed_{target:g}": self.needed[:, t] for t, target in enumerate(self.targets)}
        return table(columns | needed, index=self.attributes, index_name="attribute")

    def projected_frame(self) -> pd.DataFrame:
        """A row for each attribute and number of judgments: the reliability of the mean of so many."""
        many = len(self.numbers)
        return table(
            {
                "attribute": np.repeat(np.array(self.attributes, dtype=object), many),
                "judgments": np.tile(np.array(self.numbers), len(self.attributes)),
                "reliability": self.projected.ravel(),
            }
        )


def reliability(
    judgments: Judgments, *, targets: Iterable[float] = _TARGETS, numbers: Iterable[int] = _NUMBERS
) -> Reliability:
    """How reliable the judgments of each attribute are, without any labels.

    One-way random-effects analysis of variance, objects random and judges nested in them (case 1 of Shrout and Fleiss
    1979), with mean squares between objects MSB and within them MSW, of N judgments of n objects, n[i] of each::

        k0      = (N - Σ n[i]² / N) / (n - 1)                 their number, where all objects have the same
        ICC(1)  = (MSB - MSW) / (MSB + (k0 - 1) MSW)          reliability of one judgment
        ICC(1,k) = (MSB - MSW) / MSB                          of the mean of k0
        F       = MSB / MSW;  FL = F / F.975(n - 1, N - n);   FU = F · F.975(N - n, n - 1)
        limits  = (FL - 1) / (FL + k0 - 1)  and  (FU - 1) / (FU + k0 - 1)
        ρ(m)    = m ICC(1) / (1 + (m - 1) ICC(1))             of the mean of m, by Spearman and Brown

    (McGraw and Wong 1996). The limits are exact for normal values where all objects have as many
    judgments, and near where they do not. Objects with a single judgment tell about differences between objects, and
    nothing about noise.

    Parameters
    ----------
    judgments : Judgments
    targets : sequence of float
        Reliabilities, between 0 and 1, that a number of judgments is wanted for.
    numbers : sequence of int
        Numbers of judgments at which to say how reliable their mean would be.

    Examples
    --------
    The four judges of Shrout and Fleiss:

    >>> from manyjudges import Judgments
    >>> from manyjudges.summary import reliability
    >>> table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> found = reliability(Judgments.from_array([[row] for row in table], attributes=["rating"]))
    >>> found.icc1.round(2), found.icck.round(2)
    (array([0.17]), array([0.44]))
    >>> found.needed[0]  # for 0.7, 0.8 and 0.9
    array([12., 21., 46.])
    """
    if not isinstance(judgments, Judgments):
        raise JudgmentsError(
            f"judgments must be a Judgments, not {type(judgments).__name__}; make one with from_frame or from_array.",
            value=judgments,
            column="judgments",
        )
    goals, many = _as_targets(targets), _as_numbers(numbers)
    variance = _Variance.of(judgments)
    icc, low, high, mean_icc = variance.icc()
    estimable = np.isfinite(icc)
    # Spearman and Brown's formula has a pole at m = 1 - 1/ICC where the ICC is below 0; such an ICC is one of 0, and
    # chance.
    single = np.maximum(icc, 0.0)[:, None]
    noise = np.where(variance.repeated, variance.within, np.nan)
    return Reliability(
        attributes=judgments.attributes,
        n_objects=variance.objects,
        n_judgments=variance.judgments,
        k=np.where(variance.repeated, variance.k, np.nan),
        # E[MSB] = noise variance + k0 · object variance, and E[MSW] = noise variance.
        object_variance=np.where(
            variance.repeated, np.maximum(variance.between - variance.within, 0.0) / variance.k, np.nan
        ),
        noise_variance=noise,
        worker_variance=noise * _worker_share(judgments),
        icc1=icc,
        icc1_low=low,
        icc1_high=high,
        icck=mean_icc,
        numbers=many,
        projected=spearman_brown(single, np.array(many, dtype=float)),
        targets=goals,
        needed=judgments_needed(single, np.array(goals, dtype=float)),
        unknown=tuple(name for name, fine in zip(judgments.attributes, estimable, strict=True) if not fine),
    )


def spearman_brown(single: Any, number: Any) -> Floats:
    """Reliability of the mean of so many judgments, from that of a single one.

    >>> spearman_brown(0.5, 2).round(3)
    np.float64(0.667)
    """
    return np.asarray(number * single / (1 + (number - 1) * single))[()]


def judgments_needed(single: Any, target: Any) -> Floats:
    """The least number of judgments whose mean is as reliable as wanted; infinite where one has no reliability.

    >>> judgments_needed(0.5, 0.8)
    np.float64(4.0)
    """
    with np.errstate(divide="ignore"):
        # Spearman and Brown's formula, solved for the number.
        exact = target / (1 - target) * np.divide(1 - single, single)
    # Less a rounding error: what reaches the target exactly needs no further judgment.
    return np.asarray(np.maximum(np.ceil(exact * (1 - 1e-12)), 1.0))[()]


@dataclass(frozen=True, eq=False)
class _Variance:
    """Analysis of variance of each attribute."""

    objects: Integers  # with a judgment of it
    judgments: Integers
    k: Floats  # k0, 1 where nothing is repeated
    between: Floats  # mean squares
    within: Floats
    repeated: Any  # whether there are two objects, and two judgments of one
    constant: Any  # whether all judgments are the same

    @classmethod
    def of(cls, judgments: Judgments) -> _Variance:
        d = len(judgments.attributes)
        objects, total, squares = (np.zeros(d, dtype=np.int64) for _ in range(3))
        summed, within, between = (np.zeros(d) for _ in range(3))
        for cells in judgments.blocks():
            count = np.asarray(cells.count, dtype=np.int64)
            objects += np.count_nonzero(count, axis=0)
            total += count.sum(axis=0)
            squares += (count**2).sum(axis=0)
            summed += (count * np.where(count > 0, cells.mean, 0.0)).sum(axis=0)
            within += cells.scatter.sum(axis=0)
        centre = summed / np.maximum(total, 1)
        for cells in judgments.blocks():  # once more, as squares of large values less another's would be rounding error
            away = np.where(cells.count > 0, cells.mean - centre, 0.0)
            between += (cells.count * away**2).sum(axis=0)
        repeated = (objects > 1) & (total > objects)
        # k0 = (N - Σ n[i]²/N) / (n - 1): the one number for which E[MSB] is as above where objects differ in theirs.
        k = (total - squares / np.maximum(total, 1)) / np.maximum(objects - 1, 1)
        return cls(
            objects=objects,
            judgments=total,
            k=np.where(repeated, k, 1.0),
            between=between / np.maximum(objects - 1, 1),
            within=within / np.maximum(total - objects, 1),
            repeated=repeated,
            constant=(within == 0) & (np.sqrt(between / np.maximum(total, 1)) <= MEAN_TOLERANCE * np.abs(centre)),
        )

    def icc(self) -> tuple[Floats, Floats, Floats, Floats]:
        """ICC(1), its limits, and ICC(1,k): 1 where nobody disagrees, NaN where it cannot be known."""
        first, second = np.maximum(self.objects - 1.0, 1), np.maximum(self.judgments - self.objects, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            # F = MSB / MSW; the limits are the same formula at F's own limits, FL and FU, and ICC(1,k) is 1 - 1/F.
            ratio = self.between / self.within
            low, high = special.fdtri(first, second, 1 - _TAIL), special.fdtri(second, first, 1 - _TAIL)
            single = [(f - 1) / (f + self.k - 1) for f in (ratio, ratio / low, ratio * high)]
            settled = [self._settled(icc) for icc in (*single, 1 - 1 / ratio)]
        alike = self.between == 0  # objects that do not differ at all say nothing of how far they might
        return settled[0], np.where(alike, np.nan, settled[1]), np.where(alike, np.nan, settled[2]), settled[3]

    def _settled(self, icc: Floats) -> Floats:
        # Where nobody ever disagrees MSW is 0 and F infinite: (F - 1)/(F + k0 - 1) is then 1.
        sure = np.where(self.within == 0, 1.0, icc)
        return np.where(self.repeated & ~self.constant & np.isfinite(sure), sure, np.nan)


def _worker_share(judgments: Judgments) -> Floats:
    """Share of the noise that is workers' biases; NaN where workers are not known."""
    if not len(judgments.workers):
        return np.full(len(judgments.attributes), np.nan)
    bias_share = check_independence(judgments).attributes["bias_share"]
    share = np.clip(bias_share.to_numpy(dtype=float), 0.0, 1.0)
    return np.asarray(np.where(share < 1e-9, 0.0, share))  # what is left of rounding is nothing


def _as_targets(targets: Iterable[float]) -> tuple[float, ...]:
    values = as_tuple(targets, "targets")
    for target in values:
        if isinstance(target, bool) or not isinstance(target, int | float | np.number) or not 0 < target < 1:
            raise PlanError(
                f"a target of reliability must lie between 0 and 1, such as 0.8, not {quote_value(target)}.",
                value=target,
                column="targets",
            )
    return tuple(map(float, values))


def _as_numbers(numbers: Iterable[int]) -> tuple[int, ...]:
    values = as_tuple(numbers, "numbers")
    for number in values:
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
            raise PlanError(
                f"a number of judgments must be a whole number of 1 or more, not {quote_value(number)}.",
                value=number,
                column="numbers",
            )
    return tuple(map(int, values))
