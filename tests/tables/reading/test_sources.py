from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.sources import is_path, is_table, open_parts
from tests.support.messages import ANYTHING, refused

FRAME = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]})


@pytest.mark.parametrize(
    "convert",
    [
        lambda f: f,
        pl.from_pandas,
        lambda f: pl.from_pandas(f).lazy(),
        pa.Table.from_pandas,
        lambda f: f.to_dict("list"),
    ],
)
def test_tables_of_all_libraries(convert):
    opened = open_parts(convert(FRAME), ReadOptions())
    assert opened.name == ""
    (part,) = opened.parts
    assert part.frame["a"].tolist() == ["x", "y"]
    assert part.frame["b"].tolist() == [1, 2]
    assert is_table(convert(FRAME))
    assert not is_path(convert(FRAME))


def test_a_relation_of_duckdb():
    assert open_parts(duckdb.from_arrow(pa.Table.from_pandas(FRAME)), ReadOptions()).parts[0].frame["b"].tolist() == [
        1,
        2,
    ]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.Categorical(["good", "bad"], ["bad", "fine", "good"], ordered=True)),
        pl.Series(["good", "bad"], dtype=pl.Enum(["bad", "fine", "good"])),
    ],
)
def test_orders_of_categories_are_scales(column):
    frame = column.to_frame("q") if isinstance(column, pl.Series) else pd.DataFrame({"q": column})
    (part,) = open_parts(frame, ReadOptions()).parts
    assert part.scales == {"q": {"bad": 1.0, "fine": 2.0, "good": 3.0}}
    assert part.frame["q"].tolist() == ["good", "bad"]


def test_categories_without_an_order_are_text():
    (part,) = open_parts(pd.DataFrame({"q": pd.Categorical(["b", "a"])}), ReadOptions()).parts
    assert part.scales == {}
    assert part.frame["q"].tolist() == ["b", "a"]


def test_files(tmp_path):
    for name in ("one", "two"):
        FRAME.to_csv(tmp_path / f"{name}.csv", index=False)
    one = open_parts(tmp_path / "one.csv", ReadOptions())
    assert (one.name, one.parts[0].sheet, str(one.parts[0].locate(1))) == (
        "one.csv",
        "",
        "row 2 of one.csv (not counting the heading)",
    )
    for both in (tmp_path, tmp_path / "*.csv", [tmp_path / "one.csv", str(tmp_path / "two.csv")]):
        assert [part.sheet for part in open_parts(both, ReadOptions()).parts] == ["one", "two"]


@pytest.mark.parametrize("wrong", [{"a": [1], "b": [1, 2]}, {}, {"a": 5}])
def test_columns_that_make_no_table(wrong):
    with refused(JudgmentsError, column="source"):
        open_parts(wrong, ReadOptions())


@pytest.mark.parametrize("wrong", [5, None, [1], []])
def test_what_holds_no_table(wrong):
    assert not is_table(wrong)
    with refused(JudgmentsError, value=ANYTHING, column="source"):
        open_parts(wrong, ReadOptions())
