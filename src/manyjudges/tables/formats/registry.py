"""All formats of tables, and how one is told: by the ending of the file's name.

To add one, write its module beside this one (``parquet`` is a good one to copy) and enter it in ``FORMATS``.
"""

from __future__ import annotations

__all__ = ["column_types", "endings", "heading", "stream_content"]

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats import delimited, json_lines, parquet
from manyjudges.tables.formats.content import Content, Format, explained
from manyjudges.tables.formats.paths import StrPath, file_name, kind_of, unknown_kind

FORMATS: tuple[Format, ...] = (delimited.FORMAT, json_lines.FORMAT, parquet.FORMAT)


def endings() -> tuple[str, ...]:
    """How names of files end that tables are read from and written to."""
    return tuple(ending for entry in FORMATS for ending in entry.endings)


def read_content(path: StrPath, *, skip: bool = False) -> Content:
    """What is in a file; with ``skip``, lines that are no rows are skipped and counted."""
    with explained(path):
        return _format_of(path).read(path, skip)


def stream_content(path: StrPath, *, skip: bool = False, columns: Sequence[str] | None = None) -> Iterator[Content]:
    """What is in a file, in pieces that fit into memory, each with the numbers of its rows."""
    with explained(path):
        yield from _format_of(path).stream(path, skip, columns)


def heading(path: StrPath) -> list[str]:
    """The names of a file's columns."""
    with explained(path):
        return _format_of(path).columns(path)


def column_types(path: StrPath) -> Mapping[str, pa.DataType]:
    """The types of a file's columns; none where all is text."""
    with explained(path):
        return _format_of(path).types(path)


def _format_of(path: StrPath) -> Format:
    kind = kind_of(path)
    for table_format in FORMATS:
        if kind in table_format.endings:
            return table_format
    raise DocumentError(unknown_kind(path), file=file_name(path))
