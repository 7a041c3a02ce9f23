"""Errors of a scan: where in a large table something is wrong, found when it is known that something is."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from manyjudges.base.messages import list_names, quote_value
from manyjudges.exceptions import DocumentError, JudgmentsError, LabelsError, ManyJudgesError
from manyjudges.scan.duckdb_queries import LABELLED, JudgmentQueries
from manyjudges.scan.duckdb_sources import Source
from manyjudges.tables.formats.content import explained
from manyjudges.tables.formats.json_lines import record_of
from manyjudges.tables.formats.paths import JSON_LINES, PARQUET, SEPARATORS, kind_of
from manyjudges.tables.grammar import KINDS, is_blank, is_infinite, read_value
from manyjudges.tables.labels import no_labels

REMEDY = "Correct it, or leave such rows out and have them counted: on_invalid='skip' (--on-invalid skip)."

FULL = re.compile(r"no space left|max_temp_directory_size|failed to offload|file too large|could not write", re.I)
"""What DuckDB says where a disk is full."""


LINE = re.compile(
    r"CSV Error on Line: (\d+)\s+Original Line:(.*?)\n(?:\s*Expected Number of Columns: (\d+) Found: (\d+))?", re.S
)
PLACE = re.compile(r"^\s*file = (.*)$", re.M)
"""What DuckDB says of a line that it cannot read: one with too many cells, too few, or a quotation mark alone."""


def bad_row(connection: Any, queries: JudgmentQueries, count: int) -> JudgmentsError:
    """Say which row is the first that is invalid."""
    source = queries.source
    more = f" ({count - 1:,} more rows are like it)" if count > 1 else ""
    for place, relation, path in _places(connection, source):
        written = ", ".join(f"{role}::VARCHAR AS said_{role}" for role in source.columns)
        rows = queries.rows(relation, extra=f", row, {written}")
        result = connection.execute(f"SELECT row, * FROM ({rows}) WHERE bad ORDER BY row LIMIT 1")
        names = [column[0] for column in result.description]
        if first := result.fetchall():
            said = dict(zip(names, first[0], strict=True))
            number = int(said["row"])
            where = f"row {number:,}{place}{_row_group(path, number)}"
            wrong, role, value = _what(said, list(source.columns), textual=queries.textual)
            return JudgmentsError(
                f"{where}: {wrong}{more}. {REMEDY}",
                value=value,
                row=number,
                column=role,
                file=None if path is None else path.name,
            )
    return JudgmentsError(f"{source.name}: {count:,} rows are invalid, but they cannot be found any more.")


def nothing(connection: Any, queries: JudgmentQueries, names: Any) -> ManyJudgesError:
    """Say why there is nothing to sum up: there are no rows, all are invalid, or no object has a label."""
    rows = queries.rows(queries.source.relation)
    query = f"SELECT count(*), count(*) FILTER (NOT bad), count(DISTINCT object) FILTER (NOT bad) FROM ({rows})"
    ((n_rows, n_valid, n_objects),) = connection.execute(query).fetchall()
    if not n_rows:
        return JudgmentsError("there are no judgments: the table has no rows.")
    if not n_valid:
        return JudgmentsError(f"there are no judgments: all {n_rows:,} rows are invalid.")
    objects = connection.execute(f"SELECT DISTINCT object FROM ({rows}) WHERE NOT bad ORDER BY 1 LIMIT 2").fetchall()
    return no_labels(n_objects, [row[0] for row in objects], names)


def mixed_kinds(connection: Any, queries: JudgmentQueries, attribute: str) -> JudgmentsError:
    """Say by which rows an attribute is judged in two ways."""
    examples: dict[int, tuple[int, int, str, str, str | None]] = {}
    for at, (place, relation, path) in enumerate(_places(connection, queries.source)):
        rows = queries.rows(relation, extra=", row, value::VARCHAR AS said")
        query = (
            f"SELECT kind, min(row), arg_min(said, row) FROM ({rows}) "
            "WHERE attribute = ? AND NOT bad GROUP BY 1 ORDER BY 1"
        )
        for bit, row, said in connection.execute(query, [attribute]).fetchall():
            kind = KINDS[read_value(said, decimal_comma=queries.source.decimal_comma).kind]
            words = f"{quote_value(said)} (row {row:,}{place}, {kind})"
            examples.setdefault(int(bit), (at, int(row), words, said, None if path is None else path.name))
        if len(examples) > 1:
            break
    first, second, *_ = [*sorted(examples.values())]
    return JudgmentsError(
        f"judgments of {attribute!r} are of more than one kind: {first[2]} and {second[2]}. "
        "Write all of them in the same way.",
        value=second[3],
        row=second[1],
        column="value",
        file=second[4],
    )


def repeated(connection: Any, queries: JudgmentQueries, suspects: pa.Table) -> JudgmentsError | None:
    """Say who judged the same twice; None where nobody did.

    ``suspects`` has the code and the attribute of pairs to look at.
    """
    rows = queries.rows(queries.source.relation, extra=", worker")
    connection.register("suspects", suspects)
    query = (
        f"SELECT object, j.attribute, worker, count(*) FROM ({rows}) j JOIN {LABELLED} l ON object = l.name "
        "SEMI JOIN suspects s ON s.code = l.code AND s.attribute = j.attribute WHERE NOT bad "
        "GROUP BY ALL HAVING count(*) > 1 ORDER BY ALL LIMIT 1"
    )
    found = connection.execute(query).fetchall()
    if not found:
        return None
    thing, attribute, who, count = found[0]
    standing = _standing(connection, queries, found[0])[:2]
    places = " and ".join(words for words, _, _ in standing)
    return JudgmentsError(
        f"worker {quote_value(who)} judged {attribute!r} of object {quote_value(thing)} {count:,} "
        f"times, in {places}. Keep one, or "
        "ignore the workers: worker=None (--column worker=).",
        value=who,
        row=standing[-1][1],
        column="worker",
        file=standing[-1][2],
    )


def unlabelled(connection: Any, queries: JudgmentQueries, labelled: Any) -> LabelsError:
    """Say which objects have no label."""
    rows = queries.rows(queries.source.relation)
    query = (
        f"SELECT object, count(*) OVER () FROM (SELECT DISTINCT object FROM ({rows}) WHERE NOT bad) "
        f"ANTI JOIN {LABELLED} ON object = name ORDER BY object LIMIT 4"
    )
    found = connection.execute(query).fetchall()
    many = int(found[0][1])
    names = list_names([row[0] for row in found[:3]])
    more = f" and {many - 3:,} more" if many > 3 else ""
    return LabelsError(
        f"{many:,} objects have judgments and no label: {names}{more}; there are {len(labelled):,} labels, of objects "
        f"such as {list_names(labelled[:2])}. Give each object its label, or pass unmatched='drop' (--unmatched "
        "drop) to leave out what does not match.",
        row=str(found[0][0]),
        column="object",
    )


def failure(error: Exception, source: str, paths: Sequence[Path], temporary: Path) -> ManyJudgesError:
    """What an error of DuckDB means, and what to do."""
    words = " ".join(str(error).split())
    if FULL.search(words):
        return DocumentError(
            f"the disk is full: what does not fit into the memory is kept in {str(temporary.parent)!r}, and there is "
            "no more room. Make some, name a folder on a larger disk (temp_dir=, --temp-dir), or allow more memory "
            "(memory_limit=, --memory-limit). Nothing was written."
        )
    if "Out of Memory" in words or "out of memory" in words:
        return DocumentError(
            "the memory that DuckDB may use is too small for this table; allow more: memory_limit= (--memory-limit)."
        )
    if (line := LINE.search(str(error))) is not None:
        number, said, wanted, found = line.groups()
        where = PLACE.search(str(error))
        wrong = "cannot be read"
        if found is not None:
            wrong = f"has {found} cell{'s' * (found != '1')}, and the heading has {wanted}"
        name = source if where is None else Path(where[1]).name
        return DocumentError(
            f"line {int(number):,} of {name} {wrong}: {quote_value(said.strip())}. {REMEDY}",
            value=None if found is None else said.strip(),
            row=int(number),
            file=name,
        )
    return _unreadable(paths) or DocumentError(f"{source} cannot be read: {words.rstrip('.')}.")


def _unreadable(paths: Sequence[Path]) -> DocumentError | None:
    """Say which of some files cannot be read, and where in it; None where all can."""
    for path in paths:
        try:
            with explained(path):
                _read_through(path)
        except DocumentError as error:
            return error
    return None


def _read_through(path: Path) -> None:
    if kind_of(path) in JSON_LINES:
        with pa.input_stream(path, compression="detect") as stream:
            for number, line in enumerate(io.BufferedReader(stream), start=1):
                if line.strip():
                    record_of(line.decode("utf-8-sig"), number, path)
        return
    if kind_of(path) not in PARQUET:
        with pa.input_stream(path, compression="detect") as stream:
            while stream.read(1 << 24):
                pass
        return
    with pyarrow.parquet.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            try:
                file.read_row_group(group)
            except (pa.ArrowException, OSError) as error:
                words = " ".join(str(error).split()).rstrip(".")
                raise DocumentError(f"{path.name}, row group {group}, cannot be read: {words}.") from None


def _places(connection: Any, source: Source) -> Iterator[tuple[str, str, Path | None]]:
    """Parts of a source to look through, one after the other: words for where they are, and SQL."""
    connection.execute("SET preserve_insertion_order = true")  # rows are counted now
    if not source.paths:
        yield f" of {source.name}", source.relation, None
    for path in source.paths:
        heading = " (not counting the heading)" if kind_of(path) in SEPARATORS else ""
        yield f" of {path.name}{heading}", source.of_file(path), path


def _standing(connection: Any, queries: JudgmentQueries, pair: tuple[Any, ...]) -> list[tuple[str, int, str | None]]:
    """Where the judgments of a pair by a worker stand: in words, the row, and the file."""
    found: list[tuple[str, int, str | None]] = []
    for place, relation, path in _places(connection, queries.source):
        rows = queries.rows(relation, extra=f", row, worker::{queries.types['worker']} AS worker")
        query = f"SELECT row FROM ({rows}) WHERE object = ? AND attribute = ? AND worker = ? ORDER BY row LIMIT 2"
        name = None if path is None else path.name
        for (row,) in connection.execute(query, list(pair[:3])).fetchall():
            found.append((f"row {row:,}{place}", int(row), name))
        if len(found) > 1:
            break
    return found


def _what(said: dict[str, Any], roles: Sequence[str], *, textual: bool) -> tuple[str, str, object]:
    """What is wrong with a row, in which column, and the value there."""
    for role in roles:
        name = said[f"said_{role}"]
        if role != "value" and (name is None or is_blank(name)):
            return f"there is no {role}", role, None
    value = said["said_value"]
    if value is None or is_blank(value) or (not textual and value == "nan"):
        return f"the value is missing, as a judgment of {said['attribute']!r}", "value", None
    wrong = "is not finite" if is_infinite(value) else "is not a number, true/false or yes/no"
    return f"{quote_value(value)} {wrong}, as a judgment of {said['attribute']!r}", "value", value


def _row_group(path: Path | None, row: int) -> str:
    """The row group that a row stands in, where the file has several."""
    if path is None or kind_of(path) not in PARQUET:
        return ""
    metadata = pyarrow.parquet.read_metadata(path)
    before = 0
    for group in range(metadata.num_row_groups):
        before += metadata.row_group(group).num_rows
        if row <= before:
            return f", row group {group}" if metadata.num_row_groups > 1 else ""
    return ""
