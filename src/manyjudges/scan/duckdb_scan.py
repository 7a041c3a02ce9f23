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
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from numbers import Integral
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from threadpoolctl import threadpool_limits

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import ManyJudgesError, PlanError
from manyjudges.scan import duckdb_errors
from manyjudges.scan.collector import CellCollector, LabelIndex
from manyjudges.scan.duckdb_queries import BAD, JudgmentQueries
from manyjudges.scan.duckdb_sources import open_source, unread_lines
from manyjudges.scan.options import PartOf, Progress, ScanLimits, ScanOptions
from manyjudges.scan.results import Scan
from manyjudges.tables.formats.paths import expand
from manyjudges.tables.labels import check_unmatched
from manyjudges.tables.values import check_on_invalid

AHEAD = 4
"""Batches that may wait while others are worked on."""

READING = 0.6
"""Share of the time that it takes to read a table and to sort pieces of it; the rest is to merge and sum up."""

MANY = 500
"""Attributes from which a product of matrices is worth several threads."""

AMOUNT = "an amount such as '2GB' or '500MB'"


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
    known = LabelIndex.of(labels)
    with _connection(options) as (connection, temporary):
        try:
            return _scan(connection, temporary, source, known, options, part_of, progress)
        except (duckdb.Error, pa.ArrowException, RuntimeError) as error:
            if _interrupted(error):
                raise KeyboardInterrupt from None
            if not isinstance(error, duckdb.Error | pa.ArrowException):
                raise
            raise duckdb_errors.failure(error, *_named(source), temporary) from None


def _interrupted(error: Exception) -> bool:
    """Whether this is what DuckDB makes of Ctrl-C where it hears it first."""
    said = str(error)
    return isinstance(error, duckdb.InterruptException) or said == "Query interrupted" or "KeyboardInterrupt:" in said


def _named(source: Any) -> tuple[str, list[Path]]:
    """What to call a source in a message, and its files."""
    if isinstance(source, str | os.PathLike):
        return Path(source).name, expand(source, folders=True)
    return "what was given", []


def _scan(
    connection: Any,
    folder: Path,
    given: Any,
    known: LabelIndex,
    options: ScanOptions,
    part_of: PartOf | None,
    progress: Progress | None,
) -> Scan:
    skip, limits = options.on_invalid == "skip", options.limits
    source = open_source(connection, given, options.columns, skip=skip, folder=folder)
    queries = JudgmentQueries.of(connection, source, known.names, hash_bits=limits.hash_bits)
    collector = CellCollector(
        known,
        None if part_of is None else part_of(len(known.names)),
        workers=queries.workers,
        textual=queries.textual,
        block_size=limits.block_size,
        max_suspects=limits.max_suspects,
    )
    unlabelled = options.unmatched == "error"
    progressing = _ScanProgress(progress, source.size)
    query = queries.ordered(unlabelled=unlabelled)
    with closing(_batches(connection, query, progressing, limits)) as batches, ExitStack() as threads:
        for at, batch in enumerate(batches):
            collector.take(batch)
            progressing.gathered(collector.reached)
            if at == 0 and len(collector.attributes) < MANY:
                # The processors are DuckDB's; small products are done before their threads have met.
                threads.enter_context(threadpool_limits(1, user_api="blas"))
            if (collector.bad and not skip and collector.last > BAD) or (collector.unlabelled and unlabelled):
                break  # those come first, so that all that are bad have been counted
    if collector.bad and not skip:
        raise duckdb_errors.bad_row(connection, queries, collector.bad)
    if collector.unlabelled and unlabelled:
        raise duckdb_errors.unlabelled(connection, queries, known.names)
    if not collector.judgments:
        raise duckdb_errors.nothing(connection, queries, known.names)
    unread = unread_lines(connection, source)
    sums = collector.finish(options.unmatched)
    if (attribute := collector.mixed) is not None:
        raise duckdb_errors.mixed_kinds(connection, queries, attribute)
    suspects = collector.suspects
    if suspects is not None and (error := duckdb_errors.repeated(connection, queries, suspects)) is not None:
        raise error
    progressing.through()
    words = ", ".join(f"{role} = {column}" for role, column in source.columns.items() if role != column)
    return Scan(
        collector.attributes,
        sums,
        collector.counts,
        collector.judgments,
        collector.bad + unread,
        f"read from {source.name}{': ' * bool(words)}{words}",
    )


def _check(options: ScanOptions) -> None:
    check_unmatched(options.unmatched)
    check_on_invalid(options.on_invalid)
    limit = options.memory_limit
    if limit is not None and not re.fullmatch(r"\s*\d+(\.\d+)?\s*([kmgt]i?b?|b|%)\s*", str(limit), re.IGNORECASE):
        raise PlanError(f"memory_limit must be {AMOUNT}, not {quote_value(limit)}.", value=limit, column="memory_limit")
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
        raise ManyJudgesError(f"cannot make a temporary folder in {where}: {error.strerror or error}.") from None
    config: dict[str, Any] = {"temp_directory": str(temporary), "preserve_insertion_order": False}
    config |= {} if options.memory_limit is None else {"memory_limit": str(options.memory_limit).replace(" ", "")}
    config |= {} if options.threads is None else {"threads": int(options.threads)}
    with ExitStack() as closing:
        closing.callback(shutil.rmtree, temporary, ignore_errors=True)
        try:
            connection = duckdb.connect(config=config)
        except duckdb.Error:
            limit = quote_value(options.memory_limit)
            raise PlanError(f"memory_limit must be {AMOUNT} that DuckDB understands, not {limit}.") from None
        closing.callback(connection.close)
        connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
        yield connection, temporary


def _batches(connection: Any, sql: str, progressing: _ScanProgress, limits: ScanLimits) -> Generator[pa.RecordBatch]:
    """What a query gives, batch by batch.

    DuckDB works in a thread of its own, so that Ctrl-C is heard while it does, and so that one can say how far it is.
    """
    waiting: queue.Queue[Any] = queue.Queue(AHEAD)
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
            waiting.get(timeout=poll)  # it may wait for room
        except queue.Empty:
            pass
        except KeyboardInterrupt:
            interrupted = True
    if interrupted:
        raise KeyboardInterrupt


def _run(connection: Any, sql: str, waiting: queue.Queue[Any], ending: threading.Event, limits: ScanLimits) -> None:
    def put(found: Any) -> None:
        while not ending.is_set():
            with suppress(queue.Full):
                waiting.put(found, timeout=limits.poll)
                return

    try:
        for batch in connection.sql(sql).to_arrow_reader(limits.batch_size):
            put(batch)
            if ending.is_set():
                return
        put(None)
    except BaseException as error:  # told to the one who waits, whatever it is
        put(error)


def _next(waiting: queue.Queue[Any], connection: Any, progressing: _ScanProgress, poll: float) -> Any:
    while True:
        try:
            return waiting.get(timeout=poll)
        except queue.Empty:
            progressing.read(connection.query_progress() / 100)


class _ScanProgress:
    """Says how far a scan is; never less than before."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._most, self._gathering = progress, total, 0, False

    def read(self, share: float) -> None:
        """So much of DuckDB's work is done; of that, it counts reading as a third, and nothing comes before it ends."""
        if not self._gathering:
            self._tell(READING * min(3 * share, 1.0))

    def gathered(self, share: float) -> None:
        """Judgments of so many of the objects have been summed up."""
        self._gathering = True
        self._tell(READING + (1 - READING) * share)

    def through(self) -> None:
        """All is done."""
        if self._progress is not None:
            self._progress(self._total, self._total)

    def _tell(self, share: float) -> None:
        done = min(int(self._total * share), self._total - 1)
        if self._progress is not None and done > self._most:
            self._most = done
            self._progress(done, self._total)
