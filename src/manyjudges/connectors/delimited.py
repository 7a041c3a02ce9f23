"""Delimited files: tables of text, row by row, each with its line, as exports of other tools have them."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from manyjudges.base import documents
from manyjudges.base.messages import list_names, suggest
from manyjudges.connectors.place import RecordPlace, located
from manyjudges.exceptions import DocumentError

LIKELY_SEPARATORS = (",", ";", "\t")

ARCHIVE = b"PK\x03\x04"
"""How workbooks and .zip files begin."""

_LONGEST_CELL = 1 << 30
"""Texts of whole pages stand in exports."""


@dataclass(frozen=True)
class Record:
    """One row of a table.

    Attributes
    ----------
    place : str
        The file and the line on which the row begins.
    cells : dict of str to str
        By the heading.
    """

    place: str
    cells: dict[str, str]


@dataclass(frozen=True)
class Sheet:
    """A table of text.

    Attributes
    ----------
    path : Path
    columns : tuple of str
    records : tuple of Record
    """

    path: Path
    columns: tuple[str, ...]
    records: tuple[Record, ...]

    def need(self, *names: str) -> None:
        """Raise DocumentError where one of these columns is missing."""
        for name in names:
            if name not in self.columns:
                raise DocumentError(
                    f"{self.path.name}: there is no column {name!r}; the columns are "
                    f"{list_names(self.columns, limit=10)}.{suggest(name, self.columns)}",
                    file=self.path.name,
                    column=name,
                )


def read_sheet(path: str | os.PathLike[str]) -> Sheet:
    """Read a table of text whose first line names its columns; commas, semicolons or tabs separate.

    Raises
    ------
    DocumentError
        Where it cannot be read, is empty, or a row has another number of cells than the heading; the message says
        where.
    """
    where = Path(path)
    text = text_of(where)
    first = next((line for line in text.splitlines() if line.strip()), "")
    rows = iter(rows_of(where.name, text, max(LIKELY_SEPARATORS, key=first.count)))
    heading = next(rows, None)
    if heading is None:
        raise DocumentError(f"{where.name} is empty; its first line must name the columns.", file=where.name)
    columns = tuple(cell.strip() for cell in heading[1])
    twice = sorted({name for name in columns if name and columns.count(name) > 1})
    if twice:
        raise DocumentError(
            f"{where.name} has more than one column {list_names(twice)}; rename one.", file=where.name, column=twice[0]
        )
    return Sheet(where, columns, tuple(_record(where.name, columns, *row) for row in rows))


def text_of(path: Path) -> str:
    """The text of a file in UTF-8, with or without a mark, or in UTF-16 with one, as spreadsheets save it."""
    if path.is_dir():
        raise DocumentError(f"{str(path)!r} is a folder; name the files in it.", file=str(path))
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise DocumentError(f"there is no file {str(path)!r}.", file=str(path)) from None
    except OSError as error:
        raise DocumentError(f"cannot read {str(path)!r}: {error.strerror or error}.", file=str(path)) from None
    if data.startswith(ARCHIVE):
        raise DocumentError(
            f"{path.name} is an Excel workbook or a .zip file, and not text; save the sheet as CSV, or take the file "
            "out of it.",
            file=path.name,
        )
    try:
        text = data.decode(_encoding(data))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            f"{path.name}, line {line}: this is not UTF-8 text ({error.reason}); save it as UTF-8.",
            file=path.name,
            row=line,
        ) from None
    if (at := text.find("\0")) >= 0:  # mostly UTF-16 without a mark; names with it are not for every database
        line = text.count("\n", 0, at) + 1
        raise DocumentError(
            f"{path.name}, line {line}: there is a NUL character, which is no text; save it as UTF-8.",
            file=path.name,
            row=line,
        )
    return text


def first_lines(path: Path) -> list[list[str]]:
    """The cells of the first line of a file, taken apart at each separator; none where it cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read(1 << 16)
        first = next((line for line in data.decode(_encoding(data), "replace").splitlines() if line.strip()), "")
        return [cells for mark in LIKELY_SEPARATORS for cells in csv.reader([first], delimiter=mark)]
    except (OSError, csv.Error):
        return []


def _encoding(data: bytes) -> str:
    return "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"


def _write_sheet(path: str | os.PathLike[str], columns: Sequence[str], rows: Iterator[Sequence[object]]) -> None:
    """Write a table with commas, whole or not at all."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows(rows)
    documents.write(path, out.getvalue())


def rows_of(name: str, text: str, separator: str) -> list[tuple[int, list[str]]]:
    """Rows of a table of text that have some content, each with the line on which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows, begun = [], 1
    with _long_cells():
        try:
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    rows.append((begun, cells))
                begun = reader.line_num + 1
        except csv.Error:
            raise DocumentError(
                f"{name}, line {begun}: a quotation mark is not closed, or closed too early; inside of a text in "
                'quotation marks, write "" for one.',
                file=name,
                row=begun,
            ) from None
    return rows


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be long for a while; the limit is one for the whole process, and others rely on theirs."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _record(name: str, columns: Sequence[str], line: int, cells: Sequence[str]) -> Record:
    place = RecordPlace(f"{name}, line {line}", file=name, row=line)
    if len(cells) > len(columns) and any(cell.strip() for cell in cells[len(columns) :]):
        raise DocumentError(
            f"{place}: {len(cells)} cells where the heading has {len(columns)}; a text with a separator in it must "
            "stand in quotation marks.",
            **located(place),
        )
    padded = [*cells, *[""] * (len(columns) - len(cells))]  # some tools leave empty cells at the end away
    return Record(place, {column: cell for column, cell in zip(columns, padded, strict=False) if column})
