"""What a check is: what it looks at, and what it can say."""

from __future__ import annotations

__all__ = ["Check", "CheckedData", "Failed", "HeldOutError", "NotApplicable", "Passed"]

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

from manyjudges.core.moments import Moments
from manyjudges.exceptions import MomentsError
from manyjudges.judges.dependence import Independence, check_independence
from manyjudges.tables.judgments import Judgments

Severity = Literal["note", "warning", "serious"]

SEVERITIES: tuple[Severity, ...] = ("serious", "warning", "note")
"""The worst first: *serious* where the result should not be used as it is, *warning* where it can be far off, *note*
where it is good to know."""


@dataclass(frozen=True)
class Passed:
    """Nothing is wrong.

    Attributes
    ----------
    finding : str
        What was looked at, in a sentence.
    """

    finding: str


@dataclass(frozen=True)
class NotApplicable:
    """The check cannot be made of these data.

    Attributes
    ----------
    reason : str
        Why not, in a sentence.
    """

    reason: str


@dataclass(frozen=True)
class Failed:
    """Something speaks against relying on the data.

    Attributes
    ----------
    finding : str
        What was found.
    why : str
        What it does to the result.
    advice : str
        What to do.
    values : mapping
        The numbers behind it.
    """

    finding: str
    why: str
    advice: str
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """Finding, why and advice as one text."""
        return f"{self.finding} {self.why} {self.advice}"


class HasMoments(Protocol):
    """What all data to check have, such as ``learn.training_data.TrainingData``."""

    @property
    def moments(self) -> Moments:
        """Moments of all objects."""

    @property
    def table(self) -> Judgments | None:
        """Their judgments, where these are in memory."""

    @property
    def labels(self) -> Any:
        """Labels by object, or None."""


@dataclass(frozen=True)
class HeldOutError:
    """How good predictions are on objects that had no part in them.

    Attributes
    ----------
    loss, std_error : float
        Squared error on held-out objects, and its standard error.
    baseline_loss : float
        That of always guessing the label's mean.
    n_attributes : int
        How many attributes the plan buys.
    """

    loss: float
    std_error: float
    baseline_loss: float
    n_attributes: int


@dataclass(frozen=True, eq=False)
class CheckedData:
    """What checks look at. What is not known is None, and checks that need it are not applicable.

    Attributes
    ----------
    moments : Moments
        In memory. Those that were given or regularized do not know what they came from.
    judgments : Judgments, optional
        What the moments were estimated from.
    labels : array or Series, optional
    workers : Independence, optional
        What :func:`check_independence` says of the judgments, where that is at hand.
    held_out : HeldOutError, optional
        Where errors were estimated.
    """

    moments: Moments
    judgments: Judgments | None = None
    labels: Any = None
    workers: Independence | None = None
    held_out: HeldOutError | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.moments, Moments):
            kind = type(self.moments).__name__
            raise MomentsError(
                f"check_data needs Moments, not {kind}; make them with Moments.estimate.",
                value=self.moments,
                column="moments",
            )
        # Checks compute with numpy, whichever library holds the moments.
        object.__setattr__(self, "moments", self.moments.to_numpy())

    @classmethod
    def of(cls, data: Moments | HasMoments, judgments: Judgments | None = None, **more: Any) -> CheckedData:
        """Moments with their judgments, or an object that has both."""
        if isinstance(data, Moments) or not hasattr(data, "moments"):
            return cls(data, judgments, **more)  # type: ignore[arg-type]  # what is neither is refused there
        table = data.table if judgments is None else judgments
        return cls(data.moments, table, **{"labels": data.labels, **more})

    @cached_property
    def independence(self) -> Independence | None:
        """How far judgments of the same worker move together; None where no worker is named."""
        if self.judgments is None or not len(self.judgments.workers):
            return None
        return self.workers or check_independence(self.judgments)


Outcome = Passed | Failed | NotApplicable


@dataclass(frozen=True)
class Check:
    """A check of data.

    Attributes
    ----------
    code : str
        Stable, such as ``"MJ101"``; what mutes it, and the name of its page in the documentation.
    kind : str
        Its name in programs, such as ``"few_objects"``.
    severity : str
        ``"note"``, ``"warning"`` or ``"serious"``.
    title : str
        The problem that it looks for, in a few words.
    run : callable
        From :class:`CheckedData` to :class:`Passed`, :class:`Failed` or :class:`NotApplicable`.
    """

    code: str
    kind: str
    severity: Severity
    title: str
    run: Callable[[CheckedData], Outcome] = field(repr=False)
