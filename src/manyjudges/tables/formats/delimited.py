"""Delimited text: CSV, TSV, and semicolons with decimal commas."""

from __future__ import annotations

__all__ = ["decimal_points", "has_separator_line", "heading_of", "parse_delimited", "separator_of"]

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from manyjudges.arrays.types import Integers
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.content import Content, Format, check_distinct
from manyjudges.tables.formats.paths import SEPARATORS, StrPath, file_name, kind_of
from manyjudges.tables.formats.text import (
    BEGINNING_BYTES,
    MARK,
    Utf8Stream,
    beginning,
    encoding_notes,
    encoding_of,
    first_line,
    is_plain_text,
    open_quotation,
    opened_text,
)
from manyjudges.tables.grammar import BLANK, DECIMAL_COMMA

_LONGEST_ROW = 1 << 20
"""Bytes that are parsed at once. No row may be longer."""

_POSSIBLE = (",", ";", "\t", "|")
"""What may separate cells, if the heading has it."""

_SEPARATOR_LINE = re.compile(r'"?sep=([^\w"])"?', re.IGNORECASE)
"""What Excel understands, and some programs write, above the heading: the separator of the table."""

_UNNAMED = "Unnamed: {}"
"""What a column without a name is called where there are several; also what pandas calls it."""

_ROWS_COMPARED = 20
"""Rows of which each must have as many cells as the others, for a character to be what separates them."""


class Heading(NamedTuple):
    """What the beginning of a file says about its columns.

    Attributes
    ----------
    names : list of str
    separator : str
    lines : int
        How many lines it takes; more than one where a name has a line break in it, or ``sep=;`` stands above.
    newline : bytes
        The last byte of what ends the first line.
    alone : bool
        Whether nothing comes after it, not even the end of the line.
    """

    names: list[str]
    separator: str
    lines: int = 1
    newline: bytes = b"\n"
    alone: bool = False


def separator_of(path: StrPath, start: bytes | None = None) -> str:
    """The character that separates the cells of a table of text."""
    usual = SEPARATORS.get(kind_of(path), ",")
    line = first_line(path, start)
    if told := _SEPARATOR_LINE.fullmatch(line.strip(" ")):
        return told[1]
    possible = [each for each in dict.fromkeys((usual, *_POSSIBLE)) if each in line]
    if len(possible) > 1:
        text = beginning(path, start)
        widths = {each: _width(text, each) for each in possible}
        return max(possible, key=widths.__getitem__)
    return possible[0] if possible else usual


def _width(text: str, separator: str) -> int:
    """How many cells each of the first rows has; 0 where they differ."""
    lines = text.splitlines(keepends=True)
    lines = lines if len(text) < BEGINNING_BYTES // 4 else lines[:-1]  # which may be cut off
    try:
        rows = [len(row) for row in islice(csv.reader(lines, delimiter=separator), _ROWS_COMPARED) if row]
    except csv.Error:
        return 0
    return rows[0] if len(set(rows)) == 1 else 0


def has_separator_line(path: StrPath, start: bytes | None = None) -> bool:
    """Whether the first line is ``sep=;``, by which Excel is told the separator, and the heading comes after it."""
    return _SEPARATOR_LINE.fullmatch(first_line(path, start).strip(" ")) is not None


def _with_names(names: list[str]) -> list[str]:
    """The names of columns, where several have none, as those that spreadsheets leave behind a table."""
    if sum(not name.strip() for name in names) < 2:
        return names
    return [name if name.strip() else _UNNAMED.format(at) for at, name in enumerate(names)]


def heading_of(path: StrPath, start: bytes | None = None) -> Heading:
    """The heading of a file; ``start`` are its first bytes, where they have been read."""
    separator, text = separator_of(path, start), beginning(path, start)
    lines = list(io.StringIO(text, newline=""))
    above = int(has_separator_line(path, start))
    reader = csv.reader(lines[above:], delimiter=separator)
    try:
        names = next(reader, [])
    except csv.Error:  # a cell that is longer than any name
        names = []
    read = above + reader.line_num
    complete = len(lines) > read or lines[-1].endswith(("\n", "\r"))
    if not names or (not complete and len(text) >= BEGINNING_BYTES // 4):
        name = file_name(path)
        raise DocumentError(
            f"{name} cannot be read: its first line, which must name the columns, does not end within "
            f"{BEGINNING_BYTES:,} bytes. Is it a table?",
            file=name,
        )
    if any(odd in name for name in names for odd in "\0\ufffd"):
        name = file_name(path)
        raise DocumentError(
            f"{name} cannot be read: its first line, which must name the columns, is not UTF-8 text. If it is a table, "
            "save it as UTF-8.",
            value=next(cell for cell in names if "\0" in cell or "\ufffd" in cell),
            file=name,
        )
    names = _with_names(names)
    check_distinct(names, path)
    return Heading(names, separator, read, b"\r" if lines[0].endswith("\r") else b"\n", not complete)


def _read_delimited(path: StrPath, skip: bool) -> Content:
    heading = heading_of(path)
    comma, encoding = heading.separator == ";", encoding_of(path)
    notes = encoding_notes(path, encoding)
    if heading.alone:
        return Content(_empty(heading).to_pandas(), 0, comma, notes=notes)
    try:
        with opened_text(path, encoding) as stream:
            table = _parse(stream, heading)
        if _may_be_open(table):
            _check_closed(path, heading, encoding)
        return Content(table.to_pandas(), 0, comma, notes=notes)
    except (pa.ArrowInvalid, UnicodeDecodeError):  # which row it is, is only known when they are read one by one
        parts = list(_stream(path, skip, None))
    frame = pa.concat_tables([pa.Table.from_pandas(part.frame, _schema(heading)) for part in parts]).to_pandas()
    numbers = np.concatenate([part.numbers for part in parts])
    return Content(frame, sum(part.unread for part in parts), comma, numbers, notes=notes)


def _stream(path: StrPath, skip: bool, _columns: Sequence[str] | None) -> Iterator[Content]:
    heading, encoding = heading_of(path), encoding_of(path)
    notes = encoding_notes(path, encoding)
    odd = False
    try:
        with opened_text(path, encoding) as stream:
            for rows in _RowReader(heading, file_name(path), skip).read(stream):
                odd = rows.unread > 0 or (_may_be_open(rows.table) if len(rows.table) else odd)
                yield Content(rows.table.to_pandas(), rows.unread, heading.separator == ";", rows.numbers, notes=notes)
                notes = ()
    except DocumentError:
        _check_closed(path, heading, encoding)  # which says more of the same line
        raise
    if odd:
        _check_closed(path, heading, encoding)


def _may_be_open(table: pa.Table) -> bool:
    """Whether the last cell has several lines, as it has where its quotation mark is not closed."""
    last = table.column(table.num_columns - 1)[-1].as_py() if len(table) else None
    return last is not None and re.search(r"[\r\n]", last) is not None


def _check_closed(path: StrPath, heading: Heading, encoding: str) -> None:
    """Refuse a file in which a quotation mark opens that is not closed: all after it would be one cell."""
    with opened_text(path, encoding) as stream:
        line = open_quotation(stream, heading.separator, heading.lines)
    if line is not None:
        raise _unclosed(file_name(path), line)


def _unclosed(where: str, line: int) -> DocumentError:
    return DocumentError(
        f"{where}, line {line:,}: the quotation mark that opens there is not closed, so that all that comes after it "
        "would be one cell. Close it with a second one, or delete it. A quotation mark that belongs to the text is "
        'doubled, and the text put in quotation marks: "5"" wide".',
        value='"',
        row=line,
        file=where,
    )


def parse_delimited(
    data: bytes, heading: Heading, where: str, *, skip: bool = False, first: bool = True
) -> tuple[pa.Table, int]:
    """A table of text, and how many lines of it were skipped.

    Parameters
    ----------
    data : bytes
        Of whole lines, without compression.
    heading : Heading
    where : str
        The name of the file, for errors.
    skip : bool
        Whether lines that are no rows are skipped. Otherwise they are an error.
    first : bool
        Whether the data begins with the heading.
    """
    if not data.strip() or (first and heading.alone):
        return _empty(heading), 0
    heading = heading if first else heading._replace(lines=0)
    if first and data.count(b'"') % 2 and (line := open_quotation(io.BytesIO(data), heading.separator, heading.lines)):
        raise _unclosed(where, line)
    try:
        return _parse(io.BytesIO(data), heading), 0
    except (pa.ArrowInvalid, UnicodeDecodeError):
        parts = list(_RowReader(heading, where, skip).read(io.BytesIO(data)))
    return pa.concat_tables([_empty(heading), *(part.table for part in parts)]), sum(part.unread for part in parts)


def decimal_points(column: Any) -> Any:
    """A column of text in which numbers with a decimal comma have a point instead."""
    trimmed = pc.utf8_trim(column, characters=BLANK)
    commas = pc.match_substring_regex(trimmed, f"^({DECIMAL_COMMA})$")
    return pc.if_else(commas, pc.replace_substring(column, ",", "."), column)


def _parse(stream: Any, heading: Heading) -> pa.Table:
    return pyarrow.csv.read_csv(Utf8Stream(stream), **_options(heading))


def _options(heading: Heading, **parsing: Any) -> dict[str, Any]:
    return {
        "read_options": pyarrow.csv.ReadOptions(
            # Rows have numbers only where one thread reads them.
            column_names=heading.names,
            skip_rows=heading.lines,
            block_size=_LONGEST_ROW,
            use_threads="invalid_row_handler" not in parsing,
        ),
        "parse_options": pyarrow.csv.ParseOptions(delimiter=heading.separator, newlines_in_values=True, **parsing),
        # Everything as text: what is a number, a name or a yes is decided later, column by column.
        "convert_options": pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(heading.names, pa.string()), strings_can_be_null=False
        ),
    }


def _schema(heading: Heading) -> pa.Schema:
    return pa.schema(dict.fromkeys(heading.names, pa.string()))


def _empty(heading: Heading) -> pa.Table:
    return _schema(heading).empty_table()


class _Wrong(NamedTuple):
    """A line that is no row: its number, the number of its cells, and what is written there."""

    number: int
    cells: int
    text: str


class _Part(NamedTuple):
    table: pa.Table
    numbers: Integers
    unread: int


@dataclass
class _RowReader:
    """Reads rows one after the other, and knows the number of each: the first after the heading is 1."""

    heading: Heading
    where: str
    skip: bool
    done: int = 0

    def read(self, stream: Any) -> Iterator[_Part]:
        """The rows, in parts. A line that is no row is skipped and counted, or an error."""
        wrong: list[_Wrong] = []

        def note(row: Any) -> str:
            wrong.append(_Wrong(row.number - self.heading.lines, row.actual_columns, row.text))
            return "skip"

        if self.heading.alone:
            return
        try:
            with pyarrow.csv.open_csv(
                Utf8Stream(stream, marking=True), **_options(self.heading, invalid_row_handler=note)
            ) as reader:
                for batch in reader:
                    yield self._part(pa.Table.from_batches([batch]), wrong)
        except pa.ArrowInvalid as error:
            if wrong and not self.skip:
                raise self._refusal(wrong[0]) from None
            if "straddling" in str(error):
                raise self._too_long() from None
            raise
        if wrong:
            if not self.skip:
                raise self._refusal(wrong[0])
            yield _Part(_empty(self.heading), np.zeros(0, dtype=np.int64), len(wrong))

    def _part(self, table: pa.Table, wrong: list[_Wrong]) -> _Part:
        """Rows with their numbers. Of lines that are wrong, those before the last of these rows are done with."""
        unread = {line.number for line in wrong}
        candidates = np.arange(self.done + 1, self.done + 1 + len(table) + len(unread))
        numbers = candidates[~np.isin(candidates, list(unread))][: len(table)]
        self.done = int(numbers[-1]) if len(numbers) else self.done
        before = [line for line in wrong if line.number < self.done]
        marked = self._marked(table)
        if not self.skip and (before or marked.any()):
            at = np.flatnonzero(marked)[:1]
            odd = [_Wrong(int(numbers[i]), 0, self._text(table, int(i))) for i in at]
            raise self._refusal(min([*before, *odd]))
        del wrong[: len(before)]
        table = table.filter(pa.array(~marked)) if marked.any() else table
        return _Part(table, numbers[~marked], len(before) + int(marked.sum()))

    def _marked(self, table: pa.Table) -> Any:
        """Which rows have bytes that are no text."""
        columns = [pc.match_substring(column, MARK).to_numpy() for column in table.columns]
        return np.logical_or.reduce(columns) if len(table) else np.zeros(0, dtype=bool)

    def _text(self, table: pa.Table, row: int) -> str:
        return self.heading.separator.join(column[row].as_py() for column in table.columns)

    def _refusal(self, line: _Wrong) -> DocumentError:
        """What to say of a line that is no row."""
        text, place = line.text.replace(MARK, "\ufffd"), f"row {line.number:,} of {self.where}"
        where = f"{place} (not counting the heading)"
        wanted = len(self.heading.names)
        wrong = f"has {line.cells} cell{'s' * (line.cells != 1)}, and the heading has {wanted}"
        wrong = "is not text (bytes that are not UTF-8, or NUL); save the file as UTF-8" if MARK in line.text else wrong
        remedy = "To have such lines skipped and counted: on_invalid='skip' (--on-invalid skip)."
        words = f"{where} {wrong}: {quote_value(text)}. {remedy}"
        if wanted == 1 < line.cells:
            words = (
                f"{place} has {line.cells} cells, and the first line, {quote_value(self.heading.names[0])}, has 1. If "
                "that line is a title, delete it: the first line must name the columns."
            )
        return DocumentError(words, value=text, row=line.number, file=self.where)

    def _too_long(self) -> DocumentError:
        return DocumentError(
            f"{self.where} cannot be read: a row is longer than {_LONGEST_ROW:,} bytes. Is there a quotation mark to "
            "which the second is missing?",
            file=self.where,
        )


def _columns(path: StrPath) -> list[str]:
    return heading_of(path).names


def _write(frame: pd.DataFrame, ending: str) -> bytes:
    return frame.to_csv(index=False, sep=SEPARATORS[ending], lineterminator="\n").encode()


def _sniff(start: bytes) -> bool:
    return is_plain_text(start) and not start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"["))


FORMAT = Format(tuple(SEPARATORS), _read_delimited, _columns, _stream, _write, sniff=_sniff, title="text")
