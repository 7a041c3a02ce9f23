"""What a plan explains, and what one more judgment would add.

``explained(r) = b' M_r⁺ b`` with ``M_r = Σ + Diag(v/r)`` is the paper's obj(r) (Alg. 1, lines 11 and 12).
"""

from __future__ import annotations

__all__ = ["Posterior", "expected_loss", "explained", "inverse_psd", "solve_psd", "weights"]

import math
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from manyjudges.arrays.libraries import (
    backend_of,
    cholesky,
    diagonal,
    namespace,
    set_diagonal,
    sum_of_squares,
    to_numpy,
)
from manyjudges.arrays.types import Floats, Integers
from manyjudges.core.moments import Moments

SINGULAR = 1e-12
"""Share of a variance below which the rest of it is rounding error: some 5,000 roundings of double precision.

Larger, it would miss what nearly collinear attributes still tell; smaller, it would divide by what rounding left.
"""


def weights(moments: Moments, repeats: Integers) -> Floats:
    """Coefficients of the best linear predictor on means of ``repeats`` judgments; 0 where there are none."""
    moments = moments.to_numpy()
    chosen = np.flatnonzero(repeats)
    out = np.zeros(len(repeats))
    noise = moments.noise[chosen] / repeats[chosen]
    matrix = moments.matrix.block(chosen) + np.diag(noise)  # M_r = Σ + Diag(v/r)
    out[chosen] = solve_psd(matrix, moments.cross[chosen])
    return out


def explained(moments: Moments, repeats: Integers) -> float:
    """Label variance that means of ``repeats`` judgments explain: obj(r) in the paper."""
    return float(moments.to_numpy().cross @ weights(moments, repeats))


def expected_loss(moments: Moments, weights: Floats, repeats: Integers, *, bias: float | None = None) -> float:
    """Squared error of any linear predictor on means of ``repeats`` judgments, if ``moments`` are the truth.

    ``w' M_r w - 2 w'b + Var[Y]``, and the square of what a wrong ``bias`` adds; without one, the best is taken.
    """
    moments = moments.to_numpy()
    # An attribute that is not judged has weight 0 in w; its v/r would be infinite, and 0 stands for it.
    noise = np.divide(moments.noise, repeats, out=np.zeros(len(weights)), where=np.asarray(repeats) > 0)
    loss = weights @ moments.covariance @ weights + noise @ weights**2 - 2 * weights @ moments.cross
    off = 0.0 if bias is None else bias + weights @ moments.means - moments.label_mean
    return float(loss + moments.label_variance + off**2)


def solve_psd(matrix: Floats, right: Floats) -> Floats:
    """Pseudo-inverse of positive semi-definite matrices times vectors, stacked along leading axes.

    What is singular is judged in standardized units, as everywhere.
    """
    scale = np.sqrt(np.maximum(np.diagonal(matrix, axis1=-2, axis2=-1), 0))
    unit = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
    # Alg. 1, line 12, has a pseudo-inverse: M_r is singular where attributes without noise say the same.
    values, vectors = np.linalg.eigh(matrix * unit[..., :, None] * unit[..., None, :])
    largest = values.max(axis=-1, initial=0, keepdims=True)
    inverse = np.divide(1, values, out=np.zeros_like(values), where=values > SINGULAR * largest)
    along = np.einsum("...ji,...j->...i", vectors, right * unit) * inverse
    return np.asarray(np.einsum("...ij,...j->...i", vectors, along) * unit)


def inverse_psd(matrix: Floats) -> Floats:
    """Pseudo-inverse of a positive semi-definite matrix; what is singular is judged in standardized units."""
    scale = np.sqrt(np.maximum(np.diag(matrix), 0))
    unit = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
    values, vectors = np.linalg.eigh(matrix * unit * unit[:, None])
    keep = values > SINGULAR * values.max(initial=0)
    return np.asarray((vectors[:, keep] / values[keep]) @ vectors[:, keep].T * unit * unit[:, None])


def separable_variance(sigma: Floats, chosen: Any, others: Any) -> Floats:
    """Variances δ of the chosen attributes that leave Σ - Diag(δ) positive semi-definite, next to the others.

    What is an attribute's own, which none of the rest can tell, is the most that it alone could spare. All of them
    together can spare the same share of that, and no less than one in their number.
    """
    out = np.zeros(len(sigma))
    at, by = np.flatnonzero(chosen), np.flatnonzero(others)
    if not len(at):
        return out
    side = sigma[np.ix_(at, by)]
    rest = sigma[np.ix_(at, at)] - side @ inverse_psd(sigma[np.ix_(by, by)]) @ side.T
    values, vectors = np.linalg.eigh(rest)
    inverse = (vectors / np.maximum(values, SINGULAR)) @ vectors.T
    # What the others cannot tell of attribute i is its variance given them: 1 / (Σ⁻¹)[i,i].
    own = 1 / np.diag(inverse)
    # With D = Diag(own): Σ - tD is positive semi-definite just if t D^½ Σ⁻¹ D^½ has no eigenvalue above 1, that is up
    # to t = 1 / λmax. The diagonal of D^½ Σ⁻¹ D^½ is 1, so that λmax is at most its trace, their number.
    share = 1 / np.linalg.eigvalsh(inverse * np.sqrt(own * own[:, None]))[-1]
    # A little less, for rounding; 1e-9 is of a variance of about 1, as callers have standardized what they ask about.
    out[at] = np.maximum(own * share * (1 - 1e-6) - 1e-9, 0.0)
    return out


def _solve_lower(factor: Any, right: Any, *, transposed: bool = False) -> Any:
    """Solve with a lower triangular matrix, or with its transpose."""
    if isinstance(factor, np.ndarray):
        return solve_triangular(factor, right, lower=True, trans=1 if transposed else 0, check_finite=False)
    return namespace(factor).linalg.solve(factor.T if transposed else factor, right)  # the standard has no other


class Posterior:
    """What the judgments bought so far have told, and what the next one would.

    A judgment of attribute i is one more independent noisy look at its true value. Buying it is a rank-one (Kalman)
    update, whether it is the first or the tenth: with C what is still unknown (at first Σ) and q the covariance with
    the label that is not yet explained (at first b), ::

        gain(i) = q[i]² / (C[i,i] + v[i])
        C -= C[:,i] C[i,:] / (C[i,i] + v[i]);    q -= C[:,i] q[i] / (C[i,i] + v[i])

    Only diag(C) and the picked columns are ever needed, so C itself is never formed: C = Σ - U'U, where U has a row
    for each judgment, and is folded back to a row for each chosen attribute when it has grown to twice that.
    """

    def __init__(self, moments: Moments) -> None:
        self._backend = backend_of(moments.cross)
        xp = self._backend.xp
        self._maximum, self._zero = xp.maximum, self._backend.full((), 0.0)  # there already, not sent at every step
        self._matrix, self._variances = moments.matrix, moments.variances
        self._cross = moments.cross
        self._noise = moments.noise
        self._counts = np.zeros(len(moments.attributes), dtype=np.int64)  # of judgments that told something
        self._q = xp.asarray(moments.cross, copy=True)
        self._unknown = xp.asarray(self._variances, copy=True)
        total = self._unknown + moments.noise
        # Below this the denominator of a gain is rounding error: nothing is left to learn there. 1 for a constant.
        self._floor = xp.where(total > 0, SINGULAR * total, 1.0)
        self._own_noise, self._own_floor = to_numpy(self._noise), to_numpy(self._floor)  # to look up one by one
        self._updates = self._rows(32)
        self._used = 0
        self._support = 0
        self._slack = 32

    def gains(self) -> Floats:
        """What one more judgment of each attribute would add to ``explained``."""
        denominator = self._unknown + self._noise
        gains: Floats = self._q * self._q
        gains /= self._maximum(denominator, self._floor)
        gains[denominator <= self._floor] = 0.0
        return gains

    def buy(self, i: int) -> float:
        """Buy one judgment of attribute ``i``; return what it adds to ``explained``."""
        noise, unknown, q = float(self._own_noise[i]), float(self._unknown[i]), float(self._q[i])
        denominator = unknown + noise
        if denominator <= self._own_floor[i]:
            return 0.0
        self._support += not self._counts[i]
        self._counts[i] += 1
        updates = self._updates[: self._used, :]
        # Row i of C = Σ - U'U, divided by √(C[i,i] + v): appended to U, it takes C[:,i] C[i,:] / (C[i,i] + v) off C.
        row = self._matrix.rows(i) - updates[:, i] @ updates
        row /= math.sqrt(denominator)
        self._append(row)
        self._q -= row * (q / math.sqrt(denominator))
        self._unknown -= row * row
        self._unknown = self._maximum(self._unknown, self._zero)
        # With the Kalman gain K = C[i,i] / (C[i,i] + v), both shrink at i by 1 - K = v / (C[i,i] + v). The lines above
        # say the same, but as a difference of numbers near C[i,i], which has no digits left where v << C[i,i].
        self._q[i] = q * (noise / denominator)
        self._unknown[i] = unknown * (noise / denominator)
        if self._used >= 2 * self._support + self._slack:
            self._fold()
        return q * q / denominator

    def _append(self, row: Floats) -> None:
        if self._used == self._updates.shape[0]:
            grown = self._rows(2 * self._used)
            grown[: self._used, :] = self._updates
            self._updates = grown
        self._updates[self._used, :] = row
        self._used += 1

    def _rows(self, number: int) -> Any:
        return self._backend.xp.empty(
            (number, len(self._counts)), dtype=self._backend.xp.float64, device=self._backend.device
        )

    def _fold(self) -> None:
        """Replace the rows of all judgments by one row for each chosen attribute, computed afresh."""
        xp, support = self._backend.xp, np.flatnonzero(self._counts)
        chosen, counts = (self._backend.array(values) for values in (support, self._counts[support].astype(float)))
        noise = self._noise[chosen] / counts
        matrix = self._matrix.block(chosen)
        set_diagonal(matrix, diagonal(matrix) + noise)
        factor = cholesky(matrix)
        if factor is None:
            self._slack *= 2  # nearly collinear attributes without noise: the rows as they are remain right
            return
        # With LL' = M_r of the chosen: U = L⁻¹ Σ[S,:] gives U'U = Σ[:,S] M_r⁻¹ Σ[S,:], what all their judgments told.
        rows = _solve_lower(factor, self._matrix.rows(chosen))
        half = _solve_lower(factor, self._cross[chosen])
        self._used = len(support)
        self._updates[: self._used, :] = rows
        self._q = self._cross - half @ rows
        self._unknown = xp.maximum(self._variances - sum_of_squares(rows), 0.0)
        unexplained = np.zeros(len(self._counts))
        unexplained[support] = to_numpy(noise * _solve_lower(factor, half, transposed=True))
        # b - Σw = Diag(v/r) w, without the cancellation.
        self._q = xp.where(self._backend.array(self._counts > 0), self._backend.array(unexplained), self._q)
