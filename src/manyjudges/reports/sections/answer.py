"""The answer: what to buy, and the numbers that matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyjudges.base.formatting import clean, error_digits, fixed, in_units, number, percent
from manyjudges.reports.sections.section import PageSource, Section
from manyjudges.summary import Answer


def _values(source: PageSource) -> dict[str, Any]:
    answer = source.summary.answer
    failed = [result.check.title for result in source.summary.checks.failed]
    return {"answer": answer, "tiles": _tiles(answer), "plan_rows": _plan_rows(answer), "failed": failed}


def _tiles(answer: Answer) -> list[dict[str, str]]:
    """The three or four numbers that matter."""
    digits = error_digits(answer.deviation_low, answer.deviation_high, answer.baseline_deviation)
    off, low, high, guess, promised = (
        fixed(value, digits)
        for value in (
            answer.deviation,
            answer.deviation_low,
            answer.deviation_high,
            answer.baseline_deviation,
            in_units(answer.promised * answer.label_variance),
        )
    )
    tiles = [
        {
            "name": "Error to expect",
            "value": off,
            "note": f"{low} to {high}, two standard errors either way, on new objects; "
            f"{percent((answer.deviation / answer.baseline_deviation) ** 2)} of the variance stays unexplained",
            "kind": "main",
        },
        {"name": "Guessing the mean", "value": guess, "note": "the error without any judgments", "kind": ""},
    ]
    if not answer.attributes:
        return tiles
    too_good = "too good: " if answer.promised * answer.label_variance < answer.loss else ""
    note = f"{too_good}measured on the very objects that the plan was made from"
    tiles.append({"name": "The plan promises", "value": promised, "note": note, "kind": ""})
    if answer.of_best is not None:
        tiles.append(
            {
                "name": "Of the best plan",
                "value": f"≥ {percent(np.floor(1000 * answer.of_best) / 1000, 1)}"
                if answer.of_best < 1
                else percent(1.0),
                "note": "of what the best possible plan for this budget would explain, by the same estimates",
                "kind": "",
            }
        )
    return tiles


def _plan_rows(answer: Answer) -> list[dict[str, Any]]:
    largest = max(float(np.max(answer.share, initial=0.0)), 1e-12)
    return [
        {
            "name": clean(name),
            "repeats": int(answer.repeats[i]),
            "price": number(answer.price[i]),
            "cost": number(answer.cost[i]),
            "share": percent(answer.share[i], 1),
            "width": round(100 * max(float(answer.share[i]), 0.0) / largest, 1),
        }
        for i, name in enumerate(answer.attributes)
    ]


SECTION = Section("answer", "Answer", "What to buy", "answer.html.jinja", _values)
