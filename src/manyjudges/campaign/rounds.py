"""Rounds: what a planner proposes, what became of each round, and where a campaign stands."""

from __future__ import annotations

__all__ = ["Outlook", "Proposal", "Round", "Status"]

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyjudges.base import documents
from manyjudges.base.formatting import in_units
from manyjudges.base.messages import quote_value
from manyjudges.base.results import loss_limits
from manyjudges.campaign.names import whole
from manyjudges.core.plan import Plan
from manyjudges.exceptions import DocumentError, PlanError


@dataclass(frozen=True)
class Outlook:
    """What a campaign tells its planner about what can still be bought.

    Attributes
    ----------
    caps : mapping of str to int
        Attributes of which not as many judgments can be had as one likes, and the most that there are.
    lacking : callable
        From a plan to how many judgments it misses that can still be had and paid for, pending ones not counted.
    """

    caps: Mapping[str, int]
    lacking: Callable[[Plan], int]


@dataclass(frozen=True)
class Proposal:
    """A plan, and how far the planner trusts it.

    Attributes
    ----------
    plan : Plan
    loss : float, optional
        Squared error to expect, honestly: on objects that the plan was not made from.
    std_error : float, optional
        Of that loss.
    note : str
        Anything else worth keeping, such as the options that were chosen.
    details : mapping, optional
        Numbers to show with the plan, such as the error to expect at other budgets; the campaign does not keep them.
    """

    plan: Plan
    loss: float | None = None
    std_error: float | None = None
    note: str = ""
    details: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        for name in ("loss", "std_error"):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not np.isfinite(value):
                raise PlanError(
                    f"{name} of a proposal must be a finite number or None, not {quote_value(value)}.",
                    value=value,
                    column=name,
                )
            object.__setattr__(self, name, float(value))
        if not isinstance(self.note, str):
            raise PlanError(
                f"the note of a proposal must be text, not {quote_value(self.note)}.", value=self.note, column="note"
            )
        if self.details is not None and not isinstance(self.details, Mapping):
            raise PlanError(
                f"the details of a proposal must be a mapping or None, not {quote_value(self.details)}.",
                value=self.details,
                column="details",
            )


@dataclass(frozen=True)
class Round:
    """One round of a campaign: what was asked, what came, and the plan that was made of it.

    Attributes
    ----------
    number : int
        1 for the pilot; 0 where enough had been told for a plan before anything was asked.
    asked, new : int
        Judgments asked for in this round, and judgments that came since the round before.
    bought : int
        Judgments so far.
    spent : float
        What those cost.
    plan : Plan
        Made when the round was complete.
    loss, std_error : float, optional
        As the planner gave them.
    note : str
    """

    number: int
    asked: int
    new: int
    bought: int
    spent: float
    plan: Plan
    loss: float | None = None
    std_error: float | None = None
    note: str = ""

    def __str__(self) -> str:
        bought = " + ".join(f"{n}×{name}" for name, n in self.plan.repeats.items()) or "nothing"
        plausible = self.loss is not None and self.loss > 0  # estimated without bias, it can fall below 0
        error = f"; error to expect: {in_units(self.loss):.4g}" if plausible else ""
        return f"{bought} for each object, which costs {self.plan.cost:g}{error}"

    @property
    def errors(self) -> tuple[float, float, float]:
        """Error to expect (RMSE) and its 95 % limits; NaN where it is not known."""
        return _errors_of(self.loss, self.std_error)

    def to_document(self) -> dict[str, Any]:
        """The round as plain numbers, strings and the plan's document."""
        return {**vars(self), "plan": self.plan.to_document()}

    @classmethod
    def from_document(cls, document: Any) -> Round:
        """Read what :meth:`to_document` gave."""
        if not isinstance(document, dict):
            raise DocumentError(
                f"the history of the campaign has an entry that is no round: {quote_value(document)}.",
                value=document,
                column="history",
            )
        loss, std_error = (
            None if document.get(name) is None else documents.number(document, name) for name in ("loss", "std_error")
        )
        return cls(
            number=whole(document, "number"),
            asked=whole(document, "asked"),
            new=whole(document, "new"),
            bought=whole(document, "bought"),
            spent=documents.number(document, "spent"),
            plan=Plan.from_document(documents.field(document, "plan", dict)),
            loss=loss,
            std_error=std_error,
            note=documents.field(document, "note", str),
        )


def _errors_of(loss: float | None, std_error: float | None) -> tuple[float, float, float]:
    """A squared error and its 95 % limits, as RMSE; NaN where it is not known."""
    if loss is None:
        return math.nan, math.nan, math.nan
    if std_error is None:
        return in_units(loss), math.nan, math.nan
    low, high = map(in_units, loss_limits(loss, std_error))
    return in_units(loss), low, high


@dataclass(frozen=True)
class Status:
    """Where a campaign stands.

    Attributes
    ----------
    round : int
        Rounds asked for so far.
    bought : int
        Judgments that came.
    spent : float
        What those cost.
    pending : int
        Judgments asked for that have not come.
    plan : Plan, optional
        The latest.
    loss, std_error : float, optional
        Its squared error to expect, as the planner gave it.
    done : bool
    reason : str
        Why it is done; empty before.
    """

    round: int
    bought: int
    spent: float
    pending: int
    plan: Plan | None
    loss: float | None
    std_error: float | None
    done: bool
    reason: str

    def __str__(self) -> str:
        coming = f", {self.pending:,} pending" if self.pending else ""
        lines = [f"round {self.round}: {self.bought:,} judgments bought for {self.spent:,.10g}{coming}"]
        if self.plan is not None:
            lines.append(repr(self.plan))
        if self.loss is not None:
            error, low, high = _errors_of(self.loss, self.std_error)
            limits = "" if self.std_error is None else f" ({low:.4g} to {high:.4g})"
            lines.append(f"error to expect on new objects: {error:.4g}{limits}")
        if self.done:
            lines.append(f"done: {self.reason}")
        return "\n".join(lines)
