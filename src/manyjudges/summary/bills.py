"""Bills as text: columns of amounts in their currency, for the terminal and for reports."""

from __future__ import annotations

__all__ = ["bill_columns"]

from collections.abc import Iterable

from manyjudges.base.money import format_amount
from manyjudges.learn.costs.bill import Bill


def bill_columns(bill: Bill) -> dict[str, list[str]]:
    """A bill as columns of text: a row for each question, and a last one for all of them.

    Amounts are in the bill's currency, or plain numbers where it has none.

    >>> import numpy as np
    >>> from manyjudges.core.plan import Plan
    >>> from manyjudges.learn.costs.bill import bill_of
    >>> plan = Plan(("tall", "old"), np.array([0.05, 0.1]), 0.2, "full", 3.0, np.array([0, 1]), np.array([1.0, 1.5]))
    >>> lacking = {"judgments": 3, "cost": 0.2, "objects": 2, "attributes": {"tall": 2, "old": 1}}
    >>> for heading, cells in bill_columns(bill_of(plan, lacking, currency="USD", new=1000)).items():
    ...     print(f"{heading:>13}", *(f"{cell:>8}" for cell in cells))
         question     tall      old   in all
        judgments        1        1        2
            price    $0.05    $0.10
        an object    $0.05    $0.10    $0.15
    still missing    $0.10    $0.10    $0.20
        1,000 new   $50.00  $100.00  $150.00
    """

    def money(amounts: Iterable[float]) -> list[str]:
        # A word in each cell would only be in the way.
        return [format_amount(amount, bill.currency).removesuffix(" units").removesuffix(" unit") for amount in amounts]

    columns = {
        "question": [*bill.attributes, "in all"],
        "judgments": [f"{count:,}" for count in (*bill.repeats, bill.per_object.judgments)],
        "price": [*money(bill.price), ""],
        "an object": money([*bill.cost, bill.per_object.cost]),
    }
    if bill.labelled.judgments:
        columns["still missing"] = money([*bill.missing_cost, bill.labelled.cost])
    if bill.new is not None:
        each = bill.new.objects or 0
        columns[f"{each:,} new"] = money([*(bill.cost * each), bill.new.cost])
    return columns
