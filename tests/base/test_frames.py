"""Data frames of results."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from manyjudges.base.frames import table


def test_columns_stand_in_the_order_in_which_they_were_named():
    frame = table({"b": [1, 2], "a": ["x", "y"]})
    assert list(frame.columns) == ["b", "a"]
    assert frame.index.tolist() == [0, 1]
    assert frame["b"].dtype == np.int64


def test_rows_are_labelled_by_names_of_any_kind():
    frame = table({"n": [1.5, 2.5]}, index=("tall", "male"), index_name="attribute")
    assert frame.loc["male", "n"] == 2.5
    assert frame.index.name == "attribute"
    assert table({"n": [1, 2]}, index=[7, "x"]).loc["x", "n"] == 2


def test_a_series_is_taken_by_its_rows_only_where_the_index_is_its_own():
    """Labels are matched, as pandas does: a value never lands in a row of another name."""
    frame = table({"n": pd.Series([1.0, 2.0], index=["p", "q"])}, index=["q", "p"])
    assert frame["n"].to_dict() == {"q": 2.0, "p": 1.0}


def test_a_table_of_no_rows_has_its_columns():
    frame = table({"object": [], "count": np.zeros(0, dtype=int)}, index=[], index_name="row")
    assert (list(frame.columns), len(frame), frame.index.name) == (["object", "count"], 0, "row")


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="same length"):
        table({"a": [1, 2], "b": [1]})
    with pytest.raises(ValueError, match="length"):
        table({"a": [1, 2]}, index=["only one"])


def test_pandas_is_loaded_when_a_table_is_made():
    code = """
import sys
from manyjudges.base.frames import table
assert "pandas" not in sys.modules
table({"a": [1]})
assert "pandas" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
