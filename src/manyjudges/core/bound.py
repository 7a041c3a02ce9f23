"""How much any plan could explain: an upper bound from a concave relaxation.

``explained(r)`` is concave in real r ≥ 0. For whatever weights w one looks at, with q = b - Σw, ::

    explained(r) = max over u of 2 b'u - u'Σu - Σ v[i] u[i]²/r[i] ≤ w'Σw + Σ r[i] q[i]²/v[i]

because a parabola lies below its tangents. The right side is linear in r, so that its largest value within a budget is
found by spending on the highest q[i]²/(v[i] c[i]) first: a bound on every plan, from any w. The better w, the tighter;
the best is that of the relaxation, ``min w'Σw - 2 b'w + (Σ √(v[i] c[i]) |w[i]|)²/B``.

An attribute without noise is worth one judgment. It has a noise after all when part of its own variance, as much as
no other attribute shares, is taken out of Σ: with one judgment that is the same, and with none it is not judged.
"""

from __future__ import annotations

__all__ = ["upper_bound"]

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg

from manyjudges.arrays.types import Floats, Integers
from manyjudges.core.budget import COST_TOLERANCE
from manyjudges.core.moments import Moments
from manyjudges.core.objective import separable_variance, solve_psd

_SHARED = 1e-9
"""Share of a variance below which an attribute without noise says nothing that others do not: above rounding of what
is left of a variance, and far below anything that would change a bound."""

_WEIGHT_TOLERANCE = 1e-7
"""How near the best the weights must be, relative to what those reach: less than the gap that a plan takes for none."""

_STEEPER = 1e-9
"""Relative excess below which two attributes are equally steep: rounding of a slope, which takes a few additions."""

_FIRST, _JOINT_REPAIRS = 30, 40
"""Attributes to begin with, and how often to mend all that is wrong at once before going one by one.

Hardly a bound changes with them, but how soon it is found: few attributes are ever bought, and what is mended at once
can undo each other. From 1 to 400 to begin with, times differ by an eighth. With 1, 5 and 10 joint repairs it takes
2.9, 1.5 and 1.0 times as long, and with 100 a tenth longer; bounds are 0.1 % looser at most
(``benchmarks/constants.py bound``, half of whose problems have attributes that say nearly the same).
"""

_NEAR, _EVERY, _MOST_UPDATES = 1e-5, 10, 40_000
"""When descending: how near the best is near enough, how often to look at all attributes, and most steps.

Any weights give a valid bound, and nearer ones a tighter one. With 1e-3 in the place of 1e-5, one is 0.04 % looser, in
the same time; with 1e-6 nothing changes. Looking at all attributes every time takes a fifth longer, and one bound is
1.4 % looser; every third or thirtieth time, one is 0.2 % looser. With a tenth of the steps, one is 12 % looser, and all
take 0.7 times as long; with ten times as many, none is 0.1 % tighter, in 1.5 times as long (``benchmarks/constants.py
bound``).
"""

_MOST_ROUNDS, _IDLE = 30, 3
"""Most rounds of setting caps, each of which only tightens a bound that is valid already, and most without effect.

With 10 rounds one bound is 0.002 % looser, with 3 0.07 %, and with 1 without effect 0.6 %, in no less time; 100 rounds,
or 10 without effect, tighten none by 0.01 % (``benchmarks/constants.py bound``).
"""

_RIDGE = 1e-10
"""Added to variances, in standardized units, where weights are solved for; any weights prove a bound.

From 1e-12 to 1e-8 bounds are the same to seven digits; with 1e-6 one is 0.03 % looser (``benchmarks/constants.py
bound``).
"""


def upper_bound(moments: Moments, budget: float, costs: Floats, max_repeats: Floats) -> float:
    """What no plan within the budget explains more than, for these moments.

    Parameters
    ----------
    moments : Moments
    budget : float
    costs : (d,) array
    max_repeats : (d,) array
        The largest number of judgments of each attribute, infinity where there is none.
    """
    moments = moments.to_numpy()
    # What costs more than the budget is in no plan: without it the relaxation, which would buy fractions, is tighter.
    affordable = np.flatnonzero((costs <= budget * (1 + COST_TOLERANCE)) & (max_repeats > 0))
    if not len(affordable):
        return 0.0
    problem = _BoundProblem(
        moments.matrix.block(affordable),
        moments.cross[affordable],
        moments.noise[affordable],
        costs[affordable],
        max_repeats[affordable],
        _spendable(budget, costs[affordable]),
    ).standardized()
    explained_free, rest = _without_noise(problem)
    return explained_free + _relaxed(rest)


@dataclass(frozen=True, eq=False)
class _BoundProblem:
    covariance: Floats
    cross: Floats
    noise: Floats
    costs: Floats
    max_repeats: Floats
    budget: float

    def standardized(self) -> _BoundProblem:
        """In units in which a judgment has the variance 1, where it has any."""
        total = np.diag(self.covariance) + self.noise
        unit = np.divide(1, np.sqrt(total), out=np.zeros(len(total)), where=total > 0)
        covariance = self.covariance * np.outer(unit, unit)
        return replace(self, covariance=covariance, cross=self.cross * unit, noise=self.noise * unit**2)

    def only(self, at: Integers) -> _BoundProblem:
        block = self.covariance[np.ix_(at, at)]
        parts = (self.cross[at], self.noise[at], self.costs[at], self.max_repeats[at])
        return _BoundProblem(block, *parts, self.budget)

    def bound_at(self, w: Floats) -> float:
        """The bound that the weights ``w`` prove."""
        # w'Σw + Σ r[i] q[i]²/v[i] (above) is linear in r. Its largest value is a knapsack of things that can be cut: by
        # falling slope per cost, each up to its cap, until the budget is spent.
        product = self.covariance @ w
        slope = np.divide((self.cross - product) ** 2, self.noise, out=np.zeros(len(w)), where=self.noise > 0)
        rate = slope / self.costs
        order = np.argsort(-rate)
        room = np.minimum(self.costs * self.max_repeats, self.budget)[order]
        spent = np.minimum(np.cumsum(room), self.budget)
        size = np.abs(w)
        # What w'Σw may have lost by rounding goes on top: a bound that is too low in its last digit proves nothing.
        rounding = 4 * len(w) * np.finfo(float).eps * float(size @ np.abs(self.covariance) @ size)
        return float(w @ product + rounding + rate[order] @ np.diff(spent, prepend=0.0))


def _spendable(budget: float, costs: Floats) -> float:
    """The budget, less what is left of it in any case: at equal costs what is no multiple of them."""
    if (costs == costs[0]).all():
        return float(np.floor(budget / costs[0] * (1 + COST_TOLERANCE)) * costs[0])
    return budget


def _without_noise(problem: _BoundProblem) -> tuple[float, _BoundProblem]:
    """Give attributes without noise some of their own variance for a noise; those that have none of it come for free.

    Returns what the free ones explain, and the problem that remains once they are known.
    """
    exact = (problem.noise <= 0) & (np.diag(problem.covariance) > 0)
    noisy = problem.noise > 0
    if not exact.any():
        return 0.0, problem.only(np.flatnonzero(noisy))
    # Exact at one judgment, where Σ is what it was, and at none, where the noise is infinite; every plan has one or
    # none.
    own = separable_variance(problem.covariance, exact, noisy)
    own[own <= _SHARED] = 0.0
    free, rest = np.flatnonzero(exact & (own <= 0)), np.flatnonzero(noisy | (own > 0))
    split = replace(
        problem,
        covariance=problem.covariance - np.diag(own),
        noise=problem.noise + own,
        max_repeats=np.where(exact, np.minimum(problem.max_repeats, 1.0), problem.max_repeats),
    )
    remaining = split.only(rest)
    if not len(free):
        return 0.0, remaining
    between = problem.covariance[np.ix_(free, rest)]
    block = problem.covariance[np.ix_(free, free)]
    if not _consistent(block, problem.cross[free]):
        return np.inf, remaining
    # Known for nothing, which can only raise the bound: what remains of Σ and b is what they leave, Σ_rr - Σ_rf Σ_ff⁺
    # Σ_fr and b_r - Σ_rf Σ_ff⁺ b_f.
    answers = solve_psd(
        np.broadcast_to(block, (len(rest) + 1, *block.shape)), np.vstack([problem.cross[free], between.T])
    )
    return float(problem.cross[free] @ answers[0]), replace(
        remaining,
        covariance=remaining.covariance - answers[1:] @ between,
        cross=remaining.cross - answers[0] @ between,
    )


def _consistent(block: Floats, cross: Floats) -> bool:
    """Whether attributes without noise tell no more of the label than they vary; else nothing bounds what they do."""
    # Is b in the range of Σ? If not, some combination does not vary and yet covaries with the label, and b'Σ⁺b is no
    # bound. Of 800 such problems a solve left 5e-12 of b at most, and 2e-8 where b was given with eight digits.
    rest = cross - block @ solve_psd(block, cross)
    return bool(np.abs(rest).max() <= 1e-6 * np.abs(cross).max())


def _relaxed(problem: _BoundProblem) -> float:
    """The bound of (nearly) the best weights. Attributes whose caps bind are held there while others are weighed."""
    d = len(problem.cross)
    if d == 0:
        return 0.0
    capped = np.zeros(d, dtype=bool)
    pull = np.sqrt(problem.noise / problem.costs)
    bound, idle = _everything(problem), 0
    for _ in range(_MOST_ROUNDS):
        at_cap = np.where(capped, problem.max_repeats, 0.0)
        remaining = problem.budget - float(at_cap @ problem.costs)
        covariance = problem.covariance.copy()
        covariance[capped, capped] += problem.noise[capped] / problem.max_repeats[capped]
        penalty = np.where(capped, 0.0, np.sqrt(problem.noise * problem.costs))
        if remaining <= COST_TOLERANCE * problem.budget:
            penalty = np.where(capped, 0.0, np.inf)
        w = _weights(covariance, problem.cross, penalty, remaining)
        reached = problem.bound_at(w)
        idle = 0 if reached < bound * (1 - _WEIGHT_TOLERANCE) else idle + 1
        bound = min(bound, reached)
        # For given weights, the r within the budget that makes Σ v w²/r least is r = √(v/c) |w| / price, where the
        # price Σ √(v c) |w| / remaining makes it cost just what remains. Where that exceeds a cap, r is held at the
        # cap: v/cap is a noise as any other, added to Σ, and its cost leaves the budget. One that would want less is
        # let go again.
        priced = ~capped & (w != 0)
        price = float(penalty[priced] @ np.abs(w[priced])) / remaining if remaining > 0 else np.inf
        repeats = pull * np.abs(w) / price if price > 0 else np.zeros(d)
        moved = np.where(
            capped,
            repeats < problem.max_repeats * (1 - _WEIGHT_TOLERANCE),
            repeats > problem.max_repeats * (1 + _WEIGHT_TOLERANCE),
        )
        if not moved.any() or idle == _IDLE:
            break
        capped = capped ^ moved
    return bound


def _everything(problem: _BoundProblem) -> float:
    """What is explained when each attribute is judged as often as it could be if it were alone."""
    # One more judgment never explains less, so that as many of each as could be had at all bounds every plan.
    repeats = np.minimum(problem.max_repeats, problem.budget / problem.costs)
    matrix = problem.covariance + np.diag(problem.noise / np.maximum(repeats, np.finfo(float).tiny))
    return float(problem.cross @ solve_psd(matrix, problem.cross))


def _weights(covariance: Floats, cross: Floats, penalty: Floats, budget: float) -> Floats:
    """Minimise w'Σw - 2b'w + (Σ penalty |w|)²/budget: solve for a set of attributes with their signs, and mend the set.

    An attribute without penalty is in the set for good, one with an infinite penalty never. All that is wrong with the
    set is mended at once, which nearly always ends after a few times. Where attributes say nearly the same it may not,
    and the best weights on the way are a start for descending one attribute at a time, which takes longer.
    """
    state = _Signs.first(cross, penalty)
    best, least = np.zeros(len(cross)), np.inf
    for _ in range(_JOINT_REPAIRS):
        # Least w: 0 = Σw - b + price · p · sign(w) with price = Σ p|w| / budget, so that |q| = price · p inside the
        # set, and no more than that outside. With the signs known it is a linear system.
        w = _solved(covariance, cross, penalty, state.sign, budget, state.inside)
        q = cross - covariance[:, state.inside] @ w[state.inside]
        gap = _gap(w, q, cross, penalty, budget)
        if gap < least:
            best, least = w, gap
        if least <= _WEIGHT_TOLERANCE or not state.mend(w, q, budget):
            return best
    return _descended(covariance, cross, penalty, budget, best)


def _descended(covariance: Floats, cross: Floats, penalty: Floats, budget: float, start: Floats) -> Floats:
    """The same minimum by coordinate descent; every few sweeps, a solve with the signs found so far is tried."""
    w, q = start.copy(), cross - covariance @ start
    usable = np.isfinite(penalty) & (np.diag(covariance) + penalty > 0)
    prices = np.where(usable, penalty, 0.0)
    steep = np.diag(covariance) + prices**2 / budget if budget > 0 else np.diag(covariance).copy()
    best, least, sweeps, updates = start, _gap(start, q, cross, penalty, budget), 0, 0
    while least > _NEAR and updates < _MOST_UPDATES:
        every = sweeps % _EVERY == 0
        order = np.flatnonzero(usable if every else usable & (w != 0))
        size = float(prices @ np.abs(w))
        for i in order.tolist():
            before, price = float(w[i]), float(prices[i])
            # In w[i] alone: Σ[i,i] w² - 2 pull w + (p |w| + rest)²/B, with rest what the others spend. Least at a soft
            # threshold, sign(pull) max(|pull| - p rest/B, 0) / (Σ[i,i] + p²/B): others' spending raises the threshold.
            rest = size - price * abs(before)
            pull = float(q[i]) + float(covariance[i, i]) * before
            reach = max(abs(pull) - (price * rest / budget if price else 0.0), 0.0)
            w[i] = math.copysign(reach, pull) / steep[i]
            q -= covariance[i] * (w[i] - before)
            size = rest + price * abs(float(w[i]))
        updates, sweeps = updates + len(order), sweeps + 1
        if every:
            sign = np.where(penalty > 0, np.sign(w), 0.0)
            # Descending finds the signs early and the last digits late; with the right signs, one solve has all digits.
            jump = _solved(covariance, cross, penalty, sign, budget, (w != 0) | (penalty == 0))
            for trial in (w.copy(), jump):
                gap = _gap(trial, cross - covariance @ trial, cross, penalty, budget)
                if gap < least:
                    best, least = trial, gap
    return best


class _Signs:
    """Which attributes have a weight, and of which sign."""

    def __init__(self, inside: Any, sign: Floats, penalty: Floats) -> None:
        self.inside, self.sign, self.penalty = inside, sign, penalty

    @classmethod
    def first(cls, cross: Floats, penalty: Floats) -> _Signs:
        sign = np.zeros(len(cross))
        with np.errstate(divide="ignore", invalid="ignore"):
            # At w = 0, q is b: the steepest |b|/p enter first.
            alone = np.where(penalty > 0, np.abs(cross) / penalty, 0.0)
        some = np.argsort(-alone, kind="stable")[:_FIRST]
        some = some[alone[some] > 0]
        sign[some] = np.sign(cross[some])
        return cls((sign != 0) | (penalty == 0), sign, penalty)

    def mend(self, w: Floats, q: Floats, budget: float) -> bool:
        """Take out what has the wrong sign, take in what is steeper than what is inside; whether there was any."""
        price = float(self.penalty[self.sign != 0] @ (w * self.sign)[self.sign != 0]) / budget if budget > 0 else np.inf
        out = (self.sign != 0) & (w * self.sign <= 0)
        into = ~self.inside & np.isfinite(self.penalty) & (np.abs(q) > max(price, 0.0) * self.penalty * (1 + _STEEPER))
        wrong = np.flatnonzero(out | into)
        self.sign[wrong] = np.where(out[wrong], 0.0, np.sign(q[wrong]))
        self.inside = (self.sign != 0) | (self.penalty == 0)
        return bool(len(wrong))


def _gap(w: Floats, q: Floats, cross: Floats, penalty: Floats, budget: float) -> float:
    """How far these weights may be from the best, relative to what those reach."""
    priced = np.isfinite(penalty) & (penalty > 0)
    if budget <= 0 or not priced.any():
        return np.inf
    # The bound that w proves, w'Σw + B max (q/p)², less what w reaches, 2b'w - w'Σw - (Σ p|w|)²/B. The first is never
    # below the relaxation's optimum and the second never above it, so that both are when the difference is 0.
    product = cross - q
    steepest = float(np.max((q[priced] / penalty[priced]) ** 2))
    spent = float(penalty[priced] @ np.abs(w[priced])) ** 2 / budget
    reached = float(product @ w + budget * steepest)
    gap = float(2 * product @ w - 2 * cross @ w + spent + budget * steepest)
    return gap / reached if reached > 0 and gap > -reached else np.inf  # weights so large that all else is rounding


def _solved(covariance: Floats, cross: Floats, penalty: Floats, sign: Floats, budget: float, inside: Any) -> Floats:
    at = np.flatnonzero(inside)
    out = np.zeros(len(cross))
    if not len(at):
        return out
    matrix = covariance[np.ix_(at, at)]
    # With s = p · sign, (Σ p|w|)² is (s'w)², and the minimum solves (Σ + s s'/budget) w = b.
    signed = np.where(sign[at] != 0, penalty[at], 0.0) * sign[at]
    if signed.any():
        matrix = matrix + np.outer(signed, signed) / budget
    matrix[np.diag_indices_from(matrix)] += _RIDGE  # where it is singular, weights must not grow without bound
    try:
        out[at] = scipy.linalg.cho_solve(scipy.linalg.cho_factor(matrix, check_finite=False), cross[at])
    except np.linalg.LinAlgError:
        out[at] = solve_psd(matrix, cross[at])
    return out
