"""A quotation mark that is not closed is named with its line, however the table is read."""

from __future__ import annotations

import io

import pytest

from manyjudges import read_judgments, scan_moments
from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.delimited import heading_of, parse_delimited
from manyjudges.tables.formats.text import open_quotation
from tests.support.messages import refused

HEADING = "object,attribute,worker,value"
ROWS = [f"o{i},{name},w{w},{(7 * i + w) % 5 + 1}" for i in range(40) for name in ("tone", "clarity") for w in range(3)]
LABELS = {f"o{i}": float(i % 7) for i in range(40)}


def with_mark(row, column):
    """The lines of a table in which a quotation mark opens in one cell."""
    cells = ROWS[row].split(",")
    cells[column] = '"' + cells[column]
    return [HEADING, *ROWS[:row], ",".join(cells), *ROWS[row + 1 :]]


def read(path, on_invalid):
    return read_judgments(path, on_invalid=on_invalid)


def scan(path, on_invalid):
    return scan_moments(path, LABELS, on_invalid=on_invalid)


@pytest.mark.parametrize("reader", [read, scan])
@pytest.mark.parametrize("on_invalid", ["error", "skip"])
@pytest.mark.parametrize(("row", "column"), [(20, 0), (20, 1), (20, 3), (239, 3)])
def test_a_quotation_mark_that_is_not_closed(tmp_path, reader, on_invalid, row, column):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(with_mark(row, column)) + "\n", encoding="utf-8")
    with refused(DocumentError, value='"', row=row + 2):
        reader(path, on_invalid)


@pytest.mark.parametrize(("newline", "separator"), [("\r\n", ","), ("\r", ","), ("\n", ";")])
def test_the_line_is_right_however_lines_end(tmp_path, newline, separator):
    path = tmp_path / "table.csv"
    text = newline.join(with_mark(20, 0)).replace(",", separator) + newline
    path.write_bytes(text.encode())
    with refused(DocumentError, row=22):
        read(path, "skip")
    with refused(DocumentError, row=22):
        parse_delimited(text.encode(), heading_of(path), "table.csv", skip=True)


@pytest.mark.parametrize("reader", [read, scan])
def test_cells_with_several_lines_are_read(tmp_path, reader):
    path = tmp_path / "table.csv"
    path.write_text("\n".join([HEADING, *ROWS]).replace("tone", '"tone, ""high""\nor low"'), encoding="utf-8")
    assert 'tone, "high"\nor low' in reader(path, "error").attributes


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"a,b\n1,2\n", None),
        (b'a,b\n"1,2\n', 2),
        (b'a,b\n1,5" wide\n', None),
        (b'a,b\n1,"5"" wide\n2,3', 2),
        (b'a,b\n1,"5"" wide"\n2,3', None),
        (b'a,b\n1,"two\nlines"\n2,"3\n4', 4),
        (b'a,b\n1,"two\nlines","3\n4\n', 3),
        (b'a,b\n1,"two" more,"3"\n', None),
        (b'a,"b\n1,2\n', None),
        (b"a,b\n" + b"1,2\r\n" * 50_000 + b'"3', 50_002),
        (b"", None),
    ],
)
def test_where_a_quotation_mark_opens(text, line):
    assert open_quotation(io.BytesIO(text), ",", 1) == line
