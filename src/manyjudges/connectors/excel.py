"""Excel: Excel files, read and written through openpyxl."""

from __future__ import annotations

import io
import os
import re
import warnings
import zipfile
import zlib
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from manyjudges.base.messages import quote_value
from manyjudges.connectors.grid import RISKY, Grid, Spread, Unusable
from manyjudges.connectors.place import RecordPlace
from manyjudges.exceptions import DocumentError

ENDINGS = (".xlsx", ".xlsm")
_LONGEST_CELL = 32_767
"""The most characters that a cell takes."""

_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")
"""What the title of a sheet must not have in it."""

_LONGEST_TITLE = 31

_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ParseError),  # RuntimeError: locked, or packed otherwise
    *(KeyError, ValueError, TypeError, IndexError, AttributeError, OverflowError),
)
"""What openpyxl, and what it rests on, makes of files that are no workbooks."""


def read_workbook(path: Path) -> list[Grid]:
    """The sheets of a workbook that can be seen, each as a grid.

    Values are those that were last worked out. Rows and columns that are hidden are read like others, as filters hide
    them.
    """
    values, formulas = _loaded(path, values=True), _loaded(path, values=False)
    return [
        _grid(path.name, values[sheet.title], sheet) for sheet in formulas.worksheets if sheet.sheet_state == "visible"
    ]


def openpyxl() -> Any:
    """The package that reads and writes Excel files, or an error that says how to get it."""
    try:
        import openpyxl as found
        import openpyxl.utils.exceptions
    except ImportError:
        raise DocumentError(
            'Excel files need the package openpyxl: pip install "manyjudges[excel]"; or save the sheets as CSV files.',
            value="openpyxl",
        ) from None
    return found


def put(cell: Any, text: str) -> None:
    """Put a text into a cell, as a text whatever it begins with."""
    if len(text) > _LONGEST_CELL:
        raise DocumentError(
            f"the text {quote_value(text)} has {len(text):,} characters; a cell takes {_LONGEST_CELL:,}.", value=text
        )
    try:
        cell.value = text
    except openpyxl().utils.exceptions.IllegalCharacterError:
        raise DocumentError(
            f"the text {quote_value(text)} has a character that no cell takes; remove it.", value=text
        ) from None
    cell.data_type = "s"
    if text.startswith(tuple(RISKY)):
        cell.quotePrefix = True  # or Excel makes a formula of it once somebody edits the cell


def check_title(title: str) -> None:
    """Raise DocumentError where a sheet cannot be called this."""
    plain = title.isprintable() and title == title.strip(" '") and 0 < len(title) <= _LONGEST_TITLE
    if not plain or _FORBIDDEN.search(title) or title.casefold() == "history":
        raise DocumentError(
            f"a sheet cannot be called {quote_value(title)}: its name has 1 to {_LONGEST_TITLE} "
            f"characters, none of them one "
            "of [ ] : * ? / \\, and no spaces or quotation marks around it.",
            value=title,
            column="title",
        )


def as_bytes(book: Any) -> bytes:
    """A workbook as a file has it."""
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _loaded(path: Path, *, values: bool) -> Any:
    library = openpyxl()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about parts of a workbook, such as macros, that are not kept
            return library.load_workbook(path, data_only=values)
    except FileNotFoundError:
        raise DocumentError(f"there is no file {str(path)!r}.", file=str(path)) from None
    except OSError as error:
        raise DocumentError(
            f"cannot read {os.fspath(path)!r}: {error.strerror or error}.", file=os.fspath(path)
        ) from None
    except _DAMAGED:
        raise DocumentError(
            f"{path.name} is not an Excel workbook, is damaged, or has a password; open it and save it anew as .xlsx.",
            file=path.name,
        ) from None
    except library.utils.exceptions.InvalidFileException:
        raise DocumentError(f"{path.name}: only .xlsx and .xlsm are read; save it as .xlsx.", file=path.name) from None


def _grid(file: str, values: Any, formulas: Any) -> Grid:
    """A sheet without the empty rows and columns at its end; merged cells have their value in the first of them."""
    merged = {at: cell_range for cell_range in formulas.merged_cells.ranges for at in cell_range.cells}
    rows, lines = [], []
    for number, pair in enumerate(zip(values.iter_rows(), formulas.iter_rows(), strict=True), start=1):
        row = tuple(_value(*cells, merged) for cells in zip(*pair, strict=True))
        if any(value is not None and not isinstance(value, Spread) for value in row):
            rows.append(row)
            lines.append(number)
    width = max((_width(row) for row in rows), default=0)
    place = RecordPlace(f"{file}, sheet {formulas.title!r}", file=file)
    return Grid(formulas.title, place, tuple(row[:width] for row in rows), tuple(lines), cells=True)


def _value(cached: Any, formula: Any, merged: dict[tuple[int, int], Any]) -> object:
    """What a cell says, or why it says nothing that can be used."""
    cell_range = merged.get((formula.row, formula.column))
    if cell_range is not None and (formula.row, formula.column) != (cell_range.min_row, cell_range.min_col):
        first = cached.parent.cell(cell_range.min_row, cell_range.min_col).value
        return Spread(f"the cells {cell_range.coord} are merged; write a value into each", first)
    if formula.data_type == "f" and cached.value is None:
        return Unusable(
            "the formula there has no value yet; open the file in Excel or LibreOffice and save it", formula.value
        )
    if cached.data_type == "e":
        return Unusable(f"there is the error {cached.value}; correct it, or leave the cell empty", cached.value)
    if isinstance(cached.value, datetime | date | time | timedelta):
        return Unusable(
            f"there is a date or a time, {cached.value}, which a spreadsheet makes of what looks like one, such as "
            "1-2; format the cell as text and write the value again",
            cached.value,
        )
    return None if isinstance(cached.value, str) and not cached.value.strip() else cached.value


def _width(row: tuple[object, ...]) -> int:
    return max((at + 1 for at, value in enumerate(row) if value is not None), default=0)
