"""How judgments lie in memory: a long table of codes, or a block of numbers. Both give the same cells."""

from __future__ import annotations

__all__ = ["LongStorage", "Rows"]

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from manyjudges.arrays.blocks import BLOCK, block_slices
from manyjudges.arrays.cells import Cells
from manyjudges.arrays.judgment_array import cells_of
from manyjudges.arrays.types import Floats, Integers

LARGEST = int(np.iinfo(np.int64).max)
"""Numbers that tell all judgments apart go up to here."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Judgments one by one: codes of object, attribute and worker (if known), and the value."""

    objects: Integers
    attributes: Integers
    workers: Integers | None
    values: Floats

    def take(self, at: Any) -> Rows:
        """Some of the rows, by position or mask."""
        workers = None if self.workers is None else self.workers[at]
        return Rows(self.objects[at], self.attributes[at], workers, self.values[at])


class Storage(Protocol):
    """What :class:`manyjudges.Judgments` asks of the place where its judgments lie."""

    def __len__(self) -> int: ...

    def rows(self) -> Rows:
        """Judgments one by one, in order of object and attribute."""

    def cells(self, columns: Integers | None = None) -> Cells:
        """Count, mean and scatter of every pair, perhaps of some attributes only."""

    def blocks(self, size: int = BLOCK) -> Iterator[Cells]:
        """The cells of some objects after the others', in order, about ``size`` pairs at a time."""

    def take(self, positions: Integers) -> Self:
        """The judgments of some objects, by position."""

    def take_attributes(self, positions: Integers) -> Self:
        """The judgments of some attributes, by position."""

    def with_values(self, values: Floats) -> Self:
        """The same judgments with other values, in the order of ``rows``."""


@dataclass(frozen=True, eq=False)
class LongStorage:
    """A long table, in order of object, attribute and worker; without workers, a pair's judgments as given."""

    n_objects: int
    n_attributes: int
    coded: Rows

    @classmethod
    def of(cls, n_objects: int, n_attributes: int, rows: Rows, *, largest: int = LARGEST) -> LongStorage:
        """Bring rows into order; ``largest`` is the largest code by which judgments are told apart."""
        pair = rows.objects * n_attributes + rows.attributes
        if rows.workers is None:
            return cls(n_objects, n_attributes, rows.take(np.argsort(pair, kind="stable")))
        # As one number, no two of which are equal, in a fraction of the time that it takes by one after the other.
        many = int(rows.workers.max(initial=0)) + 1
        fits = n_objects * n_attributes * many <= largest
        order = np.argsort(pair * many + rows.workers) if fits else np.lexsort((rows.workers, pair))
        return cls(n_objects, n_attributes, rows.take(order))

    def __len__(self) -> int:
        return len(self.coded.values)

    def rows(self) -> Rows:
        """Judgments one by one, in order of object and attribute."""
        return self.coded

    def cells(self, columns: Integers | None = None) -> Cells:
        """Count, mean and scatter of every pair, perhaps of some attributes only."""
        cells = self._cells
        if columns is None:
            return cells
        return Cells(cells.count[:, columns], cells.mean[:, columns], cells.scatter[:, columns])

    def blocks(self, size: int = BLOCK) -> Iterator[Cells]:
        """The cells of some objects after the others', in order, about ``size`` pairs at a time."""
        cells = self._cells
        for part in block_slices(self.n_objects, self.n_attributes, size):
            yield Cells(cells.count[part], cells.mean[part], cells.scatter[part])

    @cached_property
    def _cells(self) -> Cells:
        cell = self.coded.objects * self.n_attributes + self.coded.attributes
        return Cells.of_rows(cell, self.coded.values, (self.n_objects, self.n_attributes))

    def take(self, positions: Integers) -> LongStorage:
        """The judgments of some objects, by position."""
        sizes = np.bincount(self.coded.objects, minlength=self.n_objects)
        starts = np.cumsum(sizes) - sizes
        chosen = sizes[positions]
        within = np.arange(int(chosen.sum())) - np.repeat(np.cumsum(chosen) - chosen, chosen)
        at = np.repeat(starts[positions], chosen) + within
        objects = np.repeat(np.arange(len(positions)), chosen)
        return LongStorage(len(positions), self.n_attributes, replace(self.coded.take(at), objects=objects))

    def take_attributes(self, positions: Integers) -> LongStorage:
        """The judgments of some attributes, by position."""
        new = np.full(self.n_attributes, -1, dtype=np.int64)
        new[positions] = np.arange(len(positions))
        rows = replace(self.coded, attributes=new[self.coded.attributes])
        return LongStorage.of(self.n_objects, len(positions), rows.take(rows.attributes >= 0))

    def with_values(self, values: Floats) -> LongStorage:
        """The same judgments with other values, in the order of ``rows``."""
        return LongStorage(self.n_objects, self.n_attributes, replace(self.coded, values=values))


@dataclass(frozen=True, eq=False)
class BlockStorage:
    """An array of (objects, attributes, judgments), NaN where there is none."""

    values: Floats
    full: bool  # no NaN in it

    def __len__(self) -> int:
        return int(self.values.size if self.full else np.count_nonzero(~np.isnan(self.values)))

    def rows(self) -> Rows:
        """Judgments one by one, in order of object and attribute."""
        there = ~np.isnan(self.values)
        objects, attributes, _ = np.nonzero(there)
        return Rows(objects, attributes, None, self.values[there])

    def cells(self, columns: Integers | None = None) -> Cells:
        """Count, mean and scatter of every pair, perhaps of some attributes only."""
        return self._cells if columns is None else cells_of(self.values[:, columns], self.full)

    def blocks(self, size: int = BLOCK) -> Iterator[Cells]:
        """The cells of some objects after the others', in order, about ``size`` pairs at a time."""
        # Not from the cached cells: those would need as much memory again as the judgments.
        for part in block_slices(len(self.values), self.values.shape[1], size):
            yield cells_of(self.values[part], self.full)

    @cached_property
    def _cells(self) -> Cells:
        return cells_of(self.values, self.full)

    def take(self, positions: Integers) -> BlockStorage:
        """The judgments of some objects, by position."""
        return BlockStorage(self.values[positions], self.full)

    def take_attributes(self, positions: Integers) -> BlockStorage:
        """The judgments of some attributes, by position."""
        return BlockStorage(self.values[:, positions], self.full)

    def with_values(self, values: Floats) -> BlockStorage:
        """The same judgments with other values, in the order of ``rows``."""
        block = np.full(self.values.shape, np.nan)
        block[~np.isnan(self.values)] = values
        return BlockStorage(block, self.full)
