"""Which column is what."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.columns import (
    SYNONYMS,
    choose_columns,
    column_names,
    take_columns,
    wrong_names,
)


def test_our_own_name_wins():
    chosen = choose_columns(["item", "object", "feature", "score", "value"], SYNONYMS, {}, optional=("worker",))
    assert chosen == {"object": "object", "attribute": "feature", "value": "value"}


@pytest.mark.parametrize(
    ("columns", "asked", "value", "column"),
    [
        (["object", "attribute", "score"], {"value": "scroe"}, "scroe", "value"),
        (["object", "attribute", "score", "rating"], {}, None, "value"),
        (["attribute", "value"], {}, None, "object"),
    ],
)
def test_errors_say_which_column(columns, asked, value, column):
    with pytest.raises(JudgmentsError) as caught:
        choose_columns(columns, SYNONYMS, asked, optional=("worker",))
    assert (caught.value.value, caught.value.column) == (value, column)


def test_a_column_that_is_not_there():
    with pytest.raises(JudgmentsError) as caught:
        take_columns(pd.DataFrame({"object": ["a"], "valu": [1]}), {"object": "object", "value": "value"})
    assert (caught.value.value, caught.value.column) == ("value", "value")


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        (["a", "", " ", "\xa0", None, np.nan, pd.NA, [1], {}, 7, "nan"], [1, 2, 3, 4, 5, 6, 7, 8]),
        ([1.0, np.nan], [1]),
        ([1, 2], []),
        (np.array(["a", ""]), [1]),
    ],
    ids=["of many kinds", "floats", "whole numbers", "text"],
)
def test_what_names_nothing(column, wrong):
    cells = column if isinstance(column, np.ndarray) else pd.Series(column).to_numpy()
    assert np.flatnonzero(wrong_names(cells)).tolist() == wrong


@pytest.mark.parametrize("as_frame", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
def test_texts_of_any_table_keep_all_their_letters(as_frame):
    frame = as_frame(pd.DataFrame({"object": ["a\0", "a"], "value": ["1", "5\0"]}))
    columns = take_columns(frame, {"object": "object", "value": "value"})
    assert [column.tolist() for column in columns.values()] == [["a\0", "a"], ["1", "5\0"]]
    assert {type(text) for column in columns.values() for text in column} == {str}
    assert column_names(frame) == ["object", "value"]
