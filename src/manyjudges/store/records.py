"""Records: what the store hands out to a judge, what comes back, and what it says about it."""

from __future__ import annotations

__all__ = ["CANT_TELL", "Batch", "Call", "CallOutcome", "Item", "Receipt", "Reply", "Worker"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

CANT_TELL = None
"""The answer of somebody who cannot tell: recorded as such, paid, and no value."""

Answers = Mapping[int, float | None]
"""From the positions of a batch's items to values, or to ``CANT_TELL``; items that are left out go back."""


@dataclass(frozen=True)
class Worker:
    """Somebody, or something, who judges.

    Attributes
    ----------
    id : int
        Of the store.
    name : str
        Pseudonym, the same as long as the study lives; exports show it.
    source : str
        Where the worker came from: ``"link"``, ``"open"``, the name of a marketplace or ``"program"``; ``"model"``
        for a language model, and the name of a connector for one whose judgments were read from a file.
    external : str, optional
        The name given by that source; None once the worker's data were withdrawn.
    details : dict
        What else came along, such as an assignment's id.
    judged : int
        Judgments and "can't tell" so far.
    batches : int
        Batches that were handed in.
    earned : float
        What the judgments cost, in units.
    consented : bool
    blocked : bool
        Gets no more work.
    """

    id: int
    name: str
    source: str
    external: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    judged: int = 0
    batches: int = 0
    earned: float = 0.0
    consented: bool = False
    blocked: bool = False

    @property
    def withdrawn(self) -> bool:
        """Whether this worker's data were withdrawn; what comes later is not kept."""
        return self.external is None


@dataclass(frozen=True)
class Item:
    """One object of a batch.

    Attributes
    ----------
    position : int
        In the batch, from 0; what a judge's browser knows of the object.
    object : str
        The object's name, which no judge sees.
    answered : bool
        Whether an answer of this worker is in the store.
    value : float, optional
        That answer; None for "can't tell", and before there is one.
    """

    position: int
    object: str
    answered: bool = False
    value: float | None = None


@dataclass(frozen=True)
class Batch:
    """Objects that one worker judges for one attribute, leased until a time.

    Attributes
    ----------
    id : str
        Unguessable.
    worker : int
    attribute : str
    items : tuple of Item
    leased_at, expires_at : float
        Seconds since 1970, UTC.
    state : str
        ``"out"``, ``"done"``, ``"expired"`` or ``"released"``.
    draft : dict
        Answers kept while the worker pauses, by position.
    """

    id: str
    worker: int
    attribute: str
    items: tuple[Item, ...]
    leased_at: float
    expires_at: float
    state: str = "out"
    draft: dict[int, float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Receipt:
    """What became of answers that were handed in; when there is one, it is on disk.

    Attributes
    ----------
    accepted : int
        Answers that are new, "can't tell" among them.
    repeated : int
        Answers that had been handed in before, just so.
    corrected : int
        Answers that replaced an earlier one of the same worker.
    late : int
        Answers that came after the lease ended, when somebody else had the work, or after the worker withdrew: not
        needed, not kept, not paid.
    returned : int
        Items without an answer, which went back.
    earned : float
        What the accepted ones cost, in units.
    """

    accepted: int = 0
    repeated: int = 0
    corrected: int = 0
    late: int = 0
    returned: int = 0
    earned: float = 0.0


CallOutcome = Literal["answered", "cant_tell", "refused", "unreadable"]
"""What a reply may be: a value, the model's own word that it cannot tell, or neither of both."""

OUTCOMES: tuple[CallOutcome, ...] = get_args(CallOutcome)


@dataclass(frozen=True)
class Call:
    """A call that is to be made.

    Attributes
    ----------
    id : int
    column : str
        The attribute, as the store calls it.
    object : str
    attempt : int
        1 for the first call about this judgment.
    """

    id: int
    column: str
    object: str
    attempt: int


@dataclass(frozen=True)
class Reply:
    """What came of a call.

    Attributes
    ----------
    outcome : str
        ``"answered"``, ``"cant_tell"``, ``"refused"`` or ``"unreadable"``.
    value : float, optional
        If it was answered.
    text : str
        The answer as it came, or the first part of it.
    tokens_in, tokens_out : int
        0 where the service does not say.
    paid : float
        In the study's currency.
    """

    outcome: CallOutcome
    value: float | None = None
    text: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    paid: float = 0.0
