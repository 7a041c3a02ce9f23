"""Repeats: what becomes of judgments where a worker judged the same attribute of an object more than once."""

from __future__ import annotations

__all__ = ["settle_repeats", "times_of"]

from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Floats, Integers


def settle_repeats(
    keys: tuple[Integers, Integers, Integers], values: Floats, how: str, times: Any = None
) -> tuple[Integers, Floats]:
    """Keep the first or the last judgment of each worker of a pair, or their mean in the place of the first.

    Parameters
    ----------
    keys : tuple of arrays of int
        Codes of object, attribute and worker of each row.
    values : array
    how : str
        ``"first"``, ``"last"`` or ``"mean"``.
    times : array, optional
        When each judgment was given. Where there are none, or one cannot be read, the order of rows decides.

    Returns
    -------
    rows, values : arrays
        Positions of the rows that are kept, in order, and their values.

    Examples
    --------
    >>> same = np.zeros(3, dtype=int)
    >>> settle_repeats((same, same, np.array([0, 0, 1])), np.array([1.0, 4.0, 2.0]), "mean")
    (array([0, 2]), array([2.5, 2. ]))
    """
    n_rows = len(values)
    groups = pd.DataFrame(dict(enumerate(keys))).groupby([0, 1, 2], sort=False).ngroup().to_numpy()
    if how == "mean":
        first = np.full(int(groups.max(initial=-1)) + 1, n_rows)
        np.minimum.at(first, groups, np.arange(n_rows))
        sums = np.bincount(groups, weights=values)
        rows = np.sort(first)
        return rows, (sums / np.bincount(groups))[groups[rows]]
    order = np.lexsort((np.arange(n_rows), _ranks(times, n_rows), groups))
    ends = np.flatnonzero(np.diff(groups[order], append=-1))
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    rows = np.sort(order[starts if how == "first" else ends])
    return rows, values[rows]


def _ranks(times: Any, n_rows: int) -> Integers:
    """The order of moments; the order of rows where any of them cannot be read."""
    if times is None:
        return np.arange(n_rows)
    moments, numbers = times_of(times)
    known = moments if not moments.isna().any() else numbers
    if known.isna().any():
        return np.arange(n_rows)
    return np.asarray(known.rank(method="dense").to_numpy(), dtype=np.int64)


def times_of(times: Any) -> tuple[pd.Series[Any], pd.Series[Any]]:
    """When judgments were given: as nanoseconds of dates with times, and as numbers; missing where it is neither."""
    cells = pd.Series(times, dtype=object)
    moments = pd.to_datetime(cells, errors="coerce", utc=True, format="mixed").astype("datetime64[ns, UTC]")
    nanoseconds = moments.astype("int64").astype("Int64").mask(moments.isna())
    return nanoseconds, pd.to_numeric(cells, errors="coerce")
