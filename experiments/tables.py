"""The paper's tables: the attributes with their noise and their correlation, and example predictors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from experiments.sources import N_PHOTOS
from manyjudges import Judgments, Moments, datasets, fit_predictor, select

LABELS = ("height", "weight")
BUDGETS = {"height": 35, "weight": 50}
"""What the judgments of the paper's two example predictors add up to."""

PUBLISHED_DEVIATION = {"height": 0.25, "weight": 0.18}
"""The labels' standard deviations in the units of the paper's table, as the simulation reads it."""


def one_split(_: Any, seed: int) -> list[dict[str, Any]]:
    """One crowd of each kind: its attributes as estimated from a pilot, and the predictor that Full makes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [row for label in LABELS for row in _crowd(label, seed)]


def _crowd(label: str, seed: int) -> list[dict[str, Any]]:
    crowd = datasets.make_height_weight(N_PHOTOS, label=label, random_state=seed)
    pilot = crowd.pilot(2)
    moments = Moments.estimate(pilot, crowd.labels)
    plan = select(moments, BUDGETS[label], costs=crowd.costs)
    bought = pilot + Judgments.from_frame(crowd.judge(plan.missing(pilot)))
    model = fit_predictor(plan, bought, crowd.labels, predictor="least_squares")
    terms = model.to_frame()["coefficient"]
    rows = []
    for name, noise, correlation in _estimates(moments):
        row = {"label": label, "attribute": name, "noise_ratio": noise, "correlation": correlation}
        row["repeats"] = plan.repeats.get(name, 0)
        if name in plan.repeats:
            row["coefficient"] = float(terms[name])
        rows.append(row)
    return [*rows, {"label": label, "attribute": "(bias)", "coefficient": model.bias}]


def _estimates(moments: Moments) -> list[tuple[str, float, float]]:
    """Noise as v/σ², and the correlation of true values with the label."""
    variance = np.maximum(moments.variances, 1e-12)
    correlation = moments.cross / np.sqrt(variance * moments.label_variance)
    return list(zip(moments.attributes, (moments.noise / variance).tolist(), correlation.tolist(), strict=True))


def gathered(_: Any, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Tables of attributes and the first split's predictors; over all splits, who is asked often."""
    table = pd.DataFrame(rows)
    return {
        "key": "tables",
        "title": "Attributes and example predictors",
        "about": f"{N_PHOTOS} photos of a simulated crowd after the paper's table of attributes.",
        "simulated": True,
        "splits": int(table["split"].nunique()),
        "labels": {label: _label(table[table["label"] == label], label) for label in LABELS},
    }


def _label(table: pd.DataFrame, label: str) -> dict[str, Any]:
    own = table[table["attribute"] != "(bias)"]
    by = own.groupby("attribute")
    truth = datasets.make_height_weight(10, label=label, random_state=0).truth
    published = {
        name: (noise, correlation * PUBLISHED_DEVIATION[label]) for name, noise, correlation in _estimates(truth)
    }
    attributes = [
        {
            "attribute": name,
            "published_noise": round(published[name][0], 3),
            "published_correlation": round(published[name][1], 3),
            "noise": round(float(rows["noise_ratio"].median()), 3),
            "correlation": round(float(rows["correlation"].median()) * PUBLISHED_DEVIATION[label], 3),
            "chosen": round(float((rows["repeats"] > 0).mean()), 2),
            "repeats_when_chosen": round(float(rows.loc[rows["repeats"] > 0, "repeats"].mean()), 1)
            if (rows["repeats"] > 0).any()
            else None,
        }
        for name, rows in by
    ]
    first = table[(table["split"] == 0) & table["coefficient"].notna()]
    predictor = [
        {
            "attribute": row["attribute"],
            "repeats": None if row["attribute"] == "(bias)" else int(row["repeats"]),
            "coefficient": round(float(row["coefficient"]), 3),
        }
        for _, row in first.iterrows()
    ]
    return {
        "budget": BUDGETS[label],
        "attributes": sorted(attributes, key=lambda each: each["published_noise"]),
        "predictor": predictor,
        "pattern": _pattern(own, published),
        "known": _known(label),
    }


def _known(label: str) -> dict[str, dict[str, float]]:
    """What plans would leave unexplained if the moments were known exactly, as shares of the label's variance."""
    crowd = datasets.make_height_weight(10, label=label, random_state=0)
    whole = crowd.truth.label_variance

    def left(method: str, budget: int) -> float:
        return round(select(crowd.truth, budget, method=method, costs=crowd.costs).projected_loss / whole, 4)

    return {str(budget): {method: left(method, budget) for method in ("full", "scoring")} for budget in (20, 40, 100)}


def _pattern(own: pd.DataFrame, published: dict[str, tuple[float, float]]) -> dict[str, Any]:
    """Whether objective attributes are asked once and vague, useful ones often."""
    chosen = own[own["repeats"] > 0].copy()
    noise = np.array([published[name][0] for name in chosen["attribute"]])
    strength = np.abs([published[name][1] for name in chosen["attribute"]])
    clear, useful = noise < 1, strength >= np.median(np.abs([c for _, c in published.values()]))
    groups = {
        "objective (noise/σ² below 1)": clear,
        "vague and useful (noise/σ² of 1 or more, correlation above the median)": ~clear & useful,
        "vague and not useful": ~clear & ~useful,
    }
    repeats = chosen["repeats"].to_numpy()
    n_splits = own["split"].nunique()
    return {
        name: {
            "judgments_each": round(float(repeats[mask].mean()), 2) if mask.any() else None,
            "attributes_a_plan": round(float(mask.sum() / n_splits), 2),
        }
        for name, mask in groups.items()
    }
