"""Grids: tables as spreadsheets have them, cell by cell, each with words for where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from manyjudges.connectors.delimited import LIKELY_SEPARATORS, rows_of, text_of
from manyjudges.connectors.place import RecordPlace

RISKY = "=+-@\t\r"
"""What a text begins with that a spreadsheet takes for a formula."""

_GUARDED = re.compile(rf"'+[{re.escape(RISKY)}]")
_RISKY = re.compile(rf"'*[{re.escape(RISKY)}]")


@dataclass(frozen=True)
class Unusable:
    """What is no value of a cell: an error, a formula that was not worked out, a part of a merged cell."""

    message: str
    value: object = None


@dataclass(frozen=True)
class Spread(Unusable):
    """A cell that shows what another shows, as both are merged; its value is that of the other."""


@dataclass(frozen=True)
class Grid:
    """A sheet of a workbook, or a file of text.

    Attributes
    ----------
    title : str
        Of the sheet; of a file, its name without the ending.
    place : RecordPlace
        The file, and the sheet if there are several.
    rows : tuple of tuple
        What is in the cells: None or a blank text for nothing.
    lines : tuple of int
        The number of each row in its sheet, or the line on which it begins.
    cells : bool
        Whether cells are called ``C7``, as in a workbook.
    """

    title: str
    place: RecordPlace
    rows: tuple[tuple[object, ...], ...]
    lines: tuple[int, ...]
    cells: bool

    def where(self, row: int, column: int, heading: str = "") -> RecordPlace:
        """Where a cell is, in words that go before a colon."""
        if self.cells:
            words = f"{self.place}, cell {_letters(column)}{self.lines[row]}"
        else:
            words = f"{self.place}, line {self.lines[row]}" + (f", column {heading!r}" if heading else "")
        return RecordPlace(words, file=self.place.file, row=self.lines[row], column=heading or _letters(column))


def read_separated(path: Path, *, form: bool = False) -> Grid:
    """A file of text with commas, semicolons or tabs, as a grid without its empty lines.

    Parameters
    ----------
    path : Path
    form : bool
        Whether texts may be marked as those of our forms are, by :func:`guarded`.
    """
    text = text_of(path)
    lines = rows_of(path.name, text, _separator(path, text))
    rows = tuple(tuple(_unguarded(cell) if form else cell for cell in cells) for _, cells in lines)
    return Grid(path.stem, RecordPlace(path.name, file=path.name), rows, tuple(line for line, _ in lines), cells=False)


def _separator(path: Path, text: str) -> str:
    """What separates: by the name's ending, or what is most frequent in the first line that has any."""
    if path.suffix.lower() in (".tsv", ".tab"):
        return "\t"
    # A title may stand above the headings.
    first = next((line for line in text.splitlines() if any(mark in line for mark in LIKELY_SEPARATORS)), "")
    return max(LIKELY_SEPARATORS, key=first.count)


def _letters(column: int) -> str:
    """The letters of a column, counted from 0.

    >>> _letters(0), _letters(25), _letters(26), _letters(701), _letters(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    text, rest = "", column + 1
    while rest:
        rest, at = divmod(rest - 1, 26)
        text = chr(ord("A") + at) + text
    return text


def guarded(text: str) -> str:
    """A text for a table that a spreadsheet may open, with a mark where it would be taken for a formula.

    >>> guarded("=1+1"), guarded("a"), guarded("'=1")
    ("'=1+1", 'a', "''=1")
    """
    return f"'{text}" if _RISKY.match(text) else text


def _unguarded(text: str) -> str:
    """The text that :func:`guarded` was given.

    >>> _unguarded("'=1+1"), _unguarded("'tis"), _unguarded("''=1")
    ('=1+1', "'tis", "'=1")
    """
    return text[1:] if _GUARDED.match(text) else text


def is_blank(value: object) -> bool:
    """Whether a cell has nothing in it."""
    return value is None or (isinstance(value, str) and not value.strip())
