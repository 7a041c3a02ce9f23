"""Rescaling: averaging ratings on the scale on which they tell objects apart best.

The mean of skewed ratings is a poor summary of them: a few large ones decide. For each attribute, judgments are kept as
they are, or their square roots or logarithms are averaged. The choice looks at no label. It takes the scale on which a
single judgment is more reliable, σ²/(σ² + v), and so everything that follows is as before, on other values.
"""

from __future__ import annotations

__all__ = ["RESCALING_KINDS", "Rescaling", "choose_rescalings", "with_rescalings"]

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.types import Floats
from manyjudges.base import documents
from manyjudges.base.methods import RESCALINGS
from manyjudges.exceptions import DocumentError
from manyjudges.tables.judgments import Judgments

_LOG_STEEPNESS = 20.0
"""log(1 + 20 u) of a value u from 0 to 1: the first twentieth of the range weighs as much as the last half."""

RESCALING_KINDS = RESCALINGS
"""Scales to choose from, the simplest first."""

_SURE = 2.0
"""Jackknife standard errors by which a scale must be more reliable to be taken."""

_SKEWED = 1.0
"""Skewness of judgments from which the root is taken if it is not clearly less reliable."""


@dataclass(frozen=True)
class Rescaling:
    """The scale on which judgments of an attribute are averaged.

    Attributes
    ----------
    kind : {"root", "log"}
    low, high : float
        The range of the answers: what was declared or, for free numbers, what the labelled objects have. Values outside
        are taken to be at its end.
    """

    kind: str
    low: float
    high: float

    def apply(self, values: Floats) -> Floats:
        """Values on this scale.

        >>> Rescaling("root", 1.0, 10.0).apply(np.array([1.0, 5.0, 10.0, 12.0]))
        array([0., 2., 3., 3.])
        """
        away = np.clip(values, self.low, self.high) - self.low
        if self.kind == "root":
            return np.asarray(np.sqrt(away))
        return np.asarray(np.log1p(_LOG_STEEPNESS * away / (self.high - self.low)))

    def of_name(self, name: str) -> str:
        """How the attribute is written where its values are on this scale.

        >>> Rescaling("log", 0.0, 10.0).of_name("length")
        'log(length)'
        """
        return f"√({name})" if self.kind == "root" else f"log({name})"

    def to_document(self) -> dict[str, Any]:
        """The scale as plain JSON."""
        return {"rescaling": self.kind, "low": self.low, "high": self.high}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Rescaling:
        """Read a scale that :meth:`to_document` gave."""
        kind = documents.field(document, "rescaling", str)
        low, high = (documents.number(document, name) for name in ("low", "high"))
        if kind not in RESCALING_KINDS[1:] or not low < high:
            raise DocumentError(
                f"a rescaling must be 'root' or 'log' over a range, not {kind!r} from {low:g} to {high:g}.",
                value=kind,
                column="rescaling",
            )
        return cls(kind, low, high)


def with_rescalings(judgments: Judgments, rescalings: Mapping[str, Rescaling]) -> Judgments:
    """The judgments, with those of the attributes named on their scales."""
    at = {i: rescalings[name] for i, name in enumerate(judgments.attributes) if name in rescalings}
    if not at:
        return judgments
    rows = judgments.rows()
    values = rows.values.copy()
    for i, rescaling in at.items():
        own = rows.attributes == i
        values[own] = rescaling.apply(values[own])
    return judgments.with_values(values)


def choose_rescalings(
    judgments: Judgments,
    *,
    noiseless: Collection[str] = (),
    ranges: Mapping[str, tuple[float, float]] | None = None,
    kinds: Collection[str] = RESCALING_KINDS,
) -> dict[str, Rescaling]:
    """Choose a rescaling for each attribute, by reliability; those that stay plain are left out.

    The one whose reliability is higher than that of the plain judgments by more than two paired jackknife standard
    errors over objects is taken, the better one of two; otherwise the root, where the judgments' skewness exceeds 1,
    unless it is less reliable by two standard errors. Answers with two values, and attributes without noise, stay as
    they are.

    Parameters
    ----------
    judgments : Judgments
    noiseless : collection of str
        Attributes that are measured without error.
    ranges : mapping of str to tuple of float, optional
        Declared ranges of answers.
    kinds : collection of str
        Scales to choose from. With one besides ``"none"``, or without ``"none"``, that one is taken everywhere.
    """
    rows = judgments.rows()
    order = np.argsort(rows.attributes, kind="stable")
    ends = np.cumsum(np.bincount(rows.attributes, minlength=len(judgments.attributes)))
    chosen = {}
    for i, own in enumerate(np.split(order, ends[:-1])):
        name = judgments.attributes[i]
        values, objects = rows.values[own], rows.objects[own]
        if name in noiseless or len(np.unique(values)) <= 2:
            continue
        lowest, highest = float(values.min()), float(values.max())
        low, high = (ranges or {}).get(name, (lowest, highest))
        limits = min(low, lowest), max(high, highest)
        scales = [Rescaling(kind, *limits) for kind in kinds if kind != "none"]
        best = _best_scale(values, objects, scales, "none" in kinds)
        if best is not None:
            chosen[name] = best
    return chosen


def _best_scale(values: Floats, objects: Any, scales: list[Rescaling], plain_allowed: bool) -> Rescaling | None:
    if not plain_allowed:
        return scales[0]
    _, rows = np.unique(objects, return_inverse=True)
    plain, plain_without = _reliabilities(values, rows)
    best, best_reliability, clearly_worse = None, plain, set()
    for scale in scales:
        own, own_without = _reliabilities(scale.apply(values), rows)
        error = _jackknife_error(own_without - plain_without)
        if own - plain > _SURE * error and own > best_reliability:
            best, best_reliability = scale, own
        if own - plain < -_SURE * error:
            clearly_worse.add(scale.kind)
    if best is not None or _skewness(values) <= _SKEWED:
        return best
    return next((scale for scale in scales if scale.kind == "root" and "root" not in clearly_worse), None)


def _reliabilities(values: Floats, rows: Any) -> tuple[float, Floats]:
    """Reliability of one judgment, and the same without each object in turn."""
    n = int(rows.max()) + 1
    cells = Cells.of_rows(rows, values, (n, 1))
    count, mean = cells.count[:, 0], cells.mean[:, 0]
    repeated = count > 1
    variance = np.where(repeated, cells.variance()[:, 0], 0.0)
    away = mean - mean.mean()
    # Each sum as it is, and as it is without each of the objects. Without object i, Σ (x̄ - mean)² is smaller by
    # n/(n - 1) (x̄[i] - mean)².
    scatter = np.append(0.0, away**2 * n / max(n - 1, 1))
    parts = [np.append(0.0, part) for part in (variance, repeated, variance / np.maximum(count, 1), ~repeated)]
    total = [part.sum() - part for part in parts]
    n_left = np.append(n, np.full(n, n - 1))
    noise = total[0] / np.maximum(total[1], 1)
    error = total[2] + total[3] * noise
    between = ((away**2).sum() - scatter - error) / np.maximum(n_left, 1)
    reliability = between / np.maximum(between + noise, np.finfo(float).tiny)
    return float(reliability[0]), reliability[1:]


def _jackknife_error(without: Floats) -> float:
    n = len(without)
    return float(np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum()))


def _skewness(values: Floats) -> float:
    deviation = values.std()
    return 0.0 if deviation == 0 else float((((values - values.mean()) / deviation) ** 3).mean())
