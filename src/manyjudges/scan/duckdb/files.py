"""Files: how DuckDB reads files of judgments itself, where it reads them as all other readers do."""

from __future__ import annotations

import bz2
import glob
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa

from manyjudges.tables.column_types import type_class
from manyjudges.tables.formats.content import explained
from manyjudges.tables.formats.delimited import has_separator_line, separator_of
from manyjudges.tables.formats.paths import JSON_LINES, PARQUET, SEPARATORS, file_name, kind_of, opened
from manyjudges.tables.formats.registry import column_types
from manyjudges.tables.formats.text import UTF8, encoding_of
from manyjudges.tables.grammar import sql_text
from manyjudges.tables.reading.pieces import PiecedTable

_PLAIN_JSON = r"true|false|0|-?[1-9][0-9]*"
"""What a name that is no text may be in JSON for DuckDB to read it: its text is the same everywhere."""

REJECTED = ("MISSING COLUMNS", "TOO MANY COLUMNS")
"""Why DuckDB leaves a line out that all other readers leave out, too."""

_ODD_QUOTES = re.compile(rb'(^|[,;\t\r\n])[ \t]+"|"[ \t]+([,;\t\r\n]|$)')


class NotForDuckDBError(Exception):
    """DuckDB would read files in another way than other readers do; they are read here, and handed to it."""


def reader_of(table: PiecedTable, columns: Mapping[str, str]) -> str:
    """How files are read: ``"parquet"``, ``"lines"``, or the character that separates."""
    readers = {_reader_of_file(Path(path)) for path in table.paths}
    types = [(file_name(path), column_types(path)) for path in table.paths]
    if len(readers) > 1 or any(_is_odd(role, column, types) for role, column in columns.items()):
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


def unpacked(path: Path, folder: Path) -> Path:
    """The file, or a copy of it that DuckDB can read, which knows .gz and not .bz2."""
    if path.suffix.lower() != ".bz2":
        return path
    copy = Path(tempfile.mkdtemp(dir=folder)) / path.stem
    with explained(path), bz2.open(path) as packed, copy.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    return copy


def relation_of(
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


def _sql_name(column: str) -> str:
    """The name of a column in SQL.

    >>> print(_sql_name('a "b" c'))
    "a ""b"" c"
    """
    return '"' + column.replace('"', '""') + '"'
