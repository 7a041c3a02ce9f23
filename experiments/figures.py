"""Figures from results, as SVG and PNG."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.runner import HERE, RESULTS
from experiments.tables import PUBLISHED_DEVIATION
from manyjudges import plots, summary

FIGURES = HERE / "figures"

LOOK = {
    "Full": ("#1f6fb4", "-", ""),
    "Scoring": ("#c65d00", "-", ""),
    "Averages": ("#6b6b6b", "--", ""),
    "Copies": ("#a0a0a0", "--", ""),
    "Numeric estimate alone": ("#8a6d3b", ":", ""),
    "Exchange": ("#17a2b8", "", "D"),
    "Auto": ("#7b4fb5", "", "s"),
    "Auto, planned again": ("#2e7d32", "", "o"),
}

STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "manyjudges",
    "font.family": "sans-serif",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#e5e5e5",
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "legend.frameon": False,
    "figure.dpi": 144,
}


def results() -> dict[str, dict[str, Any]]:
    """All results that there are, by experiment."""
    found = sorted(RESULTS.glob("*.json"))
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in found}


def titled(result: dict[str, Any]) -> str:
    """The title, which says so where data are simulated."""
    return result["title"] + (" (simulated)" if result["simulated"] else "")


def draw_all() -> list[Path]:
    """Every figure of every result."""
    drawn = []
    with mpl.rc_context(STYLE):
        for key, result in results().items():
            if "methods" in result:
                drawn += _save(curve(result), key)
            elif key.startswith("tradeoff"):
                drawn += _save(tradeoff(result), key)
            else:
                drawn += [
                    path for label in result["labels"] for path in _save(attribute_map(result, label), f"map-{label}")
                ]
    return drawn


def _save(figure: Figure, name: str) -> list[Path]:
    FIGURES.mkdir(exist_ok=True)
    paths = [FIGURES / f"{name}.svg", FIGURES / f"{name}.png"]
    figure.savefig(paths[0], metadata={"Date": None})
    figure.savefig(paths[1], metadata={"Software": None})
    return paths


def curve(result: dict[str, Any]) -> Figure:
    """Test error against budget, a line for each method."""
    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    axes = figure.add_subplot()
    for name, (colour, line, marker) in LOOK.items():
        if (method := result["methods"].get(name)) is None:
            continue
        budget, error, std = (np.array(method[column]) for column in ("budget", "error", "std_error"))
        if marker:
            axes.errorbar(
                budget, error, std, fmt=marker, color=colour, markersize=4.5, linewidth=1, label=name, zorder=3
            )
        else:
            axes.plot(budget, error, line, color=colour, linewidth=1.8, label=name)
            axes.fill_between(budget, error - std, error + std, color=colour, alpha=0.15, linewidth=0)
    _frame(axes, result)
    axes.set_title(f"{titled(result)}\nmean of {result['splits']} splits ± standard error")
    axes.legend(loc="upper right", fontsize=9, ncols=2)
    return figure


def _frame(axes: Axes, result: dict[str, Any]) -> None:
    errors = [error for method in result["methods"].values() for error in method["error"]]
    low, high = min(errors), max(errors)
    axes.set_ylim(max(0, low - 0.12 * (high - low)), high + 0.05 * (high - low))
    axes.set_xlim(0, None)
    axes.set_xlabel("budget for each object")
    axes.set_ylabel(f"test error, share of the variance of {result['label']}")


def tradeoff(result: dict[str, Any]) -> Figure:
    """Test error against judgments a pair, a line for each constant, a panel for each algorithm and budget."""
    rows = result["rows"]
    methods, budgets = sorted({row["method"] for row in rows}), sorted({row["budget"] for row in rows})
    constants = sorted({row["constant"] for row in rows})
    figure = Figure(figsize=(4.2 * len(methods), 3.1 * len(budgets)), layout="constrained")
    panels = figure.subplots(len(budgets), len(methods), squeeze=False, sharex=True, sharey="row")
    shades = [mpl.colormaps["viridis"](x) for x in np.linspace(0.05, 0.8, len(constants))]
    for b, budget in enumerate(budgets):
        for m, method in enumerate(methods):
            axes = panels[b][m]
            for constant, shade in zip(constants, shades, strict=True):
                own = [r for r in rows if (r["method"], r["budget"], r["constant"]) == (method, budget, constant)]
                axes.plot(
                    [r["k"] for r in own], [r["median"] for r in own], "o-", color=shade, markersize=3.5, label=constant
                )
            axes.set_title(f"{method}, budget {budget}")
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xticks([2, 3, 5, 10, 20], labels=["2", "3", "5", "10", "20"])
            axes.yaxis.set_major_locator(mpl.ticker.FixedLocator([0.4, 0.5, 0.7, 1, 2, 5, 10]))
            axes.yaxis.set_major_formatter(mpl.ticker.FormatStrFormatter("%g"))
            axes.minorticks_off()
    figure.supxlabel("judgments of each pair in the pilot (k)", fontsize=10)
    figure.supylabel("test error, share of the label's variance (median)", fontsize=10)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, title="k × objects", fontsize=9, title_fontsize=9, loc="outside right upper")
    figure.suptitle(f"{titled(result)}, {result['splits']} splits", x=0.01, ha="left", fontsize=11)
    return figure


def attribute_map(result: dict[str, Any], label: str) -> Figure:
    """Correlation with the label against noise, as the paper draws it; sized by how often plans ask."""
    own = result["labels"][label]
    rows = own["attributes"]
    asked = [row["chosen"] * (row["repeats_when_chosen"] or 0) for row in rows]
    figure = Figure(figsize=(7.2, 5.4), layout="constrained")
    axes = plots.attribute_map(
        summary.AttributeMap(
            attributes=tuple(row["attribute"].replace("-", " ") for row in rows),
            correlation=np.array([row["correlation"] for row in rows]) / PUBLISHED_DEVIATION[label],
            noise_ratio=np.array([row["noise"] for row in rows]),
            mean=np.zeros(len(rows)),
            deviation=np.ones(len(rows)),
            repeats=np.where(np.array([row["chosen"] for row in rows]) >= 0.5, np.ceil(asked), 0).astype(int),
            share=np.array(asked) / sum(asked),
        ),
        figure.add_subplot(),
    )
    axes.set_ylabel(f"correlation with {label}")
    figure.suptitle(
        f"Attributes for predicting {label} (simulated after the paper's table), medians of {result['splits']} crowds\n"
        f"In the plan: in most plans of Full with a budget of {own['budget']}; size: judgments then",
        x=0.01,
        ha="left",
        fontsize=10,
    )
    return figure
