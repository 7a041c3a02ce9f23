"""Scans by DuckDB: judgments too many for the memory, summed up by object and attribute, block after block of objects.

DuckDB brings the judgments into the order of their objects, on disk as far as the memory does not suffice. From there
on there is nothing but sums: a block of objects becomes cells, and the cells are added up.
"""

from __future__ import annotations

__all__ = ["scan"]

import os
import queue
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from threadpoolctl import threadpool_limits

from manyjudges.arrays.types import Integers
from manyjudges.base.messages import quote_value
from manyjudges.base.progress import Progress
from manyjudges.exceptions import ManyJudgesError, PlanError
from manyjudges.scan.collector import CellCollector, LabelIndex
from manyjudges.scan.duckdb import errors
from manyjudges.scan.duckdb.files import NotForDuckDBError
from manyjudges.scan.duckdb.queries import JudgmentQueries
from manyjudges.scan.duckdb.repeats import settle
from manyjudges.scan.duckdb.sources import Source, knows_words, open_source, rows_of, unread_lines
from manyjudges.scan.faults import find_invalid
from manyjudges.scan.options import INVALID_GROUP, PartOf, ScanLimits, ScanOptions
from manyjudges.scan.results import Scan
from manyjudges.tables.answers.coding import PLAIN
from manyjudges.tables.labels import check_unmatched
from manyjudges.tables.reading.coding import boolean_coding
from manyjudges.tables.reading.reading import InvalidRow, Reading
from manyjudges.tables.reading.sources import are_paths
from manyjudges.tables.values import check_on_invalid

_AHEAD = 4
"""Batches that may wait while others are worked on."""

_READING = 0.6
"""Share of the time that it takes to read a table and to sort pieces of it; the rest is to merge and sum up."""

_MANY = 500
"""Attributes from which a product of matrices is worth several threads."""

_AMOUNT = "an amount such as '2GB' or '500MB'"


def scan(
    source: Any,
    labels: Any,
    options: ScanOptions,
    *,
    part_of: PartOf | None = None,
    progress: Progress | None = None,
) -> Scan:
    """Sum a table of judgments up, in one pass.

    Parameters
    ----------
    source : path, relation, table or iterable of tables
    labels : path, Series or mapping
    options : ScanOptions
    part_of : callable, optional
        From the number of labels to the part of each, in order of the objects' names; all are one part, unless given.
    progress : callable, optional
        Called with how much is done, and how much there is to do.
    """
    _check(options)
    labelled = LabelIndex.of(labels)
    if labelled.labels_by_object.attrs.get("to_predict"):  # these have no label, as they say themselves
        options = replace(options, unmatched="drop")
    parts = None if part_of is None else part_of(len(labelled.names))  # once: there is chance in it
    try:
        return _attempt(source, labelled, options, parts, progress)
    except NotForDuckDBError:
        return _attempt(source, labelled, options, parts, progress, by_duckdb=False)


def _attempt(
    source: Any,
    labelled: LabelIndex,
    options: ScanOptions,
    parts: Integers | None,
    progress: Progress | None,
    *,
    by_duckdb: bool = True,
) -> Scan:
    """Scan with a DuckDB of its own; NotForDuckDBError where files are to be read by others first."""
    with opened(source, options, by_duckdb=by_duckdb) as (connection, judged):
        return _scan(connection, judged, labelled, options, parts, progress)


@contextmanager
def opened(
    source: Any, options: ScanOptions, *, by_duckdb: bool = True, in_order: bool = False
) -> Iterator[tuple[Any, Source]]:
    """A DuckDB of its own and what it sees of judgments; what goes wrong with them is said in one line.

    Parameters
    ----------
    source : path, list of paths, relation, table or iterable of tables
    options : ScanOptions
    by_duckdb, in_order : bool
        As for ``open_source``.
    """
    with _connection(options) as (connection, temporary):
        try:
            how: dict[str, Any] = {"folder": temporary, "by_duckdb": by_duckdb, "in_order": in_order}
            yield connection, open_source(connection, source, options.read, **how)
        except (duckdb.Error, pa.ArrowException, RuntimeError) as error:
            if _interrupted(error):
                raise KeyboardInterrupt from None
            if not isinstance(error, duckdb.Error | pa.ArrowException):
                raise
            if (failure := errors.failure(error, temporary)) is not None:
                raise failure from None
            if are_paths(source) and by_duckdb:
                raise NotForDuckDBError from None  # what is wrong, or whether anything is, is then said as everywhere
            name = Path(source).name if isinstance(source, str | os.PathLike) else "what was given"
            raise errors.unreadable(error, name) from None


def _interrupted(error: Exception) -> bool:
    """Whether this is what DuckDB makes of Ctrl-C where it hears it first."""
    message = str(error)
    return (
        isinstance(error, duckdb.InterruptException)
        or message == "Query interrupted"
        or "KeyboardInterrupt:" in message
    )


def _scan(
    connection: Any,
    source: Source,
    labelled: LabelIndex,
    options: ScanOptions,
    parts: Integers | None,
    progress: Progress | None,
) -> Scan:
    queries = queries_of(connection, source, options)
    queries, repeated = settle(connection, queries)
    queries.label(connection, labelled.names)
    progressing = ScanProgress(progress, source.size)
    collector = _collected(connection, queries, labelled, options, parts, progressing)
    if collector.words:  # further down than was looked for at first
        queries = checked(connection, queries.count_texts(connection))
        collector = _collected(connection, queries, labelled, options, parts, progressing)
    collector.complete()
    unread = unread_lines(connection, source)
    _check_rows(connection, queries, collector, options)
    sums = collector.finish(options.unmatched)
    reading = reading_of(queries, collector.attributes)
    reading = replace(
        reading,
        label_note=str(labelled.labels_by_object.attrs.get("note", "")) if source.layout.label is not None else "",
        unanswered=collector.unanswered,
        skipped=collector.invalid + unread,
        repeated=repeated,
    )
    progressing.through()
    skipped = _skipped(connection, queries) if collector.invalid else None
    return Scan(
        collector.attributes,
        sums,
        collector.counts,
        collector.judgments,
        collector.invalid + unread,
        reading,
        collector.values,
        skipped,
    )


def queries_of(connection: Any, source: Source, options: ScanOptions) -> JudgmentQueries:
    """The queries of a source; where its first cells have words, it is known what those stand for."""
    queries = JudgmentQueries.of(connection, source, options.read, hash_bits=options.limits.hash_bits)
    errors.check_dropped(connection, queries)
    if queries.has_thousands(connection):
        raise NotForDuckDBError  # the rows that are read one by one say which
    at_once = options.read.repeated != "error" or knows_words(options.read)
    if not queries.answers.known and (at_once or queries.begins_with_words(connection)):
        return checked(connection, queries.count_texts(connection))
    return queries


def checked(connection: Any, queries: JudgmentQueries) -> JudgmentQueries:
    """The same queries, if it can be told what all answers stand for."""
    if queries.source.reader == "lines":  # where DuckDB writes true and others True
        raise NotForDuckDBError
    if queries.answers.errors:
        raise errors.uncoded(connection, queries)
    return queries


def _collected(
    connection: Any,
    queries: JudgmentQueries,
    labelled: LabelIndex,
    options: ScanOptions,
    parts: Integers | None,
    progressing: ScanProgress,
) -> CellCollector:
    """All judgments, added up; or those before something that is wrong with others."""
    limits = options.limits
    collector = CellCollector(
        labelled, parts, workers=queries.workers, block_size=limits.block_size, max_suspects=limits.max_suspects
    )
    unlabelled = options.unmatched == "error"
    query = queries.ordered(unlabelled=unlabelled)
    with closing(batches_of(connection, query, progressing, limits)) as batches, ExitStack() as threads:
        for at, batch in enumerate(batches):
            if at == 1 and len(collector.attributes) < _MANY:  # of one batch, it would take longer than it saves
                # The processors are DuckDB's; small products are done before their threads have met.
                threads.enter_context(threadpool_limits(1, user_api="blas"))
            collector.take(batch)
            progressing.gathered(collector.reached)
            wrong = collector.invalid and not options.read.skip and collector.last > INVALID_GROUP
            if collector.words or wrong or (collector.unlabelled and unlabelled):
                break  # those come first, so that all that are invalid have been counted
    return collector


def _check_rows(connection: Any, queries: JudgmentQueries, collector: CellCollector, options: ScanOptions) -> None:
    """Say what is wrong with rows; of several faults, the one that a table in memory would be refused for."""
    names = collector.labelled.labels_by_object.index
    if collector.invalid and not options.read.skip:
        raise errors.located(connection, queries, count=collector.invalid)
    unlabelled = options.unmatched == "error" and collector.unlabelled > 0
    if unlabelled or not collector.judgments:
        if (fault := errors.table_fault(connection, queries)) is not None:
            raise fault
        raise (errors.unlabelled if unlabelled else errors.nothing)(connection, queries, names)
    suspects = collector.suspects
    pairs = [] if suspects is None else errors.repeated(connection, queries, suspects)
    if pairs:
        raise errors.located(connection, queries, pairs=pairs)
    if options.unmatched == "drop":  # what is dropped was not looked at until now
        fault = errors.table_fault(connection, queries, unlabelled=True)
        if fault is not None:
            raise fault


def reading_of(queries: JudgmentQueries, attributes: Collection[str]) -> Reading:
    """What was understood of a source."""
    source, known = queries.source, queries.answers.codings
    plain = boolean_coding() if queries.types["value"] == "BOOLEAN" else PLAIN
    plain = replace(plain, no_answer=queries.options.missing)
    codings = {name: known.get(name, plain) for name in attributes}
    name = "" if source.table is None else source.table.name
    notes = () if source.table is None else source.table.notes
    return Reading(name, source.layout, codings, notes=notes)


def _skipped(connection: Any, queries: JudgmentQueries) -> Callable[[], tuple[InvalidRow, ...]]:
    """How to list the rows that were skipped. Files are only read once more where somebody asks."""
    source, reading = queries.source, errors.row_reading(queries)
    if source.table is None:
        found = tuple(find_invalid(rows_of(connection, source), reading))
        return lambda: found
    table = source.table
    return lambda: tuple(find_invalid((piece.rows for piece in table.pieces()), reading))


def _check(options: ScanOptions) -> None:
    check_unmatched(options.unmatched)
    check_on_invalid(options.read.on_invalid)
    limit = options.memory_limit
    if limit is not None and not re.fullmatch(r"\s*\d+(\.\d+)?\s*([kmgt]i?b?|b|%)\s*", str(limit), re.IGNORECASE):
        raise PlanError(
            f"memory_limit must be {_AMOUNT}, not {quote_value(limit)}.", value=limit, column="memory_limit"
        )
    if options.threads is not None and not (_is_whole(options.threads) and options.threads > 0):
        raise PlanError(
            f"threads must be a whole number of 1 or more, not {quote_value(options.threads)}.",
            value=options.threads,
            column="threads",
        )


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


@contextmanager
def _connection(options: ScanOptions) -> Iterator[tuple[Any, Path]]:
    """A DuckDB in memory, with a folder of its own for what does not fit; neither is left behind."""
    try:
        temporary = Path(tempfile.mkdtemp(prefix="manyjudges-", dir=options.temp_dir))
    except OSError as error:
        where = quote_value(str(options.temp_dir or tempfile.gettempdir()))
        raise ManyJudgesError(
            f"cannot make a temporary folder in {where}: {error.strerror or error}.",
            value=options.temp_dir,
            column="temp_dir",
        ) from None
    config: dict[str, Any] = {"temp_directory": str(temporary), "preserve_insertion_order": False}
    config |= {} if options.memory_limit is None else {"memory_limit": str(options.memory_limit).replace(" ", "")}
    config |= {} if options.threads is None else {"threads": int(options.threads)}
    with ExitStack() as closing:
        closing.callback(shutil.rmtree, temporary, ignore_errors=True)
        try:
            connection = duckdb.connect(config=config)
        except duckdb.Error:
            limit = quote_value(options.memory_limit)
            raise PlanError(
                f"memory_limit must be {_AMOUNT} that DuckDB understands, not {limit}.",
                value=options.memory_limit,
                column="memory_limit",
            ) from None
        closing.callback(connection.close)
        connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
        yield connection, temporary


def batches_of(connection: Any, sql: str, progressing: ScanProgress, limits: ScanLimits) -> Generator[pa.RecordBatch]:
    """What a query gives, batch by batch.

    DuckDB works in a thread of its own, so that Ctrl-C is heard while it does, and so that one can say how far it is.
    """
    waiting: queue.Queue[Any] = queue.Queue(_AHEAD)
    ending = threading.Event()
    worker = threading.Thread(target=_run, args=(connection, sql, waiting, ending, limits), daemon=True)
    worker.start()
    try:
        while (batch := _next(waiting, connection, progressing, limits.poll)) is not None:
            if isinstance(batch, BaseException):
                raise batch
            yield batch
    finally:
        ending.set()
        _stop(connection, worker, waiting, limits.poll)


def _stop(connection: Any, worker: threading.Thread, waiting: queue.Queue[Any], poll: float) -> None:
    """Wait until the worker is through, whatever happens: one that outlives the interpreter would abort it."""
    interrupted = False
    while worker.is_alive():
        try:
            connection.interrupt()
            with suppress(queue.Empty):
                waiting.get_nowait()  # it may wait for room
            worker.join(poll)  # not for what it puts: after its last batch it only ends
        except KeyboardInterrupt:
            interrupted = True
    if interrupted:
        raise KeyboardInterrupt


def _run(connection: Any, sql: str, waiting: queue.Queue[Any], ending: threading.Event, limits: ScanLimits) -> None:
    def put(result: Any) -> None:
        while not ending.is_set():
            with suppress(queue.Full):
                waiting.put(result, timeout=limits.poll)
                return

    try:
        for batch in connection.sql(sql).to_arrow_reader(limits.batch_size):
            put(batch)
            if ending.is_set():
                return
        put(None)
    except BaseException as error:  # told to the one who waits, whatever it is
        put(error)


def _next(waiting: queue.Queue[Any], connection: Any, progressing: ScanProgress, poll: float) -> Any:
    while True:
        try:
            return waiting.get(timeout=poll)
        except queue.Empty:
            progressing.read(connection.query_progress() / 100)


class ScanProgress:
    """Says how far a scan is; never less than before."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._most, self._gathering = progress, total, 0, False

    def read(self, share: float) -> None:
        """So much of DuckDB's work is done; of that, it counts reading as a third, and nothing comes before it ends."""
        if not self._gathering:
            self._tell(_READING * min(3 * share, 1.0))

    def gathered(self, share: float) -> None:
        """Judgments of so many of the objects have been summed up."""
        self._gathering = True
        self._tell(_READING + (1 - _READING) * share)

    def through(self) -> None:
        """All is done."""
        if self._progress is not None:
            self._progress(self._total, self._total)

    def _tell(self, share: float) -> None:
        done = min(int(self._total * share), self._total - 1)
        if self._progress is not None and done > self._most:
            self._most = done
            self._progress(done, self._total)
