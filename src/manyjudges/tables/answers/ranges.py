"""Ranges: how far an answer may lie from those that a plan was made from."""

from __future__ import annotations

__all__ = ["expected_range", "steps_of"]

import math

from manyjudges.arrays.types import Floats, Integers

_MOST_STEPS = 11
"""Steps of a scale of numbers: ratings from 0 to 10 have these."""

_FEWEST_AT_ENDS = 5
"""How often both end steps of a scale must have been chosen.

A count, such as that of misspelt words, is rarely as large as its largest value; that value then says little about how
large the next one may be.
"""


def steps_of(values: Floats, counts: Integers) -> int | None:
    """How many steps a scale has, if answers are on one: few whole numbers without a gap, the ends chosen repeatedly.

    Parameters
    ----------
    values, counts : array
        The different answers in order, and how often each is there.

    Examples
    --------
    >>> import numpy as np
    >>> steps_of(np.arange(1.0, 7.0), np.array([5, 9, 14, 20, 12, 6]))
    6
    >>> steps_of(np.arange(6.0), np.array([50, 30, 15, 6, 2, 1])) is None
    True
    """
    if not 2 <= len(values) <= _MOST_STEPS or values[-1] - values[0] != len(values) - 1:
        return None
    if any(value != round(value) for value in values.tolist()) or min(counts[0], counts[-1]) < _FEWEST_AT_ENDS:
        return None
    return len(values)


def expected_range(limits: tuple[float, float], steps: int | None) -> tuple[float, float]:
    """Between which numbers new answers are expected.

    On a scale, that is where the known ones are. Other numbers may lie outside by as much as these differ.

    Parameters
    ----------
    limits : tuple of float
        The lowest and the highest known answer.
    steps : int, optional
        Of a scale.

    Examples
    --------
    >>> expected_range((1.0, 6.0), 6), expected_range((20.0, 90.0), None), expected_range((3.0, 3.0), None)
    ((1.0, 6.0), (-50.0, 160.0), (-inf, inf))
    """
    low, high = limits
    if steps is not None:
        return limits
    width = high - low
    return (low - width, high + width) if width > 0 else (-math.inf, math.inf)
