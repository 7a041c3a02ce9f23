"""The planner of a study, and what is asked first: where the mathematics and round planning meet."""

from __future__ import annotations

__all__ = ["order_first_round", "plan_study"]

from typing import TYPE_CHECKING, Any

from manyjudges.learn.answers import Answer
from manyjudges.learn.budgets import plan_words
from manyjudges.learn.error_curve import ErrorCurve
from manyjudges.learn.planner import AnsweringPlanner
from manyjudges.service.round_planning import order_missing, plan_round
from manyjudges.service.study import labels_of

if TYPE_CHECKING:
    from manyjudges.service.round_planning import Decision
    from manyjudges.service.study import OpenStudy


def study_planner(opened: OpenStudy) -> AnsweringPlanner:
    """The planner of a study: plans, and keeps with each plan the answer that its page shows."""
    section, objects = opened.study.plan, opened.store.objects()
    unlabelled = len(objects) - int(objects["label"].notna().sum())
    return AnsweringPlanner(
        labels_of(opened.store),
        section.budget,
        method=section.method,
        costs=opened.store.costs(),
        random_state=section.seed,
        max_repeats=section.max_repeats,
        mute=opened.study.checks.mute,
        new=unlabelled if section.judge_unlabelled else None,
        details=_details,
    )


def _details(answer: Answer, curve: ErrorCurve | None) -> dict[str, Any]:
    """What is kept with a plan: the answer, all checks, and the error at several budgets where it could be told."""
    return {
        "answer": answer.to_document(),
        "curve": [] if curve is None else _points(curve),
        "checks": answer.checks.to_document()["results"],
    }


def _points(curve: ErrorCurve) -> list[dict[str, float | str]]:
    """Error and plan at each budget of a curve, which is of one method."""
    names = ("error", "low", "high", "explained")
    columns = {name: getattr(curve, name)[0].tolist() for name in names}
    return [
        {"budget": budget}
        | {name: columns[name][k] for name in names}
        | {"plan": plan_words(curve.plans[0][k].repeats)}
        for k, budget in enumerate(curve.budgets)
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
