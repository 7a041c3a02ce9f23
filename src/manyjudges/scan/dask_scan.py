"""Scans by dask: moments of judgments that lie on many machines, or are too many for one, with dask.

Judgments are read in blocks, moved so that all of an object come together, and summed up where they are then; the sums
travel, in a tree, and are added up. Every step is a function of its input alone. So when a worker dies, dask repeats
what was lost with it, and nothing is counted twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from typing import Any, NamedTuple, Unpack

import narwhals as nw
import numpy as np
import pandas as pd

from manyjudges.arrays.types import Integers
from manyjudges.base.messages import quote_value
from manyjudges.core.moments import Moments
from manyjudges.exceptions import DocumentError, JudgmentsError, ManyJudgesError, PlanError
from manyjudges.scan import dask_files
from manyjudges.scan.collector import LabelIndex, read_labels_by_object
from manyjudges.scan.faults import RowReading, find_emptiness, find_fault, find_invalid
from manyjudges.scan.options import PartOf, ScanOptions
from manyjudges.scan.partitions import Partition
from manyjudges.scan.refusals import Refusal, cluster_errors, merge_partitions_or_refuse, summarize_partition_or_refuse
from manyjudges.tables import labels as labelling
from manyjudges.tables.answers.coding import AnswerCoding
from manyjudges.tables.columns import as_array
from manyjudges.tables.files import in_files
from manyjudges.tables.grammar import is_missing
from manyjudges.tables.label_columns import floats_or_nan
from manyjudges.tables.names import is_name, name_key, name_keys, name_text
from manyjudges.tables.reading.cell_rows import CellRows, error_of_coding
from manyjudges.tables.reading.cells import check_drop
from manyjudges.tables.reading.coding import AnswerTally, decide_codings
from manyjudges.tables.reading.options import ReadKeywords, ReadOptions
from manyjudges.tables.reading.pieces import PiecedTable
from manyjudges.tables.reading.reading import InvalidRow, Reading
from manyjudges.tables.shapes.layout import Layout
from manyjudges.tables.values import REMEDY, check_on_invalid, locate_from_zero

_MERGED_AT_ONCE = 8
"""Partitions that are merged in one step."""

_WAIT = 30.0
"""Seconds within which a cluster must have a worker."""


def scan_with_dask(
    source: Any,
    labels: Any,
    *,
    address: str | None = None,
    client: Any = None,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    partitions: int | None = None,
    block_size: int = dask_files.BLOCK_BYTES,
    merge_at_once: int = _MERGED_AT_ONCE,
    wait: float = _WAIT,
    **reading: Unpack[ReadKeywords],
) -> Moments:
    """Estimate the moments from judgments that no single machine need hold.

    Needs dask: ``pip install 'manyjudges[dask]'``. The result is that of :meth:`Moments.estimate`, to rounding, with
    attributes in order of their names.

    Parameters
    ----------
    source : str, path or dask.dataframe.DataFrame
        CSV, TSV or JSON lines (perhaps compressed, ``.gz``) or Parquet, by the name's ending; a folder, or a pattern
        such as ``"data/part-*.parquet"``, for several files of the same columns. All workers must be able to read it:
        on more than one machine, from a shared folder or an object store (``"s3://…"``). The judgments of an object may
        be spread over files.
    labels : Series, mapping or path
        By object. They travel to every worker.
    address : str, optional
        Of the cluster's scheduler, such as ``"tcp://10.0.0.1:8786"``.
    client : distributed.Client, optional
        Instead of an address. Without either, the current client is used, if there is one, and otherwise threads of
        this process.
    noiseless, unmatched
        As for :meth:`Moments.estimate`.
    partitions : int, optional
        How many to divide the objects into; as many as blocks were read, unless given. The judgments of a partition
        must fit into a worker's memory.
    block_size : int
        Bytes of a file that a worker reads at once.
    merge_at_once : int
        Partitions that are merged in one step.
    wait : float
        Seconds within which a cluster must have a worker.
    **reading
        As for :func:`scan_moments`.
    """
    options = ScanOptions.of(unmatched=unmatched, **reading)
    limits: dict[str, Any] = {"block_size": block_size, "merge_at_once": merge_at_once, "wait": wait}
    merged = merge_files(source, labels, options, address=address, client=client, partitions=partitions, **limits)
    return merged.total.moments(merged.labels_by_object, noiseless=noiseless, unmatched=unmatched)


class Merged(NamedTuple):
    """All partitions in one.

    Attributes
    ----------
    total : Partition
        Of all objects.
    labels_by_object : Series
        The labels by which :meth:`Partition.matched` checks it.
    shares : tuple of Partition
        Of the objects of each part that labels were divided into; none where they were not.
    reading : Reading
        What was understood of the table.
    find_invalid : callable, optional
        Lists the rows that were skipped; None where there are none, or the table is in no files.
    """

    total: Partition
    labels_by_object: pd.Series[Any]
    shares: tuple[Partition, ...]
    reading: Reading
    find_invalid: Callable[[], tuple[InvalidRow, ...]] | None = None


def merge_files(
    source: Any,
    labels: Any,
    options: ScanOptions,
    *,
    address: str | None = None,
    client: Any = None,
    partitions: int | None = None,
    block_size: int = dask_files.BLOCK_BYTES,
    merge_at_once: int = _MERGED_AT_ONCE,
    wait: float = _WAIT,
    part_of: PartOf | None = None,
) -> Merged:
    """All partitions in one; with ``part_of``, also by the parts that it divides the labelled objects into."""
    check_extra()
    labelling.check_unmatched(options.unmatched)
    check_on_invalid(options.read.on_invalid)
    _check_partitions(partitions)
    labels_by_object = read_labels_by_object(labels)
    parts = None if part_of is None else LabelIndex.of(labels_by_object).parts(part_of)
    _check_repeated(options.read)
    judged = _Judged.of(source, options, block_size)
    with _at_work(address, client, wait) as scheduler, cluster_errors(source):
        try:
            graph = _Graph(judged.frame, labels_by_object, partitions, options.read, merge_at_once)
            judged.check_dropped(graph, options.read, scheduler)
            results = graph.compute(parts, scheduler)
            if any(isinstance(result, Refusal) or result.worded for result in results):
                # What words stand for depends on all of them, and each partition has seen its own.
                graph.codings = judged.codings(graph.tally(scheduler), options.read)
                results = graph.compute(parts, scheduler)
        except DocumentError:
            judged.read_through()
            raise
    for refusal in results:
        if isinstance(refusal, Refusal):
            raise judged.fault(refusal, options.read, graph.codings)
    total, *shares = (result for result in results if isinstance(result, Partition))
    if not total.attributes:
        raise judged.emptiness(total, options.read, graph.codings)
    find_invalid = partial(judged.invalid, options.read, total.codings) if total.skipped else None
    return Merged(total, labels_by_object, tuple(shares), judged.reading(total), find_invalid)


@dataclass(frozen=True)
class _Judged:
    """Judgments as dask sees them.

    Attributes
    ----------
    frame : dask.dataframe.DataFrame
        With the columns object, attribute, value and, if known, worker.
    table : PiecedTable, optional
        The same row by row, where they are files.
    """

    frame: Any
    table: PiecedTable | None = None

    @classmethod
    def of(cls, source: Any, options: ScanOptions, block_size: int) -> _Judged:
        """Judgments in files, or in a data frame of dask."""
        if isinstance(source, str | os.PathLike):
            table_files = dask_files.look_at(source, block_size)
            names, table = dask_files.names_in(table_files, options.read, source)
            return cls(dask_files.frame_of(table_files, names, skip=options.read.skip), table)
        if not (hasattr(source, "to_delayed") and hasattr(source, "columns")):
            raise JudgmentsError(
                f"{type(source).__name__} is not a table that a cluster can read; give a path, or a "
                "dask.dataframe.DataFrame.",
                value=source,
                column="source",
            )
        return cls(dask_files.chosen(source, options.columns))

    def read_through(self) -> None:
        """Raise an error that says which line of a file cannot be read. Workers read blocks, and cannot tell."""
        try:
            for _ in self._rows():
                pass
        except DocumentError as error:
            if error.row is not None:
                raise

    def check_dropped(self, graph: _Graph, options: ReadOptions, scheduler: Any) -> None:
        """Refuse to drop what the table does not have."""
        if not options.drop:
            return
        columns = self.frame.columns if self.table is None else self.table.headings
        try:
            check_drop(graph.attributes(scheduler), list(columns), options)
        except JudgmentsError as error:
            raise self._in_files(error) from None

    def codings(self, tally: AnswerTally, options: ReadOptions) -> Mapping[str, AnswerCoding]:
        """What the answers in all partitions stand for."""
        codings, unclear = decide_codings(tally, options, None if self.table is None else self.table.scales)
        if not unclear:
            return codings
        rows = map(self._row_reading(options, {}).answered, self._rows())
        raise self._in_files(error_of_coding(unclear, rows))

    def fault(self, refusal: Refusal, options: ReadOptions, codings: Mapping[str, AnswerCoding]) -> ManyJudgesError:
        """What is wrong with the table; of files, it is known where."""
        fault = None
        if self.table is not None:
            fault = find_fault(self._rows(), self._row_reading(options, codings), pairs=refusal.pairs)
        return refusal.error if fault is None else self._in_files(fault)

    def emptiness(self, total: Partition, options: ReadOptions, codings: Mapping[str, AnswerCoding]) -> ManyJudgesError:
        """What to say where there are no judgments at all."""
        if self.table is None:
            return total.emptiness()
        return self._in_files(find_emptiness(self._rows(), self._row_reading(options, codings)))

    def invalid(self, options: ReadOptions, codings: Mapping[str, AnswerCoding]) -> tuple[InvalidRow, ...]:
        """The rows of files that are invalid."""
        return tuple(find_invalid(self._rows(), self._row_reading(options, codings)))

    def reading(self, total: Partition) -> Reading:
        """What was understood of the table."""
        counts: dict[str, Any] = {"unanswered": total.unanswered, "skipped": total.skipped, "repeated": total.repeated}
        if self.table is None:
            return Reading("", Layout("long"), total.codings, **counts)
        return Reading(self.table.name, self.table.layout, total.codings, notes=self.table.notes, **counts)

    def _rows(self) -> Iterator[CellRows]:
        return iter(()) if self.table is None else (piece.rows for piece in self.table.pieces())

    def _row_reading(self, options: ReadOptions, codings: Mapping[str, AnswerCoding]) -> RowReading:
        return RowReading(options, codings, remedy=REMEDY if self.table is not None else "")

    def _in_files(self, error: JudgmentsError) -> ManyJudgesError:
        return error if self.table is None else in_files(error, self.table.paths)


def _check_repeated(options: ReadOptions) -> None:
    if options.repeated in ("first", "last"):
        raise PlanError(
            f"repeated={options.repeated!r} needs the order of rows, which a cluster does not keep. Use "
            "repeated='mean', or read the table on one machine (engine='duckdb').",
            value=options.repeated,
            column="repeated",
        )


def check_extra() -> None:
    """Say what to install where dask is missing."""
    for name in ("dask.dataframe", "distributed"):
        try:
            import_module(name)
        except ImportError:
            words = f"a cluster needs {name}, which is not here: pip install 'manyjudges[dask]'."
            raise ManyJudgesError(words, value=name) from None


def _check_partitions(partitions: object) -> None:
    whole = isinstance(partitions, int | np.integer) and not isinstance(partitions, bool) and partitions >= 1
    if partitions is not None and not whole:
        raise PlanError(
            f"partitions must be a whole number of 1 or more, not {quote_value(partitions)}.",
            value=partitions,
            column="partitions",
        )


class _Graph:
    """What dask is to compute of judgments: those of each object are brought together once, whatever is made of them.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    label_values : Series
        The labels by object.
    partitions : int, optional
    options : ReadOptions
    merge_at_once : int

    Attributes
    ----------
    codings : mapping of str to AnswerCoding
        What the answers stand for, where that was decided for all partitions.
    """

    def __init__(
        self,
        frame: Any,
        label_values: pd.Series[Any],
        partitions: int | None,
        options: ReadOptions,
        merge_at_once: int,
    ) -> None:
        import dask

        kind = frame.dtypes["object"]
        if not pd.api.types.is_numeric_dtype(kind):
            frame = frame.assign(object=frame["object"].map_partitions(_as_text, meta=("object", "string")))
        # Labels that are not numbers are refused at the end, if they belong to objects that have judgments.
        label_values = pd.Series(np.nan_to_num(floats_or_nan(label_values.to_numpy())), index=label_values.index)
        if not (pd.api.types.is_numeric_dtype(kind) and pd.api.types.is_numeric_dtype(label_values.index.dtype)):
            label_values = label_values.set_axis(name_keys(label_values.index))  # here, once, and not in every task
        self._labels, self._options, self._merge_at_once = label_values, options, merge_at_once
        self._frame = frame
        # By tasks, which can be repeated one by one; a shuffle among workers would start over when one of them dies.
        method = dask.config.get("dataframe.shuffle.method", None) or "tasks"
        self._parts = frame.shuffle("object", npartitions=partitions, shuffle_method=method).to_delayed()
        self.codings: Mapping[str, AnswerCoding] = options.codings

    @cached_property
    def _blocks(self) -> Any:
        """The rows as they are read, which only some tables are asked for: dask plans each way to them on its own."""
        return self._frame.to_delayed()

    def attributes(self, scheduler: Any) -> set[str]:
        """The attributes in all blocks."""
        import dask

        naming = dask.delayed(_attributes_of)
        return set().union(*dask.compute([naming(block) for block in self._blocks], scheduler=scheduler)[0])

    def tally(self, scheduler: Any) -> AnswerTally:
        """The different answers in all blocks, each counted where it is read."""
        import dask

        counting = dask.delayed(_tally_of)
        counted = dask.compute([counting(block, self._options) for block in self._blocks], scheduler=scheduler)[0]
        total = AnswerTally()
        for tally in counted:
            total.include(tally)
        return total

    def compute(self, parts: Integers | None, scheduler: Any) -> tuple[Partition | Refusal, ...]:
        """What all objects come to, and then those of each part, by the part of each label."""
        import dask

        roots = [self._merged(self._labels)]
        if parts is not None:
            roots += [self._merged(self._labels[parts == part]) for part in range(int(parts.max()) + 1)]
        # Labels are in the graph: all of them once, and where there are parts, each once more in that of its part.
        # What is scattered to workers instead would be lost with them; that the graph is large is no fault to warn of.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            totals: tuple[Partition | Refusal, ...] = dask.compute(*roots, scheduler=scheduler)
        return totals

    def _merged(self, label_values: pd.Series[Any]) -> Any:
        import dask

        labels, options = dask.delayed(label_values), self._options
        reading = {name: getattr(options, name) for name in _OF_CELLS} | {"codings": self.codings}
        summarize, merging = dask.delayed(summarize_partition_or_refuse), dask.delayed(merge_partitions_or_refuse)
        nodes = [summarize(part, labels, reading) for part in self._parts]
        while len(nodes) > 1:
            groups = range(0, len(nodes), self._merge_at_once)
            nodes = [merging(nodes[start : start + self._merge_at_once]) for start in groups]
        return nodes[0]


_OF_CELLS = ("drop", "scales", "missing", "valid", "on_invalid", "repeated")
"""The options that say how cells are read."""


def _attributes_of(block: pd.DataFrame) -> set[str]:
    """The attributes in some rows."""
    return {name_text(name) for name in block["attribute"].unique() if is_name(name) and not is_missing(name)}


def _tally_of(block: pd.DataFrame, options: ReadOptions) -> AnswerTally:
    """The different answers in some rows."""
    columns = {role: as_array(nw.from_native(block, eager_only=True).get_column(role)) for role in block.columns}
    tally = AnswerTally()
    CellRows(columns, locate_from_zero).answered(options)[0].of_attributes(options).tally(tally)
    return tally


def _as_text(names: pd.Series[Any]) -> pd.Series[Any]:
    """Names as text, so that those of one object are sent to the same place."""
    if not isinstance(names.dtype, pd.StringDtype):
        names = names.map(lambda name: name if isinstance(name, str) or is_missing(name) else name_key(name))
    return names.astype("string")


@contextmanager
def _at_work(address: str | None, client: Any, wait: float) -> Iterator[Any]:
    """Whoever computes; None for dask's own choice."""
    if address is not None and client is not None:
        raise PlanError("give an address or a client of the cluster, not both.", value=address, column="address")
    import dask
    from distributed import Client

    if client is not None and not isinstance(client, Client):
        raise PlanError(
            f"client must be a distributed.Client, not {quote_value(client)}; an address goes in as "
            f"address=, and without "
            "either, dask computes here.",
            value=client,
            column="client",
        )
    if address is None:
        current = client or getattr(dask.base.get_scheduler(), "__self__", None)
        if isinstance(current, Client):
            _check_workers(current, wait)
        yield client
        return
    with connected(address, wait) as own:
        yield own


@contextmanager
def connected(address: str, wait: float = _WAIT) -> Iterator[Any]:
    """A client of the cluster at an address, which is closed in the end."""
    from distributed import Client

    _check_address(address)
    try:
        own = Client(address, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
        raise PlanError(
            f"there is no cluster at {quote_value(address)}: {' '.join(str(error).split())}.",
            value=address,
            column="address",
        ) from None
    with own:
        _check_workers(own, wait)
        yield own


def _check_workers(client: Any, wait: float) -> None:
    """Refuse a cluster without workers, which would never answer."""
    waiting = client.submit(len, (), pure=False)  # some clusters start workers when there is something to do
    try:
        client.wait_for_workers(1, timeout=wait)
    except TimeoutError:
        address = client.scheduler.address
        raise PlanError(
            f"the cluster at {quote_value(address)} has no workers, and none came within {wait:g} seconds. Start some: "
            f"dask worker {address}",
            value=address,
        ) from None
    finally:
        waiting.release()


def _check_address(address: str) -> None:
    """Refuse what is no address: a client for it would be left half made, and Python would wait for it in the end."""
    from distributed.comm import parse_address, parse_host_port
    from distributed.comm.registry import backends
    from distributed.security import Security

    try:
        protocol, place = parse_address(address)
        if protocol not in backends:
            raise ValueError(f"the protocol {protocol!r} is none of {', '.join(sorted(backends))}")
        if protocol != "inproc":  # which is this process, and has no ports
            host, port = parse_host_port(place)
            if not host or not 0 < port < 1 << 16:
                raise ValueError(f"it must name a host, and a port from 1 to {(1 << 16) - 1:,}")
        if protocol in ("tls", "wss") and not Security().get_connection_args("client").get("ssl_context"):
            raise ValueError("it needs certificates, which dask's settings name under distributed.comm.tls")
    except (ValueError, TypeError) as error:
        raise PlanError(
            f"there is no cluster at {quote_value(address)}: {error}. Give the address that its scheduler says when it "
            "starts, such as 'tcp://10.0.0.1:8786'.",
            value=address,
            column="address",
        ) from None
