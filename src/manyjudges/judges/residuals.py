"""Residuals: how far judgments lie from the mean of their pair, and how those of the same worker go together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from manyjudges.arrays.blocks import ranks_within
from manyjudges.arrays.types import Floats, Integers
from manyjudges.tables.judgments import Judgments

_PRODUCTS_AT_ONCE = 1 << 17
"""Numbers in a block of products: 1 MiB, few enough for the processor's cache."""

TINY = 1e-9
"""What is less than this share of a whole is rounding."""


@dataclass(frozen=True, eq=False)
class JudgmentResiduals:
    """Judgments of pairs that have two or more, as distances from the pair's mean in standard deviations of noise.

    What one worker said about one object is a *sitting*. Rows are in order of object, worker and attribute.
    """

    shape: tuple[int, int, int]  # objects, attributes, workers
    objects: Integers
    attributes: Integers
    workers: Integers
    values: Floats
    share: Floats  # 1 / count of the pair

    @cached_property
    def sittings(self) -> Integers:
        """Each row's sitting, counted from 0."""
        key = self.objects * self.shape[2] + self.workers
        return np.cumsum(np.diff(key, prepend=key[:1]) != 0)

    def take(self, at: Any) -> JudgmentResiduals:
        """Some of the rows."""
        columns = (self.objects, self.attributes, self.workers, self.values, self.share)
        return JudgmentResiduals(self.shape, *(column[at] for column in columns))


def residuals_of(judgments: Judgments, noise: Floats) -> JudgmentResiduals:
    """Those of a table, given the noise of each attribute."""
    cells, rows = judgments.cells(), judgments.rows()
    shape = (*judgments.shape, len(judgments.workers))
    if rows.workers is None:
        nobody = np.array([], dtype=np.int64)
        return JudgmentResiduals(shape, nobody, nobody, nobody, np.array([]), np.array([]))
    # A pair's only judgment is its own mean, and attributes on which all agree have nothing to standardize by.
    usable = np.isfinite(noise) & (noise > 0)
    kept = np.flatnonzero(usable[rows.attributes] & (cells.count[rows.objects, rows.attributes] > 1))
    kept = kept[np.lexsort((rows.attributes[kept], rows.workers[kept], rows.objects[kept]))]
    objects, attributes = rows.objects[kept], rows.attributes[kept]
    away = (rows.values[kept] - cells.mean[objects, attributes]) / np.sqrt(noise[attributes])
    return JudgmentResiduals(shape, objects, attributes, rows.workers[kept], away, 1 / cells.count[objects, attributes])


@dataclass(frozen=True, eq=False)
class Products:
    """Sums over sittings of products of residuals, for each two attributes, all (d, d)."""

    total: Floats
    count: Floats
    expected: Floats  # what total comes to for a correlation of 1
    variance: Floats  # of total, NaN where one object is all there is

    @classmethod
    def of(cls, residuals: JudgmentResiduals, *, size: int = _PRODUCTS_AT_ONCE) -> Products:
        """Sum up.

        Residuals are distances from means over k and l judgments, m of them by the same workers, and each mean holds a
        share of every worker's error: of the correlation, a product keeps 1 - 1/k - 1/l + m/(k l) on average.

        The variance allows for what the products of an object and those of a worker have in common: it is that by
        object, plus that by worker, less that by sitting, which is in both (Cameron, Gelbach and Miller 2011).
        """
        d = residuals.shape[1]
        expected, fourth = np.zeros((d, d)), np.zeros((d, d))
        by_object, by_worker = (_Clusters(*(np.zeros((d, d)) for _ in range(5))) for _ in range(2))
        for values, there, share in _blocks(residuals, residuals.objects, size):
            # x'x of a group: Σ over its sittings of x[a] x[b], and how many such products there are. Given the object,
            # two attributes judged by one worker have nothing in common without halo: their products average 0.
            both = _crossed(there)
            by_object.add(_crossed(values), both)
            # 1 - 1/k - 1/l of each product, and then m/(k l) for each of its m: all m add up to m²/(k l).
            own = share.max(axis=1)
            expected += (both * (1 - own[:, :, None] - own[:, None, :])).sum(axis=0)
            expected += np.einsum("gab,ga,gb->ab", both**2, own, own)
            squares = values.reshape(-1, d) ** 2
            fourth += squares.T @ squares
        for values, there, _ in _blocks(residuals, residuals.workers, size):
            by_worker.add(_crossed(values), _crossed(there))
        total, count = by_object.total, by_object.count
        by_sitting = _Clusters(total, count, fourth, total, count)
        # Where a single worker made all products, workers say nothing about how much they differ.
        more = by_worker.variance() - by_sitting.variance()
        return cls(total, count, expected, by_object.variance() + np.where(np.isfinite(more), np.maximum(more, 0), 0))

    @property
    def mean(self) -> Floats:
        """The mean product."""
        return np.asarray(self.total / np.maximum(self.count, 1))


@dataclass(eq=False)
class _Clusters:
    """Sums over groups of products that may go together: of the total T and the count N of each group, all (d, d)."""

    total: Floats  # Σ T
    count: Floats  # Σ N
    squares: Floats  # Σ T²
    mixed: Floats  # Σ T N
    sizes: Floats  # Σ N²

    def add(self, product: Floats, both: Floats) -> None:
        """Add groups, one a row."""
        self.total += product.sum(axis=0)
        self.count += both.sum(axis=0)
        self.squares += np.einsum("gab,gab->ab", product, product)
        self.mixed += np.einsum("gab,gab->ab", product, both)
        self.sizes += np.einsum("gab,gab->ab", both, both)

    def variance(self) -> Floats:
        """Variance of the total, from how groups differ from the mean product; NaN where there is one group."""
        count = np.maximum(self.count, 1)
        mean, freedom = self.total / count, 1 - self.sizes / count**2
        apart = np.maximum(self.squares - 2 * mean * self.mixed + mean**2 * self.sizes, 0)
        return np.where(freedom > TINY, apart / np.maximum(freedom, TINY), np.nan)


def _blocks(residuals: JudgmentResiduals, groups: Integers, numbers: int) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Residuals, ones and shares as (groups, sittings, attributes), zero where there is none, some groups at a time.

    Large groups come first, so that those of a block are of about the same size and little is filled up.
    """
    d, sitting = residuals.shape[1], residuals.sittings
    head = np.flatnonzero(np.diff(sitting, prepend=-1))
    _, group = np.unique(groups[head], return_inverse=True)
    sizes = np.bincount(group)
    largest = np.argsort(-sizes, kind="stable")
    place = np.argsort(largest, kind="stable")[group]  # of each sitting's group, in this order
    order = np.argsort(place, kind="stable")
    slot = np.argsort(order, kind="stable")
    slot = ranks_within(place[order])[slot]
    rows = np.argsort(place[sitting], kind="stable")
    placed = place[sitting[rows]]
    start = 0
    while start < len(sizes):
        size = int(sizes[largest[start]])
        stop = start + max(1, numbers // (d * max(size, d)))
        at = rows[slice(*np.searchsorted(placed, [start, stop]))]
        shape = (min(stop, len(sizes)) - start, size, d)
        yield _laid_out(residuals, at, (place[sitting[at]] - start, slot[sitting[at]], residuals.attributes[at]), shape)
        start = stop


def _laid_out(
    residuals: JudgmentResiduals, at: Any, into: tuple[Any, ...], shape: tuple[int, ...]
) -> tuple[Floats, Floats, Floats]:
    values, there, share = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    values[into], there[into], share[into] = residuals.values[at], 1.0, residuals.share[at]
    return values, there, share


def _crossed(block: Floats) -> Floats:
    return np.asarray(block.transpose(0, 2, 1) @ block)


def variance_of_square(
    residuals: JudgmentResiduals, mean: Floats, pull: Floats, *, size: int = _PRODUCTS_AT_ONCE
) -> float:
    """Variance of the mean squared correlation, as far as it follows from the correlations, each with its pull."""
    d, sitting = residuals.shape[1], residuals.sittings
    head = np.flatnonzero(np.diff(sitting, prepend=-1))
    moves = np.zeros(len(head))
    step = max(1, size // d)
    for start in range(0, len(head), step):
        stop = min(start + step, len(head))
        at = slice(*np.searchsorted(sitting, [start, stop]))
        into = (sitting[at] - start, residuals.attributes[at])
        values, there, _ = _laid_out(residuals, at, into, (stop - start, d))
        moves[start:stop] = ((values @ pull) * values - (there @ (pull * mean)) * there).sum(axis=1)
    by_object = np.bincount(residuals.objects[head], weights=moves)
    by_worker = np.bincount(residuals.workers[head], weights=moves)
    return float(by_object @ by_object) + max(float(by_worker @ by_worker - moves @ moves), 0.0)
