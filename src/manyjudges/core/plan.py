"""Plan: how many judgments of each attribute to buy, and what to expect from them."""

from __future__ import annotations

__all__ = ["Plan", "PlanStep"]

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from manyjudges.arrays.cells import Cells
from manyjudges.arrays.types import Floats, Integers
from manyjudges.base import documents
from manyjudges.base.frames import table
from manyjudges.base.money import format_amount, read_currency
from manyjudges.core.budget import COST_TOLERANCE, as_budget, as_costs, as_max_repeats
from manyjudges.core.object_names import object_names
from manyjudges.core.plan_document import answers_in, check_names, currency_in
from manyjudges.exceptions import DocumentError, PlanError

if TYPE_CHECKING:
    import pandas as pd

_PLAN_FORMAT = "manyjudges.plan/1"

_REMEDY = "'manyjudges plan' (Plan.to_json) writes such a file."

# Above the 1e-7 to which an exact search (``branch_and_bound.OPTIMALITY_GAP``) and the relaxation
# (``bound.WEIGHT_TOLERANCE``) are solved, so that what either of them has finished shows as no gap.
_PROVEN = 1e-6
"""A gap below this is none: the precision of the proofs."""


class PlanStep(NamedTuple):
    """One judgment on the way to a plan: what was bought, and where that led."""

    attribute: str
    cost: float
    explained: float
    projected_loss: float


class HasCounts(Protocol):
    """What :meth:`Plan.missing` asks of a table of judgments."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names, in the order of the cells' columns."""

    @property
    def objects(self) -> Any:
        """Names, in the order of the cells' rows."""

    def cells(self) -> Cells:
        """How often each pair was judged."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """How many judgments of each attribute to buy for each object under a budget.

    Plans are made by :func:`select` and :func:`baseline`, and read by :meth:`from_json`.

    Attributes
    ----------
    attributes : tuple of str
        All candidates, chosen or not.
    costs : (d,) array
        Price of one judgment of each.
    budget : float
        The most that one object's judgments may cost.
    method : str
        How the plan was found.
    label_variance : float
        What there is to explain.
    picks : (steps,) array of int
        The attribute bought at each step, by position in ``attributes``.
    path_explained : (steps,) array
        Label variance explained after each step.
    shrinkage, plan_ridge : float
        How the covariance was tamed for it; see :meth:`Moments.regularized`.
    max_repeats : (d,) array, optional
        The largest number of judgments of each attribute that could be had; None for no limits.
    proven_bound : float, optional
        A bound that was proven while the plan was made, or read with it.
    bound_at : callable, optional
        From a budget to a bound on every plan within it, for the moments that the plan was made from.
    answers : mapping of str to any, optional
        What the answers to each attribute stand for, such as the number of each word of a scale, as plain JSON; those
        of attributes that are not in it are numbers. None where that is not known. ``missing``, ``fit`` and ``predict``
        read new answers by it.
    currency : str
        ISO 4217 code of the currency that costs and budget are in; empty for units.
    predictor_ridge : float
        Ridge of the predictor that the error of an answer belongs to, in standardized units; ``fit_predictor`` takes it
        unless another is given. The plan itself does not depend on it.
    preparation : mapping of str to any, optional
        What was done to judgments before they were averaged, and to moments, as plain JSON, so that ``fit`` and
        ``predict`` do the same. None where nothing was done.

    Examples
    --------
    >>> from manyjudges import Moments, select
    >>> covariance = [[2.0, 0.0], [0.0, 1.0]]
    >>> moments = Moments.from_values([1.0, 0.5], [1.0, 0.0], covariance, 3.0, attributes=["vague", "clear"])
    >>> plan = select(moments, budget=3)
    >>> plan.repeats
    {'vague': 2, 'clear': 1}
    >>> plan.path[0]
    PlanStep(attribute='vague', cost=1.0, explained=0.3333333333333333, projected_loss=2.6666666666666665)
    >>> plan.at(1).repeats
    {'vague': 1}
    """

    attributes: tuple[str, ...]
    costs: Floats
    budget: float
    method: str
    label_variance: float
    picks: Integers
    path_explained: Floats
    shrinkage: float = 0.0
    plan_ridge: float = 0.0
    max_repeats: Floats | None = None
    proven_bound: float | None = None
    bound_at: Callable[[float], float] | None = None
    answers: Mapping[str, Any] | None = None
    currency: str = ""
    predictor_ridge: float = 0.0
    preparation: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        # Bound and path are worked out once and kept: an array that could be written to would let them disagree.
        for array in (self.costs, self.picks, self.path_explained, self.max_repeats):
            if array is not None:
                array.flags.writeable = False

    @property
    def repeats(self) -> dict[str, int]:
        """Judgments of each chosen attribute."""
        counts = self.to_array()
        return {self.attributes[i]: int(counts[i]) for i in np.flatnonzero(counts)}

    @property
    def cost(self) -> float:
        """What one object's judgments cost under this plan."""
        return float(_snapped(self.to_array() @ self.costs, self.budget))

    @property
    def explained(self) -> float:
        """Label variance that the plan's judgments explain, by the moments it was made from."""
        return float(self.path_explained[-1]) if len(self.picks) else 0.0

    @property
    def projected_loss(self) -> float:
        """Squared error that the moments promise: optimistic, and below zero when the sample is too small."""
        # E[Y²] - obj(r). Moments of a small sample take it below zero (seen: -0.07 of the label's variance
        # where the truth was +0.19), which is why errors are estimated on held-out objects instead.
        return self.label_variance - self.explained

    @cached_property
    def bound(self) -> float:
        """What no plan within the budget explains more than, by the moments that the plan was made from.

        From a concave relaxation of the problem, worked out when first asked for; an exact search proves its own.
        """
        if self.proven_bound is not None:
            # The plan is itself one of those within the budget: where rounding takes the bound below what it explains,
            # what it explains is the bound.
            return max(self.proven_bound, self.explained)
        if self.bound_at is None:
            raise PlanError(
                "this plan does not know how good the best could be: it was read from a file that did not say. Make it "
                "again with select, or write it with its bound (manyjudges plan --bound).",
                column="bound",
            )
        return max(self.bound_at(self.budget), self.explained)

    @property
    def gap(self) -> float:
        """How much more than this plan the best might explain, as a share of ``bound``; 0 when proven the best."""
        gap = 1 - self.explained / self.bound if self.bound > 0 else 0.0
        return gap if gap > _PROVEN else 0.0

    @cached_property
    def path(self) -> tuple[PlanStep, ...]:
        """Each judgment in the order of choice, with cost, explained variance and projected loss so far."""
        cost, loss = self._path_cost().tolist(), (self.label_variance - self.path_explained).tolist()
        names = [self.attributes[i] for i in self.picks]
        return tuple(map(PlanStep, names, cost, self.path_explained.tolist(), loss))

    def to_array(self) -> Integers:
        """Judgments of every attribute, in the order of ``attributes``."""
        return np.bincount(self.picks, minlength=len(self.attributes))

    def at(self, budget: float) -> Plan:
        """The path of this plan as far as a smaller budget goes.

        At equal costs that is the plan which a ``nested`` search (``"full"``, ``"scoring"``) makes for that budget.
        Where costs differ, and by other searches, a better one may be found.
        """
        budget = as_budget(budget)
        if budget > self.budget:
            raise PlanError(
                f"this plan's path ends at its budget of {self.budget:g}; for {budget:g} make a plan with that budget.",
                value=budget,
                column="budget",
            )
        # With the tolerance under which the search bought, and side="right": a step that costs just the budget is kept.
        steps = int(np.searchsorted(self._path_cost(), budget * (1 + COST_TOLERANCE), side="right"))
        # A bound that was proven is of the larger budget and is left behind; ``bound_at`` can work out one of this
        # budget.
        return Plan(
            attributes=self.attributes,
            costs=self.costs,
            budget=budget,
            method=self.method,
            label_variance=self.label_variance,
            picks=self.picks[:steps],
            path_explained=self.path_explained[:steps],
            shrinkage=self.shrinkage,
            plan_ridge=self.plan_ridge,
            max_repeats=self.max_repeats,
            bound_at=self.bound_at,
            answers=self.answers,
            currency=self.currency,
            predictor_ridge=self.predictor_ridge,
            preparation=self.preparation,
        )

    def money(self, amount: float) -> str:
        """An amount in the plan's currency; a number where it has none."""
        return format_amount(amount, self.currency) if self.currency else f"{amount:,g}"

    def with_currency(self, currency: str) -> Plan:
        """The same plan, with the currency that its costs and its budget are in, as a code or a sign."""
        return self._with(currency=read_currency(currency))

    def with_predictor_ridge(self, ridge: float) -> Plan:
        """The same plan, with the ridge of the predictor that goes with it."""
        return self._with(predictor_ridge=float(ridge))

    def with_answers(self, answers: Mapping[str, Any] | None) -> Plan:
        """The same plan, with what the answers stand for; those of attributes that it does not have are left out."""
        known = None if answers is None else {name: answers[name] for name in self.attributes if name in answers}
        return self._with(answers=known)

    def with_preparation(self, preparation: Mapping[str, Any] | None) -> Plan:
        """The same plan, with what was done to judgments and moments before it was made."""
        return self._with(preparation=preparation)

    def _with(self, **fields: Any) -> Plan:
        plan = replace(self, **fields)
        if "bound" in self.__dict__:
            plan.__dict__["bound"] = self.bound  # which took long to work out
        return plan

    def missing(self, judgments: HasCounts | Any) -> pd.DataFrame:
        """Which judgments the plan asks for and objects lack.

        Parameters
        ----------
        judgments : Judgments, or names of objects
            What has been collected: the question is asked of each of its objects. Or a list, a column or a frame with
            one column that names objects nobody has judged, which lack everything.

        Returns
        -------
        pandas.DataFrame
            A row for each object-attribute pair that falls short: ``object``, ``attribute``, ``count`` (how many are
            missing) and ``cost`` (of those).

        Examples
        --------
        >>> from manyjudges import Moments, select
        >>> plan = select(Moments.from_values([1.0], [1.0], [[2.0]], 3.0, attributes=["clear"]), budget=2)
        >>> plan.missing(["photo 1", "photo 2"])
            object attribute  count  cost
        0  photo 1     clear      2   2.0
        1  photo 2     clear      2   2.0
        """
        chosen = np.flatnonzero(self.to_array())
        counted = hasattr(judgments, "cells")
        objects = judgments.objects if counted else object_names(judgments)
        have = np.zeros((len(objects), len(chosen)), dtype=np.int64)
        if counted:
            position, counts = {name: i for i, name in enumerate(judgments.attributes)}, judgments.cells().count
            for column, i in enumerate(chosen):
                # An attribute that the table does not have was never judged: every judgment of it is missing.
                if (at := position.get(self.attributes[i])) is not None:
                    have[:, column] = counts[:, at]
        short = np.maximum(self.to_array()[chosen] - have, 0)
        rows, columns = np.nonzero(short)
        names = np.array(self.attributes, dtype=object)[chosen]
        return table(
            {
                "object": np.asarray(objects)[rows],
                "attribute": names[columns],
                "count": short[rows, columns],
                "cost": short[rows, columns] * self.costs[chosen][columns],
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """One row for each chosen attribute: repeats, price, cost and what its judgments add to the explained."""
        counts = self.to_array()
        chosen = np.flatnonzero(counts)
        # What each step added at its place on the path, summed by attribute. Attributes overlap, so that this depends
        # on the order, and is not what an attribute would explain alone.
        gains = np.bincount(self.picks, weights=np.diff(self.path_explained, prepend=0), minlength=len(counts))
        return table(
            {
                "repeats": counts[chosen],
                "price": self.costs[chosen],
                "cost": (counts * self.costs)[chosen],
                "gain": gains[chosen],
            },
            index=[self.attributes[i] for i in chosen],
            index_name="attribute",
        )

    def to_json(self) -> str:
        """The plan as JSON that a person can read; :meth:`from_json` reads it back."""
        return documents.dumps(self.to_document())

    def to_document(self) -> dict[str, Any]:
        """The plan as plain lists, numbers and strings."""
        return {
            "format": _PLAN_FORMAT,
            "method": self.method,
            "budget": self.budget,
            "cost": self.cost,
            "repeats": self.repeats,
            "label_variance": self.label_variance,
            "explained": self.explained,
            "projected_loss": self.projected_loss,
            "bound": (bound := self._known_bound()),
            "gap": None if bound is None else self.gap,
            "attributes": list(self.attributes),
            "prices": dict(zip(self.attributes, self.costs.tolist(), strict=True)),
            "max_repeats": self._caps(),
            "shrinkage": self.shrinkage,
            "plan_ridge": self.plan_ridge,
            "predictor_ridge": self.predictor_ridge,
            "answers": None if self.answers is None else dict(self.answers),
            "currency": self.currency,
            "preparation": None if self.preparation is None else dict(self.preparation),
            "path": [step._asdict() for step in self.path],
        }

    @classmethod
    def from_json(cls, text: str | bytes) -> Plan:
        """Read a plan that :meth:`to_json` wrote."""
        return cls.from_document(documents.loads(text, _PLAN_FORMAT, remedy=_REMEDY))

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Plan:
        """Read a plan that :meth:`to_document` gave."""
        check_names(document)
        attributes = tuple(documents.field(document, "attributes", list))
        prices = documents.field(document, "prices", dict)
        path = documents.field(document, "path", list)
        if sorted(map(str, attributes)) != sorted(prices):
            raise DocumentError(
                "the plan's attributes are not those that it has prices of.", value=sorted(prices), column="prices"
            )
        position = {name: i for i, name in enumerate(attributes)}
        try:
            picks = np.array([position[step["attribute"]] for step in path], dtype=np.int64)
            explained = np.array([step["explained"] for step in path], dtype=float)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DocumentError(
                f"the path of the plan has a step that cannot be read: {error}.", column="path"
            ) from None
        label_variance = documents.number(document, "label_variance")
        if not (label_variance > 0 and np.isfinite(explained).all()):
            raise DocumentError(
                "the plan's label_variance must be positive, and what its path explains must be numbers.",
                column="path" if label_variance > 0 else "label_variance",
            )
        plan = cls(
            attributes=attributes,
            costs=as_costs(prices, attributes),
            budget=as_budget(documents.number(document, "budget")),
            method=documents.field(document, "method", str),
            label_variance=label_variance,
            picks=picks,
            path_explained=explained,
            shrinkage=documents.number({"shrinkage": 0.0} | dict(document), "shrinkage"),
            plan_ridge=documents.number({"plan_ridge": 0.0} | dict(document), "plan_ridge"),
            max_repeats=as_max_repeats(caps, attributes) if (caps := document.get("max_repeats")) else None,
            proven_bound=None if document.get("bound") is None else documents.number(document, "bound"),
            answers=answers_in(document, attributes),
            currency=currency_in(document),
            predictor_ridge=documents.number({"predictor_ridge": 0.0} | dict(document), "predictor_ridge"),
            preparation=documents.field(document, "preparation", dict) if document.get("preparation") else None,
        )
        # A file may have been edited. What follows from something else in it (bound, cost, repeats) must still follow.
        if plan.proven_bound is not None and plan.proven_bound < plan.explained * (1 - _PROVEN):
            raise DocumentError(
                f"the plan's bound, {plan.proven_bound:g}, is below the {plan.explained:g} that it explains; make the "
                "plan again rather than editing it.",
                value=plan.proven_bound,
                column="bound",
            )
        allowed = {
            "shrinkage": 0 <= plan.shrinkage <= 1,
            "plan_ridge": plan.plan_ridge >= 0,
            "predictor_ridge": plan.predictor_ridge >= 0,
        }
        if wrong := next((name for name, fine in allowed.items() if not fine), ""):
            raise DocumentError(
                "the plan's shrinkage must lie between 0 and 1, and its ridges must not be negative.",
                value=getattr(plan, wrong),
                column=wrong,
            )
        if plan.cost > plan.budget:
            raise DocumentError(
                f"the plan costs {plan.cost:g}, more than its budget of {plan.budget:g}.",
                value=plan.cost,
                column="budget",
            )
        if plan.repeats != document.get("repeats"):
            raise DocumentError(
                f"the plan's repeats, {document.get('repeats')!r}, are not those of its path, {plan.repeats!r}; "
                "make the plan again rather than editing it.",
                value=document.get("repeats"),
                column="repeats",
            )
        return plan

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Plan):
            return NotImplemented
        # A bound is worked out when somebody asks, so that of two equal plans one may have it and the other not yet;
        # and one may have been made from a table, which says what answers stand for, and the other from moments. What
        # a plan buys does not depend on the predictor.
        unlike: dict[str, Any] = {"bound": None, "gap": None, "predictor_ridge": None, "preparation": None}
        unlike |= {"answers": None} if None in (self.answers, other.answers) else {}
        mine, theirs = (plan.to_document() | unlike for plan in (self, other))
        return mine == theirs

    def __hash__(self) -> int:
        return hash((self.attributes, self.budget, self.method, tuple(self.picks.tolist())))

    def __repr__(self) -> str:
        judgments = " + ".join(f"{n}×{name}" for name, n in self.repeats.items()) or "nothing"
        return (
            f"Plan for a budget of {self.money(self.budget)} ({self.method}): {judgments}; "
            f"costs {self.money(self.cost)}, {self.promise}"
        )

    @property
    def promise(self) -> str:
        """How much of the label's variance the plan says that it explains, by the moments that it was made from."""
        if self.explained <= self.label_variance:
            return f"explains {self.explained / self.label_variance:.1%} of the label's variance"
        # Shrinkage takes the covariances between attributes towards 0 and leaves b as it is: what two attributes both
        # tell of the label is then counted for each of them.
        why = (
            "shrinkage, which chose the plan, counts what attributes share more than once"
            if self.shrinkage
            else "the sample is too small for this budget; see shrinkage and plan_ridge"
        )
        return f"promises to explain more of the label's variance than there is ({why})"

    def _repr_html_(self) -> str:
        budget, cost = self.money(self.budget), self.money(self.cost)
        head = f"Plan for a budget of {budget} ({html.escape(self.method)}): costs {cost} an object"
        return f"<p>{head}, {self.promise}</p>{self.to_frame().to_html(float_format='{:.4g}'.format)}"

    def _known_bound(self) -> float | None:
        """The bound, if it has been worked out, and is finite."""
        bound = self.__dict__.get("bound", self.proven_bound)
        return bound if bound is not None and np.isfinite(bound) else None

    def _caps(self) -> dict[str, int]:
        caps = {} if self.max_repeats is None else dict(zip(self.attributes, self.max_repeats.tolist(), strict=True))
        return {name: int(cap) for name, cap in caps.items() if np.isfinite(cap)}

    def _path_cost(self) -> Floats:
        return np.asarray(_snapped(np.cumsum(self.costs[self.picks]), self.budget))


def _snapped(cost: Any, budget: float) -> Any:
    """Costs without the rounding by which their sum may miss the budget."""
    # Sums of prices such as 0.1 come out a few roundings beyond the budget that the search has kept to.
    return np.where((cost > budget) & (cost <= budget * (1 + COST_TOLERANCE)), budget, cost)
