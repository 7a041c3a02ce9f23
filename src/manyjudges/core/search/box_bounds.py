"""Box bounds: what all plans between two can explain at most, for branch and bound.

The best real plan of a box is found by Newton steps on a concave function; the gradient at any point on the way there
bounds every plan of the box.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from manyjudges.arrays.types import Bools, Floats, Integers
from manyjudges.core.moments import Moments
from manyjudges.core.objective import SINGULAR, inverse_psd, separable_variance

_MIN_SPARE_SHARE = 1e-6
"""Share of its variance below which an attribute without noise has nothing to spare.

Smaller, v/r with so small a v would be as ill-conditioned as no noise at all; larger, bounds would be looser, because
the attribute is then taken to be known for nothing.
"""

MAX_GAIN_SHARE = 0.1
"""A bound is near enough when this share of its distance from the best known plan could be gained at most.

A trade-off of Newton steps against boxes: a closer bound costs steps, a looser one is a box more to cut.
From 0.03 to 1 the time differs by less than a tenth, and 0.01 takes a tenth longer (``benchmarks/constants.py exact``).
"""

_MAX_NEWTON_STEPS = 40
"""Newton steps after which a bound is taken as it is; ten are usual.

From 10 to 80 the time is the same, and with 5 it takes twice as long (``benchmarks/constants.py exact``).
"""

_FIRST_PRICE = 1e-3
"""What a price times the distance to its side is to begin with, a share of all there is to explain.

Any point proves a bound, so that this and the two below change how many steps there are, and nothing else. With 1e-5
the time is a quarter longer, with 0.01 and 0.1 a twelfth shorter or less (``benchmarks/constants.py exact``).
"""

_CENTRING = 0.1
"""The mean product of price and distance that a step aims at, as a share of the present one.

A tenth is usual. From 0.01 to 0.3 the time differs by 4 % (``benchmarks/constants.py exact``).
"""

_SIDE_SHARE = 0.95
"""How much of the way to the nearest side a step may take.

With 0.5 the time is half as long again, with 0.8 a tenth longer, and with 0.99 6 % shorter (``benchmarks/constants.py
exact``); nearer to a side, rounding may put a point onto it.
"""

REPORT_INTERVAL = 0.1
"""Seconds between two reports of progress."""


class SearchClock:
    """Whether the time is up, and whether it is time to report."""

    def __init__(self, limit: float | None) -> None:
        self._began = time.monotonic()
        self._limit = np.inf if limit is None else limit
        self._reported = 0.0

    def seconds(self) -> float:
        """How long it has been."""
        return time.monotonic() - self._began

    def is_up(self) -> bool:
        """Whether the time is up."""
        return self.seconds() >= self._limit

    def should_report(self) -> bool:
        """Whether it is time to report."""
        now = self.seconds()
        if now - self._reported < REPORT_INTERVAL:
            return False
        self._reported = now
        return True


@dataclass(frozen=True)
class ScaledProblem:
    """The moments without units, and what judgments cost."""

    sigma: Floats
    cross: Floats
    noise: Floats
    costs: Floats
    limit: float

    @classmethod
    def standard(cls, moments: Moments, costs: Floats, limit: float, unit: float) -> Self:
        """In units of each attribute's standard deviation; what is explained is in the unit given."""
        spread = np.where(moments.variances > 0, moments.variances, moments.noise)
        scale = np.sqrt(np.where(spread > 0, spread, 1.0))
        return cls(
            sigma=moments.covariance / scale / scale[:, None],
            cross=moments.cross / scale / np.sqrt(unit),
            noise=moments.noise / scale**2,
            costs=costs.astype(float),
            limit=limit,
        )

    def subset(self, at: Integers) -> ScaledProblem:
        """The same with some of the attributes alone."""
        return ScaledProblem(self.sigma[np.ix_(at, at)], self.cross[at], self.noise[at], self.costs[at], self.limit)

    def affordable(self, low: Floats, high: Floats) -> Floats | None:
        """The upper end of a box as far as the budget goes, or None where it does not reach the lower end."""
        remaining = self.limit - low @ self.costs
        if remaining < 0 or (low > high).any():
            return None
        return np.asarray(np.minimum(high, low + np.floor(remaining / self.costs)))


@dataclass(frozen=True)
class BoxProblem:
    """The problem as seen from one box, or a stack of such: every attribute has noise, or is taken to be known.

    ``explained_by_known`` is what the known ones explain; they are left out of the rest by zeros. ``open`` are those of
    them that are not yet bought: known for nothing.
    """

    sigma: Floats
    cross: Floats
    noise: Floats
    explained_by_known: Any
    open: Bools


def box_problems(problem: ScaledProblem, low: Floats, high: Floats) -> list[BoxProblem]:
    """The problem as each box sees it."""
    if (problem.noise > 0).all():
        none = np.zeros(len(problem.noise), dtype=bool)
        return [BoxProblem(problem.sigma, problem.cross, problem.noise, 0.0, none)] * len(low)
    return [_box_problem(problem, a, b) for a, b in zip(low, high, strict=True)]


def _box_problem(problem: ScaledProblem, low: Floats, high: Floats) -> BoxProblem:
    exact = problem.noise == 0
    bought, undecided = exact & (low > 0), exact & (high > low)
    sigma, cross, explained_by_known = _conditioned(problem.sigma, problem.cross, bought)
    # δ/z in the place of v/r: see the beginning of :mod:`.branch_and_bound`.
    own = separable_variance(sigma, undecided, ~exact & (high > 0))
    open_ = undecided & (own < _MIN_SPARE_SHARE)
    if open_.any():
        sigma, cross, explained_by_known = _conditioned(problem.sigma, problem.cross, bought | open_)
    own[open_] = 0.0
    # What is known or out of reach has no part in what follows; any noise will do for it.
    noise = np.where(own > 0, own, np.where(exact, 1.0, problem.noise))
    return BoxProblem(sigma - np.diag(own), cross, noise, explained_by_known, open_)


def _conditioned(sigma: Floats, cross: Floats, is_known: Bools) -> tuple[Floats, Floats, float]:
    """What remains unknown and unexplained when some attributes are known, and what these explain."""
    at = np.flatnonzero(is_known)
    if not len(at):
        return sigma, cross, 0.0
    # Given the known ones: Σ - Σ[:,k] Σ_kk⁺ Σ[k,:] and b - Σ[:,k] Σ_kk⁺ b_k.
    inverse = inverse_psd(sigma[np.ix_(at, at)])
    rows = inverse @ sigma[at]
    rest, unexplained = sigma - sigma[:, at] @ rows, cross - cross[at] @ rows
    # What differs from nothing by rounding alone is nothing: a copy of something known is known.
    idle = is_known | (np.diag(rest) <= SINGULAR * len(sigma) * np.diag(sigma))
    rest[idle], rest[:, idle], unexplained[idle] = 0.0, 0.0, 0.0
    return rest, unexplained, float(cross[at] @ inverse @ cross[at])


@dataclass(frozen=True)
class BoxBounds:
    """The best real plan of each box, or nearly, and what follows from it."""

    bound: Floats
    point: Floats
    slope: Floats  # of explained, at that point
    price: Floats  # what one unit more of the budget would add, by that slope
    unexplained: Floats  # q
    unknown: Floats  # diagonal of C

    @classmethod
    def none(cls, low: Floats) -> BoxBounds:
        """Nothing known yet of some boxes."""
        many = len(low)
        zeros = np.zeros_like(low)
        return cls(np.full(many, np.inf), low.copy(), zeros, np.zeros(many), zeros.copy(), zeros.copy())

    def at(self, i: int) -> BoxBounds:
        """That of one box."""
        return BoxBounds(*(getattr(self, field.name)[i] for field in fields(self)))


@dataclass(frozen=True)
class _State:
    """Where the Newton steps of some boxes have got to: a real plan, and the prices of all that hems it in."""

    index: Integers
    sigma: Floats
    cross: Floats
    noise: Floats
    explained_by_known: Floats
    low: Floats
    high: Floats
    point: Floats
    at_low: Floats
    at_high: Floats
    at_limit: Floats

    def of(self, kept: Bools) -> _State:
        """Some of them."""
        return _State(*(getattr(self, field.name)[kept] for field in fields(self)))


@dataclass(frozen=True)
class _Evaluation:
    """What some plans explain (the known included), and how that changes."""

    explained: Floats
    q: Floats
    unknown: Floats

    def of(self, kept: Bools) -> _Evaluation:
        return _Evaluation(self.explained[kept], self.q[kept], self.unknown[kept])


def bound_boxes(
    problem: ScaledProblem, problems: list[BoxProblem], low: Floats, high: Floats, aim: float, clock: SearchClock
) -> BoxBounds:
    """Bound what each box can hold, as closely as it takes to decide about the box."""
    out = BoxBounds.none(low)
    state = _begin(problem, problems, low, high)
    with np.errstate(all="ignore"):  # distances of 0 are no limit to a step
        for _ in range(_MAX_NEWTON_STEPS):
            evaluation = _evaluate(state)
            _note(problem, state, evaluation, out)
            bound = out.bound[state.index]
            open_ = (bound > aim) & (bound - evaluation.explained > MAX_GAIN_SHARE * (bound - aim))
            if not open_.any() or clock.is_up():
                break
            state = _newton(problem, state.of(open_), evaluation.of(open_))
    return out


def _begin(problem: ScaledProblem, problems: list[BoxProblem], low: Floats, high: Floats) -> _State:
    """Within each box and the budget, away from every side."""
    free, remaining = high > low, problem.limit - low @ problem.costs
    full_cost = (high - low) @ problem.costs
    point = low + (high - low) * 0.5 * np.minimum(1.0, remaining / np.where(full_cost > 0, full_cost, 1.0))[:, None]
    slack = np.where(free.any(axis=1), problem.limit - point @ problem.costs, 1.0)
    # Half-way into the box, or as far as takes half of what the budget leaves: from the middle no side is near, so
    # that the first steps can be long. Each price is the same number over its distance, which makes all products of the
    # two equal, as on the central path; all there is to explain is 1 in these units.
    return _State(
        index=np.arange(len(low)),
        sigma=np.array([box.sigma for box in problems]),
        cross=np.array([box.cross for box in problems]),
        noise=np.array([box.noise for box in problems]),
        explained_by_known=np.array([box.explained_by_known for box in problems]),
        low=low,
        high=high,
        point=point,
        at_low=np.where(free, _FIRST_PRICE / np.where(free, point - low, 1.0), 0.0),
        at_high=np.where(free, _FIRST_PRICE / np.where(free, high - point, 1.0), 0.0),
        at_limit=_FIRST_PRICE / slack,
    )


def _evaluate(state: _State) -> _Evaluation:
    # With s = r/v: (Σ + Diag(1/s))⁻¹ = √s (√s Σ √s + I)⁻¹ √s. In this form s may be 0, for what is not bought, no Σ⁻¹
    # is asked for, which may not exist, and no eigenvalue is below 1.
    precision = state.point / state.noise
    root = np.sqrt(precision)
    scaled = root[:, :, None] * state.sigma
    matrix = scaled * root[:, None, :] + np.eye(root.shape[1])
    right = np.concatenate([(root * state.cross)[:, :, None], scaled], axis=2)
    solved = np.linalg.solve(matrix, right)
    weights = root * solved[:, :, 0]
    explained = np.einsum("ki,ki->k", weights, state.cross)
    q = state.cross - np.einsum("kij,kj->ki", state.sigma, weights)
    # (Σ + Diag(1/s)) w = b, so that q = b - Σw is w/s. That has all its digits where s Σ[i,i] > 1 and b and Σw nearly
    # cancel; the difference has them where s is small, down to 0.
    np.divide(weights, precision, out=q, where=precision * np.diagonal(state.sigma, axis1=1, axis2=2) > 1)
    # C = Σ - Σ √s (√s Σ √s + I)⁻¹ √s Σ
    unknown = state.sigma - np.swapaxes(scaled, 1, 2) @ solved[:, :, 1:]
    return _Evaluation(state.explained_by_known + explained, q, unknown)


def _note(problem: ScaledProblem, state: _State, evaluation: _Evaluation, out: BoxBounds) -> None:
    """Keep the point, and the bound that the slope there gives if it is the lowest yet."""
    # explained is concave: explained(r) <= explained(x) + slope · (r - x), and the largest right side is a knapsack's.
    slope = evaluation.q**2 / state.noise
    most, price = _knapsack(problem, slope, state.low, state.high)
    bound = evaluation.explained - np.einsum("ki,ki->k", slope, state.point) + most
    out.point[state.index], out.unexplained[state.index] = state.point, evaluation.q
    out.unknown[state.index] = np.diagonal(evaluation.unknown, axis1=1, axis2=2)
    lower = bound < out.bound[state.index]
    at = state.index[lower]
    out.bound[at], out.slope[at], out.price[at] = bound[lower], slope[lower], price[lower]


def _knapsack(problem: ScaledProblem, slope: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The most that real plans of each box can collect at a slope, and the price of the budget then."""
    worth = slope / problem.costs
    order = np.argsort(-worth, axis=1, kind="stable")
    worth = np.take_along_axis(worth, order, axis=1)
    room = np.take_along_axis((high - low) * problem.costs, order, axis=1)
    remaining = np.maximum(problem.limit - low @ problem.costs, 0.0)[:, None]
    spent = np.cumsum(room, axis=1)
    bought = np.clip(remaining - (spent - room), 0.0, room)
    short = spent > remaining
    last = np.take_along_axis(worth, short.argmax(axis=1)[:, None], axis=1)[:, 0]
    most = np.einsum("ki,ki->k", slope, low) + np.einsum("ki,ki->k", bought, worth)
    return most, np.where(short.any(axis=1), last, 0.0)


def _newton(problem: ScaledProblem, state: _State, evaluation: _Evaluation) -> _State:
    """One step of the primal-dual interior-point method.

    Optimal within low <= r <= high and c·r <= limit, with a price of each side (at_low, at_high, at_limit >= 0) ::

        gradient + at_low - at_high - at_limit c = 0
        at_low (r - low) = at_high (high - r) = at_limit (limit - c·r) = 0

    The step solves both to first order with the zeros replaced by a target t, the prices eliminated. By ds = dr/v, the
    gradient is q²/v and the Hessian -2 (q/v) C (q/v)'.
    """
    costs, free = problem.costs, state.high > state.low
    over, under = np.where(free, state.point - state.low, 1.0), np.where(free, state.high - state.point, 1.0)
    slack = problem.limit - state.point @ costs
    pressure = np.sum(state.at_low * over + state.at_high * under, axis=1) + state.at_limit * slack
    # A share of the mean product: less gains more by each step, and hits the sides earlier.
    target = _CENTRING * pressure / (2 * free.sum(axis=1) + 1)
    aim = target[:, None]
    slope = evaluation.q / state.noise
    matrix = 2 * slope[:, :, None] * evaluation.unknown * slope[:, None, :]
    matrix += np.outer(costs, costs) * (state.at_limit / slack)[:, None, None]
    matrix *= free[:, :, None] & free[:, None, :]
    diagonal = np.arange(len(costs))
    matrix[:, diagonal, diagonal] += np.where(free, state.at_low / over + state.at_high / under, 1.0)
    right = evaluation.q * slope + aim / over - aim / under - costs * (target / slack)[:, None]
    move = _solve(matrix, np.where(free, right, 0.0))
    cost = move @ costs
    at_low = np.where(free, (aim - state.at_low * move) / over - state.at_low, 0.0)
    at_high = np.where(free, (aim + state.at_high * move) / under - state.at_high, 0.0)
    at_limit = (target + state.at_limit * cost) / slack - state.at_limit
    step = _longest((over, -move), (under, move), (slack[:, None], cost[:, None]))
    dual = _longest((state.at_low, -at_low), (state.at_high, -at_high), (state.at_limit[:, None], -at_limit[:, None]))
    return replace(
        state,
        point=state.point + step * move,
        at_low=state.at_low + dual * at_low,
        at_high=state.at_high + dual * at_high,
        at_limit=state.at_limit + dual[:, 0] * at_limit,
    )


def _solve(matrix: Floats, right: Floats) -> Floats:
    """Solve a stack of positive semi-definite systems; with a little added to the diagonal where one is singular.

    Of noisy copies, judgments can move from one to the other at no loss, and far inside a box no barrier tells them
    apart: a direction without curvature. Any step will do there, since every point proves a bound.
    """
    try:
        return np.asarray(np.linalg.solve(matrix, right[:, :, None])[:, :, 0])
    except np.linalg.LinAlgError:
        diagonal = np.einsum("kii->ki", matrix)  # a view
        diagonal += SINGULAR * diagonal.max(axis=1, keepdims=True)
        return np.asarray(np.linalg.solve(matrix, right[:, :, None])[:, :, 0])


def _longest(*pairs: tuple[Any, Any]) -> Floats:
    """The longest step, up to 1, that uses up nearly all of no distance."""
    step = np.ones((len(pairs[0][0]), 1))
    for distance, speed in pairs:
        # Not onto the side, from which no step leads away again.
        reach = np.where(speed > 0, _SIDE_SHARE * distance / speed, 1.0)
        np.minimum(step, reach.min(axis=1, keepdims=True), out=step)
    return step
