"""All checks, and how they are run."""

from __future__ import annotations

__all__ = ["CHECKS", "as_codes", "check_data", "raise_stops", "run_checks"]

from collections.abc import Iterable

from manyjudges.base.messages import quote_value, suggest
from manyjudges.core.moments import Moments
from manyjudges.exceptions import ManyJudgesError
from manyjudges.judges.dependence import Independence
from manyjudges.learn.checks import (
    dependent_workers,
    doubtful_attributes,
    few_objects,
    few_pairs,
    identical_judgments,
    leaks,
    missing_codes,
    negative_eigenvalues,
    no_help,
    similar_names,
)
from manyjudges.learn.checks.check import Check, CheckedData, CheckOutcome
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
    missing_codes.CHECK,
    leaks.CHECK,
    doubtful_attributes.CHECK,
    similar_names.CHECK,
)
"""Every check, by code. A check that comes later is entered here and nowhere else."""


def run_checks(data: CheckedData, *, mute: Iterable[str] = (), checks: Iterable[Check] = CHECKS) -> CheckResults:
    """Run all checks but those whose codes are muted.

    Parameters
    ----------
    data : CheckedData
    mute : collection of str
        Codes, such as ``("MJ103",)``.
    checks : collection of Check
        Which ones to run, such as ``(*CHECKS, my_check)``.
    """
    checks = _as_checks(checks)
    codes = as_codes(mute, checks)
    return CheckResults(
        tuple(CheckResult(check, None if check.code in codes else _run(check, data)) for check in checks)
    )


def raise_stops(data: TrainingData, *, mute: Iterable[str] = ()) -> None:
    """Raise a :class:`JudgmentsError` where a check of severity ``"stop"`` fails, before anything is computed.

    Parameters
    ----------
    data : TrainingData
    mute : collection of str
        Codes of checks, of any severity, that are not run.
    """
    codes = as_codes(mute)
    # Without moments, which may be refused for what comes of the very thing that these checks find.
    checked = CheckedData(data.table, data.labels, data.parts, data.noiseless, data.scan, data.label_kind, data.valid)
    stops = [check for check in CHECKS if check.severity == "stop"]
    run_checks(
        checked, mute=[code for code in codes if code in {check.code for check in stops}], checks=stops
    ).raise_stops()


def check_data(
    data: Moments | TrainingData,
    judgments: Judgments | None = None,
    *,
    workers: Independence | None = None,
    mute: Iterable[str] = (),
    checks: Iterable[Check] = CHECKS,
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
    - MJ401, ``"no_help"``: predictions may be no better than the label's mean. Only answers, reports and studies
      estimate the error that this needs.
    - MJ501, ``"missing_codes"``: a number such as -99 or 999, far outside the range of the other judgments.
    - MJ502, ``"leaks"``: an attribute that is the same for every judge of an object is as good as the label.
    - MJ503, ``"doubtful_attributes"``: such an attribute is nearly the label, or an attribute is a duration.
    - MJ504, ``"similar_names"``: names of objects, judges or attributes differ only in case or spaces.

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
    checks : collection of Check
        Which ones to run (default: all of :data:`CHECKS`). Add your own with ``checks=(*CHECKS, my_check)``.

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
    ['MJ102', 'MJ103', 'MJ502', 'MJ503']
    """
    return run_checks(CheckedData.of(data, judgments, workers=workers), mute=mute, checks=checks)


def as_codes(mute: Iterable[str], checks: Iterable[Check] = CHECKS) -> tuple[str, ...]:
    """Codes to mute, each of which is that of one of the checks.

    >>> as_codes(["MJ101"])
    ('MJ101',)
    """
    known_codes = [check.code for check in checks]
    if isinstance(mute, str | bytes) or not isinstance(mute, Iterable):
        raise ManyJudgesError(
            f"mute must be a list of codes, such as ['{CHECKS[0].code}'], not {quote_value(mute)}.",
            value=mute,
            column="mute",
        )
    codes = tuple(mute)
    for code in codes:
        if code not in known_codes:
            raise ManyJudgesError(
                f"there is no check {quote_value(code)}; there are {', '.join(known_codes) or 'none'}."
                f"{suggest(code, known_codes)}",
                value=code,
                column="mute",
            )
    return codes


def _as_checks(checks: Iterable[Check]) -> tuple[Check, ...]:
    """Checks to run, each with a code of its own."""
    if isinstance(checks, str | bytes) or not isinstance(checks, Iterable):
        raise ManyJudgesError(
            f"checks must be a list of checks, such as (*CHECKS, my_check), not {quote_value(checks)}.",
            value=checks,
            column="checks",
        )
    result = tuple(checks)
    codes = set()
    for check in result:
        if not isinstance(check, Check):
            raise ManyJudgesError(
                f"checks must be objects of the class Check, and one of them is {quote_value(check)}.",
                value=check,
                column="checks",
            )
        if check.code in codes:
            raise ManyJudgesError(
                f"two checks have the code {check.code}; give one of them another.", value=check.code, column="checks"
            )
        codes.add(check.code)
    return result


def _run(check: Check, data: CheckedData) -> CheckOutcome:
    outcome = check.run(data)
    # A function that forgets to return would otherwise be listed as muted.
    if not isinstance(outcome, CheckOutcome):
        raise ManyJudgesError(
            f"check {check.code} returned {quote_value(outcome)}; it must return Passed, Failed or NotApplicable.",
            value=outcome,
            column="checks",
        )
    return outcome
