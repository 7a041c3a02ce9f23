"""All sections of a report, in their order."""

from __future__ import annotations

from manyjudges.reports.sections import (
    answer,
    attributes,
    bill,
    budgets,
    checks,
    decisions,
    following,
    held_out,
    predictor,
    reading,
    reliability,
)
from manyjudges.reports.sections.section import Section

SECTIONS: tuple[Section, ...] = (
    answer.SECTION,
    bill.SECTION,
    budgets.SECTION,
    attributes.SECTION,
    following.SECTION,
    predictor.SECTION,
    held_out.SECTION,
    decisions.SECTION,
    reliability.SECTION,
    checks.SECTION,
    reading.SECTION,
)
