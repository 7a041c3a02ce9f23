"""Delimited text: CSV, TSV, and semicolons with decimal commas."""

from __future__ import annotations

__all__ = ["parse_delimited", "separator_of"]

import csv
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from manyjudges.base.messages import list_names
from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.content import Content, Format
from manyjudges.tables.formats.paths import SEPARATORS, kind_of, unknown_kind
from manyjudges.tables.formats.text import first_line


def separator_of(path: Path) -> str:
    """The character that separates the cells of a table of text."""
    kind = kind_of(path)
    if kind not in SEPARATORS:
        raise DocumentError(unknown_kind(path), file=path.name)
    line = first_line(path)
    return ";" if SEPARATORS[kind] == "," and "," not in line and ";" in line else SEPARATORS[kind]


def _column_names(path: Path, separator: str) -> list[str]:
    """The names of the columns of a table of text."""
    names = next(csv.reader([first_line(path)], delimiter=separator))
    if twice := {name for name in names if names.count(name) > 1}:
        raise DocumentError(
            f"{path.name} has more than one column {list_names(sorted(twice))}; rename one.",
            value=sorted(twice)[0],
            file=path.name,
        )
    return names


def _read_delimited(path: Path, skip: bool) -> Content:
    separator = separator_of(path)
    with pa.input_stream(path, compression="detect") as stream:
        table, unread = parse_delimited(
            stream, _column_names(path, separator), separator, path.name, skip=skip, skip_rows=1
        )
    return Content(table.to_pandas(), unread, separator == ";")


def parse_delimited(
    stream: Any, names: list[str], separator: str, where: str, *, skip: bool = False, skip_rows: int = 0
) -> tuple[pa.Table, int]:
    """A table of text, and how many lines of it were skipped.

    Parameters
    ----------
    stream : file-like
        Without compression.
    names : list of str
        Of its columns.
    separator : str
    where : str
        For messages.
    skip : bool
        Whether lines with too few or too many cells are skipped. Otherwise they are an error.
    skip_rows : int
        Lines at the beginning that are not rows, such as the heading.
    """
    invalid: list[Any] = []

    def note(row: Any) -> str:
        invalid.append(row)
        return "skip" if skip else "error"

    parsing: dict[str, Any] = {"delimiter": separator, "newlines_in_values": True, "invalid_row_handler": note}
    # Everything as text: what is a number, a name or a yes is decided later, column by column.
    as_text = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    try:
        table = pyarrow.csv.read_csv(
            stream,
            read_options=pyarrow.csv.ReadOptions(column_names=names, skip_rows=skip_rows),
            parse_options=pyarrow.csv.ParseOptions(**parsing),
            convert_options=as_text,
        )
    except pa.ArrowInvalid as error:
        if not invalid:
            raise
        words = " ".join(str(error).split()).rstrip(".")
        raise DocumentError(f"{where} cannot be read: {words}.", value=invalid[0].text, file=where) from None
    return table, len(invalid)


def _columns(path: Path) -> list[str]:
    return _column_names(path, separator_of(path))


FORMAT = Format(tuple(SEPARATORS), _read_delimited, _columns)
