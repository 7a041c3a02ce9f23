"""Scanning: judgments too many for the memory, summed up by object and attribute, block after block of objects.

DuckDB brings the judgments into the order of their objects, on disk as far as the memory does not suffice. From there
on there is nothing but sums: a block of objects becomes cells, and the cells are added up.
"""

from __future__ import annotations

import os
import queue
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from threadpoolctl import threadpool_limits

from manyjudges.arrays.sums import Sums
from manyjudges.arrays.types import Integers
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import ManyJudgesError, PlanError
from manyjudges.scan import duckdb_errors
from manyjudges.scan.collector import CellCollector, LabelIndex
from manyjudges.scan.duckdb_queries import BAD, JudgmentQueries
from manyjudges.scan.duckdb_sources import ROLES, open_source, unread_lines
from manyjudges.tables import files
from manyjudges.tables.labels import check_unmatched
from manyjudges.tables.values import check_on_invalid

BATCH = 1 << 18
"""Judgments that DuckDB hands over at once."""

AHEAD = 4
"""Batches that may wait while others are worked on."""

POLL = 0.1
"""Seconds between two looks at how far DuckDB is."""

READING = 0.6
"""Share of the time that it takes to read a table and to sort pieces of it; the rest is to merge and sum up."""

MANY = 500
"""Attributes from which a product of matrices is worth several threads."""

AMOUNT = "an amount such as '2GB' or '500MB'"

Progress = Callable[[int, int], None]
PartOf = Callable[[int], Integers]


@dataclass(frozen=True, eq=False)
class Scan:
    """What a table of judgments comes to.

    Attributes
    ----------
    attributes : tuple of str
    sums : tuple of Sums
        Of all objects; or of each part of them, where parts were asked for.
    counts : dict of str to dict of int to int
        Of each attribute, how many objects have how many judgments; those that have none are left out.
    n_judgments : int
    skipped : int
        Rows that were no judgments, and left out.
    source : str
        Where it was read from, and which columns were taken for what.
    """

    attributes: tuple[str, ...]
    sums: tuple[Sums, ...]
    counts: dict[str, dict[int, int]]
    n_judgments: int
    skipped: int
    source: str

    @property
    def n_objects(self) -> int:
        """Objects that have judgments and a label."""
        return sum(part.n_objects for part in self.sums)

    def lacking(self, repeats: Mapping[str, int]) -> dict[str, int]:
        """How many judgments of each attribute the objects lack of so many each."""
        return {name: self._lacking(name, wanted) for name, wanted in repeats.items()}

    def _lacking(self, name: str, wanted: int) -> int:
        have = self.counts.get(name, {})
        some = sum(max(wanted - count, 0) * many for count, many in have.items())
        return some + wanted * (self.n_objects - sum(have.values()))


@dataclass(frozen=True)
class ScanOptions:
    """How to scan.

    Attributes
    ----------
    columns : dict of str to str or None
        Names of the columns by role; ``"auto"`` where they are to be found, None for a worker that is ignored.
    unmatched : str
        ``"error"`` or ``"drop"``.
    on_invalid : str
        ``"error"`` or ``"skip"``.
    memory_limit : str, optional
        What DuckDB may use, such as ``"2GB"``.
    threads : int, optional
    temp_dir : path, optional
        Where to make the folder for what does not fit into the memory.
    """

    columns: Mapping[str, str | None] = field(default_factory=lambda: dict.fromkeys(ROLES, files.AUTO))
    unmatched: str = "error"
    on_invalid: str = "error"
    memory_limit: str | None = None
    threads: int | None = None
    temp_dir: str | os.PathLike[str] | None = None


def scan(
    source: Any,
    labels: Any,
    terms: ScanOptions,
    *,
    part_of: PartOf | None = None,
    progress: Progress | None = None,
) -> Scan:
    """Sum a table of judgments up, in one pass.

    Parameters
    ----------
    source : path, relation, table or iterable of tables
    labels : path, Series or mapping
    terms : ScanOptions
    part_of : callable, optional
        From the number of labels to the part of each, in order of the objects' names; all are one part, unless given.
    progress : callable, optional
        Called with how much is done, and how much there is to do.
    """
    _check(terms)
    known = LabelIndex.of(labels)
    with _connection(terms) as (connection, temporary):
        try:
            return _scan(connection, source, known, terms, part_of, progress)
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
        return Path(source).name, files.expand(source, folders=True)
    return "what was given", []


def _scan(
    connection: Any,
    given: Any,
    known: LabelIndex,
    terms: ScanOptions,
    part_of: PartOf | None,
    progress: Progress | None,
) -> Scan:
    source = open_source(connection, given, terms.columns, skip=terms.on_invalid == "skip")
    statement = JudgmentQueries.of(connection, source, known.names)
    parts = None if part_of is None else part_of(len(known.names))
    gathering = CellCollector(known, parts, workers=statement.workers, textual=statement.textual)
    bad, unlabelled = terms.on_invalid == "error", terms.unmatched == "error"
    query = statement.ordered(unlabelled=unlabelled)
    told = _ScanProgress(progress, source.size)
    with closing(_batches(connection, query, told)) as batches, ExitStack() as limits:
        for at, batch in enumerate(batches):
            gathering.take(batch)
            told.gathered(gathering.reached)
            if at == 0 and len(gathering.attributes) < MANY:
                # The processors are DuckDB's; small products are done before their threads have met.
                limits.enter_context(threadpool_limits(1, user_api="blas"))
            if (gathering.bad and bad and gathering.last > BAD) or (gathering.unlabelled and unlabelled):
                break  # those come first, so that all that are bad have been counted
    if gathering.bad and bad:
        raise duckdb_errors.bad_row(connection, statement, gathering.bad)
    if gathering.unlabelled and unlabelled:
        raise duckdb_errors.unlabelled(connection, statement, len(known.names))
    unread = unread_lines(connection, source)
    sums = gathering.finish(terms.unmatched)
    _check_kinds(connection, statement, gathering)
    _check_once(connection, statement, gathering)
    told.through()
    words = ", ".join(f"{role} = {column}" for role, column in source.columns.items() if role != column)
    return Scan(
        gathering.attributes,
        sums,
        gathering.counts,
        gathering.judgments,
        gathering.bad + unread,
        f"read from {source.name}{': ' * bool(words)}{words}",
    )


def _check(terms: ScanOptions) -> None:
    check_unmatched(terms.unmatched)
    check_on_invalid(terms.on_invalid)
    limit = terms.memory_limit
    if limit is not None and not re.fullmatch(r"\s*\d+(\.\d+)?\s*([kmgt]i?b?|b|%)\s*", str(limit), re.IGNORECASE):
        raise PlanError(f"memory_limit must be {AMOUNT}, not {quote_value(limit)}.")
    if terms.threads is not None and not (_is_whole(terms.threads) and terms.threads > 0):
        raise PlanError(f"threads must be a whole number of 1 or more, not {quote_value(terms.threads)}.")


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _check_kinds(connection: Any, statement: JudgmentQueries, gathering: CellCollector) -> None:
    if (attribute := gathering.mixed) is not None:
        raise duckdb_errors.mixed_kinds(connection, statement, attribute)


def _check_once(connection: Any, statement: JudgmentQueries, gathering: CellCollector) -> None:
    if (suspects := gathering.suspects) is None:
        return
    if (error := duckdb_errors.repeated(connection, statement, suspects)) is not None:
        raise error


@contextmanager
def _connection(terms: ScanOptions) -> Iterator[tuple[Any, Path]]:
    """A DuckDB in memory, with a folder of its own for what does not fit; neither is left behind."""
    try:
        temporary = Path(tempfile.mkdtemp(prefix="manyjudges-", dir=terms.temp_dir))
    except OSError as error:
        where = quote_value(str(terms.temp_dir or tempfile.gettempdir()))
        raise ManyJudgesError(f"cannot make a temporary folder in {where}: {error.strerror or error}.") from None
    config: dict[str, Any] = {"temp_directory": str(temporary), "preserve_insertion_order": False}
    config |= {} if terms.memory_limit is None else {"memory_limit": str(terms.memory_limit).replace(" ", "")}
    config |= {} if terms.threads is None else {"threads": int(terms.threads)}
    with ExitStack() as closing:
        closing.callback(shutil.rmtree, temporary, ignore_errors=True)
        try:
            connection = duckdb.connect(config=config)
        except duckdb.Error:
            limit = quote_value(terms.memory_limit)
            raise PlanError(f"memory_limit must be {AMOUNT} that DuckDB understands, not {limit}.") from None
        closing.callback(connection.close)
        connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
        yield connection, temporary


def _batches(connection: Any, sql: str, told: _ScanProgress) -> Generator[pa.RecordBatch]:
    """What a query gives, batch by batch.

    DuckDB works in a thread of its own, so that Ctrl-C is heard while it does, and so that one can say how far it is.
    """
    waiting: queue.Queue[Any] = queue.Queue(AHEAD)
    ending = threading.Event()
    worker = threading.Thread(target=_run, args=(connection, sql, waiting, ending), daemon=True)
    worker.start()
    try:
        while (found := _next(waiting, connection, told)) is not None:
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        ending.set()
        _stop(connection, worker, waiting)


def _stop(connection: Any, worker: threading.Thread, waiting: queue.Queue[Any]) -> None:
    """Wait until the worker is through, whatever happens: one that outlives the interpreter would abort it."""
    interrupted = False
    while worker.is_alive():
        try:
            connection.interrupt()
            waiting.get(timeout=POLL)  # it may wait for room
        except queue.Empty:
            pass
        except KeyboardInterrupt:
            interrupted = True
    if interrupted:
        raise KeyboardInterrupt


def _run(connection: Any, sql: str, waiting: queue.Queue[Any], ending: threading.Event) -> None:
    def put(found: Any) -> None:
        while not ending.is_set():
            with suppress(queue.Full):
                waiting.put(found, timeout=POLL)
                return

    try:
        for batch in connection.sql(sql).to_arrow_reader(BATCH):
            put(batch)
            if ending.is_set():
                return
        put(None)
    except BaseException as error:  # told to the one who waits, whatever it is
        put(error)


def _next(waiting: queue.Queue[Any], connection: Any, told: _ScanProgress) -> Any:
    while True:
        try:
            return waiting.get(timeout=POLL)
        except queue.Empty:
            told.read(connection.query_progress() / 100)


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
