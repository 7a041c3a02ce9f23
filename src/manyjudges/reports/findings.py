"""Findings: what each figure shows, in a sentence or two, for those who see it and for those who do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manyjudges.base.formatting import (
    clean,
    decimals_for,
    error_digits,
    fixed,
    in_units,
    listed,
    number,
    percent,
    plural,
    small_percent,
)

if TYPE_CHECKING:
    from manyjudges.summary import AttributeMap, BudgetCurve, IntervalCalibration, NextJudgments, Reliability, Residuals


def curve_digits(curve: BudgetCurve) -> int:
    """Decimals for errors along a curve, in the label’s units."""
    at = curve.methods.index(curve.chosen_method), curve.budgets.index(curve.chosen_budget)
    return error_digits(in_units(curve.low[at]), in_units(curve.high[at]), in_units(curve.baseline_loss))


def budget_curve(curve: BudgetCurve) -> str:
    """How the error falls, and what is promised instead."""
    digits, m = curve_digits(curve), curve.methods.index(curve.chosen_method)
    at = curve.budgets.index(curve.chosen_budget)

    def error(k: int) -> str:
        return fixed(in_units(curve.loss[m, k]), digits)

    places = {
        0: f"at a budget of {number(curve.budgets[0])}",
        len(curve.budgets) - 1: f"at {number(curve.budgets[-1])}",
    }
    places[at] = f"at the chosen budget of {number(curve.chosen_budget)}"
    ends = listed(f"{error(k)} {where}" for k, where in sorted(places.items()))
    promised = fixed(in_units(curve.optimistic_loss[m, at]), digits)
    guess = fixed(in_units(curve.baseline_loss), digits)
    return (
        f"Planned by “{curve.chosen_method}”, the error to expect on new objects is {ends}. There the plan itself "
        f"promises {promised}; always guessing the mean is off by {guess}.{_another_method(curve, m, at, digits)}"
    )


def _another_method(curve: BudgetCurve, m: int, at: int, digits: int) -> str:
    """That another method would do better, where it would."""
    best = int(np.argmin(curve.loss[:, at]))
    if curve.loss[best, at] >= 0.98 * curve.loss[m, at]:
        return ""
    less = fixed(in_units(curve.loss[best, at]), digits)
    return f" Planned by “{curve.methods[best]}” it would be {less}, which is less."


def attribute_map(found: AttributeMap) -> str:
    """Who tells most, and of what the plan buys most."""
    strength = np.abs(np.nan_to_num(np.asarray(found.correlation, dtype=float)))
    top = [int(i) for i in np.argsort(-strength, kind="stable")[:3] if strength[i] > 0]
    bought = int((np.asarray(found.repeats) > 0).sum())
    start = f"The plan buys {bought} of {plural(len(found.attributes), 'attribute')}."
    if not top:
        return f"{start} None of them goes with the label."
    named = listed(f"“{clean(found.attributes[i])}” ({fixed(found.correlation[i])})" for i in top)
    return f"{start} Most strongly correlated with the label: {named}."


def next_judgments(found: NextJudgments) -> str:
    """The best next purchase, and how it compares."""
    if not np.any(found.available):
        return "Of no attribute is there another judgment to be had."
    if found.gain_per_cost[0] <= 0:  # those that can be had come first
        return "No further judgment would add to what the plan explains."
    there = [name for name, fine in zip(found.attributes, found.available, strict=True) if fine]
    names = [f"“{clean(name)}”" for name in there[:3]]
    rest = f", followed by {listed(names[1:])}" if len(names) > 1 else ""
    return (
        f"The best next judgment for its price would be one of {names[0]}: it would explain another "
        f"{small_percent(found.gain[0])} of the label’s variance for {number(found.price[0])}{rest}."
    )


def residuals(found: Residuals) -> str:
    """How good predictions of held-out objects are."""
    digits = decimals_for(found.rmse / 10)
    parts = f"With the judgments at hand, predictions of {plural(len(found.labels), 'held-out object')} are typically "
    parts += f"off by {fixed(found.rmse, digits)}"
    if np.isfinite(found.correlation):
        parts += f" and correlate {fixed(found.correlation)} with the label"
    return f"{parts}. On the whole they are {_bias(found)}."


def _bias(found: Residuals) -> str:
    chance = 2 * found.rmse / max(len(found.labels), 1) ** 0.5
    if abs(found.mean_error) <= chance:
        return "neither too high nor too low"
    return f"too {'high' if found.mean_error > 0 else 'low'} by {number(abs(found.mean_error), 2)}"


def calibration(found: IntervalCalibration) -> str:
    """Whether intervals are too narrow or too wide."""
    k = min(range(len(found.levels)), key=lambda i: abs(found.levels[i] - 0.9))
    covered = f"{percent(found.covered[k])} ({percent(found.low[k])} to {percent(found.high[k])})"
    level = found.levels[k]
    narrow = sum(high < each for high, each in zip(found.high, found.levels, strict=True))
    wide = sum(low > each for low, each in zip(found.low, found.levels, strict=True))
    verdict = "and those of other levels show no sign that they should be wider or narrower"
    if narrow > wide:
        verdict = f"and {narrow} of {len(found.levels)} levels hold too few: take predictions for less certain"
    elif wide:
        verdict = f"and {wide} of {len(found.levels)} levels hold too many: intervals are wider than they need be"
    return f"Intervals that should hold {percent(level)} of the labels hold {covered}, {verdict}."


def reliability(found: Reliability) -> str:
    """How reliable one judgment is, and how many attributes become reliable."""
    icc = np.asarray(found.icc1, dtype=float)
    known = np.flatnonzero(np.isfinite(icc))
    if not len(known):
        return "Of no attribute are there two judgments of one object, so that reliability cannot be known."
    best, worst = int(known[np.argmax(icc[known])]), int(known[np.argmin(icc[known])])
    text = f"A single judgment is most reliable of “{clean(found.attributes[best])}” (ICC {fixed(icc[best])})"
    if best != worst:
        text += f" and least of “{clean(found.attributes[worst])}” ({fixed(icc[worst])})"
    t = min(range(len(found.targets)), key=lambda i: abs(found.targets[i] - 0.8))
    within = int((np.asarray(found.needed)[known, t] <= 10).sum())
    many = plural(len(known), "attribute")
    return f"{text}. With 10 judgments or fewer, {within} of {many} reach a reliability of {found.targets[t]:g}."
