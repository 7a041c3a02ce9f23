"""A column of judgments as numbers, or the first cell that is none, with its place."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.exceptions import JudgmentsError, PlanError
from manyjudges.tables.grammar import BLANK, WORDS, is_missing, read_value
from manyjudges.tables.values import Place, check_on_invalid, locate_from_zero, numbers, parse
from tests.support.messages import refused

NAMES = ("size", "colour")


def in_file(row):
    return Place(f"line {row + 2} of a.csv", row + 2, "a.csv")


def parsed(raw, attributes=None, **options):
    return parse(raw, np.zeros(len(raw), dtype=int) if attributes is None else attributes, NAMES, in_file, **options)


cells = st.one_of(
    st.floats(allow_nan=False).map(str),
    st.integers().map(str),
    st.sampled_from(
        [*WORDS, "YES", " no ", "", BLANK[:3], "1_000", "+.5", "5.", "1e400", "nan", "inf", "１２", "1,5", "x"]
    ),
    st.text(max_size=4),
    st.none(),
)


@given(st.lists(cells, max_size=12), st.booleans())
def test_a_column_is_read_as_its_cells_are(texts, decimal_comma):
    values, kinds = numbers(np.array([*texts, None], dtype=object)[:-1], decimal_comma=decimal_comma)
    for text, value, kind in zip(texts, values, kinds, strict=True):
        wanted = (math.nan, -1) if is_missing(text) else read_value(text, decimal_comma=decimal_comma)
        assert kind == wanted[1]
        assert value == wanted[0] or math.isnan(value) == math.isnan(wanted[0]) is True


@pytest.mark.parametrize("kind", ["i8", "u1", "f4", "?"])
def test_numbers_are_taken_as_they_are(kind):
    values, kinds = numbers(np.array([0, 1, 1], dtype=kind))
    assert values.tolist() == [0.0, 1.0, 1.0]
    assert values.dtype == np.float64
    assert kinds is None


@pytest.mark.parametrize(
    "raw", [[True, False], np.array([True, False], dtype=object), ["true", "False"], ["Yes", "no"]]
)
def test_words_and_booleans_are_one_and_nothing(raw):
    assert parsed(raw).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("raw", "row", "value"),
    [
        (["1", "two", "three"], 3, "two"),
        (["", "1"], 2, None),
        ([None, "1"], 2, None),
        (["1", pd.NA], 3, None),
        (["1", "1e400"], 3, "1e400"),
        (["1", "-inf"], 3, "-inf"),
        (["1", "2,5"], 3, "2,5"),
        ([1.0, np.inf], 3, np.inf),
        ([1.0, np.nan], 3, None),
    ],
    ids=["words", "empty", "none", "NA", "too large", "infinite", "comma", "infinite number", "no number"],
)
def test_the_first_cell_that_is_none_is_named(raw, row, value):
    with refused(JudgmentsError, value=value, row=row, column="value", file="a.csv"):
        parsed(np.array(raw, dtype=object) if isinstance(raw[0], str | None) else np.array(raw))


def test_values_of_more_than_one_kind_are_named_by_attribute():
    raw, attributes = np.array(["1", "yes", "2", "no"], dtype=object), np.array([0, 1, 0, 1])
    assert parsed(raw, attributes).tolist() == [1.0, 1.0, 2.0, 0.0]
    with refused(JudgmentsError, value="2", row=4, column="value", file="a.csv"):
        parsed(raw, np.array([0, 1, 1, 1]))


def test_words_of_two_kinds():
    with refused(JudgmentsError, value="yes", row=3):
        parsed(np.array(["true", "yes"], dtype=object))


def test_decimal_commas_where_they_are_meant():
    assert parsed(np.array(["2,5", "3"], dtype=object), decimal_comma=True).tolist() == [2.5, 3.0]


def test_rows_in_memory_are_counted_from_0_for_people_and_from_1_for_programs():
    place = locate_from_zero(3)
    assert str(place) == "row 3 (counting from 0)"
    assert (place.row, place.file) == (4, None)


@pytest.mark.parametrize("on_invalid", ["skip", "error"])
def test_what_to_do_with_invalid_rows(on_invalid):
    check_on_invalid(on_invalid)


@pytest.mark.parametrize("on_invalid", ["ignore", None, True])
def test_what_cannot_be_done_with_invalid_rows(on_invalid):
    with refused(PlanError, value=on_invalid, column="on_invalid"):
        check_on_invalid(on_invalid)
