"""Draw the picture of the README: python docs/figures.py (a minute or two)."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

from manyjudges import Moments, baseline, fit_predictor, select, simulate

IMAGES = Path(__file__).parent / "images"
BUDGETS = [4, 6, 8, 12, 16, 20, 25, 30, 35, 40, 50, 60, 70, 80]
N_OBJECTS, N_CROWDS = 880, 20
LOOK = {
    "Copies": ("#9a9a9a", "--"),
    "Averages": ("#6b6b6b", "--"),
    "Scoring": ("#d9822b", "-"),
    "Full": ("#1f6fb4", "-"),
    "Knowing the truth": ("#2e7d32", ":"),
}


def unexplained(seed: int) -> dict[str, list[float]]:
    """True error of each plan at each budget, as a share of the label's variance, for one crowd."""
    crowd = simulate.height_weight(N_OBJECTS, random_state=seed)
    pilot, costs = crowd.pilot(2), crowd.costs
    moments = Moments.estimate(pilot, crowd.labels)
    plans = {
        "Copies": [baseline(pilot, crowd.labels, b, kind="copies", costs=costs) for b in BUDGETS],
        "Averages": [baseline(pilot, crowd.labels, b, kind="averages", costs=costs) for b in BUDGETS],
        "Scoring": [select(moments, b, method="scoring", costs=costs) for b in BUDGETS],
        "Full": [select(moments, b, costs=costs) for b in BUDGETS],
    }
    wanted = {name: max(p.repeats.get(name, 0) for ps in plans.values() for p in ps) for name in crowd.attributes}
    everything = crowd.follow({name: max(n, 2) for name, n in wanted.items()})
    out = {}
    for name, each in plans.items():
        out[name] = []
        for plan in each:
            fitted = fit_predictor(plan, everything, crowd.labels, predictor="least_squares")
            out[name].append(fitted.expected_loss(crowd.truth))
    out["Knowing the truth"] = [select(crowd.truth, b, costs=costs).projected_loss for b in BUDGETS]
    return {name: [loss / crowd.truth.label_variance for loss in losses] for name, losses in out.items()}


def spread(heights: dict[str, float], gap: float) -> dict[str, float]:
    """Heights of labels that keep their order and do not overlap."""
    out: dict[str, float] = {}
    for name, height in sorted(heights.items(), key=lambda item: item[1]):
        out[name] = max(height, max(out.values(), default=-np.inf) + gap)
    return out


def error_by_budget() -> None:
    runs = [unexplained(seed) for seed in range(N_CROWDS)]
    figure, axes = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    ends: dict[str, float] = {}
    for name, (colour, line) in LOOK.items():
        losses = np.array([run[name] for run in runs])
        mean, error = losses.mean(axis=0), losses.std(axis=0) / np.sqrt(len(runs))
        axes.plot(BUDGETS, mean, line, color=colour, linewidth=2)
        if line != ":":
            axes.fill_between(BUDGETS, mean - error, mean + error, color=colour, alpha=0.15, linewidth=0)
        ends[name] = mean[-1]
    for name, height in spread(ends, gap=0.012).items():
        axes.annotate(
            name,
            (BUDGETS[-1], height),
            (6, 0),
            textcoords="offset points",
            color=LOOK[name][0],
            va="center",
            weight="bold",
        )
    axes.set_xlabel("budget for each photo (a yes or no costs 1, a number 4)")
    axes.set_ylabel("share of the label's variance left unexplained")
    axes.set_title(
        f"Predicting height from photos: {N_OBJECTS} labelled photos, simulated crowd,\nmean of {N_CROWDS} runs ± s.e.",
        loc="left",
        fontsize=11,
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlim(0, BUDGETS[-1])
    axes.yaxis.set_major_formatter(mpl.ticker.PercentFormatter(1, decimals=0))
    axes.grid(axis="y", color="#e5e5e5")
    figure.savefig(IMAGES / "error-by-budget.png", dpi=144)


if __name__ == "__main__":
    error_by_budget()
