"""Workbooks: the sheets of Excel and OpenDocument files, read through python-calamine."""

from __future__ import annotations

__all__: list[str] = []

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.content import Content, Format, check_distinct, whole_format
from manyjudges.tables.formats.extras import extra_needed, guarded_call
from manyjudges.tables.formats.paths import StrPath, file_name, opened

_EXTRA = "excel"
_EXCEL = (".xlsx",)
_WITH_MACROS = (".xlsm",)
_OPEN_DOCUMENT = (".ods",)

_MOST_CELLS = 200_000_000
"""Cells of a sheet up to its last row and column, empty ones too, which all are held in memory."""

_EXACT = 2.0**53
"""Up to here, each whole number is one that a spreadsheet can hold."""

_SHEET = re.compile(rb"<(?:\w+:)?sheet\s[^>]*>")
_RELATION = re.compile(rb"<(?:\w+:)?Relationship\s[^>]*>")
_ATTRIBUTE = re.compile(rb"""([\w:]+)\s*=\s*["']([^"']*)["']""")
_ERROR_CELL = re.compile(
    rb"<(?:\w+:)?c\s(?=[^>]*\bt=\"e\")[^>]*\br=\"([A-Z]{1,3})(\d{1,7})\"[^>]*>.{0,4000}?<(?:\w+:)?v>([^<]*)</",
    re.DOTALL,
)
_NO_VALUE = re.compile(
    rb"<(?:\w+:)?c\s(?![^>]*\bt=\"str\")[^>]*\br=\"([A-Z]{1,3})(\d{1,7})\"[^>]*>\s*<(?:\w+:)?f[^>]*?"
    rb"(?:/>|>([^<]*)</(?:\w+:)?f>)\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_LAST_ROW = re.compile(rb"<(?:\w+:)?row\s[^>]*\br=\"(\d{1,9})\"")
_WIDE = re.compile(rb"\br=\"([A-Z]{2,3})\d")

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, KeyError, NotImplementedError, ValueError)
"""What the library that unpacks archives makes of damaged ones."""


class _Cells(NamedTuple):
    """What a sheet says beside its values: cells with an error or without a value, by row and column from 0.

    Attributes
    ----------
    odd : mapping
        What to put into such cells.
    pending : bool
        Whether there is a formula whose value was not saved.
    spans : list
        The first and the last row, and the first and the last column, of merged cells.
    """

    odd: dict[tuple[int, int], str | None]
    pending: bool
    spans: list[tuple[int, int, int, int]]


def _sheets(path: StrPath) -> list[Content]:
    """The sheets that can be seen and have a table."""
    name = file_name(path)
    with opened(path) as stream:
        data = stream.read()
    calamine = extra_needed("python_calamine", _EXTRA, path)
    further = _further_cells(data, name)
    book = guarded_call(
        lambda: calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)),
        f"{name} is not a workbook, is damaged, or has a password. Open it and save it again as .xlsx.",
        path,
    )
    contents = []
    for at, about in enumerate(book.sheets_metadata):
        if about.visible != calamine.SheetVisibleEnum.Visible or about.typ != calamine.SheetTypeEnum.WorkSheet:
            continue
        damaged = f"{name} cannot be read: the sheet {about.name!r} is damaged."
        sheet, rows = guarded_call(partial(_rows, book, at), damaged, path)
        cells = further(at)
        merged = sheet.merged_cell_ranges
        if merged is not None:
            cells = cells._replace(spans=[(r0, r1, c0, c1) for (r0, c0), (r1, c1) in merged])
        content = _content(rows, cells, about.name, path)
        if content is not None:
            contents.append(content)
    if not contents:
        raise DocumentError(f"{name} has no table: all its sheets are empty or hidden.", file=name)
    return contents


def _rows(book: Any, at: int) -> tuple[Any, list[list[Any]]]:
    sheet = book.get_sheet_by_index(at)
    return sheet, sheet.to_python(skip_empty_area=False)


def _content(rows: list[list[Any]], cells: _Cells, sheet: str, path: StrPath) -> Content | None:
    """The table of a sheet, from the row with the names of the columns to its end; None of an empty one."""
    grid = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
    for at, row in enumerate(rows):
        grid[at] = [_cell(value) for value in row]
    _amend(grid, cells)
    there = grid != None  # noqa: E711
    filled = np.flatnonzero(there.any(axis=1))
    if not filled.size:
        return None
    top = _heading_row(there, filled)
    columns = np.flatnonzero(there[top:].any(axis=0))
    data = filled[filled > top]
    _check_merged(grid, cells, top, sheet, path)
    names = [_column_name(grid[top, column], int(column)) for column in columns]
    check_distinct(names, path)
    frame = pd.DataFrame({name: grid[data, column] for name, column in zip(names, columns, strict=True)}, dtype=object)
    return Content(frame.infer_objects(), numbers=data + 1, sheet=sheet, notes=_notes(cells, filled, top, sheet, path))


def _cell(value: Any) -> Any:
    """A value as it was meant: spreadsheets have no whole numbers, and empty texts for nothing."""
    if type(value) is float:
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    if isinstance(value, str):
        return value if value and not value.isspace() else None
    return str(value) if isinstance(value, timedelta) else value


def _amend(grid: Any, cells: _Cells) -> None:
    """Put in what the values do not say; what is merged over several rows stands in each of them."""
    height, width = grid.shape
    for (row, column), text in cells.odd.items():
        if row < height and column < width:
            grid[row, column] = text
    for first, last, left, right in cells.spans:
        if left == right < width and first < height:
            grid[first : last + 1, left] = grid[first, left]


def _heading_row(there: Any, filled: Any) -> int:
    """The row that names the columns: the first with more than one cell, as a title may stand above."""
    several = filled[there[filled].sum(axis=1) > 1]
    return int(several[0] if several.size else filled[0])


def _check_merged(grid: Any, cells: _Cells, top: int, sheet: str, path: StrPath) -> None:
    """Refuse a value below the heading that stands in several columns."""
    for first, _, left, right in sorted(cells.spans):
        if left < right and first > top and first < len(grid) and grid[first, left] is not None:
            name, where = file_name(path), f"{_letters(left)}{first + 1} to {_letters(right)}{first + 1}"
            raise DocumentError(
                f"{name}, sheet {sheet!r}: the cells {where} are merged over several columns. Split them, and write a "
                "value into each.",
                value=grid[first, left],
                row=first + 1,
                column=_letters(left),
                file=name,
            )


def _column_name(cell: Any, column: int) -> str:
    return f"column {_letters(column)}" if cell is None else str(cell).strip()


def _letters(column: int) -> str:
    """The letters of a column, counted from 0."""
    text, rest = "", column + 1
    while rest:
        rest, at = divmod(rest - 1, 26)
        text = chr(ord("A") + at) + text
    return text


def _notes(cells: _Cells, filled: Any, top: int, sheet: str, path: StrPath) -> tuple[str, ...]:
    notes, name = [], file_name(path)
    if above := int((filled < top).sum()):
        rows = "row above it was" if above == 1 else f"{above} rows above it were"
        notes.append(f"{name}, sheet {sheet!r}: the heading is in row {top + 1}; the {rows} left out.")
    if cells.pending:
        notes.append(
            f"{name}, sheet {sheet!r}: some formulas have no value yet; open the file in Excel or LibreOffice and save "
            "it."
        )
    return tuple(notes)


def _further_cells(data: bytes, name: str) -> Callable[[int], _Cells]:
    """What the sheets say beside their values, by the number of the sheet."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        names = set(archive.namelist())
        if "content.xml" in names:
            spans = list(_open_document_spans(archive.read("content.xml")))
            return lambda at: _Cells({}, False, [span for sheet, *span in spans if sheet == at])  # type: ignore[misc]
        files = _sheet_files(archive)
        texts = [archive.read(file) if file in names else b"" for file in files]
    except _DAMAGED:
        raise DocumentError(
            f"{name} is not a workbook, is damaged, or has a password. Open it and save it again as .xlsx.", file=name
        ) from None
    for text in texts:
        _check_size(text, name)
    return lambda at: _excel_cells(texts[at] if at < len(texts) else b"")


def _sheet_files(archive: zipfile.ZipFile) -> list[str]:
    """The files of the sheets of an Excel workbook, in order."""
    relations = [dict(_ATTRIBUTE.findall(tag)) for tag in _RELATION.findall(archive.read("xl/_rels/workbook.xml.rels"))]
    targets = {relation.get(b"Id", b""): relation.get(b"Target", b"").decode() for relation in relations}
    files = []
    for tag in _SHEET.findall(archive.read("xl/workbook.xml")):
        about = dict(_ATTRIBUTE.findall(tag))
        key = next((value for key, value in about.items() if key.endswith(b":id")), b"")
        target = targets.get(key, "")
        files.append(target.removeprefix("/") if target.startswith("/") else f"xl/{target}")
    return files


def _check_size(text: bytes, name: str) -> None:
    """Refuse a sheet with a cell so far away that all before it would not fit into memory."""
    rows = [int(row) for row in _LAST_ROW.findall(text[-(1 << 20) :])]
    wide = [_column_number(letters) for letters in set(_WIDE.findall(text))] if _WIDE.search(text) else []
    if max(rows, default=1) * (max(wide, default=26) + 1) > _MOST_CELLS:
        raise DocumentError(
            f"{name} has a sheet with a cell very far from the others. Delete the empty rows and columns around the "
            "table, and save it again.",
            file=name,
        )


def _excel_cells(text: bytes) -> _Cells:
    odd: dict[tuple[int, int], str | None] = {}
    if b't="e"' in text:
        for letters, row, error in _ERROR_CELL.findall(text):
            odd[int(row) - 1, _column_number(letters)] = None if error == b"#N/A" else error.decode(errors="replace")
    pending = 0
    if re.search(rb"<(?:\w+:)?f[\s/>]", text):
        for letters, row, formula in _NO_VALUE.findall(text):
            odd[int(row) - 1, _column_number(letters)] = f"={formula.decode(errors='replace')}"
            pending += 1
    return _Cells(odd, bool(pending), [])


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number - 1


_ODS_TAG = re.compile(rb"<table:(table-row|table-cell|covered-table-cell|table)(\s[^>]*)?>")


def _open_document_spans(text: bytes) -> Iterator[tuple[int, int, int, int, int]]:
    """The sheet of each group of merged cells, its first and last row, and its first and last column."""
    if not re.search(rb"-spanned=\"(?:[2-9]|\d\d)", text):
        return
    sheet, row, column, repeated = -1, -1, 0, 1
    for tag, more in _ODS_TAG.findall(text):
        about = dict(_ATTRIBUTE.findall(more))
        if tag == b"table":
            sheet, row, repeated = sheet + 1, -1, 1
        elif tag == b"table-row":
            row, column, repeated = row + repeated, 0, _count(about, b"table:number-rows-repeated")
        else:
            down, across = (_count(about, b"table:number-%s-spanned" % way) for way in (b"rows", b"columns"))
            if down > 1 or across > 1:
                yield sheet, row, row + down - 1, column, column + across - 1
            column += _count(about, b"table:number-columns-repeated")


def _count(about: dict[bytes, bytes], key: bytes) -> int:
    text = about.get(key, b"1")
    return int(text) if text.isdigit() and len(text) < 8 else 1


def _write(frame: pd.DataFrame, _ending: str) -> bytes:
    openpyxl = extra_needed("openpyxl", _EXTRA, "")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Sheet1")
    for row in _written(frame):
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _written(frame: pd.DataFrame) -> Iterator[Sequence[Any]]:
    yield [str(name) for name in frame.columns]
    cells = frame.astype(object)
    yield from cells.where(cells.notna(), None).itertuples(index=False, name=None)


def _sniff_excel(start: bytes) -> bool:
    other = any(mark in start for mark in (b"word/", b"ppt/", b"mimetype"))
    return start.startswith(b"PK\x03\x04") and not other and (b"xl/" in start or b"[Content_Types].xml" in start)


def _sniff_open_document(start: bytes) -> bool:
    return start.startswith(b"PK\x03\x04") and b"application/vnd.oasis.opendocument.spreadsheet" in start[:200]


EXCEL: Format = whole_format(
    _EXCEL, _sheets, sheets=_sheets, write=_write, extra=_EXTRA, sniff=_sniff_excel, title="an Excel workbook"
)
WITH_MACROS: Format = whole_format(
    _WITH_MACROS, _sheets, sheets=_sheets, extra=_EXTRA, sniff=_sniff_excel, title="an Excel workbook"
)
OPEN_DOCUMENT: Format = whole_format(
    _OPEN_DOCUMENT,
    _sheets,
    sheets=_sheets,
    extra=_EXTRA,
    sniff=_sniff_open_document,
    title="an OpenDocument spreadsheet",
)
