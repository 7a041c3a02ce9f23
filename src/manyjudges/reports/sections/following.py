"""What one more judgment of each attribute is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manyjudges.base.formatting import clean, listed, number, small_percent
from manyjudges.reports.sections.section import ROWS, PageSource, Section, SectionFigure
from manyjudges.summary import NextJudgments

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _values(source: PageSource) -> dict[str, Any]:
    return {"following": _rows(source.summary.next_judgments)}


def _rows(judgments: NextJudgments) -> list[dict[str, Any]]:
    return [
        {
            "name": clean(name),
            "repeats": int(judgments.repeats[i]),
            "gain": small_percent(judgments.gain[i]),
            "price": number(judgments.price[i]),
            "worth": small_percent(judgments.gain_per_cost[i]),
            "available": bool(judgments.available[i]),
        }
        for i, name in enumerate(judgments.attributes)
    ]


def _draw(source: PageSource, ax: Axes) -> Axes:
    from manyjudges import plots

    return plots.next_judgments(source.summary.next_judgments, ax)


def _finding(source: PageSource) -> str:
    """The best next purchase, and how it compares."""
    judgments = source.summary.next_judgments
    if not np.any(judgments.available):
        return "Of no attribute is there another judgment to be had."
    if judgments.gain_per_cost[0] <= 0:  # those that can be had come first
        return "No further judgment would add to what the plan explains."
    there = [name for name, fine in zip(judgments.attributes, judgments.available, strict=True) if fine]
    names = [f"“{clean(name)}”" for name in there[:3]]
    rest = f", followed by {listed(names[1:])}" if len(names) > 1 else ""
    return (
        f"The best next judgment for its price would be one of {names[0]}: it would explain another "
        f"{small_percent(judgments.gain[0])} of the label’s variance for {number(judgments.price[0])}{rest}."
    )


def _heights(source: PageSource) -> tuple[float, float]:
    """A bar for each attribute that is shown."""
    height = 0.9 + 0.21 * max(min(len(source.summary.next_judgments.attributes), ROWS), 4)
    return height, height


SECTION = Section(
    "following",
    "Next judgment",
    "What the next judgment is worth",
    "following.html.jinja",
    _values,
    (SectionFigure("next", "What one more judgment of each attribute is worth", _draw, _finding, _heights),),
)
