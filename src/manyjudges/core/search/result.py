"""What every search gives back, and when it calls two gains equal."""

from __future__ import annotations

__all__ = ["Search", "SearchResult", "explained_along"]

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.core.moments import Moments
from manyjudges.core.objective import Posterior

MIN_GAIN = float(np.finfo(float).eps) / 2
"""Share of the label's variance below which a gain no longer changes the loss in double precision."""

TIE_TOLERANCE = 1e-9
"""Relative difference below which two gains are equal, so that rounding does not choose between attributes."""


class SearchResult(NamedTuple):
    """Judgments in the order bought, the label variance explained after each, and a bound where one was proven."""

    picks: Integers
    explained: Floats
    bound: float | None = None


Search = Callable[..., SearchResult]
"""``(moments, budget, costs, max_repeats)`` to the judgments to buy: the form of every ``search_<name>``.

It never spends more than the budget, and never buys a judgment that adds nothing. Costs and limits are arrays, a limit
infinite where there is none. An ``anytime`` search takes the keywords ``time_limit`` and ``progress`` as well.
"""


def in_order(moments: Moments, repeats: Integers, costs: Floats) -> SearchResult:
    """Judgments of a plan in the order in which greedy search would buy them, if it had to buy these."""
    posterior, remaining = Posterior(moments), np.array(repeats)
    picks, gains = [], []
    while remaining.any():
        # Full's own rule among what is left to buy, with its ties to the first attribute: plans of all searches read
        # alike, and their beginnings are good plans, too.
        worth = np.where(remaining > 0, posterior.gains() / costs, -1.0)
        pick = int((worth >= worth.max() * (1 - TIE_TOLERANCE)).argmax())
        gains.append(posterior.buy(pick))
        picks.append(pick)
        remaining[pick] -= 1
    return SearchResult(np.array(picks, dtype=np.int64), np.cumsum(gains))


def explained_along(moments: Moments, picks: Integers) -> Floats:
    """Label variance explained after each of some picks."""
    posterior = Posterior(moments)
    return np.cumsum([posterior.buy(int(i)) for i in picks])
