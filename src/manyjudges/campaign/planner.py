"""What makes a campaign's plans, and whether a plan that it gave can be followed."""

from __future__ import annotations

__all__ = ["PlanFunction"]

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.campaign.rounds import Outlook, Proposal
from manyjudges.core.budget import COST_TOLERANCE
from manyjudges.core.plan import Plan
from manyjudges.exceptions import ManyJudgesError, PlanError
from manyjudges.tables.judgments import Judgments

PlanFunction = Callable[[Judgments, Outlook], Plan | Proposal]
"""From the judgments so far, of all objects of a campaign, and what can still be bought, to a plan."""


def check_planner(planner: object) -> None:
    """Say so before anything is bought where a planner cannot be called as it will be."""
    error_fields: dict[str, Any] = {"value": planner, "column": "planner"}
    if not callable(planner):
        raise PlanError(
            f"the planner must be a function from judgments and an outlook to a plan, not {quote_value(planner)}.",
            **error_fields,
        )
    try:
        signature = inspect.signature(planner)
    except (TypeError, ValueError):  # some, written in C, do not say
        return
    try:
        signature.bind(None, None)
    except TypeError as error:
        raise PlanError(
            f"the planner must take two arguments, the judgments and an outlook that says what can still be bought: "
            f"{error}. Write 'def planner(judgments, outlook):'.",
            **error_fields,
        ) from None


def checked_proposal(
    answer: object, *, attributes: tuple[str, ...], budget: float, costs: Mapping[str, float]
) -> Proposal:
    """What a planner gave, if a campaign of these attributes, budget and costs can follow it."""
    proposal = Proposal(answer) if isinstance(answer, Plan) else answer
    if not (isinstance(proposal, Proposal) and isinstance(proposal.plan, Plan)):
        raise PlanError(
            f"the planner must give a Plan or a Proposal with one, not {quote_value(answer)}.",
            value=answer,
            column="planner",
        )
    check_names(proposal.plan, attributes)
    cost = sum(n * costs[name] for name, n in proposal.plan.repeats.items())
    if cost > budget * (1 + COST_TOLERANCE):
        raise PlanError(
            f"the planner's plan costs {cost:g} an object, more than the campaign's budget of {budget:g}; "
            "plan with the budget and the costs of the campaign.",
            value=cost,
            column="budget",
        )
    try:
        Plan.from_document(proposal.plan.to_document())
    except ManyJudgesError as error:  # said now, rather than when the campaign is saved or resumed
        raise PlanError(f"the planner's plan cannot be kept: {error}", **error.fields) from None
    return proposal


def check_names(plan: Plan, attributes: tuple[str, ...]) -> None:
    """Refuse a plan that asks for attributes that a campaign does not have."""
    if unknown := [name for name in plan.repeats if name not in attributes]:
        raise PlanError(
            f"the planner's plan asks for {list_names(unknown)}, which is no attribute of this campaign; "
            f"the attributes are {list_names(attributes, limit=8)}.{suggest(unknown[0], attributes)}",
            value=unknown[0],
            column="attribute",
        )
