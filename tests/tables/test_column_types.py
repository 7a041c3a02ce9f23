"""Which types of columns can be names or judgments."""

from __future__ import annotations

import pyarrow as pa
import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.column_types import check_types, is_text, type_class
from tests.support.messages import refused

NAMES = {"object": "item", "attribute": "question", "value": "score"}
PLAIN = {"item": pa.string(), "question": pa.string(), "score": pa.float64()}


@pytest.mark.parametrize(
    ("kind", "held"),
    [
        (pa.large_string(), "text"),
        (pa.dictionary(pa.int8(), pa.string()), "text"),
        (pa.uint64(), "whole numbers"),
        (pa.float16(), "fractions"),
        (pa.decimal128(5, 2), "decimals"),
        (pa.bool_(), "Booleans"),
        (pa.date32(), "dates"),
        (pa.timestamp("ns", "UTC"), "times"),
        (pa.null(), "nothing"),
        (pa.binary(), ""),
        (pa.list_(pa.string()), ""),
        (pa.duration("s"), ""),
        (pa.time64("us"), ""),
    ],
)
def test_what_a_column_holds(kind, held):
    assert type_class(kind) == held
    assert is_text(kind) == (held == "text")


@pytest.mark.parametrize(("column", "role"), [("item", "object"), ("question", "attribute"), ("score", "value")])
def test_columns_that_can_be_neither(column, role):
    with refused(JudgmentsError, column=role, file="b.parquet"):
        check_types([("a.parquet", PLAIN), ("b.parquet", {**PLAIN, column: pa.binary()})], NAMES)


def test_a_time_is_a_name_and_no_judgment():
    check_types([("a.parquet", {**PLAIN, "item": pa.timestamp("s")})], NAMES)
    with refused(JudgmentsError, column="value", file="a.parquet"):
        check_types([("a.parquet", {**PLAIN, "score": pa.timestamp("s")})], NAMES)


def test_numbers_in_one_file_and_booleans_in_another():
    with refused(JudgmentsError, column="value", file="b.parquet"):
        check_types([("a.parquet", {**PLAIN, "score": pa.bool_()}), ("b.parquet", PLAIN)], NAMES)
    check_types([("a.parquet", {**PLAIN, "score": pa.bool_()}), ("b.csv", {})], NAMES)
