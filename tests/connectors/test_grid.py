"""Tables as spreadsheets have them, cell by cell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.connectors.grid import RISKY, Grid, _letters, _unguarded, guarded, is_blank, read_separated
from manyjudges.connectors.place import RecordPlace, located


@given(st.text() | st.text("'=+-@\t\ra", max_size=4))
def test_what_is_guarded_is_no_formula_and_comes_back(text):
    assert not guarded(text).startswith(tuple(RISKY))
    assert _unguarded(guarded(text)) == text


@given(st.integers(0, 20_000))
def test_letters_of_columns_count_on(column):
    number = 0
    for letter in _letters(column):
        number = 26 * number + ord(letter) - ord("A") + 1
    assert number == column + 1


def test_places_of_cells_are_those_of_a_workbook_or_of_a_text():
    place = RecordPlace("a.xlsx, sheet 'one'", file="a.xlsx")
    book = Grid("one", place, ((1,), (2,)), (3, 7), cells=True)
    assert book.where(1, 2, "size") == "a.xlsx, sheet 'one', cell C7"
    assert located(book.where(1, 2, "size")) == {"file": "a.xlsx", "row": 7, "column": "size"}
    text = Grid("a", RecordPlace("a.csv", file="a.csv"), ((1,), (2,)), (3, 7), cells=False)
    assert text.where(0, 1, "size") == "a.csv, line 3, column 'size'"
    assert text.where(0, 1) == "a.csv, line 3"
    assert text.where(0, 1).column == "B"


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.csv", "Title\na;b\n1;'=2\n"), ("a.tsv", "Title\na\tb\n1\t'=2\n"), ("a.txt", "Title\na,b\n\n1,'=2\n")],
)
def test_a_title_may_stand_above_the_headings(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    grid = read_separated(tmp_path / name)
    assert grid.rows == (("Title",), ("a", "b"), ("1", "'=2"))
    assert read_separated(tmp_path / name, form=True).rows[2] == ("1", "=2")
    assert (grid.title, grid.place, grid.lines[:2]) == ("a", name, (1, 2))


@pytest.mark.parametrize(
    ("value", "blank"), [(None, True), ("", True), (" \t", True), ("a", False), (0, False), (False, False)]
)
def test_what_is_blank(value, blank):
    assert is_blank(value) == blank
