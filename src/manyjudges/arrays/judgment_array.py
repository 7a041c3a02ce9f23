"""Blocks: an array of judgments as the cells of some objects after the others."""

from __future__ import annotations

__all__ = ["JudgedArray", "cells_of"]

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyjudges.arrays.blocks import block_slices
from manyjudges.arrays.cells import Cells
from manyjudges.arrays.libraries import all_finite, backend_of, common_backend, first_true, namespace
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import list_names
from manyjudges.exceptions import JudgmentsError, LabelsError

_CHUNK = 1 << 18
"""Judgments handled at once, 2 MiB of them, so that what lies between two steps stays in the processor's cache."""

_DEVICE_BLOCK = 1 << 24
"""Pairs in a block on another device, in place of ``blocks.BLOCK``: each call costs a start there, more work does not.

More memory against fewer starts: 2**24 pairs are 128 MiB for each array of numbers.
"""


@dataclass(frozen=True, eq=False)
class JudgedArray:
    """Judgments as an array of (objects, attributes, judgments), NaN where there is none, and a label a row."""

    values: Any
    labels: Any
    attributes: tuple[str, ...]
    full: bool  # no NaN in it

    @classmethod
    def of(cls, values: Any, labels: Any, attributes: Sequence[str] | None = None) -> JudgedArray:
        """Check what somebody gave, which stays where it lies."""
        backend = common_backend(values=values, labels=labels)
        values, y = backend.numbers(values, "judgments"), backend.floats(labels, "labels")
        if values.ndim != 3 or 0 in values.shape:
            raise JudgmentsError(
                f"the array must be (objects, attributes, judgments); this one has the shape {tuple(values.shape)}.",
                value=tuple(values.shape),
                column="values",
            )
        n, d = values.shape[:2]
        names = tuple(f"x{i}" for i in range(d)) if attributes is None else tuple(map(str, attributes))
        if len(names) != d or len(set(names)) < d:
            raise JudgmentsError(
                f"{d} attributes need as many different names, not {list_names(names)}.",
                value=names,
                column="attributes",
            )
        if tuple(y.shape) != (n,):
            raise LabelsError(
                f"the {n:,} objects need a label each; these have the shape {tuple(y.shape)}.",
                value=tuple(y.shape),
                column="labels",
            )
        if not all_finite(y):
            i = int(first_true(~backend.xp.isfinite(y), axis=0))
            raise LabelsError(
                f"the label of object {i} is {float(y[i])}; correct it, or leave the object out.",
                value=float(y[i]),
                row=str(i),
                column="labels",
            )
        return cls(values, y, names, _is_full(values, names))

    def blocks(self, size: int | None = None) -> Iterator[tuple[Cells, Any]]:
        """Cells, in double precision, and labels of some objects after the others: about ``size`` pairs at a time."""
        xp = namespace(self.values)
        for part in _parts(self.values, size):
            yield cells_of(xp.astype(self.values[part, :, :], xp.float64, copy=False), self.full), self.labels[part]


def _parts(values: Any, size: int | None = None) -> Iterator[slice]:
    if size is None and not isinstance(values, np.ndarray):
        size = _DEVICE_BLOCK
    n, d = values.shape[:2]
    return block_slices(n, d, size)


def _is_full(values: Any, names: Sequence[str]) -> bool:
    xp = namespace(values)
    with np.errstate(over="ignore", invalid="ignore"):
        # One number tells: a sum is finite only if all of it is. One that is not may also have overflowed, so look
        # closer.
        if bool(xp.isfinite(xp.sum(values))):
            return True
    full = True
    for part in _parts(values):
        infinite = xp.reshape(xp.isinf(values[part, :, :]), (-1,))
        if bool(xp.any(infinite)):
            at = (part.stop - part.start, *values.shape[1:])
            i, a, j = (int(index) for index in np.unravel_index(int(first_true(infinite, axis=0)), at))
            raise JudgmentsError(
                f"the value at [{part.start + i}, {a}, {j}] (attribute {names[a]!r}) is infinite; judgments must be "
                "finite, or NaN where not collected.",
                value=float(values[part.start + i, a, j]),
                row=str(part.start + i),
                column=names[a],
            )
        full = full and not bool(xp.any(xp.isnan(values[part, :, :])))
    return full


def cells_of(values: Any, full: bool, chunk: int = _CHUNK) -> Cells:
    """Count, mean and scatter of the judgments of every pair; ``full`` says that there is no NaN."""
    n, d, k = values.shape
    if not isinstance(values, np.ndarray):
        return _far_cells(values, full)
    if k == 1 and full:
        return Cells(np.broadcast_to(np.int64(1), (n, d)), values[:, :, 0], np.broadcast_to(0.0, (n, d)), uniform=1)
    mean, scatter = np.empty((n, d)), np.empty((n, d))
    count: NDArray[np.int64] = np.broadcast_to(np.int64(k), (n, d)) if full else np.empty((n, d), np.int64)
    rows = max(1, chunk // max(d * k, 1))
    for start in range(0, n, rows):
        part = slice(start, start + rows)
        if full:
            mean[part], scatter[part] = _whole_cells(values[part])
        else:
            count[part], mean[part], scatter[part] = _gappy_cells(values[part])
    return Cells(count, mean, scatter, uniform=k if full else None)


def _far_cells(values: Any, full: bool) -> Cells:
    """All at once: what is near for this processor is far for another device."""
    if not full:
        return Cells(*_gappy_cells(values))
    n, d, k = values.shape
    backend = backend_of(values)
    return Cells(backend.xp.broadcast_to(backend.full((1, 1), k), (n, d)), *_whole_cells(values), uniform=k)


def _whole_cells(values: Any) -> tuple[Floats, Floats]:
    xp, n_judgments = namespace(values), values.shape[2]
    first = values[:, :, 0]
    total, square = (backend_of(values).full(first.shape, 0.0) for _ in range(2))
    with np.errstate(over="ignore", invalid="ignore"):  # the moments say which attribute is too large
        for j in range(1, n_judgments):
            # About the first judgment, as in Cells.of_rows: exactly 0 where all agree.
            away = values[:, :, j] - first
            total += away
            away *= away
            square += away
        mean = first + total / n_judgments
        total *= total
        total /= n_judgments
        square -= total
    return mean, xp.maximum(square, 0.0)


def _gappy_cells(values: Any) -> tuple[Integers, Floats, Floats]:
    xp = namespace(values)
    there = ~xp.isnan(values)
    count = xp.count_nonzero(there, axis=2)
    at = first_true(there, axis=2)
    first = xp.take_along_axis(values, at[:, :, None], axis=2)
    with np.errstate(over="ignore", invalid="ignore"):
        away = xp.where(there, values - first, 0.0)
        total, square = xp.sum(away, axis=2), xp.sum(away * away, axis=2)
        # An empty pair has no first judgment either, so that its mean comes out as NaN by itself.
        n = xp.astype(xp.maximum(count, 1), xp.float64)
        mean = first[:, :, 0] + total / n
        return count, mean, xp.maximum(square - total * total / n, 0.0)
