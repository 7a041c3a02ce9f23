"""Cells: what the judgments of each object-attribute pair add up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


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

    def variance(self) -> Floats:
        """Unbiased sample variance of each pair's judgments (VarEst in the paper), 0 below two."""
        return np.asarray(self.scatter / np.maximum(self.count - 1, 1))

    @property
    def complete(self) -> bool:
        """Whether every pair has a judgment."""
        return bool(self.uniform) or bool(self.count.all())

    def tally(self) -> Tally:
        """Count and sum over objects."""
        n, d = self.count.shape
        if (k := self.uniform) is not None:
            variance = self.scatter.sum(axis=0) / (k - 1) if k > 1 else np.zeros(d)
            single, repeated = (np.full(d, n if each else 0) for each in (k == 1, k > 1))
            return Tally(single, repeated, variance, variance / max(k, 1), np.full(d, n * k))
        variances = self.variance()
        return Tally(
            single=np.count_nonzero(self.count == 1, axis=0),
            repeated=np.count_nonzero(self.count > 1, axis=0),
            variance=variances.sum(axis=0),
            variance_of_mean=(variances / np.maximum(self.count, 1)).sum(axis=0),
            judgments=self.count.sum(axis=0, dtype=np.int64),
        )


@dataclass(frozen=True, eq=False)
class Tally:
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
