"""Checks: what speaks against relying on data, each an object with a stable code.

One module for each check, behind one registry. ``check`` says what a check is and what it looks at, ``results`` what
comes out, ``registry`` lists all checks and runs them. Imported by the rest of ``learn`` and the rooms above it.

To add a check (missing codes, leaks, groups, shifts, order effects), copy ``few_objects.py``: a function from
:class:`TrainingData` to :class:`Passed`, :class:`Failed` or :class:`NotApplicable`, and a ``CHECK`` that names it.
Enter ``CHECK`` in ``registry.CHECKS`` and write its page, ``docs/checks/mj101.md`` for MJ101, with the headings of the
others; tests hold both. Codes are grouped by hundreds and never used again for something else:

- MJ1xx: too little data,
- MJ2xx: judgments that are not what they seem,
- MJ3xx: workers,
- MJ4xx: what judgments are worth,
- MJ5xx: columns that are not what they seem.

What a check needs beyond training data (the error on held-out objects, say) is a further attribute of their subclass
:class:`CheckedData`, None where it is not known; a check that needs it takes a :class:`CheckedData`, and is then not
applicable.
"""

from typing import TYPE_CHECKING

from manyjudges.base.lazy import lazy_names

if TYPE_CHECKING:
    from manyjudges.learn.checks.check import Check as Check
    from manyjudges.learn.checks.check import CheckedData as CheckedData
    from manyjudges.learn.checks.check import Failed as Failed
    from manyjudges.learn.checks.check import HeldOutError as HeldOutError
    from manyjudges.learn.checks.check import NotApplicable as NotApplicable
    from manyjudges.learn.checks.check import Passed as Passed
    from manyjudges.learn.checks.registry import CHECKS as CHECKS
    from manyjudges.learn.checks.registry import check_data as check_data
    from manyjudges.learn.checks.registry import raise_stops as raise_stops
    from manyjudges.learn.checks.registry import run_checks as run_checks
    from manyjudges.learn.checks.results import CheckResult as CheckResult
    from manyjudges.learn.checks.results import CheckResults as CheckResults

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "check": ["Check", "CheckedData", "Failed", "HeldOutError", "NotApplicable", "Passed"],
        "registry": ["CHECKS", "check_data", "raise_stops", "run_checks"],
        "results": ["CheckResult", "CheckResults"],
    },
)
