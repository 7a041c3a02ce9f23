"""Worker effects: how much higher or lower than others each worker judges, and judgments without that.

A judgment is taken to be μ + object + worker + rest, attribute by attribute. A worker who marks everything high adds
variance between the judgments of an object that says nothing of the object; an effect that is known can be taken off.
"""

from __future__ import annotations

__all__ = ["EFFECT_KINDS", "WorkerEffects", "estimate_worker_effects", "judge_several_objects"]

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Floats, Integers
from manyjudges.tables.judgments import Judgments

EFFECT_KINDS = ("random", "fixed")
"""How objects are taken while effects are estimated: as draws, whose means are shrunk, or as they are."""

_STRENGTHS = (1.0, 3.0, 8.0, 20.0, 60.0)
"""How many judgments an effect of zero counts for; the larger, the more effects are shrunk. Each is about three times
the one before, so that the best is never far; no benchmark sets them."""

_ROUNDS = 12
"""Rounds of backfitting: effects of workers given objects, and of objects given workers. Where every worker judges all
objects, the first one is exact; after 12, effects of sparse tables changed by less than 1 % of their size."""

_FEW_OBJECTS = 3
"""Objects of which a worker must have judged an attribute for an effect to mean anything."""


@dataclass(frozen=True, eq=False)
class WorkerEffects:
    """How much higher each worker judges each attribute than the others do.

    Attributes
    ----------
    kind : {"random", "fixed"}
    strength : float
        How many judgments an effect of zero counted for.
    attributes : tuple of str
    workers : array
        Names.
    values : (workers, attributes) array
        What to take off a judgment.
    explained : float
        Share of the variance within objects that effects from other objects take away; negative where they add some.
    """

    kind: str
    strength: float
    attributes: tuple[str, ...]
    workers: Any
    values: Floats
    explained: float = 0.0

    def corrections(self, judgments: Judgments) -> Floats:
        """What to take off each judgment of new objects, in the order of its rows; 0 for workers nobody knows."""
        rows = judgments.rows()
        if rows.workers is None:
            return np.zeros(len(rows.values))
        who = pd.Index(self.workers).get_indexer(pd.Index(judgments.workers))[rows.workers]
        position = {name: i for i, name in enumerate(self.attributes)}
        what = np.array([position.get(name, -1) for name in judgments.attributes], dtype=np.int64)[rows.attributes]
        return np.where((who >= 0) & (what >= 0), self.values[who, what], 0.0)

    def only(self, attributes: Sequence[str]) -> WorkerEffects:
        """The effects on some of the attributes."""
        at = [self.attributes.index(name) for name in attributes]
        return replace(self, attributes=tuple(attributes), values=self.values[:, at])


def judge_several_objects(judgments: Judgments) -> bool:
    """Whether workers are named and most judgments come from workers who judged the attribute of several objects."""
    rows = judgments.rows()
    if rows.workers is None or len(judgments.workers) < 2:
        return False
    pair = rows.workers * len(judgments.attributes) + rows.attributes
    return bool((np.bincount(pair)[pair] >= _FEW_OBJECTS).mean() > 0.5)


def estimate_worker_effects(
    judgments: Judgments, kind: str, noise: Floats, variances: Floats, *, strengths: Sequence[float] = _STRENGTHS
) -> tuple[WorkerEffects, Floats]:
    """Estimate the effects of workers, and what to take off each of these judgments.

    The correction of a judgment comes from what its worker said of other objects. One's own would take a part of the
    object away, and make judgments agree that do not. Of the ``strengths``, the one is taken that leaves the least
    variance within objects.

    Parameters
    ----------
    judgments : Judgments
        With workers.
    kind : {"random", "fixed"}
    noise, variances : arrays
        Of each attribute, within objects and between them: ``"random"`` shrinks the means of objects by them.
    strengths : sequence of float

    Returns
    -------
    effects : WorkerEffects
        For new objects.
    corrections : array
        Of these judgments, in the order of their rows.
    """
    codes = _Codes(judgments)
    shrink = np.zeros(codes.d) if kind == "fixed" else noise / np.maximum(variances, 1e-12 * (noise + 1e-300))
    without = codes.within(np.zeros(len(codes.away)), noise)
    least, best = np.inf, (0.0, np.zeros(0), np.zeros(0))
    for strength in strengths:
        effects, corrections = codes.fit(strength, np.minimum(shrink, 1e12))
        left = codes.within(corrections, noise)
        if left < least:
            least, best = left, (strength, effects, corrections)
    strength, effects, corrections = best
    table = effects.reshape(len(judgments.workers), codes.d)
    explained = 1 - least / without if without > 0 else 0.0
    return WorkerEffects(kind, strength, judgments.attributes, judgments.workers, table, explained), corrections


class _Codes:
    """Judgments as positions of object-attribute and worker-attribute pairs: every step is a sum over rows."""

    def __init__(self, judgments: Judgments) -> None:
        rows = judgments.rows()
        if rows.workers is None:
            raise ValueError("effects of workers are estimated from judgments that name them")
        self.d, n = len(judgments.attributes), len(judgments.objects)
        self.attributes = rows.attributes
        judged = np.bincount(rows.attributes, minlength=self.d)
        means = _sums(rows.attributes, rows.values, self.d) / np.maximum(judged, 1)
        self.away = rows.values - means[rows.attributes]
        self.object_pair = rows.objects * self.d + rows.attributes
        self.worker_pair = rows.workers * self.d + rows.attributes
        self.n_object_pairs, self.n_worker_pairs = n * self.d, len(judgments.workers) * self.d
        self.of_object = np.bincount(self.object_pair, minlength=self.n_object_pairs)
        self.of_worker = np.bincount(self.worker_pair, minlength=self.n_worker_pairs)
        self.shrunk_attribute = np.tile(np.arange(self.d), n)
        # Judgments of one worker, attribute and object: where somebody judges twice, both are one's own.
        _, self.own = np.unique(self.worker_pair * n + rows.objects, return_inverse=True)
        self.n_own = np.bincount(self.own)

    def fit(self, strength: float, shrink: Floats) -> tuple[Floats, Floats]:
        """Effects of the worker-attribute pairs, and what to take off each judgment: effects without its object."""
        weight = self.of_object + shrink[self.shrunk_attribute]
        effects = np.zeros(self.n_worker_pairs)
        for _ in range(_ROUNDS):
            objects = _sums(self.object_pair, self.away - effects[self.worker_pair], self.n_object_pairs)
            rest = self.away - (objects / np.maximum(weight, 1e-12))[self.object_pair]
            total = _sums(self.worker_pair, rest, self.n_worker_pairs)
            effects = total / (self.of_worker + strength)
        own = _sums(self.own, rest, len(self.n_own))[self.own]
        others = self.of_worker[self.worker_pair] - self.n_own[self.own]
        return effects, (total[self.worker_pair] - own) / (others + strength)

    def within(self, corrections: Floats, noise: Floats) -> float:
        """Variance within objects that is left, in units of what it was, added up over attributes."""
        values = self.away - corrections
        mean = _sums(self.object_pair, values, self.n_object_pairs) / np.maximum(self.of_object, 1)
        squares = _sums(self.attributes, (values - mean[self.object_pair]) ** 2, self.d)
        return float(np.sum(squares[noise > 0] / noise[noise > 0]))


def _sums(codes: Integers, values: Floats, length: int) -> Floats:
    return np.asarray(np.bincount(codes, weights=values, minlength=length), dtype=float)
