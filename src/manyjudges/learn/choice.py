"""The choice of a method, of shrinkage and of a ridge, by the error on held-out objects."""

from __future__ import annotations

__all__ = ["AUTO", "Choice", "choose", "choose_from", "choose_with_curve"]

import os
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from manyjudges.arrays.types import Floats
from manyjudges.base.frames import table
from manyjudges.base.messages import quote_value
from manyjudges.base.progress import Progress
from manyjudges.base.results import Result, plain
from manyjudges.base.seeds import generator
from manyjudges.core.budget import as_budget, as_costs, as_max_repeats
from manyjudges.core.estimation import check_taming
from manyjudges.core.search.registry import search_named
from manyjudges.exceptions import PlanError
from manyjudges.learn.error_curve import ErrorCurve, validated_curve
from manyjudges.learn.inference.cross_validation import (
    RIDGES,
    Candidate,
    PlanCache,
    Validation,
    check_enough_objects,
    check_options,
    simplest_good,
    validate,
)
from manyjudges.learn.search_capabilities import TRIED_BY_AUTO, uses_covariances
from manyjudges.learn.training_data import TrainingData, load_training_data
from manyjudges.scan.options import ScanOptions
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.reading.options import ReadKeywords

if TYPE_CHECKING:
    import pandas as pd

AUTO = "auto"
"""What stands in the place of a method or an amount that held-out objects are to choose."""

_SHRINKAGES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7)
"""Amounts of shrinkage that ``"auto"`` chooses from.

True losses of what was chosen with none, with 0, 0.1 and 0.4, and with these: .522, .519, .514 with 60 objects; .425,
.418, .418 with 200; .676, .681, .680 with 100 objects and much noise (``benchmarks/constants.py predictors``, 25 crowds
each; ``benchmarks/trust.py choice`` compares methods, too).
"""


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Result):
    """A way to plan and to predict, and the held-out losses by which it was chosen.

    Attributes
    ----------
    method : str
    shrinkage : float
        For the plan.
    predictor_ridge : float
        For the predictor.
    loss, std_error : float
        Held-out squared error of what was chosen, and its standard error.
    considered : pandas.DataFrame
        All candidates, the simplest first: ``method``, ``shrinkage``, ``predictor_ridge``, ``loss``,
        ``std_error``, ``loss_after_refit``.
    skipped : int
        Rows that were no judgments, and were left out when a path was read.
    """

    FORMAT: ClassVar[str] = "manyjudges.choice/1"

    method: str
    shrinkage: float
    predictor_ridge: float
    loss: float
    std_error: float
    considered: pd.DataFrame
    skipped: int = 0

    def to_frame(self) -> pd.DataFrame:
        """All candidates, the simplest first."""
        return self.considered

    def to_document(self) -> dict[str, Any]:
        """The numbers as plain lists, numbers and strings."""
        return super().to_document() | {"considered": plain(self.considered.to_dict(orient="records"))}

    @property
    def headline(self) -> str:
        """What was chosen."""
        return str(self)

    def __str__(self) -> str:
        tamed = f" with shrinkage {self.shrinkage:g}" if self.shrinkage else ""
        ridge = f", and a ridge of {self.predictor_ridge:g} for the predictor" if self.predictor_ridge else ""
        return f"{self.method}{tamed}{ridge}"


def choose(
    judgments: Judgments | str | os.PathLike[str] | Iterator[Any],
    labels: Any,
    budget: float,
    *,
    method: str = AUTO,
    shrinkage: float | str = AUTO,
    plan_ridge: float = 0.0,
    costs: Any = None,
    max_repeats: Any = None,
    tame_predictor: bool = True,
    look_ahead: bool = False,
    cv: int = 5,
    cv_repeats: int = 3,
    random_state: int | None = 0,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    memory_limit: str | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
    **reading: Unpack[ReadKeywords],
) -> Choice:
    """Choose a method, an amount of shrinkage, or both, by the error on held-out objects.

    Of those whose loss is within 1 % of the least, the simplest is taken: no ridge before some, little
    shrinkage before more, Full before Scoring.

    Parameters
    ----------
    judgments, labels, noiseless, unmatched
        As for :func:`projected_error`.
    budget : float
        The most that one object's judgments may cost.
    method : str
        ``"auto"``, or a method to keep to.
    shrinkage : float or "auto"
        With ``"auto"``, the ridge of the predictor is chosen along with it, apart from what tames the plan.
    plan_ridge : float
        For the plan; see :meth:`Moments.regularized`.
    costs, max_repeats : mapping or array, optional
        As for :func:`select`.
    tame_predictor : bool
        Whether the predictor may have a ridge.
    look_ahead : bool
        Whether to compare plans by what their predictors will lose once the judgments that they ask for have been
        bought, as a campaign does, rather than what they lose when fitted to the judgments at hand.
    cv, cv_repeats, random_state, progress, executor
        As for :func:`projected_error`.
    memory_limit, temp_dir, **reading
        As for :func:`projected_error`: how to read judgments that are a path.
    """
    limit = as_budget(budget)
    check_options(cv, cv_repeats, executor)
    rng = generator(random_state)
    # Checked before a table is read, which may take long.
    _candidates(method, shrinkage, plan_ridge, tame_predictor)
    options = ScanOptions.of(unmatched=unmatched, memory_limit=memory_limit, temp_dir=temp_dir, **reading)
    data = load_training_data(judgments, labels, options, noiseless=noiseless, cv=int(cv), rng=rng, scan_from=0)
    return choose_from(
        data,
        limit,
        method=method,
        shrinkage=shrinkage,
        plan_ridge=plan_ridge,
        costs=costs,
        max_repeats=max_repeats,
        tame_predictor=tame_predictor,
        look_ahead=look_ahead,
        cv=cv,
        cv_repeats=cv_repeats,
        rng=rng,
        progress=progress,
        executor=executor,
    )


def choose_from(data: TrainingData, budget: float, **way: Any) -> Choice:
    """:func:`choose` from a table that has been read, with the same options."""
    validated, criterion = _validated(data, [as_budget(budget)], **way)
    return _chosen(data, validated, simplest_good(criterion[:, 0]), 0)


def choose_with_curve(data: TrainingData, budget: float, made: PlanCache, **way: Any) -> tuple[Choice, ErrorCurve]:
    """:func:`choose_from`, and what error to expect of the chosen way at other budgets, too.

    Both come from one cross-validation, so that the choice lies on the curve. The plans of the curve come with it.

    Parameters
    ----------
    data : TrainingData
    budget : float
        Where the way is chosen; one of the budgets of ``made``.
    made : PlanCache
        Of the data's moments: its budgets are those of the curve, and the plans that it has are not made again.
    **way
        All else that :func:`choose_from` takes, except costs and caps, which are those of ``made``.
    """
    costs_and_caps = {"costs": made.costs, "max_repeats": made.max_repeats}
    validated, criterion = _validated(data, made.budgets, **costs_and_caps, **way)
    column = made.budgets.index(budget)
    # By the budget that will be spent alone: at the others, the curve shows what the same way would come to.
    at = simplest_good(criterion[:, column])
    curve = validated_curve(data, validated, [at], [made.plans(validated.candidates[at])])
    return _chosen(data, validated, at, column), curve


def _validated(
    data: TrainingData,
    budgets: Sequence[float],
    *,
    method: str = AUTO,
    shrinkage: float | str = AUTO,
    plan_ridge: float = 0.0,
    costs: Any = None,
    max_repeats: Any = None,
    tame_predictor: bool = True,
    look_ahead: bool = False,
    cv: int = 5,
    cv_repeats: int = 3,
    random_state: int | None = 0,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> tuple[Validation, Floats]:
    """All candidates at all budgets, and the loss by which they are compared, also by candidate and budget."""
    check_options(cv, cv_repeats, executor)
    rng = generator(random_state) if rng is None else rng
    candidates = _candidates(method, shrinkage, plan_ridge, tame_predictor)
    as_costs(costs, data.attributes), as_max_repeats(max_repeats, data.attributes)
    check_enough_objects(data.n_objects, cv)
    validated = validate(
        data.fold_sums(int(cv), rng),
        candidates,
        budgets,
        costs=costs,
        max_repeats=max_repeats,
        cv=cv,
        cv_repeats=cv_repeats,
        rng=rng,
        progress=progress,
        executor=executor,
    )
    # A campaign buys what its plan asks for and fits again, to more judgments: what counts is the loss after that.
    return validated, validated.loss_after_refit if look_ahead else validated.loss


def _chosen(data: TrainingData, validated: Validation, at: int, column: int) -> Choice:
    """One of the candidates, chosen at one of the budgets, with the losses of all of them there."""
    losses = (validated.loss, validated.std_error, validated.loss_after_refit)
    loss, error, refitted = (values[:, column] for values in losses)
    names = ("method", "shrinkage", "predictor_ridge")
    columns: dict[str, Any] = {name: [getattr(way, name) for way in validated.candidates] for name in names}
    considered = table(columns | {"loss": loss, "std_error": error, "loss_after_refit": refitted})
    best = validated.candidates[at]
    way = (best.method, best.shrinkage, best.predictor_ridge)
    return Choice(*way, float(loss[at]), float(error[at]), considered, data.skipped)


def check_method(method: str) -> None:
    """Refuse what is neither a search nor ``"auto"``."""
    if method != AUTO:
        search_named(method, AUTO)


def _candidates(method: str, shrinkage: float | str, plan_ridge: float, tame_predictor: bool) -> list[Candidate]:
    if isinstance(shrinkage, str) and shrinkage != AUTO:
        raise PlanError(
            f"shrinkage must be a number between 0 and 1 or 'auto', not {quote_value(shrinkage)}.",
            value=shrinkage,
            column="shrinkage",
        )
    check_method(method)
    amount = 0.0 if isinstance(shrinkage, str) else shrinkage
    check_taming(ridge=plan_ridge, shrinkage=amount, ridge_name="plan_ridge")
    # Ridges vary slowest, so that the simplest comes first: ``simplest_good`` takes the first of those that are good.
    # The predictor's ridge is chosen along with shrinkage, but by amounts of its own: what helps a choice among
    # attributes can hurt the prediction from those chosen.
    amounts = _SHRINKAGES if isinstance(shrinkage, str) else (shrinkage,)
    ridges = RIDGES if isinstance(shrinkage, str) and tame_predictor else (0.0,)
    planning = [(name, a) for a in amounts for name in (TRIED_BY_AUTO if method == AUTO else (method,))]
    # Shrinking leaves variances as they are, so that one amount is enough for what looks at them alone.
    planning = [(name, a) for name, a in planning if uses_covariances(name) or a == amounts[0]]
    return [Candidate(name, a, plan_ridge, predictor_ridge) for predictor_ridge in ridges for name, a in planning]
