"""The answer: what to buy, and the numbers that matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyjudges.base.formatting import NONE, clean, error_digits, fixed, number, percent
from manyjudges.exceptions import spelled
from manyjudges.learn.answers import Answer
from manyjudges.reports.sections.section import PageSource, Section


def _values(source: PageSource) -> dict[str, Any]:
    answer = source.summary.answer
    failed = [result.check.title for result in source.summary.checks.failed]
    spent, budget = _money(answer, answer.plan.cost), _money(answer, answer.budget)
    return {
        "spent": spent,
        "budget": budget,
        "answer": answer,
        "tiles": _tiles(answer),
        "plan_rows": _plan_rows(answer),
        "failed": failed,
    }


def _tiles(answer: Answer) -> list[dict[str, str]]:
    """The three or four numbers that matter."""
    if answer.error is None or answer.low is None or answer.high is None or answer.baseline_error is None:
        return [
            {"name": "Error to expect", "value": NONE, "note": " ".join(map(spelled, answer.notes)), "kind": "main"}
        ]
    digits = error_digits(answer.low, answer.high, answer.baseline_error)
    low, high, guess = (fixed(value, digits) for value in (answer.low, answer.high, answer.baseline_error))
    limits = f"{low} to {high}" if answer.low > 0 else f"up to {high}"
    tiles = [
        {
            "name": "Error to expect",
            "value": fixed(answer.error, digits) if answer.error > 0 else f"≤ {high}",
            "note": f"{limits} (95 % limits) on new objects; {_explained(answer)}",
            "kind": "main",
        },
        {"name": "Guessing the mean", "value": guess, "note": "the error without any judgments", "kind": ""},
    ]
    if not answer.attributes:
        return tiles
    too_good = "too good: " if answer.in_sample_error < answer.error else ""
    note = f"{too_good}measured on the very objects that the plan was made from"
    promised = fixed(answer.in_sample_error, digits)
    tiles.append({"name": "The plan promises", "value": promised, "note": note, "kind": ""})
    if answer.gap is not None:
        of_best = 1 - answer.gap
        tiles.append(
            {
                "name": "Of the best plan",
                "value": f"≥ {percent(np.floor(1000 * of_best) / 1000, 1)}" if of_best < 1 else percent(1.0),
                "note": "of what the best possible plan for this budget would explain, by the same estimates",
                "kind": "",
            }
        )
    return tiles


def _explained(answer: Answer) -> str:
    """How much of the label's variance predictions explain."""
    if answer.helps is False:
        return "no better than guessing the mean"
    if not answer.error:
        return "it cannot be told apart from zero"
    return f"{percent(answer.explained)} of the variance explained"


def _money(answer: Answer, amount: float) -> str:
    """An amount in the plan's currency; three digits of it where it has none."""
    return answer.plan.money(amount) if answer.plan.currency else number(amount)


def _plan_rows(answer: Answer) -> list[dict[str, Any]]:
    largest = max(float(np.max(answer.share, initial=0.0)), 1e-12)
    return [
        {
            "name": clean(name),
            "repeats": int(answer.repeats[i]),
            "price": _money(answer, answer.price[i]),
            "cost": _money(answer, answer.cost[i]),
            "share": percent(answer.share[i], 1),
            "width": round(100 * max(float(answer.share[i]), 0.0) / largest, 1),
        }
        for i, name in enumerate(answer.attributes)
    ]


SECTION = Section("answer", "Answer", "What to buy", "answer.html.jinja", _values)
