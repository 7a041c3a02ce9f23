"""How like the label attributes are that are the same for every judge of an object: what both checks for leaks ask.

A judgment differs from judge to judge. What never does is mostly a fact that came along in the file, and where it goes
with the label, it may be the label itself, under another name. Such a column explains nearly everything on the objects
at hand, and is not there for new ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, lgamma

import numpy as np

from manyjudges.arrays.sums import MEAN_TOLERANCE, Sums
from manyjudges.arrays.types import Floats
from manyjudges.core.moments import Moments
from manyjudges.learn.training_data import TrainingData
from manyjudges.tables.judgments import Judgments

_MIN_REPEATED = 3
"""Pairs with two or more judgments below which agreement says nothing; an attribute must then equal the label."""

_CHANCE = 0.01
"""How likely such a rank correlation may be where objects are in random order: six different numbers are enough."""

_CHANCE_OF_TWO_VALUES = 1e-4
"""The same of an attribute of two values, on which honest judges may all agree: 16 to 18 objects are enough."""

_MIN_OBJECTS_OF_SUMS = 30
"""Objects that are enough where only sums are at hand, which do not say how many values there are."""


@dataclass(frozen=True)
class LabelLikeness:
    """How an attribute that is the same for every judge of an object goes with the label.

    Attributes
    ----------
    attribute : str
    correlation : float
        Spearman's with the label; Pearson's where only sums are at hand.
    equal : bool
        Whether it is the label, apart from rounding.
    repeated : bool
        Whether there are several judgments of the same object, so that they could have differed.
    """

    attribute: str
    correlation: float
    equal: bool
    repeated: bool = True


def label_likenesses(data: TrainingData) -> tuple[LabelLikeness, ...] | None:
    """Of each attribute that is the same for every judge of an object; None where neither table nor sums are at hand.

    Attributes that are measured without error are left out: the same for every judge is what they are said to be.
    """
    if data.table is not None and data.labels is not None:
        return _in_table(data.table, data.labels, data.noiseless)
    moments = data.moments.to_numpy()
    return None if moments.sums is None else _in_sums(moments, moments.sums)


def _in_table(table: Judgments, labels: Floats, noiseless: frozenset[str]) -> tuple[LabelLikeness, ...]:
    repeated = _repeated_and_same(table)
    found = (_of_column(table, labels, name, many) for name, many in repeated.items() if name not in noiseless)
    return tuple(likeness for likeness in found if likeness is not None)


def _repeated_and_same(table: Judgments) -> Mapping[str, int]:
    """Attributes whose judgments of an object never differ, and on how many objects they could have."""
    repeated = np.zeros(len(table.attributes), dtype=np.int64)
    same = np.ones(len(table.attributes), dtype=bool)
    for cells in table.blocks():
        repeated += np.count_nonzero(cells.count > 1, axis=0)
        same &= ~(cells.scatter > 0).any(axis=0)
        if not same.any():  # as of most tables, after the first block
            break
    return {name: int(repeated[i]) for i, name in enumerate(table.attributes) if same[i]}


def _of_column(table: Judgments, labels: Floats, name: str, repeated: int) -> LabelLikeness | None:
    """None where too little is known of the attribute to call it like the label."""
    values = np.concatenate([cells.mean[:, 0] for cells in table.only([name]).blocks()])
    known = ~np.isnan(values)
    x, y = values[known], labels[known]
    if len(x) < 2 or x.min() == x.max() or y.min() == y.max():
        return None
    equal = bool((np.abs(x - y) <= MEAN_TOLERANCE * np.maximum(np.abs(x), np.abs(y))).all())
    if _chance(x, y) > (_CHANCE if len(np.unique(x)) > 2 else _CHANCE_OF_TWO_VALUES):
        return None
    if repeated < _MIN_REPEATED and not equal:
        return None
    return LabelLikeness(name, _correlation(_ranks(x), _ranks(y)), equal, repeated >= _MIN_REPEATED)


def _chance(x: Floats, y: Floats) -> float:
    """How likely objects in random order would be as alike in both as can be, in the same order or in reverse.

    Of n! orders, ∏ m! look the same, where m objects are tied.
    """
    return 2 * max(exp(sum(lgamma(m + 1) for m in _tied(values)) - lgamma(len(x) + 1)) for values in (x, y))


def _tied(values: Floats) -> list[int]:
    counts: list[int] = np.unique(values, return_counts=True)[1].tolist()
    return counts


def _ranks(values: Floats) -> Floats:
    """Ranks from 1; the mean rank for equal values."""
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[at]
    return ranks


def _correlation(x: Floats, y: Floats) -> float:
    x, y = x - x.mean(), y - y.mean()
    return float(np.clip(x @ y / np.sqrt((x @ x) * (y @ y)), -1.0, 1.0))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _in_sums(moments: Moments, sums: Sums) -> tuple[LabelLikeness, ...]:
    """By Pearson's correlation of means, of attributes that every object has: sums do not know ranks."""
    scatter, found = sums.products.diagonal, []
    correlations = sums.cross / np.sqrt(scatter * sums.label_scatter)
    # Σ (x - y)² = Σ x² - 2 Σ xy + Σ y², about means that must be the same, too.
    apart = scatter - 2 * sums.cross + sums.label_scatter
    away = np.abs(sums.means - sums.label_mean)
    for i, name in enumerate(moments.attributes):
        if name in moments.noiseless or sums.repeated[i] < _MIN_REPEATED or sums.variance[i] > 0:
            continue
        if not np.isfinite(correlations[i]) or sums.objects[i] < max(sums.n_objects, _MIN_OBJECTS_OF_SUMS):
            continue
        rounding = sums.n_objects * MEAN_TOLERANCE
        equal = apart[i] <= rounding * sums.label_scatter and away[i] <= rounding * abs(sums.label_mean)
        found.append(LabelLikeness(name, float(np.clip(correlations[i], -1.0, 1.0)), bool(equal)))
    return tuple(found)
