"""The bill: what a plan costs for one object, for the labelled objects that lack judgments, and for new ones."""

from __future__ import annotations

__all__ = ["Bill", "BillItem", "as_new", "bill_of"]

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.formatting import plural
from manyjudges.base.frames import table
from manyjudges.base.messages import quote_value
from manyjudges.base.money import format_amount, read_currency
from manyjudges.base.results import Result
from manyjudges.core.plan import Plan
from manyjudges.exceptions import PlanError

if TYPE_CHECKING:
    import pandas as pd


class BillItem(NamedTuple):
    """One line of a bill.

    Attributes
    ----------
    objects : int or None
        Objects that are judged; None where a scan did not count them.
    judgments : int
    cost : float
    """

    objects: int | None
    judgments: int
    cost: float


@dataclass(frozen=True, eq=False, repr=False)
class Bill(Result):
    """What the judgments of a plan cost.

    Arrays have an entry for each attribute that the plan chose, in the plan's order.

    Attributes
    ----------
    currency : str
        ISO 4217 code, such as ``"EUR"``; empty where prices are in units.
    attributes : tuple of str
    repeats : array of int
        Judgments of each attribute per object.
    price, cost : arrays
        Of one judgment, and of all of one object.
    missing : array of int
        Judgments that the labelled objects at hand still lack.
    missing_cost : array
        What those cost.
    per_object : BillItem
        One object that nobody has judged.
    labelled : BillItem
        What the labelled objects at hand still lack.
    new : BillItem or None
        New objects that nobody has judged; None where it was not said how many.
    total : BillItem
        Labelled and new ones together.

    Examples
    --------
    >>> from manyjudges import Moments, select
    >>> moments = Moments.from_values([1.0, 0.5], [1.0, 0.0], [[2.0, 0.0], [0.0, 1.0]], 3.0, attributes=["tall", "old"])
    >>> plan = select(moments, budget=0.15, costs=[0.05, 0.05])
    >>> bill = bill_of(plan, {"judgments": 0, "cost": 0.0, "objects": 0}, currency="USD", new=5000)
    >>> bill.total
    BillItem(objects=5000, judgments=15000, cost=750.0)
    >>> print(bill.headline)
    Each object takes 3 judgments for $0.15. 5,000 new objects take 15,000 judgments for $750.00.
    """

    FORMAT: ClassVar[str] = "manyjudges.bill/1"

    currency: str
    attributes: tuple[str, ...]
    repeats: Integers
    price: Floats
    cost: Floats
    missing: Integers
    missing_cost: Floats
    per_object: BillItem
    labelled: BillItem
    new: BillItem | None
    total: BillItem

    def to_frame(self) -> pd.DataFrame:
        """A row for each attribute that the plan chose."""
        columns = {"repeats": self.repeats, "price": self.price, "cost": self.cost}
        more = {"missing": self.missing, "missing_cost": self.missing_cost}
        if self.new is not None and self.new.objects is not None:
            more |= {"new": self.repeats * self.new.objects, "new_cost": self.cost * self.new.objects}
        return table(columns | more, index=self.attributes, index_name="attribute")

    def to_document(self) -> dict[str, Any]:
        """The numbers as plain lists, numbers and strings."""
        items = {"per_object": self.per_object, "labelled": self.labelled, "new": self.new, "total": self.total}
        return super().to_document() | {
            name: None if item is None else dict(item._asdict()) for name, item in items.items()
        }

    @property
    def headline(self) -> str:
        """What it comes to, in words."""
        each = self.per_object
        if not each.judgments:
            return "The plan buys no judgments, so it costs nothing."
        sentences = [f"Each object takes {self._amount(each)}."]
        if self.labelled.judgments:
            sentences.append(f"{self._lacking} {self._amount(self.labelled)}.")
        if self.new is not None:
            takes = "takes" if self.new.objects == 1 else "take"
            sentences.append(f"{plural(self.new.objects or 0, 'new object')} {takes} {self._amount(self.new)}.")
            if self.labelled.judgments:
                sentences.append(f"Together: {format_amount(self.total.cost, self.currency)}.")
        return " ".join(sentences)

    @property
    def _lacking(self) -> str:
        """Who lacks judgments."""
        objects = self.labelled.objects
        if objects is None:
            return "The labelled objects at hand still lack"
        return f"{plural(objects, 'labelled object')} at hand still {'lacks' if objects == 1 else 'lack'}"

    def _amount(self, item: BillItem) -> str:
        return f"{plural(item.judgments, 'judgment')} for {format_amount(item.cost, self.currency)}"


def bill_of(plan: Plan, lacking: Mapping[str, Any], *, currency: str = "", new: int | None = None) -> Bill:
    """The bill of a plan.

    Parameters
    ----------
    plan : Plan
        With the price of each judgment.
    lacking : mapping
        What the labelled objects at hand lack of it, as :meth:`TrainingData.lacking` says.
    currency : str
        In which the plan's prices are, as a code or a sign; empty for units.
    new : int, optional
        How many more objects are to be judged, which nobody has judged so far.
    """
    counts = plan.to_array()
    chosen = np.flatnonzero(counts)
    names = tuple(plan.attributes[i] for i in chosen)
    short = dict(lacking.get("attributes", {}))
    missing = np.array([short.get(name, 0) for name in names], dtype=np.int64)
    per_object = BillItem(1, int(counts.sum()), plan.cost)
    labelled = BillItem(lacking["objects"], int(lacking["judgments"]), float(lacking["cost"]))
    n_new = as_new(new)
    of_new = None if n_new is None else BillItem(n_new, n_new * per_object.judgments, n_new * per_object.cost)
    return Bill(
        currency=read_currency(currency),
        attributes=names,
        repeats=counts[chosen],
        price=plan.costs[chosen],
        cost=(counts * plan.costs)[chosen],
        missing=missing,
        missing_cost=missing * plan.costs[chosen],
        per_object=per_object,
        labelled=labelled,
        new=of_new,
        total=labelled if of_new is None else _together(labelled, of_new),
    )


def as_new(new: object) -> int | None:
    """Check how many new objects somebody says that there are."""
    if new is None:
        return None
    whole = isinstance(new, int | np.integer) and not isinstance(new, bool)
    if not whole or int(new) < 0:  # type: ignore[call-overload]  # a whole number
        raise PlanError(
            f"The number of new objects must be 0 or a positive whole number, not {quote_value(new)}.",
            value=new,
            column="new",
        )
    return int(new)  # type: ignore[call-overload,no-any-return]  # a whole number


def _together(one: BillItem, other: BillItem) -> BillItem:
    objects = None if one.objects is None or other.objects is None else one.objects + other.objects
    return BillItem(objects, one.judgments + other.judgments, one.cost + other.cost)
