"""Sources: tables of judgments too large for the memory, as a query of DuckDB sees them.

A source is a relation of DuckDB with the columns ``object``, ``attribute``, perhaps ``worker``, and ``value`` as they
were written, and with words for where a row stands. Files are read by DuckDB itself. Everything else is read once,
batch by batch, into a table of its own, which DuckDB keeps on disk as far as it does not fit into the memory.
"""

from __future__ import annotations

import bz2
import glob
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet

from manyjudges.base.messages import list_names, quote_path
from manyjudges.exceptions import JudgmentsError
from manyjudges.scan.faults import FileRows, LocatedRows, names_as_text, values_as_text
from manyjudges.scan.options import ROLES
from manyjudges.tables import files
from manyjudges.tables.column_types import check_types, type_class
from manyjudges.tables.columns import SYNONYMS, choose_columns, text_names, unreadable
from manyjudges.tables.formats.content import explained
from manyjudges.tables.formats.delimited import has_separator_line, separator_of
from manyjudges.tables.formats.paths import JSON_LINES, PARQUET, SEPARATORS, kind_of, opened
from manyjudges.tables.formats.registry import column_types, find_tables, heading
from manyjudges.tables.formats.text import UTF8, encoding_of
from manyjudges.tables.grammar import sql_text
from manyjudges.tables.values import Place

_PLAIN_JSON = r"true|false|0|-?[1-9][0-9]*"
"""What a name that is no text may be in JSON for DuckDB to read it: its text is the same everywhere."""

_REJECTED = ("MISSING COLUMNS", "TOO MANY COLUMNS")
"""Why DuckDB leaves a line out that all other readers leave out, too."""

_ODD_QUOTES = re.compile(rb'(^|[,;\t\r\n])[ \t]+"|"[ \t]+([,;\t\r\n]|$)')

_NUMBERS = {"BIGINT", "DOUBLE", "FLOAT"}
_NUMERIC = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_boolean,
    pa.types.is_null,
)

_TABLE = "collected"
"""The table that what is no file is read into."""


@dataclass(frozen=True)
class Source:
    """Judgments as DuckDB sees them.

    Attributes
    ----------
    name : str
        For messages.
    columns : dict of str to str
        The names that the columns have there, by role.
    relation : str
        SQL that stands behind FROM; its columns are named by their roles, and there are no others.
    files : FileRows, optional
        The files, where it is files, for whoever looks at them row by row.
    reader : str
        How files are read: ``"parquet"``, ``"lines"``, or the character that separates; "" for a table of DuckDB's own.
    skip : bool
        Whether rows that are not valid, and lines that cannot be read, are left out.
    unread : int
        Lines that were left out before DuckDB saw them.
    """

    name: str
    columns: dict[str, str]
    relation: str
    files: FileRows | None = None
    reader: str = ""
    skip: bool = False
    unread: int = 0

    @property
    def decimal_comma(self) -> bool:
        """Whether decimals may be written with a comma."""
        return self.reader == ";"

    @property
    def size(self) -> int:
        """How much there is to read: rows of Parquet files, bytes of others; 100 where that cannot be told."""
        paths = [] if self.files is None else [Path(path) for path in self.files.paths]
        if paths and all(kind_of(path) in PARQUET for path in paths):
            return sum(pyarrow.parquet.read_metadata(path).num_rows for path in paths)
        return sum(path.stat().st_size for path in paths) or 100


class NotForDuckDBError(Exception):
    """DuckDB would read files in another way than other readers do; they are read here, and handed to it."""


def _sql_name(column: str) -> str:
    """The name of a column in SQL.

    >>> print(_sql_name('a "b" c'))
    "a ""b"" c"
    """
    return '"' + column.replace('"', '""') + '"'


def open_source(
    connection: Any,
    judgments: Any,
    asked: Mapping[str, str | None],
    *,
    folder: Path,
    skip: bool = False,
    by_duckdb: bool = True,
) -> Source:
    """Let DuckDB see judgments.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    judgments : path, relation, table or iterable of tables
    asked : mapping
        Names of the columns by role, ``"auto"`` where they are to be found.
    folder : path
        For what must be unpacked before DuckDB can read it.
    skip : bool
        Whether lines of files that cannot be read are left out.
    by_duckdb : bool
        Whether DuckDB reads files itself. That is fast, and :class:`NotForDuckDBError` where it is no good.
    """
    if not isinstance(judgments, str | os.PathLike):
        return _collected(connection, _batches(judgments), asked, skip)
    table_files = _files(os.fspath(judgments), asked, skip)
    rows, columns = table_files.rows, dict(table_files.rows.names)
    name = Path(str(judgments)).name
    name = Path(rows.paths[0]).name if len(rows.paths) == 1 else f"{name} ({len(rows.paths):,} files)"
    if not by_duckdb:
        return _handed_over(connection, rows, name)
    reader = _reader_of(table_files)
    unpacked = {_unpacked(path, folder): names for path, names in table_files.headings.items()}
    return Source(name, columns, _read(reader, unpacked, columns, skip=skip), rows, reader, skip)


def unread_lines(connection: Any, source: Source) -> int:
    """How many lines of the files could not be read, and were left out."""
    if not source.skip or source.reader in ("parquet", "lines", ""):
        return source.unread
    # Not fetchone(), which leaves a result open, and nothing can be registered while one is.
    query = (
        f"SELECT count(*), coalesce(bool_and(error_type IN {_REJECTED}), true) "
        "FROM (SELECT DISTINCT ON (scan_id, file_id, line) * FROM reject_errors)"
    )
    ((lines, alike),) = connection.execute(query).fetchall()
    if not alike:
        raise NotForDuckDBError
    return int(lines)


class _SameColumnFiles(NamedTuple):
    """Files of the same columns: their rows, and the names and the types of all columns of each."""

    rows: FileRows
    headings: dict[Path, list[str]]
    types: list[tuple[str, Mapping[str, pa.DataType]]]


def _files(path: str | bytes, asked: Mapping[str, str | None], skip: bool) -> _SameColumnFiles:
    paths = find_tables(str(path))
    headings = {file: heading(file) for file in paths}
    first = headings[paths[0]]
    for file, names in headings.items():
        files.check_same_columns(file, names, paths[0], first)
    types = [(file.name, column_types(file)) for file in paths]
    try:
        columns = choose_columns(first, SYNONYMS, asked, optional=("worker",))
        check_types(types, columns)
    except JudgmentsError as error:
        raise files.in_file(error, paths[0].name) from None
    return _SameColumnFiles(FileRows(paths, columns, skip), headings, types)


def _reader_of(table_files: _SameColumnFiles) -> str:
    """How files are read: ``"parquet"``, ``"lines"``, or the character that separates."""
    readers = {_reader_of_file(path) for path in table_files.headings}
    if len(readers) > 1 or any(
        _is_odd(role, column, table_files.types) for role, column in table_files.rows.names.items()
    ):
        raise NotForDuckDBError
    return readers.pop()


def _reader_of_file(path: Path) -> str:
    kind = kind_of(path)
    if kind in PARQUET:
        return "parquet"
    if kind not in (*JSON_LINES, *SEPARATORS):  # a format that DuckDB knows nothing of
        raise NotForDuckDBError
    with explained(path):
        if encoding_of(path) != UTF8:
            raise NotForDuckDBError
        if kind in JSON_LINES:
            return "lines"
        if _is_odd_text(path) or has_separator_line(path):
            raise NotForDuckDBError
        return separator_of(path)


def _is_odd(role: str, column: str, types: Sequence[tuple[str, Mapping[str, pa.DataType]]]) -> bool:
    """Whether names are of a type, or of several, of which DuckDB would make another text than ``names.name_text``."""
    held = {type_class(kinds[column]) for _, kinds in types if column in kinds} - {"nothing"}
    if role == "value" or not held:
        return False
    strange = {"times", "fractions"} if role == "attribute" else {"times"}
    alike = held <= {"text", "whole numbers"} or held <= {"whole numbers", "fractions"}
    return bool(held & strange) or (len(held) > 1 and not alike)


def _is_odd_text(path: Path) -> bool:
    """Whether DuckDB reads a text in its own way.

    It takes white space away beside a quotation mark where a cell may begin or end, and takes NUL for a letter.
    """
    before = b""
    with opened(path) as stream:
        while data := stream.read(1 << 22):
            near = before[-64:] + data
            if b"\0" in data or (b'"' in near and _ODD_QUOTES.search(near)):
                return True
            before = data
    return False


def _unpacked(path: Path, folder: Path) -> Path:
    """The file, or a copy of it that DuckDB can read, which knows .gz and not .bz2."""
    if path.suffix.lower() != ".bz2":
        return path
    copy = Path(tempfile.mkdtemp(dir=folder)) / path.stem
    with explained(path), bz2.open(path) as packed, copy.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    return copy


def _read(
    reader: str,
    headings: Mapping[Path, Sequence[str]],
    columns: Mapping[str, str],
    *,
    skip: bool = False,
) -> str:
    """SQL that stands behind FROM: columns of files, named by their roles."""
    how = {"parquet": _read_parquet, "lines": _read_lines}.get(reader, partial(_read_separated, reader))
    # Columns by their position: files may have them in different orders.
    alike: dict[tuple[str, ...], list[Path]] = {}
    for path, names in headings.items():
        alike.setdefault(tuple(names) if reader != "lines" else (), []).append(path)
    parts = [how(_listed(some), names, columns, skip) for names, some in alike.items()]
    return f"({' UNION ALL '.join(parts)})"


def _listed(paths: Sequence[Path]) -> str:
    # DuckDB would take brackets in a name for a pattern.
    return "[" + ", ".join(sql_text(glob.escape(str(path))) for path in paths) + "]"


def _read_parquet(listed: str, heading: Sequence[str], columns: Mapping[str, str], skip: bool) -> str:
    # What belongs to a folder's name (value=3/…) is none of our columns.
    table = f"read_parquet({listed}, union_by_name = true, hive_partitioning = false)"
    return (
        f"SELECT {', '.join(f'{_in_duckdb(heading, name)} AS {role}' for role, name in columns.items())} FROM {table}"
    )


def _in_duckdb(heading: Sequence[str], column: str) -> str:
    """What DuckDB calls a column of a Parquet file: names that differ by case alone are numbered."""
    lower = [name.lower() for name in heading]
    before = lower[: heading.index(column)].count(column.lower())
    return _sql_name(f"{column}_{before}" if before else column)


def _read_lines(listed: str, heading: Sequence[str], columns: Mapping[str, str], skip: bool) -> str:
    kinds = {column: "VARCHAR" if role == "value" else "JSON" for role, column in columns.items()}
    wanted = ", ".join(f"{sql_text(column)}: '{kind}'" for column, kind in kinds.items())
    settings = f"format = 'newline_delimited', hive_partitioning = false, ignore_errors = {str(skip).lower()}"
    chosen = ", ".join(
        f"{_sql_name(column) if role == 'value' else _json_name(_sql_name(column))} AS {role}"
        for role, column in columns.items()
    )
    return f"SELECT {chosen} FROM read_json({listed}, {settings}, columns = {{{wanted}}})"


def _json_name(column: str) -> str:
    """SQL of a name in JSON as text: NULL for a list, an error for a number that Python writes in another way."""
    text = f"{column}::VARCHAR"
    return (
        f"CASE WHEN {column} IS NULL OR {text} = 'null' OR left({text}, 1) IN ('[', '{{') THEN NULL "
        f"WHEN left({text}, 1) = '\"' THEN {column} ->> '$' "
        f"WHEN regexp_full_match({text}, {sql_text(_PLAIN_JSON)}) THEN {text} "
        f"ELSE error('a name that DuckDB would write in another way') END"
    )


def _read_separated(separator: str, listed: str, heading: Sequence[str], columns: Mapping[str, str], skip: bool) -> str:
    # All as text: what is a number, a name or a yes is decided by the same rules as for tables in memory.
    every = ", ".join(f"c{at}: 'VARCHAR'" for at in range(len(heading)))
    settings = "header = true, quote = '\"', escape = '\"', auto_detect = false, hive_partitioning = false"
    settings += ", store_rejects = true" * skip
    chosen = ", ".join(f"c{heading.index(column)} AS {role}" for role, column in columns.items())
    return f"SELECT {chosen} FROM read_csv({listed}, delim = {sql_text(separator)}, columns = {{{every}}}, {settings})"


def _handed_over(connection: Any, rows: FileRows, name: str) -> Source:
    """Files that are read here, as a table of DuckDB's own."""
    unread = 0
    connection.execute(f"CREATE TEMP TABLE {_TABLE} ({', '.join(f'{role} VARCHAR' for role in rows.names)})")
    for part, skipped in rows.parts_with_points():
        unread += skipped
        columns = {role: _text_column(role, column) for role, column in part.columns.items()}
        connection.register("part", pa.table(columns))
        connection.execute(f"INSERT INTO {_TABLE} BY NAME SELECT * FROM part")
        connection.unregister("part")
    return Source(name, dict(rows.names), _TABLE, rows, "", rows.skip, unread)


def _text_column(role: str, column: Any) -> Any:
    return pa.array(values_as_text(column) if role == "value" else names_as_text(column), pa.string())


def table_rows(connection: Any, source: Source) -> Iterator[LocatedRows]:
    """The rows of a table of DuckDB's own, in the order in which they came."""
    connection.execute("SET preserve_insertion_order = true")
    names = ", ".join(source.columns)
    done = 0
    for batch in connection.sql(f"SELECT {names} FROM {_TABLE} ORDER BY row").to_arrow_reader(1 << 16):
        frame = batch.to_pandas(integer_object_nulls=True)
        yield LocatedRows({role: frame[role].to_numpy() for role in source.columns}, partial(_place_in_tables, done))
        done += len(frame)


def _place_in_tables(before: int, row: int) -> Place:
    return Place(f"row {before + row + 1:,} of the tables given", before + row + 1)


def _collected(connection: Any, batches: Iterable[pa.Table], asked: Mapping[str, str | None], skip: bool) -> Source:
    """Read tables once, into one of DuckDB's own."""
    columns: dict[str, str] = {}
    n_rows = 0
    for at, batch in enumerate(batches):
        own_columns = choose_columns(batch.column_names, SYNONYMS, asked, optional=("worker",))
        if columns and own_columns != columns:
            raise JudgmentsError(
                f"the columns of table {at} (counting from 0) are {list_names(own_columns.values())}, and those of the "
                f"first are {list_names(columns.values())}; name them alike.",
                value=list(own_columns.values()),
                column="source",
            )
        part = pa.table({role: _plain(batch.column(column), role) for role, column in own_columns.items()})
        rows = pa.array(np.arange(n_rows + 1, n_rows + 1 + len(part)))
        _insert(connection, part.append_column("row", rows), begun=bool(columns))
        columns, n_rows = own_columns, n_rows + len(part)
    if not columns:
        raise JudgmentsError("there are no judgments: no table was given.", column="source")
    return Source("the tables given", {role: role for role in ROLES if role in columns}, _TABLE, skip=skip)


def _insert(connection: Any, part: pa.Table, *, begun: bool) -> None:
    connection.register("part", part)
    try:
        if not begun:
            connection.execute(f"CREATE TEMP TABLE {_TABLE} AS SELECT * FROM part")
            return
        there, new = (
            {row[0]: str(row[1]) for row in connection.execute(f"DESCRIBE {name}").fetchall()}
            for name in (_TABLE, "part")
        )
        for role, kind in new.items():
            if there[role] != kind:  # what came before, and what comes now, as something that both can be
                wider = "DOUBLE" if {kind, there[role]} <= _NUMBERS else "VARCHAR"
                connection.execute(f"ALTER TABLE {_TABLE} ALTER COLUMN {role} TYPE {wider}")
        connection.execute(f"INSERT INTO {_TABLE} BY NAME SELECT * FROM part")
    finally:
        connection.unregister("part")


def _plain(column: Any, role: str) -> Any:
    """A column of one of few types: values are numbers or text, names whole numbers or text, or what else they are."""
    combined = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(combined.type):  # which could differ from table to table
        combined = combined.dictionary_decode()
    kind = combined.type
    whole = pa.types.is_integer(kind) and kind != pa.uint64()
    if role == "value" and (whole or any(is_kind(kind) for is_kind in _NUMERIC)):
        return combined.cast(pa.float64(), safe=False)
    if whole:
        return combined.cast(pa.int64())
    return combined.cast(pa.string()) if pa.types.is_null(kind) or pa.types.is_large_string(kind) else combined


def _batches(tables: Any) -> Iterator[pa.Table]:
    """Tables of an iterable, of a relation, or a single one, as Arrow."""
    if hasattr(tables, "to_arrow_reader"):  # a relation of DuckDB, of whatever connection
        for batch in tables.to_arrow_reader(1 << 18):
            yield pa.Table.from_batches([batch])
        return
    if isinstance(tables, pa.RecordBatchReader):
        for batch in tables:
            yield pa.Table.from_batches([batch])
        return
    whole = _as_arrow(tables)
    if whole is not None:
        yield whole
    elif isinstance(tables, Iterable) and not isinstance(tables, bytes | Mapping):
        for at, part in enumerate(tables):
            table = _as_arrow(part)
            if table is None:
                raise JudgmentsError(
                    f"part {at} is of type {type(part).__name__}, which is not a table; give data frames.",
                    value=part,
                    column="source",
                )
            yield table
    else:
        raise JudgmentsError(
            "judgments are read from a path, a data frame, a DuckDB relation, or tables one after the other, not from "
            f"{quote_path(tables)}.",
            value=tables,
            column="source",
        )


def _as_arrow(data: Any) -> pa.Table | None:
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    try:
        frame = nw.from_native(data, eager_only=True)
    except nw.exceptions.NarwhalsError as error:
        raise unreadable(error, "source") from None
    except TypeError:
        return None
    frame = text_names(frame)
    try:
        table: pa.Table = frame.to_arrow()
    except (pa.ArrowException, ValueError) as error:
        raise unreadable(error, "source") from None
    return table
