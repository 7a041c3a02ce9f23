"""Answers: what was planned, told as plain data for the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from manyjudges.app.choices import Money
from manyjudges.app.work.curves import curve_document
from manyjudges.base.formatting import error_digits, fixed, percent, plural
from manyjudges.base.messages import quote_value
from manyjudges.base.money import format_amount
from manyjudges.exceptions import PlanError
from manyjudges.learn.answers import Answer
from manyjudges.learn.budgets import BudgetCurve
from manyjudges.learn.costs.bill import Bill
from manyjudges.learn.costs.terms import Terms
from manyjudges.tables.grammar import read_whole_number

_USUAL = 20
"""Judgments that a budget pays for where nobody names one, at most."""


def terms_of(money: Money, attributes: tuple[str, ...]) -> Terms:
    """The prices and the budget, read; without a budget, it is what two judgments of each attribute cost, or 20."""
    named: dict[str, Any] = {"price": money.price or None, "costs": dict(money.costs), "currency": money.currency}
    named |= {"total": money.total or None, "new": _count(money.new)}
    if money.budget or money.total:
        return Terms.of(money.budget or None, **named)
    costs = Terms.of(0, **named).costs_of(attributes)
    usual = min(2.0 * float(costs.sum()), _USUAL * float(np.median(costs)))
    return Terms.of(float(f"{usual:.3g}"), **named)


def limits_of(money: Money) -> dict[str, int] | None:
    """How often each attribute can be asked about one object, read; None where there is no limit."""
    limits = {}
    for name, text in money.max_repeats.items():
        count = read_whole_number(text)
        if count is None or count < 0:
            raise PlanError(
                f"The most judgments of {quote_value(name)} must be a whole number, not {quote_value(text)}.",
                value=text,
                column="max_repeats",
            )
        limits[name] = count
    return limits or None


def answer_document(answer: Answer, curve: BudgetCurve | None) -> dict[str, Any]:
    """What to buy, what to expect, what it costs, and the curve, where errors could be estimated."""
    bill = answer.bill
    rows = [
        {
            "name": name,
            "repeats": int(answer.repeats[i]),
            "price": format_amount(float(answer.price[i]), bill.currency),
            "cost": format_amount(float(answer.cost[i]), bill.currency),
            "share": percent(answer.share[i]),
        }
        for i, name in enumerate(answer.attributes)
    ]
    return {
        "sentence": answer.sentence,
        "budget": f"{answer.budget:.10g}",
        "rows": rows,
        "tiles": list(_tiles(answer, bill)),
        "bill": bill.headline,
        "curve": None if curve is None else curve_document(curve, bill.currency),
        "notes": list(answer.notes),
        "warnings": [warning.message for warning in answer.warnings],
    }


def _tiles(answer: Answer, bill: Bill) -> Iterator[dict[str, str]]:
    """The numbers that matter."""
    if answer.error is not None and answer.low is not None and answer.high is not None and answer.baseline_error:
        digits = error_digits(answer.low, answer.high, answer.baseline_error)
        low, error, high, guess = (
            fixed(value, digits) for value in (answer.low, answer.error, answer.high, answer.baseline_error)
        )
        yield {"name": "Error to expect", "value": error, "note": f"{low} to {high}, on new objects"}
        yield {"name": "Guessing the mean", "value": guess, "note": "the error without any judgments"}
        note = "no better than guessing the mean" if answer.helps is False else "on objects that were held out"
        yield {"name": "Variance explained", "value": percent(answer.explained), "note": note}
    each = bill.per_object
    note = f"{plural(each.judgments, 'judgment')} of each object"
    yield {"name": "Cost per object", "value": format_amount(each.cost, bill.currency), "note": note}


def _count(text: str) -> int | None:
    """How many new objects there are; none where nothing was entered."""
    plain = text.replace(",", "").replace(" ", "")
    if not plain:
        return None
    if not (plain.isascii() and plain.isdecimal()):
        raise PlanError(
            f"The number of new objects must be a whole number, not {quote_value(text)}.", value=text, column="new"
        )
    return int(plain)
