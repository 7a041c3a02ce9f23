"""MJ102: with the noise taken off, a covariance remains that no true values can have."""

from __future__ import annotations

import numpy as np

from manyjudges.core.estimation import error_of_means
from manyjudges.core.moments import Moments
from manyjudges.learn.checks.check import Check, CheckOutcome, Failed, NotApplicable, Passed
from manyjudges.learn.training_data import TrainingData

_NEGATIVE_SHARE = 0.2
"""Share of the eigenvalues that is negative, from which noise drowns what attributes have to tell.

In crowds of simulate.gaussian with noise of 3 to 10 times the variance of the true values, 100 objects and 10
attributes have a share of 0.23, and the plan projected 0.47 where the truth was 0.80; 200 objects 0.12, 0.48 and 0.73;
500 objects 0.05, 0.57 and 0.62. With noise of 0.3 to 3 times, 10 objects have 0.30, 20 objects 0.16
(``benchmarks/checks.py eigenvalues``; medians).
"""


def _check_eigenvalues(data: TrainingData) -> CheckOutcome:
    """Compare what was removed to make the covariance positive semi-definite with all of it."""
    moments = data.moments
    if moments.sums is None:
        return NotApplicable("These moments were given or regularized, and do not know what they came from.")
    share, below = negative_share(moments), moments.removed
    if share < _NEGATIVE_SHARE:
        return Passed(
            f"With the noise taken off, {share:.0%} of what attributes have in common is negative; less than "
            f"{_NEGATIVE_SHARE:.0%} is fine."
        )
    total = int(np.count_nonzero(moments.scale > 0))
    return Failed(
        f"Workers disagree so much that, with their noise taken off, {share:.0%} of what attributes have in common "
        f"comes out negative ({len(below):,} of {total:,} eigenvalues), which no true values can have.",
        "It is set to zero, and the projected error is then too low, often by half.",
        "Collect more judgments of each pair or more objects, or leave the noisiest attributes out.",
        {"share": share, "smallest": float(below.min()), "negative": len(below), "of": total},
    )


def negative_share(moments: Moments) -> float:
    """Of the covariance before it was made positive semi-definite, in standardized units: negative among all."""
    if (sums := moments.sums) is None or not len(moments.removed):
        return 0.0
    negative = float(np.abs(moments.removed).sum())
    # The eigenvalues add up to the trace. A diagonal element is 1, but for the error of the means.
    used = moments.scale > 0
    exact = np.array([name in moments.noiseless for name in moments.attributes], dtype=bool)
    error = error_of_means(sums, moments.noise, exact)
    trace = float(np.sum(1 - error[used] / moments.scale[used] ** 2))
    # Σ|λ| = Σλ + 2 Σ|λ < 0|, so that nothing has to be decomposed once more.
    return negative / (trace + 2 * negative)


CHECK = Check(
    "MJ102",
    "warning",
    "Noise drowns what attributes have in common",
    _check_eigenvalues,
    kind="negative_eigenvalues",
)
