"""Scoring, the paper's second algorithm: what each attribute explains alone, as if attributes were uncorrelated.

Then what a plan explains is a sum over attributes, ``Σ b²/(σ² + v/r)``, concave in each r, and a plan is found without
looking at any covariance: for millions of attributes too.
"""

from __future__ import annotations

__all__ = ["search_scoring"]

import heapq
import math
from typing import Any

import numpy as np

from manyjudges.arrays.libraries import to_numpy
from manyjudges.arrays.types import Floats, Integers
from manyjudges.core.budget import COST_TOLERANCE
from manyjudges.core.moments import Moments
from manyjudges.core.search.knapsack import best_items
from manyjudges.core.search.result import MIN_GAIN, TIE_TOLERANCE, SearchResult, explained_along

_TIE_DIGITS = 2.0**30
"""``TIE_TOLERANCE`` as a number of binary digits, for sorting: gains are rounded to them before they are compared."""


def search_scoring(moments: Moments, budget: float, costs: Floats, max_repeats: Floats | None = None) -> SearchResult:
    """The most of the sum of what each attribute explains alone (the paper's Scoring algorithm)."""
    nothing = MIN_GAIN * moments.label_variance
    cross, noise, variance = (to_numpy(values) for values in (moments.cross, moments.noise, moments.variances))
    picks = scoring_picks(cross, noise, variance, budget, costs, max_repeats, nothing=nothing)
    return SearchResult(picks, explained_along(moments, picks))


def scoring_picks(
    cross: Floats,
    noise: Floats,
    variance: Floats,
    budget: float,
    costs: Floats,
    max_repeats: Floats | None = None,
    *,
    nothing: float = 0.0,
) -> Integers:
    """What the Scoring algorithm buys, in order, from arrays alone: attributes by the million are no matter.

    An attribute's gains fall with every judgment, so greedy buys everything worth more per cost than some price,
    finds that price by bisection, and goes one by one only through what is left of the budget then. At equal costs that
    is the optimum (the paper's Theorem on greedy); at others it is a knapsack, of which only what lies near that price
    is left to be decided, by dynamic programming.
    """
    score = _Scores(
        cross, noise, variance, costs, np.full(len(costs), np.inf) if max_repeats is None else max_repeats, nothing
    )
    # The paper's lemma on greedy: of a sum of concave functions, it buys what gains most. At equal costs that is all
    # that gains more than some price, and the price is found faster than the judgments one by one.
    repeats = _bulk(score, budget, costs)
    tail = _one_by_one(score, repeats, budget - float(repeats @ costs), COST_TOLERANCE * budget)
    if not (costs == costs[0]).all():
        greedy = repeats + np.bincount(np.array(tail, dtype=np.int64), minlength=len(costs))
        better = _knapsack(score, repeats, greedy, budget)
        repeats, tail = (repeats, tail) if better is None else (better, [])
    order = np.repeat(np.arange(len(costs)), repeats)
    # Gains of one attribute fall with each judgment (Eq. (1) is concave in r), so that sorting everything by gain per
    # cost is the order in which greedy would have bought it.
    worth = score.worth(order, _ranks(repeats))
    picks = order[np.lexsort((order, -worth))]
    return np.concatenate([picks, np.array(tail, dtype=np.int64)])


def _knapsack(score: _Scores, bulk: Integers, greedy: Integers, budget: float) -> Integers | None:
    """Repeats that are worth more than the greedy ones, the most of all; None where there are none.

    With a price at which the budget would just be spent if judgments could be cut, no plan is worth more than the bulk
    and what is left at that price. What is worth so much more than its price that leaving it out would cost all that
    greedy falls short of that limit, is in every better plan; what falls short by as much is in none.
    """
    remaining = budget * (1 + COST_TOLERANCE) - float(bulk @ score.costs)
    every = np.arange(len(bulk))
    price = float(np.max(np.where(score.costs <= budget * (1 + COST_TOLERANCE), score.worth(every, bulk), 0.0)))
    reached = score.total(greedy)
    # The Lagrangian bound: best ≤ total(bulk) + price · remaining. Greedy falls short of the best by no more than the
    # slack.
    slack = score.total(bulk) + price * remaining - reached
    if slack <= TIE_TOLERANCE * reached:
        return None
    # Doing without a judgment that is worth slack more than its price, or buying one worth slack less, costs the bound
    # more than greedy lacks: only what lies between is open.
    sure = np.minimum(score.repeats_worth_more(price + slack / score.costs), bulk).astype(np.int64)
    affordable = np.floor(budget * (1 + COST_TOLERANCE) / score.costs)
    last = np.minimum(score.repeats_worth_more(price - slack / score.costs), affordable).astype(np.int64)
    open_items = np.maximum(last - sure, 0)
    items = np.repeat(every, open_items)
    values = score.gain(items, sure[items] + _ranks(open_items))
    rest, worth_while = budget - float(sure @ score.costs), values > 0
    items, values = items[worth_while], values[worth_while]
    to_beat = (reached - score.total(sure)) * (1 + TIE_TOLERANCE)
    chosen = best_items(values, score.costs[items], rest, leeway=COST_TOLERANCE * budget, to_beat=to_beat)
    return None if chosen is None else np.asarray(sure + np.bincount(items[chosen], minlength=len(sure)))


class _Scores:
    """Gain per cost of judgment number r + 1 of each attribute, when attributes are taken to be uncorrelated."""

    def __init__(
        self, cross: Floats, noise: Floats, variance: Floats, costs: Floats, max_repeats: Floats, nothing: float
    ) -> None:
        self.square, self.noise, self.variance = cross**2, noise, np.maximum(variance, 0)
        self.costs, self.max_repeats, self.nothing = costs, max_repeats, nothing

    def total(self, repeats: Integers) -> float:
        """Eq. (1) of some repeats."""
        under = self.variance * repeats + self.noise
        return float(np.sum(np.divide(self.square * repeats, under, out=np.zeros_like(under), where=under > 0)))

    def worth(self, i: Any, r: Any) -> Any:
        return _rounded(self.gain(i, r) / self.costs[i])

    def gain(self, i: Any, r: Any) -> Any:
        # b²/(σ² + v/(r+1)) - b²/(σ² + v/r) of Eq. (1), with the difference taken by hand.
        before = self.variance[i] * r + self.noise[i]
        after = before + self.variance[i]
        first = np.asarray(r) == 0
        over = np.where(first, 1.0, self.noise[i])
        under = np.where(first, after, before * after)
        gain = np.divide(self.square[i] * over, under, out=np.zeros_like(under), where=under > 0)
        return np.where((gain > self.nothing) & (r < self.max_repeats[i]), gain, 0.0)

    def repeats_worth_more(self, price: Any) -> Floats:
        """How many judgments of each attribute are worth more per cost than a price (infinitely many, for some)."""
        threshold = np.maximum(price * self.costs, self.nothing)
        with np.errstate(divide="ignore", invalid="ignore"):
            # The larger root of u² + σ²u = v b²/price, u = σ²r + v, in the form that does not cancel.
            ratio = self.noise * self.square / threshold
            last = 2 * ratio / (np.sqrt(self.variance**2 + 4 * ratio) + self.variance)
            repeats = np.ceil((last - self.noise) / self.variance)
            flat = self.variance == 0
            repeats[flat] = np.where(self.square[flat] > threshold[flat] * self.noise[flat], np.inf, 0.0)
            endless = (threshold <= 0) & (self.noise > 0) & (self.square > 0)  # nothing is worth too little
            repeats[endless] = np.inf
            exact = self.noise == 0
            repeats[exact] = self.square[exact] > threshold[exact] * self.variance[exact]
            repeats[exact & flat] = 0.0
        return np.asarray(np.clip(repeats, 0.0, self.max_repeats))


def _bulk(score: _Scores, budget: float, costs: Floats) -> Integers:
    """The most that can be bought by taking everything worth more than one price."""
    top = float(np.max(score.worth(np.arange(len(costs)), np.zeros(len(costs)))))
    if top <= 0:
        return np.zeros(len(costs), dtype=np.int64)

    def repeats(exponent: float) -> Floats:
        return score.repeats_worth_more(top * 2.0**exponent)

    # By exponents, since gains per cost may span many powers of ten: 2^-200 of the best is below anything that counts.
    # A billionth of an exponent is TIE_TOLERANCE in a gain: finer, one would choose by rounding.
    low, high, precision = -200.0, 0.0, 1e-9
    while high - low > precision:
        middle = (low + high) / 2
        low, high = (low, middle) if repeats(middle) @ costs <= budget else (middle, high)
    # A little dearer still: what lies within rounding of the price is left to the part that looks at each by itself.
    bought = repeats(high + 100 * precision)
    return (bought if bought @ costs <= budget else np.zeros(len(costs))).astype(np.int64)


def _one_by_one(score: _Scores, repeats: Integers, remaining: float, leeway: float) -> list[int]:
    fits = np.flatnonzero(score.costs <= remaining + leeway)
    worth = score.worth(fits, repeats[fits])
    most = int((remaining + leeway) // score.costs.min()) + 1
    if len(fits) > most and (score.costs == score.costs[0]).all():
        # At equal costs only so many can be bought, and of those only the best to begin with.
        kept = worth >= np.partition(worth, len(worth) - most)[len(worth) - most]
        fits, worth = fits[kept], worth[kept]
    heap = list(zip((-worth).tolist(), fits.tolist(), repeats[fits].tolist(), strict=True))
    heapq.heapify(heap)
    # Plain numbers: an array of one is twenty times slower.
    costs, square, noise, variance = (a.tolist() for a in (score.costs, score.square, score.noise, score.variance))
    max_repeats = score.max_repeats.tolist()
    picks = []
    while heap and heap[0][0] < 0:
        _, i, r = heap[0]
        if costs[i] > remaining + leeway:
            heapq.heappop(heap)
            continue
        picks.append(i)
        remaining -= costs[i]
        r += 1
        before = variance[i] * r + noise[i]
        gain = square[i] * noise[i] / (before * (before + variance[i])) if before > 0 and r < max_repeats[i] else 0.0
        mantissa, exponent = math.frexp(gain / costs[i] if gain > score.nothing else 0.0)
        heapq.heapreplace(heap, (-math.ldexp(round(mantissa * _TIE_DIGITS), exponent) / _TIE_DIGITS, i, r))
    return picks


def _ranks(repeats: Integers) -> Integers:
    """0, 1, …, r-1 for each attribute in turn."""
    starts = np.cumsum(repeats) - repeats
    return np.asarray(np.arange(int(repeats.sum())) - np.repeat(starts, repeats))


def _rounded(values: Any) -> Any:
    """Values to about the precision of ``TIE``, so that what differs by rounding alone is equal."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(mantissa * _TIE_DIGITS), exponent) / _TIE_DIGITS
