"""Readers: in memory, by DuckDB or by dask. Each makes the same of the same table, or refuses it for the same reason.

One grammar (:mod:`manyjudges.tables.grammar`) says what a cell means and one rule
(:mod:`manyjudges.tables.names`) when two names are the same; ``tests/laws/test_readers.py`` holds every reader in
``READERS`` to it. A new reader is entered there.
"""

from __future__ import annotations

__all__ = ["READERS", "Reader", "reader_of_large_tables"]

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.sums import Sums
from manyjudges.arrays.types import Integers
from manyjudges.base.progress import Progress
from manyjudges.scan.collector import LabelIndex, read_labels_by_object
from manyjudges.scan.options import PartOf, ScanOptions
from manyjudges.scan.results import Scan
from manyjudges.scan.value_counts import value_counts
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.names import match_names
from manyjudges.tables.reading.table import read_table


class Reader(Protocol):
    """What reads a table of judgments and sums it up."""

    def scan(self, source: Any, labels: Any, options: ScanOptions, part_of: PartOf | None = None) -> Scan:
        """Sum a table of judgments up.

        Parameters
        ----------
        source : path or table
            What else is read depends on the reader.
        labels : path, Series or mapping
            By object.
        options : ScanOptions
        part_of : callable, optional
            From the number of labels to the part of each, in order of the objects' names; all are one part, unless
            given.
        """


@dataclass(frozen=True)
class MemoryReader:
    """Reads a table whole, as :func:`manyjudges.read_judgments` does."""

    def scan(self, source: Any, labels: Any, options: ScanOptions, part_of: PartOf | None = None) -> Scan:
        """Sum a file or a data frame up; see :class:`Reader`."""
        labels_by_object = read_labels_by_object(labels)
        read = read_table(source, options.read)
        judgments = read.judgments
        matched, y = judgments.match(labels_by_object, unmatched=options.unmatched)
        order = sorted(matched.attributes)
        if order != list(matched.attributes):
            matched = matched.only(order)
        cells = matched.cells()
        parts = None if part_of is None else self._parts(labels_by_object, matched, part_of)
        shares = [np.arange(len(y))] if parts is None else [np.flatnonzero(parts == p) for p in range(parts.max() + 1)]
        return Scan(
            matched.attributes,
            tuple(_sums(cells, share, y) for share in shares if len(share)),
            {name: _histogram(cells.count[:, at]) for at, name in enumerate(matched.attributes)},
            len(matched),
            read.reading.skipped,
            read.reading,
            value_counts(matched),
            (lambda: read.invalid) if read.invalid else None,
        )

    @staticmethod
    def read(source: Any, options: ScanOptions) -> Judgments:
        """All judgments of a file or a data frame."""
        return read_table(source, options.read).judgments

    @staticmethod
    def _parts(labels: Any, matched: Judgments, part_of: PartOf) -> Integers:
        index = LabelIndex.of(labels)
        parts: Integers = part_of(len(index.names))[match_names(pd.Index(index.names), matched.objects)]
        return parts


@dataclass(frozen=True)
class DuckDBReader:
    """Has DuckDB bring the judgments into order, on disk as far as they do not fit into the memory."""

    progress: Progress | None = None

    def scan(self, source: Any, labels: Any, options: ScanOptions, part_of: PartOf | None = None) -> Scan:
        """Sum files, a relation, a table or tables up; see :class:`Reader`."""
        from manyjudges.scan.duckdb.scan import scan

        return scan(source, labels, options, part_of=part_of, progress=self.progress)


@dataclass(frozen=True)
class DaskReader:
    """Has the workers of a cluster sum up a partition each.

    Attributes
    ----------
    address, client, partitions
        As for :func:`manyjudges.scan.scan_with_dask`.
    """

    address: str | None = None
    client: Any = None
    partitions: int | None = None

    def scan(self, source: Any, labels: Any, options: ScanOptions, part_of: PartOf | None = None) -> Scan:
        """Sum files or a data frame of dask up; see :class:`Reader`."""
        from manyjudges.scan.dask_scan import merge_files

        where: dict[str, Any] = {"address": self.address, "client": self.client, "partitions": self.partitions}
        merged = merge_files(source, labels, options, part_of=part_of, **where)
        total = merged.total
        attributes, sums = total.matched(merged.labels_by_object, options.unmatched)
        n_judgments = sum(n * many for histogram in total.counts.values() for n, many in histogram.items())
        return Scan(
            attributes,
            (sums,) if part_of is None else tuple(own for share in merged.shares for own in share.sums_of(attributes)),
            {name: dict(total.counts[name]) for name in attributes},
            n_judgments,
            total.skipped,
            merged.reading,
            find_invalid=merged.find_invalid,
        )


@dataclass(frozen=True)
class ReaderEntry:
    """A reader, and what it can do: whoever needs a reader chooses by this, and not by its name.

    Attributes
    ----------
    make : type
        The class, with options of its own as keyword arguments.
    options : frozenset of str
        The options of :func:`manyjudges.scan_moments` that it has a use for, besides those that all have.
    keeps_table : bool
        Whether it reads every judgment into memory, with ``read``.
    """

    make: type[Any]
    options: frozenset[str] = frozenset()
    keeps_table: bool = False


READERS: dict[str, ReaderEntry] = {
    "memory": ReaderEntry(MemoryReader, keeps_table=True),
    "duckdb": ReaderEntry(DuckDBReader, frozenset({"memory_limit", "threads", "temp_dir", "progress"})),
    "dask": ReaderEntry(DaskReader, frozenset({"address"})),
}
"""All readers by their names."""


def reader_of_large_tables() -> ReaderEntry:
    """The reader of tables that may not fit into memory, where nobody has chosen one.

    It is DuckDB, which makes do with one machine and its disk; dask is for those who have a cluster, and say so.
    """
    return READERS["duckdb"]


def _sums(cells: Cells, share: Integers, y: Any) -> Sums:
    mine = Cells(cells.count[share], cells.mean[share], cells.scatter[share])
    return Sums.over([mine], y[share])


def _histogram(count: Integers) -> dict[int, int]:
    times = np.bincount(count)
    return {int(n): int(times[n]) for n in np.flatnonzero(times) if n}
