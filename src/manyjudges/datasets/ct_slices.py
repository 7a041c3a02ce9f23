"""Slices: images of the body in which every object can be judged without end.

Of a slice through the body there are two histograms, in polar coordinates, of how much bone and how much air there is.
The paper takes eight adjacent bins for one attribute and one of them, drawn at random, for one judgment.
"""

from __future__ import annotations

__all__ = ["SliceCrowd", "Slices"]

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.blocks import ranks_within
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import quote_value, suggest
from manyjudges.base.seeds import generator
from manyjudges.core.plan import Plan
from manyjudges.exceptions import DatasetError
from manyjudges.simulate.crowd import Crowd
from manyjudges.tables.judgments import Judgments

N_BINS = 384
_PER_ATTRIBUTE = 8
_N_ATTRIBUTES = N_BINS // _PER_ATTRIBUTE
ATTRIBUTES = tuple(f"bins {first:03d}–{first + _PER_ATTRIBUTE - 1:03d}" for first in range(0, N_BINS, _PER_ATTRIBUTE))


@dataclass(frozen=True, eq=False)
class Slices:
    """Slices through bodies, each with 384 values and a label: where along the body it lies.

    Attributes
    ----------
    values : array of (objects, 384)
    labels : pandas.Series
        By object.
    patients : array of int
        Whose slice it is.
    simulated : bool
        Whether nobody was ever scanned.
    source : str
    """

    values: Floats
    labels: pd.Series[Any]
    patients: Integers
    simulated: bool
    source: str = ""

    @property
    def objects(self) -> Any:
        """Names of the slices."""
        return self.labels.index.to_numpy()

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the 48 attributes, eight adjacent bins each."""
        return ATTRIBUTES

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        kind = "simulated slices" if self.simulated else "slices"
        low, high = self.labels.min(), self.labels.max()
        return (
            f"Slices: {len(self):,} {kind} of {len(np.unique(self.patients)):,} patients, {len(ATTRIBUTES)} attributes"
            f"\n  labels from {low:.4g} to {high:.4g}" + (f"\n  {self.source}" if self.source else "")
        )

    def subset(self, positions: Any) -> Slices:
        """Some of the slices: by positions, by a slice of them, or by a mask."""
        try:
            at = np.atleast_1d(np.arange(len(self))[positions])
        except (IndexError, TypeError, ValueError) as error:
            raise DatasetError(
                f"there are no such slices among {len(self):,}: {error}.", value=positions, column="positions"
            ) from None
        if len(np.unique(at)) < len(at):
            raise DatasetError(
                "the same slice was taken twice; each can be there once.", value=positions, column="positions"
            )
        return Slices(self.values[at], self.labels.iloc[at], self.patients[at], self.simulated, self.source)

    def draw(self, repeats: int | Mapping[str, int], rng: np.random.Generator) -> Floats:
        """Draw judgments of every slice, as an array of (objects, 48, most repeats), NaN where none is wanted.

        Parameters
        ----------
        repeats : int or mapping
            How many judgments of each attribute; those a mapping does not name get none.
        rng : numpy.random.Generator
        """
        counts = _repeats(repeats)
        eight = self.values.reshape(len(self), _N_ATTRIBUTES, _PER_ATTRIBUTE)
        drawn = np.full((len(self), _N_ATTRIBUTES, int(counts.max())), np.nan)
        for k in range(drawn.shape[2]):
            columns = np.flatnonzero(counts > k)
            which = rng.integers(0, _PER_ATTRIBUTE, size=(len(self), len(columns)))
            drawn[:, columns, k] = eight[np.arange(len(self))[:, None], columns[None, :], which]
        return drawn

    def crowd(self, random_state: int | None = None) -> SliceCrowd:
        """A crowd that judges these slices as often as asked."""
        return SliceCrowd(self, random_state)


class SliceCrowd(Crowd):
    """Judges of slices, with what campaigns need of a crowd.

    A judgment is one of the attribute's eight values, drawn at random, whatever was drawn before. Its ``worker`` is
    no person but the number of the draw.

    Attributes
    ----------
    objects : array of str
    labels : pandas.Series
        By object.
    attributes : tuple of str
    costs : dict
        Empty: every judgment costs 1.

    Examples
    --------
    >>> from manyjudges.datasets import make_slice
    >>> crowd = make_slice(20, random_state=0).crowd(random_state=0)
    >>> len(crowd.pilot(2))
    1920
    """

    error = DatasetError

    def __init__(self, slices: Slices, random_state: int | None = None) -> None:
        self.objects, self.labels, self.attributes = slices.objects, slices.labels, slices.attributes
        self.costs: dict[str, float] = {}
        self._rng = generator(random_state)
        self._eight = slices.values.reshape(len(slices), _N_ATTRIBUTES, _PER_ATTRIBUTE)
        self._drawn = np.zeros((len(slices), _N_ATTRIBUTES), dtype=np.int64)

    def follow(self, plan: Plan | Mapping[str, int]) -> Judgments:
        """Exactly what a plan asks for, on every object."""
        counts = _repeats(plan.repeats if isinstance(plan, Plan) else plan)
        return super().follow(dict(zip(self.attributes, counts.tolist(), strict=True)))

    def _buy(self, objects: Integers, attributes: Integers) -> pd.DataFrame:
        order = np.lexsort((attributes, objects))
        objects, attributes = objects[order], attributes[order]
        number = self._drawn[objects, attributes] + ranks_within(objects * _N_ATTRIBUTES + attributes)
        np.add.at(self._drawn, (objects, attributes), 1)
        names = np.array([f"draw {i:03d}" for i in range(int(number.max(initial=-1)) + 1)], dtype=np.object_)
        which = self._rng.integers(0, _PER_ATTRIBUTE, size=len(objects))
        return pd.DataFrame(
            {
                "object": self.objects[objects],
                "attribute": np.array(self.attributes, dtype=np.object_)[attributes],
                "worker": names[number],
                "value": self._eight[objects, attributes, which],
            }
        )


def named(n: int) -> pd.Index[Any]:
    """Names for so many slices."""
    return pd.Index(np.array([f"slice {i:05d}" for i in range(1, n + 1)], dtype=np.object_), name="object")


def _repeats(repeats: int | Mapping[str, int]) -> Integers:
    """How many judgments of each attribute, in order."""
    by_name = repeats if isinstance(repeats, Mapping) else dict.fromkeys(ATTRIBUTES, repeats)
    for name, n in by_name.items():
        if name not in ATTRIBUTES:
            raise DatasetError(
                f"slices have no attribute {quote_value(name)}.{suggest(name, ATTRIBUTES)}",
                value=name,
                column="repeats",
            )
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise DatasetError(
                f"repeats of {name!r} must be a whole number of 0 or more, not {quote_value(n)}.",
                value=n,
                row=name,
                column="repeats",
            )
    counts = np.array([by_name.get(name, 0) for name in ATTRIBUTES], dtype=np.int64)
    if not counts.any():
        raise DatasetError("no judgment is asked for: all repeats are 0.", value=repeats, column="repeats")
    return counts
