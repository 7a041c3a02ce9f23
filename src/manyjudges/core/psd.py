"""The nearest positive semi-definite matrix (MakePSD in the paper; Higham 1988), with no more work than that takes.

A Cholesky factorization says whether anything is to be done at all. If so, only the eigenvectors on one side of zero
are needed, the negative ones or the positive ones, whichever are fewer. For a large matrix of NumPy's, LAPACK's steps
are taken one by one, so that the matrix is made right in place, beside one workspace of its size where it is definite,
and two where it is not.
"""

from __future__ import annotations

__all__ = ["nearest_psd"]

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, blas, eigh_tridiagonal, eigvalsh_tridiagonal, lapack

from manyjudges.arrays.libraries import (
    STRIP,
    by_rows,
    cholesky,
    diagonal,
    extremes,
    mirror,
    namespace,
    set_diagonal,
    strips,
    to_numpy,
)
from manyjudges.arrays.types import Floats

STEPWISE_FROM = 1000
"""Attributes from which LAPACK's steps are taken one by one; below, all eigenvectors are about as quick.

With 1,000 attributes all eigenvectors took 1.3 times as long where some eigenvalues are negative, and 0.9 times where
half are; with 1,500, 1.7 and 1.1 times; with 400, 1.0 and 0.6 times (``benchmarks/constants.py psd``, on one core).
"""

_VECTORS_AT_ONCE = 512
"""Eigenvectors that are brought back at once: 4 MB for each thousand attributes, beside the matrix itself."""

NO_VALUES: Floats = np.zeros(0)


def nearest_psd(matrix: Floats, scale: Floats, *, large: int = STEPWISE_FROM) -> Floats:
    """The positive semi-definite matrix nearest to ``matrix``.

    Nearest in the units of ``scale``, so that inches or centimetres make no difference. A matrix that is positive
    semi-definite up to rounding comes back as it is.
    """
    own: Floats = namespace(matrix).asarray(matrix, copy=True)
    make_psd(own, scale, large=large)
    return own


def make_psd(matrix: Floats, scale: Floats, *, large: int = STEPWISE_FROM) -> Floats:
    """Put the nearest positive semi-definite matrix in the place of a symmetric one.

    Returns
    -------
    removed : array of NumPy
        The negative eigenvalues, in the units of ``scale``, that were set to zero; none where all was well.
    """
    xp = namespace(matrix)
    varies = scale > 0
    some_flat = not bool(xp.all(varies))
    if some_flat:
        _clear(matrix, varies)  # what does not vary does not vary together
    # A flat attribute enters with a variance of 1 and no covariances: an eigenvector of its own, with the eigenvalue 1,
    # which changes none of the others.
    removed = _decomposed(matrix, xp.where(varies, scale, 1.0), xp.astype(~varies, xp.float64), large)
    if some_flat and len(removed):
        _clear(matrix, varies)
    return removed


def _decomposed(matrix: Floats, unit: Floats, fill: Floats, large: int) -> Floats:
    """The same for units without zeros; ``fill`` keeps the diagonal of what does not vary from being zero."""
    if isinstance(matrix, np.ndarray) and len(matrix) >= large:
        try:
            return _large(matrix, unit, fill)
        except LinAlgError:  # LAPACK's quickest way to eigenvectors fails once in a great while
            pass
    xp = namespace(matrix)
    units = unit[:, None] * unit
    standard = matrix / units
    set_diagonal(standard, diagonal(standard) + fill)
    # A Cholesky factor takes n³/3 operations, all eigenvectors take many times that.
    if cholesky(standard) is not None:
        return NO_VALUES
    values, vectors = xp.linalg.eigh(standard)
    count, _ = _sides(values)
    if not count:
        return NO_VALUES
    low, removed = vectors[:, :count], values[:count]
    # A = Q Λ Q'. Nearest in Frobenius norm is A without its negative part: A + Σ |λ| q q' over λ < 0 (Higham 1988).
    standard += (low * -removed) @ low.T
    # A product is symmetric but for rounding; searches read rows and columns of it as if they were the same.
    matrix[...] = (standard + standard.T) / 2 * units
    return np.array(to_numpy(removed))


def _sides(values: Any) -> tuple[int, int]:
    """How many eigenvalues are negative and how many are positive, by more than rounding."""
    xp = namespace(values)
    # Eigenvalues of a symmetric matrix come out within about n ε of the largest: nearer to 0, a sign means nothing.
    rounding = 4 * values.shape[0] * float(np.finfo(float).eps) * max(map(abs, extremes(values)))
    return int(xp.count_nonzero(values < -rounding)), int(xp.count_nonzero(values > rounding))


def _clear(matrix: Any, varies: Any) -> None:
    """Set rows and columns to zero where nothing varies."""
    xp = namespace(matrix)
    for part in strips(matrix.shape[0]):
        matrix[part, :] = xp.where(varies[part, None] & varies, matrix[part, :], 0.0)


def _large(matrix: Floats, unit: Floats, fill: Floats) -> Floats:
    """As above, in place, with LAPACK: A = Q T Q' with T tridiagonal, and then some eigenvectors of T times Q."""
    seen = by_rows(matrix)
    own = np.ascontiguousarray(seen)
    work = np.empty(own.shape)
    np.divide(own, unit, out=work)
    work /= unit[:, None]
    set_diagonal(work, diagonal(work) + fill)
    # For LAPACK, which goes by columns, work.T is what it is given. The factorization writes over one triangle and the
    # diagonal, so that the other triangle is as it was when it fails.
    kept = work.diagonal().copy()
    _, failed = lapack.dpotrf(work.T, lower=0, clean=0, overwrite_a=1)
    if not failed:
        return NO_VALUES
    set_diagonal(work, kept)
    _, along, beside, tau, _ = lapack.dsytrd(work.T, lower=1, lwork=64 * len(work), overwrite_a=1)
    values = eigvalsh_tridiagonal(along, beside, check_finite=False, lapack_driver="sterf")
    below, above = _sides(values)
    if not below:
        return NO_VALUES
    # Whichever are fewer: the negative eigenvalues are taken off A (beta is 1 below), or A is made anew from the
    # positive ones alone (beta is 0).
    first, last = (0, below - 1) if below <= above else (len(values) - above, len(values) - 1)
    side = _eigenvectors(work, (along, beside, tau), first, last)
    # √|λ| q in the units of A, so that this times its own transpose is Σ |λ| q q' and takes one call.
    side *= np.sqrt(np.abs(values[first : last + 1]))
    side *= unit[:, None]
    blas.dsyrk(1.0, side, beta=float(below <= above), c=own.T, lower=1, overwrite_c=1)
    mirror(own)
    if own is not seen:
        seen[...] = own
    return np.asarray(values[:below], dtype=float)


def _eigenvectors(work: Floats, reduced: tuple[Floats, Floats, Floats], first: int, last: int) -> Floats:
    """Eigenvectors of what ``dsytrd`` has reduced in ``work``, from one to another in order of their eigenvalues."""
    n, (along, beside, tau) = len(work), reduced
    if last < first:
        return np.zeros((n, 0), order="F")
    _, vectors = eigh_tridiagonal(
        along, beside, select="i", select_range=(first, last), check_finite=False, lapack_driver="stemr"
    )
    # Q is a product of reflections, each of which lies in a column below the diagonal: in a matrix that begins one
    # place later in memory, on and below the diagonal, as dormqr wants it. Seen so, nothing is copied.
    reflections = work.reshape(-1)[1 : 1 + n * (n - 1)].reshape(n - 1, n).T
    for start in range(0, vectors.shape[1], _VECTORS_AT_ONCE):
        part = np.asfortranarray(vectors[1:, start : start + _VECTORS_AT_ONCE])
        turned, _, _ = lapack.dormqr("L", "N", reflections, tau, part, 65 * (64 + part.shape[1]), overwrite_c=1)
        vectors[1:, start : start + _VECTORS_AT_ONCE] = turned
    return np.asarray(vectors, dtype=float)


def symmetrize(matrix: Any, rows: int = STRIP) -> bool:
    """Make a matrix symmetric in place, if it nearly is; otherwise, say no."""
    xp = namespace(matrix)
    # An entry may differ from its mirror image by what printing nine digits leaves of it (1e-8 below), and by what
    # rounding leaves beside the largest entry.
    least = 1e-12 * max(map(abs, extremes(matrix)))
    for part in strips(matrix.shape[0], rows):
        right, down = matrix[part, part.start :], matrix[part.start :, part].T
        near = least + 1e-8 * xp.minimum(xp.abs(right), xp.abs(down))
        if not bool(xp.all(xp.abs(right - down) <= near)):
            return False
        middle = (right + down) / 2
        matrix[part, part.start :] = middle
        matrix[part.start :, part] = middle.T
    return True
