"""Blocks: runs of objects that are worked on together, and ranks within runs of equal codes."""

from __future__ import annotations

__all__ = ["BLOCK", "block_slices", "ranks_within"]

from collections.abc import Iterator

import numpy as np

from manyjudges.arrays.types import Integers

BLOCK = 1 << 21
"""Pairs of object and attribute in a block: enough to keep a matrix product busy, few enough to need little memory.

A trade-off between the two, which no benchmark sets: 2**21 pairs are 16 MiB for each array of numbers.
"""


def block_slices(n_objects: int, n_attributes: int, size: int | None = None) -> Iterator[slice]:
    """Slices of objects that make blocks of about ``size`` pairs, ``BLOCK`` by default.

    >>> list(block_slices(5, 3, size=6))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    rows = max(1, (BLOCK if size is None else size) // max(n_attributes, 1))
    for start in range(0, n_objects, rows):
        yield slice(start, min(start + rows, n_objects))


def ranks_within(groups: Integers) -> Integers:
    """0, 1, 2, … within each run of equal codes.

    >>> ranks_within(np.array([4, 4, 4, 7, 9, 9])).tolist()
    [0, 1, 2, 0, 0, 1]
    """
    start = np.flatnonzero(np.diff(groups, prepend=-1))
    return np.asarray(np.arange(len(groups)) - np.repeat(start, np.diff(start, append=len(groups))))
