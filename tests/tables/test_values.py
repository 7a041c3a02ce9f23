"""A column of judgments as numbers, and where its rows stand."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.exceptions import PlanError
from manyjudges.tables.grammar import BLANK, is_missing, read_number
from manyjudges.tables.values import check_on_invalid, locate_from_zero, numbers
from tests.support.messages import refused

cells = st.one_of(
    st.floats(allow_nan=False).map(str),
    st.integers().map(str),
    st.sampled_from(
        ["yes", "TRUE", "YES", " no ", "", BLANK[:3], "1_000", "+.5", "5.", "1e400", "nan", "inf", "１２", "1,5", "x"]
    ),
    st.text(max_size=4),
    st.none(),
)


@given(st.lists(cells, max_size=12), st.booleans())
def test_a_column_is_read_as_its_cells_are(texts, decimal_comma):
    values = numbers(np.array([*texts, None], dtype=object)[:-1], decimal_comma=decimal_comma)
    wanted = [math.nan if is_missing(text) else read_number(text, decimal_comma=decimal_comma) for text in texts]
    np.testing.assert_array_equal(values, wanted)


@pytest.mark.parametrize("kind", ["i8", "u1", "f4", "?"])
def test_numbers_are_taken_as_they_are(kind):
    values = numbers(np.array([0, 1, 1], dtype=kind))
    assert values.tolist() == [0.0, 1.0, 1.0]
    assert values.dtype == np.float64


def test_what_is_not_text_is_read_as_python_writes_it():
    values = numbers(np.array([1, 2.5, True, "3", pd.NA, None, Decimal("0.25"), "yes", [1]], dtype=object))
    np.testing.assert_array_equal(values, [1, 2.5, np.nan, 3, np.nan, np.nan, 0.25, np.nan, np.nan])


def test_decimal_commas_where_they_are_meant():
    cells = np.array(["2,5", "3"], dtype=object)
    assert numbers(cells, decimal_comma=True).tolist() == [2.5, 3.0]
    np.testing.assert_array_equal(numbers(cells), [np.nan, 3])


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
