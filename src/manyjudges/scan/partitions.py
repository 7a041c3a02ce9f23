"""Partitions: what some of the objects come to, computed where their judgments lie and put together elsewhere.

A table too large for one machine is divided by object. :func:`summarize_partition` makes of each partition what the
moments need to know about it, which is as large as the attributes are many, however many judgments there were;
:func:`merge_partitions` puts
partitions together, in any order, into what one pass over all objects gives. Nothing here knows a cluster:
:mod:`manyjudges.scan.dask_scan` carries partitions over dask, and :func:`map_in_arrow` is what Spark asks for.
"""

from __future__ import annotations

__all__ = ["Partition", "map_in_arrow", "merge_partitions", "summarize_partition"]

import io
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any
from zipfile import BadZipFile

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.arrays.blocks import BLOCK, block_slices
from manyjudges.arrays.cells import Cells
from manyjudges.arrays.gram import Gram
from manyjudges.arrays.sums import Sums
from manyjudges.arrays.types import Integers
from manyjudges.base.messages import list_names, quote_value
from manyjudges.core.estimation import all_attributes, expand_attributes
from manyjudges.core.moments import Moments
from manyjudges.exceptions import DocumentError, JudgmentsError
from manyjudges.tables import labels as labelling
from manyjudges.tables.answers.coding import AnswerCoding, are_alike
from manyjudges.tables.columns import as_array, select_columns
from manyjudges.tables.grammar import read_number
from manyjudges.tables.label_columns import as_floats
from manyjudges.tables.names import match_names, name_text
from manyjudges.tables.reading.assembly import Assembled, check_cells, encode_cells, none_answered
from manyjudges.tables.reading.cell_rows import CellRows
from manyjudges.tables.reading.coding import AnswerTally
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.values import Locate, Place

PARTITION_FORMAT = "manyjudges.partition/3"
_COLUMN = "partition"
"""Of the table that :func:`map_in_arrow` gives."""

_REMEDY = " To have such rows skipped and counted: on_invalid='skip'."

_FEW = 3
"""Names that are kept for a message."""


@dataclass(frozen=True, eq=False)
class Partition:
    """What the judgments of some objects come to.

    Attributes
    ----------
    attributes : tuple of str
        In order of their names.
    sums : Sums, optional
        Of the objects that have a label; None where no object has one.
    labelled : array of int
        Whose labels these were, by position among all labels.
    n_unlabelled : int
        Objects without a label, which are in no sum.
    unlabelled : tuple of str
        Some of them, by name.
    codings : dict of str to AnswerCoding
        What the answers stand for, by attribute.
    worded : bool
        Whether there were other texts among the answers than plain numbers.
    skipped : int
        Invalid rows that were skipped.
    n_cells, n_answered, unanswered : int
        All cells, those with an answer, and those without one of rows that name an object.
    repeated : int
        Judgments that were left out or averaged because the same worker had judged the same before.
    counts : dict of str to dict of int to int
        Of each attribute, how many labelled objects have how many judgments; those that have none are left out.
    """

    attributes: tuple[str, ...] = ()
    sums: Sums | None = None
    labelled: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    n_unlabelled: int = 0
    unlabelled: tuple[str, ...] = ()
    codings: Mapping[str, AnswerCoding] = field(default_factory=dict)
    worded: bool = False
    skipped: int = 0
    n_cells: int = 0
    n_answered: int = 0
    unanswered: int = 0
    repeated: int = 0
    counts: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    def __add__(self, other: Partition) -> Partition:
        """What two partitions come to that have no object in common."""
        names = all_attributes(self.attributes, other.attributes)
        there = [
            expand_attributes(partition.sums, partition.attributes, names)
            for partition in (self, other)
            if partition.sums is not None
        ]
        return Partition(
            attributes=names,
            sums=None if not there else there[0] if len(there) == 1 else there[0] + there[1],
            labelled=np.concatenate([self.labelled, other.labelled]),
            n_unlabelled=self.n_unlabelled + other.n_unlabelled,
            unlabelled=tuple(sorted((*self.unlabelled, *other.unlabelled))[:_FEW]),
            codings=_same_codings(self.codings, other.codings),
            worded=self.worded or other.worded,
            skipped=self.skipped + other.skipped,
            n_cells=self.n_cells + other.n_cells,
            n_answered=self.n_answered + other.n_answered,
            unanswered=self.unanswered + other.unanswered,
            repeated=self.repeated + other.repeated,
            counts=_add_counts(self.counts, other.counts),
        )

    def moments(self, labels: Any, *, noiseless: Collection[str] = (), unmatched: str = "error") -> Moments:
        """The moments of all objects, once all partitions are merged.

        Parameters
        ----------
        labels : Series or mapping
            The same as were given to :func:`summarize_partition`.
        noiseless, unmatched
            As for :meth:`Moments.estimate`.
        """
        attributes, sums = self.matched(labels, unmatched)
        return Moments.from_scan(attributes, [sums], noiseless, self.skipped)

    def matched(self, labels: Any, unmatched: str) -> tuple[tuple[str, ...], Sums]:
        """The attributes and the sums, once all partitions are merged and match the labels."""
        labelling.check_unmatched(unmatched)
        if not self.attributes:
            raise self.emptiness()
        series = labelling.by_object(labels)
        if series.attrs.get("to_predict"):  # these have no label, as they say themselves
            unmatched = "drop"
        index = series.index
        _check_once(self.labelled, index)
        n_objects = len(self.labelled) + self.n_unlabelled
        without, unknown = list(self.unlabelled), index.delete(self.labelled)
        options: dict[str, Any] = {"unmatched": unmatched, "n_without": self.n_unlabelled}
        labelling.check_matched(without, unknown, n_objects, **options)
        if self.sums is None:  # check_matched has said so
            raise JudgmentsError("there are no judgments of objects that have a label.")
        labelling.label_values(series, self.labelled)
        # Attributes that only objects without a label are judged in are left out with them.
        kept = np.array([at for at, name in enumerate(self.attributes) if self.counts.get(name)], dtype=np.int64)
        if unmatched == "error" or len(kept) == len(self.attributes):
            return self.attributes, self.sums
        return tuple(self.attributes[at] for at in kept), self.sums.only(kept)

    def sums_of(self, attributes: tuple[str, ...]) -> tuple[Sums, ...]:
        """The sums of just these attributes, some of which no object here may be judged in; none without labels."""
        if self.sums is None:
            return ()
        kept = [at for at, name in enumerate(self.attributes) if name in attributes]
        sums = self.sums if len(kept) == len(self.attributes) else self.sums.only(np.array(kept, dtype=np.int64))
        return (expand_attributes(sums, tuple(self.attributes[at] for at in kept), attributes),)

    def emptiness(self) -> JudgmentsError:
        """What to say where there are no judgments at all."""
        if self.skipped:
            return JudgmentsError(f"there are no judgments: all {self.skipped:,} rows are invalid.")
        if self.n_answered:
            return JudgmentsError(
                f"there are no judgments: all {self.n_answered:,} answers are for attributes that are left out (drop=, "
                "codings=).",
                column="attribute",
            )
        if self.n_cells:
            return none_answered(self.n_cells)
        return JudgmentsError("there are no judgments: the table has no rows.")

    def to_bytes(self) -> bytes:
        """The partition as bytes, for a column of a table or a file."""
        header = {
            "format": PARTITION_FORMAT,
            "attributes": self.attributes,
            "n_unlabelled": self.n_unlabelled,
            "unlabelled": self.unlabelled,
            "codings": {name: coding.to_document() for name, coding in self.codings.items()},
            "worded": self.worded,
            "skipped": self.skipped,
            "n_cells": self.n_cells,
            "n_answered": self.n_answered,
            "unanswered": self.unanswered,
            "repeated": self.repeated,
            "counts": self.counts,
        }
        text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
        arrays: dict[str, Any] = {"about": text, "labelled": self.labelled}
        if self.sums is not None:
            arrays |= {f"sums.{name}": value for name, value in _parts_of(self.sums).items()}
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes | bytearray) -> Partition:
        """The partition of some bytes."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
                header = json.loads(arrays["about"].tobytes())
                if header["format"] != PARTITION_FORMAT:
                    raise ValueError(header["format"])
                stored = {name.removeprefix("sums."): arrays[name] for name in arrays if name.startswith("sums.")}
                return cls(
                    attributes=tuple(header["attributes"]),
                    sums=_sums_of(stored) if stored else None,
                    labelled=arrays["labelled"],
                    n_unlabelled=header["n_unlabelled"],
                    unlabelled=tuple(header["unlabelled"]),
                    codings={name: AnswerCoding.from_document(each) for name, each in header["codings"].items()},
                    worded=bool(header["worded"]),
                    skipped=int(header["skipped"]),
                    n_cells=int(header["n_cells"]),
                    n_answered=int(header["n_answered"]),
                    unanswered=int(header["unanswered"]),
                    repeated=int(header["repeated"]),
                    counts={
                        name: {int(n): int(many) for n, many in histogram.items()}
                        for name, histogram in header["counts"].items()
                    },
                )
        except (ValueError, KeyError, TypeError, AttributeError, OSError, EOFError, BadZipFile):
            raise DocumentError(
                f"these {len(data):,} bytes are no partition of the format {PARTITION_FORMAT!r}; give all of what "
                "to_bytes gave.",
                column="data",
            ) from None


def summarize_partition(
    frame: Any,
    labels: Any,
    *,
    object: str = "object",
    attribute: str = "attribute",
    value: str = "value",
    worker: str | None = "worker",
    block_size: int = BLOCK,
    **reading: Any,
) -> Partition:
    """What the judgments of some objects come to; all judgments of each of them must be in the table.

    Everything is checked as :meth:`Judgments.from_frame` does. Which objects have no label, and whose labels there are
    no judgments, is found out when all partitions are merged, by :meth:`Partition.moments`.

    Parameters
    ----------
    frame : pandas, polars, pyarrow or duckdb table
        A row for each judgment. It may be empty.
    labels : Series or mapping
        By object, of these and of all others: the same for all partitions. Numbers are compared with numbers, and all
        else as text.
    object, attribute, value, worker : str
        Names of the columns.
    block_size : int
        Pairs of an object and an attribute that are summed up at once.
    **reading
        ``drop``, ``scales``, ``missing``, ``valid``, ``on_invalid``, ``repeated`` and ``codings``, as for
        :func:`manyjudges.read_judgments`. Where answers are words, pass the same ``codings`` for all partitions: one
        that lacks some of the words may take the others for another scale.

    Examples
    --------
    >>> from manyjudges import simulate
    >>> crowd = simulate.jelly_beans(n_objects=200, random_state=0)
    >>> frame = crowd.pilot(2).to_frame()
    >>> halves = [frame[frame["object"] < "object 0100"], frame[frame["object"] >= "object 0100"]]
    >>> merge_partitions(summarize_partition(half, crowd.labels) for half in halves).moments(crowd.labels)
    Moments of 4 attributes on 200 objects: label variance 9.457e+04, median noise ratio 0.695
    """
    names = {"object": object, "attribute": attribute, "value": value}
    if worker is not None:
        names["worker"] = worker
    table, names = select_columns(frame, names, optional=() if worker != "worker" else ("worker",))
    series = labelling.by_object(labels)
    options = ReadOptions.of(**reading)
    columns = {role: _names(table.get_column(name)) for role, name in names.items() if role != "value"}
    columns["value"] = as_array(table.get_column(names["value"]))
    locate: Locate = partial(_words, {role: table.get_column(name) for role, name in names.items()})
    checked = check_cells(CellRows(columns, locate), options, remedy=_REMEDY)
    found = Partition(
        codings=checked.codings,
        worded=_has_words(checked.tally),
        skipped=len(checked.invalid),
        n_cells=checked.n_cells,
        n_answered=checked.n_answered,
        unanswered=checked.unanswered,
    )
    if not len(checked.rows):
        return found
    cells = encode_cells(checked, options, columns["object"])
    at = match_names(series.index, cells.objects)
    labelled_rows = np.flatnonzero(at >= 0)
    without = cells.objects[at < 0]
    labelling.check_written_once(at[labelled_rows], cells.objects[labelled_rows])
    order = np.argsort(np.array(cells.attributes, dtype=np.object_))
    sums: Sums | None = None
    counts: dict[str, dict[int, int]] = {}
    if len(labelled_rows):
        sums, counts = _sums(cells, labelled_rows, series.to_numpy()[at[labelled_rows]], order, block_size)
    return replace(
        found,
        attributes=tuple(cells.attributes[i] for i in order),
        sums=sums,
        labelled=at[labelled_rows],
        n_unlabelled=len(without),
        unlabelled=tuple(sorted(map(name_text, without))[:_FEW]),
        repeated=cells.repeated,
        counts=counts,
    )


def merge_partitions(partitions: Iterable[Partition]) -> Partition:
    """What all objects of some partitions come to; no object may be in two of them."""
    total = Partition()
    for partition in partitions:
        total = total + partition
    return total


def map_in_arrow(batches: Iterable[pa.RecordBatch], labels: Any, **columns: Any) -> Iterator[pa.RecordBatch]:
    """What the judgments of one of Spark's partitions come to, for ``DataFrame.mapInArrow``.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
    labels, columns
        As for :func:`summarize_partition`.

    Yields
    ------
    pyarrow.RecordBatch
        One row of one column, ``partition``: :meth:`Partition.to_bytes`.
    """
    every = list(batches)
    if not every:  # nobody knows its columns
        return
    partition = summarize_partition(pa.Table.from_batches(every), labels, **columns)
    yield pa.RecordBatch.from_pydict({_COLUMN: pa.array([partition.to_bytes()], pa.binary())})


def _sums(
    cells: Assembled, labelled_rows: Integers, labels: Any, order: Integers, block_size: int
) -> tuple[Sums, dict[str, dict[int, int]]]:
    """Sums over the objects that have labels, and how many of them have how many judgments of each attribute."""
    y = as_floats(labels, cells.objects[labelled_rows])
    counts: dict[str, dict[int, int]] = {}

    def blocks() -> Iterator[Cells]:
        # Objects in blocks, as the cells of all of them may need more memory than the judgments.
        for share in block_slices(len(labelled_rows), len(order), block_size):
            for block in cells.storage.take(labelled_rows[share]).blocks(block_size):
                for at, name in enumerate(cells.attributes):
                    _count(counts.setdefault(name, {}), block.count[:, at])
                yield block

    sums = Sums.over(blocks(), y)
    return (sums if (np.diff(order) == 1).all() else sums.only(order)), counts


def _count(histogram: dict[int, int], count: Integers) -> None:
    times = np.bincount(count)
    for n in np.flatnonzero(times):
        if n:
            histogram[int(n)] = histogram.get(int(n), 0) + int(times[n])


def _add_counts(mine: Mapping[str, Mapping[int, int]], theirs: Mapping[str, Mapping[int, int]]) -> dict[str, Any]:
    total: dict[str, dict[int, int]] = {}
    for counts in (mine, theirs):
        for name, histogram in counts.items():
            own = total.setdefault(name, {})
            for n, many in histogram.items():
                own[n] = own.get(n, 0) + many
    return {name: dict(sorted(total[name].items())) for name in sorted(total)}


def _names(column: nw.Series[Any]) -> Any:
    """A column of names, whole numbers as such also where some are missing; NumPy would make them fractions."""
    if column.dtype.is_integer() and column.null_count():
        return np.array(column.to_list(), dtype=np.object_)
    return as_array(column)


def _has_words(tally: AnswerTally) -> bool:
    return any(not np.isfinite(read_number(text)) for counts in tally.counts.values() for text in counts)


def _words(columns: Mapping[str, Any], row: int) -> Place:
    """Where a row is. After rows have been moved between machines, only what it says tells."""
    return Place(f"the row with {', '.join(f'{role} {quote_value(column[row])}' for role, column in columns.items())}")


def _same_codings(mine: Mapping[str, AnswerCoding], theirs: Mapping[str, AnswerCoding]) -> dict[str, AnswerCoding]:
    """The codings of two partitions, in which an answer must not stand for two numbers."""
    for name in sorted(mine.keys() & theirs.keys()):
        if not are_alike(mine[name], theirs[name]):
            raise JudgmentsError(
                f"the answers for {name!r} were read in two ways: as {mine[name].describe()}, and as "
                f"{theirs[name].describe()}. Pass the same codings= for all partitions, such as those of a part that "
                "has all answers: read_judgments(part).reading.codings.",
                value=name,
                column="codings",
            )
    return {**theirs, **mine}


def _check_once(labelled: Integers, index: pd.Index[Any]) -> None:
    positions, times = np.unique(labelled, return_counts=True)
    if (again := positions[times > 1]).size:
        names = list_names(index[again[:_FEW]], total=again.size)
        raise JudgmentsError(
            f"{again.size:,} objects are in more than one partition: {names}. "
            "Divide the judgments by object, so that all of one are in the same partition, and merge each once; and "
            "write the name of an object in one way, not '7' and '7.0'.",
            value=index[again[0]],
            column="object",
        )


def _parts_of(sums: Sums) -> dict[str, Any]:
    every = {part.name: getattr(sums, part.name) for part in fields(sums)}
    return {name: value for name, value in every.items() if value is not None} | {"products": sums.products.dense}


def _sums_of(stored: Mapping[str, Any]) -> Sums:
    every: dict[str, Any] = {part.name: stored.get(part.name) for part in fields(Sums)}
    scalars = {name: value.item() for name, value in stored.items() if value.ndim == 0}
    return Sums(**every | scalars | {"products": Gram(stored["products"])})
