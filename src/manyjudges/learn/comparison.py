"""Comparison: ways to plan and predict, compared by their error on held-out objects at one or more budgets.

Whoever asks what to buy, or what error to expect, asks here: the folds, the candidates and the rule by which one of
them is taken are the same for all, so that the same data, budget and seed give the same plan and the same error.
"""

from __future__ import annotations

__all__ = ["AUTO", "Choice", "check_method", "compare"]

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from manyjudges.arrays.types import Floats
from manyjudges.base.formatting import in_units
from manyjudges.base.frames import table
from manyjudges.base.messages import quote_value
from manyjudges.base.progress import Progress
from manyjudges.base.results import LIMITS, Result, plain
from manyjudges.base.seeds import generator
from manyjudges.core.budget import as_costs, as_max_repeats
from manyjudges.core.estimation import check_taming
from manyjudges.core.search.registry import search_named
from manyjudges.exceptions import PlanError
from manyjudges.learn.inference.cross_validation import (
    RIDGES,
    Candidate,
    Validation,
    check_can_hold_out,
    check_options,
    simplest_good,
    validate,
)
from manyjudges.learn.search_capabilities import TRIED_BY_AUTO, uses_covariances
from manyjudges.learn.training_data import TrainingData

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
        ``std_error``, ``loss_after_refit``, in squared units; :meth:`to_frame` has errors in the label's unit.
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
        """All candidates, the simplest first, with their errors on held-out objects (RMSE) and limits."""
        frame = self.considered[["method", "shrinkage", "predictor_ridge"]].copy()
        reach = LIMITS * self.considered["std_error"]
        for name, loss in (("error", 0 * reach), ("low", -reach), ("high", reach)):
            frame[name] = (self.considered["loss"] + loss).map(in_units)
        return frame

    @property
    def error(self) -> float:
        """Error of what was chosen on held-out objects (RMSE)."""
        return in_units(self.loss)

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


@dataclass(frozen=True, eq=False)
class Comparison:
    """Held-out losses of all candidates at all budgets, and which of them each method stands for.

    Attributes
    ----------
    validation : Validation
    criterion : (candidates, budgets) array
        The loss by which candidates are compared.
    ways : dict of str to tuple of int
        By method, ``"auto"`` among them: positions of its candidates, the simplest first.
    skipped : int
        Invalid rows of the data.
    """

    validation: Validation
    criterion: Floats
    ways: dict[str, tuple[int, ...]]
    skipped: int = 0

    @property
    def baseline_loss(self) -> float:
        """Loss of always guessing the mean of the other folds."""
        return self.validation.baseline_loss

    def position(self, method: str, column: int) -> int:
        """The candidate that is taken for a method at one of the budgets, by position."""
        own = self.ways[method]
        return own[simplest_good(self.criterion[list(own), column])]

    def candidate(self, method: str, column: int) -> Candidate:
        """The candidate that is taken for a method at one of the budgets."""
        return self.validation.candidates[self.position(method, column)]

    def losses(self, way: Candidate, column: int) -> tuple[float, float]:
        """Held-out squared error of one of the candidates at one of the budgets, and its standard error."""
        at = self.validation.candidates.index(way)
        return float(self.validation.loss[at, column]), float(self.validation.std_error[at, column])

    def choice(self, method: str, column: int) -> Choice:
        """What is taken for a method at one of the budgets, with the losses of all that it was chosen from."""
        own, taken = list(self.ways[method]), self.position(method, column)
        candidates = [self.validation.candidates[i] for i in own]
        names = ("method", "shrinkage", "predictor_ridge")
        columns: dict[str, Any] = {name: [getattr(way, name) for way in candidates] for name in names}
        losses = {name: getattr(self.validation, name)[:, column] for name in ("loss", "std_error", "loss_after_refit")}
        considered = table(columns | {name: values[own] for name, values in losses.items()})
        best = self.validation.candidates[taken]
        return Choice(
            best.method,
            best.shrinkage,
            best.predictor_ridge,
            float(losses["loss"][taken]),
            float(losses["std_error"][taken]),
            considered,
            self.skipped,
        )


def compare(
    data: TrainingData,
    budgets: Sequence[float],
    *,
    methods: Sequence[str] = (AUTO,),
    shrinkage: float | str = AUTO,
    plan_ridge: float = 0.0,
    predictor_ridge: float | None = None,
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
) -> Comparison:
    """Compare ways to plan and predict on the same held-out objects, for every method and budget.

    Parameters
    ----------
    data : TrainingData
    budgets : sequence of float
        Checked already.
    methods : sequence of str
        Each a search, or ``"auto"``.
    predictor_ridge : float, optional
        For the predictor, where it is not to be chosen.
    shrinkage, plan_ridge, costs, max_repeats, tame_predictor, look_ahead, cv, cv_repeats, random_state, progress,
    executor
        As for :func:`choose`.
    rng : numpy.random.Generator, optional
        In the place of ``random_state``: draws the parts of a table, and then the folds.
    """
    check_options(cv, cv_repeats, executor)
    rng = generator(random_state) if rng is None else rng
    by_method = {name: candidates(name, shrinkage, plan_ridge, tame_predictor, predictor_ridge) for name in methods}
    as_costs(costs, data.attributes), as_max_repeats(max_repeats, data.attributes)
    check_can_hold_out(data.n_objects, cv)
    # Each once, so that a method of its own and the same one among those of "auto" share their losses.
    every = list(dict.fromkeys(way for ways in by_method.values() for way in ways))
    validated = validate(
        data.fold_sums(int(cv), rng),
        every,
        budgets,
        costs=costs,
        max_repeats=max_repeats,
        cv=cv,
        cv_repeats=cv_repeats,
        rng=rng,
        progress=progress,
        executor=executor,
    )
    return Comparison(
        validated,
        # A campaign buys what its plan asks for and fits again, to more judgments: what counts is the loss after that.
        validated.loss_after_refit if look_ahead else validated.loss,
        {name: tuple(every.index(way) for way in ways) for name, ways in by_method.items()},
        data.skipped,
    )


def check_method(method: str) -> None:
    """Refuse what is neither a search nor ``"auto"``."""
    if method != AUTO:
        search_named(method, AUTO)


def candidates(
    method: str,
    shrinkage: float | str,
    plan_ridge: float,
    tame_predictor: bool = True,
    predictor_ridge: float | None = None,
) -> list[Candidate]:
    """What a method and an amount of shrinkage stand for, either of which may be ``"auto"``; the simplest first."""
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
    ridges: tuple[float, ...] = RIDGES if isinstance(shrinkage, str) and tame_predictor else (0.0,)
    if predictor_ridge is not None:
        check_taming(ridge=predictor_ridge, ridge_name="predictor_ridge")
        ridges = (predictor_ridge,)
    planning = [(name, a) for a in amounts for name in (TRIED_BY_AUTO if method == AUTO else (method,))]
    # Shrinking leaves variances as they are, so that one amount is enough for what looks at them alone.
    planning = [(name, a) for name, a in planning if uses_covariances(name) or a == amounts[0]]
    return [Candidate(name, a, plan_ridge, ridge) for ridge in ridges for name, a in planning]
