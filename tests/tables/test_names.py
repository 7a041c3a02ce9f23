"""One rule for when two names are the same."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments
from manyjudges.exceptions import JudgmentsError, LabelsError
from manyjudges.tables.names import match_names, name_key, name_keys

SEVENS = [7, "7", 7.0, "7.0", np.int8(7), np.uint64(7), np.float32(7), decimal.Decimal(7)]


@pytest.mark.parametrize("name", SEVENS)
def test_seven_is_seven(name):
    assert name_key(name) == "7"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("07", "07"),
        (" 7", " 7"),
        ("7.00", "7.00"),
        ("-0.0", "-0.0"),
        (-0.0, "0"),
        (7.5, "7.5"),
        (True, "true"),
        (np.True_, "true"),
        (decimal.Decimal("0.50"), "0.5"),
        (decimal.Decimal("-7.00"), "-7"),
        (1e20, "1" + "0" * 20),
        (np.datetime64("2020-01-02T03:04:05.000000006"), "2020-01-02 03:04:05.000000006"),
        ("true", "true"),
        (datetime.date(2020, 1, 2), "2020-01-02"),
        (np.datetime64("2020-01-02"), "2020-01-02 00:00:00"),
        (10**30, "1" + "0" * 30),
        (float("inf"), "inf"),
    ],
)
def test_all_else_is_its_text(name, key):
    assert name_key(name) == key


@pytest.mark.parametrize("left", [[1, 2], ["1", "2"], [1.0, 2.0], ["1.0", "2.0"], ["1", 2], [True, 2]])
def test_keys_of_many_are_those_of_each(left):
    assert name_keys(left).tolist() == [name_key(name) for name in pd.Index(left)]


@pytest.mark.parametrize("labels", [[7, 8], ["7", "8"], [7.0, 8.0], ["7.0", "8"], [7.0, 8.5]])
@pytest.mark.parametrize("names", [[7], ["7"], [7.0], ["7.0"]])
def test_names_are_matched_whatever_they_are_stored_as(labels, names):
    assert match_names(pd.Index(labels), names).tolist() == [0]


def test_a_missing_name_matches_nothing():
    assert match_names(pd.Index(["nan", None, "x"]), ["x", "None", "nan"]).tolist() == [2, -1, 0]


def test_an_object_written_in_two_ways_is_refused():
    frame = pd.DataFrame({"object": ["7", "7.0", "8"], "attribute": "x", "value": 1.0})
    with pytest.raises(JudgmentsError) as caught:
        Judgments.from_frame(frame).match({7: 1.0, 8: 2.0})
    assert (caught.value.value, caught.value.column) == ("7", "object")
    with pytest.raises(LabelsError) as caught:
        Judgments.from_frame(frame[1:]).match({7: 1.0, "7": 2.0, "8": 3.0})
    assert caught.value.row == "7"
