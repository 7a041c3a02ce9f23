"""MJ103: the noise of an attribute rests on few pairs with two judgments."""

from __future__ import annotations

import numpy as np

from manyjudges.base.formatting import plural
from manyjudges.base.messages import list_names
from manyjudges.learn.checks.check import Check, CheckOutcome, Failed, NotApplicable, Passed
from manyjudges.learn.training_data import TrainingData

MIN_PAIRS = 20
"""Pairs with two judgments below which an estimate of the noise is off by a third or more.

Of 500 objects, of which only so many had a second judgment, the plan's true loss was 34 and 100 % above the best one's
(medians; 5 and 20 attributes) with 10 such pairs, 16 and 59 % with 20, 8 and 40 % with 50, 1 and 10 % with 500
(``benchmarks/checks.py pairs``). The error of a third is √(2/20), for normal noise.
"""


def _check_pairs(data: TrainingData) -> CheckOutcome:
    """Count, for each attribute with noise, the objects with two or more judgments of it."""
    moments = data.moments
    if (sums := moments.sums) is None:
        return NotApplicable("These moments were given or regularized, and do not know what they came from.")
    noisy = np.array([name not in moments.noiseless for name in moments.attributes], dtype=bool)
    if not noisy.any():
        return NotApplicable("Every attribute is measured without error.")
    few = np.flatnonzero(noisy & (sums.repeated < MIN_PAIRS))
    if not len(few):
        least = int(sums.repeated[noisy].min())
        return Passed(
            f"Each attribute has a second judgment on {plural(least, 'object')} or more; {MIN_PAIRS} are enough."
        )
    # Of normal noise: a variance from f spare judgments has a relative standard error of √(2/f).
    spare = (sums.judgments - sums.repeated - sums.single)[few]
    error = np.sqrt(2 / np.maximum(spare, 1))
    least = int(sums.repeated[few].min())
    names = tuple(moments.attributes[i] for i in few)
    return Failed(
        f"The noise of {list_names(names)} rests on few objects with two or more judgments of it ({least:,}"
        f"{' at the least' if len(few) > 1 else ''}), so that it is known only to within {error.max():.0%} either way.",
        "A plan may then ask for too many judgments or too few.",
        f"Collect a second judgment on {MIN_PAIRS} objects or more.",
        {
            "attributes": names,
            "pairs": tuple(sums.repeated[few].tolist()),
            "relative_error": tuple(error.tolist()),
            "enough": MIN_PAIRS,
        },
    )


CHECK = Check("MJ103", "warning", "Too few second judgments", _check_pairs, kind="few_pairs")
