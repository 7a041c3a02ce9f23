"""Curves: error against budget, and reliability against the number of judgments."""

from __future__ import annotations

__all__ = ["budget_curve", "reliability"]

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from manyjudges.learn.budgets import BudgetCurve
from manyjudges.plots.canvas import (
    CHOSEN,
    CYCLE,
    GREY,
    MARKERS,
    OTHER,
    TRUTH,
    add_name,
    axes_or_new,
    expect,
    grid,
    percent,
    readable,
    spread_labels,
)
from manyjudges.summary import Reliability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NAMES = 12
"""Curves of reliability that are named."""


def budget_curve(
    curve: BudgetCurve, ax: Axes | None = None, *, relative: bool = False, label_name: str = "the label"
) -> Axes:
    """The error to expect at each budget: honest (a line with 95 % limits) and as promised (dashed).

    Parameters
    ----------
    curve : BudgetCurve
    ax : matplotlib.axes.Axes, optional
    relative : bool
        Whether to draw the share of the label's variance explained, rather than errors in its units.
    label_name : str
        What is predicted.
    """
    expect(curve, BudgetCurve)
    ax = axes_or_new(ax)
    for m, method in enumerate(curve.methods):
        colour, marker = CYCLE[m % len(CYCLE)], MARKERS[m % len(MARKERS)]
        low, middle, high, promised = (
            _shown(curve, values[m], relative) for values in (curve.low, curve.error, curve.high, curve.in_sample_error)
        )
        ax.fill_between(curve.budgets, low, high, color=colour, alpha=0.15, linewidth=0)
        ax.plot(
            curve.budgets, promised, color=colour, linestyle=(0, (4, 3)), linewidth=1.2, label=f"{method}, promised"
        )
        ax.plot(
            curve.budgets, middle, color=colour, marker=marker, markersize=4, linewidth=2, label=f"{method}, honest"
        )
    _marks(ax, curve, relative)
    grid(ax, "y")
    ax.set_xlabel("budget for each object")
    if relative:
        percent(ax.yaxis)
    label = "share of the variance explained" if relative else f"error (RMSE) of {readable(label_name, 40)}"
    ax.set_ylabel(label, parse_math=False)
    ax.set_xlim(left=0)
    ax.locator_params(axis="x", integer=True)  # whole budgets, where there are two or more to show
    _curve_legend(ax, len(curve.methods))
    return ax


def _shown(curve: BudgetCurve, error: Any, relative: bool) -> Any:
    """Errors as they are, or as the share of the label's variance explained, from 0 to 1."""
    return np.clip(1 - (error / curve.baseline_error) ** 2, 0, 1) if relative else error


def _marks(ax: Axes, curve: BudgetCurve, relative: bool) -> None:
    """What guessing the mean gives, and the chosen budget."""
    guess = float(_shown(curve, curve.baseline_error, relative))
    ax.axhline(guess, color=TRUTH, linewidth=1, linestyle=":")
    where = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points", "fontsize": "small", "color": GREY}
    add_name(ax, "always guessing the mean", (1, guess), xytext=(0, 3), ha="right", va="bottom", **where)
    ax.axvline(curve.chosen_budget, color=GREY, linewidth=1)
    add_name(
        ax,
        f"budget {curve.chosen_budget:g}",
        (curve.chosen_budget, 0.03),
        xycoords=ax.get_xaxis_transform(),
        xytext=(4, 0),
        textcoords="offset points",
        fontsize="small",
    )


def _curve_legend(ax: Axes, methods: int) -> None:
    handles, labels = ax.get_legend_handles_labels()
    order = [i for m in range(methods) for i in (2 * m + 1, 2 * m)]
    ax.legend(
        [handles[i] for i in order],
        [labels[i] for i in order],
        loc="lower left",
        bbox_to_anchor=(0, 1.02),
        ncols=2,
        frameon=False,
        borderpad=0,
        borderaxespad=0.2,
        fontsize="small",
    )


def reliability(table: Reliability, ax: Axes | None = None, *, highlight: Collection[str] = ()) -> Axes:
    """How reliable the mean of so many judgments would be, a curve for each attribute.

    Parameters
    ----------
    table : Reliability
    ax : matplotlib.axes.Axes, optional
    highlight : collection of str
        Attributes to draw in colour and to name, such as those of a plan. Without any, the most and least reliable ones
        and some between are named, and all are in colour where they are few.
    """
    expect(table, Reliability)
    ax = axes_or_new(ax)
    estimable = [i for i in range(len(table.attributes)) if np.isfinite(table.projected[i]).all()]
    for i in estimable:
        lit = table.attributes[i] in highlight if highlight else len(estimable) <= _MOST_NAMES
        colour, width, alpha = (CHOSEN, 1.5, 0.9) if lit else (OTHER, 1.0, 0.5)
        ax.plot(table.numbers, table.projected[i], color=colour, linewidth=width, alpha=alpha, zorder=3 if lit else 2)
    for target in table.targets:
        ax.axhline(target, color=GREY, linewidth=0.8, linestyle=":")
    ax.set_xscale("log")
    ax.set_xticks(table.numbers, labels=[str(n) for n in table.numbers])
    ax.minorticks_off()
    ax.set_xlim(min(table.numbers), max(table.numbers))
    ax.set_ylim(0, 1.0)
    ax.set_xlabel("judgments of each object")
    ax.set_ylabel("reliability of their mean")
    ax.yaxis.tick_right()
    ax.yaxis.set_label_position("right")
    ax.spines["right"].set_visible(True)
    _start_names(ax, table, [i for i in estimable if table.attributes[i] in highlight] or estimable)
    return ax


def _start_names(ax: Axes, reliabilities: Reliability, which: list[int]) -> None:
    """Names to the left, where the curves are farthest apart, spread so that they do not overlap."""
    order = sorted(which, key=lambda i: (-float(reliabilities.projected[i, 0]), i))
    if len(order) > _MOST_NAMES:
        order = [order[j] for j in np.unique(np.linspace(0, len(order) - 1, _MOST_NAMES).round().astype(int))]
    leader = {"arrowstyle": "-", "color": GREY, "linewidth": 0.6, "shrinkA": 1, "shrinkB": 0, "relpos": (1, 0.5)}
    starts = [float(reliabilities.projected[i, 0]) for i in order]
    for i, start, height in zip(order, starts, spread_labels(starts, 0.062, 0.02, 0.98), strict=True):
        add_name(
            ax,
            readable(reliabilities.attributes[i], 20),
            (0, start),
            xycoords=ax.transAxes,
            xytext=(-0.05, height),
            textcoords=ax.transAxes,
            ha="right",
            va="center",
            fontsize="small",
            arrowprops=leader,
        )
