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

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, Self

import numpy as np
from threadpoolctl import threadpool_limits

from manyjudges.cells import Floats, Integers
from manyjudges.moments import Moments
from manyjudges.objective import SINGULAR, explained
from manyjudges.plan import ROUNDING

GAP = 1e-7
"""Share of what is explained by which the best plan may be missed: a proof of less is no proof of more."""

SPARE = 1e-6
"""Share of its variance below which an attribute without noise has nothing to spare."""

CLOSE = 0.1
"""A bound is near enough when this share of its distance from the best known plan could be gained at most."""

MOST_STEPS = 40
"""Newton steps after which a bound is taken as it is; ten are usual."""

TOGETHER = 16
"""Boxes bounded at once, so that numpy has something to do."""

BLINK = 0.1
"""Seconds between two reports of progress."""

Progress = Callable[[float, float, float], None]
Bools = np.ndarray[Any, np.dtype[np.bool_]]


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
    most: Floats,
    start: Integers,
    *,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Proof:
    """The plan that explains most, with a proof; or the best one found until the time is up or Ctrl-C is pressed.

    Parameters
    ----------
    moments : Moments
    budget : float
        The most that one object's judgments may cost.
    costs : (d,) array
        Price of one judgment.
    most : (d,) array
        The largest number of judgments of each attribute; infinite where there is no limit.
    start : (d,) array of int
        A plan within the budget, from a search that is faster. The result is never worse; the better it is, the
        shorter the proof.
    time_limit : float, optional
        Seconds.
    progress : callable, optional
        Called now and then with what the best known plan explains, the bound on it so far and the seconds passed.
    """
    clock = _Clock(time_limit)
    search = _Search(moments, budget, costs, most, start, clock)
    try:
        # Many small matrices: a second thread would cost more than it helps, and could round in another order.
        with threadpool_limits(limits=1, user_api="blas"):
            while search.step():
                if progress is not None and clock.blinks():
                    progress(search.explained, search.bound, clock.seconds())
    except KeyboardInterrupt:
        pass  # whoever stops the search wants what it has
    proof = search.proof()
    if progress is not None:
        progress(explained(moments, proof.repeats), proof.bound, clock.seconds())
    return proof


class _Clock:
    """Whether the time is up, and whether it is time to report."""

    def __init__(self, limit: float | None) -> None:
        self._began = time.monotonic()
        self._limit = np.inf if limit is None else limit
        self._reported = 0.0

    def seconds(self) -> float:
        return time.monotonic() - self._began

    def is_up(self) -> bool:
        return self.seconds() >= self._limit

    def blinks(self) -> bool:
        now = self.seconds()
        if now - self._reported < BLINK:
            return False
        self._reported = now
        return True


class _Box(NamedTuple):
    """All plans between two; boxes are kept in the order of their bounds, and else of their making."""

    minus_bound: float
    number: int
    low: Floats
    high: Floats


class _Search:
    """The boxes that may still hold something better, and the best plan known."""

    def __init__(
        self, moments: Moments, budget: float, costs: Floats, most: Floats, start: Integers, clock: _Clock
    ) -> None:
        self._moments, self._clock = moments, clock
        # In one piece, so that an interruption finds a plan with its own value.
        self._best = (explained(moments, start), start.astype(np.int64))
        self._limit = budget * (1 + ROUNDING)
        useful = moments.variances + moments.noise > 0
        high = np.where(useful, np.minimum(most, np.where(moments.noise > 0, np.inf, 1.0)), 0.0)
        high = np.floor(np.minimum(high, self._limit / costs))
        # All that there is to explain, up to rounding, is the unit in which the search reckons.
        self._unit = max(explained(moments, high.astype(np.int64)), self.explained) or 1.0
        self.bound = np.inf
        self._problem = _Problem.standard(moments, costs, self._limit, self._unit)
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
        taken = [heapq.heappop(self._boxes) for _ in range(min(_together(alive), len(self._boxes)))]
        low, high = np.array([box.low for box in taken]), np.array([box.high for box in taken])
        bounds = np.array([-box.minus_bound for box in taken])
        columns = np.flatnonzero(high.any(axis=0))
        problem = self._problem.subset(columns)
        low, high = low[:, columns], high[:, columns]
        views = _views(problem, low, high)
        summit = _climb(problem, views, low, high, self._aim(), self._clock)
        bounds = np.minimum(bounds, summit.bound)
        self._round(problem, columns, high, summit, bounds > self._aim())
        for i in np.flatnonzero(bounds > self._aim()):
            self._split(problem, columns, views[i], low[i], high[i], summit.at(int(i)), bounds[i])
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
        return self.bound <= self.explained * (1 + GAP)

    def _aim(self) -> float:
        """What a box must promise to be worth a look."""
        return self.explained / self._unit * (1 + GAP)

    def _try(self, repeats: Floats) -> None:
        """Keep a plan if it is the best so far."""
        whole = repeats.astype(np.int64)
        if whole @ self._problem.costs > self._limit:  # rounding up may go too far
            return
        value = explained(self._moments, whole)
        if value > self.explained * (1 + SINGULAR):
            self._best = (value, whole)

    def _round(self, problem: _Problem, columns: Integers, high: Floats, summit: _Summit, promising: Bools) -> None:
        """Try the plans that the best real ones become when they are rounded."""
        for i in np.flatnonzero(promising):
            whole = np.zeros(len(self._problem.costs))
            whole[columns] = _rounded(problem, summit.point[i], summit.slope[i], high[i])
            self._try(whole)

    def _split(
        self,
        problem: _Problem,
        columns: Integers,
        view: _View,
        low: Floats,
        high: Floats,
        summit: _Summit,
        bound: float,
    ) -> None:
        """Cut a box in two where that tells most, after cutting away what cannot be better than what is known."""
        low, high = _narrowed(problem, low, high, summit, self._aim())
        pick, at = _cut(view, low, high, summit)
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
    return max(1, min(TOGETHER, TOGETHER * 100**2 // max(alive, 1) ** 2))


@dataclass(frozen=True)
class _Problem:
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

    def subset(self, at: Integers) -> _Problem:
        """The same with some of the attributes alone."""
        return _Problem(self.sigma[np.ix_(at, at)], self.cross[at], self.noise[at], self.costs[at], self.limit)

    def affordable(self, low: Floats, high: Floats) -> Floats | None:
        """The upper end of a box as far as the budget goes, or None where it does not reach the lower end."""
        left = self.limit - low @ self.costs
        if left < 0 or (low > high).any():
            return None
        return np.asarray(np.minimum(high, low + np.floor(left / self.costs)))


@dataclass(frozen=True)
class _View:
    """The problem as seen from one box, or a stack of such: every attribute has noise, or is taken to be known.

    ``known`` is what the known ones explain; they are left out of the rest by zeros. ``open`` are those of them that
    are not yet bought: known for nothing.
    """

    sigma: Floats
    cross: Floats
    noise: Floats
    known: Any
    open: Bools


def _views(problem: _Problem, low: Floats, high: Floats) -> list[_View]:
    if (problem.noise > 0).all():
        none = np.zeros(len(problem.noise), dtype=bool)
        return [_View(problem.sigma, problem.cross, problem.noise, 0.0, none)] * len(low)
    return [_view(problem, a, b) for a, b in zip(low, high, strict=True)]


def _view(problem: _Problem, low: Floats, high: Floats) -> _View:
    exact = problem.noise == 0
    bought, undecided = exact & (low > 0), exact & (high > low)
    sigma, cross, known = _given(problem.sigma, problem.cross, bought)
    spare = _spare(sigma, undecided, ~exact & (high > 0))
    open_ = undecided & (spare < SPARE)
    if open_.any():
        sigma, cross, known = _given(problem.sigma, problem.cross, bought | open_)
    spare[open_] = 0.0
    # What is known or out of reach has no part in what follows; any noise will do for it.
    noise = np.where(spare > 0, spare, np.where(exact, 1.0, problem.noise))
    return _View(sigma - np.diag(spare), cross, noise, known, open_)


def _given(sigma: Floats, cross: Floats, known: Bools) -> tuple[Floats, Floats, float]:
    """What remains unknown and unexplained when some attributes are known, and what these explain."""
    at = np.flatnonzero(known)
    if not len(at):
        return sigma, cross, 0.0
    inverse = _inverse(sigma[np.ix_(at, at)])
    rows = inverse @ sigma[at]
    rest, unexplained = sigma - sigma[:, at] @ rows, cross - cross[at] @ rows
    # What differs from nothing by rounding alone is nothing: a copy of something known is known.
    idle = known | (np.diag(rest) <= SINGULAR * len(sigma) * np.diag(sigma))
    rest[idle], rest[:, idle], unexplained[idle] = 0.0, 0.0, 0.0
    return rest, unexplained, float(cross[at] @ inverse @ cross[at])


def _inverse(matrix: Floats) -> Floats:
    """Pseudo-inverse of a positive semi-definite matrix; what is singular is judged in standardized units."""
    scale = np.sqrt(np.maximum(np.diag(matrix), 0))
    unit = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
    values, vectors = np.linalg.eigh(matrix * unit * unit[:, None])
    keep = values > SINGULAR * values.max(initial=0)
    return np.asarray((vectors[:, keep] / values[keep]) @ vectors[:, keep].T * unit * unit[:, None])


def _spare(sigma: Floats, wanted: Bools, others: Bools) -> Floats:
    """Variances δ of the wanted attributes that leave Σ - Diag(δ) positive semi-definite, next to the others.

    What is an attribute's own, which none of the rest can tell, is the most that it alone could spare. All of them
    together can spare the same share of that, and no less than one in their number.
    """
    spare = np.zeros(len(sigma))
    at, by = np.flatnonzero(wanted), np.flatnonzero(others)
    if not len(at):
        return spare
    side = sigma[np.ix_(at, by)]
    rest = sigma[np.ix_(at, at)] - side @ _inverse(sigma[np.ix_(by, by)]) @ side.T
    values, vectors = np.linalg.eigh(rest)
    inverse = (vectors / np.maximum(values, SINGULAR)) @ vectors.T
    own = 1 / np.diag(inverse)
    share = 1 / np.linalg.eigvalsh(inverse * np.sqrt(own * own[:, None]))[-1]
    spare[at] = np.maximum(own * share * (1 - 1e-6) - 1e-9, 0.0)  # a little less, for rounding
    return spare


@dataclass(frozen=True)
class _Summit:
    """The best real plan of each box, or nearly, and what follows from it."""

    bound: Floats
    point: Floats
    slope: Floats  # of explained, at that point
    price: Floats  # what one unit more of the budget would add, by that slope
    unexplained: Floats  # q
    unknown: Floats  # diagonal of C

    @classmethod
    def none(cls, low: Floats) -> _Summit:
        many = len(low)
        zeros = np.zeros_like(low)
        return cls(np.full(many, np.inf), low.copy(), zeros, np.zeros(many), zeros.copy(), zeros.copy())

    def at(self, i: int) -> _Summit:
        """That of one box."""
        return _Summit(*(getattr(self, field.name)[i] for field in fields(self)))


@dataclass(frozen=True)
class _State:
    """Where the Newton steps of some boxes have got to: a real plan, and the prices of all that hems it in."""

    index: Integers
    sigma: Floats
    cross: Floats
    noise: Floats
    known: Floats
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
class _Look:
    """What some plans explain (the known included), and how that changes."""

    explained: Floats
    q: Floats
    unknown: Floats

    def of(self, kept: Bools) -> _Look:
        return _Look(self.explained[kept], self.q[kept], self.unknown[kept])


def _climb(problem: _Problem, views: list[_View], low: Floats, high: Floats, aim: float, clock: _Clock) -> _Summit:
    """Bound what each box can hold, as closely as it takes to decide about the box."""
    out = _Summit.none(low)
    state = _begin(problem, views, low, high)
    with np.errstate(all="ignore"):  # distances of 0 are no limit to a step
        for _ in range(MOST_STEPS):
            look = _look(state)
            _note(problem, state, look, out)
            bound = out.bound[state.index]
            open_ = (bound > aim) & (bound - look.explained > CLOSE * (bound - aim))
            if not open_.any() or clock.is_up():
                break
            state = _newton(problem, state.of(open_), look.of(open_))
    return out


def _begin(problem: _Problem, views: list[_View], low: Floats, high: Floats) -> _State:
    """Within each box and the budget, away from every side."""
    free, left = high > low, problem.limit - low @ problem.costs
    whole = (high - low) @ problem.costs
    point = low + (high - low) * 0.5 * np.minimum(1.0, left / np.where(whole > 0, whole, 1.0))[:, None]
    slack = np.where(free.any(axis=1), problem.limit - point @ problem.costs, 1.0)
    price = 1e-3
    return _State(
        index=np.arange(len(low)),
        sigma=np.array([view.sigma for view in views]),
        cross=np.array([view.cross for view in views]),
        noise=np.array([view.noise for view in views]),
        known=np.array([view.known for view in views]),
        low=low,
        high=high,
        point=point,
        at_low=np.where(free, price / np.where(free, point - low, 1.0), 0.0),
        at_high=np.where(free, price / np.where(free, high - point, 1.0), 0.0),
        at_limit=price / slack,
    )


def _look(state: _State) -> _Look:
    precision = state.point / state.noise
    root = np.sqrt(precision)
    scaled = root[:, :, None] * state.sigma
    matrix = scaled * root[:, None, :] + np.eye(root.shape[1])
    right = np.concatenate([(root * state.cross)[:, :, None], scaled], axis=2)
    solved = np.linalg.solve(matrix, right)
    weights = root * solved[:, :, 0]
    told = np.einsum("ki,ki->k", weights, state.cross)
    q = state.cross - np.einsum("kij,kj->ki", state.sigma, weights)
    # The same, without the cancellation when little remains unexplained.
    np.divide(weights, precision, out=q, where=precision * np.diagonal(state.sigma, axis1=1, axis2=2) > 1)
    unknown = state.sigma - np.swapaxes(scaled, 1, 2) @ solved[:, :, 1:]
    return _Look(state.known + told, q, unknown)


def _note(problem: _Problem, state: _State, look: _Look, out: _Summit) -> None:
    """Keep the point, and the bound that the slope there gives if it is the lowest yet."""
    slope = look.q**2 / state.noise
    most, price = _knapsack(problem, slope, state.low, state.high)
    bound = look.explained - np.einsum("ki,ki->k", slope, state.point) + most
    out.point[state.index], out.unexplained[state.index] = state.point, look.q
    out.unknown[state.index] = np.diagonal(look.unknown, axis1=1, axis2=2)
    lower = bound < out.bound[state.index]
    at = state.index[lower]
    out.bound[at], out.slope[at], out.price[at] = bound[lower], slope[lower], price[lower]


def _knapsack(problem: _Problem, slope: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The most that real plans of each box can collect at a slope, and the price of the budget then."""
    worth = slope / problem.costs
    order = np.argsort(-worth, axis=1, kind="stable")
    worth = np.take_along_axis(worth, order, axis=1)
    room = np.take_along_axis((high - low) * problem.costs, order, axis=1)
    left = np.maximum(problem.limit - low @ problem.costs, 0.0)[:, None]
    spent = np.cumsum(room, axis=1)
    taken = np.clip(left - (spent - room), 0.0, room)
    short = spent > left
    last = np.take_along_axis(worth, short.argmax(axis=1)[:, None], axis=1)[:, 0]
    most = np.einsum("ki,ki->k", slope, low) + np.einsum("ki,ki->k", taken, worth)
    return most, np.where(short.any(axis=1), last, 0.0)


def _newton(problem: _Problem, state: _State, look: _Look) -> _State:
    """One step of the primal-dual interior-point method."""
    costs, free = problem.costs, state.high > state.low
    over, under = np.where(free, state.point - state.low, 1.0), np.where(free, state.high - state.point, 1.0)
    slack = problem.limit - state.point @ costs
    pressure = np.sum(state.at_low * over + state.at_high * under, axis=1) + state.at_limit * slack
    target = 0.1 * pressure / (2 * free.sum(axis=1) + 1)
    aim = target[:, None]
    slope = look.q / state.noise
    matrix = 2 * slope[:, :, None] * look.unknown * slope[:, None, :]
    matrix += np.outer(costs, costs) * (state.at_limit / slack)[:, None, None]
    matrix *= free[:, :, None] & free[:, None, :]
    diagonal = np.arange(len(costs))
    matrix[:, diagonal, diagonal] += np.where(free, state.at_low / over + state.at_high / under, 1.0)
    right = look.q * slope + aim / over - aim / under - costs * (target / slack)[:, None]
    move = np.linalg.solve(matrix, np.where(free, right, 0.0)[:, :, None])[:, :, 0]
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


def _longest(*pairs: tuple[Any, Any]) -> Floats:
    """The longest step, up to 1, that uses up nearly all of no distance."""
    step = np.ones((len(pairs[0][0]), 1))
    for distance, speed in pairs:
        reach = np.where(speed > 0, 0.95 * distance / speed, 1.0)
        np.minimum(step, reach.min(axis=1, keepdims=True), out=step)
    return step


def _narrowed(problem: _Problem, low: Floats, high: Floats, summit: _Summit, aim: float) -> tuple[Floats, Floats]:
    """A box without what the bound's own slope shows to be no better than what is known.

    Every judgment of an attribute that is worth less than its price in budget lowers the bound by the difference, and
    so does every judgment that is not bought of one that is worth more.
    """
    # Of the slope's own bound, that is; another that happens to be lower says nothing about single judgments.
    worth = summit.slope - summit.price * problem.costs
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.floor((summit.bound - aim) / np.abs(worth) * (1 + ROUNDING))
    steps = np.where(np.isfinite(steps), steps, np.inf)
    return np.where(worth > 0, np.maximum(low, high - steps), low), np.where(
        worth < 0, np.minimum(high, low + steps), high
    )


def _cut(view: _View, low: Floats, high: Floats, summit: _Summit) -> tuple[int, float]:
    """The attribute, and the number of judgments, between which and one more to cut a box."""
    point = np.clip(summit.point, low, high)
    at = np.clip(np.floor(point + ROUNDING), low, high - 1)

    def lost(to: Floats) -> Floats:
        # What moving this attribute alone costs, beyond what the slope says.
        move = (to - point) / view.noise
        loss = summit.unexplained**2 * summit.unknown * move**2 / np.maximum(1 + summit.unknown * move, ROUNDING)
        return np.asarray(np.maximum(loss, SINGULAR))

    score = np.where(view.open, 2.0, lost(at) * lost(at + 1))
    pick = int(np.where(high > low, score, -1.0).argmax())
    return pick, float(at[pick])


def _rounded(problem: _Problem, point: Floats, slope: Floats, high: Floats) -> Floats:
    """A whole plan near a real one: rounded down, and up again where the most is lost by that."""
    whole = np.floor(point + 1e-6)
    left = problem.limit - whole @ problem.costs
    lost = (point - whole) * slope / problem.costs
    for i in np.argsort(-lost, kind="stable"):
        if lost[i] > 0 and whole[i] < high[i] and problem.costs[i] <= left:
            whole[i] += 1
            left -= problem.costs[i]
    return np.asarray(whole)


def _thrifty(moments: Moments, value: float, repeats: Integers) -> Integers:
    """A plan without the judgments that tell nothing."""
    out = np.where(moments.noise > 0, repeats, np.minimum(repeats, 1))
    for i in np.flatnonzero(out)[::-1]:
        without = out.copy()
        without[i] = 0
        if explained(moments, without) >= value * (1 - SINGULAR):
            out = without
    return out
