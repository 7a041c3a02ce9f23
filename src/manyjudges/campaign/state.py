"""What a campaign knows: terms that do not change, a state that does, and both as a document."""

from __future__ import annotations

__all__ = ["LIMIT_REACHED"]

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyjudges.arrays.types import Floats
from manyjudges.base import documents
from manyjudges.base.messages import quote_value
from manyjudges.campaign import names
from manyjudges.campaign.counts import PairCounts
from manyjudges.campaign.names import Naming
from manyjudges.campaign.rounds import Round
from manyjudges.core.budget import as_budget, as_costs
from manyjudges.exceptions import DocumentError, PlanError
from manyjudges.tables.judgments import Judgments

CAMPAIGN_FORMAT = "manyjudges.campaign/1"

STANDS = "the plan stands"
LIMIT_REACHED = "the spending limit is reached"
"""Why a campaign stopped: another judgment would cost more than the spending limit leaves."""

EXHAUSTED = "nothing more can be had"


@dataclass(frozen=True, eq=False)
class State:
    """All that changes in a campaign; replaced as a whole, so that an interruption finds the old or the new one."""

    counts: PairCounts
    judgments: Judgments | None = None
    round: int = 0
    asked: int = 0
    history: tuple[Round, ...] = ()
    reason: str = ""
    besides: float = 0.0


@dataclass(frozen=True, eq=False)
class CampaignTerms:
    """All that does not change."""

    naming: Naming
    costs: Floats
    budget: float
    pilot: int
    limit: float | None

    @property
    def prices(self) -> dict[str, float]:
        """Price of one judgment of each attribute."""
        return dict(zip(self.naming.attributes, self.costs.tolist(), strict=True))

    @classmethod
    def checked(
        cls,
        objects: Iterable[Any],
        attributes: Iterable[str],
        budget: float,
        pilot: int,
        costs: Any,
        limit: float | None,
    ) -> CampaignTerms:
        """Terms that somebody gave, if they make sense."""
        naming = Naming.of(objects, attributes)
        return cls(naming, as_costs(costs, naming.attributes), as_budget(budget), _as_pilot(pilot), _as_limit(limit))


def to_document(terms: CampaignTerms, state: State) -> dict[str, Any]:
    """A campaign as plain numbers and strings."""
    naming = terms.naming
    return {
        "format": CAMPAIGN_FORMAT,
        "reason": state.reason,
        "round": state.round,
        "asked": state.asked,
        "budget": terms.budget,
        "pilot": terms.pilot,
        "spending_limit": terms.limit,
        "besides": state.besides,
        "attributes": list(naming.attributes),
        "prices": terms.prices,
        "history": [entry.to_document() for entry in state.history],
        "objects": naming.objects.tolist(),
        "pending": naming.columns(state.counts.pending),
        "dry": naming.columns(state.counts.dry.astype(np.int64)),
        "judgments": None if state.judgments is None else naming.to_document(state.judgments),
    }


def from_document(document: Mapping[str, Any]) -> tuple[CampaignTerms, State]:
    """Read what :func:`to_document` gave."""
    attributes, prices = documents.field(document, "attributes", list), documents.field(document, "prices", dict)
    if sorted(map(str, attributes)) != sorted(prices):
        raise DocumentError(
            "the campaign's attributes are not those that it has prices of.", value=sorted(prices), column="prices"
        )
    limit = None if document.get("spending_limit") is None else documents.number(document, "spending_limit")
    terms = CampaignTerms.checked(
        documents.field(document, "objects", list),
        attributes,
        documents.number(document, "budget"),
        documents.field(document, "pilot", int),
        prices,
        limit,
    )
    return terms, _state_from(document, terms.naming)


def _as_pilot(pilot: object) -> int:
    if isinstance(pilot, bool) or not isinstance(pilot, int | np.integer) or pilot < 1:
        raise PlanError(
            f"pilot must be a whole number of 1 or more, not {quote_value(pilot)}.", value=pilot, column="pilot"
        )
    return int(pilot)


def _as_limit(limit: object) -> float | None:
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int | float | np.number) or not 0 <= limit < np.inf:
        raise PlanError(
            f"the spending limit must be 0 or a positive, finite number, or None, not {quote_value(limit)}.",
            value=limit,
            column="spending_limit",
        )
    return float(limit)


def _state_from(document: Mapping[str, Any], naming: Naming) -> State:
    pending = naming.from_columns(documents.field(document, "pending", dict), "pending")
    dry = naming.from_columns(documents.field(document, "dry", dict), "dry")
    judgments = None
    if document.get("judgments") is not None:
        judgments = naming.from_document(documents.field(document, "judgments", dict))
    bought = np.zeros(naming.shape, dtype=np.int64) if judgments is None else judgments.cells().count
    reason = documents.field(document, "reason", str)
    if reason not in ("", STANDS, LIMIT_REACHED, EXHAUSTED):
        raise DocumentError(
            f"the campaign's reason to be done, {reason!r}, is none that there is.", value=reason, column="reason"
        )
    history = tuple(Round.from_document(entry) for entry in documents.field(document, "history", list))
    if history and bought.sum() < history[-1].bought:
        raise DocumentError(
            f"the campaign has {int(bought.sum()):,} judgments, but bought {history[-1].bought:,} by its last round.",
            value=int(bought.sum()),
            column="judgments",
        )
    return State(
        besides=documents.number(document, "besides") if "besides" in document else 0.0,
        counts=PairCounts(bought, pending, dry > 0),
        judgments=judgments,
        round=names.whole(document, "round"),
        asked=names.whole(document, "asked"),
        history=history,
        reason=reason,
    )
