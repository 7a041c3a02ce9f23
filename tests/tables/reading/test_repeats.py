from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.reading.repeats import settle_repeats
from tests.support.messages import refused

JUDGED = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=30)


@pytest.mark.parametrize("how", ["first", "last", "mean"])
@given(rows=JUDGED, data=st.data())
def test_as_pandas_groups_them(how, rows, data):
    frame = pd.DataFrame(rows, columns=["object", "attribute", "worker"])
    frame["value"] = data.draw(st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    frame["time"] = data.draw(st.permutations(range(len(rows))))
    keys = tuple(frame[name].to_numpy() for name in ("object", "attribute", "worker"))
    for times in (None, frame["time"].to_numpy(), [f"2026-01-01T00:00:{second:02}Z" for second in frame["time"]]):
        kept, values = settle_repeats(keys, frame["value"].to_numpy(dtype=float), how, times)
        ordered = frame if times is None or how == "mean" else frame.sort_values("time")
        plain = ordered.groupby(["object", "attribute", "worker"])["value"].agg(how)
        got = frame.loc[kept, ["object", "attribute", "worker"]].assign(value=values)
        got = got.set_index(["object", "attribute", "worker"])["value"].sort_index()
        np.testing.assert_allclose(got.to_numpy(), plain.sort_index().to_numpy())
        assert (np.diff(kept) > 0).all()


SAME = (np.zeros(2, dtype=int),) * 3


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2026-01-01", "2026-01-02"),
        ("28.2.2024 10:00", "1.3.2024 09:00"),
        ("13/02/2024", "01/03/2024"),
        ("2/28/24 9:00", "3/1/24 10:00"),
        ("Thu Feb 01 10:00:00 PST 2024", "Fri Mar 01 10:00:00 PST 2024"),
        ("2024-03-01T10:00:00+02:00", "2024-03-01T09:30:00Z"),
        ("9:55 AM", "12:05 PM"),
        ("2024年2月1日", "2024年3月1日"),
        ("2024-02-01", datetime.datetime(2024, 3, 1)),
        (9, 10),
        ("9", "10"),
        ("45351.9", "45352,4"),
    ],
)
def test_times_decide_however_they_are_written(earlier, later):
    for times, last in (([earlier, later], 2.0), ([later, earlier], 1.0)):
        assert settle_repeats(SAME, np.array([1.0, 2.0]), "last", times)[1].tolist() == [last]
        assert settle_repeats(SAME, np.array([1.0, 2.0]), "first", times)[1].tolist() == [3 - last]


@pytest.mark.parametrize(
    "times", [["2026-01-02", "yesterday"], ["", "2026-01-01"], ["31.2.2024", "1.2.2024"], ["10/02/2024", "09/03/2024"]]
)
def test_times_that_leave_the_order_open_are_refused(times):
    with refused(JudgmentsError, column="time"):
        settle_repeats(SAME, np.array([1.0, 2.0]), "last", times)


def test_times_that_decide_nothing_need_not_be_readable():
    keys = (np.array([0, 0, 1]),) * 3
    values = np.array([1.0, 2.0, 3.0])
    assert settle_repeats(keys, values, "last", ["2026-01-02", "2026-01-01", "yesterday"])[1].tolist() == [1.0, 3.0]
    # Whether the day or the month comes first, the second is later.
    assert settle_repeats(keys, values, "last", ["01/02/2026", "02/03/2026", "?"])[1].tolist() == [2.0, 3.0]
    assert settle_repeats(keys, values, "mean", ["?", "?", "?"])[1].tolist() == [1.5, 3.0]
