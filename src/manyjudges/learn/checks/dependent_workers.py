"""MJ301: judgments of the same worker move together."""

from __future__ import annotations

import numpy as np

from manyjudges.learn.checks.check import Check, CheckedData, CheckOutcome, Failed, NotApplicable, Passed


def _check_workers(data: CheckedData) -> CheckOutcome:
    """Look for halo and for biases that a few workers bring to most objects; see :mod:`judges.dependence`."""
    if data.table is None:
        return NotApplicable("It needs the judgments, of which only sums are at hand.")
    if (independence := data.independence) is None:
        return NotApplicable("The judgments do not say who made them.")
    if problems := independence.problems:
        names = ("halo", "halo_error", "answers", "opinions", "bias_share", "shared_noise")
        finding, why, advice = (" ".join(sentences) for sentences in zip(*problems, strict=True))
        return Failed(finding, why, advice, {name: getattr(independence, name) for name in names})
    if np.isnan(independence.halo) and np.isnan(independence.shared_noise):
        return NotApplicable(f"Whether a worker's judgments move together {independence.no_halo}.")
    measured = [
        ("Correlation of one worker's judgments of an object", independence.halo, ".2f"),
        ("Noise that all objects have in common", independence.shared_noise, ".0%"),
    ]
    return Passed(" ".join(f"{what}: {value:{form}}." for what, value, form in measured if not np.isnan(value)))


CHECK = Check("MJ301", "warning", "Workers whose judgments move together", _check_workers, kind="dependent_workers")
