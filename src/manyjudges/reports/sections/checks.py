"""Checks of the data: what was looked for, and what speaks against relying on the report."""

from __future__ import annotations

from typing import Any

from manyjudges.base.formatting import NONE, clean
from manyjudges.learn.checks.check import Failed
from manyjudges.reports.sections.section import PageSource, Section


def _values(source: PageSource) -> dict[str, Any] | None:
    checks = source.summary.checks
    if not len(checks):
        return None
    return {"failed": _failed(source), "rows": _rows(source)}


def _failed(source: PageSource) -> list[dict[str, str]]:
    return [
        {
            "title": result.check.title,
            "code": result.check.code,
            "severity": result.check.severity,
            "finding": clean(result.outcome.finding),
            "why": clean(result.outcome.why),
            "advice": clean(result.outcome.advice),
        }
        for result in source.summary.checks.failed
        if isinstance(result.outcome, Failed)
    ]


def _rows(source: PageSource) -> list[dict[str, str]]:
    """Every check by its code; what a failure means stands above."""
    return [
        {
            "title": result.check.title,
            "code": result.check.code,
            "severity": result.check.severity,
            "status": result.status,
            "details": "see above" if result.status == "failed" else clean(result.message) or NONE,
        }
        for result in source.summary.checks
    ]


SECTION = Section(
    "checks",
    "Checks",
    "Checks of the data",
    "checks.html.jinja",
    _values,
    count=lambda source: len(source.summary.checks.failed),
)
