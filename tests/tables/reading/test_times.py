"""Moments, however they are written."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.tables.reading.times import read_moments

DAYS = st.lists(st.dates(datetime.date(1990, 1, 1), datetime.date(2068, 12, 31)), min_size=1, max_size=8)


@pytest.mark.parametrize(
    "write",
    [
        lambda day: day.isoformat(),
        lambda day: f"{day:%d.%m.%Y}",
        lambda day: f"{day.day}.{day.month}.{day:%Y} 7:30",
        lambda day: f"{day:%Y/%m/%d} 10:00:02 AM GMT+1",
        lambda day: f"{day:%a %b %d} 10:00:00 PST {day:%Y}",
        lambda day: datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.UTC),
    ],
)
@given(days=DAYS)
def test_days_are_in_order(write, days):
    moments = read_moments([write(day) for day in days])
    assert moments.others is None
    np.testing.assert_array_equal(np.argsort(moments.numbers, kind="stable"), np.argsort(days, kind="stable"))


@given(days=DAYS)
def test_days_and_months_are_told_apart_where_one_is_larger_than_twelve(days):
    for pattern in ("%d/%m/%Y", "%m/%d/%Y"):
        moments = read_moments([f"{day:{pattern}}" for day in days])
        same = np.argsort(days, kind="stable")
        if moments.others is None:
            np.testing.assert_array_equal(np.argsort(moments.numbers, kind="stable"), same)
        else:
            assert all(day.day <= 12 for day in days)
            both = [np.argsort(each, kind="stable").tolist() for each in (moments.numbers, moments.others)]
            assert same.tolist() in both


def test_what_is_no_moment_has_no_number():
    assert np.isnan(read_moments(["soon", None, "", "31.2.2024"]).numbers).all()
    assert read_moments(np.array([3.5, np.nan])).numbers.tolist()[0] == 3.5
