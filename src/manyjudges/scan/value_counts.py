"""Value counts: the different values of each attribute, of as many judgments as there are.

Of an attribute with very many different values, only those are kept that say whether some of them look like codes for
"no answer": the values that may be codes by their digits, and the lowest and the highest of the others.
"""

from __future__ import annotations

__all__ = ["value_counts"]

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Bools, Floats, Integers
from manyjudges.tables.answers.codes import MOST_FAR, code_candidates
from manyjudges.tables.judgments import Judgments

_MANY = 10_000
"""Different values of an attribute that are all kept. Scales of words, numbers and sliders have fewer."""

_EXAMPLES = 4
"""Values that are not whole that are kept of an attribute with many."""

_ENDS = MOST_FAR + 5
"""Lowest and highest values that are kept: those that may be far from the others, and some of these."""


_ROUNDING = 1e-11
"""The most by which a number with the digits of a code may differ from it, as a share of it."""


class ValueCounts:
    """Counts values by attribute.

    Parameters
    ----------
    many : int
        Different values of an attribute that are all kept, at least as many as a scale has steps (``MOST_STEPS``).
    """

    def __init__(self, *, many: int = _MANY) -> None:
        self._many = many
        self._counts: dict[int, Counter[float]] = {}
        self._full: set[int] = set()  # attributes with so many values that not all are kept
        self._ends: dict[int, Counter[float]] = {}  # of these, the lowest and the highest that are no code
        self._candidates = code_candidates()

    def add(self, attributes: Integers, values: Floats) -> None:
        """Count some more values.

        Parameters
        ----------
        attributes : array of int
            The attribute of each value.
        values : array
        """
        if self._full:
            full = np.isin(attributes, list(self._full))
            self._add_all(attributes[full & self._may_be_code(values)], values[full & self._may_be_code(values)])
            self._count_ends(attributes[full], values[full])
            attributes, values = attributes[~full], values[~full]
        self._add_all(attributes, values)
        for at, counts in self._counts.items():
            if at not in self._full and len(counts) > self._many:
                self._full.add(at)
                self._counts[at], self._ends[at] = self._shortened(counts)

    def of(self, attribute: int) -> tuple[Floats, Integers]:
        """The values of an attribute in order, and how often each is there."""
        counts = sorted({**self._counts.get(attribute, {}), **self._ends.get(attribute, {})}.items())
        return np.array([value for value, _ in counts]), np.array([n for _, n in counts], dtype=np.int64)

    def _add_all(self, attributes: Integers, values: Floats) -> None:
        if not len(values):
            return
        codes, distinct = pd.factorize(values)
        pairs = attributes * len(distinct) + codes
        times: Any
        if (n_pairs := (int(attributes.max()) + 1) * len(distinct)) <= 4 * len(values):
            times = np.bincount(pairs, minlength=n_pairs)
            kept = np.flatnonzero(times)
            times = times[kept]
        else:
            kept, times = np.unique(pairs, return_counts=True)
        at, code = np.divmod(kept, len(distinct))
        for attribute, value, count in zip(at.tolist(), distinct[code].tolist(), times.tolist(), strict=True):
            self._counts.setdefault(attribute, Counter())[value] += count

    def _count_ends(self, attributes: Integers, values: Floats) -> None:
        """Count the lowest and the highest values of attributes with many.

        One that is among them in the end was so whenever it came, and so each time was counted.
        """
        others = ~self._may_be_code(values)
        attributes, values = attributes[others], values[others]
        for at in np.unique(attributes).tolist():
            ends, own = self._ends[at], values[attributes == at]
            low, high = _limits(ends)
            distinct, times = np.unique(own[(own <= low) | (own >= high)], return_counts=True)
            ends.update(dict(zip(distinct.tolist(), times.tolist(), strict=True)))
            self._ends[at] = _ends_of(ends)

    def _shortened(self, counts: Counter[float]) -> tuple[Counter[float], Counter[float]]:
        """The values that may be codes with a few that are not whole, and the ends of the others."""
        values = np.array(sorted(counts))
        codes = self._may_be_code(values)
        others = values[~codes]
        broken = others[others != np.round(others)][:_EXAMPLES]
        kept = {*values[codes].tolist(), *broken.tolist()}
        ends = _ends_of(Counter({value: counts[value] for value in others.tolist()}))
        return Counter({value: counts[value] for value in kept}), ends

    def _may_be_code(self, values: Floats) -> Bools:
        after = np.clip(np.searchsorted(self._candidates, values), 1, len(self._candidates) - 1)
        apart = [np.abs(self._candidates[at] - values) for at in (after - 1, after)]
        return np.asarray(np.minimum(*apart) <= _ROUNDING * np.abs(values))


def _ends_of(counts: Counter[float]) -> Counter[float]:
    """The lowest and the highest of some values."""
    values = sorted(counts)
    return Counter({value: counts[value] for value in {*values[:_ENDS], *values[-_ENDS:]}})


def _limits(ends: Counter[float]) -> tuple[float, float]:
    """Up to where a value is one of the lowest, and from where one of the highest; anything where there are few."""
    values = sorted(ends)
    return (values[_ENDS - 1], values[-_ENDS]) if len(values) >= 2 * _ENDS else (np.inf, -np.inf)


def value_counts(judgments: Judgments) -> dict[str, tuple[Floats, Integers]]:
    """Of each attribute of a table in memory the different values, and how often each is there."""
    if not judgments.attributes:  # as of a plan that buys nothing
        return {}
    rows = judgments.rows()
    order = np.argsort(rows.attributes, kind="stable")
    ends = np.cumsum(np.bincount(rows.attributes, minlength=len(judgments.attributes)))
    values = np.split(rows.values[order], ends[:-1])
    return {name: np.unique(own, return_counts=True) for name, own in zip(judgments.attributes, values, strict=True)}
