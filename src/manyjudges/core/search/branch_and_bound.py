"""The best plan there is, and the proof of it: branch and bound on what a plan explains.

With s = r/v, ``explained = b' (Σ + Diag(1/s))⁻¹ b`` is concave in real s ≥ 0, and its gradient is q², where q is the
covariance with the label that is not yet explained. So the best of all real plans between two whole ones (a box) is
found by Newton steps, and the gradient at any point on the way there bounds every plan of the box. A box that may hold
something better than the best plan known is cut in two, the most promising first.

An attribute without noise is bought (z = 1) or not (z = 0). As much of its own variance δ as Σ can spare, so that
Σ - Diag(δ) remains positive semi-definite, takes the part of the noise: δ/z is δ when it is bought and infinite when it
is not, and the rest is as above. Where Σ can spare nothing, the attribute is first taken to be known for nothing.
"""

from __future__ import annotations

__all__ = ["search_exact"]

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from manyjudges.arrays.types import Bools, Floats, Integers
from manyjudges.core.budget import COST_TOLERANCE
from manyjudges.core.moments import Moments
from manyjudges.core.objective import SINGULAR, explained
from manyjudges.core.search.box_bounds import (
    BoxBounds,
    BoxProblem,
    ScaledProblem,
    SearchClock,
    bound_boxes,
    box_problems,
)
from manyjudges.core.search.exchange import search_exchange
from manyjudges.core.search.greedy import search_full
from manyjudges.core.search.result import SearchResult, in_order

_OPTIMALITY_GAP = 1e-7
"""Share of what is explained by which the best plan may be missed.

Smaller, boxes would be cut for what rounding does to a bound; larger, ``optimal`` would say less.
"""

_TOGETHER = 16
"""Boxes of up to 100 attributes bounded at once, so that a call of NumPy pays.

One at a time takes a third longer, 4 to 64 the same (``benchmarks/constants.py exact``). More would bound boxes that a
better plan, found in the meantime, rules out.
"""

SearchProgress = Callable[[float, float, float], None]


def search_exact(
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
    start = search_full(moments, budget, costs, max_repeats)
    try:
        start = search_exchange(moments, budget, costs, max_repeats)
    except KeyboardInterrupt:  # whoever stops the search wants what it has
        return start
    if time_limit is not None:
        time_limit = max(time_limit - (time.monotonic() - began), 0.0)
    repeats = np.bincount(start.picks, minlength=len(costs))
    proof = solve(moments, budget, costs, max_repeats, repeats, time_limit=time_limit, progress=progress)
    best = start if np.array_equal(proof.repeats, repeats) else in_order(moments, proof.repeats, costs)
    return best._replace(bound=proof.bound)


@dataclass(frozen=True)
class Proof:
    """A plan, and how much better any other could be.

    Attributes
    ----------
    repeats : (d,) array of int
        Judgments of each attribute.
    bound : float
        No plan within the budget explains more.
    optimal : bool
        Whether the plan itself explains that much.
    """

    repeats: Integers
    bound: float
    optimal: bool


def solve(
    moments: Moments,
    budget: float,
    costs: Floats,
    max_repeats: Floats,
    start: Integers,
    *,
    time_limit: float | None = None,
    progress: SearchProgress | None = None,
) -> Proof:
    """The plan that explains most, with a proof; or the best one found until the time is up or Ctrl-C is pressed.

    Parameters
    ----------
    moments : Moments
    budget : float
        The most that one object's judgments may cost.
    costs : (d,) array
        Price of one judgment.
    max_repeats : (d,) array
        The largest number of judgments of each attribute; infinite where there is no limit.
    start : (d,) array of int
        A plan within the budget, from a search that is faster. The result is never worse; the better it is, the
        shorter the proof.
    time_limit : float, optional
        Seconds.
    progress : callable, optional
        Called now and then with what the best known plan explains, the bound on it so far and the seconds passed.
    """
    clock = SearchClock(time_limit)
    search = _Search(moments, budget, costs, max_repeats, start, clock)
    try:
        # Many small matrices: a second thread would cost more than it helps, and could round in another order.
        with threadpool_limits(limits=1, user_api="blas"):
            while search.step():
                if progress is not None and clock.should_report():
                    progress(search.explained, search.bound, clock.seconds())
    except KeyboardInterrupt:
        pass  # whoever stops the search wants what it has
    proof = search.proof()
    if progress is not None:
        progress(explained(moments, proof.repeats), proof.bound, clock.seconds())
    return proof


class _Box(NamedTuple):
    """All plans between two; boxes are kept in the order of their bounds, and else of their making."""

    minus_bound: float
    number: int
    low: Floats
    high: Floats


class _Search:
    """The boxes that may still hold something better, and the best plan known."""

    def __init__(
        self, moments: Moments, budget: float, costs: Floats, max_repeats: Floats, start: Integers, clock: SearchClock
    ) -> None:
        self._moments, self._clock = moments, clock
        # In one piece, so that an interruption finds a plan with its own value.
        self._best = (explained(moments, start), start.astype(np.int64))
        self._limit = budget * (1 + COST_TOLERANCE)
        useful = moments.variances + moments.noise > 0
        # An attribute without noise is worth one judgment, never two; one that does not vary either, none.
        high = np.where(useful, np.minimum(max_repeats, np.where(moments.noise > 0, np.inf, 1.0)), 0.0)
        high = np.floor(np.minimum(high, self._limit / costs))
        # All that there is to explain, up to rounding, is the unit in which the search reckons.
        self._unit = max(explained(moments, high.astype(np.int64)), self.explained) or 1.0
        self.bound = np.inf
        self._problem = ScaledProblem.standard(moments, costs, self._limit, self._unit)
        self._made = 0
        self._boxes: list[_Box] = []
        self._push(np.inf, np.zeros(len(costs)), high)
        self._settle()

    @property
    def explained(self) -> float:
        """What the best known plan explains."""
        return self._best[0]

    def step(self) -> bool:
        """Look into the most promising boxes; return whether there is more to do."""
        if self._proven() or (self._clock.is_up() and self.bound < np.inf):  # there is always time for one bound
            return False
        alive = int(np.count_nonzero(self._boxes[0].high))
        boxes = [heapq.heappop(self._boxes) for _ in range(min(_together(alive), len(self._boxes)))]
        low, high = np.array([box.low for box in boxes]), np.array([box.high for box in boxes])
        upper = np.array([-box.minus_bound for box in boxes])
        # A Newton step takes the cube of their number: attributes that none of these boxes can buy are left out.
        columns = np.flatnonzero(high.any(axis=0))
        problem = self._problem.subset(columns)
        low, high = low[:, columns], high[:, columns]
        problems = box_problems(problem, low, high)
        bounds = bound_boxes(problem, problems, low, high, self._aim(), self._clock)
        # A box lies within the one that it was cut from, so that the older bound holds for it, too.
        upper = np.minimum(upper, bounds.bound)
        self._round(problem, columns, high, bounds, upper > self._aim())
        for i in np.flatnonzero(upper > self._aim()):
            self._split(problem, columns, problems[i], low[i], high[i], bounds.at(int(i)), upper[i])
        self._settle()
        return True

    def proof(self) -> Proof:
        """What is known when the search ends."""
        repeats = _thrifty(self._moments, *self._best)
        value = explained(self._moments, repeats)
        optimal = self._proven()
        return Proof(repeats, value if optimal else max(self.bound, value), optimal)

    def _settle(self) -> None:
        """Lower the bound to that of the boxes; only when all are there, as an interruption may lose those in hand."""
        top = -self._boxes[0].minus_bound * self._unit if self._boxes else self.explained
        self.bound = min(self.bound, max(top, self.explained))

    def _proven(self) -> bool:
        return self.bound <= self.explained * (1 + _OPTIMALITY_GAP)

    def _aim(self) -> float:
        """What a box must promise to be worth a look."""
        return self.explained / self._unit * (1 + _OPTIMALITY_GAP)

    def _try(self, plan: Floats) -> None:
        """Keep a plan if it is the best so far."""
        repeats = plan.astype(np.int64)
        if repeats @ self._problem.costs > self._limit:  # rounding up may go too far
            return
        value = explained(self._moments, repeats)
        if value > self.explained * (1 + SINGULAR):
            self._best = (value, repeats)

    def _round(
        self, problem: ScaledProblem, columns: Integers, high: Floats, bounds: BoxBounds, promising: Bools
    ) -> None:
        """Try the plans that the best real ones become when they are rounded."""
        for i in np.flatnonzero(promising):
            rounded = np.zeros(len(self._problem.costs))
            rounded[columns] = _rounded(problem, bounds.point[i], bounds.slope[i], high[i])
            self._try(rounded)

    def _split(
        self,
        problem: ScaledProblem,
        columns: Integers,
        box_problem: BoxProblem,
        low: Floats,
        high: Floats,
        bounds: BoxBounds,
        bound: float,
    ) -> None:
        """Cut a box in two where that tells most, after cutting away what cannot be better than what is known."""
        low, high = _narrowed(problem, low, high, bounds, self._aim())
        pick, at = _cut(box_problem, low, high, bounds)
        for side, value in ((high, at), (low, at + 1)):
            before = side[pick]
            side[pick] = value
            inside = problem.affordable(low, high)
            if inside is not None:
                full_low, full_high = np.zeros((2, len(self._problem.costs)))
                full_low[columns], full_high[columns] = low, inside
                self._push(float(bound), full_low, full_high)
            side[pick] = before

    def _push(self, bound: float, low: Floats, high: Floats) -> None:
        if (low == high).all():
            self._try(low)
            return
        self._made += 1
        heapq.heappush(self._boxes, _Box(-bound, self._made, low, high))


def _together(alive: int) -> int:
    """Fewer boxes at once where each is much work, so that the time limit is kept."""
    return max(1, min(_TOGETHER, _TOGETHER * 100**2 // max(alive, 1) ** 2))


def _narrowed(
    problem: ScaledProblem, low: Floats, high: Floats, bounds: BoxBounds, aim: float
) -> tuple[Floats, Floats]:
    """A box without what the bound's own slope shows to be no better than what is known.

    By concavity and with λ the price of the budget, every plan r of the box has ::

        explained(r) <= λ · limit + constant + Σ (slope[i] - λ c[i]) r[i]

    and the bound is the right side where each r[i] is at ``high`` if its bracket is positive, and at ``low`` if it is
    negative. Each judgment away from there lowers the right side by the bracket's size, so that after
    (bound - aim) / size of them nothing above ``aim`` is left (reduced-cost fixing).
    """
    # Of the slope's own bound, that is; another that happens to be lower says nothing about single judgments.
    worth = bounds.slope - bounds.price * problem.costs
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.floor((bounds.bound - aim) / np.abs(worth) * (1 + COST_TOLERANCE))
    steps = np.where(np.isfinite(steps), steps, np.inf)
    return np.where(worth > 0, np.maximum(low, high - steps), low), np.where(
        worth < 0, np.minimum(high, low + steps), high
    )


def _cut(box_problem: BoxProblem, low: Floats, high: Floats, bounds: BoxBounds) -> tuple[int, float]:
    """The attribute, and the number of judgments, between which and one more to cut a box."""
    point = np.clip(bounds.point, low, high)
    at = np.clip(np.floor(point + COST_TOLERANCE), low, high - 1)

    def lost(to: Floats) -> Floats:
        # With δ the change of s[i] = r[i]/v[i], Σ + Diag(1/s) changes by a rank-one update, and explained by
        # q² δ / (1 + C[i,i] δ): what the slope says, q² δ, less q² C[i,i] δ² / (1 + C[i,i] δ).
        move = (to - point) / box_problem.noise
        loss = bounds.unexplained**2 * bounds.unknown * move**2 / np.maximum(1 + bounds.unknown * move, COST_TOLERANCE)
        return np.asarray(np.maximum(loss, SINGULAR))

    # By the product of both losses: a cut that takes much off one half, and nothing off the other, leaves a box as good
    # as the one before. Losses are shares of all there is to explain, and 2 is for what is still known for nothing,
    # which is decided first.
    score = np.where(box_problem.open, 2.0, lost(at) * lost(at + 1))
    pick = int(np.where(high > low, score, -1.0).argmax())
    return pick, float(at[pick])


def _rounded(problem: ScaledProblem, point: Floats, slope: Floats, high: Floats) -> Floats:
    """A whole plan near a real one: rounded down, and up again where the most is lost by that."""
    # A point that stops a Newton step short of a whole number means that number.
    rounded = np.floor(point + 1e-6)
    remaining = problem.limit - rounded @ problem.costs
    # To first order, what rounding down gives away, per cost of the judgment that would bring it back.
    lost = (point - rounded) * slope / problem.costs
    for i in np.argsort(-lost, kind="stable"):
        if lost[i] > 0 and rounded[i] < high[i] and problem.costs[i] <= remaining:
            rounded[i] += 1
            remaining -= problem.costs[i]
    return np.asarray(rounded)


def _thrifty(moments: Moments, value: float, repeats: Integers) -> Integers:
    """A plan without the judgments that tell nothing."""
    out = np.where(moments.noise > 0, repeats, np.minimum(repeats, 1))
    # From the last, so that of two that say the same the first stays: ties go to the lowest index everywhere.
    for i in np.flatnonzero(out)[::-1]:
        without = out.copy()
        without[i] = 0
        if explained(moments, without) >= value * (1 - SINGULAR):
            out = without
    return out
