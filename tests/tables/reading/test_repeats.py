from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.tables.reading.repeats import settle_repeats

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


def test_times_that_cannot_be_read_leave_the_order_of_rows():
    keys = (np.zeros(2, dtype=int),) * 3
    assert settle_repeats(keys, np.array([1.0, 2.0]), "last", ["2026-01-02", "yesterday"])[1].tolist() == [2.0]
    assert settle_repeats(keys, np.array([1.0, 2.0]), "last", ["2026-01-02", "2026-01-01"])[1].tolist() == [1.0]
