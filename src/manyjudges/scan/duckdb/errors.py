"""Errors of a scan by DuckDB: what is wrong with a table, and what DuckDB's own errors mean."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from manyjudges.exceptions import DocumentError, JudgmentsError, LabelsError, ManyJudgesError
from manyjudges.scan.duckdb.queries import LABELLED, VALID, JudgmentQueries
from manyjudges.scan.duckdb.sources import Source, rows_of
from manyjudges.scan.faults import RowReading, find_emptiness, find_fault
from manyjudges.tables.files import in_files
from manyjudges.tables.labels import no_labels, without_label
from manyjudges.tables.names import name_key, name_text
from manyjudges.tables.reading.cell_rows import error_of_coding
from manyjudges.tables.reading.cells import check_drop
from manyjudges.tables.values import REMEDY

_FULL = re.compile(r"no space left|max_temp_directory_size|failed to offload|file too large|could not write", re.I)
"""What DuckDB says where a disk is full."""


_PAIRS = 100_000
"""Pairs in which a worker stands twice that are named."""

_EXAMPLES = 3
"""Objects without a label that are named."""


def table_fault(connection: Any, queries: JudgmentQueries, *, unlabelled: bool = False) -> JudgmentsError | None:
    """What is wrong with rows that are each valid: a worker who judged twice.

    With ``unlabelled``, only rows of objects without a label are looked at.
    """
    if not queries.workers:
        return None
    rows = queries.rows(queries.source.relation, extra=queries.who)
    only = f"AND object NOT IN (SELECT name FROM {LABELLED})" * unlabelled
    query = _twice(f"SELECT object, attribute, worker FROM ({rows}) WHERE state = {VALID} {only}")
    pairs = connection.execute(query).fetchall()
    return located(connection, queries, pairs=pairs) if pairs else None


def repeated(connection: Any, queries: JudgmentQueries, suspects: pa.Table) -> list[tuple[Any, Any]]:
    """The objects and attributes that a worker judged twice, of ``suspects``, which have a code and an attribute."""
    rows = queries.rows(queries.source.relation, extra=queries.who)
    connection.register("suspects", suspects)
    query = (
        f"SELECT object, j.attribute, worker FROM ({rows}) j JOIN {LABELLED} l ON object = l.name "
        f"SEMI JOIN suspects s ON s.code = l.code AND s.attribute = j.attribute WHERE state = {VALID}"
    )
    pairs: list[tuple[Any, Any]] = connection.execute(_twice(query)).fetchall()
    return pairs


def _twice(query: str) -> str:
    """SQL of the objects and attributes of rows that are there more than once."""
    return f"SELECT DISTINCT object, attribute FROM ({query} GROUP BY ALL HAVING count(*) > 1) LIMIT {_PAIRS}"


def located(
    connection: Any, queries: JudgmentQueries, *, pairs: Iterable[tuple[Any, Any]] = (), count: int | None = None
) -> JudgmentsError:
    """Look for a fault that is known to be there, row by row."""
    source = queries.source
    keys = {(name_key(object_name), name_text(attribute)) for object_name, attribute in pairs}
    fault = find_fault(rows_of(connection, source), row_reading(queries), pairs=keys, count=count)
    if fault is None:
        return JudgmentsError(
            f"{source.name}: something is wrong that cannot be found any more. Was it written to meanwhile?"
        )
    return _in_files(fault, source)


def row_reading(queries: JudgmentQueries) -> RowReading:
    """How the rows of a source are read one by one."""
    source = queries.source
    remedy = REMEDY if source.table is not None else ""
    return RowReading(queries.options, queries.answers.codings, source.no_answer, remedy)


def uncoded(connection: Any, queries: JudgmentQueries) -> ManyJudgesError:
    """What to say of an attribute of which it cannot be told what its answers stand for."""
    reading = row_reading(queries)
    rows = map(reading.answered, rows_of(connection, queries.source))
    return _in_files(error_of_coding(queries.answers.errors, rows), queries.source)


def nothing(connection: Any, queries: JudgmentQueries, names: Any) -> ManyJudgesError:
    """Say why there is nothing to sum up: no rows, answers, attributes, valid rows, or labels."""
    source = queries.source
    rows = queries.rows(source.relation)
    query = f"SELECT count(DISTINCT object) FILTER (state = {VALID}) FROM ({rows})"
    ((n_objects,),) = connection.execute(query).fetchall()
    if not n_objects:
        return _in_files(find_emptiness(rows_of(connection, source), row_reading(queries)), source)
    objects = connection.execute(
        f"SELECT DISTINCT object FROM ({rows}) WHERE state = {VALID} ORDER BY object::VARCHAR LIMIT 2"
    ).fetchall()
    return no_labels(n_objects, [row[0] for row in objects], names)


def check_dropped(connection: Any, queries: JudgmentQueries) -> None:
    """Refuse to drop what a long table does not have."""
    source = queries.source
    if not queries.options.drop or source.layout.shape != "long":
        return
    present = connection.execute(f"SELECT DISTINCT {queries.attribute} FROM {source.relation}").fetchall()
    try:
        check_drop((name for (name,) in present if name is not None), source.headings, queries.options)
    except JudgmentsError as error:
        raise _in_files(error, source) from None


def _in_files(error: JudgmentsError, source: Source) -> JudgmentsError:
    """The same error, which also says in which file, where there is just one."""
    return error if source.table is None else cast(JudgmentsError, in_files(error, source.table.paths))


def unlabelled(connection: Any, queries: JudgmentQueries, names: Any) -> LabelsError:
    """Say which objects have no label; ``names`` are those that have one."""
    rows = queries.rows(queries.source.relation)
    every = f"SELECT DISTINCT object FROM ({rows}) WHERE state = {VALID}"
    ((n_objects,),) = connection.execute(f"SELECT count(*) FROM ({every})").fetchall()
    some = connection.execute(
        f"SELECT object, count(*) OVER () FROM ({every}) ANTI JOIN {LABELLED} ON object = name "
        f"ORDER BY object::VARCHAR LIMIT {_EXAMPLES}"
    ).fetchall()
    many, objects = int(some[0][1]), [row[0] for row in some]
    return no_labels(n_objects, objects, names) if many == n_objects else without_label(many, n_objects, objects)


def failure(error: Exception, temporary: Path) -> DocumentError | None:
    """What an error of DuckDB means, and what to do; None where it is about what is in a file."""
    words = " ".join(str(error).split())
    if _FULL.search(words):
        return DocumentError(
            f"the disk is full: what does not fit into the memory is kept in {str(temporary.parent)!r}, and there is "
            "no more room. Make some, name a folder on a larger disk (temp_dir=, --temp-dir), or allow more memory "
            "(memory_limit=, --memory-limit). Nothing was written.",
            value=str(temporary.parent),
            column="temp_dir",
        )
    if "out of memory" in words.lower():
        return DocumentError(
            "the memory that DuckDB may use is too small for this table; allow more: memory_limit= (--memory-limit).",
            column="memory_limit",
        )
    return None


def unreadable(error: Exception, source: str) -> DocumentError:
    """What to say where nothing is known but DuckDB's own words."""
    words = " ".join(str(error).split())
    return DocumentError(f"{source} cannot be read: {words.rstrip('.')}.", file=source)
