"""Curves: the error at each budget as points of a picture, which a slider moves along."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyjudges.base.formatting import clean, error_digits, fixed
from manyjudges.base.money import format_amount
from manyjudges.learn.budgets import BudgetCurve

_WIDTH, _HEIGHT = 640, 220
"""Of the picture. Points are evenly spaced, as the stops of the slider below are."""

_LEFT, _TOP, _BOTTOM = 12, 14, 12


def curve_document(curve: BudgetCurve, currency: str) -> dict[str, Any]:
    """The curve of the chosen method as plain data: where its points are, and what is said at each."""
    at, chosen = curve.chosen
    low, middle, high, guess = curve.low[at], curve.error[at], curve.high[at], curve.baseline_error
    digits = error_digits(low[chosen], high[chosen], guess)
    top, bottom = float(max(high.max(), guess)), float(min(low.min(), guess))
    x = np.linspace(_LEFT, _WIDTH - _LEFT, len(middle)) if len(middle) > 1 else np.array([_WIDTH / 2])

    def y(values: Any) -> Any:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (top - np.asarray(values)) / max(top - bottom, 1e-12)

    points = [
        {
            "budget": budget,
            "shown": format_amount(budget, currency),
            "error": fixed(middle[k], digits),
            "low": fixed(low[k], digits),
            "high": fixed(high[k], digits),
            "cost": format_amount(float(curve.costs[curve.chosen_method][k]), currency),
            "plan": _in_words(curve.plans[curve.chosen_method][k]),
            "x": round(float(x[k]), 1),
            "y": round(float(y(middle[k])), 1),
        }
        for k, budget in enumerate(curve.budgets)
    ]
    band = [*zip(x, y(high), strict=True), *zip(x[::-1], y(low)[::-1], strict=True)]
    return {
        "points": points,
        "chosen": chosen,
        "guess": fixed(guess, digits),
        "guess_y": round(float(y(guess)), 1),
        "band": _path(band),
        "line": _path(zip(x, y(middle), strict=True)),
    }


def _path(points: Any) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _in_words(repeats: dict[str, int]) -> str:
    most_first = sorted(repeats.items(), key=lambda item: -item[1])
    return ", ".join(f"{n} × {clean(name)}" for name, n in most_first) or "nothing"
