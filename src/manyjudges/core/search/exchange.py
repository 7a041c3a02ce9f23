"""Exchange: move judgments between attributes until no move helps."""

from __future__ import annotations

__all__ = ["search_exchange"]

import copy
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.core.budget import COST_TOLERANCE
from manyjudges.core.moments import Moments
from manyjudges.core.objective import explained as explained_by
from manyjudges.core.search.greedy import search_full
from manyjudges.core.search.result import TIE_TOLERANCE, SearchResult, in_order

HELPS = 1e-9
"""Share of the label's variance that a move must add.

Above what rank-one changes make of rounding, below any gain that matters.
"""

_MIN_OWN_SHARE = 1e-8
"""Share of its variance that an attribute must have for itself, or its noise must be, to be told from the others.

About the square root of double precision: P then holds numbers of up to 1e8, and what is multiplied by them keeps half
of its digits.
"""

_MOST_MOVES = 1000
"""Moves of one kind in a row; far more than it takes, unless rounding goes round in a circle."""

_RICH_START = 2.5
"""Multiple of the budget from which exchange also starts.

Large enough that Full has bought both halves of a pair that tells only together, small enough to be thinned quickly.
Of 60 plans (``benchmarks/constants.py exchange``), anything from 1.5 to 8 found the proven best one each time; without
a second start (1), 95 % of them, and 99.5 % of the best at worst. 8 takes a fifth longer than 2.5.
"""

_STALE = 50
"""Moves after which everything is computed afresh: more often takes time, more seldom lets rounding add up.

With 5, 50 and 500 the plans of ``benchmarks/constants.py exchange`` were the same, and 5 took a quarter longer.
"""

_CANDIDATES = 12
"""Attributes too dear for what is left that are tried, when costs differ. More take longer; the best gain per cost
come first. With none, 84.7 % of the best plan at worst; with 3 or more, always the best
(``benchmarks/constants.py exchange``).
"""

_PAIRS, _FIRSTS = 30, 2
"""Pairs of judgments that are given up together, and attributes that are tried in the place of the first.

With no pairs, 99.1 % of the best plan at worst; with 10 or more, always the best, and 100 take a tenth longer than 30.
A third and a fourth attribute in the place of the first found nothing better, in 1.4 times the time
(``benchmarks/constants.py exchange``).
"""


def search_exchange(moments: Moments, budget: float, costs: Floats, max_repeats: Floats) -> SearchResult:
    """Full, followed by moving judgments between attributes until no move helps.

    Greedy search sees what tells only together with something else when it can afford both. So a second start is what
    Full would buy for more money, thinned.
    """
    # On random problems of 40 attributes, single moves took greedy plans from 90-99.8 % of the bound to 99.1-99.99 %
    # for budgets from 20 on.
    start = search_full(moments, budget, costs, max_repeats)
    rich = search_full(moments, _RICH_START * budget, costs, max_repeats)
    repeats, best = start.picks, 0.0
    for picks in (start.picks, rich.picks):
        moved, reached = _exchange_moves(moments, np.bincount(picks, minlength=len(costs)), budget, costs, max_repeats)
        if reached > best * (1 + TIE_TOLERANCE):
            repeats, best = moved, reached
    greedy = np.bincount(start.picks, minlength=len(costs))
    if best == 0 or explained_by(moments, repeats) <= explained_by(moments, greedy) * (1 + TIE_TOLERANCE):
        return start
    return in_order(moments, repeats, costs)


def _exchange_moves(
    moments: Moments, repeats: Integers, budget: float, costs: Floats, max_repeats: Floats
) -> tuple[Integers, float]:
    """Repeats after moves that each explain more, and what they explain.

    A move gives up one judgment and buys another with what is then left, if need be of another cost, and fills what
    is left after that. When no such move helps, larger ones are tried: all judgments of one attribute are given up and
    the money is spent anew without it; two judgments are given up at once; with unequal costs, a dear attribute is
    bought by giving up the cheapest losses first. Repeats that cost more than the budget are thinned to begin with.
    """
    state = ExchangeState(moments, repeats, budget, costs, max_repeats)
    state.thin()
    state.swap_all()
    for _ in range(_MOST_MOVES):
        better = _larger_move(state)
        if better is None:
            break
        state = better
        state.swap_all()
    return state.repeats, state.explained


def _larger_move(state: ExchangeState) -> ExchangeState | None:
    """The best of several larger changes, or None where none helps; those that take long only where others do not."""
    for trials in (state.without_each, state.with_each_dear, state.without_pairs):
        best = state
        for trial in trials():
            if trial.explained > best.explained + state.helps:
                best = trial
        if best is not state:
            return best
    return None


class ExchangeState:
    """A plan, with what giving up or buying a judgment of each attribute would change.

    With S the chosen attributes, P = (Σ_SS + Diag(v/r))⁻¹, K = Σ[:,S] P and w = P b_S: giving up a judgment of i raises
    its noise by δ = v/(r-1) - v/r (to infinity, if it was the last), and with β = δ/(1 + δ P[i,i]) ::

        explained falls by β w[i]²;   q[j] rises by β K[j,i] w[i],   C[j,j] by β K[j,i]²

    after which a judgment of j adds q[j]²/(C[j,j] + v[j]). So all moves from any i to any j are known in O(d·support),
    and P and K follow a move by a rank-one change, in as much.
    """

    explained: float
    _chosen: Integers
    _p: Floats
    _k: Floats
    _rows: Floats
    _age: int

    def __init__(self, moments: Moments, repeats: Integers, budget: float, costs: Floats, max_repeats: Floats) -> None:
        self._moments, self._costs, self._budget = moments, costs, budget
        self._max_repeats = np.where(moments.noise > 0, max_repeats, np.minimum(max_repeats, 1))
        self._noise, self._cross = moments.noise, moments.cross
        self._total = moments.variances + moments.noise
        self._floor = np.where(self._total > 0, _MIN_OWN_SHARE * self._total, 1.0)
        self.helps = HELPS * moments.label_variance
        self.repeats = np.array(repeats, dtype=np.int64)
        self._refresh()

    def swap_all(self) -> None:
        """Move single judgments until that helps no more."""
        for _ in range(_MOST_MOVES):
            if not len(self._chosen) or not self._swap():
                break

    def thin(self) -> None:
        """Give up what loses least per cost until the budget suffices, and spend what is left."""
        while len(self._chosen) and self._left() < 0:
            self._give_up(int(self._chosen[self._least_loss(np.ones(len(self._chosen), dtype=bool))]))
        self._fill()

    def without_pairs(self) -> Iterator[ExchangeState]:
        """Plans in which two judgments make room for others; those whose loss is least, if there are many."""
        loss = self._losses() * self._weights**2
        # At small budgets single moves are not enough: of 36 random problems of 40 attributes, 96.3 % of the optimum at
        # worst for a budget of 5.
        pairs = [
            (i, j)
            for i, j in itertools.combinations_with_replacement(range(len(loss)), 2)
            if i != j or self.repeats[self._chosen[i]] > 1
        ]
        for i, j in sorted(pairs, key=lambda pair: loss[pair[0]] + loss[pair[1]])[:_PAIRS]:
            trial = self._copy()
            for at in (i, j):
                trial._give_up(int(self._chosen[at]))
            gains = trial._gains() / self._costs
            gains[[self._chosen[i], self._chosen[j]]] = 0.0
            gains[self._costs > trial._left()] = 0.0
            for first in np.argsort(-gains, kind="stable")[:_FIRSTS]:
                if gains[first] > 0:
                    other = trial._copy()
                    other._buy(int(first))
                    other._fill()
                    yield other

    def without_each(self) -> list[ExchangeState]:
        """Plans without one of the chosen attributes each, its money spent anew."""
        out = []
        for i in self._chosen:
            trial = self._copy()
            trial._max_repeats = np.where(np.arange(len(self._max_repeats)) == i, 0, self._max_repeats)
            while trial.repeats[i]:
                trial._give_up(int(i))
            trial._fill()
            trial._max_repeats = self._max_repeats
            out.append(trial)
        return out

    def with_each_dear(self) -> list[ExchangeState]:
        """Plans with one more judgment of an attribute that what is left cannot pay for."""
        gains = self._gains()
        dear = np.flatnonzero((self._costs > self._left() + self._costs.min()) & (gains > 0))
        dear = dear[self._costs[dear] <= self._budget * (1 + COST_TOLERANCE)]
        dear = dear[np.argsort(-(gains / self._costs)[dear], kind="stable")[:_CANDIDATES]]
        return [trial for j in dear if (trial := self._with_dear(int(j))) is not None]

    def _with_dear(self, j: int) -> ExchangeState | None:
        trial = self._copy()
        while trial._costs[j] > trial._left():
            others = trial._chosen != j
            if not others.any():
                return None
            trial._give_up(int(trial._chosen[trial._least_loss(others)]))
        trial._buy(j)
        trial._fill()
        return trial

    def _swap(self) -> bool:
        # All swaps at once: a row for the attribute that gives up a judgment, a column for the one that is bought.
        # Giving up is the first rank-one update: it moves q and C as the class says. Buying is the second, with those
        # q and C.
        beta = self._losses()
        q = self._q + (self._k * (beta * self._weights)).T
        denominator = self._unknown + (self._k**2 * beta).T + self._noise
        gain = q * q / np.maximum(denominator, self._floor)
        gain[denominator <= self._floor] = 0.0
        gain -= (beta * self._weights**2)[:, None]
        gain[:, self.repeats >= self._max_repeats] = -np.inf
        gain[np.arange(len(self._chosen)), self._chosen] = -np.inf
        gain[self._costs > self._left() + self._costs[self._chosen][:, None]] = -np.inf
        best = gain.max()
        if best <= self.helps:
            return False
        away, to = divmod(int((gain >= best - self.helps).argmax()), gain.shape[1])
        before = self.explained
        self._give_up(int(self._chosen[away]))
        self._buy(to)
        self._fill()
        return self.explained > before + self.helps / 2  # or else it was rounding that promised more

    def _fill(self) -> None:
        while True:
            gains = self._gains() / self._costs
            gains[self._costs > self._left()] = 0.0
            if gains.max() * self._budget <= self.helps:
                return
            self._buy(int((gains >= gains.max() * (1 - HELPS)).argmax()))

    def _gains(self) -> Floats:
        denominator = self._unknown + self._noise
        gains = self._q * self._q / np.maximum(denominator, self._floor)
        gains[(denominator <= self._floor) | (self.repeats >= self._max_repeats)] = 0.0
        return np.asarray(gains)

    def _losses(self) -> Floats:
        """β of each chosen attribute."""
        repeats, own = self.repeats[self._chosen], np.diag(self._p)
        # δ = v/(r-1) - v/r = v / (r (r-1)); without a last judgment δ is infinite, and β = 1/P[i,i].
        more = self._noise[self._chosen] / np.maximum(repeats * (repeats - 1), 1)
        return np.where(repeats > 1, more / (1 + more * own), 1 / own)

    def _least_loss(self, among: Any) -> int:
        """Where giving up one judgment loses least per cost."""
        loss = self._losses() * self._weights**2 / self._costs[self._chosen]
        return int(np.where(among, loss, np.inf).argmin())

    def _left(self) -> float:
        return self._budget * (1 + COST_TOLERANCE) - float(self.repeats @ self._costs)

    def _give_up(self, i: int) -> None:
        if not self.repeats[i]:
            return  # computing afresh may have given it up already
        at = int(np.flatnonzero(self._chosen == i)[0])
        self._follow(at, self._losses()[at])
        self.repeats[i] -= 1
        if self.repeats[i] == 0:
            kept = np.arange(len(self._chosen)) != at
            self._p, self._k = self._p[np.ix_(kept, kept)], self._k[:, kept]
            self._chosen, self._rows = self._chosen[kept], self._rows[kept]
        self._settle()

    def _buy(self, j: int) -> None:
        self.repeats[j] += 1
        at = np.flatnonzero(self._chosen == j)
        if len(at):
            less = -self._noise[j] / (self.repeats[j] * (self.repeats[j] - 1))
            self._follow(int(at[0]), less / (1 + less * self._p[at[0], at[0]]))
        elif self._unknown[j] + self._noise[j] > self._floor[j]:
            self._include(j)
        else:
            self._exclude(j)  # nothing is left to learn of it, which a swap may find out too late
        self._settle()

    def _follow(self, at: int, beta: float) -> None:
        """A change of one attribute's noise."""
        # Sherman and Morrison: (M + δ e e')⁻¹ = P - β P[:,i] P[i,:] with β = δ / (1 + δ P[i,i]).
        row = self._p[at] * beta
        self._k = self._k - np.outer(self._k[:, at], row)
        self._p = self._p - np.outer(row, self._p[at])

    def _include(self, j: int) -> None:
        row = self._moments.matrix.rows(j)
        solved = self._p @ row[self._chosen]
        # The inverse of a matrix with one more row, m = Σ[S,j] and M[j,j]: with k = P m and the Schur complement
        # rest = M[j,j] - m'k, which is C[j,j] + v[j], it is ((P + kk'/rest, -k/rest), (-k'/rest, 1/rest)).
        rest = self._unknown[j] + self._noise[j]
        column = (row - self._k @ row[self._chosen]) / rest
        self._p = np.block(
            [[self._p + np.outer(solved, solved) / rest, -solved[:, None] / rest], [-solved / rest, 1 / rest]]
        )
        self._k = np.column_stack([self._k - np.outer(column, solved), column])
        self._chosen, self._rows = np.append(self._chosen, j), np.vstack([self._rows, row])

    def _settle(self) -> None:
        self._age += 1
        if self._age >= _STALE or (self._age > 1 and self._rounding_shows()):
            self._refresh()
            return
        self._weights = self._p @ self._cross[self._chosen]
        self._q = self._cross - self._weights @ self._rows
        # q = b - Σw is Diag(v/r) w on what is chosen: without the cancellation.
        self._q[self._chosen] = self._noise[self._chosen] / self.repeats[self._chosen] * self._weights
        # C = Σ - Σ[:,S] P Σ[S,:], of which only the diagonal is needed: K = Σ[:,S] P is at hand.
        self._unknown = np.maximum(self._moments.variances - np.einsum("ij,ji->i", self._k, self._rows), 0)
        self.explained = float(self._cross[self._chosen] @ self._weights)

    def _rounding_shows(self) -> bool:
        """Whether rounding shows: a variance in P that is below what it must be, or beyond what can be told apart."""
        # P[i,i] (Σ[i,i] + v[i]) is never below 1, since P is the inverse of what has no more than that on its diagonal.
        # Half of it is far beyond what rounding takes off a sound P.
        own = np.diag(self._p) * self._total[self._chosen]
        return bool(len(own)) and not (own.min() > 0.5 and own.max() < 1 / _MIN_OWN_SHARE)

    def _refresh(self) -> None:
        inverse = None
        while inverse is None:
            self._chosen = np.flatnonzero(self.repeats)
            inverse = self._inverse()
        self._p = inverse
        self._rows = self._moments.matrix.rows(self._chosen)
        self._k = self._rows.T @ self._p
        self._age = 0
        self._settle()

    def _inverse(self) -> Floats | None:
        """P; or None, and one attribute less, where attributes that hardly have noise say the same."""
        matrix = self._moments.matrix.block(self._chosen)
        matrix[np.diag_indices_from(matrix)] += self._noise[self._chosen] / self.repeats[self._chosen]
        unit = 1 / np.sqrt(np.maximum(np.diag(matrix), np.finfo(float).tiny))
        values, vectors = np.linalg.eigh(matrix * np.outer(unit, unit))
        # In standardized units, diag(P)[i] is one over what the other chosen attributes leave of the variance of i's
        # mean: above 1/_MIN_OWN_SHARE, i cannot be told from them.
        inverse = (vectors / np.maximum(values, _MIN_OWN_SHARE * _MIN_OWN_SHARE)) @ vectors.T
        if len(unit) and np.diag(inverse).max() > 1 / _MIN_OWN_SHARE:
            self._exclude(int(self._chosen[np.diag(inverse).argmax()]))
            return None
        return np.asarray(inverse * np.outer(unit, unit))

    def _exclude(self, j: int) -> None:
        """No judgments of an attribute, for good, or it would be bought again."""
        self.repeats[j] = 0
        self._max_repeats = np.where(np.arange(len(self._max_repeats)) == j, 0, self._max_repeats)

    def _copy(self) -> ExchangeState:
        other = copy.copy(self)  # arrays are replaced, not written to, except the repeats
        other.repeats = self.repeats.copy()
        return other
