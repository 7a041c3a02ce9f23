"""Prediction intervals: how many standard deviations of its error a prediction is off, on held-out objects.

Errors are rarely normal. Their size on objects that a predictor has not seen, in units of the standard deviation that
it expects, says how far intervals must reach to hold a given share of them (split conformal prediction).
"""

from __future__ import annotations

__all__ = ["interval_quantiles", "reach_of"]

import math

import numpy as np
from scipy.stats import norm

from manyjudges.arrays.types import Floats
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import PlanError

Quantiles = tuple[tuple[float, float], ...]
"""Shares of objects, ascending, and how many standard deviations off they are at the most."""

_LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
"""Shares at which quantiles are kept; those between are interpolated."""


def interval_quantiles(errors: Floats, deviations: Floats) -> Quantiles:
    """How many of its deviations a held-out prediction is off, for several shares of objects.

    Only for shares that so many objects can say something of: of 40 objects, the largest error says nothing of the
    worst one in a hundred.

    >>> errors = np.random.default_rng(0).standard_normal(2000)
    >>> [(level, round(reach, 1)) for level, reach in interval_quantiles(errors, np.ones(2000))][3:6]
    [(0.8, 1.3), (0.9, 1.6), (0.95, 1.9)]
    """
    off = np.sort(np.abs(errors) / np.maximum(deviations, np.finfo(float).tiny))
    n = len(off)
    # The plan was made with these objects, so that errors look smaller than they are; deviations are those of plans
    # made without them. What is taken from the errors is then their shape, and not that they are small.
    size = float(np.sqrt(np.mean(off**2))) if n else 0.0
    off = off / size if 0 < size < 1 else off
    # The ⌈(n + 1) level⌉-th smallest holds a new one with at least that probability.
    ranks = {level: math.ceil((n + 1) * level) for level in _LEVELS}
    return tuple((level, float(off[rank - 1])) for level, rank in ranks.items() if rank <= n)


def reach_of(coverage: float, quantiles: Quantiles) -> float:
    """Standard deviations either way that intervals reach which are to hold a share of the objects.

    Where held-out objects say nothing of that share, it is that of a normal distribution.

    >>> round(reach_of(0.95, ()), 2)
    1.96
    """
    if not (isinstance(coverage, float | np.floating) and 0 < coverage < 1):
        raise PlanError(
            f"coverage must be a number between 0 and 1, such as 0.95, not {quote_value(coverage)}.",
            value=coverage,
            column="coverage",
        )
    normal = float(norm.ppf((1 + coverage) / 2))
    if not quantiles or coverage > quantiles[-1][0]:
        return max([normal, *(reach for _, reach in quantiles)])
    # As multiples of the normal reach, which vary little between shares, while reaches themselves grow without end.
    levels = [level for level, _ in quantiles]
    multiples = [reach / float(norm.ppf((1 + level) / 2)) for level, reach in quantiles]
    return normal * float(np.interp(coverage, levels, multiples))
