"""The predictor: how judgments become a prediction."""

from __future__ import annotations

from typing import Any

from manyjudges.base.formatting import clean, number
from manyjudges.learn.predictor import Predictor
from manyjudges.reports.sections.section import PageSource, Section


def _values(source: PageSource) -> dict[str, Any]:
    predictor = source.summary.predictor
    return {"predictor": predictor, "terms": _terms(predictor), "label": source.label}


def _terms(predictor: Predictor) -> list[dict[str, Any]]:
    """Coefficients, the attribute with most judgments first."""
    triples = zip(predictor.attributes, predictor.repeats.tolist(), predictor.coefficients.tolist(), strict=True)
    ordered = sorted(triples, key=lambda term: -term[1])
    return [
        {"name": clean(name), "repeats": n, "coefficient": number(w), "size": number(abs(w)), "negative": w < 0}
        for name, n, w in ordered
    ]


SECTION = Section("predictor", "Predictor", "How judgments become a prediction", "predictor.html.jinja", _values)
