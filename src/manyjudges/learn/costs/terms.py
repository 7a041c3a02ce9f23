"""Terms: what judgments cost and how much may be spent, as users say it, in one currency."""

from __future__ import annotations

__all__ = ["Terms", "largest_budget"]

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyjudges.arrays.types import Floats
from manyjudges.base.formatting import plural
from manyjudges.base.messages import list_names, quote_value
from manyjudges.base.money import Amount, agree_on_currency, format_amount, read_amount
from manyjudges.core.budget import COST_TOLERANCE, as_costs
from manyjudges.core.plan import Plan
from manyjudges.exceptions import PlanError
from manyjudges.learn.costs.bill import as_new

_STEPS = 40
"""Halvings when a budget is sought: more than enough for a hundredth of the lowest price."""


@dataclass(frozen=True, eq=False)
class Terms:
    """What judgments cost and how much may be spent.

    Attributes
    ----------
    budget : float or None
        The most that one object's judgments may cost; None where there is a total instead.
    total : float or None
        The most that all judgments may cost which the bill lists: those that the labelled objects at hand lack, and
        those of new objects.
    new : int or None
        How many new objects are to be judged.
    price : float or None
        Of one judgment; None for 1.
    costs : mapping, array or None
        Of one judgment of each attribute, where they are not ``price``.
    currency : str
        ISO 4217 code, empty for units.

    Examples
    --------
    >>> terms = Terms.of("$2", price="$0.05", costs={"height": 0.25}, new=5000)
    >>> terms.budget, terms.currency, terms.costs_of(("weight", "height")).tolist()
    (2.0, 'USD', [0.05, 0.25])
    """

    budget: float | None
    total: float | None
    new: int | None
    price: float | None
    costs: Any
    currency: str

    @classmethod
    def of(
        cls,
        budget: Any = None,
        *,
        total: Any = None,
        new: Any = None,
        price: Any = None,
        costs: Any = None,
        currency: str = "",
    ) -> Terms:
        """Read terms: amounts are numbers, or texts such as ``"$0.05"``.

        Parameters
        ----------
        budget, total, price : number or str, optional
            A budget or a total is needed.
        new : int, optional
        costs : mapping or array, optional
            By attribute.
        currency : str
            Code or sign.
        """
        named = {"budget": budget, "total": total, "price": price}
        amounts = {name: read_amount(amount, name) for name, amount in named.items() if amount is not None}
        own, costs = _read_costs(costs)
        code = agree_on_currency(amounts | own, currency)
        if budget is None and total is None:
            raise PlanError(
                "A plan needs a budget per object, --budget (budget=), or a total for all objects, --total (total=).",
                column="budget",
            )
        if budget is not None and total is not None:
            raise PlanError(
                "Give a budget per object or a total for all objects, not both: one follows from the other.",
                value=total,
                column="total",
            )
        values = {name: _checked(named[name], amount.value, name) for name, amount in amounts.items()}
        return cls(values.get("budget"), values.get("total"), as_new(new), values.get("price"), costs, code)

    @property
    def stated(self) -> bool:
        """Whether the user said anything about money but a budget."""
        said = (self.total, self.new, self.price, self.costs)
        return bool(self.currency) or any(each is not None for each in said)

    def costs_of(self, attributes: tuple[str, ...]) -> Floats:
        """Price of one judgment of each attribute, checked."""
        costs = self.costs
        if costs is None or isinstance(costs, Mapping):
            costs = {} if costs is None else dict(costs)
            unpriced = [name for name in attributes if name not in costs]
            if self.currency and self.price is None and unpriced:
                raise PlanError(
                    f"Amounts are in {self.currency}, but judgments of {list_names(unpriced)} have no price. Set the "
                    f"price of a judgment, such as {format_amount(0.05, self.currency)}, with --price (price=).",
                    value=unpriced[0],
                    column="price",
                )
            costs = dict.fromkeys(attributes, 1.0 if self.price is None else self.price) | costs
        return as_costs(costs, attributes)

    def within_total(self, plan: Plan, lacking: float) -> bool:
        """Whether a plan and what the labelled objects at hand lack of it, at its cost, stay within the total."""
        return self.total is None or self.cost(plan, lacking) <= self.total * (1 + COST_TOLERANCE)

    def cost(self, plan: Plan, lacking: float) -> float:
        """What all judgments cost that the bill lists."""
        return lacking + (self.new or 0) * plan.cost

    def covered(self, n_objects: int, budget: float) -> str:
        """What the total pays for, in words."""
        at_hand = f"what the {plural(n_objects, 'labelled object')} at hand lack{'s' if n_objects == 1 else ''}"
        who = f"{at_hand} and {plural(self.new, 'new object')}" if self.new else f"{at_hand}, and no new objects"
        money = format_amount(self.total or 0.0, self.currency)
        if not budget:
            return f"The total of {money} is too small for one judgment of each object: it has to cover {who}."
        return f"The total of {money} covers {who}: a budget of {format_amount(budget, self.currency)} per object."


def largest_budget(plan_at: Callable[[float], Plan], fits: Callable[[Plan], bool], prices: Floats) -> float:
    """The largest budget per object whose plan fits, to a hundredth of the lowest price; 0 where none does.

    Of a search whose plans do not always cost more for more money, it is one that fits, if perhaps not the largest.

    Parameters
    ----------
    plan_at : callable
        From a budget to the plan for it.
    fits : callable
        Whether a plan can be paid.
    prices : array
        Of one judgment of each attribute.
    """
    least, dearest = float(np.min(prices)), float(np.max(prices))
    low, high = 0.0, least
    while fits(plan := plan_at(high)):
        low = high
        if plan.cost + dearest < high:  # money for any judgment is left over, and no more is worth buying
            break
        high *= 2
    else:
        for _ in range(_STEPS):
            if high - low <= least / 100:
                break
            middle = (low + high) / 2
            low, high = (middle, high) if fits(plan_at(middle)) else (low, middle)
    plan = plan_at(low)
    # What the plan leaves of its budget is nobody's: a budget that it uses up is the same to a person.
    return plan.cost if fits(plan_at(plan.cost)) else low


def _read_costs(costs: Any) -> tuple[dict[str, Amount], Any]:
    """Amounts by attribute, by what they are called in an error; and their values, in the form in which they came."""
    if hasattr(costs, "items"):
        own = {name: read_amount(cost, f"cost of {name!r}") for name, cost in costs.items()}
        return {f"cost of {name!r}": each for name, each in own.items()}, {name: own[name].value for name in own}
    if isinstance(costs, list | tuple) and any(isinstance(cost, str) for cost in costs):
        read = [read_amount(cost, "costs") for cost in costs]
        return {f"cost {i}": each for i, each in enumerate(read, 1)}, [each.value for each in read]
    return {}, costs


def _checked(amount: Any, value: float, name: str) -> float:
    """The value of an amount that somebody gave, if money can be that."""
    zero = name != "price"  # a price of nothing would buy everything
    if np.isfinite(value) and (value > 0 or (zero and value == 0)):
        return value
    positive = "0 or a positive" if zero else "a positive"
    given = amount.text if isinstance(amount, Amount) else amount
    raise PlanError(
        f"The {name} must be {positive}, finite number, not {quote_value(given)}.", value=given, column=name
    )
