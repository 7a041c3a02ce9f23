"""Cells as texts: by these, DuckDB and clusters compare what is read for them."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.scan.texts import names_as_text, values_as_text
from manyjudges.tables.grammar import read_number
from manyjudges.tables.names import name_text

CELLS = st.one_of(
    st.text(max_size=3), st.integers(), st.floats(), st.booleans(), st.none(), st.just([1]), st.just(pd.NA)
)


def test_names():
    names = ["a", " a", 7, 7.0, 0.5, True, Decimal("0.50"), pd.Timestamp("2026-01-31"), None, np.nan, [1], "a\0"]
    written = ["a", " a", "7", "7", "0.5", "true", "0.5", "2026-01-31 00:00:00", None, None, None, "a\0"]
    assert names_as_text(pd.Series(names, dtype=object).to_numpy()).to_pylist() == written
    assert names_as_text(np.array([3, 4])).to_pylist() == ["3", "4"]
    assert names_as_text([]).to_pylist() == []
    assert names_as_text([1, True, "true", 0.0, False]).to_pylist() == ["1", "true", "true", "0", "false"]


@given(st.lists(CELLS, max_size=8))
def test_a_name_is_the_same_text_wherever_it_stands(names):
    assert [text or "" for text in names_as_text(names).to_pylist()] == [
        name_text(name) if isinstance(name, str | int | float) and name == name else "" for name in names
    ]


@pytest.mark.parametrize("kind", ["i1", "u8", "f2", "f4", "f8"])
def test_numbers_stay_the_numbers_that_they_are(kind):
    values = np.array([0, 1, 0.1, 1 / 3, 100], dtype=kind)
    texts = values_as_text(values).to_pylist()
    assert [read_number(text) for text in texts] == values.astype(float).tolist()


def test_what_is_no_number_is_read_as_it_is_written():
    cells = np.array(["yes", " 5", True, 5, 2.5, None, np.nan, pd.NA, "", Decimal("1.50")], dtype=object)
    assert values_as_text(cells).to_pylist() == ["yes", " 5", "True", "5", "2.5", None, None, None, "", "1.50"]
    assert values_as_text(np.array([1.5, np.nan, np.inf])).to_pylist() == ["1.5", None, "inf"]
    assert values_as_text(np.array([True, False])).to_pylist() == ["True", "False"]


def test_what_is_no_valid_text_keeps_its_bytes():
    assert values_as_text(np.array(["\ud800", "a"], dtype=object)).to_pylist() == ["\\ud800", "a"]
