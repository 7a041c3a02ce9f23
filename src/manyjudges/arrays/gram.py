"""Gram: a symmetric matrix that is multiplied out only where somebody looks."""

from __future__ import annotations

__all__ = ["Gram"]

from functools import cached_property
from typing import Any

import numpy as np

from manyjudges.arrays.libraries import block, by_rows, diagonal, namespace, sum_of_squares, to_numpy
from manyjudges.arrays.types import Floats, Integers


class Gram:
    """A symmetric matrix, held as it is or as a factor: x'x / divisor.

    A search looks at the diagonal and at the columns that it picks. In a wide table all of the product would be most of
    the work, so a factor is kept as long as nobody asks for the whole.
    """

    def __init__(self, dense: Floats | None = None, *, factor: Floats | None = None, divisor: float = 1.0) -> None:
        self._factor: Any = factor
        self._divisor = divisor
        if dense is not None:
            self.dense = by_rows(dense)  # rows are what a search looks at

    @cached_property
    def dense(self) -> Floats:
        """The whole matrix."""
        with np.errstate(over="ignore", invalid="ignore"):  # Moments says which attribute is too large
            product: Floats = self._factor.T @ self._factor
            if self._divisor != 1:
                product /= self._divisor
        return product

    @property
    def factor(self) -> Floats | None:
        """The factor, as long as it is all that is known."""
        factor: Floats | None = None if "dense" in self.__dict__ else self._factor
        return factor

    @cached_property
    def diagonal(self) -> Floats:
        """The diagonal."""
        with np.errstate(over="ignore", invalid="ignore"):
            own: Floats = diagonal(self.dense) if self.factor is None else sum_of_squares(self.factor) / self._divisor
        return own

    def rows(self, at: int | Integers) -> Floats:
        """One row or several."""
        if self.factor is None:
            return _rows_or_columns(self.dense, at, axis=0)
        # Some columns of x against all of it: O(n d) each, where the whole product would take O(n d²).
        columns = _rows_or_columns(self.factor, at, axis=1)
        return (columns if columns.ndim == 1 else columns.T) @ self.factor / self._divisor

    def block(self, at: Integers) -> Floats:
        """Some rows and the same columns."""
        if self.factor is None:
            own: Floats = block(self.dense, at)
            return own
        columns = _rows_or_columns(self.factor, at, axis=1)
        return columns.T @ columns / self._divisor

    def to_numpy(self) -> Gram:
        """The same in arrays of NumPy."""
        if self.factor is not None:
            return Gram(factor=to_numpy(self.factor), divisor=self._divisor)
        return Gram(to_numpy(self.dense))

    def __add__(self, other: Gram) -> Gram:
        # A common factor would be both factors, one below the other, and carry both tables along.
        return Gram(self.dense + other.dense)

    def __reduce__(self) -> tuple[type[Gram], tuple[Floats]]:
        return Gram, (self.dense,)  # what is saved does not carry the table along


def _rows_or_columns(matrix: Any, at: int | Integers, axis: int) -> Floats:
    """A row or column (seen, not copied), or several."""
    if isinstance(at, int | np.integer):
        one: Floats = matrix[at, :] if axis == 0 else matrix[:, at]
        return one
    several: Floats = namespace(matrix).take(matrix, at, axis=axis)
    return several
