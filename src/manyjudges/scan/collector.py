"""Collector: judgments, in order of their objects, made into cells and added up."""

from __future__ import annotations

__all__ = ["read_labels_by_object"]

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.arrays.accumulator import Accumulator
from manyjudges.arrays.blocks import BLOCK, block_slices
from manyjudges.arrays.cells import Cells
from manyjudges.arrays.sums import Sums
from manyjudges.arrays.types import Floats, Integers
from manyjudges.exceptions import LabelsError
from manyjudges.scan.options import INVALID_GROUP, UNANSWERED_GROUP, UNLABELLED_GROUP, WORD_GROUP, PartOf
from manyjudges.scan.value_counts import ValueCounts
from manyjudges.tables import files
from manyjudges.tables.label_columns import floats_or_nan
from manyjudges.tables.labels import by_object, check_matched, label_values, written_twice
from manyjudges.tables.names import check_unique_keys, name_key, name_keys, spellings

_Rows = dict[str, Any]
"""Columns of judgments: ``code`` of the object, ``at`` for the attribute, ``value``, and perhaps ``worker``."""


@dataclass(frozen=True, eq=False)
class LabelIndex:
    """Objects that have a label, in order of their names, and the labels."""

    names: Any
    labels: Floats
    labels_by_object: pd.Series[Any]
    order: Integers

    @classmethod
    def of(cls, labels_by_object: Any) -> LabelIndex:
        """Labels by object: a file, a Series or a mapping. Which of them are numbers is checked when they are used."""
        series = read_labels_by_object(labels_by_object)
        order = _order(series.index)
        return cls(series.index.to_numpy()[order], floats_or_nan(series.to_numpy()[order]), series, order)

    def parts(self, part_of: PartOf) -> Integers:
        """The part of each label, in the order in which they were given."""
        parts = np.empty(len(self.names), dtype=np.int64)
        parts[self.order] = part_of(len(self.names))
        return parts

    def check(self, used: Integers) -> None:
        """Refuse labels that are no numbers, of objects that have judgments."""
        label_values(self.labels_by_object, self.order[used])


def read_labels_by_object(labels: Any) -> pd.Series[Any]:
    """Labels by object, from a file, a Series or a mapping."""
    series = by_object(files.read_labels(labels) if isinstance(labels, str | os.PathLike) else labels)
    if not len(series):
        raise LabelsError("there are no labels.", column="labels")
    check_unique_keys(name_keys(series.index))
    return series


def _order(index: pd.Index[Any]) -> Integers:
    try:
        return np.asarray(index.argsort())
    except TypeError:  # numbers and texts have no order among each other
        return np.asarray(index.astype(str).argsort())


class CellCollector:
    """Takes batches of judgments, and adds up.

    Parameters
    ----------
    labelled : LabelIndex
    parts : array of int, optional
        The part of each labelled object; all are one part, unless given.
    workers : bool
        Whether judgments say something about their workers.
    block_size : int
        Pairs that are summed up at once.
    max_suspects : int
        Pairs in which a worker may stand twice that are kept.
    """

    def __init__(
        self,
        labelled: LabelIndex,
        parts: Integers | None,
        *,
        workers: bool,
        block_size: int = BLOCK,
        max_suspects: int = 100_000,
    ) -> None:
        self.labelled, self._parts = labelled, parts
        self._workers = workers
        self._block_size, self._max_suspects = block_size, max_suspects
        finite = labelled.labels[np.isfinite(labelled.labels)]
        pivot = float(np.mean(finite)) if len(finite) else 0.0
        self._accumulators = [Accumulator(pivot) for _ in range(1 if parts is None else int(parts.max()) + 1)]
        self._codes: dict[str, int] = {}
        self._values = ValueCounts()
        # By code: of each label, of its name as it is, and then of the names with another spelling.
        self._seen = np.zeros(2 * len(labelled.names), dtype=bool)
        self._histogram: dict[int, Integers] = {}
        self._suspects: list[tuple[Integers, Integers]] = []
        self._n_suspects = 0
        self._rest: list[_Rows] = []
        self.words = self.unanswered = self.invalid = self.unlabelled = self.judgments = 0
        self.last = WORD_GROUP  # the code of the last row so far

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names, in order."""
        return tuple(sorted(self._codes))

    @property
    def counts(self) -> dict[str, dict[int, int]]:
        """Of each attribute, how many objects have how many judgments."""
        return {
            name: {n: int(many[at]) for n, many in sorted(self._histogram.items()) if at < len(many) and many[at]}
            for name, at in sorted(self._codes.items())
        }

    @property
    def values(self) -> dict[str, tuple[Floats, Integers]]:
        """Of each attribute the different values, and how often each is there."""
        return {name: self._values.of(at) for name, at in sorted(self._codes.items())}

    @property
    def suspects(self) -> pa.Table | None:
        """Pairs in which the same worker may stand twice; None where there are none."""
        if not self._suspects:
            return None
        codes, at = (np.concatenate(columns) for columns in zip(*self._suspects, strict=True))
        names = pa.DictionaryArray.from_arrays(pa.array(at.astype(np.int32)), pa.array(list(self._codes)))
        return pa.table({"code": codes.astype(np.int32), "attribute": names.dictionary_decode()})

    @property
    def reached(self) -> float:
        """Share of the labelled objects that have come, or been passed over."""
        return min(max(self.last + 1, 0) / len(self.labelled.names), 1.0)

    def take(self, batch: pa.RecordBatch) -> None:
        """Take judgments that follow those before, in order of objects."""
        code = batch.column("code").to_numpy()
        if not len(code):
            return
        self.last = int(code[-1])
        ends = [WORD_GROUP + 1, UNANSWERED_GROUP + 1, INVALID_GROUP + 1, UNLABELLED_GROUP + 1]
        words, unanswered, invalid, start = (int(position) for position in np.searchsorted(code, ends))
        self.words += words
        self.unanswered += unanswered - words
        self.invalid += invalid - unanswered
        self.unlabelled += start - invalid
        rows = self._read(batch.slice(start))
        if not len(code := rows["code"]):
            return
        # The last object may go on in the next batch, and the one before it has not come to its end until now.
        last = int(np.searchsorted(code, code[-1]))
        if self._rest and (last or self._rest[-1]["code"][-1] != code[0]):
            rows = _together([*self._rest, rows])
            last = int(np.searchsorted(rows["code"], rows["code"][-1]))
            self._rest = []
        self._add(_cut(rows, slice(0, last)))
        self._rest.append(_cut(rows, slice(last, None)))

    def complete(self) -> None:
        """Add the last object, which might have gone on."""
        if self._rest:
            self._add(_together(self._rest))
            self._rest = []

    def finish(self, unmatched: str) -> tuple[Sums, ...]:
        """The sums of each part, attributes in order of their names, once it is complete."""
        self._check_seen(unmatched)
        order = np.array([self._codes[name] for name in self.attributes], dtype=np.int64)
        return tuple(accumulator.finish(order) for accumulator in self._accumulators if accumulator.n_objects)

    def _read(self, batch: pa.RecordBatch) -> _Rows:
        names = batch.column("attribute").dictionary_encode()
        at = self._positions(names.dictionary.to_pylist())[names.indices.to_numpy()]
        others = [name for name in batch.schema.names if name != "attribute"]
        return {"at": at, **{name: batch.column(name).to_numpy() for name in others}}

    def _positions(self, names: list[str]) -> Integers:
        return np.array([self._codes.setdefault(name, len(self._codes)) for name in names], dtype=np.int64)

    def _add(self, rows: _Rows) -> None:
        code = rows["code"]
        if not len(code):
            return
        starts = np.flatnonzero(np.diff(code, prepend=-1))
        codes = code[starts]
        self._seen[codes] = True
        self.judgments += len(code)
        bounds = np.append(starts, len(code))
        for part in block_slices(len(codes), len(self._codes), self._block_size):
            mine = _cut(rows, slice(bounds[part.start], bounds[part.stop]))
            self._add_block(mine, codes[part], np.diff(bounds[part.start : part.stop + 1]))

    def _add_block(self, rows: _Rows, codes: Integers, sizes: Integers) -> None:
        d = len(self._codes)
        self._values.add(rows["at"], rows["value"])
        cell = np.repeat(np.arange(len(codes)) * d, sizes) + rows["at"]
        cells = Cells.of_rows(cell, rows["value"], (len(codes), d))
        if self._workers and cells.uniform != 1:
            self._suspect(cell, rows["worker"], codes)
        self._count(cells)
        self._sort_in(cells, codes)

    def _suspect(self, cell: Integers, workers: Integers, codes: Integers) -> None:
        """Remember the pairs in which two workers have the same hash."""
        if self._n_suspects >= self._max_suspects:
            return
        marked = cell << 32 | workers
        marked.sort()
        again = np.unique(marked[1:][marked[1:] == marked[:-1]] >> 32)[: self._max_suspects]
        if again.size:
            row, at = np.divmod(again, len(self._codes))
            self._suspects.append((codes[row], at))
            self._n_suspects += again.size

    def _sort_in(self, cells: Cells, codes: Integers) -> None:
        codes = codes % len(self.labelled.names)
        labels = self.labelled.labels[codes]
        if self._parts is None:
            self._accumulators[0].add(cells, labels)
            return
        parts = self._parts[codes]
        for part in np.unique(parts):
            at = np.flatnonzero(parts == part)
            mine = Cells(cells.count[at], cells.mean[at], cells.scatter[at], cells.uniform)
            self._accumulators[part].add(mine, labels[at])

    def _count(self, cells: Cells) -> None:
        """How many objects have how many judgments of each attribute."""
        n, d = cells.count.shape
        counts = [cells.uniform] if cells.uniform else np.flatnonzero(np.bincount(cells.count.ravel()))
        for many in (int(count) for count in counts if count):
            objects = np.full(d, n) if cells.uniform else np.count_nonzero(cells.count == many, axis=0)
            before = self._histogram.get(many, np.zeros(0, dtype=np.int64))
            self._histogram[many] = objects + np.pad(before, (0, d - len(before)))

    def _check_seen(self, unmatched: str) -> None:
        names = self.labelled.names
        plain, other = self._seen.reshape(2, -1)
        if (twice := np.flatnonzero(plain & other)).size:
            raise written_twice(spellings(name_key(names[twice[0]])))
        unknown = self.labelled.labels_by_object.index[np.sort(self.labelled.order[~(plain | other)])]
        check_matched([], unknown, int((plain | other).sum()), unmatched=unmatched)
        self.labelled.check(np.flatnonzero(plain | other))


def _cut(rows: _Rows, part: slice) -> _Rows:
    return {name: column[part] for name, column in rows.items()}


def _together(parts: list[_Rows]) -> _Rows:
    return {name: np.concatenate([rows[name] for rows in parts]) for name in parts[0]}
