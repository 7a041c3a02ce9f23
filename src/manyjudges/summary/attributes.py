"""Attributes: what each tells about the label, how noisy it is, and what one more judgment of it would be worth."""

from __future__ import annotations

__all__ = ["AttributeMap", "NextJudgments", "attribute_map", "next_judgments"]

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.frames import table
from manyjudges.base.messages import list_names
from manyjudges.base.results import Result
from manyjudges.core.moments import Moments
from manyjudges.core.objective import Posterior
from manyjudges.core.plan import Plan
from manyjudges.exceptions import PlanError
from manyjudges.learn.answers import plan_shares

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class AttributeMap(Result):
    """Where each attribute lies between telling and noisy. Made by :func:`attribute_map`.

    Attributes
    ----------
    attributes : tuple of str
        All of them, chosen or not, in the order of the moments.
    correlation : array
        Of the attribute's true values with the label, between -1 and 1; NaN for an attribute that does not vary.
    noise_ratio : array
        Noise of one judgment by the variance of true values; infinite for an attribute that does not vary.
    mean, deviation : arrays
        Of the attribute's true values, in its own units.
    repeats : array of int
        Judgments that the plan buys.
    share : array
        Of what the plan explains.
    """

    FORMAT: ClassVar[str] = "manyjudges.attributes/1"

    attributes: tuple[str, ...]
    correlation: Floats
    noise_ratio: Floats
    mean: Floats
    deviation: Floats
    repeats: Integers
    share: Floats

    @property
    def noise_share(self) -> Floats:
        """Share of one judgment's variance that is disagreement about the object: v / (σ² + v)."""
        return np.asarray(1 - 1 / (1 + self.noise_ratio))

    def to_frame(self) -> pd.DataFrame:
        """A row for each attribute."""
        names = ("correlation", "noise_ratio", "mean", "deviation", "repeats", "share")
        return table({name: getattr(self, name) for name in names}, index=self.attributes, index_name="attribute")


@dataclass(frozen=True, eq=False, repr=False)
class NextJudgments(Result):
    """What one more judgment of each attribute would add to a plan. Made by :func:`next_judgments`.

    Arrays have an entry for each attribute, chosen or not, the best for its price first; those of which there is no
    more to be had are last.

    Attributes
    ----------
    attributes : tuple of str
    repeats : array of int
        Judgments that the plan buys already.
    gain : array
        By how much the explained variance would rise, as a share of the label's variance.
    price : array
        Of one judgment.
    gain_per_cost : array
    available : array of bool
        Whether there is one more to be had, by the plan's limits.
    """

    FORMAT: ClassVar[str] = "manyjudges.next/1"

    attributes: tuple[str, ...]
    repeats: Integers
    gain: Floats
    price: Floats
    gain_per_cost: Floats
    available: Any

    def to_frame(self) -> pd.DataFrame:
        """A row for each attribute, the best for its price first."""
        names = ("repeats", "gain", "price", "gain_per_cost", "available")
        return table({name: getattr(self, name) for name in names}, index=self.attributes, index_name="attribute")


def attribute_map(moments: Moments, plan: Plan) -> AttributeMap:
    """What each attribute tells about the label and how noisy it is, and what of it the plan buys.

    Examples
    --------
    >>> from manyjudges import Moments, select
    >>> covariance = [[2.0, 0.0], [0.0, 1.0]]
    >>> moments = Moments.from_values([1.0, 0.5], [1.0, 0.0], covariance, 3.0, attributes=["vague", "clear"])
    >>> attribute_map(moments, select(moments, budget=3)).to_frame()[["noise_ratio", "repeats"]]
               noise_ratio  repeats
    attribute
    vague              0.5        2
    clear              0.0        1
    """
    repeats, moments = _repeats(moments, plan), moments.to_numpy()
    variance, label = moments.variances, np.sqrt(moments.label_variance)
    varies = variance > 0
    sigma = np.sqrt(np.maximum(variance, 0.0))
    safe = np.where(varies, sigma, 1.0)
    shares = plan_shares(plan)["share"].to_dict()
    return AttributeMap(
        attributes=moments.attributes,
        # Of estimates, b may be more than σ allows.
        correlation=np.where(varies, np.clip(moments.cross / safe / label, -1, 1), np.nan),
        noise_ratio=np.where(varies, moments.noise / safe**2, np.inf),
        mean=moments.means.copy(),
        deviation=sigma,
        repeats=repeats,
        share=np.array([shares.get(name, 0.0) for name in moments.attributes], dtype=float),
    )


def next_judgments(moments: Moments, plan: Plan) -> NextJudgments:
    """What one more judgment of each attribute, on top of a plan, would add to the label variance explained.

    By the moments as they were estimated, however they were tamed for the plan. The gain is what :class:`Posterior`
    says of it, one rank-one update on, and equals ``explained(r + e_i) - explained(r)``.

    Examples
    --------
    >>> from manyjudges import Moments, select
    >>> covariance = [[2.0, 0.0], [0.0, 1.0]]
    >>> moments = Moments.from_values([1.0, 0.5], [1.0, 0.0], covariance, 3.0, attributes=["vague", "clear"])
    >>> next_judgments(moments, select(moments, budget=3)).to_frame()["gain"].round(3)
    attribute
    vague    0.01
    clear    0.00
    Name: gain, dtype: float64
    """
    repeats, moments = _repeats(moments, plan), moments.to_numpy()
    knowledge = Posterior(moments)
    for i in np.repeat(np.arange(len(repeats)), repeats):
        knowledge.buy(int(i))
    gain = knowledge.gains() / moments.label_variance
    price = _of_plan(moments, plan, plan.costs, 1.0)
    caps = (
        np.full(len(repeats), np.inf) if plan.max_repeats is None else _of_plan(moments, plan, plan.max_repeats, np.inf)
    )
    available = repeats < caps
    order = np.lexsort((-gain / price, ~available))
    return NextJudgments(
        attributes=tuple(moments.attributes[i] for i in order),
        repeats=repeats[order],
        gain=gain[order],
        price=price[order],
        gain_per_cost=(gain / price)[order],
        available=available[order],
    )


def _repeats(moments: Moments, plan: Plan) -> Integers:
    bought = plan.repeats
    if unknown := [name for name in bought if name not in moments.attributes]:
        raise PlanError(
            f"the plan buys judgments of {list_names(unknown)}, which the moments do not have; they are of "
            f"{list_names(moments.attributes)}. Use the moments that it was made from.",
            value=unknown[0],
            column="attribute",
        )
    return np.array([bought.get(name, 0) for name in moments.attributes], dtype=np.int64)


def _of_plan(moments: Moments, plan: Plan, values: Floats, otherwise: float) -> Floats:
    """A plan's values by attribute, in the order of the moments."""
    named = dict(zip(plan.attributes, values.tolist(), strict=True))
    return np.array([named.get(name, otherwise) for name in moments.attributes], dtype=float)
