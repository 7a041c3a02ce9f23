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
    """

    count: NDArray[Any]
    mean: Floats
    scatter: Floats

    def variance(self) -> Floats:
        """Unbiased sample variance of each pair's judgments (VarEst in the paper), 0 below two."""
        return np.asarray(self.scatter / np.maximum(self.count - 1, 1))

    def variance_sums(self) -> tuple[Floats, Floats]:
        """Sum over objects of that variance, and of the variance of the mean that it implies."""
        if not any(self.count.strides):  # one and the same count for all, held once
            n = int(self.count.flat[0])
            total = self.scatter.sum(axis=0) / max(n - 1, 1)
            return total, total / max(n, 1)
        variance = self.variance()
        return variance.sum(axis=0), (variance / np.maximum(self.count, 1)).sum(axis=0)
