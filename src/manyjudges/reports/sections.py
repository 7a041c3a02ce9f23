"""Sections: what each part of a page shows, as plain values for the template."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyjudges.base.formatting import NONE, clean, error_digits, fixed, in_units, number, percent, small_percent
from manyjudges.base.version import __version__
from manyjudges.reports import findings
from manyjudges.reports.explorer import component
from manyjudges.summary import Answer, Reliability, Summary

ROWS = 20
"""Rows of a table that are shown at once; the others can be unfolded."""

KINDS = {
    "no_help": "These judgments may not help",
    "few_objects": "Too few objects",
    "negative_eigenvalues": "Noise drowns what attributes have in common",
    "few_pairs": "Too few second judgments",
    "identical_judgments": "Judgments that look like copies",
    "dependent_workers": "Workers whose judgments move together",
}


def sections(study: Summary, label_name: str, made: dict[str, object]) -> dict[str, Any]:
    """All that the template needs."""
    return {
        "title": clean(study.title) or "Report",
        "label": label_name,
        "overview": study.overview,
        "answer": study.answer,
        "tiles": _tiles(study.answer),
        "plan_rows": _plan_rows(study.answer),
        "explorer": component(study.curve, label_name, "budget"),
        "next_units": _next_units(study),
        "figures": _figures(study, label_name),
        "attributes": _attribute_rows(study),
        "following": _next_rows(study),
        "predictor": study.predictor,
        "terms": _terms(study),
        "residuals": study.residuals,
        "levels": _levels(study),
        "reliability": study.reliability,
        "icc_rows": _icc_rows(study.reliability, set(study.answer.attributes)),
        "warnings": [{"heading": _heading(each.kind), "message": clean(each)} for each in study.warnings],
        "made": _made(study, __version__, made),
        "version": __version__,
        "most_rows": ROWS,
    }


def _heading(kind: str) -> str:
    return KINDS.get(kind, kind.replace("_", " ").capitalize())


def _tiles(answer: Answer) -> list[dict[str, str]]:
    """The three or four numbers that matter."""
    digits = error_digits(answer.deviation_low, answer.deviation_high, answer.baseline_deviation)
    off, low, high, guess, promised = (
        fixed(value, digits)
        for value in (
            answer.deviation,
            answer.deviation_low,
            answer.deviation_high,
            answer.baseline_deviation,
            in_units(answer.promised * answer.label_variance),
        )
    )
    tiles = [
        {
            "name": "Error to expect",
            "value": off,
            "note": f"{low} to {high}, two standard errors either way, on new objects; "
            f"{percent((answer.deviation / answer.baseline_deviation) ** 2)} of the variance stays unexplained",
            "kind": "main",
        },
        {"name": "Guessing the mean", "value": guess, "note": "the error without any judgments", "kind": ""},
    ]
    if not answer.attributes:
        return tiles
    too_good = "too good: " if answer.promised * answer.label_variance < answer.loss else ""
    note = f"{too_good}measured on the very objects that the plan was made from"
    tiles.append({"name": "The plan promises", "value": promised, "note": note, "kind": ""})
    if answer.of_best is not None:
        tiles.append(
            {
                "name": "Of the best plan",
                "value": f"≥ {percent(np.floor(1000 * answer.of_best) / 1000, 1)}"
                if answer.of_best < 1
                else percent(1.0),
                "note": "of what the best possible plan for this budget would explain, by the same estimates",
                "kind": "",
            }
        )
    return tiles


def _plan_rows(answer: Answer) -> list[dict[str, Any]]:
    largest = max(float(np.max(answer.share, initial=0.0)), 1e-12)
    return [
        {
            "name": clean(name),
            "repeats": int(answer.repeats[i]),
            "price": number(answer.price[i]),
            "cost": number(answer.cost[i]),
            "share": percent(answer.share[i], 1),
            "width": round(100 * max(float(answer.share[i]), 0.0) / largest, 1),
        }
        for i, name in enumerate(answer.attributes)
    ]


def _next_units(study: Summary) -> list[dict[str, str]]:
    digits, units = findings.curve_digits(study.curve) + 1, study.curve.next_units
    return [
        {
            "to": number(row.to_budget),
            "extra": number(row.extra_cost),
            "error": fixed(in_units(row.loss), digits),
            "saved": small_percent(row.saved) if gains else "no gain",
            "per_unit": small_percent(row.saved_per_unit) if gains else NONE,
        }
        for row, gains in zip(units.itertuples(), (units["saved"] > 0).tolist(), strict=True)
    ]


def _figures(study: Summary, label_name: str) -> dict[str, Any]:
    """All figures but the explorer's."""
    from manyjudges import plots
    from manyjudges.reports.figures import figure

    rows = min(len(study.next_judgments.attributes), ROWS)
    bars = 0.9 + 0.21 * max(rows, 4)
    chosen = set(study.answer.attributes)
    return {
        "map": figure(
            "map",
            "Map of the attributes",
            findings.attribute_map(study.attribute_map),
            lambda ax: plots.attribute_map(study.attribute_map, ax),
            (5.2, 4.8),
        ),
        "next": figure(
            "next",
            "What one more judgment of each attribute is worth",
            findings.next_judgments(study.next_judgments),
            lambda ax: plots.next_judgments(study.next_judgments, ax),
            (bars, bars),
        ),
        "residuals": figure(
            "residuals",
            "Label against prediction",
            findings.residuals(study.residuals),
            lambda ax: plots.residuals(study.residuals, ax, label_name=label_name),
            (4.4, 3.6),
        ),
        "calibration": figure(
            "calibration",
            "How often intervals hold the label",
            findings.calibration(study.calibration),
            lambda ax: plots.calibration(study.calibration, ax),
            (4.4, 3.6),
        ),
        "reliability": figure(
            "reliability",
            "Reliability against the number of judgments",
            findings.reliability(study.reliability),
            lambda ax: plots.reliability(study.reliability, ax, highlight=chosen),
            (4.2, 4.0),
        ),
    }


def _attribute_rows(study: Summary) -> list[dict[str, Any]]:
    """The most telling first."""
    found = study.attribute_map
    strength = np.abs(np.nan_to_num(np.asarray(found.correlation, dtype=float)))
    return [
        {
            "name": clean(found.attributes[i]),
            "correlation": fixed(found.correlation[i]),
            "noise": number(found.noise_ratio[i], 2),
            "mean": number(found.mean[i]),
            "deviation": number(found.deviation[i]),
            "repeats": int(found.repeats[i]),
        }
        for i in np.argsort(-strength, kind="stable")
    ]


def _next_rows(study: Summary) -> list[dict[str, Any]]:
    found = study.next_judgments
    return [
        {
            "name": clean(name),
            "repeats": int(found.repeats[i]),
            "gain": small_percent(found.gain[i]),
            "price": number(found.price[i]),
            "worth": small_percent(found.gain_per_cost[i]),
            "available": bool(found.available[i]),
        }
        for i, name in enumerate(found.attributes)
    ]


def _terms(study: Summary) -> list[dict[str, Any]]:
    """Coefficients, the attribute with most judgments first."""
    found = study.predictor
    triples = zip(found.attributes, found.repeats.tolist(), found.coefficients.tolist(), strict=True)
    ordered = sorted(triples, key=lambda each: -each[1])
    return [
        {"name": clean(name), "repeats": n, "coefficient": number(w), "size": number(abs(w)), "negative": w < 0}
        for name, n, w in ordered
    ]


def _levels(study: Summary) -> list[dict[str, str]]:
    found = study.calibration
    return [
        {
            "level": percent(level),
            "covered": percent(found.covered[i], 1),
            "limits": f"{percent(found.low[i], 1)} to {percent(found.high[i], 1)}",
        }
        for i, level in enumerate(found.levels)
    ]


def _icc_rows(found: Reliability, chosen: set[str]) -> list[dict[str, Any]]:
    """The most reliable first; those that are not known last."""
    order = np.argsort(-np.nan_to_num(np.asarray(found.icc1, dtype=float), nan=-np.inf), kind="stable")
    return [
        {
            "name": clean(found.attributes[i]),
            "chosen": found.attributes[i] in chosen,
            "objects": f"{int(found.n_objects[i]):,}",
            "k": number(found.k[i]),
            "object_variance": number(found.object_variance[i]),
            "noise_variance": number(found.noise_variance[i]),
            "worker_variance": number(found.worker_variance[i], 2),
            "icc1": fixed(found.icc1[i]),
            "limits": f"{fixed(found.icc1_low[i])} to {fixed(found.icc1_high[i])}"
            if np.isfinite(found.icc1[i])
            else "–",
            "icck": fixed(found.icck[i]),
            "needed": [number(each) for each in found.needed[i]],
            "projected": [fixed(each) for each in found.projected[i]],
        }
        for i in order
    ]


def _made(study: Summary, version: str, made: dict[str, object]) -> list[tuple[str, str]]:
    answer = study.answer
    tamed = f", shrinkage {answer.shrinkage:g}" if answer.shrinkage else ""
    rows: dict[str, object] = {
        "Package": f"ManyJudges {version}",
        "Budget": f"{number(answer.budget)} for each object, of which {number(answer.spent)} is spent",
        "Method": f"{answer.method}{tamed}",
        "Predictor": study.predictor.kind.replace("_", " "),
    }
    if study.settings:
        seed = study.settings["random_state"]
        rows["Seed"] = "none: chance was not fixed" if seed is None else seed
        rows["Held-out error"] = f"{study.settings['cv']} folds, {study.settings['cv_repeats']} times"
    return [(clean(name), clean(value)) for name, value in (rows | made).items()]
