"""Sentences: an answer in words."""

from __future__ import annotations

__all__ = ["what_to_buy", "what_to_expect"]

from collections.abc import Sequence

import numpy as np

from manyjudges.base.results import on_one_line
from manyjudges.core.budget import COST_TOLERANCE
from manyjudges.core.plan import Plan

_NAMED = 6
"""Attributes that a sentence names."""


def what_to_buy(plan: Plan, attributes: Sequence[str], repeats: Sequence[int], *, worse: bool = False) -> str:
    """What a plan buys for each object, in one sentence.

    Parameters
    ----------
    plan : Plan
    attributes, repeats : sequences
        What it chose, in the order in which to name them, and how many judgments of each.
    worse : bool
        Whether predictions are no better than guessing the mean.
    """
    if not plan.repeats:
        cheapest = float(np.min(plan.costs))
        if 0 < plan.budget < cheapest * (1 - COST_TOLERANCE):
            return (
                f"A budget of {plan.money(plan.budget)} is too small to buy anything: the cheapest judgment costs "
                f"{plan.money(cheapest)}."
            )
        return f"Within a budget of {plan.money(plan.budget)}, there is nothing worth buying."
    names = [on_one_line(name) for name in attributes]
    parts = [f"{n:,} of “{name}”" for n, name in zip(repeats, names, strict=True)]
    parts[0] = f"{repeats[0]:,} judgment{'s' * (repeats[0] != 1)} of “{names[0]}”"
    if (more := len(parts) - _NAMED) > 0:
        parts = [*parts[:_NAMED], f"{more:,} more attribute{'s' * (more != 1)}"]
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    of_budget = "" if np.isclose(plan.cost, plan.budget) else f" of {plan.money(plan.budget)}"
    if worse:
        return (
            f"As things stand, buy nothing: {listed}, at a cost of {plan.money(plan.cost)}{of_budget}, would not help."
        )
    return f"For each object, buy {listed}, at a cost of {plan.money(plan.cost)}{of_budget}."


def what_to_expect(
    plan: Plan, error: float | None, low: float | None, high: float | None, baseline: float | None
) -> str:
    """What error to expect of a plan, in one or two sentences.

    Parameters
    ----------
    plan : Plan
    error, low, high, baseline : float, optional
        RMSE on held-out objects, its limits, and that of guessing the mean; None where they were not estimated.
    """
    if error is None or low is None or high is None or baseline is None:
        return "The error to expect was not estimated."
    digits = _decimals(low, high, baseline)
    off, least, most, guessing = (f"{value:,.{digits}f}" for value in (error, low, high, baseline))
    limits = f"{least} to {most}" if low > 0 else f"up to {most}"
    if not plan.repeats:
        return f"Expect to be off by about {off} ({limits}) when always guessing the mean."
    without = f"guessing the mean would be off by {guessing}."
    if error == 0:
        return f"The error to expect cannot be told apart from zero: it is at most about {most}; {without}"
    if error >= baseline:
        return f"Expect to be off by about {off} ({limits}). No better than guessing the mean, off by {guessing}."
    sure = "" if high < baseline else " Whether the judgments help is not sure."
    return f"Expect to be off by about {off} ({limits}); {without}{sure}"


def _decimals(low: float, high: float, baseline: float) -> int:
    """As many as it takes to tell the limits apart, and no fewer than two digits in all.

    >>> _decimals(2.71, 3.12, 4.0), _decimals(181.2, 197.7, 300.0)
    (1, 0)
    """
    tenth = min((size for size in (high, baseline) if size > 0), default=1.0) / 10
    reach = min((high - low) / 2 or tenth, tenth)
    return int(np.clip(-np.floor(np.log10(max(reach, 1e-12))), 0, 12))
