"""Sums over a table in parts, from which every fold of a cross-validation is put together.

A held-out loss is a quadratic form in sums over objects. So a table is read once, whatever the number of folds, of
repetitions and of candidates: what is kept of it are sums over a few parts of its objects.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate
from operator import add

import numpy as np

from manyjudges.arrays.sums import Sums
from manyjudges.arrays.types import Floats, Integers
from manyjudges.core.joint import joint_moments
from manyjudges.core.moments import Moments
from manyjudges.exceptions import ManyJudgesError, MomentsError
from manyjudges.learn.labels.kind import LabelKind
from manyjudges.learn.labels.number import NUMBER
from manyjudges.tables.judgments import Judgments, not_judged

# Memory against chance: each part is a matrix of attributes by attributes. No benchmark sets it: with 4, there are
# 2.5 billion ways to put 5 folds together from 20 parts, with 1 there is one.
PARTS_PER_FOLD = 4
"""Parts that a fold is put together from: the more, the more ways to do so, and the better known the standard
error."""


@dataclass(frozen=True, eq=False)
class FoldSums:
    """Sums over objects in parts, from which all folds are put together.

    Attributes
    ----------
    attributes : tuple of str
    sums : tuple of Sums
        Of each part.
    noiseless : frozenset of str
    label_kind : LabelKind
        Says what a prediction loses.
    joint : bool
        Whether moments of attributes and label are estimated together.
    """

    attributes: tuple[str, ...]
    sums: tuple[Sums, ...]
    noiseless: frozenset[str]
    label_kind: LabelKind = NUMBER
    joint: bool = False

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        y: Floats,
        n_parts: int,
        noiseless: Collection[str],
        rng: np.random.Generator,
        label_kind: LabelKind = NUMBER,
        joint: bool = False,
    ) -> FoldSums:
        """Sum a table up once, objects in random order."""
        # At random, as neighbours in a table are often alike; sorted again within a part, so that blocks are read in
        # order.
        shares = _shares(len(y), n_parts, rng)
        sums = tuple(Sums.over(judgments[share].blocks(), y[share]) for share in map(np.sort, shares))
        return cls(judgments.attributes, sums, frozenset(noiseless), label_kind, joint)

    @property
    def n_objects(self) -> int:
        """Objects in all parts."""
        return sum(part.n_objects for part in self.sums)

    @property
    def label_variance(self) -> float:
        """Variance of the labels of all parts."""
        sizes = np.array([part.n_objects for part in self.sums])
        means = np.array([part.label_mean for part in self.sums])
        # Scatter within parts and between them: (Σ scatter_p + n_p (ȳ_p - ȳ)²) / n.
        between = float(sizes @ (means - sizes @ means / sizes.sum()) ** 2)
        return (sum(part.label_scatter for part in self.sums) + between) / float(sizes.sum())

    def only(self, attributes: Collection[str]) -> FoldSums:
        """The same parts with some of the attributes, in the order given."""
        names = tuple(attributes)
        if unknown := [name for name in names if name not in self.attributes]:
            raise not_judged(unknown, self.attributes)
        at = np.array([self.attributes.index(name) for name in names], dtype=np.int64)
        return replace(
            self,
            attributes=names,
            sums=tuple(part.only(at) for part in self.sums),
            noiseless=self.noiseless & set(names),
        )

    def moments(self) -> Moments:
        """Moments of all of the parts."""
        moments = Moments.from_sums(self.attributes, reduce(add, self.sums), self.noiseless)
        return joint_moments(moments) if self.joint else moments

    def splits(self, cv: int, rng: np.random.Generator) -> list[Integers]:
        """Parts to hold out, by position, each of them once."""
        # Parts are dealt out, not objects: a fold is then a sum of sums, in the same time for any number of objects.
        return np.array_split(rng.permutation(len(self.sums)), cv)

    def folds(self, splits: Sequence[Integers]) -> Iterator[Fold]:
        """Each of the splits held out, apart from all others; together they are all parts.

        What lies before a split and what lies behind it are summed up once, not again for each fold: 3 additions a fold
        rather than one for each of the other parts. Sums are never taken off again, which would cost digits.
        """
        groups = [reduce(add, [self.sums[i] for i in held_out]) for held_out in splits]
        behind = [*accumulate(reversed(groups[1:]), add)][::-1]
        before: Sums | None = None
        for f, held_out in enumerate(splits):
            around = ([] if before is None else [before]) + behind[f : f + 1]
            # Held-out parts are kept apart: how they differ is the standard error of the loss.
            tests = tuple(self.sums[i] for i in held_out)
            yield Fold(self.attributes, reduce(add, around), tests, self.noiseless, self.label_kind, self.joint)
            before = groups[f] if before is None else before + groups[f]


@dataclass(frozen=True, eq=False)
class Fold:
    """What a fold is computed from, here or on another machine: sums to train on, and parts that are held out."""

    attributes: tuple[str, ...]
    training: Sums
    tests: tuple[Sums, ...]
    noiseless: frozenset[str]
    label_kind: LabelKind = NUMBER
    joint: bool = False

    def trained(self) -> Moments:
        """Moments of what there is to train on."""
        try:
            moments = Moments.from_sums(self.attributes, self.training, self.noiseless)
            return joint_moments(moments) if self.joint else moments
        except ManyJudgesError as error:
            raise MomentsError(
                f"a training part of the cross-validation cannot be used: {error}", **error.fields
            ) from None

    def losses(self, trained: Moments, w: Floats, repeats: Integers) -> Floats:
        """What weights lose under any repeats on the objects of each part that is held out, summed over them."""
        return self.label_kind.held_out_losses(self.tests, trained, w, repeats)


def assign_parts(n_objects: int, n_parts: int, rng: np.random.Generator) -> Integers:
    """The part of each object, by chance; the same as :meth:`FoldSums.of` draws."""
    parts = np.empty(n_objects, dtype=np.int64)
    for part, share in enumerate(_shares(n_objects, n_parts, rng)):
        parts[share] = part
    return parts


def _shares(n: int, n_parts: int, rng: np.random.Generator) -> list[Integers]:
    # No part without an object, of which there would be no mean.
    return np.array_split(rng.permutation(n), min(n_parts, n))
