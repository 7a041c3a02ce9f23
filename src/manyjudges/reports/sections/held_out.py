"""Errors on held-out objects: predictions against labels, and whether intervals hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manyjudges.base.formatting import decimals_for, fixed, number, percent, plural
from manyjudges.reports.sections.section import PageSource, Section, SectionFigure
from manyjudges.summary import IntervalCalibration, Residuals

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _values(source: PageSource) -> dict[str, Any]:
    return {"levels": _levels(source.summary.calibration)}


def _levels(calibration: IntervalCalibration) -> list[dict[str, str]]:
    return [
        {
            "level": percent(level),
            "covered": percent(calibration.covered[i], 1),
            "limits": f"{percent(calibration.low[i], 1)} to {percent(calibration.high[i], 1)}",
        }
        for i, level in enumerate(calibration.levels)
    ]


def _draw_residuals(source: PageSource, ax: Axes) -> Axes:
    from manyjudges import plots

    return plots.residuals(source.summary.residuals, ax, label_name=source.label)


def _draw_calibration(source: PageSource, ax: Axes) -> Axes:
    from manyjudges import plots

    return plots.calibration(source.summary.calibration, ax)


def _residuals_finding(source: PageSource) -> str:
    """How good predictions of held-out objects are."""
    residuals = source.summary.residuals
    digits = decimals_for(residuals.rmse / 10)
    objects = plural(len(residuals.labels), "held-out object")
    parts = f"With the judgments at hand, predictions of {objects} are typically off by {fixed(residuals.rmse, digits)}"
    if np.isfinite(residuals.correlation):
        parts += f" and correlate {fixed(residuals.correlation)} with the label"
    return f"{parts}. On the whole they are {_bias(residuals)}."


def _bias(residuals: Residuals) -> str:
    chance = 2 * residuals.rmse / max(len(residuals.labels), 1) ** 0.5
    if abs(residuals.mean_error) <= chance:
        return "neither too high nor too low"
    return f"too {'high' if residuals.mean_error > 0 else 'low'} by {number(abs(residuals.mean_error), 2)}"


def _calibration_finding(source: PageSource) -> str:
    """Whether intervals are too narrow or too wide."""
    calibration = source.summary.calibration
    k = min(range(len(calibration.levels)), key=lambda i: abs(calibration.levels[i] - 0.9))
    covered = f"{percent(calibration.covered[k])} ({percent(calibration.low[k])} to {percent(calibration.high[k])})"
    level = calibration.levels[k]
    narrow = sum(high < level for high, level in zip(calibration.high, calibration.levels, strict=True))
    wide = sum(low > level for low, level in zip(calibration.low, calibration.levels, strict=True))
    verdict = "and those of other levels show no sign that they should be wider or narrower"
    if narrow > wide:
        verdict = f"and {narrow} of {len(calibration.levels)} levels hold too few: take predictions for less certain"
    elif wide:
        verdict = f"and {wide} of {len(calibration.levels)} levels hold too many: intervals are wider than they need be"
    return f"Intervals that should hold {percent(level)} of the labels hold {covered}, {verdict}."


SECTION = Section(
    "heldout",
    "Errors",
    "Errors on held-out objects",
    "held_out.html.jinja",
    _values,
    (
        SectionFigure(
            "residuals",
            "Label against prediction",
            _draw_residuals,
            _residuals_finding,
            lambda source: (4.4, 3.6),
        ),
        SectionFigure(
            "calibration",
            "How often intervals hold the label",
            _draw_calibration,
            _calibration_finding,
            lambda source: (4.4, 3.6),
        ),
    ),
)
