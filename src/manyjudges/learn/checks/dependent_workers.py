"""MJ301: judgments of the same worker move together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manyjudges.judges.dependence import Independence
from manyjudges.learn.checks.check import Check, CheckedData, Failed, NotApplicable, Outcome, Passed


class _Dependence(NamedTuple):
    finding: str
    why: str
    advice: str


def _check_workers(data: CheckedData) -> Outcome:
    """Look for halo and for biases that a few workers bring to most objects; see :mod:`judges.dependence`."""
    if data.judgments is None:
        return NotApplicable("It needs the judgments, of which only sums are at hand.")
    if (independence := data.independence) is None:
        return NotApplicable("The judgments do not say who made them.")
    if problems := _problems(independence):
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


def _problems(independence: Independence) -> list[_Dependence]:
    problems = []
    if independence.halo_broken:
        problems.append(
            _Dependence(
                "The same worker's judgments of different attributes of an object move together (correlation "
                f"{independence.halo:.2f} on average): {independence.answers:.2g} answers by one person are worth "
                f"about {independence.opinions:.2g} separate opinions.",
                "What they share looks like a likeness of the attributes, and the projected error is often too low.",
                "Ask different people for different attributes; until then, do not rely on the projected error.",
            )
        )
    if independence.bias_broken:
        problems.append(
            _Dependence(
                f"The same few workers judged most objects, and {independence.bias_share:.0%} of the noise is that "
                "some are always higher or lower.",
                f"{independence.shared_noise:.0%} of the noise of mean judgments is common to all objects and does not "
                "average out.",
                "Ask more people, each about some of the objects, or subtract each worker's own bias first.",
            )
        )
    return problems


CHECK = Check("MJ301", "dependent_workers", "warning", "Workers whose judgments move together", _check_workers)
