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
_RIGHT = 72
"""What is kept free for the numbers at the lines."""

_TICKS = 4
"""Lines across the picture, about."""


def curve_document(curve: BudgetCurve, currency: str) -> dict[str, Any]:
    """The curve of the chosen method as plain data: where its points are, and what is said at each."""
    at, chosen = curve.chosen
    low, middle, high, guess = curve.low[at], curve.error[at], curve.high[at], curve.baseline_error
    digits = error_digits(low[chosen], high[chosen], guess)
    top, bottom = float(max(high.max(), guess)), float(min(low.min(), guess))
    end = _WIDTH - _RIGHT
    x = np.linspace(_LEFT, end - _LEFT, len(middle)) if len(middle) > 1 else np.array([end / 2])

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
        "right": end,
        "ticks": [{"y": round(float(y(at)), 1), "shown": shown} for at, shown in _ticks(bottom, top)],
        "band": _path(band),
        "line": _path(zip(x, y(middle), strict=True)),
    }


def _ticks(bottom: float, top: float) -> list[tuple[float, str]]:
    """Round numbers between two numbers, and how they are written.

    >>> _ticks(6.1, 11.2), _ticks(0.42, 0.66)
    ([(8.0, '8'), (10.0, '10')], [(0.5, '0.5'), (0.6, '0.6')])
    """
    if not top > bottom:
        return []
    rough = (top - bottom) / _TICKS
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * next(times for times in (1, 2, 5, 10) if times * power >= rough)
    digits = max(0, -int(np.floor(np.log10(step))))
    first, last = int(np.ceil(bottom / step)), int(np.floor(top / step))
    return [(float(round(at * step, digits)), fixed(at * step, digits)) for at in range(first, last + 1)]


def _path(points: Any) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _in_words(repeats: dict[str, int]) -> str:
    most_first = sorted(repeats.items(), key=lambda item: -item[1])
    return ", ".join(f"{n} × {clean(name)}" for name, n in most_first) or "nothing"
