"""Full, the paper's greedy search (Alg. 1): at every step, the judgment that explains most for its price."""

from __future__ import annotations

__all__ = ["search_full"]

import numpy as np

from manyjudges.arrays.libraries import backend_of, first_true, largest
from manyjudges.arrays.types import Floats
from manyjudges.core.budget import COST_TOLERANCE
from manyjudges.core.moments import Moments
from manyjudges.core.objective import Posterior
from manyjudges.core.search.result import MIN_GAIN, TIE_TOLERANCE, SearchResult


def search_full(moments: Moments, budget: float, costs: Floats, max_repeats: Floats | None = None) -> SearchResult:
    """Greedy on what is explained, gain per cost (the paper's Full algorithm)."""
    posterior, backend = Posterior(moments), backend_of(moments.cross)
    room = None if max_repeats is None or np.isinf(max_repeats).all() else backend.floats(max_repeats, "caps")
    prices = backend.array(costs)
    nothing = MIN_GAIN * moments.label_variance
    remaining, leeway = budget, COST_TOLERANCE * budget
    cheapest, alike = costs.min(), bool((costs == costs[0]).all())
    picks, gains = [], []
    while cheapest <= remaining + leeway:
        # Alg. 1, the loop: obj(r + e_i) - obj(r) for every i at once, in O(d).
        gain = posterior.gains()
        gain[gain <= nothing] = 0.0  # judgments that change nothing are not bought, however much money is left
        if room is not None:
            gain[room < 1] = 0.0
        if not alike:
            gain /= prices
            gain[prices > remaining + leeway] = 0.0
        best = largest(gain)
        if best <= 0:
            break
        # The first of those that are equal but for rounding, so that every machine picks the same.
        pick = int(first_true(gain >= best * (1 - TIE_TOLERANCE), axis=0))
        gains.append(posterior.buy(pick))
        picks.append(pick)
        remaining -= float(costs[pick])
        if room is not None:
            room[pick] -= 1
    return SearchResult(np.array(picks, dtype=np.int64), np.cumsum(gains))
