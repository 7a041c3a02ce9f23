"""Repeats: what becomes of judgments where a worker judged the same attribute of an object more than once."""

from __future__ import annotations

__all__ = ["settle_repeats"]

from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.reading.times import read_moments
from manyjudges.tables.values import Locate, Place, locate_from_zero


def settle_repeats(
    keys: tuple[Integers, Integers, Integers],
    values: Floats,
    how: str,
    times: Any = None,
    locate: Locate = locate_from_zero,
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
        When each judgment was given. Where there are none, and for equal times, the order of rows decides.
    locate : callable
        Says where a row is.

    Returns
    -------
    rows, values : arrays
        Positions of the rows that are kept, in order, and their values.

    Raises
    ------
    JudgmentsError
        Where the time of a repeated judgment cannot be read, or may be read in two ways that differ in their order.

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
    if times is None:
        rows = _ends(groups, np.zeros(n_rows), how)
        return rows, values[rows]
    repeated = np.flatnonzero(np.bincount(groups)[groups] > 1)
    moments = read_moments(np.asarray(times)[repeated])
    unread = repeated[np.isnan(moments.numbers)]
    if len(unread):
        row = int(unread[0])
        raise _unknown_time(np.asarray(times)[row], "cannot be read", locate(row))
    order = np.zeros(n_rows)
    order[repeated] = moments.numbers
    rows = _ends(groups, order, how)
    if moments.others is not None:
        order[repeated] = moments.others
        differ = np.setdiff1d(_ends(groups, order, how), rows)
        if len(differ):
            row = int(differ[0])
            raise _unknown_time(np.asarray(times)[row], "may begin with the day or with the month", locate(row))
    return rows, values[rows]


def _ends(groups: Any, times: Floats, how: str) -> Integers:
    """The first or the last row of each group."""
    order = np.lexsort((np.arange(len(groups)), times, groups))
    ends = np.flatnonzero(np.diff(groups[order], append=-1))
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    return np.sort(order[starts if how == "first" else ends])


def _unknown_time(time: object, problem: str, place: Place) -> JudgmentsError:
    return JudgmentsError(
        f"{place}: the time {quote_value(time)} of a repeated judgment {problem}, so that it is not known which "
        "judgment was the first. Write times as 2024-03-01 10:00, or have the order of rows decide (--time '', "
        "time=None).",
        value=time,
        row=place.row,
        column="time",
        file=place.file,
    )
