"""A worker who judges the same twice is named with the rows, whichever way names are stored."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.repetitions import judged_twice
from manyjudges.tables.values import Place
from tests.support.messages import refused


@pytest.mark.parametrize("name", [int, str])
def test_the_first_row_that_repeats_another_is_named(name):
    things = [name(each) for each in (10, 9, 9, 9, 10)]
    frame = pd.DataFrame({"object": things, "attribute": "x", "worker": ["a", "a", "b", "a", "a"], "value": 1.0})
    with refused(JudgmentsError, value="a", row=4, column="worker"):
        Judgments.from_frame(frame)


def test_what_is_said():
    error = judged_twice("ann", "round", "jar", Place("row 1", 1), Place("row 7", 7, "a.csv"), 3)
    assert (error.value, error.row, error.column, error.file) == ("ann", 7, "worker", "a.csv")
    assert "row 1 and row 7 (2 more judgments are repeated)" in str(error)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (7, "7"),
        (np.int64(7), "7"),
        (0.5, "0.5"),
        (True, "'true'"),
        (np.bool_(False), "'false'"),
        (Decimal("0.50"), "'0.5'"),
        (pd.Timestamp("2026-01-31"), "'2026-01-31 00:00:00'"),
    ],
)
def test_names_are_said_as_people_write_them(name, said):
    error = judged_twice(name, "round", name, Place("row 1", 1), Place("row 2", 2), 1)
    assert str(error).startswith(f"worker {said} judged 'round' of object {said} twice")
    assert error.value is name
