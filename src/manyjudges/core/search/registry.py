"""Searches: from moments, a budget, costs and caps to the judgments to buy.

A search is a function ``(moments, budget, costs, max_repeats) -> Found``: the attributes in the order bought and the
label variance explained after each. It never spends more than the budget, and never buys a judgment that adds nothing.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from manyjudges.arrays.cells import Floats, Integers
from manyjudges.arrays.libraries import backend_of, first_true, largest, to_numpy
from manyjudges.base.messages import quote_value, suggest
from manyjudges.core.bound import upper_bound
from manyjudges.core.moments import Moments
from manyjudges.core.objective import Posterior
from manyjudges.core.objective import explained as explained_by
from manyjudges.core.plan import COST_TOLERANCE, Plan, as_budget, as_costs, as_max_repeats
from manyjudges.core.search.branch_and_bound import solve
from manyjudges.core.search.exchange import exchange_moves
from manyjudges.core.search.knapsack import best_items
from manyjudges.exceptions import PlanError


class SearchResult(NamedTuple):
    """What a search found: judgments in the order bought, what is explained after each, and perhaps a proven bound."""

    picks: Integers
    explained: Floats
    bound: float | None = None


Search = Callable[..., SearchResult]

MIN_GAIN = float(np.finfo(float).eps) / 2
"""Share of the label's variance below which a gain no longer changes the loss in double precision."""

TIE_TOLERANCE = 1e-9
"""Relative difference below which two gains are equal, so that rounding does not choose between attributes."""


RICH_START = 2.5
"""Multiple of the budget from which exchange also starts."""

MOST_JUDGMENTS = 10_000_000
"""A plan of more than these for one object is a slip of the pen."""

TIE_DIGITS = 2.0**30
"""The precision of ``TIE``, for sorting."""


def select(
    moments: Moments,
    budget: float,
    *,
    method: str = "full",
    costs: Any = None,
    plan_ridge: float = 0.0,
    shrinkage: float = 0.0,
    max_repeats: Any = None,
    time_limit: float | None = None,
    progress: Callable[[float, float, float], None] | None = None,
) -> Plan:
    """Choose how many judgments of each attribute to buy per object.

    Parameters
    ----------
    moments : Moments
        From :meth:`Moments.estimate`.
    budget : float
        The most that one object's judgments may cost.
    method : {"full", "scoring", "exchange", "exact"}
        ``"full"`` accounts for attributes that say the same; ``"scoring"`` takes them to be uncorrelated, so that it
        relies on far fewer estimates (the paper's two algorithms). ``"exchange"`` starts from Full's plan and moves
        judgments between attributes until no move helps. ``"exact"`` proves its plan to be the best for these moments,
        or says how much is left to prove.
    costs : mapping or array, optional
        Price of one judgment: by attribute (those left out cost 1), or an array in the order of the attributes.
    plan_ridge, shrinkage : float
        See :meth:`Moments.regularized`. What the plan then says about itself is said of the regularized moments.
    max_repeats : mapping or array, optional
        The largest number of judgments of an attribute that can be had for one object: by attribute (no limit for
        those left out), or an array in the order of the attributes.
    time_limit : float, optional
        Seconds after which ``"exact"`` returns the best plan so far. Ctrl-C does the same.
    progress : callable, optional
        Called by ``"exact"`` now and then with what is explained so far, the bound so far, and the seconds passed.

    Returns
    -------
    Plan

    Examples
    --------
    >>> from manyjudges import Moments, select, simulate
    >>> crowd = simulate.jelly_beans(n_objects=300, random_state=0)
    >>> moments = Moments.estimate(crowd.pilot(2), crowd.labels)
    >>> select(moments, budget=12, costs={"number of beans": 2}).repeats
    {'beautiful': 1, 'monochromatic': 1, 'number of beans': 4, 'round jar': 2}
    """
    if not isinstance(moments, Moments):
        raise PlanError(f"select needs Moments, not {type(moments).__name__}; make them with Moments.estimate.")
    if not moments.attributes:
        raise PlanError("there is no attribute to choose from: these moments are of none.")
    limit, prices = as_budget(budget), as_costs(costs, moments.attributes)
    caps = as_max_repeats(max_repeats, moments.attributes)
    if limit > MOST_JUDGMENTS * prices.min():
        raise PlanError(
            f"a budget of {limit:g} buys more than {MOST_JUDGMENTS:,} judgments of one object at {prices.min():g} "
            "each; a plan is of fewer."
        )
    search = search_named(method)
    tamed = moments.regularized(ridge=plan_ridge, shrinkage=shrinkage)
    if method not in ANYWHERE:
        tamed = tamed.to_numpy()
    if time_limit is not None and not (isinstance(time_limit, int | float | np.number) and time_limit >= 0):
        raise PlanError(f"the time limit must be 0 or a positive number of seconds, not {quote_value(time_limit)}.")
    if method == "exact":
        search = partial(search, time_limit=time_limit, progress=progress)
    found = search(tamed, limit, prices, caps)
    plan = as_plan(tamed, found, limit, prices, caps, method)
    return replace(
        plan, shrinkage=float(shrinkage), ridge=float(plan_ridge), max_repeats=None if max_repeats is None else caps
    )


def as_plan(
    moments: Moments, found: SearchResult, budget: float, costs: Floats, max_repeats: Floats, method: str
) -> Plan:
    """What was found as a plan that can say how good it is."""
    return Plan(
        attributes=moments.attributes,
        costs=costs,
        budget=budget,
        method=method,
        label_variance=moments.label_variance,
        picks=found.picks,
        path_explained=found.explained,
        proven=found.bound,
        ceiling=partial(upper_bound, moments, costs=costs, max_repeats=max_repeats),
    )


def full(moments: Moments, budget: float, costs: Floats, max_repeats: Floats | None = None) -> SearchResult:
    """Greedy on what is explained, gain per cost (the paper's Full algorithm)."""
    knowledge, home = Posterior(moments), backend_of(moments.cross)
    room = None if max_repeats is None or np.isinf(max_repeats).all() else home.floats(max_repeats, "caps")
    prices = home.array(costs)
    nothing = MIN_GAIN * moments.label_variance
    left, leeway = budget, COST_TOLERANCE * budget
    cheapest, alike = costs.min(), bool((costs == costs[0]).all())
    picks, gains = [], []
    while cheapest <= left + leeway:
        gain = knowledge.gains()
        gain[gain <= nothing] = 0.0
        if room is not None:
            gain[room < 1] = 0.0
        if not alike:
            gain /= prices
            gain[prices > left + leeway] = 0.0
        best = largest(gain)
        if best <= 0:
            break
        pick = int(first_true(gain >= best * (1 - TIE_TOLERANCE), axis=0))
        gains.append(knowledge.judge(pick))
        picks.append(pick)
        left -= float(costs[pick])
        if room is not None:
            room[pick] -= 1
    return SearchResult(np.array(picks, dtype=np.int64), np.cumsum(gains))


def exchange(moments: Moments, budget: float, costs: Floats, max_repeats: Floats) -> SearchResult:
    """Full, followed by moving judgments between attributes until no move helps.

    Greedy search sees what tells only together with something else when it can afford both. So a second start is what
    Full would buy for more money, thinned.
    """
    start = full(moments, budget, costs, max_repeats)
    rich = full(moments, RICH_START * budget, costs, max_repeats)
    repeats, best = start.picks, 0.0
    for picks in (start.picks, rich.picks):
        moved, reached = exchange_moves(moments, np.bincount(picks, minlength=len(costs)), budget, costs, max_repeats)
        if reached > best * (1 + TIE_TOLERANCE):
            repeats, best = moved, reached
    greedy = np.bincount(start.picks, minlength=len(costs))
    if best == 0 or explained_by(moments, repeats) <= explained_by(moments, greedy) * (1 + TIE_TOLERANCE):
        return start
    return in_order(moments, repeats, costs)


def exact(
    moments: Moments,
    budget: float,
    costs: Floats,
    max_repeats: Floats,
    *,
    time_limit: float | None = None,
    progress: Callable[[float, float, float], None] | None = None,
) -> SearchResult:
    """The best plan there is, with its proof; or the best found within a time limit, and what was proven by then."""
    began = time.monotonic()
    start = full(moments, budget, costs, max_repeats)
    try:
        start = exchange(moments, budget, costs, max_repeats)
    except KeyboardInterrupt:  # whoever stops the search wants what it has
        return start
    if time_limit is not None:
        time_limit = max(time_limit - (time.monotonic() - began), 0.0)
    repeats = np.bincount(start.picks, minlength=len(costs))
    proof = solve(moments, budget, costs, max_repeats, repeats, time_limit=time_limit, progress=progress)
    best = start if np.array_equal(proof.repeats, repeats) else in_order(moments, proof.repeats, costs)
    return best._replace(bound=proof.bound)


def in_order(moments: Moments, repeats: Integers, costs: Floats) -> SearchResult:
    """Judgments of a plan in the order in which greedy search would buy them, if it had to buy these."""
    knowledge, left = Posterior(moments), np.array(repeats)
    picks, gains = [], []
    while left.any():
        worth = np.where(left > 0, knowledge.gains() / costs, -1.0)
        pick = int((worth >= worth.max() * (1 - TIE_TOLERANCE)).argmax())
        gains.append(knowledge.judge(pick))
        picks.append(pick)
        left[pick] -= 1
    return SearchResult(np.array(picks, dtype=np.int64), np.cumsum(gains))


def scoring(moments: Moments, budget: float, costs: Floats, max_repeats: Floats | None = None) -> SearchResult:
    """The most of the sum of what each attribute explains alone (the paper's Scoring algorithm)."""
    nothing = MIN_GAIN * moments.label_variance
    cross, noise, variance = (to_numpy(each) for each in (moments.cross, moments.noise, moments.variances))
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
    repeats = _bulk(score, budget, costs)
    tail = _one_by_one(score, repeats, budget - float(repeats @ costs), COST_TOLERANCE * budget)
    if not (costs == costs[0]).all():
        greedy = repeats + np.bincount(np.array(tail, dtype=np.int64), minlength=len(costs))
        better = _knapsack(score, repeats, greedy, budget)
        repeats, tail = (repeats, tail) if better is None else (better, [])
    order = np.repeat(np.arange(len(costs)), repeats)
    worth = score.worth(order, _ranks(repeats))
    picks = order[np.lexsort((order, -worth))]
    return np.concatenate([picks, np.array(tail, dtype=np.int64)])


def _knapsack(score: _Scores, bulk: Integers, greedy: Integers, budget: float) -> Integers | None:
    """Repeats that are worth more than the greedy ones, the most of all; None where there are none.

    With a price at which the budget would just be spent if judgments could be cut, no plan is worth more than the bulk
    and what is left at that price. What is worth so much more than its price that leaving it out would cost all that
    greedy falls short of that limit, is in every better plan; what falls short by as much is in none.
    """
    left = budget * (1 + COST_TOLERANCE) - float(bulk @ score.costs)
    every = np.arange(len(bulk))
    price = float(np.max(np.where(score.costs <= budget * (1 + COST_TOLERANCE), score.worth(every, bulk), 0.0)))
    reached = score.total(greedy)
    slack = score.total(bulk) + price * left - reached
    if slack <= TIE_TOLERANCE * reached:
        return None
    sure = np.minimum(score.repeats_worth_more(price + slack / score.costs), bulk).astype(np.int64)
    affordable = np.floor(budget * (1 + COST_TOLERANCE) / score.costs)
    last = np.minimum(score.repeats_worth_more(price - slack / score.costs), affordable).astype(np.int64)
    open_items = np.maximum(last - sure, 0)
    items = np.repeat(every, open_items)
    values = score.gain(items, sure[items] + _ranks(open_items))
    rest, worth_while = budget - float(sure @ score.costs), values > 0
    items, values = items[worth_while], values[worth_while]
    known = (reached - score.total(sure)) * (1 + TIE_TOLERANCE)
    taken = best_items(values, score.costs[items], rest, leeway=COST_TOLERANCE * budget, known=known)
    return None if taken is None else np.asarray(sure + np.bincount(items[taken], minlength=len(sure)))


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
        wanted = np.maximum(price * self.costs, self.nothing)
        with np.errstate(divide="ignore", invalid="ignore"):
            # The larger root of u² + σ²u = v b²/price, u = σ²r + v, in the form that does not cancel.
            ratio = self.noise * self.square / wanted
            last = 2 * ratio / (np.sqrt(self.variance**2 + 4 * ratio) + self.variance)
            repeats = np.ceil((last - self.noise) / self.variance)
            flat = self.variance == 0
            repeats[flat] = np.where(self.square[flat] > wanted[flat] * self.noise[flat], np.inf, 0.0)
            endless = (wanted <= 0) & (self.noise > 0) & (self.square > 0)  # nothing is worth too little
            repeats[endless] = np.inf
            exact = self.noise == 0
            repeats[exact] = self.square[exact] > wanted[exact] * self.variance[exact]
            repeats[exact & flat] = 0.0
        return np.asarray(np.clip(repeats, 0.0, self.max_repeats))


def _bulk(score: _Scores, budget: float, costs: Floats) -> Integers:
    """The most that can be bought by taking everything worth more than one price."""
    top = float(np.max(score.worth(np.arange(len(costs)), np.zeros(len(costs)))))
    if top <= 0:
        return np.zeros(len(costs), dtype=np.int64)

    def repeats(exponent: float) -> Floats:
        return score.repeats_worth_more(top * 2.0**exponent)

    low, high, precision = -200.0, 0.0, 1e-9
    while high - low > precision:
        middle = (low + high) / 2
        low, high = (low, middle) if repeats(middle) @ costs <= budget else (middle, high)
    # A little dearer still: what lies within rounding of the price is left to the part that looks at each by itself.
    bought = repeats(high + 100 * precision)
    return (bought if bought @ costs <= budget else np.zeros(len(costs))).astype(np.int64)


def _one_by_one(score: _Scores, repeats: Integers, left: float, leeway: float) -> list[int]:
    fits = np.flatnonzero(score.costs <= left + leeway)
    worth = score.worth(fits, repeats[fits])
    most = int((left + leeway) // score.costs.min()) + 1
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
        if costs[i] > left + leeway:
            heapq.heappop(heap)
            continue
        picks.append(i)
        left -= costs[i]
        r += 1
        before = variance[i] * r + noise[i]
        gain = square[i] * noise[i] / (before * (before + variance[i])) if before > 0 and r < max_repeats[i] else 0.0
        mantissa, exponent = math.frexp(gain / costs[i] if gain > score.nothing else 0.0)
        heapq.heapreplace(heap, (-math.ldexp(round(mantissa * TIE_DIGITS), exponent) / TIE_DIGITS, i, r))
    return picks


def _ranks(repeats: Integers) -> Integers:
    """0, 1, …, r-1 for each attribute in turn."""
    starts = np.cumsum(repeats) - repeats
    return np.asarray(np.arange(int(repeats.sum())) - np.repeat(starts, repeats))


def _rounded(values: Any) -> Any:
    """Values to about the precision of ``TIE``, so that what differs by rounding alone is equal."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(mantissa * TIE_DIGITS), exponent) / TIE_DIGITS


def explained_along(moments: Moments, picks: Integers) -> Floats:
    """Label variance explained after each of some picks."""
    knowledge = Posterior(moments)
    return np.cumsum([knowledge.judge(int(i)) for i in picks])


METHODS: dict[str, Search] = {"full": full, "scoring": scoring, "exchange": exchange, "exact": exact}

ANYWHERE = ("full", "scoring")
"""Searches that work where the moments lie; for the others they are brought to NumPy first."""


def search_named(method: str, *others: str) -> Search:
    """The search of a name, or an error that lists the names, with others that the caller knows."""
    if method == "auto" and not others:
        raise PlanError(
            "'auto' is chosen by the error on held-out objects, which takes judgments: use choose, "
            "MultiSelectRegressor(method='auto'), run_campaign, or manyjudges plan --method auto."
        )
    if not isinstance(method, str) or method not in METHODS:
        names = [*METHODS, *others]
        raise PlanError(
            f"there is no method {quote_value(method)}; choose one of {', '.join(names)}.{suggest(method, names)}"
        )
    return METHODS[method]
