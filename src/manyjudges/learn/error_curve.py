"""Projection: what error to expect before the money is spent, and the way to plan that has the least."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from manyjudges.arrays.cells import Floats
from manyjudges.base.frames import table
from manyjudges.base.messages import quote_value
from manyjudges.base.seeds import generator
from manyjudges.core.estimation import check_taming
from manyjudges.core.moments import Moments
from manyjudges.core.objective import expected_loss, weights
from manyjudges.core.plan import Plan, as_budget, as_costs, as_max_repeats
from manyjudges.core.search.registry import search_named
from manyjudges.exceptions import DataWarning, JudgmentsError, PlanError
from manyjudges.learn.cross_validation import (
    PARTS_PER_FOLD,
    RIDGES,
    Candidate,
    FoldSums,
    Progress,
    Validation,
    plans,
    simplest_good,
    validate,
)
from manyjudges.learn.diagnosis import check_data
from manyjudges.scan.options import ScanOptions
from manyjudges.tables.judgments import Judgments

if TYPE_CHECKING:
    import pandas as pd

AUTO = "auto"

METHODS_TO_TRY = ("full", "scoring")
"""Ways to plan that ``"auto"`` chooses from.

What ``"exchange"`` and ``"exact"`` add to Full is mostly chance where moments are estimates: among the candidates they
made the true loss no lower, on simulated crowds of 60 to 500 objects.
"""

SHRINKAGES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7)
"""Amounts of shrinkage that ``"auto"`` chooses from."""


@dataclass(frozen=True, eq=False, repr=False)
class ErrorCurve:
    """The error to expect of several methods at several budgets, on objects that nobody has seen yet.

    Made by :func:`projected_error`.

    Attributes
    ----------
    methods : tuple of str
    budgets : tuple of float
    loss, std_error, optimistic_loss : (methods, budgets) arrays
        Squared error on held-out objects, its standard error, and what a plan promises of itself, by the moments as
        they were estimated.
    label_variance : float
    n_objects : int
    warnings : tuple of DataWarning
        What speaks against relying on it.
    skipped : int
        Rows that were no judgments, and were left out when a path was read.
    """

    methods: tuple[str, ...]
    budgets: tuple[float, ...]
    loss: Floats
    std_error: Floats
    optimistic_loss: Floats
    label_variance: float
    n_objects: int
    warnings: tuple[DataWarning, ...] = ()
    skipped: int = 0

    def to_frame(self) -> pd.DataFrame:
        """A row for each method and budget.

        ``loss``, ``std_error`` and ``optimistic_loss`` are in squared units of the label, ``relative_loss`` is the loss
        as a share of the label's variance.
        """
        many = len(self.budgets)
        return table(
            {
                "method": np.repeat(np.array(self.methods, dtype=object), many),
                "budget": np.tile(np.array(self.budgets), len(self.methods)),
                "loss": self.loss.ravel(),
                "std_error": self.std_error.ravel(),
                "optimistic_loss": self.optimistic_loss.ravel(),
                "relative_loss": self.loss.ravel() / self.label_variance,
            }
        )

    def best(self, budget: float | None = None) -> Any:
        """The row of the method with the least error at a budget; without one, of all rows."""
        frame: Any = self.to_frame()
        if budget is not None:
            if budget not in self.budgets:
                known = ", ".join(f"{b:g}" for b in self.budgets)
                raise PlanError(f"the error at a budget of {quote_value(budget)} was not looked at; it was at {known}.")
            frame = frame[frame["budget"] == budget]
        return frame.loc[frame["loss"].idxmin()]

    def cheapest_within(self, tolerance: float) -> float:
        """The smallest budget whose error is at most ``1 + tolerance`` times the least of all, by any method."""
        if isinstance(tolerance, bool) or not isinstance(tolerance, int | float | np.number) or not tolerance >= 0:
            raise PlanError(
                f"the tolerance must be 0 or a positive number, such as 0.05, not {quote_value(tolerance)}."
            )
        least = self.loss.min(axis=0)
        enough = least <= least.min() + float(tolerance) * abs(float(least.min()))
        return min(budget for budget, fine in zip(self.budgets, enough, strict=True) if fine)

    def __repr__(self) -> str:
        lines = [f"Error on new objects, as a share of the label's variance (from {self.n_objects:,} objects):"]
        for m, method in enumerate(self.methods):
            at = ", ".join(
                f"{budget:g}: {loss:.3f} ± {error:.3f}"
                for budget, loss, error in zip(
                    self.budgets,
                    self.loss[m] / self.label_variance,
                    self.std_error[m] / self.label_variance,
                    strict=True,
                )
            )
            lines.append(f"{method} at {at}")
        return "\n  ".join(lines + [f"warning: {warning}" for warning in self.warnings])

    def _repr_html_(self) -> str:
        return f"<p>Error on new objects</p>{self.to_frame().to_html(float_format='{:.4g}'.format, index=False)}"


def projected_error(
    judgments: Judgments | str | os.PathLike[str] | Iterator[Any] | FoldSums,
    labels: Any,
    budgets: Iterable[float],
    *,
    methods: Sequence[str] = ("scoring", "full"),
    costs: Any = None,
    cv: int = 5,
    cv_repeats: int = 4,
    random_state: int | None = None,
    shrinkage: float = 0.0,
    predictor_ridge: float = 0.0,
    max_repeats: Any = None,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    on_invalid: str = "error",
    object: str = "auto",
    attribute: str = "auto",
    value: str = "auto",
    worker: str | None = "auto",
    memory_limit: str | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> ErrorCurve:
    """What error to expect on new objects, for each method and budget, before any further judgment is bought.

    Objects are split into ``cv`` folds. Plans and best linear predictors are made without one fold, and their loss on
    it is estimated without bias, also for plans that ask for more judgments than there are. So the estimate is honest
    where a plan's own projected loss is not: no object had a part in both. It describes a predictor that is fitted to
    the judgments at hand, on a share of ``1 - 1/cv`` of the objects; with all of them, and with the judgments that a
    plan buys, it becomes somewhat better.

    Parameters
    ----------
    judgments, labels
        As for :meth:`Moments.estimate`. Or the path of a table, a pattern of several, or an iterator of tables, whose
        judgments need not fit into the memory: it is read once, as by :func:`scan_moments`, and labels are by object,
        perhaps in a file.
    budgets : sequence of float
    methods : sequence of str
        As for :func:`select`. In the place of ``"exact"``, which would take long for every fold, stands ``"exchange"``,
        which finds nearly the same.
    costs : mapping or array, optional
        As for :func:`select`.
    cv : int
        How many folds.
    cv_repeats : int
        How often to split anew; more make the estimate depend less on chance.
    random_state : int, optional
    shrinkage : float
        See :meth:`Moments.regularized`; for the plans, not the predictors.
    predictor_ridge : float
        The same for the predictors: their ``ridge``.
    max_repeats : mapping or array, optional
        As for :func:`select`.
    noiseless, unmatched
        As for :meth:`Moments.estimate`.
    on_invalid, object, attribute, value, worker, memory_limit, temp_dir
        As for :func:`scan_moments`, for judgments that are a path: what to do about rows that are no judgments, names
        of the columns, what DuckDB may use, and where to put what does not fit into that.
    progress : callable, optional
        Called with how many steps are done and how many there are.
    executor : concurrent.futures.Executor, optional
        Where the folds are computed, such as a ``ProcessPoolExecutor`` or, on a cluster, dask's
        ``client.get_executor()``. With the same ``random_state`` the result is the same, to rounding.

    Returns
    -------
    ErrorCurve
        Its ``warnings``, if any, are also issued as Python warnings.

    Examples
    --------
    >>> from manyjudges import projected_error, simulate
    >>> crowd = simulate.jelly_beans(n_objects=300, random_state=0)
    >>> curve = projected_error(crowd.pilot(2), crowd.labels, [2, 5, 10, 20], random_state=0)
    >>> curve.best(20)["method"]
    'full'
    >>> curve.cheapest_within(0.25)
    10
    """
    limits, methods = _as_budgets(budgets), _as_methods(methods)
    _check_executor(executor)
    rng = generator(random_state)
    columns: dict[str, Any] = {"object": object, "attribute": attribute, "value": value, "worker": worker}
    terms = ScanOptions(columns, unmatched, on_invalid, memory_limit, temp_dir=temp_dir)
    parts, matched, skipped = _parts(judgments, labels, cv, cv_repeats, noiseless, rng, terms)
    candidates = [Candidate(method, shrinkage, predictor_ridge=predictor_ridge) for method in methods]
    # First, so that what is wrong with costs, say, is found before folds are handed out.
    moments = parts.moments()
    made = [plans(moments, candidate, limits, costs, max_repeats) for candidate in candidates]
    promised = [[_promised(moments, plan, predictor_ridge) for plan in each] for each in made]
    options: dict[str, Any] = {"costs": costs, "max_repeats": max_repeats, "progress": progress, "executor": executor}
    found = validate(parts, candidates, limits, cv=cv, cv_repeats=cv_repeats, rng=rng, **options)
    warned = check_data(moments, matched)
    for warning in warned:
        warnings.warn(warning, stacklevel=2)
    return ErrorCurve(
        methods=tuple(methods),
        budgets=limits,
        loss=found.loss,
        std_error=found.std_error,
        optimistic_loss=np.array(promised),
        label_variance=moments.label_variance,
        n_objects=moments.n_objects,
        warnings=warned,
        skipped=skipped,
    )


def _promised(moments: Moments, plan: Plan, ridge: float) -> float:
    """What a plan's predictor promises by the moments as they were estimated.

    Those that were tamed for the plan are another story: shrinking a covariance can make a plan explain more than there
    is to explain.
    """
    repeats = plan.to_array()
    w = weights(moments.regularized(ridge=ridge), repeats)
    return expected_loss(moments, w, repeats, bias=moments.label_mean - float(w @ moments.means))


@dataclass(frozen=True, eq=False)
class Choice:
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
        ``std_error``, ``foreseen``.
    skipped : int
        Rows that were no judgments, and were left out when a path was read.
    """

    method: str
    shrinkage: float
    predictor_ridge: float
    loss: float
    std_error: float
    considered: pd.DataFrame
    skipped: int = 0

    def __str__(self) -> str:
        tamed = f" with shrinkage {self.shrinkage:g}" if self.shrinkage else ""
        ridge = f", and a ridge of {self.predictor_ridge:g} for the predictor" if self.predictor_ridge else ""
        return f"{self.method}{tamed}{ridge}"


def choose(
    judgments: Judgments | str | os.PathLike[str] | Iterator[Any] | FoldSums,
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
    on_invalid: str = "error",
    object: str = "auto",
    attribute: str = "auto",
    value: str = "auto",
    worker: str | None = "auto",
    memory_limit: str | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
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
    on_invalid, object, attribute, value, worker, memory_limit, temp_dir
        As for :func:`projected_error`: how to read judgments that are a path.
    """
    limit = as_budget(budget)
    _check_executor(executor)
    rng = generator(random_state)
    candidates = _candidates(method, shrinkage, plan_ridge, tame_predictor)
    columns: dict[str, Any] = {"object": object, "attribute": attribute, "value": value, "worker": worker}
    terms = ScanOptions(columns, unmatched, on_invalid, memory_limit, temp_dir=temp_dir)
    parts, _, skipped = _parts(judgments, labels, cv, cv_repeats, noiseless, rng, terms)
    as_costs(costs, parts.attributes), as_max_repeats(max_repeats, parts.attributes)
    options: dict[str, Any] = {"costs": costs, "max_repeats": max_repeats, "progress": progress, "executor": executor}
    found = validate(parts, candidates, [limit], cv=cv, cv_repeats=cv_repeats, rng=rng, **options)
    return replace(_chosen(found, found.foreseen if look_ahead else found.loss), skipped=skipped)


def _chosen(found: Validation, criterion: Floats) -> Choice:
    loss, error = found.loss[:, 0], found.std_error[:, 0]
    names = ("method", "shrinkage", "predictor_ridge")
    columns: dict[str, Any] = {name: [getattr(each, name) for each in found.candidates] for name in names}
    considered = table(columns | {"loss": loss, "std_error": error, "foreseen": found.foreseen[:, 0]})
    at = simplest_good(criterion[:, 0])
    best = found.candidates[at]
    return Choice(best.method, best.shrinkage, best.predictor_ridge, float(loss[at]), float(error[at]), considered)


def _candidates(method: str, shrinkage: float | str, plan_ridge: float, tame_predictor: bool) -> list[Candidate]:
    if isinstance(shrinkage, str) and shrinkage != AUTO:
        raise PlanError(f"shrinkage must be a number between 0 and 1 or 'auto', not {quote_value(shrinkage)}.")
    if method != AUTO:
        search_named(method, AUTO)
    check_taming(ridge=plan_ridge, shrinkage=0.0 if isinstance(shrinkage, str) else shrinkage)
    amounts = SHRINKAGES if isinstance(shrinkage, str) else (shrinkage,)
    ridges = RIDGES if isinstance(shrinkage, str) and tame_predictor else (0.0,)
    planning = [(name, a) for a in amounts for name in (METHODS_TO_TRY if method == AUTO else (method,))]
    # Scoring looks at variances alone, which shrinking leaves as they are.
    planning = [(name, a) for name, a in planning if name != "scoring" or a == amounts[0]]
    return [Candidate(name, a, plan_ridge, predictor_ridge) for predictor_ridge in ridges for name, a in planning]


def _parts(
    judgments: Any,
    labels: Any,
    cv: int,
    cv_repeats: int,
    noiseless: Collection[str],
    rng: np.random.Generator,
    terms: ScanOptions,
) -> tuple[FoldSums, Judgments | None, int]:
    """Sums from which all folds are put together, the judgments, where they are in memory, and rows left out."""
    for name, value, least in (("cv", cv, 2), ("cv_repeats", cv_repeats, 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise PlanError(f"{name} must be a whole number of {least} or more, not {quote_value(value)}.")
    if isinstance(noiseless, str):
        raise PlanError(f"noiseless must be a list of attributes, not {noiseless!r} alone.")
    matched, skipped = None, 0
    if isinstance(judgments, FoldSums):
        _check_read(terms)
        parts = judgments
    elif isinstance(judgments, str | os.PathLike | Iterator):
        parts, found = FoldSums.scan(judgments, labels, PARTS_PER_FOLD * int(cv), noiseless, rng, terms)
        skipped = found.skipped
    elif isinstance(judgments, Judgments):
        _check_read(terms)
        matched, y = judgments.match(labels, unmatched=terms.unmatched)
        parts = FoldSums.of(matched, y, PARTS_PER_FOLD * int(cv), noiseless, rng)
    else:
        raise JudgmentsError(
            f"judgments must be a Judgments, a path or an iterator of tables, not {type(judgments).__name__}; make a "
            "Judgments with from_frame or from_array."
        )
    if parts.n_objects < cv:
        raise PlanError(
            f"{parts.n_objects} objects cannot be split into cv={cv} folds; label more objects or use fewer folds."
        )
    if unknown := sorted(set(noiseless) - set(parts.attributes)):
        raise PlanError(f"noiseless names {unknown[0]!r}, which the judgments do not have.")
    return parts, matched, skipped


def _check_read(terms: ScanOptions) -> None:
    """Refuse to be told how to read what has been read."""
    usual = ScanOptions()
    given = {name: (getattr(terms, name), getattr(usual, name)) for name in ("on_invalid", "memory_limit", "temp_dir")}
    given |= {role: (column, usual.columns[role]) for role, column in terms.columns.items()}
    for name, (value, default) in given.items():
        if value != default:
            raise PlanError(
                f"{name}={quote_value(value)} says how to read judgments from a path, and these have "
                f"been read; leave it "
                "out, or give the path."
            )


def _check_executor(executor: Any) -> None:
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise PlanError(
            "executor must have a method submit, as concurrent.futures.ProcessPoolExecutor() and, on a cluster, dask's "
            f"client.get_executor() have; it is {quote_value(executor)}."
        )


def _as_methods(methods: Any) -> tuple[str, ...]:
    if not isinstance(methods, Iterable):
        raise PlanError(f"methods must be a list of names, not {quote_value(methods)}.")
    names = (methods,) if isinstance(methods, str) else tuple(methods)
    if not names:
        raise PlanError("there is no method to look at; name one or more.")
    for name in names:
        search_named(name)
    if len(set(names)) < len(names):
        raise PlanError(f"the method {quote_value(next(n for n in names if names.count(n) > 1))} is given twice.")
    return names


def _as_budgets(budgets: Iterable[float]) -> tuple[float, ...]:
    if isinstance(budgets, str) or not isinstance(budgets, Iterable):
        raise PlanError(f"budgets must be a list of numbers, not {quote_value(budgets)}.")
    limits = tuple(budgets)
    if not limits:
        raise PlanError("there is no budget to look at; give one or more.")
    for limit in limits:
        as_budget(limit)
    plain = tuple(limit.item() if isinstance(limit, np.generic) else limit for limit in limits)
    if len(set(plain)) < len(plain):
        twice = next(limit for limit in plain if plain.count(limit) > 1)
        raise PlanError(f"the budget {twice:g} is given twice; give each once.")
    return plain
