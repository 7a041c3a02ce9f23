"""Sources: tables of judgments too large for the memory, as a query of DuckDB sees them.

A source is a relation of DuckDB with the columns ``object``, ``attribute``, perhaps ``worker``, and ``value`` as they
were written, and with words for where a row stands. Files are read by DuckDB itself. Everything else is read once,
batch by batch, into a table of its own, which DuckDB keeps on disk as far as it does not fit into the memory.
"""

from __future__ import annotations

import bz2
import glob
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet

from manyjudges.base.messages import list_names, quote_path
from manyjudges.exceptions import DocumentError, JudgmentsError
from manyjudges.scan.options import ROLES
from manyjudges.tables import files
from manyjudges.tables.columns import SYNONYMS, choose_columns
from manyjudges.tables.formats.content import explained
from manyjudges.tables.formats.delimited import separator_of
from manyjudges.tables.formats.paths import JSON_LINES, PARQUET, expand, kind_of
from manyjudges.tables.formats.registry import heading
from manyjudges.tables.grammar import sql_text

ROW = "file_row_number"
"""What DuckDB calls the number of a row in a Parquet file, from 0."""

NUMBERS = {"BIGINT", "DOUBLE", "FLOAT"}
NUMERIC = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_boolean,
    pa.types.is_null,
)

TABLE = "collected"
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
    paths : tuple of Path
        The files, where it is files.
    reader : str
        How files are read: ``"parquet"``, ``"lines"``, or the character that separates.
    skip : bool
        Whether lines that cannot be read are left out.
    """

    name: str
    columns: dict[str, str]
    relation: str
    paths: tuple[Path, ...] = ()
    reader: str = ""
    skip: bool = False

    @property
    def decimal_comma(self) -> bool:
        """Whether decimals may be written with a comma."""
        return self.reader == ";"

    def of_file(self, path: Path) -> str:
        """SQL that stands behind FROM, for one of the files, with a column ``row`` from 1."""
        return _read(self.reader, {path: heading(path)}, self.columns, skip=self.skip, numbered=True)

    @property
    def size(self) -> int:
        """How much there is to read: rows of Parquet files, bytes of others; 100 where that cannot be told."""
        if self.reader == "parquet":
            return sum(pyarrow.parquet.read_metadata(path).num_rows for path in self.paths)
        return sum(path.stat().st_size for path in self.paths) or 100


def _sql_name(column: str) -> str:
    """The name of a column in SQL.

    >>> print(_sql_name('a "b" c'))
    "a ""b"" c"
    """
    return '"' + column.replace('"', '""') + '"'


def open_source(
    connection: Any, given: Any, asked: Mapping[str, str | None], *, folder: Path, skip: bool = False
) -> Source:
    """Let DuckDB see judgments.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    given : path, relation, table or iterable of tables
    asked : mapping
        Names of the columns by role, ``"auto"`` where they are to be found.
    folder : path
        For what must be unpacked before DuckDB can read it.
    skip : bool
        Whether lines of files that cannot be read are left out.
    """
    if isinstance(given, str | os.PathLike):
        return _of_files(os.fspath(given), asked, folder=folder, skip=skip)
    return _collected(connection, _batches(given), asked)


def unread_lines(connection: Any, source: Source) -> int:
    """How many lines of the files could not be read, and were left out."""
    if not source.skip or source.reader in ("parquet", "lines", ""):
        return 0
    # Not fetchone(), which leaves a result open, and nothing can be registered while one is.
    query = "SELECT count(*) FROM (SELECT DISTINCT scan_id, file_id, line FROM reject_errors)"
    return int(connection.execute(query).fetchall()[0][0])


def _of_files(path: str | bytes, asked: Mapping[str, str | None], *, folder: Path, skip: bool) -> Source:
    paths = [_unpacked(each, folder) for each in expand(str(path), folders=True)]
    readers = {_reader_of(each): each for each in paths}
    if len(readers) > 1:
        odd = " and ".join(repr(each.name) for each in readers.values())
        raise DocumentError(
            f"{quote_path(path)} are files of several kinds, such as {odd}; name those of one kind.", value=path
        )
    reader = next(iter(readers))
    headings = {each: heading(each) for each in paths}
    first = headings[paths[0]]
    for each, names in headings.items():
        files.check_same_columns(each, names, paths[0], first)
    try:
        columns = choose_columns(first, SYNONYMS, asked, optional=("worker",))
    except JudgmentsError as error:
        raise files.in_file(error, paths[0].name) from None
    called = paths[0].name if len(paths) == 1 else f"{Path(str(path)).name} ({len(paths):,} files)"
    return Source(called, columns, _read(reader, headings, columns, skip=skip), tuple(paths), reader, skip)


def _unpacked(path: Path, folder: Path) -> Path:
    """The file, or a copy of it that DuckDB can read, which knows .gz and not .bz2."""
    if path.suffix.lower() != ".bz2":
        return path
    copy = Path(tempfile.mkdtemp(dir=folder)) / path.stem
    with explained(path), bz2.open(path) as packed, copy.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    return copy


def _reader_of(path: Path) -> str:
    """How a file is read: ``"parquet"``, ``"lines"``, or the character that separates."""
    kind = kind_of(path)
    if kind in PARQUET:
        return "parquet"
    if kind in JSON_LINES:
        return "lines"
    with explained(path):
        return separator_of(path)


def _read(
    reader: str,
    headings: Mapping[Path, Sequence[str]],
    columns: Mapping[str, str],
    *,
    skip: bool = False,
    numbered: bool = False,
) -> str:
    """SQL that stands behind FROM: columns of files, named by their roles, and perhaps the number of each ``row``."""
    how = {"parquet": _read_parquet, "lines": _read_lines}.get(reader, partial(_read_separated, reader))
    # Columns by their position: files may have them in different orders.
    alike: dict[tuple[str, ...], list[Path]] = {}
    for path, names in headings.items():
        alike.setdefault(tuple(names) if reader != "lines" else (), []).append(path)
    parts = [how(_listed(some), names, columns, skip, numbered) for names, some in alike.items()]
    return f"({' UNION ALL '.join(parts)})"


def _listed(paths: Sequence[Path]) -> str:
    # DuckDB would take brackets in a name for a pattern.
    return "[" + ", ".join(sql_text(glob.escape(str(path))) for path in paths) + "]"


def _read_parquet(listed: str, heading: Sequence[str], columns: Mapping[str, str], skip: bool, numbered: bool) -> str:
    # What belongs to a folder's name (value=3/…) is none of our columns.
    table = f"read_parquet({listed}, union_by_name = true, hive_partitioning = false"
    own = numbered and ROW not in [column.lower() for column in heading]
    row = [f"{ROW} + 1 AS row" if own else "row_number() OVER () AS row"] * numbered
    chosen = ", ".join([*(f"{_in_duckdb(heading, name)} AS {role}" for role, name in columns.items()), *row])
    return f"SELECT {chosen} FROM {table}{f', {ROW} = true' if own else ''})"


def _in_duckdb(heading: Sequence[str], column: str) -> str:
    """What DuckDB calls a column of a Parquet file: names that differ by case alone are numbered."""
    lower = [each.lower() for each in heading]
    before = lower[: heading.index(column)].count(column.lower())
    return _sql_name(f"{column}_{before}" if before else column)


def _read_lines(listed: str, heading: Sequence[str], columns: Mapping[str, str], skip: bool, numbered: bool) -> str:
    wanted = ", ".join(f"{sql_text(column)}: 'VARCHAR'" for column in columns.values())
    terms = f"format = 'newline_delimited', hive_partitioning = false, ignore_errors = {str(skip).lower()}"
    row = ["row_number() OVER () AS row"] * numbered
    chosen = ", ".join([*(f"{_sql_name(column)} AS {role}" for role, column in columns.items()), *row])
    return f"SELECT {chosen} FROM read_json({listed}, {terms}, columns = {{{wanted}}})"


def _read_separated(
    separator: str, listed: str, heading: Sequence[str], columns: Mapping[str, str], skip: bool, numbered: bool
) -> str:
    # All as text: what is a number, a name or a yes is decided by the same rules as for tables in memory.
    every = ", ".join(f"c{at}: 'VARCHAR'" for at in range(len(heading)))
    terms = "header = true, quote = '\"', escape = '\"', auto_detect = false, hive_partitioning = false"
    terms += ", store_rejects = true" * skip
    row = ["row_number() OVER () AS row"] * numbered
    chosen = ", ".join([*(f"c{heading.index(column)} AS {role}" for role, column in columns.items()), *row])
    return f"SELECT {chosen} FROM read_csv({listed}, delim = {sql_text(separator)}, columns = {{{every}}}, {terms})"


def _collected(connection: Any, batches: Iterable[pa.Table], asked: Mapping[str, str | None]) -> Source:
    """Read tables once, into one of DuckDB's own."""
    columns: dict[str, str] = {}
    n_rows = 0
    for at, batch in enumerate(batches):
        found = choose_columns(batch.column_names, SYNONYMS, asked, optional=("worker",))
        if columns and found != columns:
            raise JudgmentsError(
                f"the columns of table {at} (counting from 0) are {list_names(found.values())}, and those of the first "
                f"are {list_names(columns.values())}; name them alike."
            )
        part = pa.table({role: _plain(batch.column(column), role) for role, column in found.items()})
        rows = pa.array(np.arange(n_rows + 1, n_rows + 1 + len(part)))
        _insert(connection, part.append_column("row", rows), begun=bool(columns))
        columns, n_rows = found, n_rows + len(part)
    if not columns:
        raise JudgmentsError("there are no judgments: there is no table to read.")
    return Source("the tables given", {role: role for role in ROLES if role in columns}, TABLE)


def _insert(connection: Any, part: pa.Table, *, begun: bool) -> None:
    connection.register("part", part)
    try:
        if not begun:
            connection.execute(f"CREATE TEMP TABLE {TABLE} AS SELECT * FROM part")
            return
        there, new = (
            {row[0]: str(row[1]) for row in connection.execute(f"DESCRIBE {each}").fetchall()}
            for each in (TABLE, "part")
        )
        for role, kind in new.items():
            if there[role] != kind:  # what came before, and what comes now, as something that both can be
                wider = "DOUBLE" if {kind, there[role]} <= NUMBERS else "VARCHAR"
                connection.execute(f"ALTER TABLE {TABLE} ALTER COLUMN {role} TYPE {wider}")
        connection.execute(f"INSERT INTO {TABLE} BY NAME SELECT * FROM part")
    finally:
        connection.unregister("part")


def _plain(column: Any, role: str) -> Any:
    """A column of one of few types: values are numbers or text, names whole numbers or text, or what else they are."""
    combined = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(combined.type):  # which could differ from table to table
        combined = combined.dictionary_decode()
    kind = combined.type
    whole = pa.types.is_integer(kind) and kind != pa.uint64()
    if role == "value" and (whole or any(each(kind) for each in NUMERIC)):
        return combined.cast(pa.float64(), safe=False)
    if whole:
        return combined.cast(pa.int64())
    return combined.cast(pa.string()) if pa.types.is_null(kind) or pa.types.is_large_string(kind) else combined


def _batches(given: Any) -> Iterator[pa.Table]:
    """Tables of an iterable, of a relation, or a single one, as Arrow."""
    if hasattr(given, "to_arrow_reader"):  # a relation of DuckDB, of whatever connection
        for batch in given.to_arrow_reader(1 << 18):
            yield pa.Table.from_batches([batch])
        return
    if isinstance(given, pa.RecordBatchReader):
        for batch in given:
            yield pa.Table.from_batches([batch])
        return
    whole = _as_arrow(given)
    if whole is not None:
        yield whole
    elif isinstance(given, Iterable) and not isinstance(given, bytes | Mapping):
        for at, each in enumerate(given):
            table = _as_arrow(each)
            if table is None:
                raise JudgmentsError(f"part {at} is a {type(each).__name__}, which is no table; give data frames.")
            yield table
    else:
        raise JudgmentsError(
            "judgments are read from a path, a DuckDB relation, or tables one after the other, not from "
            f"{quote_path(given)}.",
            value=given,
        )


def _as_arrow(given: Any) -> pa.Table | None:
    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given])
    try:
        frame: Any = nw.from_native(given, eager_only=True)
        table: pa.Table = frame.to_arrow()
    except TypeError:
        return None
    except (pa.ArrowException, ValueError) as error:
        raise JudgmentsError(f"a table cannot be read: {' '.join(str(error).split())}") from None
    return table
