"""Objects: blocks of whole objects, brought into order by DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.arrays.types import Integers
from manyjudges.exceptions import ManyJudgesError
from manyjudges.scan.duckdb import errors
from manyjudges.scan.duckdb.files import NotForDuckDBError
from manyjudges.scan.duckdb.queries import CODES, VALID, JudgmentQueries
from manyjudges.scan.duckdb.repeats import settle
from manyjudges.scan.duckdb.scan import ScanProgress, batches_of, checked, opened, queries_of, reading_of
from manyjudges.scan.duckdb.sources import rows_of, unread_lines
from manyjudges.scan.faults import find_invalid
from manyjudges.scan.options import INVALID_GROUP, UNANSWERED_GROUP, WORD_GROUP, ScanOptions
from manyjudges.tables.columns import encode_names
from manyjudges.tables.files import plain_names
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.names import name_text
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.storage import LongStorage, Rows
from manyjudges.tables.values import locate_from_zero

if TYPE_CHECKING:
    from manyjudges.scan.objects import ObjectScan


def read_blocks(source: Any, options: ScanOptions, asked: ObjectScan) -> Iterator[Judgments]:
    """The judgments of a table in blocks of whole objects.

    Parameters
    ----------
    source : path, list of paths, relation, table or iterable of tables
    options : ScanOptions
    asked : ObjectScan
        Which attributes, and how much at once; it is told what was understood of the table.
    """
    yielded = False
    try:
        for block in _attempt(source, options, asked, by_duckdb=True):
            yielded = True
            yield block
    except NotForDuckDBError:
        if yielded:  # which is only said before the first row comes
            raise ManyJudgesError("the table changed while it was read. Read it again.") from None
        yield from _attempt(source, options, asked, by_duckdb=False)


def read_names(source: Any, options: ScanOptions) -> Any:
    """All objects that a table names, judged or not, as text or as whole numbers.

    Parameters
    ----------
    source : path, list of paths, relation, table or iterable of tables
    options : ScanOptions
    """
    try:
        return _names(source, options, by_duckdb=True)
    except NotForDuckDBError:
        return _names(source, options, by_duckdb=False)


def _names(source: Any, options: ScanOptions, *, by_duckdb: bool) -> Any:
    with opened(source, options, by_duckdb=by_duckdb) as (connection, judged):
        rows = JudgmentQueries.of(connection, judged, ReadOptions()).rows(judged.relation)
        named = "object IS NOT NULL AND trim(object::VARCHAR) <> ''"
        found = connection.sql(f"SELECT DISTINCT object FROM ({rows}) WHERE {named}").to_arrow_table()
        return found.column("object").to_numpy(zero_copy_only=False)


def _attempt(source: Any, options: ScanOptions, asked: ObjectScan, *, by_duckdb: bool) -> Iterator[Judgments]:
    with opened(source, options, by_duckdb=by_duckdb) as (connection, judged):
        if asked.in_order and "worker" not in judged.columns and not judged.in_order:
            raise NotForDuckDBError  # rows of files have no numbers where DuckDB reads them
        queries = queries_of(connection, judged, options)
        queries, repeated = settle(connection, queries)
        progressing = ScanProgress(asked.progress, judged.size)
        counts = _Counts()
        for again in (False, True):
            if again:
                queries = checked(connection, queries.count_texts(connection))
            blocks = _Blocks(connection, queries, asked, options, counts)
            yield from blocks.read(progressing)
            if not counts.words:
                break
            counts = _Counts()
        if not blocks.judgments:
            raise errors.nothing(connection, queries, [])
        unread = unread_lines(connection, judged)
        reading = reading_of(queries, sorted(blocks.attributes))
        skipped = counts.invalid + unread
        asked.reading = replace(reading, unanswered=counts.unanswered, skipped=skipped, repeated=repeated)
        if counts.invalid:
            asked.invalid = tuple(find_invalid(rows_of(connection, judged), errors.row_reading(queries)))
        progressing.through()


class _Counts:
    """How many rows are no judgments."""

    def __init__(self) -> None:
        self.words = self.unanswered = self.invalid = 0

    def take(self, groups: Any) -> int:
        """Count the rows at the beginning that are no judgments; how many these are."""
        ends = [WORD_GROUP + 1, UNANSWERED_GROUP + 1, INVALID_GROUP + 1]
        words, unanswered, invalid = (int(position) for position in np.searchsorted(groups, ends))
        self.words += words
        self.unanswered += unanswered - words
        self.invalid += invalid - unanswered
        return invalid


class _JudgedTwiceError(Exception):
    """A worker stands twice in some pairs of an object and an attribute."""

    def __init__(self, pairs: list[tuple[Any, Any]]) -> None:
        super().__init__()
        self.pairs = pairs


class _Blocks:
    """Cuts the rows of a query, in order of objects, into blocks."""

    def __init__(
        self, connection: Any, queries: JudgmentQueries, asked: ObjectScan, options: ScanOptions, counts: _Counts
    ) -> None:
        self._connection, self._queries, self._asked = connection, queries, asked
        self._options, self._counts = options, counts
        self._ranks = _worker_ranks(connection, queries) if asked.in_order and queries.workers else None
        self._rest: list[pa.Table] = []
        self.judgments = 0
        self.attributes: set[str] = set()  # those that judgments have come of

    def read(self, progressing: ScanProgress) -> Iterator[Judgments]:
        """The blocks; none where there are texts that were not looked up."""
        try:
            yield from self._read(progressing)
        except _JudgedTwiceError as error:  # now that nothing is asked of DuckDB any more
            raise errors.located(self._connection, self._queries, pairs=error.pairs) from None

    def _read(self, progressing: ScanProgress) -> Iterator[Judgments]:
        query, limits = self._query(), self._options.limits
        n_rest = 0
        with closing(batches_of(self._connection, query, progressing, limits)) as batches:
            for batch in batches:
                rows = pa.Table.from_batches([batch])
                rows = rows.slice(self._counts.take(rows.column("state_group").to_numpy()))
                if self._counts.words:
                    return
                if self._counts.invalid and not self._options.read.skip and len(rows):
                    break
                self._rest.append(rows)
                n_rest += len(rows)
                if n_rest >= self._asked.rows_at_once:
                    yield from self._cut()
                    n_rest = sum(map(len, self._rest))
        if self._counts.invalid and not self._options.read.skip:
            raise errors.located(self._connection, self._queries, count=self._counts.invalid)
        yield from self._cut(last=True)

    def _query(self) -> str:
        queries, source = self._queries, self._queries.source
        row = ", row" * source.in_order if not queries.settled else ""
        states = " ".join(f"WHEN {state} THEN {code}" for state, code in CODES.items())
        selected = f"CASE state {states} ELSE 0 END AS state_group, object, attribute, v"
        selected += ", worker" * queries.workers + ", row" * source.in_order
        rows = queries.rows(source.relation, extra=f"{queries.who}{row}")
        # Of rows that are no judgments, only how many there are is wanted.
        order = f"state_group, CASE WHEN state = {VALID} THEN object END"
        return f"SELECT {selected} FROM ({rows}) ORDER BY {order}"

    def _cut(self, *, last: bool = False) -> Iterator[Judgments]:
        """All objects that have come to their end, as a block."""
        rows = pa.concat_tables(self._rest).combine_chunks() if self._rest else None
        self._rest = []
        if rows is None or not len(rows):
            return
        names = rows.column("object").combine_chunks()
        end = len(rows)
        if not last:
            final = names[-1]
            end = int(np.argmax(pa.compute.equal(names, final).to_numpy(zero_copy_only=False)))
            self._rest = [rows.slice(end)]
        if end:
            yield self._block(rows.slice(0, end))

    def _block(self, rows: pa.Table) -> Judgments:
        self.judgments += len(rows)
        encoded = rows.column("object").combine_chunks().dictionary_encode()
        objects, codes = encoded.dictionary.to_numpy(zero_copy_only=False), encoded.indices.to_numpy()
        attributes = rows.column("attribute").combine_chunks().dictionary_encode()
        at, names = attributes.indices.to_numpy(), attributes.dictionary.to_pylist()
        self.attributes |= set(names)
        workers = self._workers(rows)
        if workers is not None:
            self._check_once(objects, names, codes, at, workers)
        position = {name: i for i, name in enumerate(self._asked.attributes)}
        wanted = np.array([position.get(name, -1) for name in names], dtype=np.int64)[at]
        kept = np.flatnonzero(wanted >= 0)
        if "row" in rows.column_names:  # which says in which order the judgments of a pair came
            kept = kept[np.argsort(rows.column("row").to_numpy()[kept], kind="stable")]
        judged = Rows(codes.astype(np.int64), wanted, workers, rows.column("v").to_numpy()).take(kept)
        storage = LongStorage.of(len(objects), len(self._asked.attributes), judged)
        return Judgments(objects, self._asked.attributes, np.array([], dtype=np.object_), storage)

    def _workers(self, rows: pa.Table) -> Integers | None:
        if "worker" not in rows.column_names:
            return None
        encoded = rows.column("worker").combine_chunks().dictionary_encode()
        codes: Integers = encoded.indices.to_numpy().astype(np.int64)
        if self._ranks is None:
            return codes
        ranks: Integers = self._ranks[encoded.dictionary.to_pylist()].to_numpy()
        return ranks[codes]

    @staticmethod
    def _check_once(objects: Any, attributes: list[str], codes: Any, at: Any, workers: Integers) -> None:
        judged = pd.DataFrame({"object": codes, "attribute": at, "worker": workers})
        again = judged[judged.duplicated().to_numpy()]
        if len(again):
            pairs = zip(again["object"], again["attribute"], strict=True)
            raise _JudgedTwiceError([(objects[object_code], attributes[code]) for object_code, code in pairs])


def _worker_ranks(connection: Any, queries: JudgmentQueries) -> pd.Series[Any]:
    """The position of each worker among all of them, in the order in which a table in memory has them."""
    rows = queries.rows(queries.source.relation, extra=queries.who)
    found = connection.sql(f"SELECT DISTINCT worker FROM ({rows}) WHERE state = {VALID}").to_arrow_table()
    names = found.column("worker").to_numpy(zero_copy_only=False)
    plain = names if queries.source.table is None else plain_names(names)
    _, ranks = encode_names(plain, "worker", locate_from_zero)
    return pd.Series(ranks, index=[name_text(name) for name in names])
