"""The answer: what to buy, in a sentence and a table, and how far off predictions will then be."""

from __future__ import annotations

__all__ = ["Answer"]

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.frames import table
from manyjudges.base.results import LIMITS, Result, on_one_line
from manyjudges.core.plan import Plan
from manyjudges.exceptions import PlanError
from manyjudges.summary.plain import plan_shares

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 6
"""Attributes that a sentence names."""


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Result):
    """What to buy for each object, and what error to expect then.

    Arrays have an entry for each chosen attribute, the one that explains most first.

    Attributes
    ----------
    plan : Plan
    sentence : str
        The same for a person to read.
    attributes : tuple of str
        Those that the plan chose.
    repeats : array of int
        Judgments of each to buy for each object.
    price, cost : arrays
        Of one judgment, and of all of them.
    gain, share : arrays
        Label variance that they explain when bought in the plan's order, and its share of all that is explained.
    budget, spent : float
        The most that one object may cost, and what it does cost.
    method : str
        How the plan was found.
    shrinkage : float
        How far the covariance was shrunk for it.
    label_mean, label_variance : float
    loss, std_error : float
        Squared error to expect on new objects, from held-out ones, and its standard error.
    low, high : float
        The loss less and plus two standard errors; not below 0.
    relative_loss : float
        The loss as a share of the label's variance.
    deviation, deviation_low, deviation_high : float
        Roots of ``loss``, ``low`` and ``high``: how far off predictions will typically be, in the label's units.
    promised : float
        What the plan's own, optimistic, projected loss is as a share of the label's variance.
    of_best : float or None
        The plan explains at least this share of what the best possible one explains; None where that is not known.
    baseline_deviation : float
        How far off always guessing the label's mean is, on held-out objects, too.
    """

    FORMAT: ClassVar[str] = "manyjudges.answer/1"

    plan: Plan
    sentence: str
    attributes: tuple[str, ...]
    repeats: Integers
    price: Floats
    cost: Floats
    gain: Floats
    share: Floats
    budget: float
    spent: float
    method: str
    shrinkage: float
    label_mean: float
    label_variance: float
    loss: float
    std_error: float
    low: float
    high: float
    relative_loss: float
    deviation: float
    deviation_low: float
    deviation_high: float
    promised: float
    of_best: float | None
    baseline_deviation: float

    @property
    def helps(self) -> bool | None:
        """Whether predictions are better than guessing the mean; None where limits of the loss hold both."""
        if self.deviation >= self.baseline_deviation:
            return False
        return None if self.deviation_high >= self.baseline_deviation else True

    @property
    def headline(self) -> str:
        """The sentence."""
        return self.sentence

    def to_frame(self) -> pd.DataFrame:
        """A row for each chosen attribute, the one that explains most first."""
        columns = {name: getattr(self, name) for name in ("repeats", "price", "cost", "gain", "share")}
        return table(columns, index=self.attributes, index_name="attribute")

    @classmethod
    def of(
        cls,
        plan: Plan,
        *,
        label_mean: float,
        loss: float,
        std_error: float,
        baseline_loss: float | None = None,
        promised_loss: float | None = None,
    ) -> Answer:
        """The answer that a plan is, with the held-out loss of such plans.

        ``baseline_loss`` is that of guessing the mean, and ``promised_loss`` what the predictor promises, if known.
        """
        rows = plan_shares(plan)
        without = plan.label_variance if baseline_loss is None else baseline_loss
        limits = (max(loss - LIMITS * std_error, 0.0), max(loss + LIMITS * std_error, 0.0))
        deviation, low, high, baseline = (float(np.sqrt(max(value, 0.0))) for value in (loss, *limits, without))
        return cls(
            plan=plan,
            sentence=f"{_what_to_buy(plan, rows, deviation < baseline)} "
            f"{_what_to_expect(plan, deviation, low, high, baseline)}",
            attributes=tuple(rows.index),
            repeats=rows["repeats"].to_numpy(dtype=np.int64, copy=True),
            **{name: rows[name].to_numpy(dtype=float, copy=True) for name in ("price", "cost", "gain", "share")},
            budget=plan.budget,
            spent=plan.cost,
            method=plan.method,
            shrinkage=plan.shrinkage,
            label_mean=label_mean,
            label_variance=plan.label_variance,
            loss=loss,
            std_error=std_error,
            low=limits[0],
            high=limits[1],
            relative_loss=loss / plan.label_variance,
            deviation=deviation,
            deviation_low=low,
            deviation_high=high,
            promised=(plan.projected_loss if promised_loss is None else promised_loss) / plan.label_variance,
            of_best=_of_best(plan),
            baseline_deviation=baseline,
        )


def _of_best(plan: Plan) -> float | None:
    try:
        share = 1 - plan.gap
    except PlanError:  # a plan from a file that does not say
        return None
    return float(share) if np.isfinite(plan.bound) else None


def _what_to_buy(plan: Plan, rows: pd.DataFrame, helps: bool) -> str:
    if not plan.repeats:
        return f"Within a budget of {plan.budget:,g}, there is nothing worth buying."
    counts = [int(n) for n in rows["repeats"]]
    names = [on_one_line(name) for name in rows.index]
    parts = [f"{n:,} of “{name}”" for n, name in zip(counts, names, strict=True)]
    parts[0] = f"{counts[0]:,} judgment{'s' * (counts[0] != 1)} of “{names[0]}”"
    if (more := len(parts) - _NAMED) > 0:
        parts = [*parts[:_NAMED], f"{more:,} more attribute{'s' * (more != 1)}"]
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    of_budget = "" if np.isclose(plan.cost, plan.budget) else f" of {plan.budget:,g}"
    if not helps:
        return f"As things stand, buy nothing: {listed}, at a cost of {plan.cost:,g}{of_budget}, would not help."
    return f"For each object, buy {listed}, at a cost of {plan.cost:,g}{of_budget}."


def _what_to_expect(plan: Plan, deviation: float, low: float, high: float, baseline: float) -> str:
    digits = _decimals(low, high, baseline)
    off, least, most, without = (f"{value:,.{digits}f}" for value in (deviation, low, high, baseline))
    if not plan.repeats:
        return f"Expect to be off by about {off} ({least} to {most}) when always guessing the mean."
    expected = f"Expect to be off by about {off} ({least} to {most}); without any judgments it would be {without}."
    return f"{expected} Whether they help is not sure." if deviation < baseline <= high else expected


def _decimals(low: float, high: float, baseline: float) -> int:
    """As many as it takes to tell the limits apart, and no fewer than two digits in all.

    >>> _decimals(2.71, 3.12, 4.0), _decimals(181.2, 197.7, 300.0)
    (1, 0)
    """
    tenth = (high or baseline) / 10
    reach = min((high - low) / 2 or tenth, tenth)
    return int(np.clip(-np.floor(np.log10(max(reach, 1e-12))), 0, 12))
