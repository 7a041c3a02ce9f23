"""Replies of Prolific, as what they are: studies, submissions, bonuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from manyjudges.base.messages import quote_value
from manyjudges.connectors.prolific.errors import ProlificError, without_token
from manyjudges.connectors.prolific.export import Submission, status_of, time_of
from manyjudges.connectors.prolific.service import units

SITE = "https://app.prolific.com/researcher/workspaces/studies"


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
        return f"{SITE}/{self.id}"


@dataclass(frozen=True)
class Approved:
    """Submissions that were approved: by this call, which takes Prolific some minutes, and before it."""

    done: tuple[str, ...]
    already: tuple[str, ...]


@dataclass(frozen=True)
class Bonus:
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


def posted(found: Mapping[str, Any], *, already: bool = False) -> PostedStudy:
    """A study, as a reply has it."""
    places = found.get("total_available_places")
    return PostedStudy(
        needed(found, "id"),
        str(found.get("name") or ""),
        str(found.get("internal_name") or ""),
        status_of(str(found.get("status") or "")),
        units(found.get("reward")),
        places if isinstance(places, int) else 0,
        str(found.get("presentment_currency_code") or found.get("currency_code") or ""),
        units(found.get("total_cost")),
        already,
    )


def submission(each: Mapping[str, Any]) -> Submission:
    """A submission, as a list has it."""
    place = f"submission {each['id']!r}"
    taken = each.get("time_taken")
    return Submission(
        str(each["id"]),
        str(each.get("participant_id") or ""),
        status_of(str(each.get("status") or "")),
        time_of(str(each.get("started_at") or ""), place),
        time_of(str(each.get("completed_at") or ""), place),
        float("nan") if taken is None else float(taken),
        str(each.get("study_code") or ""),
        place,
    )


def bonus_of(each: Mapping[str, Any]) -> Decimal:
    """What was paid on top of a submission's reward; the service counts in cents."""
    return sum((units(paid) for paid in each.get("bonus_payments") or ()), units(0))


def needed(found: object, name: str) -> str:
    """A text that a reply must have; ProlificError where it has not."""
    value = found.get(name) if isinstance(found, Mapping) else None
    if not isinstance(value, str) or not value:
        raise ProlificError(
            f"Prolific's reply has no {name!r}: {quote_value(without_token(str(found)))}.", uncertain=True
        )
    return value
