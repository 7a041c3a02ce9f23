"""Budgets, costs and limits on repeats, as somebody wrote them, checked and as arrays.

All that rooms without mathematics (``study``, ``store``, ``campaign``) need to know of the method.
"""

from __future__ import annotations

__all__ = ["COST_TOLERANCE", "as_budget", "as_costs", "as_max_repeats"]

from typing import Any

import numpy as np

from manyjudges.arrays.libraries import to_numpy
from manyjudges.arrays.types import Floats
from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.exceptions import PlanError

COST_TOLERANCE = 1e-9
"""Share of the budget by which summed real costs may miss it: ten judgments at 0.1 cost 1, not 0.9999999999999999.

Far above the rounding of such sums (a million of them are off by 1e-10 at most), far below any price.
"""


def as_budget(budget: object) -> float:
    """Check a budget that somebody gave."""
    if isinstance(budget, bool) or not isinstance(budget, int | float | np.integer | np.floating):
        raise PlanError(f"the budget must be a number, not {quote_value(budget)}.", value=budget, column="budget")
    try:
        value = float(budget)
    except OverflowError:
        value = np.inf
    if not (np.isfinite(value) and value >= 0):
        raise PlanError(
            f"the budget must be 0 or a positive, finite number, not {quote_value(budget)}.",
            value=budget,
            column="budget",
        )
    return value + 0.0  # which makes 0 of -0


def as_costs(costs: Any, attributes: tuple[str, ...]) -> Floats:
    """Check costs that somebody gave: a mapping (the attributes left out cost 1), an array, or None for 1 each."""
    prices = _by_attribute(costs, attributes, "costs", 1.0)
    if (wrong := np.flatnonzero(~(np.isfinite(prices) & (prices > 0)))).size:
        i = wrong[0]
        raise PlanError(
            f"the cost of {attributes[i]!r} is {prices[i]:g}; a cost must be a positive, finite number.",
            value=float(prices[i]),
            row=attributes[i],
            column="costs",
        )
    return prices


def as_max_repeats(max_repeats: Any, attributes: tuple[str, ...]) -> Floats:
    """Check a user's caps: a mapping (no cap for the attributes left out), an array, or None for no caps.

    Caps are whole numbers, also as floats; ``inf`` is no cap.
    """
    caps = _by_attribute(max_repeats, attributes, "max_repeats", np.inf)
    if (wrong := np.flatnonzero(~((caps >= 0) & (caps == np.floor(caps))))).size:
        i = wrong[0]
        raise PlanError(
            f"max_repeats of {attributes[i]!r} is {caps[i]:.15g}; it must be 0 or a positive whole number, or "
            "inf for no limit.",
            value=float(caps[i]),
            row=attributes[i],
            column="max_repeats",
        )
    return caps


def _by_attribute(values: Any, attributes: tuple[str, ...], what: str, otherwise: float) -> Floats:
    """Numbers in the order of the attributes, from a mapping, an array or None."""
    if values is None:
        return np.full(len(attributes), otherwise)
    if hasattr(values, "items"):
        named = dict(values.items())
        names = set(attributes)
        if unknown := [name for name in named if name not in names]:
            raise PlanError(
                f"{what} are given for {list_names(unknown)}, which is no attribute here; "
                f"the attributes are {list_names(attributes, limit=8)}.{suggest(unknown[0], attributes)}",
                value=unknown[0],
                column=what,
            )
        values = [named.get(name, otherwise) for name in attributes]
    try:
        numbers = np.array(to_numpy(values), dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise PlanError(f"{what} must be numbers: {quote_value(values)}.", value=values, column=what) from None
    if numbers.shape != (len(attributes),):
        raise PlanError(
            f"{len(attributes)} attributes need as many {what}; they have the shape {numbers.shape}.",
            value=numbers.shape,
            column=what,
        )
    return numbers
