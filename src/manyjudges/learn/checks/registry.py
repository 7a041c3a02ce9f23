"""All checks, and how they are run."""

from __future__ import annotations

__all__ = ["CHECKS", "as_codes", "check_data", "run_checks"]

from collections.abc import Iterable

from manyjudges.base.messages import quote_value, suggest
from manyjudges.core.moments import Moments
from manyjudges.exceptions import ManyJudgesError
from manyjudges.judges.dependence import Independence
from manyjudges.learn.checks import (
    dependent_workers,
    few_objects,
    few_pairs,
    identical_judgments,
    negative_eigenvalues,
    no_help,
)
from manyjudges.learn.checks.check import Check, CheckedData
from manyjudges.learn.checks.results import CheckResult, CheckResults
from manyjudges.learn.training_data import TrainingData
from manyjudges.tables.judgments import Judgments

CHECKS: tuple[Check, ...] = (
    few_objects.CHECK,
    negative_eigenvalues.CHECK,
    few_pairs.CHECK,
    identical_judgments.CHECK,
    dependent_workers.CHECK,
    no_help.CHECK,
)
"""Every check, by code. A check that comes later is entered here and nowhere else."""


def run_checks(data: CheckedData, *, mute: Iterable[str] = ()) -> CheckResults:
    """Run all checks but those whose codes are muted.

    Parameters
    ----------
    data : CheckedData
    mute : collection of str
        Codes, such as ``("MJ103",)``.
    """
    codes = as_codes(mute)
    return CheckResults(tuple(CheckResult(check, None if check.code in codes else check.run(data)) for check in CHECKS))


def check_data(
    data: Moments | TrainingData,
    judgments: Judgments | None = None,
    *,
    workers: Independence | None = None,
    mute: Iterable[str] = (),
) -> CheckResults:
    """What speaks against relying on a plan made from these data.

    Each check has a stable code and a page in the documentation that says what it looks for, why it matters, what to
    do, and how it is computed. What failed is in ``failed``, and in ``warnings`` as :class:`DataWarning` objects, with
    ``code``, ``kind`` and ``values``:

    - MJ101, ``"few_objects"``: too few objects for so many attributes.
    - MJ102, ``"negative_eigenvalues"``: with the noise taken off, a covariance remains that no true values can have.
    - MJ103, ``"few_pairs"``: the noise of an attribute rests on few pairs with two judgments.
    - MJ201, ``"identical_judgments"``: of an attribute with many values, different judgments are always the same.
    - MJ301, ``"dependent_workers"``: the same worker's judgments move together; see :func:`check_independence`.
    - MJ401, ``"no_help"``: predictions may be no better than the label's mean. Only :func:`summarize` and reports
      estimate the error that this needs.

    Parameters
    ----------
    data : Moments or TrainingData
        Moments that were given or regularized do not know what they came from, so that MJ102 and MJ103 are not
        applicable.
    judgments : Judgments, optional
        What the moments were estimated from, for MJ201 and MJ301.
    workers : Independence, optional
        What :func:`check_independence` says of the judgments, if that is at hand.
    mute : collection of str
        Codes of checks to leave out.

    Returns
    -------
    CheckResults

    Examples
    --------
    >>> from manyjudges import Moments, simulate
    >>> crowd = simulate.gaussian(60, 20, random_state=0)
    >>> results = check_data(Moments.estimate(crowd.pilot(3), crowd.labels))
    >>> for warning in results.warnings:
    ...     print(warning.code, warning.kind, warning.values["n_objects"])
    MJ101 few_objects 60
    >>> [result.check.code for result in results.passed]
    ['MJ102', 'MJ103']
    """
    return run_checks(CheckedData.of(data, judgments, workers=workers), mute=mute)


def as_codes(mute: Iterable[str]) -> tuple[str, ...]:
    """Check codes to mute.

    >>> as_codes(["MJ101"])
    ('MJ101',)
    """
    known_codes = [check.code for check in CHECKS]
    if isinstance(mute, str | bytes) or not isinstance(mute, Iterable):
        raise ManyJudgesError(
            f"mute must be a list of codes, such as ['{known_codes[0]}'], not {quote_value(mute)}.",
            value=mute,
            column="mute",
        )
    codes = tuple(mute)
    for code in codes:
        if code not in known_codes:
            raise ManyJudgesError(
                f"mute: there is no check {quote_value(code)}; there are {', '.join(known_codes)}."
                f"{suggest(code, known_codes)}",
                value=code,
                column="mute",
            )
    return codes
