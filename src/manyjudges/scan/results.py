"""Results: what a table of judgments comes to, whichever reader has summed it up."""

from __future__ import annotations

__all__ = ["Scan"]

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from manyjudges.arrays.sums import Sums
from manyjudges.arrays.types import Floats, Integers
from manyjudges.tables.reading.reading import InvalidRow, Reading


@dataclass(frozen=True, eq=False)
class Scan:
    """What a table of judgments comes to.

    Attributes
    ----------
    attributes : tuple of str
    sums : tuple of Sums
        Of all objects; or of each part of them, where parts were asked for.
    counts : dict of str to dict of int to int
        Of each attribute, how many objects have how many judgments; those that have none are left out.
    n_judgments : int
    skipped : int
        Invalid rows that were skipped.
    reading : Reading
        What was understood of the table.
    values : mapping of str to tuple of arrays
        Of each attribute the different values of its judgments, and how often each is there.
    find_invalid : callable, optional
        Lists the rows that were skipped; None where there are none.
    """

    attributes: tuple[str, ...]
    sums: tuple[Sums, ...]
    counts: dict[str, dict[int, int]]
    n_judgments: int
    skipped: int
    reading: Reading
    values: Mapping[str, tuple[Floats, Integers]] = field(default_factory=dict)
    find_invalid: Callable[[], tuple[InvalidRow, ...]] | None = None

    @property
    def source(self) -> str:
        """Where it was read from, and which columns were taken for what."""
        return self.reading.source

    @cached_property
    def invalid(self) -> tuple[InvalidRow, ...]:
        """The rows that were skipped, and why."""
        return () if self.find_invalid is None else self.find_invalid()

    @property
    def n_objects(self) -> int:
        """Objects that have judgments and a label."""
        return sum(part.n_objects for part in self.sums)

    def lacking(self, repeats: Mapping[str, int]) -> dict[str, int]:
        """How many judgments of each attribute the objects lack of so many each."""
        return {name: self._lacking(name, wanted) for name, wanted in repeats.items()}

    def _lacking(self, name: str, wanted: int) -> int:
        have = self.counts.get(name, {})
        some = sum(max(wanted - count, 0) * many for count, many in have.items())
        return some + wanted * (self.n_objects - sum(have.values()))
