"""All formats of tables, and how one is told: by the ending of the file's name.

To add one, write its module beside this one (``parquet`` is a good one to copy) and enter it in ``FORMATS``.
"""

from __future__ import annotations

__all__ = [
    "column_types",
    "encode_content",
    "endings",
    "find_tables",
    "heading",
    "stream_content",
    "unknown_ending",
]

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa

from manyjudges.base.messages import quote_value, suggest
from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats import delimited, json_lines, parquet
from manyjudges.tables.formats.content import Content, Format, explained
from manyjudges.tables.formats.paths import StrPath, expand, file_name, kind_of, unknown_kind

FORMATS: tuple[Format, ...] = (delimited.FORMAT, json_lines.FORMAT, parquet.FORMAT)


def endings() -> tuple[str, ...]:
    """How names of files end that tables are read from."""
    return tuple(_formats())


def writable_endings() -> tuple[str, ...]:
    """How names of files end that tables are written to."""
    return tuple(ending for ending, entry in _formats().items() if entry.write is not None)


def find_tables(path: StrPath) -> list[Path]:
    """The files that a path or a pattern names, or all tables within a folder, in order."""
    return expand(path, tables=endings())


def read_contents(path: StrPath, *, format: str = "auto", skip: bool = False) -> list[Content]:
    """All tables of a file: one for each sheet of a workbook, and otherwise one.

    Parameters
    ----------
    path : path
        A file, or ``"-"`` for standard input.
    format : str
        An ending without the dot, such as ``"csv"``, where that of the name does not say what the file is.
    skip : bool
        Whether lines that are no rows are skipped and counted. Otherwise they are an error.
    """
    with explained(path):
        entry = _format_of(path, format)
        return entry.sheets(path) if entry.sheets is not None else [entry.read(path, skip)]


def read_content(path: StrPath, *, format: str = "auto", skip: bool = False) -> Content:
    """What is in a file; with ``skip``, lines that are no rows are skipped and counted."""
    with explained(path):
        return _format_of(path, format).read(path, skip)


def stream_content(
    path: StrPath, *, format: str = "auto", skip: bool = False, columns: Sequence[str] | None = None
) -> Iterator[Content]:
    """What is in a file, in pieces that fit into memory, each with the numbers of its rows."""
    with explained(path):
        yield from _format_of(path, format).stream(path, skip, columns)


def heading(path: StrPath, *, format: str = "auto") -> list[str]:
    """The names of a file's columns."""
    with explained(path):
        return _format_of(path, format).columns(path)


def column_types(path: StrPath, *, format: str = "auto") -> Mapping[str, pa.DataType]:
    """The types of a file's columns; none where all is text."""
    with explained(path):
        return _format_of(path, format).types(path)


def encode_content(frame: pd.DataFrame, ending: str) -> bytes:
    """A table as the bytes of a file whose name has one of the ``writable_endings()``."""
    write = _formats()[ending].write
    if write is None:
        raise DocumentError(
            f"files with the ending {ending} are only read here; write one of {', '.join(writable_endings())}.",
            value=ending,
        )
    return write(frame, ending)


def unknown_ending(path: StrPath) -> DocumentError:
    """What to raise for a file whose name has none of the ``endings()``."""
    return DocumentError(unknown_kind(path, endings()), file=file_name(path))


def _format_of(path: StrPath, name: str = "auto") -> Format:
    """The format of a file: the one that is named, or that of its ending."""
    formats = _formats()
    if name == "auto":
        table_format = formats.get(kind_of(path))
        if table_format is None:
            raise unknown_ending(path)
        return table_format
    if (ending := f".{name.lower().removeprefix('.')}") not in formats:
        known = [known.removeprefix(".") for known in formats]
        raise DocumentError(
            f"the format {quote_value(name)} is unknown; choose one of {', '.join(known)}.{suggest(name, known)}",
            value=name,
            column="format",
        )
    return formats[ending]


def _formats() -> dict[str, Format]:
    """The format that each ending stands for."""
    return {ending: entry for entry in FORMATS for ending in entry.endings}
