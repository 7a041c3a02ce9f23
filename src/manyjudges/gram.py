"""Gram: a symmetric matrix that is multiplied out only where somebody looks."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from manyjudges.cells import Floats, Integers


class Gram:
    """A symmetric matrix, held as it is or as a factor: x'x / divisor.

    A search looks at the diagonal and at the columns that it picks. In a wide table all of the product would be most of
    the work, so a factor is kept as long as nobody asks for the whole.
    """

    def __init__(self, dense: Floats | None = None, *, factor: Floats | None = None, divisor: float = 1.0) -> None:
        self._factor: Any = factor
        self._divisor = divisor
        if dense is not None:
            self.dense = dense

    @cached_property
    def dense(self) -> Floats:
        """The whole matrix."""
        with np.errstate(over="ignore", invalid="ignore"):  # Moments says which attribute is too large
            return np.asarray(self._factor.T @ self._factor / self._divisor)

    @property
    def factor(self) -> Floats | None:
        """The factor, as long as it is all that is known."""
        known: Floats | None = None if "dense" in self.__dict__ else self._factor
        return known

    @cached_property
    def diagonal(self) -> Floats:
        """The diagonal."""
        if self.factor is None:
            return np.diag(self.dense)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.einsum("ij,ij->j", self.factor, self.factor) / self._divisor)

    def rows(self, at: int | Integers) -> Floats:
        """One row or several."""
        if self.factor is None:
            return np.asarray(self.dense[at])
        return np.asarray(self.factor[:, at].T @ self.factor / self._divisor)

    def block(self, at: Integers) -> Floats:
        """Some rows and the same columns."""
        if self.factor is None:
            return np.asarray(self.dense[np.ix_(at, at)])
        return np.asarray(self.factor[:, at].T @ self.factor[:, at] / self._divisor)

    def __add__(self, other: Gram) -> Gram:
        return Gram(self.dense + other.dense)

    def __reduce__(self) -> tuple[type[Gram], tuple[Floats]]:
        return Gram, (self.dense,)  # what is saved does not carry the table along
