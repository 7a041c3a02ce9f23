"""Sources: tables of judgments too large for the memory, as a query of DuckDB sees them.

A source is a relation of DuckDB with the columns ``object``, ``attribute``, perhaps ``worker``, and ``value`` as they
were written. Files of long rows are read by DuckDB itself. Everything else is read once, piece by piece, by the steps
that read a table in memory, into a table of its own, which DuckDB keeps on disk as far as it does not fit into memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from manyjudges.arrays.types import Integers
from manyjudges.base.messages import list_names, quote_path
from manyjudges.exceptions import JudgmentsError
from manyjudges.scan.duckdb.files import REJECTED, NotForDuckDBError, reader_of, relation_of, unpacked
from manyjudges.scan.options import ROLES
from manyjudges.scan.texts import names_as_text, values_as_text
from manyjudges.tables.columns import text_names, unreadable
from manyjudges.tables.formats.parquet import ordered_categories
from manyjudges.tables.formats.paths import JSON_LINES, PARQUET, kind_of
from manyjudges.tables.formats.registry import heading
from manyjudges.tables.grammar import is_missing
from manyjudges.tables.reading.cell_rows import CellRows
from manyjudges.tables.reading.cells import LongPart, join_scales, scales_of
from manyjudges.tables.reading.frames import table_of
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.pieces import Piece, PiecedTable, open_pieces, pieces_of_tables
from manyjudges.tables.reading.sources import Part, are_paths
from manyjudges.tables.shapes.layout import Layout
from manyjudges.tables.values import Place, place_in_tables

_NUMBERS = {"BIGINT", "DOUBLE", "FLOAT"}
_NUMERIC = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
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
        SQL that stands behind FROM; its columns are named by their roles.
    layout : Layout
        Which column of the table is what.
    table : PiecedTable, optional
        The files, where it is files, for whoever looks at them row by row.
    reader : str
        How files are read: ``"parquet"``, ``"lines"``, or the character that separates; "" for a table of DuckDB's own.
    skip : bool
        Whether rows that are not valid, and lines that cannot be read, are left out.
    unread : int
        Lines that were left out before DuckDB saw them.
    headings : tuple of str
        The names of all columns of the table.
    given : mapping
        The words of the table's own scales with their numbers, by attribute.
    timed : bool
        Whether it has when each judgment was given, as text: ``time``.
    placed : bool
        Whether it has the row of the tables given in which each value stands, counted from 0, and the heading of its
        column: ``place`` and ``heading``. Otherwise each row of theirs is a judgment.
    """

    name: str
    columns: dict[str, str]
    relation: str
    layout: Layout
    table: PiecedTable | None = None
    reader: str = ""
    skip: bool = False
    unread: int = 0
    headings: tuple[str, ...] = ()
    given: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    timed: bool = False
    placed: bool = False

    @property
    def decimal_comma(self) -> bool:
        """Whether decimals may be written with a comma."""
        return self.reader == ";"

    @property
    def no_answer(self) -> tuple[str, ...]:
        """Codes for "no answer" of the tool that wrote the table."""
        return self.layout.no_answer

    @property
    def in_order(self) -> bool:
        """Whether rows have numbers, so that their order is known."""
        return not self.reader

    @property
    def size(self) -> int:
        """How much there is to read: rows of Parquet files, bytes of others; 100 where that cannot be told."""
        paths = [] if self.table is None else self.table.paths
        if paths and all(kind_of(path) in PARQUET for path in paths):
            return sum(pyarrow.parquet.read_metadata(path).num_rows for path in paths)
        return sum(os.path.getsize(path) for path in paths) or 100


def open_source(
    connection: Any,
    judgments: Any,
    options: ReadOptions,
    *,
    folder: Path,
    by_duckdb: bool = True,
    in_order: bool = False,
) -> Source:
    """Let DuckDB see judgments.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    judgments : path, list of paths, relation, table or iterable of tables
    options : ReadOptions
    folder : path
        For what must be unpacked before DuckDB can read it.
    by_duckdb : bool
        Whether DuckDB reads files itself. That is fast, and :class:`NotForDuckDBError` where it is no good.
    in_order : bool
        Whether rows need numbers, because their order says which of several judgments came first.
    """
    in_order = in_order or options.repeated != "error"
    if not are_paths(judgments):
        return _collected(connection, _batches(judgments), options, in_order=in_order)
    table = open_pieces(judgments, options)
    if not by_duckdb or in_order or not _is_for_duckdb(table):
        return _handed_over(connection, table)
    columns = _columns_of(table.layout)
    headings = {Path(path): heading(path, format=options.format) for path in table.paths}
    reader = reader_of(table, columns)
    plain = {unpacked(path, folder): names for path, names in headings.items()}
    relation = relation_of(reader, plain, columns, skip=options.skip)
    known: dict[str, Any] = {"headings": table.headings, "given": table.scales}
    return Source(table.name, columns, relation, table.layout, table, reader, options.skip, **known)


def _is_for_duckdb(table: PiecedTable) -> bool:
    """Whether the rows of a table are those of its files, and DuckDB counts the lines that cannot be read."""
    if table.options.skip and any(kind_of(path) in JSON_LINES for path in table.paths):
        return False
    if knows_words(table.options) and any(kind_of(path) in PARQUET for path in table.paths):
        return False  # whose numbers are looked up as texts
    return table.layout.shape == "long" and table.whole is None and table.options.format == "auto"


def knows_words(options: ReadOptions) -> bool:
    """Whether a plan says already that answers are words."""
    return not all(coding.is_numeric for coding in options.codings.values())


def _columns_of(layout: Layout) -> dict[str, str]:
    """The column of each role that a row of judgments has."""
    return {role: name for role, name in layout.roles.items() if role in ROLES}


def unread_lines(connection: Any, source: Source) -> int:
    """How many lines of the files could not be read, and were left out."""
    if not source.skip or source.reader in ("parquet", "lines", ""):
        return source.unread
    # Not fetchone(), which leaves a result open, and nothing can be registered while one is.
    query = (
        f"SELECT count(*), coalesce(bool_and(error_type IN {REJECTED}), true) "
        "FROM (SELECT DISTINCT ON (file_path, line) * FROM reject_errors JOIN reject_scans USING (scan_id, file_id))"
    )
    ((lines, alike),) = connection.execute(query).fetchall()
    if not alike:
        raise NotForDuckDBError
    return int(lines)


def _handed_over(connection: Any, table: PiecedTable, pieces: Iterator[Piece] | None = None) -> Source:
    """What is read here, as a table of DuckDB's own."""
    unread, given, layout = 0, table.scales, table.layout
    pieces = table.pieces() if pieces is None else pieces
    first = next(pieces, None)
    rows = {} if first is None else first.rows.columns
    roles = [role for role in ROLES if role in rows] or [*_columns_of(layout)]
    timed, placed = "time" in rows, not table.paths
    _create(connection, roles, timed=timed, placed=placed)
    done = 0
    for piece in pieces if first is None else chain([first], pieces):
        unread += piece.unread
        given = join_scales(given, piece.scales)
        _append(connection, piece, roles, done, timed=timed, placed=placed)
        done += len(piece.rows)
    columns = {role: role for role in roles} | _columns_of(layout)
    skip = table.options.skip
    own: dict[str, Any] = {"headings": table.headings, "given": given, "timed": timed, "placed": placed}
    return Source(table.name, columns, _TABLE, layout, table, "", skip, unread, **own)


def _create(connection: Any, roles: Sequence[str], *, timed: bool, placed: bool) -> None:
    texts = (*roles, *["time"] * timed, *["heading"] * placed)
    columns = [*(f"{name} VARCHAR" for name in texts), "row BIGINT", *["place BIGINT"] * placed]
    connection.execute(f"CREATE TEMP TABLE {_TABLE} ({', '.join(columns)})")


def _append(connection: Any, piece: Piece, roles: Sequence[str], done: int, *, timed: bool, placed: bool) -> None:
    """Add rows to DuckDB's own table, as text."""
    cells = piece.rows.columns
    columns: dict[str, Any] = {
        role: values_as_text(cells[role]) if role == "value" else names_as_text(cells[role]) for role in roles
    }
    columns["row"] = pa.array(np.arange(done, done + len(piece.rows)), pa.int64())
    if timed:
        columns["time"] = values_as_text(cells["time"])
    if placed:
        columns["place"] = pa.array(piece.first + piece.long.rows, pa.int64())
        columns["heading"] = _headings(piece.long)
    connection.register("part", pa.table(columns))
    connection.execute(f"INSERT INTO {_TABLE} BY NAME SELECT * FROM part")
    connection.unregister("part")


def _headings(long: LongPart) -> pa.Array:
    """The heading of the column of each value."""
    if long.headings is None or long.codes is None:
        return pa.array(["value"] * len(long.rows), pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(long.codes), pa.array(long.headings, pa.string()))


def rows_of(connection: Any, source: Source) -> Iterator[CellRows]:
    """The rows of a source in their order, as cells that know where they stand."""
    if source.table is not None:
        yield from (piece.rows for piece in source.table.pieces())
        return
    connection.execute("SET preserve_insertion_order = true")
    roles = [role for role in source.columns if role in ROLES]
    names = ", ".join([*roles, *["place", "heading"] * source.placed])
    done = 0
    for batch in connection.sql(f"SELECT {names} FROM {_TABLE} ORDER BY row").to_arrow_reader(1 << 16):
        frame = batch.to_pandas(integer_object_nulls=True)
        places = frame["place"].to_numpy() if source.placed else np.arange(done, done + len(frame))
        headings = frame["heading"].to_numpy() if source.placed else np.full(len(frame), "value", dtype=np.object_)
        cells = {role: frame[role].to_numpy() for role in roles}
        yield CellRows(cells, partial(_place, places), partial(_heading, headings))
        done += len(frame)


def _place(places: Integers, row: int) -> Place:
    return place_in_tables(int(places[row]) + 1)


def _heading(headings: Any, row: int) -> str:
    return str(headings[row])


def _collected(connection: Any, batches: Iterable[pa.Table], options: ReadOptions, *, in_order: bool) -> Source:
    """Read tables once, into one of DuckDB's own."""
    batches = _of_same_columns(batches)
    first = next(batches, None)
    if first is None:
        raise JudgmentsError("there are no judgments: no table was given.", column="source")
    batches = chain([first], batches)
    layout, pieces = pieces_of_tables(batches, options)
    headings = tuple(first.column_names)
    if layout.measured or layout.heading_rows or in_order or knows_words(options):
        table = PiecedTable("the tables given", layout, (), (), options, headings)
        return replace(_handed_over(connection, table, pieces), table=None)
    columns = _columns_of(layout)
    given: Mapping[str, Mapping[str, float]] = {}
    n_rows = 0
    for at, batch in enumerate(chain([first], batches)):
        part = pa.table({role: _plain(batch.column(column), role) for role, column in columns.items()})
        rows = pa.array(np.arange(n_rows + 1, n_rows + 1 + len(part)))
        _insert(connection, part.append_column("row", rows), begun=at > 0)
        given = join_scales(given, scales_of([Part(pd.DataFrame(), scales=ordered_categories(batch))], layout))
        n_rows += len(part)
    known: dict[str, Any] = {"headings": headings, "given": given}
    return Source("the tables given", columns, _TABLE, layout, skip=options.skip, **known)


def _of_same_columns(batches: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Tables one after the other, all with the columns of the first."""
    first: list[str] = []
    for at, batch in enumerate(batches):
        names = batch.column_names
        first = first if at else names
        if odd := sorted(set(names) ^ set(first)):
            raise JudgmentsError(
                f"table {at} (counting from 0) and the first one do not have the same columns: {list_names(odd)}. Give "
                "all tables the same columns.",
                value=odd[0],
                column="source",
            )
        yield batch


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
                how = f"TYPE {wider} USING {_as_type(role, there[role], wider)}"
                connection.execute(f"ALTER TABLE {_TABLE} ALTER COLUMN {role} {how}")
                there[role] = wider
        columns = ", ".join(f"{_as_type(role, kind, there[role])} AS {role}" for role, kind in new.items())
        connection.execute(f"INSERT INTO {_TABLE} BY NAME SELECT {columns} FROM part")
    finally:
        connection.unregister("part")


def _as_type(role: str, kind: str, wanted: str) -> str:
    """SQL of a column as another type; a value that is true becomes the text that it has everywhere."""
    if role == "value" and kind == "BOOLEAN" and wanted == "VARCHAR":
        return f"CASE WHEN {role} THEN 'True' WHEN NOT {role} THEN 'False' END"
    return f"CAST({role} AS {wanted})"


def _plain(column: Any, role: str) -> Any:
    """A column of one of few types: numbers, true and false, or text; names may also be of others."""
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
        orders = _declared_orders(tables)
        for batch in tables.to_arrow_reader(1 << 18):
            yield _in_order(pa.Table.from_batches([batch]), orders)
        return
    if isinstance(tables, pa.RecordBatchReader):
        for batch in tables:
            yield pa.Table.from_batches([batch])
        return
    whole = _as_arrow(tables)
    if whole is not None:
        yield whole
    elif isinstance(tables, Iterable) and not isinstance(tables, bytes):
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


def _declared_orders(relation: Any) -> list[str]:
    """The columns of a relation that have words in an order, as ENUMs have."""
    return [name for name, kind in zip(relation.columns, relation.types, strict=True) if kind.id == "enum"]


def _in_order(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """A table in which the words of some columns have an order, which Arrow is not told by DuckDB."""
    for name in names:
        at, cells = table.column_names.index(name), table.column(name).combine_chunks()
        cells = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
        ordered = pa.DictionaryArray.from_arrays(cells.indices, cells.dictionary, ordered=True)
        table = table.set_column(at, name, ordered)
    return table


def _as_arrow(data: Any) -> pa.Table | None:
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    try:
        frame = nw.from_native(table_of(data), eager_only=True)
    except nw.exceptions.NarwhalsError as error:
        raise unreadable(error, "source") from None
    except TypeError:
        return None
    frame = nw.maybe_reset_index(text_names(frame))
    try:
        return _to_arrow(frame)
    except (pa.ArrowException, ValueError) as error:
        raise unreadable(error, "source") from None


def _to_arrow(frame: nw.DataFrame[Any]) -> pa.Table:
    """A frame as Arrow, whose columns have cells of one type: numbers beside words become texts, as in files."""
    try:
        table: pa.Table = frame.to_arrow()
        return table
    except (pa.ArrowException, ValueError):
        columns = {name: frame[name].to_native() for name in frame.columns}
        mixed = [name for name, column in columns.items() if _is_mixed(column)]
        if not mixed:
            raise
        texts = {name: values_as_text(columns[name]) for name in mixed}
        plain = frame.drop(mixed).to_arrow()
        return pa.table({name: texts[name] if name in texts else plain.column(name) for name in columns})


def _is_mixed(column: Any) -> bool:
    """Whether a column of pandas has cells of several types, each of which is a text or a number."""
    if not isinstance(column, pd.Series) or column.dtype != np.object_:
        return False
    kinds = {type(cell) for cell in column if not is_missing(cell)}
    return len(kinds) > 1 and all(issubclass(kind, str | int | float | np.number | np.bool_) for kind in kinds)
