"""How to read the report, and how it was made."""

from __future__ import annotations

from typing import Any

from manyjudges.base.formatting import clean, number
from manyjudges.base.methods import SEARCH_SUMMARIES
from manyjudges.base.version import __version__
from manyjudges.reports.sections.section import PageSource, Section
from manyjudges.summary import Summary

_METHODS = {"auto": "takes the one with the lowest error on held-out objects", **SEARCH_SUMMARIES}


def _values(source: PageSource) -> dict[str, Any]:
    compared = source.summary.curve.methods
    return {
        "made": _made(source.summary, __version__, dict(source.made)),
        "methods": {name: does for name, does in _METHODS.items() if name in compared},
    }


def _made(study: Summary, version: str, made: dict[str, object]) -> list[tuple[str, str]]:
    answer = study.answer
    tamed = f", shrinkage {answer.shrinkage:g}" if answer.shrinkage else ""
    rows: dict[str, object] = {
        "Package": f"ManyJudges {version}",
        "Budget": f"{number(answer.budget)} for each object, of which {number(answer.plan.cost)} is spent",
        "Method": f"{answer.method}{tamed}",
        "Predictor": study.predictor.kind.replace("_", " "),
    }
    if study.settings:
        seed = study.settings["random_state"]
        rows["Seed"] = "none: chance was not fixed" if seed is None else seed
        rows["Held-out error"] = f"{study.settings['cv']} folds, {study.settings['cv_repeats']} times"
    return [(clean(name), clean(value)) for name, value in (rows | made).items()]


SECTION = Section("reading", "Glossary", "How to read this", "reading.html.jinja", _values)
