"""Answer ranges: answers that lie outside the range of those that a plan was made from."""

from __future__ import annotations

__all__: list[str] = []

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.formatting import plural
from manyjudges.base.messages import list_names, quote_value
from manyjudges.core.plan import Plan
from manyjudges.exceptions import DataWarning
from manyjudges.tables.answers.coding import AnswerCoding
from manyjudges.tables.answers.ranges import expected_range
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.names import name_text

_SHOWN = 3
"""Numbers that a warning names."""

_KEPT = 1000
"""Different numbers of an attribute that are kept; more are only counted."""


@dataclass
class _Outside:
    """What lies outside the range of one attribute: how often each number is there, and where the farthest is."""

    count: int = 0
    numbers: Counter[float] = field(default_factory=Counter)
    farthest: tuple[float, str] | None = None
    value: float = 0.0

    def add(self, values: Floats, counts: Integers) -> None:
        self.count += int(counts.sum())
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            if value in self.numbers or len(self.numbers) < _KEPT:
                self.numbers[value] += count


class OutsideAnswers:
    """Collects answers that lie outside the range of those that a plan was made from.

    Parameters
    ----------
    plan : Plan
    codings : mapping of str to AnswerCoding
        What the answers stand for, with their limits.
    """

    def __init__(self, plan: Plan, codings: Mapping[str, AnswerCoding]) -> None:
        self._limits = {
            name: coding.limits
            for name in plan.repeats
            if (coding := codings.get(name)) is not None and coding.limits is not None
        }
        self._ranges = {name: expected_range(limits, codings[name].steps) for name, limits in self._limits.items()}
        self._found: dict[str, _Outside] = {}

    def add(self, judgments: Judgments) -> None:
        """Look at some judgments; those of an object come together."""
        if not self._ranges:
            return
        rows = judgments.rows()
        ranges = np.array([self._ranges.get(name, (-np.inf, np.inf)) for name in judgments.attributes]).reshape(-1, 2)
        low, high = ranges[rows.attributes].T
        outside = np.flatnonzero((rows.values < low) | (rows.values > high))
        for at in np.unique(rows.attributes[outside]):
            own = outside[rows.attributes[outside] == at]
            found = self._take(judgments.attributes[at], *np.unique(rows.values[own], return_counts=True))
            distance = self._distance(judgments.attributes[at], rows.values[own])
            farthest = own[distance == distance.max()]
            objects = judgments.objects[np.unique(rows.objects[farthest])]
            place = (-float(distance.max()), min(map(name_text, objects)))  # the same in whatever order they come
            if found.farthest is None or place < found.farthest:
                found.farthest, found.value = place, float(rows.values[farthest].max())

    def add_counts(self, values: Mapping[str, tuple[Floats, Integers]]) -> None:
        """Look at the different values of each attribute, of which it is known how often each is there."""
        for name in self._ranges.keys() & values.keys():
            distinct, counts = values[name]
            low, high = self._ranges[name]
            outside = (distinct < low) | (distinct > high)
            if outside.any():
                found = self._take(name, distinct[outside], counts[outside])
                found.value = float(distinct[outside][np.argmax(self._distance(name, distinct[outside]))])

    @property
    def warnings(self) -> Iterable[DataWarning]:
        """One for all attributes; none where all answers are within their ranges."""
        found = {name: self._found[name] for name in self._ranges if name in self._found}
        if not found:
            return
        name, first = next(iter(found.items()))
        total = sum(each.count for each in found.values())
        low, high = (f"{end:.15g}" for end in self._limits[name])
        where = "" if first.farthest is None else f", object {quote_value(first.farthest[1])}"
        others = sorted({value for each in found.values() for value in each.numbers}, key=abs, reverse=True)
        codes = ",".join(f"{value:.15g}" for value in list(dict.fromkeys([first.value, *others]))[:_SHOWN])
        are = "is" if total == 1 else "are"
        yield DataWarning(
            f"{plural(total, 'answer')} to {list_names(found)} {are} outside the range of those that the plan was made "
            f"from, such as {first.value:.15g} for {quote_value(name)}{where}; the plan knows {low} to {high}. "
            f"Correct mistakes in the table. For a code that means no answer, add --missing {codes} "
            f"(missing=[{codes}]); for a real answer, add --valid {codes} (valid=[{codes}]).",
            "outside_answers",
            {
                "attributes": {
                    name: {
                        "count": each.count,
                        "value": each.value,
                        "low": self._limits[name][0],
                        "high": self._limits[name][1],
                    }
                    for name, each in found.items()
                }
            },
        )

    def _take(self, name: str, values: Floats, counts: Integers) -> _Outside:
        found = self._found.setdefault(name, _Outside())
        found.add(values, counts)
        return found

    def _values(self, name: str, found: _Outside) -> dict[str, float]:
        low, high = self._limits[name]
        return {"count": found.count, "value": found.value, "low": low, "high": high}

    def _distance(self, name: str, values: Floats) -> Any:
        low, high = self._limits[name]
        return np.maximum(low - values, values - high)


def outside_answers(
    plan: Plan, codings: Mapping[str, AnswerCoding], values: Mapping[str, tuple[Floats, Integers]] | None
) -> tuple[DataWarning, ...]:
    """What to say of answers outside the range of those that a plan was made from, if there are any.

    Parameters
    ----------
    plan : Plan
    codings : mapping of str to AnswerCoding
        What the answers stand for, with their limits.
    values : mapping, optional
        Of each attribute the different values, and how often each is there. Of an attribute with very many values in a
        table that was scanned, not all are there, so that the count is the least that it can be.
    """
    found = OutsideAnswers(plan, codings)
    found.add_counts(values or {})
    return tuple(found.warnings)
