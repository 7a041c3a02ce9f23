"""Sources: tables of judgments too large for the memory, as a query of DuckDB sees them.

A source is a relation of DuckDB with the columns ``object``, ``attribute``, perhaps ``worker``, and ``value`` as they
were written, and with words for where a row stands. Files are read by DuckDB itself. Everything else is read once,
batch by batch, into a table of its own, which DuckDB keeps on disk as far as it does not fit into the memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import narwhals as nw
import pyarrow as pa
import pyarrow.parquet

from manyjudges import files
from manyjudges.exceptions import DocumentError, JudgmentsError, ManyJudgesError, name_some, shown

ROLES = ("object", "attribute", "worker", "value")
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
        SQL that stands behind FROM.
    paths : tuple of Path
        The files, where it is files.
    commas : bool
        Whether decimals may be written with a comma.
    """

    name: str
    columns: dict[str, str]
    relation: str
    paths: tuple[Path, ...] = ()
    commas: bool = False
    _reader: str = field(default="", repr=False)

    def of_file(self, path: Path) -> str:
        """SQL that stands behind FROM, for one of the files, with a column ``row`` from 1."""
        if self._reader == "parquet":
            return f"(SELECT *, file_row_number + 1 AS row FROM read_parquet({text(path)}, file_row_number = true))"
        return (
            f"(SELECT *, row_number() OVER () AS row FROM {_read(self._reader, [path], list(self.columns.values()))})"
        )

    @property
    def size(self) -> int:
        """How much there is to read: rows of Parquet files, bytes of others; 100 where that cannot be told."""
        if self._reader == "parquet":
            return sum(pyarrow.parquet.read_metadata(path).num_rows for path in self.paths)
        return sum(path.stat().st_size for path in self.paths) or 100


def text(value: object) -> str:
    """A text of SQL.

    >>> text("it's")
    "'it''s'"
    """
    return "'" + str(value).replace("'", "''") + "'"


def name(column: str) -> str:
    """The name of a column in SQL.

    >>> print(name('a "b" c'))
    "a ""b"" c"
    """
    return '"' + column.replace('"', '""') + '"'


def open_source(connection: Any, given: Any, asked: Mapping[str, str | None]) -> Source:
    """Let DuckDB see judgments.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    given : path, address, relation, table or iterable of tables
    asked : mapping
        Names of the columns by role, ``"auto"`` where they are to be found.
    """
    if isinstance(given, os.PathLike) or (isinstance(given, str) and "://" not in given):
        return _of_files(os.fspath(given), asked)
    batches = _of_store(given) if isinstance(given, str) else _batches(given)
    return _collected(connection, batches, asked)


def _of_files(path: str | bytes, asked: Mapping[str, str | None]) -> Source:
    paths = files.expand(str(path), folders=True)
    kinds = {_reader_of(each) for each in paths}
    if len(kinds) > 1:
        raise DocumentError(
            f"{shown(path)} are files of several kinds, {', '.join(sorted(kinds))}; name those of one kind."
        )
    reader = kinds.pop()
    headings = {each: files.heading(each) for each in paths}
    first = headings[paths[0]]
    for each, heading in headings.items():
        if set(heading) != set(first):
            odd = sorted(set(heading) ^ set(first))
            raise DocumentError(f"{each.name} and {paths[0].name} do not have the same columns: {name_some(odd)}.")
    try:
        columns = files.choose_columns(first, files.SYNONYMS, asked, optional=("worker",))
    except JudgmentsError as error:
        raise JudgmentsError(f"{paths[0].name}: {error}") from None
    called = paths[0].name if len(paths) == 1 else f"{Path(str(path)).name} ({len(paths):,} files)"
    relation = _read(reader, paths, list(columns.values()))
    return Source(called, columns, relation, tuple(paths), reader == ";", reader)


def _reader_of(path: Path) -> str:
    """How a file is read: ``"parquet"``, ``"lines"``, or the character that separates."""
    kind = files.kind_of(path)
    if kind in files.PARQUET:
        return "parquet"
    if kind in files.JSON_LINES:
        return "lines"
    if path.suffix.lower() == ".bz2":
        raise DocumentError(f"{path.name}: tables of this size are not read from .bz2; use .gz, or Parquet.")
    return files.separator_of(path)


def _read(reader: str, paths: list[Path], columns: list[str]) -> str:
    listed = "[" + ", ".join(text(path) for path in paths) + "]"
    if reader == "parquet":
        return f"read_parquet({listed}, union_by_name = true)"
    wanted = ", ".join(f"{text(column)}: 'VARCHAR'" for column in columns)
    if reader == "lines":
        return f"read_json({listed}, format = 'newline_delimited', columns = {{{wanted}}})"
    # All as text: what is a number, a name or a yes is decided by the same rules as for tables in memory.
    terms = "all_varchar = true, header = true, quote = '\"', escape = '\"', auto_detect = false, union_by_name = true"
    heading = ", ".join(f"{text(column)}: 'VARCHAR'" for column in files.heading(paths[0]))
    return f"read_csv({listed}, delim = {text(reader)}, columns = {{{heading}}}, {terms})"


def _collected(connection: Any, batches: Iterable[pa.Table], asked: Mapping[str, str | None]) -> Source:
    """Read tables once, into one of DuckDB's own."""
    columns: dict[str, str] = {}
    for batch in batches:
        columns = columns or files.choose_columns(batch.column_names, files.SYNONYMS, asked, optional=("worker",))
        missing = [column for column in columns.values() if column not in batch.column_names]
        if missing:
            raise JudgmentsError(
                f"a later table has no column {name_some(missing)}; its columns are {name_some(batch.column_names)}."
            )
        part = pa.table({role: _plain(batch.column(column)) for role, column in columns.items()})
        connection.register("part", part)
        try:
            begun = connection.execute(f"SELECT count(*) FROM duckdb_tables() WHERE table_name = '{TABLE}'").fetchone()
            how = f"INSERT INTO {TABLE} BY NAME" if begun[0] else f"CREATE TEMP TABLE {TABLE} AS"
            connection.execute(f"{how} SELECT * FROM part")
        finally:
            connection.unregister("part")
    if not columns:
        raise JudgmentsError("there are no judgments: there is no table to read.")
    there = [role for role in ROLES if role in columns]
    return Source("the tables given", {role: role for role in there}, f"(SELECT *, rowid + 1 AS row FROM {TABLE})")


def _plain(column: Any) -> Any:
    """A column without a dictionary, which could differ from batch to batch, and without lists of codes."""
    combined = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(combined.type):
        return combined.dictionary_decode()
    return combined


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
            f"judgments are read from a path, the address of a database, a DuckDB relation, or tables one after the "
            f"other, not from {shown(given)}."
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


def _of_store(address: str) -> Iterator[pa.Table]:
    """The judgments of a campaign's store that count, batch by batch."""
    try:
        from manyjudges.collection.store import Store
    except ImportError:
        raise ManyJudgesError("reading a campaign's store needs more: pip install 'manyjudges[serve]'.") from None
    store = Store.open(address)
    try:
        for rows in store.judgment_batches():
            yield pa.Table.from_pandas(rows, preserve_index=False)
    finally:
        store.close()
