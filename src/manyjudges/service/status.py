"""Where a study stands, in numbers: progress, spending, its people and its models."""

from __future__ import annotations

__all__ = ["bonuses_of", "opinions_of", "status_of", "workforce_of"]

from typing import TYPE_CHECKING, Any

import pandas as pd

from manyjudges.core.plan import Plan
from manyjudges.exceptions import MomentsError
from manyjudges.judges.panel import panel_variance
from manyjudges.summary import Workforce, suggested_bonuses, summarize_workers
from manyjudges.tables.judge_columns import AT
from manyjudges.tables.judgments import Judgments

if TYPE_CHECKING:
    from manyjudges.service.study import OpenStudy


def workforce_of(opened: OpenStudy) -> Workforce:
    """The people of a study in numbers; models are none."""
    rows = opened.store.ledger()
    return summarize_workers(rows[rows["source"] != "model"], opened.store.costs())


def bonuses_of(opened: OpenStudy, *, external: bool = False) -> pd.DataFrame:
    """Whom to pay more, and how much."""
    work = opened.study.work
    workforce = workforce_of(opened)
    return suggested_bonuses(workforce, pay_per_unit=work.pay_per_unit, currency=work.currency, external=external)


def opinions_of(opened: OpenStudy) -> dict[str, Any] | None:
    """How many independent opinions the models of a study are worth; None where that cannot be told yet.

    ``shares`` says what the variance of one call is made of; ``attributes`` has, of each attribute, what the latest
    plan buys: ``calls``, ``judges``, ``models``, ``opinions``, and the ``ceiling`` that no number of calls exceeds.
    """
    columns = {column.name for column in opened.study.columns if column.judge is not None}
    rows = opened.store.judgments()
    rows = rows[rows["attribute"].isin(columns)]
    if rows.empty:
        return None
    judges = {model.name: model.called for model in opened.study.models}
    seen = {column.rpartition(AT)[2] for column in rows["attribute"].unique()}
    try:
        noise = panel_variance(
            Judgments.from_frame(rows), groups={name: called for name, called in judges.items() if name in seen}
        )
    except MomentsError:  # too few objects to tell anything
        return None
    rounds = opened.store.rounds()
    bought = Plan.from_document(rounds[-1]["plan"]).repeats if rounds else {}
    worth = noise.opinions({name: count for name, count in bought.items() if name in noise.columns})
    worth["ceiling"] = noise.ceiling.reindex(worth.index)
    rows_of = worth.reset_index().to_dict(orient="records")
    return {
        "shares": _without_nan(noise.pooled.to_dict()),
        "attributes": [_without_nan(row) for row in rows_of],
        "message": noise.message,
    }


def answer_so_far(opened: OpenStudy) -> dict[str, Any] | None:
    """The latest answer, as ``Answer.to_document`` gives it; None before the first plan."""
    rounds = opened.store.rounds()
    answer: dict[str, Any] | None = (rounds[-1]["outlook"] or {}).get("answer") if rounds else None
    return answer


def _without_nan(numbers: dict[Any, Any]) -> dict[Any, Any]:
    """Numbers with None for those that are not known: JSON has no NaN."""
    return {name: None if pd.isna(value) else value for name, value in numbers.items()}


def status_of(opened: OpenStudy) -> dict[str, Any]:
    """Where a study stands, in numbers."""
    store, study = opened.store, opened.study
    progress, spending, rounds = store.progress(), store.spending(), store.rounds()
    last = rounds[-1] if rounds else None
    return {
        "title": study.title,
        "state": store.state,
        **store.position(),
        "judgments": int(progress["have"].sum()),
        "cant_tell": int(progress["cant_tell"].sum()),
        "out": int(progress["out"].sum()),
        "open": int(progress["open"].sum()),
        "spent": spending["spent"],
        "committed": spending["out"] + spending["open"],
        "spending_limit": study.plan.spending_limit,
        "budget": study.plan.budget,
        "workers": sum(worker.judged > 0 for worker in store.workers()),
        "plan": None if last is None else Plan.from_document(last["plan"]).repeats,
        "answer": answer_so_far(opened),
        "attributes": progress.to_dict(orient="records"),
        "paid": store.call_log.paid(),
        "currency": study.work.currency,
        "opinions": opinions_of(opened),
        "problems": [f"line {problem.line}: {problem.message}" for problem in opened.objects.problems],
    }
