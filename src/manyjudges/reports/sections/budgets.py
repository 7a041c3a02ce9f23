"""The budget curve: what more or less money buys."""

from __future__ import annotations

from typing import Any

from manyjudges.base.formatting import NONE, fixed, number, small_percent
from manyjudges.reports.explorer import component, curve_digits
from manyjudges.reports.sections.section import PageSource, Section
from manyjudges.summary import Summary


def _values(source: PageSource) -> dict[str, Any]:
    # The curve's figure and what it says are the explorer's, which notebooks show without a page.
    explorer = component(source.summary.curve, source.label, "budget")
    method = source.summary.answer.method
    return {"explorer": explorer, "next_units": _next_units(source.summary), "method": method}


def _next_units(study: Summary) -> list[dict[str, str]]:
    digits, units = curve_digits(study.curve) + 1, study.curve.next_units
    return [
        {
            "to": number(row.to_budget),
            "extra": number(row.extra_cost),
            "error": fixed(row.error, digits),
            "gained": small_percent(row.gained) if gains else "no gain",
            "per_unit": small_percent(row.gained_per_unit) if gains else NONE,
        }
        for row, gains in zip(units.itertuples(), (units["gained"] > 0).tolist(), strict=True)
    ]


SECTION = Section("budgets", "Budget", "What more or less money buys", "budgets.html.jinja", _values)
