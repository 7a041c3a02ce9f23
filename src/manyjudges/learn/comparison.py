"""Comparison: ways to plan and predict, compared by their error on held-out objects at one or more budgets.

Whoever asks what to buy, or what error to expect, asks here: the folds, the candidates and the rule by which one of
them is taken are the same for all, so that the same data, budget and seed give the same plan and the same error.
"""

from __future__ import annotations

__all__ = ["AUTO", "Choice", "check_method", "compare"]

import copy
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from manyjudges.base.formatting import in_units
from manyjudges.base.frames import table
from manyjudges.base.messages import quote_value
from manyjudges.base.progress import Progress
from manyjudges.base.results import Result, loss_limits, plain
from manyjudges.base.seeds import generator
from manyjudges.core.budget import as_costs, as_max_repeats
from manyjudges.core.estimation import check_taming
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan
from manyjudges.core.search.registry import search_named
from manyjudges.exceptions import PlanError
from manyjudges.learn.inference.cross_validation import (
    RIDGES,
    Candidate,
    PlanCache,
    Validation,
    check_can_hold_out,
    check_options,
    joined,
    simplest_good,
    validate,
)
from manyjudges.learn.inference.curve_trial import try_curve
from manyjudges.learn.inference.expected_loss import expected_loss_of
from manyjudges.learn.preparation.preparation import Trial
from manyjudges.learn.preparation.trials import PreparationOptions, prepare
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


_LEFT_ALONE = ("plain", "best_linear", "least_squares")
"""What a trial keeps where nothing is changed."""

_KEPT = {
    "rescale": "skewed ratings rescaled",
    "worker_effects": "judgments corrected for their workers",
    "joint_moments": "joint moments",
    "predictor": "a curved predictor",
}
"""What each step does, where it is kept."""


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
    predictor : str
    trials : tuple of Trial
        What was tried with judgments, moments and predictor, and what of it was kept.
    considered : pandas.DataFrame
        All candidates, the simplest first, as they were compared: ``method``, ``shrinkage``, ``predictor_ridge``,
        ``loss``, ``std_error``, ``loss_after_refit``, in squared units; :meth:`to_frame` has errors in the label's
        unit.
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
    predictor: str = "best_linear"
    trials: tuple[Trial, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """All candidates, the simplest first, with their errors on held-out objects (RMSE) and limits."""
        frame = self.considered[["method", "shrinkage", "predictor_ridge"]].copy()
        losses = self.considered["loss"]
        limits = loss_limits(losses, self.considered["std_error"])
        for name, loss in zip(("error", "low", "high"), (losses, *limits), strict=True):
            frame[name] = [in_units(each) for each in loss]
        return frame

    @property
    def error(self) -> float:
        """Error of what was chosen on held-out objects (RMSE)."""
        return in_units(self.loss)

    def to_document(self) -> dict[str, Any]:
        """The numbers as plain lists, numbers and strings."""
        considered = plain(self.considered.to_dict(orient="records"))
        return super().to_document() | {
            "considered": considered,
            "trials": [each.to_document() for each in self.trials],
        }

    @property
    def headline(self) -> str:
        """What was chosen."""
        return str(self)

    def __str__(self) -> str:
        tamed = f" with shrinkage {self.shrinkage:g}" if self.shrinkage else ""
        ridge = f", and a ridge of {self.predictor_ridge:g} for the predictor" if self.predictor_ridge else ""
        kept = [_KEPT[trial.step] for trial in self.trials if trial.kept and trial.tried not in _LEFT_ALONE]
        return f"{self.method}{tamed}{ridge}" + "".join(f"; {words}" for words in kept)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Held-out losses of all candidates at all budgets, and which of them each method stands for.

    Attributes
    ----------
    validation : Validation
    after_refit : bool
        Whether candidates are compared by their loss after more judgments have been bought.
    ways : dict of str to tuple of int
        By method, ``"auto"`` among them: positions of its candidates, the simplest first.
    prepared : dict of str to TrainingData
        By method: the data as they are averaged for it.
    terms : dict
        Prices and limits.
    skipped : int
        Invalid rows of the data.
    """

    validation: Validation
    after_refit: bool
    ways: dict[str, tuple[int, ...]]
    prepared: dict[str, TrainingData]
    terms: dict[str, Any]
    folds: dict[str, Any]
    skipped: int = 0

    @property
    def baseline_loss(self) -> float:
        """Loss of always guessing the mean of the other folds."""
        return self.validation.baseline_loss

    def position(self, method: str, column: int) -> int:
        """The candidate that is taken for a method at one of the budgets, by position."""
        own, seen = self.ways[method], self.validation
        losses = seen.loss_after_refit if self.after_refit else seen.loss
        return own[simplest_good(losses[list(own), column])]

    def candidate(self, method: str, column: int) -> Candidate:
        """The candidate that is taken for a method at one of the budgets."""
        return self.validation.candidates[self.position(method, column)]

    def moments(self, method: str) -> Moments:
        """Those that a method plans from."""
        return self.prepared[method].moments

    def plan(self, method: str, column: int) -> Plan:
        """What a method plans from all objects at one of the budgets; a cheaper search may stand in for a long one."""
        budget, way = self.validation.budgets[column], self.candidate(method, column)
        plan = self._made[method].plan_as_in_folds(way, budget)
        return plan.with_predictor_ridge(way.predictor_ridge)

    @cached_property
    def _made(self) -> dict[str, PlanCache]:
        return {name: PlanCache(self.moments(name), self.validation.budgets, **self.terms) for name in self.ways}

    def share(self, method: str, column: int) -> float:
        """Squared error of a method's predictor as a share of that of the straight line, for which losses are."""
        if not self.prepared[method].preparation.curved:
            return 1.0
        plan = self.plan(method, column)
        key = (method, plan.predictor_ridge, tuple(plan.repeats.items()))
        if key not in self._shares:
            trial = try_curve(plan, self.prepared[method], ridge=plan.predictor_ridge, forced=True, **self.folds)
            self._shares[key] = 1.0 if trial is None else trial.share
        return self._shares[key]

    @cached_property
    def _shares(self) -> dict[Any, float]:
        return {}

    def losses(self, way: Candidate, column: int) -> tuple[float, float]:
        """Squared error to expect of one of the candidates at one of the budgets, and its standard error."""
        return self._expected(np.array([self.validation.candidates.index(way)]), column)

    def expected(self, method: str, column: int) -> tuple[float, float]:
        """Squared error to expect of what is taken for a method at one of the budgets, and its standard error."""
        loss, std_error = self._expected(np.array(self.ways[method]), column)
        share = self.share(method, column)
        return loss * share, std_error * share

    def _expected(self, candidates: Any, column: int) -> tuple[float, float]:
        seen = self.validation
        if np.allclose(seen.loss[candidates, column], self.baseline_loss, rtol=1e-12):
            # Nothing is bought: both errors are of guessing the mean of a fold, so neither is corrected.
            return self.baseline_loss, float(seen.std_error[candidates[0], column])
        options = {"after_refit": self.after_refit, "cv": self.folds["cv"]}
        return expected_loss_of(self.validation, candidates, column, **options)

    def choice(self, method: str, column: int) -> Choice:
        """What is taken for a method at one of the budgets, with the losses of all that it was chosen from."""
        own, taken = list(self.ways[method]), self.position(method, column)
        candidates = [self.validation.candidates[i] for i in own]
        names = ("method", "shrinkage", "predictor_ridge")
        columns: dict[str, Any] = {name: [getattr(way, name) for way in candidates] for name in names}
        losses = {name: getattr(self.validation, name)[:, column] for name in ("loss", "std_error", "loss_after_refit")}
        considered = table(columns | {name: values[own] for name, values in losses.items()})
        best = self.validation.candidates[taken]
        loss, std_error = self.expected(method, column)
        known = self.prepared[method].preparation
        return Choice(
            best.method,
            best.shrinkage,
            best.predictor_ridge,
            loss,
            std_error,
            considered,
            self.skipped,
            predictor="curved" if known.curved else "best_linear",
            trials=known.trials,
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
    options: PreparationOptions | None = None,
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
    options : PreparationOptions, optional
        What may be done to judgments and moments (default: everything, with ``"auto"``).
    rng : numpy.random.Generator, optional
        In the place of ``random_state``: draws the parts of a table, and then the folds.
    """
    check_options(cv, cv_repeats, executor)
    rng = generator(random_state) if rng is None else rng
    way = (shrinkage, plan_ridge, tame_predictor, predictor_ridge)
    by_method = {name: candidates(name, *way) for name in methods}
    as_costs(costs, data.attributes), as_max_repeats(max_repeats, data.attributes)
    check_can_hold_out(data.n_objects, cv)
    options = PreparationOptions() if options is None else options
    folds: dict[str, Any] = {"cv": cv, "random_state": random_state}
    prepared = {name: prepare(data, options.along_with(name), costs=costs, **folds) for name in methods}
    # Methods that see the same data are compared together: each candidate once, so that a method of its own and the
    # same one among those of "auto" share their losses.
    together: dict[Any, list[str]] = {}
    for name in methods:
        known = prepared[name].preparation
        together.setdefault(str(known.to_document()), []).append(name)
    done, made, every = 0, [], list[Candidate]()
    positions: dict[str, tuple[int, ...]] = {}
    for i, names in enumerate(together.values()):
        own = list(dict.fromkeys(each._replace(prepared=i > 0) for name in names for each in by_method[name]))
        # The same folds for all, so that the difference of two methods is not that of their folds.
        chance, own_data = copy.deepcopy(rng), prepared[names[0]]
        made.append(
            validate(
                own_data.fold_sums(int(cv), chance),
                own,
                budgets,
                costs=costs,
                max_repeats=max_repeats,
                cv=cv,
                cv_repeats=cv_repeats,
                rng=chance,
                progress=_part(progress, i, len(together)),
                executor=executor,
            )
        )
        for name in names:
            positions[name] = tuple(done + own.index(each._replace(prepared=i > 0)) for each in by_method[name])
        every, done = every + own, done + len(own)
    validated = joined(made)
    return Comparison(
        validated,
        look_ahead,  # a campaign buys what its plan asks for and fits again, to more judgments
        {name: positions[name] for name in methods},
        prepared,
        {"costs": costs, "max_repeats": max_repeats},
        folds,
        data.skipped,
    )


def _part(progress: Progress | None, part: int, parts: int) -> Progress | None:
    """Progress of one of several parts, as that of all of them."""
    if progress is None or parts == 1:
        return progress
    return lambda done, total: progress(part * total + done, parts * total)


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
