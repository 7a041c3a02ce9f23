"""What checks came to: passed, failed, not applicable, or muted."""

from __future__ import annotations

__all__ = ["CheckResult", "CheckResults"]

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from manyjudges.base.frames import table
from manyjudges.base.results import Result, plain
from manyjudges.exceptions import DataWarning, JudgmentsError
from manyjudges.learn.checks.check import SEVERITIES, Check, CheckOutcome, Failed, NotApplicable, Passed

if TYPE_CHECKING:
    import pandas as pd

_STATUSES = ("failed", "passed", "not applicable", "muted")
"""What can come of a check, in the order in which a report lists them."""


@dataclass(frozen=True)
class CheckResult:
    """A check and what came of it.

    Attributes
    ----------
    check : Check
    outcome : Passed, Failed or NotApplicable, optional
        None where it was muted, and not run.
    """

    check: Check
    outcome: CheckOutcome | None

    @property
    def status(self) -> str:
        """``"passed"``, ``"failed"``, ``"not applicable"`` or ``"muted"``."""
        match self.outcome:
            case Passed():
                return "passed"
            case Failed():
                return "failed"
            case NotApplicable():
                return "not applicable"
        return "muted"

    @property
    def message(self) -> str:
        """What was found, or why nothing could be; empty where it was muted."""
        match self.outcome:
            case Passed(text) | NotApplicable(text):
                return text
            case Failed():
                return self.outcome.message
        return ""

    @property
    def warning(self) -> DataWarning | None:
        """The failure as a warning; None where it did not fail."""
        if not isinstance(self.outcome, Failed):
            return None
        check, outcome = self.check, self.outcome
        return DataWarning(outcome.message, check.kind, outcome.values, code=check.code, severity=check.severity)

    def to_document(self) -> dict[str, Any]:
        """Plain strings and numbers."""
        check, outcome = self.check, self.outcome
        document = {name: getattr(check, name) for name in ("code", "kind", "severity", "title")}
        document |= {"status": self.status, "message": self.message}
        if isinstance(outcome, Failed):
            document |= {"finding": outcome.finding, "why": outcome.why, "advice": outcome.advice}
            document["values"] = plain(dict(outcome.values))
        return document


@dataclass(frozen=True, eq=False, repr=False)
class CheckResults(Result):
    """What all checks came to. Made by :func:`check_data`.

    Attributes
    ----------
    results : tuple of CheckResult
        One for each check, in the order of their codes.
    """

    FORMAT: ClassVar[str] = "manyjudges.checks/1"

    results: tuple[CheckResult, ...] = ()

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[CheckResult]:
        return iter(self.results)

    @property
    def failed(self) -> tuple[CheckResult, ...]:
        """Those that failed, the most severe first."""
        return tuple(sorted(self._with("failed"), key=lambda result: SEVERITIES.index(result.check.severity)))

    @property
    def passed(self) -> tuple[CheckResult, ...]:
        """Those that passed."""
        return self._with("passed")

    @property
    def not_applicable(self) -> tuple[CheckResult, ...]:
        """Those that could not be made, each with its reason."""
        return self._with("not applicable")

    @property
    def muted(self) -> tuple[CheckResult, ...]:
        """Those that were muted, and not run."""
        return self._with("muted")

    @property
    def warnings(self) -> tuple[DataWarning, ...]:
        """The failures as warnings, the most severe first."""
        return tuple(result.warning for result in self.failed if result.warning is not None)

    @property
    def headline(self) -> str:
        """How many passed, failed, were not applicable, were muted."""
        counts = [f"{len(self._with(status))} {status}" for status in _STATUSES if self._with(status)]
        return f"{len(self)} checks: {', '.join(counts) or 'none made'}"

    @property
    def stops(self) -> tuple[CheckResult, ...]:
        """Failures after which nothing should be computed until the user has said what the data mean."""
        return tuple(result for result in self.failed if result.check.severity == "stop")

    def raise_stops(self, mute: Iterable[str] = ()) -> None:
        """Raise the failures of severity ``"stop"`` as one :class:`JudgmentsError`, if there are any.

        Parameters
        ----------
        mute : collection of str
            Codes of checks to ignore.
        """
        muted = frozenset(mute)
        outcomes = [result.outcome for result in self.stops if result.check.code not in muted]
        stops = [outcome for outcome in outcomes if isinstance(outcome, Failed)]
        if stops:
            # The error says what was found and what to do; what the finding does to the result stands on its page.
            message = " ".join(f"{outcome.finding} {outcome.advice}" for outcome in stops)
            raise JudgmentsError(message, value=stops[0].value, column=stops[0].column)

    def to_frame(self) -> pd.DataFrame:
        """A row for each check: ``code``, ``kind``, ``severity``, ``title``, ``status`` and ``message``."""
        rows = [result.to_document() for result in self.results]
        columns = ("code", "kind", "severity", "title", "status", "message")
        return table({name: [row[name] for row in rows] for name in columns})

    def _with(self, status: str) -> tuple[CheckResult, ...]:
        return tuple(result for result in self.results if result.status == status)
