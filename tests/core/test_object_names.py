from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from manyjudges.core.object_names import object_names
from manyjudges.exceptions import PlanError
from tests.support.messages import refused

NAMES = ["photo 2", "photo 1"]

LISTS = {
    "list": NAMES,
    "tuple": tuple(NAMES),
    "iterator": iter(NAMES),
    "array": np.array(NAMES),
    "repeated": [*NAMES, NAMES[0]],
    "index": pd.Index(NAMES),
    "pandas series": pd.Series(NAMES, index=[7, 8]),
    "pandas frame": pd.DataFrame({"any heading": NAMES}),
    "polars series": pl.Series(NAMES),
    "polars frame": pl.DataFrame({"photo": NAMES}),
    "arrow table": pa.table({"photo": NAMES}),
    "arrow array": pa.array(NAMES),
}


@pytest.mark.parametrize("kind", LISTS)
def test_names_are_taken_from_anything_with_one_column(kind):
    assert object_names(LISTS[kind]).tolist() == NAMES


def test_numbers_are_names_too():
    assert object_names(pd.DataFrame({"id": [3, 1]})).tolist() == [3, 1]
    assert object_names([]).tolist() == []


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NaT, pd.NA, "", " "], ids=repr)
def test_each_object_has_a_name(missing):
    with refused(PlanError, row=2, column="objects"):
        object_names(["photo 1", missing])


@pytest.mark.parametrize(
    "objects",
    [
        "photo 1",
        5,
        None,
        {"photo 1": 1},
        pd.DataFrame({"a": [1], "b": [2]}),
        pd.DataFrame(),
        [["photo 1"]],
        np.ones((2, 1)),
    ],
    ids=["text", "number", "None", "dict", "two columns", "no column", "lists", "matrix"],
)
def test_other_things_are_refused(objects):
    with refused(PlanError, column="judgments"):
        object_names(objects)
