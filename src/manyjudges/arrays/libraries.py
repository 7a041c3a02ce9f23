"""Arrays: NumPy's, or those of another library that follows the array API standard, wherever they lie.

The mathematics asks an array which library it is of and calls that library's functions, so that a tensor on a GPU stays
there. What the standard lacks, and what NumPy does better in its own way, is here.
"""

from __future__ import annotations

__all__ = [
    "NUMPY",
    "STRIP",
    "Backend",
    "all_finite",
    "backend_of",
    "by_rows",
    "cholesky",
    "common_backend",
    "counted",
    "diagonal",
    "extremes",
    "first_true",
    "freeze",
    "is_foreign",
    "largest",
    "mirror",
    "namespace",
    "place",
    "set_diagonal",
    "strips",
    "sum_of_squares",
    "to_numpy",
]

from collections.abc import Iterator
from typing import Any, NamedTuple

import array_api_compat as compat
import array_api_compat.numpy as numpy_namespace
import numpy as np
from numpy.typing import NDArray

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import MomentsError

STRIP = 256
"""Rows of a matrix that are worked on together, so that nothing as large as the matrix is needed beside it.

Enough for a call of NumPy to pay, few enough to need little: 256 rows of 10,000 attributes are 20 MiB.
"""


class Backend(NamedTuple):
    """Where arrays live: the functions of their library, and their device (None for NumPy)."""

    xp: Any
    device: Any = None

    def floats(self, values: Any, what: str) -> Any:
        """A copy in double precision; everything is computed in that."""
        return self._read(values, what, copy=True)

    def numbers(self, values: Any, what: str) -> Any:
        """In the precision that they have, and not copied if they lie here."""
        return self._read(values, what, copy=None)

    def _read(self, values: Any, what: str, *, copy: bool | None) -> Any:
        if is_foreign(values):
            _check_foreign(values, what)
            values = _detached(values)
        else:
            values = _here(values, what)
        if copy is None and backend_of(values) == self and self.xp.isdtype(values.dtype, "real floating"):
            return values
        if self.device is None:
            return np.array(values, dtype=float, copy=copy)
        try:
            return self.xp.asarray(values, dtype=self.xp.float64, device=self.device, copy=copy)
        except (TypeError, ValueError, RuntimeError) as error:
            raise MomentsError(
                f"{what} cannot be had in double precision on {self.device}: {error}",
                value=str(self.device),
                column=_parameter(what),
            ) from None

    def array(self, values: Any) -> Any:
        """Numbers of the host, as they are, brought here."""
        return values if self.device is None else self.xp.asarray(values, device=self.device, copy=True)

    def full(self, shape: tuple[int, ...], value: float) -> Any:
        """An array of one number: of integers, if it is one."""
        dtype = self.xp.int64 if isinstance(value, int) else self.xp.float64
        return self.xp.full(shape, value, dtype=dtype, device=self.device)


_NO_NUMBERS = {"m": "spans of time", "M": "dates", "c": "complex numbers", "S": "text", "U": "text"}
"""What NumPy would make numbers of, though it is none, by kind."""


def _here(values: Any, what: str) -> NDArray[Any]:
    """What is none of another library's as an array of numbers, NaN under a mask."""
    wrong = values
    try:
        array = np.ma.asarray(values) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
        if (no_numbers := _NO_NUMBERS.get(array.dtype.kind)) is None:
            array = array if array.dtype.kind in "fiub" else array.astype(float)
            masked = isinstance(array, np.ma.MaskedArray)
            return np.ma.filled(array.astype(float), np.nan) if masked else array  # a mask hides what means nothing
        if array.size:
            wrong = array.flat[0]
            no_numbers += f", such as {quote_value(wrong)}"
    except (TypeError, ValueError, OverflowError, RuntimeError):
        no_numbers = quote_value(values)
    raise MomentsError(f"{what} must be numbers, not {no_numbers}.", value=wrong, column=_parameter(what))


def _parameter(what: str) -> str:
    """The parameter that values were given for: ``cross`` where they are called values of cross."""
    return what.rpartition(" ")[2]


def _check_foreign(values: Any, what: str) -> None:
    if not namespace(values).isdtype(values.dtype, ("bool", "integral", "real floating")):
        raise MomentsError(
            f"{what} must be numbers, not {values.dtype}.", value=str(values.dtype), column=_parameter(what)
        )
    if compat.is_torch_array(values):
        if values.is_meta:
            raise MomentsError(
                f"{what} lie on PyTorch's device 'meta', which keeps no numbers; make them on another.",
                value="meta",
                column=_parameter(what),
            )
        if str(values.layout) != "torch.strided":
            raise MomentsError(
                f"{what} are a tensor of the layout {values.layout}; make it dense with to_dense().",
                value=str(values.layout),
                column=_parameter(what),
            )


NUMPY = Backend(numpy_namespace)
"""NumPy's."""


def is_foreign(value: object) -> bool:
    """Whether something is an array of another library than NumPy that can be computed with in place."""
    if isinstance(value, np.ndarray | np.generic) or not compat.is_array_api_obj(value):
        return False
    return not compat.is_lazy_array(value) and compat.is_writeable_array(value)


def namespace(array: Any) -> Any:
    """The functions of an array's library."""
    return numpy_namespace if isinstance(array, np.ndarray) else compat.array_namespace(array)


def backend_of(array: Any) -> Backend:
    """Where an array lives."""
    if isinstance(array, np.ndarray):
        return NUMPY
    return Backend(compat.array_namespace(array), compat.device(array))


def common_backend(**named: Any) -> Backend:
    """Where those of some values live that are arrays of another library; NumPy's backend, if none is."""
    backends = {name: backend_of(value) for name, value in named.items() if is_foreign(value)}
    if not backends:
        return NUMPY
    first, backend = next(iter(backends.items()))
    for name, other in backends.items():
        if other != backend:
            raise MomentsError(
                f"{first} lies on {place(backend)}, but {name} on {place(other)}; bring them to one place first.",
                value=place(other),
                column=name,
            )
    return backend


def place(backend: Backend) -> str:
    """A backend in words."""
    library = backend.xp.__name__.removeprefix("array_api_compat.")
    return library if backend.device is None else f"{library}'s {backend.device}"


def to_numpy(array: Any) -> Any:
    """An array of NumPy with the same numbers; what is none of another library comes back as it is."""
    if not is_foreign(array):
        return array
    array = _detached(array)
    if compat.is_array_api_strict_namespace(xp := namespace(array)):
        return np.asarray(array.to_device(xp.Device("CPU_DEVICE")))  # the standard has no word for where NumPy is
    return np.asarray(compat.to_device(array, "cpu"))


def _detached(array: Any) -> Any:
    """Without PyTorch's record of how it came about."""
    return array.detach() if compat.is_torch_array(array) else array


def counted(counts: Any) -> Any:
    """Counts as something to multiply with and divide by; NumPy takes integers, and makes no copy for it."""
    if isinstance(counts, np.ndarray):
        return counts
    xp = namespace(counts)
    return xp.astype(counts, xp.float64)


def largest(array: Any) -> float:
    """The largest of all."""
    return float(array.max() if isinstance(array, np.ndarray) else namespace(array).max(array))


def first_true(mask: Any, axis: int) -> Any:
    """Where the first true one is along an axis."""
    if isinstance(mask, np.ndarray):
        return mask.argmax(axis=axis)
    xp = namespace(mask)
    return xp.argmax(xp.astype(mask, xp.uint8), axis=axis)


def sum_of_squares(x: Any) -> Any:
    """Of each column."""
    if isinstance(x, np.ndarray):
        return np.einsum("ij,ij->j", x, x)  # without a copy of x
    return namespace(x).sum(x * x, axis=0)


def diagonal(matrix: Any) -> Any:
    """The diagonal, to be read only."""
    return namespace(matrix).linalg.diagonal(matrix)


def set_diagonal(matrix: Any, values: Any) -> None:
    """Write a diagonal into a matrix."""
    if isinstance(matrix, np.ndarray):
        np.einsum("ii->i", matrix)[:] = values
    elif compat.is_torch_array(matrix):
        diagonal(matrix)[...] = values
    else:  # a view, since matrices of other libraries are made here, and lie in memory row by row
        namespace(matrix).reshape(matrix, (-1,))[:: matrix.shape[0] + 1] = values


def by_rows(symmetric: Any) -> Any:
    """The same symmetric matrix, seen so that each of its rows lies in memory as a piece, if its columns do."""
    return symmetric.T if isinstance(symmetric, np.ndarray) and symmetric.flags.f_contiguous else symmetric


def cholesky(matrix: Any) -> Any:
    """The lower factor of a symmetric matrix, or None if it is not positive definite."""
    try:
        factor = namespace(matrix).linalg.cholesky(matrix)
    except (ValueError, RuntimeError) as error:  # libraries differ in how they say no
        if "LinAlgError" not in type(error).__name__:
            raise
        return None
    if isinstance(factor, np.ndarray) or compat.is_torch_array(factor):
        return factor
    off, size = (max(map(abs, extremes(array))) for array in (factor @ factor.T - matrix, matrix))
    return factor if off <= 1e-9 * size else None  # others may hold their peace, and return what is none


def block(matrix: Any, at: Any) -> Any:
    """Some rows of a matrix and the same columns."""
    return matrix[at[:, None], at]


def extremes(array: Any) -> tuple[float, float]:
    """The least and the largest, NaN where there is one; 0 for nothing at all. Nothing is copied."""
    if 0 in array.shape:
        return 0.0, 0.0
    xp = namespace(array)
    return float(xp.min(array)), float(xp.max(array))


def all_finite(array: Any) -> bool:
    """Whether there is neither NaN nor an infinity."""
    return bool(np.isfinite(extremes(array)).all())


def strips(size: int, rows: int = STRIP) -> Iterator[slice]:
    """Slices of the rows of a matrix, some after the others."""
    for start in range(0, size, rows):
        yield slice(start, min(start + rows, size))


def mirror(matrix: NDArray[np.float64], rows: int = STRIP) -> None:
    """Write the upper triangle over the lower one."""
    for part in strips(len(matrix), rows):
        here = matrix[part, part]
        matrix[part, part] = np.triu(here) + np.triu(here, 1).T
        matrix[part.stop :, part] = matrix[part, part.stop :].T


def freeze(array: NDArray[Any] | Any) -> None:
    """Make an array read-only, where its library knows that."""
    if isinstance(array, np.ndarray):
        array.flags.writeable = False
