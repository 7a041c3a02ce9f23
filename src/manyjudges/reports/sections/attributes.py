"""The map of the attributes: which tell, and which are noisy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manyjudges.base.formatting import clean, fixed, listed, number, plural
from manyjudges.reports.sections.section import PageSource, Section, SectionFigure
from manyjudges.summary import AttributeMap

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _values(source: PageSource) -> dict[str, Any]:
    return {"attributes": _rows(source.summary.attribute_map)}


def _rows(attributes: AttributeMap) -> list[dict[str, Any]]:
    """The most telling first."""
    strength = np.abs(np.nan_to_num(np.asarray(attributes.correlation, dtype=float)))
    return [
        {
            "name": clean(attributes.attributes[i]),
            "correlation": fixed(attributes.correlation[i]),
            "noise": number(attributes.noise_ratio[i], 2),
            "mean": number(attributes.mean[i]),
            "deviation": number(attributes.deviation[i]),
            "repeats": int(attributes.repeats[i]),
        }
        for i in np.argsort(-strength, kind="stable")
    ]


def _draw(source: PageSource, ax: Axes) -> Axes:
    from manyjudges import plots

    return plots.attribute_map(source.summary.attribute_map, ax)


def _finding(source: PageSource) -> str:
    """Who tells most, and of what the plan buys most."""
    attributes = source.summary.attribute_map
    strength = np.abs(np.nan_to_num(np.asarray(attributes.correlation, dtype=float)))
    top = [int(i) for i in np.argsort(-strength, kind="stable")[:3] if strength[i] > 0]
    bought = int((np.asarray(attributes.repeats) > 0).sum())
    start = f"The plan buys {bought} of {plural(len(attributes.attributes), 'attribute')}."
    if not top:
        return f"{start} None of them goes with the label."
    named = listed(f"“{clean(attributes.attributes[i])}” ({fixed(attributes.correlation[i])})" for i in top)
    return f"{start} Most strongly correlated with the label: {named}."


SECTION = Section(
    "attributes",
    "Attributes",
    "Which attributes tell, and which are noisy",
    "attributes.html.jinja",
    _values,
    (SectionFigure("map", "Map of the attributes", _draw, _finding, lambda source: (5.2, 4.8)),),
)
