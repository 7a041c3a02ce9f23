"""What a check is: what it looks at, and what it can say."""

from __future__ import annotations

__all__ = ["Check", "CheckedData", "Failed", "HeldOutError", "NotApplicable", "Passed"]

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from manyjudges.base.messages import quote_value
from manyjudges.core.moments import Moments
from manyjudges.exceptions import ManyJudgesError, MomentsError
from manyjudges.judges.dependence import Independence, check_independence
from manyjudges.learn.checks.label_likeness import LabelLikeness, label_likenesses
from manyjudges.learn.training_data import TrainingData
from manyjudges.tables.judgments import Judgments

Severity = Literal["note", "warning", "serious", "stop"]

SEVERITIES: tuple[Severity, ...] = ("stop", "serious", "warning", "note")
"""The worst first: *stop* where nothing is computed until the user has said what the data mean, *serious* where the
result should not be used as it is, *warning* where it can be far off, *note* where it is good to know."""


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
    value : object, optional
        The value that it is about, for the error that a check of severity ``"stop"`` becomes.
    column : str, optional
        The attribute that it is about, likewise.
    """

    finding: str
    why: str
    advice: str
    values: Mapping[str, Any] = field(default_factory=dict)
    value: object = field(default=None, kw_only=True)
    column: str | None = field(default=None, kw_only=True)

    @property
    def message(self) -> str:
        """Finding, why and advice as one text."""
        return f"{self.finding} {self.why} {self.advice}"


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
class CheckedData(TrainingData):
    """Training data, and what else is known of them when they are checked; made by :meth:`of`.

    A check takes :class:`TrainingData`. It is given this subclass because moments alone can be checked, too, and
    because some checks need what is worked out from a table but is no part of it. What is not known is None, and checks
    that need it are not applicable.

    Attributes
    ----------
    known_moments : Moments, optional
        In memory. Those that were given or regularized do not know what they came from.
    workers : Independence, optional
        What :func:`check_independence` says of the judgments, where that is at hand.
    held_out : HeldOutError, optional
        Where errors were estimated.
    """

    known_moments: Moments | None = None
    workers: Independence | None = None
    held_out: HeldOutError | None = None

    @classmethod
    def of(cls, data: Moments | TrainingData, judgments: Judgments | None = None, **more: Any) -> CheckedData:
        """Training data, or moments with the judgments that they came from, where these are in memory."""
        if isinstance(data, TrainingData):
            table = data.table if judgments is None else judgments
            own = (table, data.labels, data.parts, data.noiseless, data.scan, data.label_kind, data.valid)
            return cls(*own, known_moments=data.moments.to_numpy(), **more)
        if not isinstance(data, Moments):
            raise MomentsError(
                f"check_data needs Moments, not {type(data).__name__}; make them with Moments.estimate.",
                value=data,
                column="moments",
            )
        # Checks compute with numpy, whichever library holds the moments.
        return cls(judgments, None, None, frozenset(data.noiseless), known_moments=data.to_numpy(), **more)

    @cached_property
    def moments(self) -> Moments:
        """Moments of all objects."""
        return super().moments if self.known_moments is None else self.known_moments

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names, in the order of the moments."""
        return super().attributes if self.known_moments is None else self.known_moments.attributes

    @property
    def n_objects(self) -> int:
        """Objects that the moments came from; 0 where they are a known truth."""
        return self.moments.n_objects

    @cached_property
    def independence(self) -> Independence | None:
        """How far judgments of the same worker move together; None where no worker is named."""
        if self.table is None or not len(self.table.workers):
            return None
        return self.workers or check_independence(self.table)

    @cached_property
    def label_likenesses(self) -> tuple[LabelLikeness, ...] | None:
        """Attributes that are the same for every judge of an object; None where that cannot be known."""
        return label_likenesses(self)


CheckOutcome = Passed | Failed | NotApplicable


@dataclass(frozen=True)
class Check:
    """A check of data.

    A check of your own needs the first four: ``Check("MJ199", "note", "Odd labels", run)``.

    Attributes
    ----------
    code : str
        Capital letters and a number, such as ``"MJ101"``. Stable; it mutes the check and names its page in the
        documentation.
    severity : str
        ``"note"``, ``"warning"``, ``"serious"`` or ``"stop"``.
    title : str
        The problem that it looks for, in a few words.
    run : callable
        From :class:`TrainingData` to :class:`Passed`, :class:`Failed` or :class:`NotApplicable`. What it is given is a
        :class:`CheckedData`, which knows more.
    kind : str
        Its name in programs, such as ``"few_objects"``; its code unless given.
    """

    code: str
    severity: Severity
    title: str
    run: Callable[[CheckedData], CheckOutcome] = field(repr=False)
    kind: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        # A code is written in lists that mute it, in tables, and in the address of its page.
        if not isinstance(self.code, str) or not re.fullmatch(r"[A-Z]+[0-9]+", self.code):
            raise ManyJudgesError(
                f"a check's code is capital letters and a number, such as MY001, not {quote_value(self.code)}.",
                value=self.code,
                column="code",
            )
        if self.severity not in SEVERITIES:
            raise ManyJudgesError(
                f"a check's severity is one of {', '.join(SEVERITIES)}, not {quote_value(self.severity)}.",
                value=self.severity,
                column="severity",
            )
        if not self.kind:
            object.__setattr__(self, "kind", self.code)
