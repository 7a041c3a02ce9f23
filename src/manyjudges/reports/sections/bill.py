"""What the plan costs: for one object, for the labelled objects that lack judgments, and for new ones."""

from __future__ import annotations

from typing import Any

from manyjudges.base.formatting import clean
from manyjudges.exceptions import spelled
from manyjudges.reports.sections.section import PageSource, Section
from manyjudges.summary.bills import bill_columns


def _values(source: PageSource) -> dict[str, Any] | None:
    bill = source.summary.answer.bill
    if bill is None:
        return None
    columns = bill_columns(bill)
    rows = [[clean(cell) for cell in row] for row in zip(*columns.values(), strict=True)]
    # Without an error, the notes stand in its place.
    notes = () if source.summary.answer.error is None else tuple(map(spelled, source.summary.answer.notes))
    return {
        "sentence": bill.headline,
        "notes": notes,
        "headings": list(columns),
        "rows": rows if bill.attributes else [],
    }


SECTION = Section("bill", "Cost", "What it costs", "bill.html.jinja", _values)
