"""Held out: predictions of objects that had no part in them, and whether intervals hold what they say."""

from __future__ import annotations

__all__ = ["calibration", "residuals"]

from typing import TYPE_CHECKING

import numpy as np

from manyjudges.plots.canvas import CHOSEN, TRUTH, axes_or_new, expect, grid, percent, readable
from manyjudges.summary import IntervalCalibration, Residuals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_POINTS = 1000
"""Objects that are drawn; of more, every so many-th by prediction."""


def residuals(points: Residuals, ax: Axes | None = None, *, label_name: str = "the label") -> Axes:
    """Label against prediction of held-out objects; the line is where they agree.

    Parameters
    ----------
    points : Residuals
    ax : matplotlib.axes.Axes, optional
    label_name : str
        What is predicted.
    """
    expect(points, Residuals)
    ax = axes_or_new(ax, (5.0, 4.6))
    predictions, labels = np.asarray(points.predictions, dtype=float), np.asarray(points.labels, dtype=float)
    order = np.argsort(predictions, kind="stable")
    drawn = order[np.linspace(0, len(order) - 1, min(len(order), _MOST_POINTS)).round().astype(int)]
    both = np.concatenate([predictions, labels])
    ends = [float(both.min()), float(both.max())] if len(both) else [0.0, 1.0]
    ax.plot(ends, ends, color=TRUTH, linewidth=1.2, linestyle="--", zorder=3)
    ax.plot(predictions[drawn], labels[drawn], "o", color=CHOSEN, markersize=3.2, alpha=0.45, markeredgewidth=0)
    grid(ax)
    note = f" ({len(drawn):,} of {len(order):,} objects)" if len(drawn) < len(order) else ""
    ax.set_xlabel(f"predicted{note}")
    ax.set_ylabel(f"{readable(label_name, 40)}, as it is", parse_math=False)
    return ax


def calibration(intervals: IntervalCalibration, ax: Axes | None = None) -> Axes:
    """How often intervals hold the label against how often they should, with 95 % limits; on the line is right.

    Parameters
    ----------
    intervals : IntervalCalibration
    ax : matplotlib.axes.Axes, optional
    """
    expect(intervals, IntervalCalibration)
    ax = axes_or_new(ax, (5.0, 4.6))
    covered = np.asarray(intervals.covered, dtype=float)
    below, above = np.maximum(covered - intervals.low, 0), np.maximum(intervals.high - covered, 0)
    ax.plot([0, 1], [0, 1], color=TRUTH, linewidth=1.2, linestyle="--")
    ax.errorbar(
        intervals.levels, covered, yerr=[below, above], fmt="o-", color=CHOSEN, markersize=4, linewidth=1.2, capsize=2
    )
    ax.set_xlim(0, 1.02)
    ax.set_ylim(0, 1.02)
    grid(ax)
    percent(ax.xaxis)
    percent(ax.yaxis)
    ax.set_xlabel("should hold the label")
    ax.set_ylabel("do hold it")
    return ax
