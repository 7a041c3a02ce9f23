"""Joint moments: attributes and label estimated together, so that nothing explains more than there is to explain.

Three things are known of moments that the paper's estimates do not use. The label varies, too, so that attributes and
label together have one covariance matrix, which must be positive semi-definite. An attribute whose reliability looks
very high or very low in a small sample is probably nearer to the others. And no attribute can vary less than its
covariance with the label demands.
"""

from __future__ import annotations

__all__ = ["joint_moments"]

from dataclasses import replace

import numpy as np

from manyjudges.arrays.gram import Gram
from manyjudges.arrays.libraries import counted
from manyjudges.arrays.types import Floats
from manyjudges.core.moments import Moments
from manyjudges.core.psd import NO_VALUES, make_psd

_MOST_RELIABLE = 0.999
"""Reliability that no shrinking goes beyond: an attribute with noise keeps some. No benchmark sets it."""


def joint_moments(moments: Moments) -> Moments:
    """The moments of judgments and label taken together.

    The reliabilities of the attributes, σ²/(σ² + v), are shrunk towards their mean by empirical Bayes; σ² is raised to
    b²/Var(y) where it is below that; and [[Σ, b], [b', Var(y)]] is replaced by the nearest positive semi-definite
    matrix in standardized units. Moments that were given rather than estimated, and attributes without noise, keep
    their reliabilities.

    Examples
    --------
    >>> from manyjudges import Moments, simulate
    >>> crowd = simulate.jelly_beans(n_objects=60, random_state=0)
    >>> plain = Moments.estimate(crowd.pilot(2), crowd.labels)
    >>> together = joint_moments(plain)
    >>> bool((together.variances >= together.cross**2 / together.label_variance - 1e-9).all())
    True
    """
    own = moments.to_numpy()
    variances, noise = _shrunk_reliabilities(own)
    # Cauchy and Schwarz: b² ≤ σ² Var(y).
    variances = np.maximum(variances, own.cross**2 / own.label_variance)
    d = len(own.attributes)
    joint = np.empty((d + 1, d + 1))
    joint[:d, :d] = own.covariance
    joint[np.arange(d), np.arange(d)] = variances
    joint[:d, d] = joint[d, :d] = own.cross
    joint[d, d] = own.label_variance
    make_psd(joint, np.append(own.scale, np.sqrt(own.label_variance)))
    # What makes the matrix positive semi-definite adds to every variance, the label's among them. Dividing by what it
    # added there keeps the label's variance, and with it what "explained" is a share of.
    label = np.sqrt(joint[d, d] / own.label_variance)
    return replace(
        own,
        cross=joint[:d, d] / label,
        noise=noise,
        matrix=Gram(joint[:d, :d].copy()),
        sums=None,
        removed=NO_VALUES,
    )


def _shrunk_reliabilities(moments: Moments) -> tuple[Floats, Floats]:
    """Variances and noise of each attribute, with reliabilities shrunk towards their mean."""
    variances, noise = moments.variances.copy(), moments.noise
    total = variances + noise
    known = (noise > 0) & (total > 0) & (moments.judgments > 0)
    if moments.sums is None or np.count_nonzero(known) < 3:
        return variances, noise
    objects = counted(moments.sums.objects)[known]
    reliability = np.clip(variances[known] / total[known], 0.0, _MOST_RELIABLE)
    squared_error = _squared_error(reliability, objects, counted(moments.judgments)[known] / objects)
    # Var of the estimates = Var of the true reliabilities + mean squared error of an estimate.
    spread = max(float(np.var(reliability, ddof=1)) - float(squared_error.mean()), 0.0)
    share = spread / (spread + squared_error)
    mean = float(np.average(reliability, weights=1 / (spread + squared_error)))
    new = np.clip(mean + share * (reliability - mean), 0.0, _MOST_RELIABLE)
    # What a single judgment varies by is known much better than how it is divided, and stays as it is.
    variances[known] = new * total[known]
    shrunk = noise.copy()
    shrunk[known] = (1 - new) * total[known]
    return variances, shrunk


def _squared_error(reliability: Floats, objects: Floats, judgments: Floats) -> Floats:
    """Squared standard error of an intraclass correlation from so many objects with so many judgments (Fisher 1925).

    2 (1 - ρ)² (1 + (k - 1) ρ)² / (k (k - 1) (n - 1)).
    """
    k = np.maximum(judgments, 1.5)  # where only some objects have a second judgment
    apart = (1 - reliability) * (1 + (k - 1) * reliability)
    error: Floats = 2 * apart**2 / (k * (k - 1) * np.maximum(objects - 1, 1))
    return np.maximum(error, 1e-12)
