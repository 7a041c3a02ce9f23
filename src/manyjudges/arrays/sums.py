"""Sums over objects, from which moments are estimated and by which they are merged."""

from __future__ import annotations

__all__ = ["MEAN_TOLERANCE", "Sums"]

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.gram import Gram
from manyjudges.arrays.libraries import (
    backend_of,
    block,
    counted,
    first_true,
    is_foreign,
    namespace,
    to_numpy,
)
from manyjudges.arrays.types import Floats, Integers

MEAN_TOLERANCE = 16 * float(np.finfo(float).eps)
"""Share of a value by which its rounding may make it differ: a mean takes a few roundings, 16 leave room."""


@dataclass(frozen=True, eq=False)
class Sums:
    """All that an estimate of the moments needs to know about a set of objects.

    Values enter as distances from this set's own means, which keeps sums of values near a million as exact as
    those of values near zero. :meth:`__add__` moves two sets to their common means first, so that the sums of
    two disjoint sets of objects are the sums of their union.

    Where every object has every attribute, ``overlap`` and ``drift`` say nothing new and are None.
    """

    n_objects: int
    label_mean: float
    label_scatter: float
    objects: Integers  # objects that have the attribute
    means: Floats  # mean over those objects of the mean judgment
    products: Gram  # (d, d): Σ (x̄[a] - means[a]) (x̄[b] - means[b]) over objects that have both
    overlap: Integers | None  # (d, d): how many objects have both
    drift: Floats | None  # (d, d): Σ (x̄[a] - means[a]) over objects that have both a and b
    cross: Floats  # Σ (x̄[a] - means[a]) (y - label_mean)
    label_drift: Floats  # Σ (y - label_mean) over objects that have a
    repeated: Integers  # objects with two or more judgments of a
    single: Integers  # objects with exactly one
    variance: Floats  # Σ VarEst over the repeated
    variance_of_mean: Floats  # Σ VarEst / n over the repeated
    judgments: Integers  # judgments at hand
    lost: Floats | None = None  # what rounding may do to the diagonal of products, where objects were taken away

    @classmethod
    @np.errstate(over="ignore", invalid="ignore")  # Moments says which attribute is too large
    def of(cls, cells: Cells, labels: Floats) -> Sums:
        """Sum over the rows of ``cells``, one label a row."""
        (n, d), backend = cells.mean.shape, backend_of(cells.mean)
        xp = backend.xp
        present = None if cells.complete else cells.count > 0
        tally = cells.tally()
        objects = tally.single + tally.repeated
        means, x = _centred(cells.mean, present, objects)
        label_mean = float(labels[0] + xp.mean(labels - labels[0]))
        y = labels - label_mean
        cross, label_scatter = y @ x, float(y @ y)
        products = Gram(factor=x)
        if cells.uniform != 1:
            products = Gram(products.dense)  # noise will be taken from the diagonal, which needs the whole
        seen = None if present is None else xp.astype(present, xp.float64)
        return cls(
            n_objects=n,
            label_mean=label_mean,
            label_scatter=label_scatter,
            objects=objects,
            means=means,
            products=products,
            overlap=None if seen is None else xp.astype(xp.round(seen.T @ seen), xp.int64),
            drift=None if seen is None else x.T @ seen,
            cross=cross,
            label_drift=backend.full((d,), 0.0) if seen is None else y @ seen,
            repeated=tally.repeated,
            single=tally.single,
            variance=tally.variance,
            variance_of_mean=tally.variance_of_mean,
            judgments=tally.judgments,
        )

    @classmethod
    def over(cls, blocks: Iterable[Cells], labels: Floats) -> Sums:
        """Sum over blocks of objects, one after the other."""
        parts = iter(blocks)
        first = next(parts)
        start = len(first.mean)
        total = cls.of(first, labels[:start])
        for cells in parts:
            stop = start + len(cells.mean)
            total, start = total + cls.of(cells, labels[start:stop]), stop
        return total

    @np.errstate(over="ignore", invalid="ignore")
    def __add__(self, other: Sums) -> Sums:
        """Sums of the union of two disjoint sets of objects, which have the same attributes in the same order."""
        if (self.overlap is None) != (other.overlap is None):
            return self.materialized() + other.materialized()
        n_objects = self.n_objects + other.n_objects
        objects = self.objects + other.objects
        # Written as a step from one mean towards the other, so that equal means stay exactly equal.
        share = counted(other.objects) / counted(namespace(objects).maximum(objects, 1))
        means = self.means + share * (other.means - self.means)
        label_mean = self.label_mean + other.n_objects / n_objects * (other.label_mean - self.label_mean)
        left, right = self.around(means, label_mean), other.around(means, label_mean)
        added = {
            field.name: getattr(left, field.name) + getattr(right, field.name)
            for field in fields(self)
            if field.name != "lost" and getattr(left, field.name) is not None
        }
        return left._with(**added | {"means": means, "label_mean": label_mean, "lost": _both(self.lost, other.lost)})

    @np.errstate(over="ignore", invalid="ignore")
    def __sub__(self, other: Sums) -> Sums:
        """Sums without some of the objects, of which ``other`` are the sums, over the same attributes.

        Where the rest is much smaller than what goes, it is known no better than to the rounding of that: ``lost``.
        """
        if (self.overlap is None) != (other.overlap is None):
            return self.materialized() - other.materialized()
        n_objects, objects = self.n_objects - other.n_objects, self.objects - other.objects
        # A step away from the mean of those that go.
        share = counted(other.objects) / counted(namespace(objects).maximum(objects, 1))
        means = self.means + share * (self.means - other.means)
        label_mean = self.label_mean + other.n_objects / max(n_objects, 1) * (self.label_mean - other.label_mean)
        left, right = self.around(means, label_mean), other.around(means, label_mean)
        rest = {
            field.name: getattr(left, field.name) - getattr(right, field.name)
            for field in fields(self)
            if field.name not in ("products", "lost") and getattr(left, field.name) is not None
        }
        # Sums of squares that should be nothing may come out as a little more or less.
        for name in ("variance", "variance_of_mean"):
            size = getattr(left, name) + getattr(right, name)
            rest[name] = _settled(rest[name], MEAN_TOLERANCE * size, _rounding(size, 0.0, self.n_objects))
        lost = _both(self.lost, other.lost)
        label_lost = np.zeros(())
        for sums in (left, right):
            lost = _both(lost, _rounding(sums.products.diagonal, means, sums.n_objects))
            label_lost += _rounding(np.array(sums.label_scatter), np.array(label_mean), sums.n_objects)
        rest["label_scatter"] = float(_settled(np.array(rest["label_scatter"]), label_lost, label_lost))
        products = Gram(left.products.dense - right.products.dense)
        new: dict[str, Any] = {"products": products, "means": means, "label_mean": label_mean, "lost": lost}
        return left._with(**rest | new)

    def with_attributes(self, positions: Integers, n_attributes: int) -> Sums:
        """The same sums with attribute i at ``positions[i]`` among ``n_attributes``, the others never judged."""
        sums, backend = self.materialized(), backend_of(self.means)
        came_from = np.full(n_attributes, -1)
        came_from[positions] = np.arange(len(positions))
        source, new = (backend.array(values) for values in (np.maximum(came_from, 0), came_from < 0))

        def expand(values: Any) -> Any:
            if values.ndim == 1:
                return backend.xp.where(new, backend.xp.zeros_like(values[:1]), values[source])
            return backend.xp.where(new[:, None] | new, backend.xp.zeros_like(values[:1, :1]), block(values, source))

        return sums._with_arrays(expand, Gram(expand(sums.products.dense)))

    def only(self, at: Integers) -> Sums:
        """The same sums of some of the attributes."""
        products = Gram(self.products.block(at))
        return self._with_arrays(lambda values: values[at] if values.ndim == 1 else block(values, at), products)

    def to_numpy(self) -> Sums:
        """The same sums in arrays of NumPy."""
        if not is_foreign(self.means):
            return self
        return self._with_arrays(to_numpy, self.products.to_numpy())

    def _with_arrays(self, change: Callable[[Any], Any], products: Gram) -> Sums:
        """The same sums with every array changed, and other products."""
        arrays = {name: change(value) for name, value in vars(self).items() if getattr(value, "ndim", 0)}
        return self._with(**arrays, products=products)

    def _with(self, **changed: Any) -> Sums:
        """The same sums with some of them changed: ``replace`` of dataclasses, several times as fast."""
        return Sums(**vars(self) | changed)

    def materialized(self) -> Sums:
        """The same sums with ``overlap`` and ``drift`` written out."""
        if self.overlap is not None:
            return self
        shape, backend = self.means.shape * 2, backend_of(self.means)
        return self._with(overlap=backend.full(shape, self.n_objects), drift=backend.full(shape, 0.0))

    def around(self, means: Floats, label_mean: float) -> Sums:
        """The same sums as distances from other means."""
        # Σ (x + s)(z + t)' = Σ xz' + s Σz' + (Σx) t' + n s t', each sum over the objects that have both attributes:
        # where all objects have all, Σx and Σz are 0 about their own means.
        shift, label_shift = self.means - means, self.label_mean - label_mean
        drift = None
        if self.overlap is None or self.drift is None:
            products = (shift * self.n_objects)[:, None] * shift
        else:
            overlap = counted(self.overlap)
            products = shift[:, None] * shift
            products *= overlap
            products += shift[:, None] * self.drift.T
            products += shift * self.drift
            drift = self.drift + shift[:, None] * overlap
        products += self.products.dense
        objects = counted(self.objects)
        return self._with(
            means=means,
            label_mean=label_mean,
            label_scatter=self.label_scatter + self.n_objects * (label_shift * label_shift),
            products=Gram(products),
            drift=drift,
            cross=self.cross + shift * (self.label_drift + label_shift * objects),
            label_drift=self.label_drift + label_shift * objects,
        )


def _both(one: Floats | None, other: Floats | None) -> Floats | None:
    """The sum of two arrays, either of which may not be there."""
    return other if one is None else one if other is None else one + other


def _rounding(scatter: Any, mean: Any, n_objects: int) -> Any:
    """What rounding may have done to a sum of squared distances from a mean.

    Every object adds its own; and the mean, which is rounded, too, may have been moved by as much as objects differ.
    """
    # Roundings of n objects are of either sign and do not know of each other: their sum grows as √n, not as n.
    root = max(n_objects, 1) ** 0.5
    return MEAN_TOLERANCE * root * (scatter + abs(mean) * abs(scatter) ** 0.5)


def _settled(rest: Any, above: Any, below: Any) -> Any:
    """What is left of sums of squares, 0 where it is nothing but rounding."""
    return namespace(rest).where((rest <= above) & (rest >= -below), 0.0, rest)


def _centred(mean: Floats, present: NDArray[np.bool_] | None, objects: Integers) -> tuple[Floats, Floats]:
    """Mean of each column over the objects that have it, and distances from it, 0 for the objects that do not.

    By way of the distances from some object's value, which makes both exact for a column that never changes.
    """
    backend = backend_of(mean)
    xp, n, d = backend.xp, *mean.shape
    if present is None:
        pivot = mean[0, :]
        x = mean - pivot
    else:
        pivot = xp.where(objects > 0, mean[first_true(present, axis=0), backend.array(np.arange(d))], 0.0)
        x = xp.where(present, mean - pivot, 0.0)
    away = backend.full((n,), 1.0) @ x / counted(xp.maximum(objects, 1))
    x -= away
    if present is not None:
        x[~present] = 0.0
    return pivot + away, x
