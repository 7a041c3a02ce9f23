"""Tables of text, row by row, each with its line."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.connectors.delimited import first_lines, read_sheet, rows_of, text_of
from manyjudges.exceptions import DocumentError
from tests.support.messages import refused


def saved(tmp_path, content, name="a.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_tables_as_spreadsheets_save_them(tmp_path, encoding, separator):
    text = f'name {separator} text\r\n\r\nä{separator}"1{separator} 2"\r\nb\r\n'
    sheet = read_sheet(saved(tmp_path, text.encode(encoding)))
    assert sheet.columns == ("name", "text")
    assert [record.cells for record in sheet.records] == [
        {"name": "ä", "text": f"1{separator} 2"},
        {"name": "b", "text": ""},
    ]
    assert [(record.place, record.place.row, record.place.file) for record in sheet.records] == [
        ("a.csv, line 3", 3, "a.csv"),
        ("a.csv, line 4", 4, "a.csv"),
    ]


cells = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1, max_size=5).filter(
    str.strip
)


@given(st.lists(st.lists(cells, min_size=2, max_size=2), max_size=5))
def test_what_was_written_is_read(rows):
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    found = rows_of("a.csv", out.getvalue(), ",")
    assert [cells for _, cells in found] == rows
    lines = out.getvalue().splitlines(keepends=True) if rows else []
    assert [line for line, _ in found] == sorted({line for line, _ in found})
    assert len(found) <= max(len(lines), len(rows))


def test_a_row_begins_where_its_first_line_is():
    assert rows_of("a.csv", 'a\n"b\nc"\n\nd\n', ",") == [(1, ["a"]), (2, ["b\nc"]), (5, ["d"])]


@pytest.mark.parametrize(
    ("content", "row"),
    [
        (b"", None),
        (b"\n \n", None),
        (b"a,b\n\xff,1\n", 2),
        (b"a,b\n1,\0\n", 2),
        (b'a,b\n1,"x\n', 2),
        (b'a,b\n1,"x"y\n', 2),
        (b"a,a\n1,2\n", None),
        (b"a,b\n1,2,3\n", 2),
        (b"PK\x03\x04", None),
    ],
    ids=["empty", "blank", "latin", "nul", "open", "quoted", "twice", "cells", "workbook"],
)
def test_files_that_cannot_be_read_are_named_with_their_line(tmp_path, content, row):
    with refused(DocumentError, row=row, file="a.csv"):
        read_sheet(saved(tmp_path, content))


def test_files_that_are_not_there(tmp_path):
    with refused(DocumentError, file=str(tmp_path / "nowhere.csv")):
        text_of(tmp_path / "nowhere.csv")
    with refused(DocumentError, file=str(tmp_path)):
        text_of(tmp_path)


def test_a_column_that_is_needed_is_named_with_the_nearest(tmp_path):
    sheet = read_sheet(saved(tmp_path, "worker,answer\na,1\n"))
    sheet.need("worker", "answer")
    with refused(DocumentError, file="a.csv"):
        sheet.need("worker", "anwser")


def test_cells_without_a_heading_are_left_out(tmp_path):
    assert read_sheet(saved(tmp_path, "a,\n1,2\n")).records[0].cells == {"a": "1"}


def test_long_texts_are_read_and_the_limit_of_the_process_stays(tmp_path):
    before = csv.field_size_limit()
    assert len(read_sheet(saved(tmp_path, "a\n" + "x" * (before + 1))).records[0].cells["a"]) == before + 1
    assert csv.field_size_limit() == before


def test_the_first_line_is_taken_apart_at_each_separator_and_never_an_error(tmp_path):
    assert ["a", "b;c"] in first_lines(saved(tmp_path, "\n a,b;c\n".replace(" a", "a")))
    for content in (b"", b"\xff\xfe", b'"', b"\0"):
        assert isinstance(first_lines(saved(tmp_path, content)), list)
    assert first_lines(tmp_path / "nowhere") == []
