"""Counts: what was bought of each pair, what is still to come, and what cannot be had, as counts."""

from __future__ import annotations

__all__ = ["PairCounts", "reached_by_half"]

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from manyjudges.arrays.blocks import ranks_within
from manyjudges.arrays.types import Floats, Integers
from manyjudges.core.budget import COST_TOLERANCE

UNCAPPED = int(np.iinfo(np.int64).max)
"""Stands for no cap."""


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Counts of every pair; rows are objects, columns are attributes. Methods give new counts, and change none.

    Parameters
    ----------
    bought : (objects, attributes) array of int
        Judgments that came, asked for or not.
    pending : (objects, attributes) array of int
        Judgments that were asked for and have not come.
    dry : (objects, attributes) array of bool
        Pairs of which no more can be had.
    """

    bought: Integers
    pending: Integers
    dry: NDArray[np.bool_]

    @classmethod
    def empty(cls, n_objects: int, n_attributes: int) -> PairCounts:
        """Before anything is bought."""
        nothing = np.zeros((n_objects, n_attributes), dtype=np.int64)
        return cls(nothing, nothing, nothing > 0)

    def order(self, counts: Integers) -> PairCounts:
        """So many more have been asked for."""
        return replace(self, pending=self.pending + counts)

    def receive(self, counts: Integers) -> PairCounts:
        """So many came, perhaps more than were asked for."""
        return replace(self, bought=self.bought + counts, pending=np.maximum(self.pending - counts, 0))

    def give_up(self) -> PairCounts:
        """What is pending will not come."""
        return replace(self, pending=np.zeros_like(self.pending), dry=self.dry | (self.pending > 0))

    @property
    def caps(self) -> Integers:
        """The most judgments of each attribute that at least half of the objects can have, or ``UNCAPPED``."""
        return reached_by_half(np.where(self.dry, self.bought, UNCAPPED))

    def due(self, picks: Integers, costs: Floats, limit: float | None = None) -> Integers:
        """What to ask for next, so that every object gets the picks, as counts of every pair.

        Parameters
        ----------
        picks : array of int
            Judgments that every object should have, by attribute, the most valuable first. Those beyond a cap are left
            out, and so are pairs that have run dry.
        costs : array
            Price of one judgment of each attribute.
        limit : float, optional
            The most that all judgments may cost, with those bought and pending. Where it does not suffice, the first
            pick of all objects goes before the second, and what is too dear makes room for what is not.
        """
        within = repeat_numbers(picks) < self.caps[picks]
        picks = picks[within]
        have = self.bought + self.pending
        target = np.bincount(picks, minlength=len(costs))
        due = np.where(self.dry, 0, np.maximum(target - have, 0))
        if limit is None:
            return due
        remaining = limit * (1 + COST_TOLERANCE) - total_cost(have, costs)
        return due if total_cost(due, costs) <= remaining else _cut(due, have, picks, costs, remaining)


def reached_by_half(counts: Integers) -> Integers:
    """The most judgments of each attribute that at least half of the objects have.

    >>> reached_by_half(np.array([[3, 0], [5, 0], [4, 2]])).tolist()
    [4, 0]
    """
    return np.asarray(np.sort(counts, axis=0)[len(counts) // 2])


def total_cost(counts: Integers, costs: Floats) -> float:
    """What so many judgments of every pair cost."""
    return float(counts.sum(axis=0) @ costs)


def repeat_numbers(picks: Integers) -> Integers:
    """How many times each pick's attribute was picked before.

    >>> repeat_numbers(np.array([2, 0, 2, 2, 0])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(picks, kind="stable")
    numbers = np.empty(len(picks), dtype=np.int64)
    numbers[order] = ranks_within(picks[order])
    return numbers


def affordable(prices: Floats, money: float) -> NDArray[np.bool_]:
    """Which things can be had when each is bought in turn if the money left suffices.

    >>> affordable(np.array([1.0, 4.0, 1.0, 1.0, 1.0]), 3.5).tolist()
    [True, False, True, True, False]
    """
    bought = np.zeros(len(prices), dtype=bool)
    at = np.flatnonzero(prices <= money)
    while len(at):
        # All up to the first that is too dear; no dearer one can be had after it, so the rounds are few.
        fits = np.cumsum(prices[at]) <= money
        n = len(at) if fits.all() else int(np.argmin(fits))
        bought[at[:n]] = True
        money -= float(prices[at[:n]].sum())
        at = at[n:][prices[at[n:]] <= money]
    return bought


def _cut(due: Integers, have: Integers, picks: Integers, costs: Floats, remaining: float) -> Integers:
    """As much of what is due as the money left suffices for."""
    number = repeat_numbers(picks)
    lacking = (have[:, picks] <= number) & (due[:, picks] > 0)
    step, row = np.nonzero(lacking.T)  # by pick, then by object
    column = picks[step]
    kept = affordable(costs[column], remaining)
    pair = row[kept] * due.shape[1] + column[kept]
    return np.bincount(pair, minlength=due.size).reshape(due.shape)
