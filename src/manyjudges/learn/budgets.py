"""The budget curve: what error to expect for less money, and what more would buy."""

from __future__ import annotations

__all__ = ["BudgetCurve", "budget_curve", "budgets_around", "compare_over", "plan_words", "round_budgets"]

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from manyjudges.arrays.types import Floats
from manyjudges.base.frames import table
from manyjudges.base.progress import Progress
from manyjudges.base.results import Result, plain
from manyjudges.core.budget import as_budget, as_costs
from manyjudges.core.search.registry import MOST_JUDGMENTS
from manyjudges.learn.checks.registry import raise_stops
from manyjudges.learn.comparison import AUTO, Comparison, check_method, compare
from manyjudges.learn.error_curve import ErrorCurve, as_budgets, curve_of
from manyjudges.learn.search_capabilities import ON_EVERY_CURVE
from manyjudges.learn.training_data import TrainingData, load_training_data
from manyjudges.scan.options import ScanOptions
from manyjudges.tables.reading.options import ReadKeywords

if TYPE_CHECKING:
    import pandas as pd

_ROUND = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)
"""Round numbers of each decade."""

_SO_MANY = 12
"""Budgets to look at, about, where none are given."""

_AS_FAR = 2.5
"""How many times the budget the curve goes."""


@dataclass(frozen=True, eq=False, repr=False)
class BudgetCurve(Result):
    """Error to expect, and the plan, at several budgets by several methods; and where the chosen plan is among them.

    Errors are RMSE, in the label's unit, on objects that had no part in plan or predictor.

    Attributes
    ----------
    budgets : tuple of float
        Ascending; ``chosen_budget`` is one of them.
    methods : tuple of str
    error, low, high : (methods, budgets) arrays
        Error to expect, and its limits.
    explained : (methods, budgets) array
        Share of the label's variance explained, from 0 to 1.
    in_sample_error : (methods, budgets) array
        What a plan promises of itself: optimistic.
    baseline_error : float
        Error of always guessing the label's mean, on the same objects.
    shrinkage : float
        How far the covariance was shrunk for the chosen plan.
    chosen_budget : float
    chosen_method : str
        ``"auto"``, or the method that was named.
    plans : dict
        By method: a tuple with the repeats ``{attribute: judgments}`` at each budget. In the place of ``"exact"``,
        which would take long, stands ``"exchange"``.
    costs : dict
        By method: an array of what each of these plans costs.
    """

    FORMAT: ClassVar[str] = "manyjudges.budgets/2"

    budgets: tuple[float, ...]
    methods: tuple[str, ...]
    error: Floats
    low: Floats
    high: Floats
    explained: Floats
    in_sample_error: Floats
    baseline_error: float
    shrinkage: float
    chosen_budget: float
    chosen_method: str
    plans: dict[str, tuple[dict[str, int], ...]]
    costs: dict[str, Floats]

    @classmethod
    def of(cls, curve: ErrorCurve, method: str, budget: float) -> BudgetCurve:
        """The curve with its plans, and what was chosen at one of its budgets for one of its methods."""
        m, k = curve.methods.index(method), curve.budgets.index(budget)
        made = dict(zip(curve.methods, curve.plans, strict=True))
        return cls(
            budgets=curve.budgets,
            methods=curve.methods,
            error=curve.error,
            low=curve.low,
            high=curve.high,
            explained=curve.explained,
            in_sample_error=curve.in_sample_error,
            baseline_error=curve.baseline_error,
            shrinkage=curve.plans[m][k].shrinkage,
            chosen_budget=budget,
            chosen_method=method,
            plans={method: tuple(plan.repeats for plan in of_method) for method, of_method in made.items()},
            costs={method: np.array([plan.cost for plan in of_method]) for method, of_method in made.items()},
        )

    @property
    def chosen(self) -> tuple[int, int]:
        """Where the chosen plan is in the arrays: its method and its budget, by position."""
        return self.methods.index(self.chosen_method), self.budgets.index(self.chosen_budget)

    @property
    def next_units(self) -> pd.DataFrame:
        """A row for each step from the chosen budget to higher ones, by the chosen method.

        ``from_budget``, ``to_budget``, ``extra_cost`` of the step, the ``error`` that it leads to, ``gained`` (how much
        more of the label's variance is explained then, as a share of it) and ``gained_per_unit`` of money.
        """
        m, start = self.chosen
        budgets, error = np.array(self.budgets, dtype=float)[start:], self.error[m, start:]
        extra = np.diff(budgets)
        # Not the difference of what is explained, which is 0 at the least: an error above the baseline's may fall, too.
        gained = -np.diff((error / self.baseline_error) ** 2)
        return table(
            {
                "from_budget": budgets[:-1],
                "to_budget": budgets[1:],
                "extra_cost": extra,
                "error": error[1:],
                "gained": gained,
                "gained_per_unit": gained / extra,
            }
        )

    @property
    def headline(self) -> str:
        """What it is about, in a line."""
        return f"Error to expect on new objects (RMSE; guessing the mean: {self.baseline_error:.4g}):"

    def to_frame(self) -> pd.DataFrame:
        """A row for each method and budget."""
        many = len(self.budgets)
        names = ("error", "low", "high", "explained", "in_sample_error")
        return table(
            {
                "method": np.repeat(np.array(self.methods, dtype=object), many),
                "budget": np.tile(np.array(self.budgets, dtype=float), len(self.methods)),
                "cost": np.concatenate([self.costs[method] for method in self.methods]),
            }
            | {name: getattr(self, name).ravel() for name in names}
            | {"plan": [plan_words(repeats) for method in self.methods for repeats in self.plans[method]]}
        )

    def to_document(self) -> dict[str, Any]:
        """The numbers as plain lists, numbers and strings."""
        return super().to_document() | {"next_units": plain(self.next_units.to_dict(orient="records"))}


def plan_words(repeats: dict[str, int]) -> str:
    """A plan in a few words.

    >>> plan_words({"tall": 17, "male": 5})
    '17×tall + 5×male'
    """
    most_first = sorted(repeats.items(), key=lambda item: -item[1])
    return " + ".join(f"{n}×{name}" for name, n in most_first) or "nothing"


def round_budgets(budget: float, prices: Floats) -> tuple[float, ...]:
    """About a dozen budgets, from one judgment to more than twice the budget, which is among them.

    Round multiples of the cheapest price, so that where all prices are the same no two of them buy the same.

    >>> round_budgets(40, np.ones(3))
    (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 40.0, 50.0, 70.0, 100.0)
    """
    budget, unit = as_budget(budget), float(prices.min())
    top = max(min(_AS_FAR * budget, MOST_JUDGMENTS * unit), 10 * unit) / unit
    decades = 10.0 ** np.arange(np.ceil(np.log10(top)) + 1)
    multiples = np.outer(decades, _ROUND).ravel()
    multiples = multiples[(multiples <= top * (1 + 1e-9)) & (multiples == np.floor(multiples))]
    others = [float(f"{multiple * unit:.10g}") for multiple in multiples]
    others = [other for other in others if not np.isclose(other, budget)]
    at = np.unique(np.linspace(0, len(others) - 1, _SO_MANY - 1).round().astype(int))
    return tuple(sorted([budget, *(others[i] for i in at)]))


def with_budget(budgets: Any, budget: float) -> tuple[float, ...]:
    """Budgets that were given, ascending, with the one that a plan is wanted for."""
    return tuple(sorted({as_budget(budget), *map(as_budget, as_budgets(budgets))}))


def budget_curve(
    judgments: Any,
    labels: Any,
    budget: float | None = None,
    *,
    budgets: float | Iterable[float] | None = None,
    costs: Any = None,
    method: str = AUTO,
    shrinkage: float | str = AUTO,
    max_repeats: Any = None,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    cv: int = 5,
    cv_repeats: int = 3,
    random_state: int | None = 0,
    progress: Progress | None = None,
    mute: Collection[str] = (),
    **reading: Unpack[ReadKeywords],
) -> BudgetCurve:
    """The budget curve alone: the plan and the error to expect at several budgets.

    Parameters
    ----------
    judgments, labels, noiseless, unmatched, **reading, costs, max_repeats, method, shrinkage
        As for :func:`answer`.
    budget : float, optional
        The one that the curve calls chosen (default: the middle one of ``budgets``, or what 20 judgments of the median
        price cost).
    budgets : float or sequence of float, optional
        Where to look (default: about a dozen around ``budget``).
    cv, cv_repeats, random_state, progress, mute
        As for :func:`answer`.
    """
    options = ScanOptions.of(unmatched=unmatched, **reading)
    data = load_training_data(judgments, labels, options, noiseless=noiseless, whole=True)
    prices = as_costs(costs, data.attributes)
    checked_budgets = None if budgets is None else tuple(sorted(as_budgets(budgets)))
    limit = _usual_budget(checked_budgets, prices) if budget is None else as_budget(budget)
    raise_stops(data, mute=mute)  # before anything is computed
    _, curve = compare_over(
        data,
        budgets_around(limit, checked_budgets, prices),
        method=method,
        shrinkage=shrinkage,
        costs=costs,
        max_repeats=max_repeats,
        progress=progress,
        cv=cv,
        cv_repeats=cv_repeats,
        random_state=random_state,
    )
    return BudgetCurve.of(curve, method, limit)


_USUAL = 20
"""Judgments of the median price that a budget pays for, where none is given."""


def budgets_around(budget: float, budgets: float | Iterable[float] | None, prices: Floats) -> tuple[float, ...]:
    """Where to look: at the budgets that were given, or at round ones around the budget."""
    return round_budgets(budget, prices) if budgets is None else with_budget(budgets, budget)


def _usual_budget(budgets: tuple[float, ...] | None, prices: Floats) -> float:
    """A budget where none is given."""
    return float(_USUAL * np.median(prices)) if budgets is None else budgets[len(budgets) // 2]


def compare_over(
    data: TrainingData, budgets: tuple[float, ...], *, method: str, costs: Any, max_repeats: Any, **options: Any
) -> tuple[Comparison, ErrorCurve]:
    """Errors of the method at each budget, and beside it those of the paper's algorithms, all on the same folds.

    Parameters
    ----------
    data : TrainingData
    budgets : tuple of float
    method, costs, max_repeats, **options
        As for :func:`compare`.
    """
    check_method(method)
    methods = tuple(dict.fromkeys((method, *ON_EVERY_CURVE)))
    compared = compare(data, budgets, methods=methods, costs=costs, max_repeats=max_repeats, **options)
    return compared, curve_of(data, compared)
