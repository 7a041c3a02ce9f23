"""Objects: what is judged, from a table of names, labels where they are known, and what to show."""

from __future__ import annotations

__all__ = ["ObjectRecord", "Objects", "read_objects"]

import csv
import io
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.exceptions import StudyError
from manyjudges.study.addresses import is_web_address
from manyjudges.study.pictures import find_picture
from manyjudges.tables.grammar import read_number

if TYPE_CHECKING:
    from manyjudges.study.config import Study

_SEPARATORS = (",", ";", "\t")
LONGEST_NAME = 500
"""Characters of an object's name; databases index it."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # of at least two letters: C: is a disk
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_Row = tuple[int, list[str]]
"""The line on which a row begins, and its cells."""


@dataclass(frozen=True)
class ObjectRecord:
    """One object.

    Attributes
    ----------
    name : str
        No judge sees it.
    label : float, optional
        What is to be predicted; None where it is not known.
    image : Path, optional
        A picture in the study's folder, absolute, links followed.
    address : str, optional
        A picture elsewhere, http or https.
    text : str, optional
    line : int
        In the table, from 1.
    """

    name: str
    label: float | None
    image: Path | None
    address: str | None
    text: str | None
    line: int


@dataclass(frozen=True)
class SkippedRow:
    """A row that is left out, and why; with the column and the value where the reason is one of these."""

    line: int
    message: str
    column: str | None = None
    value: object = None


@dataclass(frozen=True)
class Objects:
    """The objects of a study, and the rows of its table that could not be used.

    Attributes
    ----------
    records : tuple of ObjectRecord
        In the order of the table.
    problems : tuple of SkippedRow
        In the order of the table.
    """

    records: tuple[ObjectRecord, ...]
    problems: tuple[SkippedRow, ...]


def read_objects(study: Study) -> Objects:
    """Read the table of a study's objects.

    Rows that cannot be used become problems, and the others go on.

    Raises
    ------
    StudyError
        Where the file or a column is missing, or no row can be used.
    """
    path = study.folder / study.objects.file
    text = _text_of(path, study)
    separator = _separator(text, study.objects.id)
    rows = _rows(text, separator)
    heading = _heading(rows, path)
    reader = _Reader(study.folder, _columns(heading, path, study), len(heading), separator)
    records: list[ObjectRecord] = []
    problems: list[SkippedRow] = []
    for row in rows:
        outcome = row if isinstance(row, SkippedRow) else reader.read(row)
        if isinstance(outcome, ObjectRecord):
            records.append(outcome)
        elif outcome is not None:
            problems.append(outcome)
    if not records:
        why = "".join(f"\n{path}, line {problem.line}: {problem.message}" for problem in problems[:3])
        more = f"\nand {len(problems) - 3:,} more." if len(problems) > 3 else ""
        raise StudyError(
            f"{path} has no row that can be used.{why}{more}",
            value=problems[0].value if problems else None,
            row=problems[0].line if problems else None,
            column=problems[0].column if problems else None,
            file=str(path),
        )
    return Objects(tuple(records), tuple(problems))


class _Reader:
    """Makes objects of rows; remembers their names."""

    def __init__(self, folder: Path, columns: Mapping[str, int], width: int, separator: str) -> None:
        self._folder = folder
        self._columns = columns
        self._width = width
        self._separator = separator
        self._lines: dict[str, int] = {}
        self._resolve = cache(os.path.realpath)  # thousands of pictures lie in the same few folders

    def read(self, row: _Row) -> ObjectRecord | SkippedRow | None:
        """An object, or what is wrong with it; nothing for a row without any content."""
        line, cells = row
        if not any(cell.strip() for cell in cells):
            return None
        try:
            self._check_width(cells)
            name = self._name(cells, line)
            label = self._label(cells)
            image, address = self._image(cells)
            text = self._text(cells)
        except StudyError as error:
            return SkippedRow(line, str(error), error.column, error.value)
        if image is None and address is None and text is None:
            return SkippedRow(line, f"{quote_value(name)} has nothing to show: give it an image or a text.")
        return ObjectRecord(name, label, image, address, text, line)

    def _cell(self, cells: Sequence[str], role: str) -> str:
        return cells[self._columns[role]].strip() if role in self._columns else ""

    def _check_width(self, cells: Sequence[str]) -> None:
        if len(cells) < self._width or any(cell.strip() for cell in cells[self._width :]):
            raise StudyError(
                f"{len(cells)} cells where the heading has {self._width}, in the row of {quote_value(cells[0])}; "
                f'a text with {self._separator!r} in it must stand in quotation marks: "…".',
                value=cells[0],
                column="id",
            )

    def _name(self, cells: Sequence[str], line: int) -> str:
        name = self._cell(cells, "id")
        if not name:
            raise StudyError("no id; give the object a name of its own.", column="id")
        if len(name) > LONGEST_NAME or not name.isprintable():
            raise StudyError(
                f"the id {quote_value(name)} is longer than {LONGEST_NAME} characters or holds a "
                f"control character or line "
                "break; give the object a plain name.",
                value=name,
                column="id",
            )
        first = self._lines.setdefault(name, line)
        if first != line:
            raise StudyError(
                f"the id {quote_value(name)} is there already, in line {first}; each object needs its own.",
                value=name,
                column="id",
            )
        return name

    def _label(self, cells: Sequence[str]) -> float | None:
        written = self._cell(cells, "label")
        if not written:
            return None
        # Where semicolons separate, spreadsheets write 3,5.
        label = read_number(written, decimal_comma=self._separator == ";")
        if not math.isfinite(label):
            point = " Write decimals with a point." if "," in written and self._separator != ";" else ""
            raise StudyError(
                f"the label {quote_value(written)} is no number; leave it blank where it is not known.{point}",
                value=written,
                column="label",
            )
        return label

    def _image(self, cells: Sequence[str]) -> tuple[Path | None, str | None]:
        written = self._cell(cells, "image")
        if not written:
            return None, None
        if is_web_address(written):
            return None, written
        if _SCHEME.match(written):
            raise StudyError(
                f"the image {quote_value(written)} is neither a file nor an http or https address.",
                value=written,
                column="image",
            )
        return find_picture(self._folder, written, resolve=self._resolve), None

    def _text(self, cells: Sequence[str]) -> str | None:
        if "text" not in self._columns:
            return None
        text = cells[self._columns["text"]].replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        if _CONTROLS.search(text):
            raise StudyError("the text holds a control character, which no page can show; remove it.", column="text")
        return text if text.strip() else None


def _heading(rows: Iterator[_Row | SkippedRow], path: Path) -> list[str]:
    for row in rows:
        if isinstance(row, SkippedRow):
            raise StudyError(f"{path}, line {row.line}: {row.message}", row=row.line, file=str(path))
        if any(cell.strip() for cell in row[1]):
            return [cell.strip() for cell in row[1]]
    raise StudyError(
        f"{path} is empty; its first line must name the columns, such as id, label, image, text.", row=1, file=str(path)
    )


def _rows(text: str, separator: str) -> Iterator[_Row | SkippedRow]:
    """The rows of a table, each with its first line; after one with a stray quotation mark, the next line goes on."""
    lines = list(io.StringIO(text, newline=""))
    start = 0
    while start < len(lines):
        reader = csv.reader(map(lines.__getitem__, range(start, len(lines))), delimiter=separator, strict=True)
        begun = start
        try:
            for cells in reader:
                yield begun + 1, cells
                begun = start + reader.line_num
            return
        except csv.Error as error:
            yield SkippedRow(begun + 1, _quoting(error))
            start = begun + 1


def _quoting(error: csv.Error) -> str:
    if "limit" in str(error):
        return f"a cell is longer than {csv.field_size_limit():,} characters, or its quotation mark is never closed."
    return 'a quotation mark is not closed, or closed too early; inside of a text in quotation marks, write "" for one.'


def _separator(text: str, name: str) -> str:
    """What stands between cells: that by which the heading has the column of names."""
    heading = next((line for line in text.splitlines() if line.strip()), "")
    for separator in _SEPARATORS:
        if name in [cell.strip() for cell in next(csv.reader([heading], delimiter=separator), [])]:
            return separator
    return max(_SEPARATORS, key=heading.count)


def _columns(names: list[str], path: Path, study: Study) -> dict[str, int]:
    """Where the columns stand; StudyError where one that is needed does not."""
    column_names = study.objects.model_dump(include={"id", "label", "image", "text"})
    positions = {role: names.index(name) for role, name in column_names.items() if name in names}
    must = {"id", "label"} | (study.objects.model_fields_set & {"image", "text"})
    for role, name in column_names.items():
        if role in must and role not in positions:
            raise StudyError(
                f"{path}: there is no column {name!r} for {role}; the columns are {list_names(names, limit=10)}."
                f"{suggest(name, names)} Rename the column, or set {role} under [objects] in study.toml.",
                value=name,
                column=role,
                file=str(path),
            )
        if names.count(name) > 1:
            raise StudyError(
                f"{path}: there is more than one column {name!r}; rename one.", value=name, column=role, file=str(path)
            )
    if not {"image", "text"} & positions.keys():
        raise StudyError(
            f"{path}: there is nothing to show, no column {column_names['image']!r} and no column "
            f"{column_names['text']!r}; the columns are {list_names(names, limit=10)}.",
            column="image",
            file=str(path),
        )
    return positions


def _text_of(path: Path, study: Study) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        place = study.place("objects", "file")
        raise StudyError(
            f"{place}: objects.file = {study.objects.file!r}: there is no {str(path)!r}.",
            value=study.objects.file,
            **study.located("objects", "file"),
        ) from None
    except OSError as error:
        raise StudyError(f"cannot read {str(path)!r}: {error.strerror or error}.", file=str(path)) from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise StudyError(f"{path} is UTF-16 text; save it as UTF-8 (in Excel: CSV UTF-8).", row=1, file=str(path))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise StudyError(
            f"{path}, line {line}: this is not UTF-8 text ({error.reason}); save it as UTF-8 (in Excel: CSV UTF-8).",
            row=line,
            file=str(path),
        ) from None
