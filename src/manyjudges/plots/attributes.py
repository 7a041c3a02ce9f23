"""Attributes: the plan, the map of all of them, and what the next judgment of each is worth."""

from __future__ import annotations

__all__ = ["attribute_map", "next_judgments", "plan"]

from typing import TYPE_CHECKING, Any

import numpy as np

from manyjudges.learn.answers import Answer
from manyjudges.plots.canvas import (
    CHOSEN,
    GREY,
    OTHER,
    add_name,
    axes_or_new,
    expect,
    grid,
    percent,
    readable,
    row_names,
)
from manyjudges.plots.placement import Arranger
from manyjudges.summary import AttributeMap, NextJudgments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_ROWS = 20
"""Bars of one plot."""

_MOST_NAMES = 60
"""Names that are tried on one map."""


def plan(answer: Answer, ax: Axes | None = None, *, rows: int = _MOST_ROWS) -> Axes:
    """What to buy: a bar for each chosen attribute with its share of what is explained, and its number of judgments.

    Parameters
    ----------
    answer : Answer
    ax : matplotlib.axes.Axes, optional
    rows : int
        How many attributes to draw at the most, those that explain most.
    """
    expect(answer, Answer)
    many = len(answer.attributes)
    ax = axes_or_new(ax, (6.4, 1.0 + 0.28 * max(min(rows, many), 3)))
    share = np.asarray(answer.share, dtype=float)[:rows]
    ax.barh(range(len(share)), share, color=CHOSEN, height=0.66)
    for row, (width, repeats) in enumerate(zip(share, answer.repeats, strict=False)):
        add_name(ax, f"{repeats} ×", (max(width, 0), row), xytext=(4, 0), textcoords="offset points", va="center")
    row_names(ax, [readable(name) for name in answer.attributes[:rows]])
    ax.margins(x=0.12)
    ax.spines["left"].set_visible(False)
    grid(ax, "x")
    percent(ax.xaxis)
    ax.set_xlabel("share of what the plan explains" + _left_out(many, rows))
    return ax


def next_judgments(following: NextJudgments, ax: Axes | None = None, *, rows: int = _MOST_ROWS) -> Axes:
    """What one more judgment of each attribute would add, for its price; filled where the plan buys some already.

    Parameters
    ----------
    following : NextJudgments
    ax : matplotlib.axes.Axes, optional
    rows : int
        How many attributes to draw at the most, the best for their price.
    """
    expect(following, NextJudgments)
    many = len(following.attributes)
    ax = axes_or_new(ax, (6.4, 1.0 + 0.28 * max(min(rows, many), 3)))
    worth, bought = np.asarray(following.gain_per_cost)[:rows], np.asarray(following.repeats)[:rows] > 0
    at = np.arange(len(worth))
    colours = np.where(bought, CHOSEN, OTHER)
    ax.hlines(at, 0, worth, color=colours, linewidth=1.4)
    for which, label, face in ((bought, "in the plan", CHOSEN), (~bought, "not in the plan", "none")):
        edge = CHOSEN if face != "none" else OTHER
        ax.scatter(worth[which], at[which], s=34, facecolor=face, edgecolor=edge, linewidth=1.4, label=label, zorder=3)
    row_names(ax, [readable(name) for name in following.attributes[:rows]])
    ax.spines["left"].set_visible(False)
    ax.set_xlim(min(0.0, float(worth.min(initial=0.0))), max(float(worth.max(initial=0.0)) * 1.06, 1e-9))
    grid(ax, "x")
    percent(ax.xaxis)
    ax.set_xlabel("label variance it would explain,\nfor each unit of cost" + _left_out(many, rows))
    _legend(ax)
    return ax


def attribute_map(attributes: AttributeMap, ax: Axes | None = None, *, names: int = _MOST_NAMES) -> Axes:
    """Where each attribute lies: how noisy a judgment of it is, and how it goes with the label.

    Telling attributes lie far from the middle line, noisy ones on the right: noise is the share of a judgment's
    variance that is disagreement about the object, v / (σ² + v). The larger a marker, the more judgments
    the plan buys. Names do not overlap: those that find no place are counted instead, and what the plan buys is named
    first, then what correlates most.

    Parameters
    ----------
    attributes : AttributeMap
    ax : matplotlib.axes.Axes, optional
    names : int
        How many to name at the most.
    """
    expect(attributes, AttributeMap)
    ax = axes_or_new(ax, (6.4, 4.8))
    correlation = np.asarray(attributes.correlation, dtype=float)
    noise = np.asarray(attributes.noise_share, dtype=float)
    measured = np.flatnonzero(np.isfinite(correlation) & np.isfinite(noise))
    order = measured[np.lexsort((measured, -np.abs(correlation[measured]), -np.asarray(attributes.share)[measured]))]
    repeats = np.asarray(attributes.repeats)[order]
    points = np.column_stack([noise[order], correlation[order]])
    radii = 3.0 + 8.0 * np.sqrt(repeats / max(int(repeats.max(initial=0)), 1))
    _markers(ax, points, radii, repeats > 0)
    _map_frame(ax, points)
    written = [
        _map_name(ax, attributes.attributes[i], point, radius, n > 0)
        for i, point, radius, n in zip(order[:names], points, radii, repeats, strict=False)
    ]
    note = ax.text(1, 1.0, "… not named", transform=ax.transAxes, ha="right", va="bottom", fontsize="small")
    # What is bought is named even from afar; of the rest, a long line would cost more than the name is worth.
    reach = np.where(repeats[:names] > 0, 200.0, 34.0)
    Arranger(ax, points, written, reach, radii, note)
    return ax


def _markers(ax: Axes, points: Any, radii: Any, bought: Any) -> None:
    for which, label, face, edge in ((bought, "in the plan", CHOSEN, CHOSEN), (~bought, "not in it", "none", OTHER)):
        size = (2 * radii[which]) ** 2
        ax.scatter(
            points[which, 0],
            points[which, 1],
            s=size,
            facecolor=face,
            edgecolor=edge,
            alpha=0.75,
            linewidth=1.2,
            zorder=2,
        )
        ax.scatter([], [], s=40, facecolor=face, edgecolor=edge, alpha=0.75, linewidth=1.2, label=label)
    _legend(ax)


def _map_frame(ax: Axes, points: Any) -> None:
    ax.set_xlim(*_padded(points[:, 0], 0.0, 1.0))
    ax.set_ylim(*_padded(np.append(points[:, 1], 0.0), -1.0, 1.0))
    ax.axhline(0, color=GREY, linewidth=1)
    grid(ax)
    ax.set_xlabel("noise: share of a judgment's\nvariance that is disagreement")
    ax.set_ylabel("correlation with the label")


def _padded(values: Any, lowest: float, highest: float) -> tuple[float, float]:
    """Limits with room for names around the points, but not far beyond what is possible."""
    low, high = float(values.min(initial=highest)), float(values.max(initial=lowest))
    room = 0.12 * max(high - low, 0.1)
    return max(low - room, lowest - 0.04), min(high + room, highest + 0.04)


def _map_name(ax: Axes, name: str, point: Any, radius: float, bought: bool) -> Any:
    written = add_name(
        ax,
        readable(name),
        tuple(point),
        xytext=(0, 0),
        textcoords="offset points",
        fontsize="small",
        color=CHOSEN if bought else None,
        fontweight="bold" if bought else "normal",
        arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.7, "shrinkA": 0, "shrinkB": float(radius)},
    )
    written.set_in_layout(False)
    return written


def _legend(ax: Axes) -> None:
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=2,
        frameon=False,
        borderpad=0,
        borderaxespad=0.2,
        handletextpad=0.2,
        columnspacing=1.2,
        fontsize="small",
    )


def _left_out(many: int, rows: int) -> str:
    return f"\n({rows} of {many} attributes)" if many > rows else ""
