"""Errors of a scan by DuckDB: what is wrong with a table, and what DuckDB's own errors mean."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from manyjudges.exceptions import DocumentError, JudgmentsError, LabelsError, ManyJudgesError
from manyjudges.scan.duckdb_queries import LABELLED, JudgmentQueries
from manyjudges.scan.duckdb_sources import Source, table_rows
from manyjudges.scan.faults import find_fault
from manyjudges.tables.files import in_files
from manyjudges.tables.labels import no_labels, without_label
from manyjudges.tables.names import name_key, name_text

_FULL = re.compile(r"no space left|max_temp_directory_size|failed to offload|file too large|could not write", re.I)
"""What DuckDB says where a disk is full."""


_PAIRS = 100_000
"""Pairs in which a worker stands twice that are named."""

_EXAMPLES = 3
"""Objects without a label that are named."""


def table_fault(connection: Any, queries: JudgmentQueries, *, unlabelled: bool = False) -> JudgmentsError | None:
    """What is wrong with rows that are each valid: an attribute judged in two ways, or a worker who judged twice.

    With ``unlabelled``, workers are looked at only in rows of objects without a label.
    """
    valid = f"FROM ({queries.rows(queries.source.relation, extra=queries.who)}) WHERE NOT bad"
    mixed = pairs = []
    if queries.textual:
        mixed = connection.execute(
            f"SELECT attribute {valid} GROUP BY 1 HAVING bit_count(bit_or(kind)) > 1 LIMIT 1"
        ).fetchall()
    if queries.workers:
        only = f"AND object NOT IN (SELECT name FROM {LABELLED})" * unlabelled
        pairs = connection.execute(_twice(f"SELECT object, attribute, worker {valid} {only}")).fetchall()
    return located(connection, queries.source, pairs=pairs) if mixed or pairs else None


def repeated(connection: Any, queries: JudgmentQueries, suspects: pa.Table) -> list[tuple[Any, Any]]:
    """The objects and attributes that a worker judged twice, of ``suspects``, which have a code and an attribute."""
    rows = queries.rows(queries.source.relation, extra=queries.who)
    connection.register("suspects", suspects)
    query = (
        f"SELECT object, j.attribute, worker FROM ({rows}) j JOIN {LABELLED} l ON object = l.name "
        "SEMI JOIN suspects s ON s.code = l.code AND s.attribute = j.attribute WHERE NOT bad"
    )
    pairs: list[tuple[Any, Any]] = connection.execute(_twice(query)).fetchall()
    return pairs


def _twice(query: str) -> str:
    """SQL of the objects and attributes of rows that are there more than once."""
    return f"SELECT DISTINCT object, attribute FROM ({query} GROUP BY ALL HAVING count(*) > 1) LIMIT {_PAIRS}"


def located(
    connection: Any, source: Source, *, pairs: Iterable[tuple[Any, Any]] = (), count: int | None = None
) -> JudgmentsError:
    """Look for a fault that is known to be there, row by row."""
    keys = {(name_key(object_name), name_text(attribute)) for object_name, attribute in pairs}
    parts = source.files.parts() if source.files is not None else table_rows(connection, source)
    return find_fault(parts, skip=source.skip, pairs=keys, count=count) or JudgmentsError(
        f"{source.name}: something is wrong that cannot be found any more. Was it written to meanwhile?"
    )


def nothing(connection: Any, queries: JudgmentQueries, names: Any) -> ManyJudgesError:
    """Say why there is nothing to sum up: there are no rows, all are invalid, or no object has a label."""
    rows = queries.rows(queries.source.relation)
    query = f"SELECT count(*), count(*) FILTER (NOT bad), count(DISTINCT object) FILTER (NOT bad) FROM ({rows})"
    ((n_rows, n_valid, n_objects),) = connection.execute(query).fetchall()
    if not n_valid:
        why = f"all {n_rows:,} rows are invalid" if n_rows else "the table has no rows"
        error = JudgmentsError(f"there are no judgments: {why}.")
        files = queries.source.files
        return error if files is None else in_files(error, files.paths)
    objects = connection.execute(
        f"SELECT DISTINCT object FROM ({rows}) WHERE NOT bad ORDER BY object::VARCHAR LIMIT 2"
    ).fetchall()
    return no_labels(n_objects, [row[0] for row in objects], names)


def unlabelled(connection: Any, queries: JudgmentQueries, names: Any) -> LabelsError:
    """Say which objects have no label; ``names`` are those that have one."""
    rows = queries.rows(queries.source.relation)
    every = f"SELECT DISTINCT object FROM ({rows}) WHERE NOT bad"
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
