"""Explorer: the budget curve to move along, on a page or in a notebook."""

from __future__ import annotations

__all__ = ["Explorer", "explore"]

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyjudges.base.formatting import clean, error_digits, fixed, listed, number, percent
from manyjudges.base.templates import check_extra, rendered
from manyjudges.learn.budgets import BudgetCurve, budget_curve


@dataclass(frozen=True, eq=False, repr=False)
class Explorer:
    """The budget curve as a picture to move along, with the plan and the error at each budget. Made by :func:`explore`.

    A notebook shows it; without scripts, a table of the plans remains.

    Attributes
    ----------
    curve : BudgetCurve
    label_name : str
        What is predicted.
    """

    curve: BudgetCurve
    label_name: str = "the label"

    def html(self, prefix: str = "mj-explorer", *, style: bool = True) -> str:
        """A piece of HTML.

        Parameters
        ----------
        prefix : str
            Start of all ids in it: another one for each piece on a page.
        style : bool
            Whether it brings its own style sheet.
        """
        return rendered("reports/explorer.html.jinja", **component(self.curve, self.label_name, prefix), style=style)

    def __repr__(self) -> str:
        return f"Explorer of {len(self.curve.budgets)} budgets; a notebook shows it. {_finding(self.curve)}"

    def _repr_html_(self) -> str:
        # The same explorer may be shown in two cells of one page, and ids must still differ.
        return self.html(f"mj-{secrets.token_hex(4)}")


def curve_digits(curve: BudgetCurve) -> int:
    """Decimals for errors along a curve, in the label’s units."""
    at = curve.chosen
    return error_digits(curve.low[at], curve.high[at], curve.baseline_error)


def _finding(curve: BudgetCurve) -> str:
    """How the error falls, and what is promised instead."""
    digits, (m, at) = curve_digits(curve), curve.chosen

    def error(k: int) -> str:
        return fixed(curve.error[m, k], digits)

    places = {
        0: f"at a budget of {number(curve.budgets[0])}",
        len(curve.budgets) - 1: f"at {number(curve.budgets[-1])}",
    }
    places[at] = f"at the chosen budget of {number(curve.chosen_budget)}"
    ends = listed(f"{error(k)} {where}" for k, where in sorted(places.items()))
    promised = fixed(curve.in_sample_error[m, at], digits)
    guess = fixed(curve.baseline_error, digits)
    return (
        f"Planned by “{curve.chosen_method}”, the error to expect on new objects is {ends}. At the chosen budget the "
        f"plan itself promises {promised}; always guessing the mean is off by {guess}."
        f"{_another_method(curve, m, at, digits)}"
    )


def _another_method(curve: BudgetCurve, m: int, at: int, digits: int) -> str:
    """That another method would do better, where it would."""
    best = int(np.argmin(curve.error[:, at]))
    if curve.error[best, at] >= 0.99 * curve.error[m, at]:
        return ""
    less = fixed(curve.error[best, at], digits)
    return f" Planned by “{curve.methods[best]}” it would be {less}, which is less."


def component(curve: BudgetCurve, label_name: str, prefix: str) -> dict[str, Any]:
    """What the explorer's template needs."""
    from manyjudges import plots
    from manyjudges.reports.figures import figure

    points = [
        (budget, float(curve.error[m, k])) for m in range(len(curve.methods)) for k, budget in enumerate(curve.budgets)
    ]
    picture = figure(
        f"{prefix}-curve",
        "Error against budget",
        _finding(curve),
        lambda ax: plots.budget_curve(curve, ax, label_name=label_name),
        (4.2, 4.0),
        points,
    )
    rows = _rows(curve)
    return {
        "prefix": prefix,
        "figure": picture,
        "curve": curve,
        "rows": rows,
        "data": _data(curve, rows, picture.places),
    }


def _rows(curve: BudgetCurve) -> list[dict[str, Any]]:
    """A row for each budget and method, in words."""
    digits = curve_digits(curve) + 1  # neighbours on the curve differ by little
    return [
        {
            "method": method,
            "budget": number(budget),
            "chosen": budget == curve.chosen_budget and method == curve.chosen_method,
            "cost": number(curve.costs[method][k]),
            "error": fixed(curve.error[m, k], digits),
            "low": fixed(curve.low[m, k], digits),
            "high": fixed(curve.high[m, k], digits),
            "explained": _explained(curve.error[m, k], curve.baseline_error),
            "promised": fixed(curve.in_sample_error[m, k], digits),
            "plan": [[clean(name), n] for name, n in _most_first(curve.plans[method][k])],
        }
        for k, budget in enumerate(curve.budgets)
        for m, method in enumerate(curve.methods)
    ]


def _explained(error: float, baseline_error: float) -> str:
    """How much of the label's variance predictions explain on held-out objects."""
    if error >= baseline_error:
        return "no better than guessing the mean"
    return f"{percent(1 - (error / baseline_error) ** 2)} of the variance explained"


def _most_first(repeats: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(repeats.items(), key=lambda item: -item[1])


def _data(curve: BudgetCurve, rows: list[dict[str, Any]], places: Any) -> dict[str, Any]:
    """What the script needs: the same words as in the table, and where the points are."""
    many = len(curve.methods)
    return {
        "methods": list(curve.methods),
        "budgets": [number(budget) for budget in curve.budgets],
        "method": curve.methods.index(curve.chosen_method),
        "budget": curve.budgets.index(curve.chosen_budget),
        "points": [rows[m::many] for m in range(many)],
        "places": {"wide": places[0], "narrow": places[1]},
        "guess": fixed(curve.baseline_error, curve_digits(curve) + 1),
    }


def explore(
    judgments: Any,
    labels: Any,
    budgets: float | Iterable[float] | None = None,
    *,
    budget: float | None = None,
    label_name: str | None = None,
    **options: Any,
) -> Explorer:
    """Look at the plan and its error at many budgets, in a notebook.

    Parameters
    ----------
    judgments, labels
        As for :func:`summarize`.
    budgets : float or sequence of float, optional
        Where to look; about a dozen around ``budget``, if nobody says.
    budget : float, optional
        Where to start, and where method and shrinkage are chosen: the middle one of ``budgets``, or what 20 judgments
        cost, if nobody says.
    label_name : str, optional
        What is predicted.
    **options
        All else that :func:`summarize` takes, such as ``costs``, ``method`` and ``random_state``.

    Examples
    --------
    >>> from manyjudges import simulate
    >>> from manyjudges.reports import explore
    >>> crowd = simulate.jelly_beans(n_objects=200, random_state=0)
    >>> explore(crowd.pilot(2), crowd.labels, [2, 5, 10], shrinkage=0, cv_repeats=1)  # doctest: +ELLIPSIS
    Explorer of 3 budgets; a notebook shows it. Planned by “auto”, the error to expect on new objects is ...
    """
    check_extra()
    curve = budget_curve(judgments, labels, budget, budgets=budgets, **options)
    return Explorer(curve, clean(label_name or "the label"))
