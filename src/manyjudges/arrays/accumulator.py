"""Accumulation: sums over many objects, block after block, in place.

Two :class:`~manyjudges.arrays.sums.Sums` are added up by moving both to their common means, which takes several
matrices as large as the result. Here every value enters as its distance from a pivot, the first mean of its
attribute, so that a block costs its matrix products and nothing else; the sums are moved to the true means once, at
the end.
"""

from __future__ import annotations

__all__ = ["Accumulator"]

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.gram import Gram
from manyjudges.arrays.libraries import STRIP, mirror, strips
from manyjudges.arrays.sums import Sums
from manyjudges.arrays.types import Floats, Integers

_FLOATS = ("total", "cross", "label_drift", "variance", "variance_of_mean")
_COUNTS = ("single", "repeated", "judgments")


class Accumulator:
    """Adds up blocks of objects.

    Parameters
    ----------
    label_pivot : float
        Some label near the others.
    n_attributes : int
        Grows by itself where blocks come with more.
    """

    def __init__(self, label_pivot: float, n_attributes: int = 0) -> None:
        self._label_pivot = float(label_pivot)
        self._n_objects = 0
        self._label_total = self._label_square = 0.0
        self._pivot = np.zeros(0)
        self._vectors: dict[str, NDArray[Any]] = {name: np.zeros(0) for name in _FLOATS}
        self._vectors |= {name: np.zeros(0, dtype=np.int64) for name in _COUNTS}
        # x'x, and where objects lack attributes: how many have both of two, and Σ x[a] over those. Only the upper
        # triangle of the symmetric ones is kept up.
        self._products = _zeros(0)
        self._overlap: Floats | None = None
        self._drift: Floats | None = None
        self._grow(n_attributes)

    @property
    def n_objects(self) -> int:
        """Objects so far."""
        return self._n_objects

    @np.errstate(over="ignore", invalid="ignore")  # Moments says which attribute is too large
    def add(self, cells: Cells, labels: Floats) -> None:
        """Add objects that were not among those before, one label a row; attributes may follow that were not there."""
        if not len(labels):
            return
        self._grow(cells.mean.shape[1])
        if not cells.complete:
            self._write_out()
        present = None if self._overlap is None else cells.count > 0
        tally = cells.tally()
        x = self._centred(cells.mean, present)
        y = labels - self._label_pivot
        seen = None if present is None else present.astype(float)
        self._multiply(x, seen)
        self._add("total", x.sum(axis=0))
        self._add("cross", y @ x)
        self._add("label_drift", y.sum() if seen is None else y @ seen)
        self._label_square += float(y @ y)
        for name in ("single", "repeated", "judgments", "variance", "variance_of_mean"):
            self._add(name, getattr(tally, name))
        self._label_total += float(y.sum())
        self._n_objects += len(y)

    @np.errstate(over="ignore", invalid="ignore")
    def finish(self, order: Integers | None = None, *, strip: int = STRIP) -> Sums:
        """The sums of all that was added, as distances from their means; the accumulator is used up by it.

        Attributes in this ``order``, which also has those that came up elsewhere only; as they came, unless given.
        """
        order = np.arange(len(self._pivot)) if order is None else order
        self._grow(len(order))
        own, n = {name: values[order] for name, values in self._vectors.items()}, self._n_objects
        objects = own["single"] + own["repeated"]
        away, label_away = own["total"] / np.maximum(objects, 1), self._label_total / max(n, 1)
        overlap = None
        mirror(self._products, strip)
        self._products = _arranged(self._products, order, strip)
        if self._drift is None or self._overlap is None:
            _move_whole(self._products, away, n, strip)
        else:
            mirror(self._overlap, strip)
            # One after the other, so that only one of them is there twice.
            self._overlap = _arranged(self._overlap, order, strip)
            self._drift = _arranged(self._drift, order, strip)
            _move(self._products, self._drift, self._overlap, away, strip)
            overlap = np.rint(self._overlap, out=self._overlap).astype(np.int64)
            self._overlap = None
        return Sums(
            n_objects=n,
            label_mean=self._label_pivot + label_away,
            # Σ (y - p)² - n (ȳ - p)², p the pivot; never negative but by rounding.
            label_scatter=max(self._label_square - n * (label_away * label_away), 0.0),
            objects=objects,
            means=np.nan_to_num(self._pivot)[order] + away,
            products=Gram(self._products),
            overlap=overlap,
            drift=self._drift,
            # Σ (x - a)(y - b) = Σ xy - b Σ x - a (Σ y - n b), over the n objects that have the attribute.
            cross=own["cross"] - label_away * own["total"] - away * (own["label_drift"] - label_away * objects),
            label_drift=np.zeros(len(objects)) if overlap is None else own["label_drift"] - label_away * objects,
            repeated=own["repeated"],
            single=own["single"],
            variance=own["variance"],
            variance_of_mean=own["variance_of_mean"],
            judgments=own["judgments"],
        )

    def _add(self, name: str, value: Any) -> None:
        self._vectors[name] += value

    def _centred(self, mean: Floats, present: NDArray[np.bool_] | None) -> Floats:
        """Distances from the pivots, 0 where there is no judgment; an attribute's first mean becomes its pivot."""
        # Any value near an attribute's others will do as a pivot; a mean over all of them would take a pass of its own.
        if (fresh := np.flatnonzero(np.isnan(self._pivot))).size:
            columns = mean[:, fresh]
            first = np.zeros(len(fresh), dtype=np.int64) if present is None else present[:, fresh].argmax(axis=0)
            self._pivot[fresh] = columns[first, np.arange(len(fresh))]  # NaN where nobody was judged on it here
        x = mean - self._pivot
        if present is not None:
            x[~present] = 0.0
        return np.ascontiguousarray(x)

    def _multiply(self, x: Floats, seen: Floats | None) -> None:
        # In place: BLAS adds to what is there. A row-major x is, for it, the transpose.
        self._products = blas.dsyrk(1.0, x.T, beta=1.0, c=self._products, overwrite_c=1)
        if seen is not None:
            self._overlap = blas.dsyrk(1.0, seen.T, beta=1.0, c=self._overlap, overwrite_c=1)
            self._drift = blas.dgemm(1.0, x.T, seen.T, beta=1.0, c=self._drift, trans_b=1, overwrite_c=1)

    def _write_out(self) -> None:
        """Until now every object had every attribute; from now on it must be counted which have both of two."""
        if self._overlap is None:
            self._overlap, self._drift = _zeros(len(self._pivot)), _zeros(len(self._pivot))
            self._overlap[:] = self._n_objects
            self._drift += self._vectors["total"][:, None]

    def _grow(self, n_attributes: int) -> None:
        more = n_attributes - len(self._pivot)
        if more <= 0:
            return
        if self._n_objects:
            self._write_out()  # the objects so far lack the new ones
        self._pivot = np.append(self._pivot, np.full(more, np.nan))
        self._vectors = {name: np.append(old, np.zeros(more, old.dtype)) for name, old in self._vectors.items()}
        self._products = _padded(self._products, more)
        if self._overlap is not None and self._drift is not None:
            self._overlap, self._drift = _padded(self._overlap, more), _padded(self._drift, more)


def _zeros(size: int) -> Floats:
    return np.zeros((size, size), order="F")  # as BLAS wants it, or it would work on a copy


def _padded(matrix: Floats, more: int) -> Floats:
    wider = _zeros(len(matrix) + more)
    wider[: len(matrix), : len(matrix)] = matrix
    return wider


def _arranged(matrix: Floats, order: Integers, strip: int) -> Floats:
    """The same matrix with its rows and columns in another order."""
    if (np.diff(order) == 1).all():
        return matrix
    arranged = _zeros(len(order))
    for part in strips(len(order), strip):
        arranged[:, part] = matrix.T[order[part]][:, order].T  # whole columns, as they lie, and then their rows
    return arranged


def _move_whole(products: Floats, away: Floats, n_objects: int, strip: int) -> None:
    """Σ x[a] x[b] as distances from means that are ``away`` from the pivots, where every object has every attribute."""
    for part in strips(len(away), strip):
        # Σ (x - a)(z - c) = Σ xz - n a c, since Σ x = n a and Σ z = n c.
        products[:, part] -= np.outer(n_objects * away, away[part])


def _move(products: Floats, drift: Floats, overlap: Floats, away: Floats, strip: int) -> None:
    """The same where objects lack attributes; ``drift`` is moved along."""
    for part in strips(len(away), strip):
        # Σ (x - a)(z - c) = Σ xz - a Σ z - c Σ x + n a c, each over the n objects that have both; drift is the Σ x of
        # those.
        mine = away[:, None] * away[part] * overlap[:, part]
        products[:, part] += mine - away[:, None] * drift[part].T - drift[:, part] * away[part]
    for part in strips(len(away), strip):
        drift[:, part] -= away[:, None] * overlap[:, part]
