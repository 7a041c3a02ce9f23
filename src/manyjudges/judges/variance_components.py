"""Variance components: how far judges' views of the same objects are apart, beyond what their own repeats differ by.

Everything is a sum over objects that both of two judges judged, so objects and judges may be missing anywhere, and what
leaving some objects out would change, which gives standard errors, costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.types import Floats, Integers

_BLOCKS = 20
"""Parts of the objects that are left out in turn; the spread of what is then found gives a standard
error, which from 20 parts is itself known to about a sixth (1/√(2·19))."""


@dataclass(frozen=True, eq=False)
class JudgePairSums:
    """Sums over the objects that two judges share, (…, judges, judges), or that a judge repeated, (…, judges).

    Of the first of the two judges, unless it is said otherwise.
    """

    n: Floats  # objects in common
    total: Floats  # Σ x
    square: Floats  # Σ x²
    product: Floats  # Σ x y, of both
    error: Floats  # Σ s²/k, the variance of x about the judge's view, where there are k > 1 calls
    single: Floats  # objects with one call, whose variance only other objects tell
    variance: Floats  # Σ s² over objects with more calls than one
    repeated: Floats  # their number

    @classmethod
    def over(cls, cells: Cells, blocks: int = _BLOCKS) -> JudgePairSums:
        """Sums of each block of objects, for columns that are one attribute's judges."""
        count, mean = np.asarray(cells.count, dtype=float), _centred(cells.mean)
        # Every many-th object, not runs of them: tables are often sorted, and neighbours alike.
        many = min(blocks, len(count))
        parts = [_summed(count[i::many], mean[i::many], cells.variance()[i::many]) for i in range(many)]
        return cls(*(np.stack(part) for part in zip(*parts, strict=True)))

    def left_out(self) -> JudgePairSums:
        """Sums over all objects, and after them those without each block."""
        arrays = (getattr(self, field.name) for field in fields(self))
        return JudgePairSums(*(np.concatenate([sums.sum(axis=0)[None], sums.sum(axis=0) - sums]) for sums in arrays))

    @property
    def within(self) -> Floats:
        """Variance between calls of the same judge about the same object, NaN where nobody was called twice."""
        return _ratio(self.variance.sum(axis=-1), self.repeated.sum(axis=-1))

    @property
    def own(self) -> Floats:
        """The same of each judge; of one who was never called twice, what holds for all."""
        return np.where(self.repeated > 0, _ratio(self.variance, self.repeated), self.within[..., None])

    @property
    def freedom(self) -> Floats:
        """How many differences between objects the two judges' sums tell of."""
        return np.maximum(self.n - 1, 0)

    @property
    def apart(self) -> Floats:
        """Summed squares of the difference of two judges' views about its mean: twice their variance, by freedom.

        What repeats differ by is taken off, without bias, so it may fall below 0.
        """
        n = np.maximum(self.n, 1)
        squares = self.square + _turned(self.square) - 2 * self.product - (self.total - _turned(self.total)) ** 2 / n
        # Means of single calls are as far off as that judge's calls are in general; nobody's, where there are none.
        error = self.error + np.where(self.single > 0, self.single * self.own[..., :, None], 0.0)
        return np.asarray(squares - (error + _turned(error)) * (1 - 1 / n))

    @property
    def call(self) -> float:
        """Variance of single calls about what their judge says on average, NaN where there is none."""
        n = np.maximum(self.n[0].diagonal(), 1)
        own = self.own[0]
        error = self.error[0].diagonal() + np.where(self.single[0].diagonal() > 0, self.single[0].diagonal() * own, 0)
        views = (self.together[0].diagonal() - error * (1 - 1 / n)).sum()
        variance = max(float(_ratio(views, (n - 1).sum())), 0.0) + float(self.within[0])
        return variance if variance > 0 else np.nan

    @property
    def together(self) -> Floats:
        """Summed products of two judges' means about their means: the covariance of their views, by freedom."""
        return np.asarray(self.product - self.total * _turned(self.total) / np.maximum(self.n, 1))


@dataclass(frozen=True, eq=False)
class VarianceComponents:
    """Variance components of one attribute; NaN where they cannot be estimated.

    Arrays of what all objects give and, after it, of what is left without each block of them.
    """

    object: Floats
    between: Floats
    prompt: Floats
    within: Floats

    @classmethod
    def of(cls, shared: JudgePairSums, groups: Any) -> VarianceComponents:
        """By moments: differences and products of judges of different groups, and of the same."""
        upper = np.triu(np.ones((len(groups), len(groups)), dtype=bool), 1)
        same = groups[:, None] == groups[None, :]
        apart, together, freedom = shared.apart, shared.together, shared.freedom
        other = upper & ~same
        # Half the variance of the difference of two judges' views is between + prompt for judges of two models, and
        # prompt alone for two of one model, who share its view. What two models' judges have in common is ``object``.
        both = _ratio(_picked(apart, other), 2 * _picked(freedom, other))
        prompt = _ratio(_picked(apart, upper & same), 2 * _picked(freedom, upper & same))
        agreed = _ratio(_picked(together, other), _picked(freedom, other))
        return cls(agreed, both - np.nan_to_num(prompt), prompt, shared.within)


class Distances:
    """Variance between the views of every two judges, summed up over attributes in units of a call's variance."""

    def __init__(self, judges: int) -> None:
        self.apart: Any = 0.0
        self.freedom: Any = 0.0
        self.within: Any = 0.0
        self._judges = judges

    def add(self, at: Integers, shared: JudgePairSums) -> None:
        """Add an attribute, judged by some of the judges."""
        unit = shared.call
        if np.isnan(unit):
            return
        # Half of what two single calls of both judges would differ by, if their views were the same.
        own = shared.own[0]
        self.apart = self.apart + self._placed(at, shared.apart / (2 * unit))
        self.freedom = self.freedom + self._placed(at, shared.freedom)
        self.within = self.within + self._placed(at, shared.freedom[0] * (own[:, None] + own) / (2 * unit))

    def between(self) -> Floats:
        """The variance between two judges' views; after that of all objects, those without each block of them."""
        return _ratio(self.apart, self.freedom)

    def _placed(self, at: Integers, sums: Floats) -> Floats:
        placed = np.zeros((*sums.shape[:-2], self._judges, self._judges))
        placed[..., at[:, None], at] = sums
        return placed


def effective_opinions(between: float, prompt: float, within: float, groups: Iterable[Iterable[float]]) -> float:
    """How many fresh opinions calls are worth, which are given by group and by judge, and weighed as is best.

    The noise of a judge's mean has variance prompt + within / calls; those of a group, weighed by its inverse, leave
    1 / Σ 1/that, to which the group's own view adds; and groups add up in the same way.

    >>> effective_opinions(0.5, 0.0, 0.5, [[1], [1]]), effective_opinions(1.0, 0.0, 0.0, [[10]])
    (2.0, 1.0)
    """
    one = between + prompt + within
    if not one > 0:  # where there is no noise, one is as good as any number
        return float(one) if np.isnan(one) else 1.0
    with np.errstate(divide="ignore"):
        # Weights by inverse variance, twice: over the judges of a model, then over models.
        inside = [1 / np.sum(1 / (prompt + within / np.array(list(calls), dtype=float))) for calls in groups]
        return float(one * np.sum(1 / (between + np.array(inside))))


def jackknife_error(left_out: Floats) -> Any:
    """Standard error of an estimate, from what it comes to without each block of objects, along the first axis."""
    blocks = left_out[1:]
    if len(blocks) < 2:
        return np.full(left_out.shape[1:], np.nan)
    # The delete-a-group jackknife: (g - 1)/g Σ (θ without group - their mean)².
    away = blocks - blocks.mean(axis=0)
    return np.sqrt((len(blocks) - 1) / len(blocks) * (away**2).sum(axis=0))


def _ratio(part: Floats, total: Floats) -> Floats:
    """Part by total, NaN where there is no total."""
    return np.where(total > 0, part / np.where(total > 0, total, 1.0), np.nan)


def _centred(mean: Floats) -> Floats:
    """Means without what a judge always adds, 0 where there is none."""
    there = ~np.isnan(mean)
    # A linear predictor takes off what a judge adds to all objects, so it is no noise here; and squares keep their
    # digits.
    level = np.where(there, mean, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    return np.where(there, mean - level, 0.0)


def _summed(count: Floats, mean: Floats, variance: Floats) -> tuple[Floats, ...]:
    there, more = (count > 0).astype(float), count > 1
    error = np.where(more, variance / np.maximum(count, 1), 0.0)
    single = (count == 1).astype(float)
    crossed = [there.T @ there, mean.T @ there, (mean**2).T @ there, mean.T @ mean, error.T @ there, single.T @ there]
    return (*crossed, np.where(more, variance, 0.0).sum(axis=0), more.sum(axis=0).astype(float))


def _turned(sums: Floats) -> Floats:
    return np.swapaxes(sums, -1, -2)


def _picked(sums: Floats, pairs: Any) -> Floats:
    return np.asarray(sums[..., pairs].sum(axis=-1))
