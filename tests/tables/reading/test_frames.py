"""Frames of all libraries, and columns and rows by name."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.reading.frames import frame_and_scales, headings_of_frame, is_table, named_levels, tables_in
from manyjudges.tables.reading.table import read_table
from tests.support.messages import refused

WIDE = pd.DataFrame(
    {"essay": ["e1", "e1", "e2", "e2"], "rater": ["ann", "bob", "ann", "bob"], "clear": [3, 4, 1, 2]},
)


def rows_of(source, **options):
    frame = read_table(source, **options).judgments.to_frame()
    return sorted(frame.astype({"value": float}).itertuples(index=False, name=None), key=str)


EXPECTED = [
    ("e1", "clear", "ann", 3.0),
    ("e1", "clear", "bob", 4.0),
    ("e2", "clear", "ann", 1.0),
    ("e2", "clear", "bob", 2.0),
]


@pytest.mark.parametrize(
    "source",
    [
        WIDE.set_index("rater"),
        WIDE.set_index(["essay", "rater"]),
        WIDE.melt(["essay", "rater"], var_name="attribute").set_index(["essay", "attribute", "rater"]),
        WIDE.to_dict("records"),
        {name: rows.drop(columns="rater") for name, rows in WIDE.groupby("rater")},
        WIDE.convert_dtypes(),
        WIDE.convert_dtypes(dtype_backend="pyarrow"),
        WIDE.astype({"rater": "category", "clear": pd.CategoricalDtype([1, 2, 3, 4])}),
        [WIDE.iloc[:2], WIDE.iloc[2:]],
    ],
    ids=["index", "levels", "long", "rows", "sheets", "nullable", "arrow", "categories", "parts"],
)
def test_the_same_judgments_however_they_are_held(source):
    assert is_table(source)
    assert rows_of(source) == EXPECTED


@pytest.mark.parametrize("dtype", ["Int64", "UInt8", "Float32", "int64[pyarrow]", "float[pyarrow]"])
def test_what_is_missing_among_numbers_is_no_answer(dtype):
    frame = WIDE.assign(clear=pd.array([3, None, 1, 2], dtype=dtype))
    read = read_table(frame)
    assert read.reading.unanswered == 1
    assert rows_of(frame) == [row for row in EXPECTED if row[1:3] != ("clear", "bob") or row[0] == "e2"]


def test_a_missing_category_is_no_answer():
    kind = pd.CategoricalDtype([1, 2, 3, 4], ordered=True)
    read = read_table(WIDE.assign(clear=pd.Categorical([3, None, 1, 2], dtype=kind)))
    assert read.reading.unanswered == 1


def test_what_is_masked_is_no_answer():
    masked = np.ma.MaskedArray([3, 99, 1, 2], mask=[False, True, False, False])
    read = read_table({**WIDE.to_dict("list"), "clear": masked})
    assert (read.reading.unanswered, len(read.judgments)) == (1, 3)


def test_levels_that_only_count_rows_are_no_columns():
    frame = WIDE.iloc[[3, 0, 1, 2]].rename_axis("index")
    assert named_levels(frame) == []
    assert headings_of_frame(frame) == ["essay", "rater", "clear"]
    assert headings_of_frame(frame.set_index("rater")) == ["rater", "essay", "clear"]


def test_an_enum_of_duckdb_keeps_its_order():
    with duckdb.connect() as connection:
        connection.execute("CREATE TYPE degree AS ENUM ('so so', 'quite nice', 'a dream')")
        connection.execute("CREATE TABLE t AS SELECT 'e1' AS essay, 'ann' AS rater, 'a dream'::degree AS nice")
        frame, scales = frame_and_scales(connection.sql("FROM t"))
    assert scales == {"nice": {"so so": 1.0, "quite nice": 2.0, "a dream": 3.0}}
    assert frame["nice"].tolist() == ["a dream"]


def test_a_lazy_enum_keeps_its_order():
    lazy = pl.LazyFrame({"nice": pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"]))})
    assert frame_and_scales(lazy)[1] == {"nice": {"b": 1.0, "a": 2.0}}


def test_columns_of_lists_are_left_out():
    frame = WIDE.assign(embedding=[[0.1, 0.2]] * 4, meta=[{"source": "web"}] * 4)
    assert rows_of(frame) == EXPECTED
    assert {name for name, _ in read_table(frame).reading.layout.left_out} == {"embedding", "meta"}


def test_columns_of_two_dimensions_are_refused():
    with refused(JudgmentsError, column="clear"):
        read_table({"essay": ["e1"], "rater": ["ann"], "clear": np.ones((1, 2))})


def test_columns_of_several_levels_are_refused():
    table = WIDE.pivot_table(index="essay", columns=["rater"], values=["clear"])
    with refused(JudgmentsError, column="source"):
        read_table(table)


def test_lists_of_other_things_are_no_tables():
    assert not is_table([[1, 2], [3, 4]])
    assert not is_table([{"a": [1, 2]}])
    assert tables_in([1])[0] == ("", [1])
