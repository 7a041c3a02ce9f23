"""How this was decided: what was tried with judgments, moments, predictor and plan, and what was kept."""

from __future__ import annotations

from typing import Any

from manyjudges.base.formatting import NONE, number
from manyjudges.learn.wording.decisions import decisions_of
from manyjudges.reports.sections.section import PageSource, Section


def _values(source: PageSource) -> dict[str, Any] | None:
    choice = source.summary.answer.choice
    if choice is None:
        return None
    rows = [
        {
            "question": each.question,
            "tried": each.tried,
            "error": NONE if each.error is None else number(each.error, 4),
            "kept": "kept" if each.kept else "left out",
            "why": each.why,
        }
        for each in decisions_of(choice)
    ]
    return {"rows": rows, "curved": choice.predictor == "curved"}


SECTION = Section("decisions", "Decisions", "How this was decided", "decisions.html.jinja", _values)
