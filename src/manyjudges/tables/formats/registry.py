"""All formats of tables, and how one is told: by the ending of the file's name.

To add one, write its module beside this one (``parquet`` is a good one to copy) and enter it in ``FORMATS``.
"""

from __future__ import annotations

__all__ = [
    "check_content",
    "column_types",
    "encode_content",
    "endings",
    "find_tables",
    "heading",
    "read_contents",
    "stream_content",
    "unknown_ending",
]

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa

from manyjudges.base.messages import quote_value, suggest
from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats import arrow_ipc, delimited, json_lines, json_tables, parquet, spss_stata, workbooks
from manyjudges.tables.formats.content import Content, Format, explained
from manyjudges.tables.formats.paths import StrPath, expand, file_name, kind_of, opened, unknown_kind
from manyjudges.tables.formats.signatures import check_signature
from manyjudges.tables.formats.standard_input import is_standard_input, standard_input
from manyjudges.tables.formats.text import BEGINNING_BYTES

FORMATS: tuple[Format, ...] = (
    delimited.FORMAT,
    json_tables.FORMAT,
    json_lines.FORMAT,
    parquet.FORMAT,
    arrow_ipc.FORMAT,
    workbooks.EXCEL,
    workbooks.WITH_MACROS,
    workbooks.OPEN_DOCUMENT,
    spss_stata.SPSS,
    spss_stata.STATA,
)

_OFTEN_NOTES = (".txt", ".json")
"""Endings of files that beside tables in a folder are mostly something else."""


def endings() -> tuple[str, ...]:
    """How names of files end that tables are read from."""
    return tuple(_formats())


def writable_endings() -> tuple[str, ...]:
    """How names of files end that tables are written to."""
    return tuple(ending for ending, entry in _formats().items() if entry.write is not None)


def find_tables(path: StrPath, *, format: str = "auto") -> list[Path]:
    """The files that a path or a pattern names, or all tables within a folder, in order; ``"-"`` is standard input."""
    if is_standard_input(path):
        return [_standard_input(format)]
    found = expand(path, tables=endings())
    usual = [file for file in found if kind_of(file) not in _OFTEN_NOTES]
    return usual or found if os.path.isdir(path) else found


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
    with _opening(path, format) as (path, entry):
        return entry.sheets(path) if entry.sheets is not None else [entry.read(path, skip)]


def read_content(path: StrPath, *, format: str = "auto", skip: bool = False) -> Content:
    """What is in a file; with ``skip``, lines that are no rows are skipped and counted."""
    with _opening(path, format) as (path, entry):
        return entry.read(path, skip)


def stream_content(
    path: StrPath, *, format: str = "auto", skip: bool = False, columns: Sequence[str] | None = None
) -> Iterator[Content]:
    """What is in a file, in pieces that fit into memory, each with the numbers of its rows."""
    with _opening(path, format) as (path, entry):
        yield from entry.stream(path, skip, columns)


def is_in_pieces(path: StrPath, *, format: str = "auto") -> bool:
    """Whether a file is read one piece after the other, and not the whole of it at once."""
    with _opening(path, format) as (_, entry):
        return entry.in_pieces


def heading(path: StrPath, *, format: str = "auto") -> list[str]:
    """The names of a file's columns."""
    with _opening(path, format) as (path, entry):
        return entry.columns(path)


def column_types(path: StrPath, *, format: str = "auto") -> Mapping[str, pa.DataType]:
    """The types of a file's columns; none where all is text."""
    with _opening(path, format) as (path, entry):
        return entry.types(path)


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
    try:
        with opened(path) as stream:
            check_signature(stream.read(BEGINNING_BYTES), path)
    except DocumentError as error:
        return error
    except (OSError, ValueError, EOFError):  # what it is, is not known then
        pass
    return DocumentError(unknown_kind(path, endings()), file=file_name(path))


def check_content(path: StrPath, start: bytes, *, format: str = "auto") -> None:
    """Refuse a file whose first bytes are those of another kind of file than its name, or ``format``, says."""
    entry = _format_of(path, format)
    if not start or entry.sniff(start):
        return
    other = next((other for other in FORMATS if other.sniff(start)), None)
    if other is None:
        check_signature(start, path)
    elif entry.title:
        name, ending = file_name(path), other.endings[0]
        raise DocumentError(
            f"{name} is {other.title}, and not {entry.title}. Let its name end in {ending}, or name the format: "
            f"--format {ending.removeprefix('.')}.",
            file=name,
        )


@contextmanager
def _opening(path: StrPath, name: str) -> Iterator[tuple[StrPath, Format]]:
    """The file and its format, if it is what it seems to be; any failure to read it is said in one line."""
    path = _standard_input(name) if is_standard_input(path) else path
    with explained(path):
        entry = _format_of(path, name)
        with opened(path) as stream:
            start = stream.read(BEGINNING_BYTES)
        check_content(path, start, format=name)
        if not start and entry not in (delimited.FORMAT, json_lines.FORMAT):
            raise DocumentError(f"{file_name(path)} is empty.", file=file_name(path))
        yield path, entry


def _standard_input(name: str) -> Path:
    ending = "" if name == "auto" else _ending_of(name)
    return standard_input(ending, lambda start: next((each.endings[0] for each in FORMATS if each.sniff(start)), ""))


def _format_of(path: StrPath, name: str = "auto") -> Format:
    """The format of a file: the one that is named, or that of its ending."""
    formats = _formats()
    if name == "auto":
        table_format = formats.get(kind_of(path))
        if table_format is None:
            raise unknown_ending(path)
        return table_format
    return formats[_ending_of(name)]


def _ending_of(name: str) -> str:
    """The ending that the name of a format stands for."""
    formats = _formats()
    if (ending := f".{name.lower().removeprefix('.')}") not in formats:
        known = [known.removeprefix(".") for known in formats]
        raise DocumentError(
            f"the format {quote_value(name)} is unknown; choose one of {', '.join(known)}.{suggest(name, known)}",
            value=name,
            column="format",
        )
    return ending


def _formats() -> dict[str, Format]:
    """The format that each ending stands for."""
    return {ending: entry for entry in FORMATS for ending in entry.endings}
