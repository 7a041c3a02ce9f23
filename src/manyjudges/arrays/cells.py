"""Cells: what the judgments of each object-attribute pair add up to."""

from __future__ import annotations

__all__ = ["CellTally", "Cells"]

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyjudges.arrays.libraries import backend_of, counted, namespace
from manyjudges.arrays.types import Floats, Integers


@dataclass(frozen=True, eq=False)
class Cells:
    """Count, mean and scatter of the judgments of every pair; rows are objects, columns are attributes.

    All that the mathematics ever sees of a table of judgments.

    Parameters
    ----------
    count : (objects, attributes) array of int
        How many judgments there are.
    mean : (objects, attributes) array
        Their mean, NaN where there are none.
    scatter : (objects, attributes) array
        Their summed squared distances from that mean; exactly 0 when all of them agree.
    uniform : int, optional
        The count of every pair, where that is known to be the same for all.
    """

    count: NDArray[Any]
    mean: Floats
    scatter: Floats
    uniform: int | None = None

    @classmethod
    def of_rows(cls, cell: Integers, values: Floats, shape: tuple[int, int]) -> Cells:
        """Of judgments one after the other, in any order; ``cell`` says for each which pair it is of, row by row."""
        size = shape[0] * shape[1]
        count = np.bincount(cell, minlength=size)
        # Distances from each pair's first judgment: exactly zero where all agree, and safe for large values.
        first = np.full(size, np.nan)
        first[cell[::-1]] = values[::-1]
        n = np.maximum(count, 1)
        with np.errstate(over="ignore", invalid="ignore"):  # the moments say which attribute is too large
            # Σ (x - p)² - (Σ (x - p))²/n is Σ (x - x̄)² for any p. With p among the values, neither term is much larger
            # than their difference, which so keeps its digits.
            away = values - first[cell]
            total = np.bincount(cell, weights=away, minlength=size)
            square = np.bincount(cell, weights=away * away, minlength=size)
            mean = first + total / n
            scatter = np.maximum(square - total * total / n, 0.0)
        k = int(count[0]) if size and (count == count[0]).all() else None
        return cls(count.reshape(shape), mean.reshape(shape), scatter.reshape(shape), k or None)

    def rows(self, at: Integers) -> Cells:
        """Those of some objects."""
        return Cells(self.count[at], self.mean[at], self.scatter[at], self.uniform)

    def variance(self) -> Floats:
        """Unbiased sample variance of each pair's judgments (VarEst in the paper), 0 below two."""
        # VarEst divides by n - 1. A single judgment has no scatter, and whatever that is divided by, it stays 0.
        spare: Floats = counted(namespace(self.count).maximum(self.count - 1, 1))
        return self.scatter / spare

    @property
    def complete(self) -> bool:
        """Whether every pair has a judgment."""
        return bool(self.uniform) or bool(namespace(self.count).all(self.count))

    def tally(self) -> CellTally:
        """Count and sum over objects."""
        n, d = self.count.shape
        backend = backend_of(self.scatter)
        xp = backend.xp
        # Equal counts come out of the sums: one pass over the scatter, and none over the counts.
        if (k := self.uniform) is not None:
            variance = xp.sum(self.scatter, axis=0) / (k - 1) if k > 1 else backend.full((d,), 0.0)
            single, repeated = (backend.full((d,), n if holds else 0) for holds in (k == 1, k > 1))
            return CellTally(single, repeated, variance, variance / max(k, 1), backend.full((d,), n * k))
        variances = self.variance()
        return CellTally(
            single=xp.count_nonzero(self.count == 1, axis=0),
            repeated=xp.count_nonzero(self.count > 1, axis=0),
            variance=xp.sum(variances, axis=0),
            # Alg. 1, line 10, with k of each object: the mean of k judgments has a k-th of their variance.
            variance_of_mean=xp.sum(variances / counted(xp.maximum(self.count, 1)), axis=0),
            judgments=xp.sum(self.count, axis=0, dtype=xp.int64),
        )


@dataclass(frozen=True, eq=False)
class CellTally:
    """What the cells of each attribute come to.

    Parameters
    ----------
    single, repeated : (attributes,) arrays of int
        Objects with exactly one judgment, and with more.
    variance, variance_of_mean : (attributes,) arrays
        Sums over objects of the sample variance, and of the variance of the mean that it implies.
    judgments : (attributes,) array of int
    """

    single: Integers
    repeated: Integers
    variance: Floats
    variance_of_mean: Floats
    judgments: Integers
