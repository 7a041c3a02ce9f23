"""The budget curve: what error to expect for less money, and what more would buy."""

from __future__ import annotations

__all__ = ["BudgetCurve", "plan_words", "round_budgets"]

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from manyjudges.arrays.types import Floats
from manyjudges.base.frames import table
from manyjudges.base.results import LIMITS, Result, plain
from manyjudges.core.budget import as_budget
from manyjudges.core.search.registry import MOST_JUDGMENTS
from manyjudges.learn.error_curve import ErrorCurve, as_budgets

if TYPE_CHECKING:
    import pandas as pd

_ROUND = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)
"""Round numbers of each decade."""

_SO_MANY = 12
"""Budgets to look at, about, where nobody says which."""

_AS_FAR = 2.5
"""How many times the budget the curve goes."""


@dataclass(frozen=True, eq=False, repr=False)
class BudgetCurve(Result):
    """Error to expect, and the plan, at several budgets by several methods; and where the chosen plan is among them.

    Attributes
    ----------
    budgets : tuple of float
        Ascending; ``chosen_budget`` is one of them.
    methods : tuple of str
    loss, std_error, optimistic_loss : (methods, budgets) arrays
        Squared error on held-out objects, its standard error, and what a plan promises of itself.
    label_variance : float
    shrinkage : float
        How far the covariance was shrunk for the chosen plan.
    chosen_budget : float
    chosen_method : str
        ``"auto"``, or the method that was named.
    chosen_loss, chosen_std_error : float
        Of the plan that was chosen.
    baseline_loss : float
        Of always guessing the mean, on held-out objects, too.
    plans : dict
        By method: a tuple with the repeats ``{attribute: judgments}`` at each budget. In the place of ``"exact"``,
        which would take long, stands ``"exchange"``.
    costs : dict
        By method: an array of what each of these plans costs.
    """

    FORMAT: ClassVar[str] = "manyjudges.budgets/1"

    budgets: tuple[float, ...]
    methods: tuple[str, ...]
    loss: Floats
    std_error: Floats
    optimistic_loss: Floats
    label_variance: float
    shrinkage: float
    chosen_budget: float
    chosen_method: str
    chosen_loss: float
    chosen_std_error: float
    baseline_loss: float
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
            loss=curve.loss.copy(),
            std_error=curve.std_error.copy(),
            optimistic_loss=curve.optimistic_loss.copy(),
            label_variance=curve.label_variance,
            shrinkage=curve.plans[m][k].shrinkage,
            chosen_budget=budget,
            chosen_method=method,
            chosen_loss=float(curve.loss[m, k]),
            chosen_std_error=float(curve.std_error[m, k]),
            baseline_loss=curve.baseline_loss,
            plans={method: tuple(plan.repeats for plan in of_method) for method, of_method in made.items()},
            costs={method: np.array([plan.cost for plan in of_method]) for method, of_method in made.items()},
        )

    @property
    def low(self) -> Floats:
        """The loss less two standard errors, not below 0, by method and budget."""
        return np.asarray(np.maximum(self.loss - LIMITS * self.std_error, 0.0))

    @property
    def high(self) -> Floats:
        """The loss plus two standard errors, by method and budget."""
        return np.asarray(np.maximum(self.loss + LIMITS * self.std_error, 0.0))

    @property
    def next_units(self) -> pd.DataFrame:
        """A row for each step from the chosen budget to higher ones, by the chosen method.

        ``from_budget``, ``to_budget``, ``extra_cost`` of the step, the ``loss`` that it leads to, ``saved`` (by how
        much the loss falls in this step, as a share of the label's variance) and ``saved_per_unit`` of money.
        """
        budgets = np.array(self.budgets, dtype=float)
        start = self.budgets.index(self.chosen_budget)
        loss = self.loss[self.methods.index(self.chosen_method), start:]
        extra = np.diff(budgets[start:])
        saved = -np.diff(loss) / self.label_variance
        return table(
            {
                "from_budget": budgets[start:-1],
                "to_budget": budgets[start + 1 :],
                "extra_cost": extra,
                "loss": loss[1:],
                "saved": saved,
                "saved_per_unit": saved / extra,
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """A row for each method and budget; ``relative`` columns are shares of the label's variance."""
        many = len(self.budgets)
        errors = {"loss": self.loss, "std_error": self.std_error, "optimistic_loss": self.optimistic_loss}
        return table(
            {
                "method": np.repeat(np.array(self.methods, dtype=object), many),
                "budget": np.tile(np.array(self.budgets, dtype=float), len(self.methods)),
                "cost": np.concatenate([self.costs[method] for method in self.methods]),
            }
            | {name: values.ravel() for name, values in errors.items()}
            | {f"relative_{name}": values.ravel() / self.label_variance for name, values in errors.items()}
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
    """Budgets that somebody gave, ascending, with the one that a plan is wanted for."""
    return tuple(sorted({as_budget(budget), *map(as_budget, as_budgets(budgets))}))
