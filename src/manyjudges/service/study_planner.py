"""The planner of a study, and what is asked first: where the mathematics and round planning meet."""

from __future__ import annotations

__all__ = ["order_first_round", "plan_study"]

from typing import TYPE_CHECKING, Any

from manyjudges.core.budget import as_costs
from manyjudges.core.plan import Plan
from manyjudges.learn.checks.registry import check_data
from manyjudges.learn.error_curve import ErrorCurve
from manyjudges.learn.planner import Planner
from manyjudges.learn.training_data import TrainingData
from manyjudges.service.round_planning import order_missing, plan_round
from manyjudges.service.study import labels_of
from manyjudges.summary.budgets import plan_words, round_budgets

if TYPE_CHECKING:
    from manyjudges.service.round_planning import Decision
    from manyjudges.service.study import OpenStudy


def study_planner(opened: OpenStudy) -> Planner:
    """The planner of a study: plans, and says with each plan what error to expect at other budgets."""
    section = opened.study.plan

    def budgets(attributes: tuple[str, ...], costs: dict[str, float]) -> tuple[float, ...]:
        return round_budgets(section.budget, as_costs(costs, attributes))

    def details(data: TrainingData, plan: Plan, curve: ErrorCurve | None) -> dict[str, Any]:
        """The error to expect at several budgets; only what the plan says of itself where objects are too few."""
        return {
            "label_variance": plan.label_variance,
            "explained": plan.explained,
            "curve": [] if curve is None else _points(curve),
            "checks": check_data(data, mute=opened.study.checks.mute).to_document()["results"],
        }

    return Planner(
        labels_of(opened.store),
        section.budget,
        method=section.method,
        costs=opened.store.costs(),
        noiseless=(),
        random_state=section.seed,
        max_repeats=section.max_repeats,
        budgets=budgets,
        details=details,
    )


def _points(curve: ErrorCurve) -> list[dict[str, float | str]]:
    """Error and plan at each budget of a curve, which is of one method."""
    rows = zip(curve.budgets, curve.loss[0].tolist(), curve.std_error[0].tolist(), curve.plans[0], strict=True)
    return [
        {"budget": budget, "loss": loss, "std_error": error, "plan": plan_words(plan.repeats)}
        for budget, loss, error, plan in rows
    ]


def order_first_round(opened: OpenStudy) -> None:
    """Order the pilot, or what the round under way lacks of objects that were added; that takes no plan."""
    order_missing(opened.store, opened.study.plan, study_planner(opened))


def plan_study(opened: OpenStudy, *, force: bool = False, give_up: bool = False) -> Decision | None:
    """When a round is complete, plan and order what comes next; None where there is nothing to decide.

    Parameters
    ----------
    opened : OpenStudy
    force : bool
        Plan now, even though the round is not complete.
    give_up : bool
        What is still open cannot be had, and is not asked for again.
    """
    opened.store.call_log.reprice()
    return plan_round(opened.store, opened.study.plan, study_planner(opened), force=force or give_up, give_up=give_up)
