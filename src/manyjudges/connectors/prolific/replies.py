"""Replies of Prolific, as what they are: studies, submissions, bonuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from manyjudges.base.messages import quote_value
from manyjudges.connectors.prolific.errors import without_token
from manyjudges.connectors.prolific.export import Submission, status_of, time_of
from manyjudges.connectors.prolific.service import units
from manyjudges.exceptions import ProlificError

_SITE = "https://app.prolific.com/researcher/workspaces/studies"


@dataclass(frozen=True)
class PostedStudy:
    """A study at Prolific. Keep its ``id``: everything else can be asked for by it.

    Attributes
    ----------
    id, name, internal_name : str
    status : str
        Such as ``"UNPUBLISHED"`` (a draft), ``"ACTIVE"``, ``"PAUSED"``, ``"AWAITING REVIEW"`` or ``"COMPLETED"``.
    reward : Decimal
        For one participant, in units of ``currency``.
    places : int
    currency : str
        Of the account, such as ``"GBP"``; empty where Prolific does not say.
    cost : Decimal
        Of all places, with fees, as Prolific says it; 0 where it does not.
    already : bool
        Whether it was so before this call.
    """

    id: str
    name: str
    internal_name: str
    status: str
    reward: Decimal
    places: int
    currency: str
    cost: Decimal
    already: bool = False

    @property
    def page(self) -> str:
        """The address at which you see it."""
        return f"{_SITE}/{self.id}"


@dataclass(frozen=True)
class Approved:
    """Submissions that were approved: by this call, which takes Prolific some minutes, and before it."""

    done: tuple[str, ...]
    already: tuple[str, ...]


@dataclass(frozen=True)
class Bonuses:
    """Bonuses that are set up, and paid by :meth:`Prolific.pay`.

    Attributes
    ----------
    id, study : str
        ``id`` is empty where nobody is left to pay.
    amounts : dict of str to Decimal
        By the participant or submission, in units of the study's currency.
    total : Decimal
        What it will cost, with fees, as Prolific says it.
    already : tuple of str
        Who is left out, as they have had a bonus in this study.
    again : bool
        Whether those who have had one may get another.
    paid : bool
    """

    id: str
    study: str
    amounts: dict[str, Decimal]
    total: Decimal
    already: tuple[str, ...] = ()
    again: bool = False
    paid: bool = False


def posted(reply: Mapping[str, Any], *, already: bool = False) -> PostedStudy:
    """A study, as a reply has it."""
    places = reply.get("total_available_places")
    return PostedStudy(
        needed(reply, "id"),
        str(reply.get("name") or ""),
        str(reply.get("internal_name") or ""),
        status_of(str(reply.get("status") or "")),
        units(reply.get("reward")),
        places if isinstance(places, int) else 0,
        str(reply.get("presentment_currency_code") or reply.get("currency_code") or ""),
        units(reply.get("total_cost")),
        already,
    )


def submission(reply: Mapping[str, Any]) -> Submission:
    """A submission, as a list has it."""
    place = f"submission {reply['id']!r}"
    seconds = reply.get("time_taken")
    return Submission(
        str(reply["id"]),
        str(reply.get("participant_id") or ""),
        status_of(str(reply.get("status") or "")),
        time_of(str(reply.get("started_at") or ""), place),
        time_of(str(reply.get("completed_at") or ""), place),
        float("nan") if seconds is None else float(seconds),
        str(reply.get("study_code") or ""),
        place,
    )


def bonus_of(reply: Mapping[str, Any]) -> Decimal:
    """What was paid on top of a submission's reward; the service counts in cents."""
    return sum((units(paid) for paid in reply.get("bonus_payments") or ()), units(0))


def needed(reply: object, name: str) -> str:
    """A text that a reply must have; ProlificError where it has not."""
    value = reply.get(name) if isinstance(reply, Mapping) else None
    if not isinstance(value, str) or not value:
        raise ProlificError(
            f"Prolific's reply has no {name!r}: {quote_value(without_token(str(reply)))}.",
            uncertain=True,
            value=value,
            column=name,
        )
    return value
