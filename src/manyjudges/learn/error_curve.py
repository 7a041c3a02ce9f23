"""The error curve: what error to expect of each method and budget, before the money is spent."""

from __future__ import annotations

__all__ = ["ErrorCurve", "as_budgets", "curve_of", "error_curve_of", "projected_error"]

import os
import warnings
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from manyjudges.arrays.types import Floats
from manyjudges.base.frames import table
from manyjudges.base.messages import quote_value
from manyjudges.base.progress import Progress
from manyjudges.base.results import Result, loss_limits
from manyjudges.base.seeds import generator
from manyjudges.core.budget import as_budget
from manyjudges.core.moments import Moments
from manyjudges.core.objective import expected_loss, weights
from manyjudges.core.plan import Plan
from manyjudges.exceptions import DataWarning, PlanError
from manyjudges.learn.checks.registry import as_codes, check_data, raise_stops
from manyjudges.learn.comparison import AUTO, Comparison, check_method, compare
from manyjudges.learn.inference.cross_validation import check_options
from manyjudges.learn.preparation.trials import PreparationOptions
from manyjudges.learn.training_data import TrainingData, load_training_data
from manyjudges.scan.options import ScanOptions
from manyjudges.tables.reading.options import ReadKeywords

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class ErrorCurve(Result):
    """The error to expect of several methods at several budgets, on objects that nobody has seen yet.

    Made by :func:`projected_error`.

    Attributes
    ----------
    methods : tuple of str
        ``"auto"`` among them where the one with the lowest error was taken at each budget.
    budgets : tuple of float
    loss, std_error, optimistic_loss : (methods, budgets) arrays
        Squared error on held-out objects, its standard error, and what a plan promises of itself, by the moments as
        they were estimated.
    label_variance : float
    n_objects : int
    baseline_loss : float
        Squared error of always guessing the label's mean, on the same held-out objects.
    plans : tuple of tuples of Plan
        By method and budget, made from all objects. In the place of ``"exact"``, which would take long, stands
        ``"exchange"``, as in the folds.
    warnings : tuple of DataWarning
        What speaks against relying on it.
    skipped : int
        Rows that were no judgments, and were left out when a path was read.
    """

    FORMAT: ClassVar[str] = "manyjudges.error_curve/1"

    methods: tuple[str, ...]
    budgets: tuple[float, ...]
    loss: Floats
    std_error: Floats
    optimistic_loss: Floats
    label_variance: float
    n_objects: int
    baseline_loss: float
    plans: tuple[tuple[Plan, ...], ...] = ()
    warnings: tuple[DataWarning, ...] = ()
    skipped: int = 0

    def to_frame(self) -> pd.DataFrame:
        """A row for each method and budget.

        ``error`` is the RMSE on held-out objects, ``low`` and ``high`` are its 95 % limits, ``explained`` is the share
        of the label's variance explained, from 0 to 1, and ``in_sample_error`` what a plan promises of itself. ``loss``
        and ``std_error`` are in squared units of the label. ``searched`` is the search that made the plan, with its
        ``shrinkage``.
        """
        many, plans = len(self.budgets), [plan for of_method in self.plans for plan in of_method]
        made = {"searched": [plan.method for plan in plans], "shrinkage": [plan.shrinkage for plan in plans]}
        return table(
            {
                "method": np.repeat(np.array(self.methods, dtype=object), many),
                "budget": np.tile(np.array(self.budgets), len(self.methods)),
                "error": self.error.ravel(),
                "low": self.low.ravel(),
                "high": self.high.ravel(),
                "explained": self.explained.ravel(),
                "in_sample_error": self.in_sample_error.ravel(),
                "loss": self.loss.ravel(),
                "std_error": self.std_error.ravel(),
            }
            | (made if plans else {})
        )

    @property
    def error(self) -> Floats:
        """RMSE on held-out objects, by method and budget."""
        return _root(self.loss)

    @property
    def low(self) -> Floats:
        """Lower 95 % limit of the error."""
        return _root(loss_limits(self.loss, self.std_error)[0])

    @property
    def high(self) -> Floats:
        """Upper 95 % limit of the error."""
        return _root(loss_limits(self.loss, self.std_error)[1])

    @property
    def in_sample_error(self) -> Floats:
        """RMSE that a plan promises of itself, by method and budget: optimistic."""
        return _root(self.optimistic_loss)

    @property
    def baseline_error(self) -> float:
        """RMSE of always guessing the label's mean, on the same held-out objects."""
        return float(_root(self.baseline_loss))

    @property
    def explained(self) -> Floats:
        """Share of the label's variance explained on held-out objects, from 0 to 1, by method and budget."""
        # Of what guessing the mean loses on the same objects: at 0, judgments are of no use.
        return np.asarray(np.clip(1 - (self.error / self.baseline_error) ** 2, 0, 1))

    def to_document(self) -> dict[str, Any]:
        """The numbers as plain lists, numbers and strings; of each plan, its repeats."""
        plans = [[plan.repeats for plan in of_method] for of_method in self.plans]
        return super().to_document() | {"plans": plans}

    def best(self, budget: float | None = None) -> Any:
        """The row of the method with the least error at a budget; without one, of all rows."""
        frame: Any = self.to_frame()
        if budget is not None:
            if budget not in self.budgets:
                budgets = ", ".join(f"{b:g}" for b in self.budgets)
                raise PlanError(
                    f"the error at a budget of {quote_value(budget)} was not looked at; it was at {budgets}.",
                    value=budget,
                    column="budget",
                )
            frame = frame[frame["budget"] == budget]
        return frame.loc[frame["loss"].idxmin()]

    def cheapest_within(self, tolerance: float) -> float:
        """The smallest budget whose error (RMSE) is at most ``1 + tolerance`` times the least of all, by any method."""
        if isinstance(tolerance, bool) or not isinstance(tolerance, int | float | np.number) or not tolerance >= 0:
            raise PlanError(
                f"the tolerance must be 0 or a positive number, such as 0.05, not {quote_value(tolerance)}.",
                value=tolerance,
                column="tolerance",
            )
        least = self.error.min(axis=0)
        enough = least <= (1 + float(tolerance)) * float(least.min())
        return min(budget for budget, fine in zip(self.budgets, enough, strict=True) if fine)

    def __repr__(self) -> str:
        guess = f"guessing the mean: {self.baseline_error:.4g}"
        lines = [f"Error to expect on new objects (RMSE, from {self.n_objects:,} objects; {guess}):"]
        frame = self.to_frame()
        for method, rows in frame.groupby("method", sort=False):
            errors = (f"{row.budget:g}: {row.error:.4g} ({row.low:.4g} to {row.high:.4g})" for row in rows.itertuples())
            lines.append(f"{method} at {', '.join(errors)}")
        return "\n  ".join(lines + [f"warning: {warning}" for warning in self.warnings])

    def _repr_html_(self) -> str:
        return f"<p>Error on new objects</p>{self.to_frame().to_html(float_format='{:.4g}'.format, index=False)}"


def _root(loss: Any) -> Floats:
    """Squared errors as RMSE; what an unbiased estimate takes below zero is zero."""
    return np.asarray(np.sqrt(np.maximum(loss, 0.0)))


def projected_error(
    judgments: Any,
    labels: Any,
    budgets: float | Iterable[float],
    *,
    methods: Sequence[str] = (AUTO,),
    costs: Any = None,
    cv: int = 5,
    cv_repeats: int = 3,
    random_state: int | None = 0,
    shrinkage: float | str = AUTO,
    predictor_ridge: float | None = None,
    max_repeats: Any = None,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    memory_limit: str | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
    rescale: str = AUTO,
    worker_effects: str = AUTO,
    joint_moments: bool | str = AUTO,
    predictor: str = AUTO,
    mute: Collection[str] = (),
    **reading: Unpack[ReadKeywords],
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
    budgets : float or sequence of float
    methods : sequence of str
        As for :func:`select`, and ``"auto"`` (default), which takes at each budget the one with the lowest error on
        held-out objects. In the place of ``"exact"``, which would take long for every fold, stands ``"exchange"``,
        which finds nearly the same.
    costs : mapping or array, optional
        As for :func:`select`.
    cv : int
        How many folds.
    cv_repeats : int
        How often to split anew; more make the estimate depend less on chance.
    random_state : int, optional
        Seed of the folds (default: 0).
    shrinkage : float or "auto"
        See :meth:`Moments.regularized`; for the plans, not the predictors. ``"auto"`` (default) takes at each budget
        the amount with the lowest error, and a ridge for the predictor along with it.
    predictor_ridge : float, optional
        The ridge of the predictors, where it is not to be chosen (default: 0 where ``shrinkage`` is a number).
    max_repeats : mapping or array, optional
        As for :func:`select`.
    noiseless, unmatched
        As for :meth:`Moments.estimate`.
    rescale, worker_effects, joint_moments, predictor
        As for :func:`answer`.
    memory_limit, temp_dir, **reading
        As for :func:`scan_moments`, for judgments that are a path: what DuckDB may use, where to put what does not fit
        into that, and how to read the table.
    progress : callable, optional
        Called with how many steps are done and how many there are.
    executor : concurrent.futures.Executor, optional
        Where the folds are computed, such as a ``ProcessPoolExecutor`` or, on a cluster, dask's
        ``client.get_executor()``. With the same ``random_state`` the result is the same, to rounding.
    mute : collection of str
        Codes of checks to leave out; see :func:`check_data`.

    Returns
    -------
    ErrorCurve
        Its ``warnings``, if any, are also issued as Python warnings.

    Examples
    --------
    >>> from manyjudges import projected_error, simulate
    >>> crowd = simulate.jelly_beans(n_objects=300, random_state=0)
    >>> curve = projected_error(crowd.pilot(2), crowd.labels, [2, 5, 10, 20])
    >>> curve.to_frame()[["budget", "error", "low", "high", "explained"]].round(2)
       budget   error     low    high  explained
    0       2  247.70  228.34  268.71       0.37
    1       5  224.86  202.25  249.99       0.48
    2      10  206.68  180.19  237.06       0.56
    3      20  193.90  165.42  227.29       0.61
    >>> curve.cheapest_within(0.1)
    10
    """
    as_codes(mute)
    limits, names = as_budgets(budgets), _as_methods(methods)  # before a table is read, which may take long
    check_options(cv, cv_repeats, executor)
    prepared = PreparationOptions(rescale, worker_effects, joint_moments, predictor)
    # Parts and folds are drawn with the same seed each time, wherever the table lies: the same seed, the same curve.
    rng = generator(random_state)
    options = ScanOptions.of(unmatched=unmatched, memory_limit=memory_limit, temp_dir=temp_dir, **reading)
    data = load_training_data(judgments, labels, options, noiseless=noiseless, cv=int(cv), rng=rng)
    raise_stops(data, mute=mute)  # before anything is computed
    curve = error_curve_of(
        data,
        limits,
        methods=names,
        costs=costs,
        cv=cv,
        cv_repeats=cv_repeats,
        rng=generator(random_state),
        shrinkage=shrinkage,
        predictor_ridge=predictor_ridge,
        max_repeats=max_repeats,
        progress=progress,
        executor=executor,
        random_state=random_state,
        options=prepared,
    )
    data_warnings = check_data(data, mute=mute).warnings
    for warning in data_warnings:
        warnings.warn(warning, stacklevel=2)
    return replace(curve, warnings=data_warnings)


def error_curve_of(
    data: TrainingData,
    budgets: Iterable[float],
    *,
    methods: Sequence[str] = (AUTO,),
    costs: Any = None,
    cv: int = 5,
    cv_repeats: int = 3,
    rng: np.random.Generator,
    shrinkage: float | str = AUTO,
    predictor_ridge: float | None = None,
    max_repeats: Any = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
    random_state: int | None = 0,
    options: PreparationOptions | None = None,
) -> ErrorCurve:
    """:func:`projected_error` of a table that has been read, which is not checked here.

    ``rng`` draws the parts of a table in memory, and then the folds.
    """
    limits, names = as_budgets(budgets), _as_methods(methods)
    # With the same folds for all, so that the difference of two methods is not that of their folds.
    compared = compare(
        data,
        limits,
        methods=names,
        shrinkage=shrinkage,
        predictor_ridge=predictor_ridge,
        costs=costs,
        max_repeats=max_repeats,
        cv=cv,
        cv_repeats=cv_repeats,
        rng=rng,
        random_state=random_state,
        options=options,
        progress=progress,
        executor=executor,
    )
    return curve_of(data, compared)


def curve_of(data: TrainingData, compared: Comparison) -> ErrorCurve:
    """The error curve of ways that were compared: what each method takes at each budget."""
    validated, names = compared.validation, tuple(compared.ways)
    columns = range(len(validated.budgets))
    losses = np.array([[compared.expected(name, column) for column in columns] for name in names])
    plans = [[compared.plan(name, column) for column in columns] for name in names]
    promised = [
        [promised_loss(compared.moments(name), plan, plan.predictor_ridge) for plan in own]
        for name, own in zip(names, plans, strict=True)
    ]
    # The honest loss is a mean over plans that were made without a fold each; what is promised, and what will be
    # bought, is the plan of all objects. They lie on one curve, though they are not of the same plans.
    return ErrorCurve(
        methods=names,
        budgets=validated.budgets,
        loss=losses[:, :, 0],
        std_error=losses[:, :, 1],
        optimistic_loss=np.array(promised),
        label_variance=data.moments.label_variance,
        n_objects=data.n_objects,
        plans=tuple(tuple(plan.with_answers(data.answers) for plan in own) for own in plans),
        skipped=data.skipped,
        baseline_loss=validated.baseline_loss,
    )


def promised_loss(moments: Moments, plan: Plan, ridge: float) -> float:
    """What a plan's predictor promises by the moments as they were estimated.

    Those that were tamed for the plan are another story: shrinking a covariance can make a plan explain more than there
    is to explain.
    """
    if not plan.repeats:
        return float(moments.label_variance)
    # Of the chosen attributes alone, so that the matrix of a wide table is not multiplied out.
    moments, repeats = moments.subset(tuple(plan.repeats)), np.array(list(plan.repeats.values()), dtype=np.int64)
    w = weights(moments.regularized(ridge=ridge), repeats)
    # w'M_r w - 2 b'w + Var[Y] by the moments as estimated: Var[Y] - b'w would hold only for weights without a ridge.
    return expected_loss(moments, w, repeats, bias=moments.label_mean - float(w @ moments.means))


def _as_methods(methods: Any) -> tuple[str, ...]:
    if not isinstance(methods, Iterable):
        raise PlanError(
            f"methods must be a list of names, not {quote_value(methods)}.", value=methods, column="methods"
        )
    names = (methods,) if isinstance(methods, str) else tuple(methods)
    if not names:
        raise PlanError("there is no method to look at; name one or more.", column="methods")
    for name in names:
        check_method(name)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PlanError(f"the method {quote_value(twice)} is given twice.", value=twice, column="methods")
    return names


def as_budgets(budgets: float | Iterable[float]) -> tuple[float, ...]:
    """Check budgets that somebody gave, each once; a single number is one budget."""
    if isinstance(budgets, int | float | np.number) and not isinstance(budgets, bool):
        budgets = (budgets,)
    if isinstance(budgets, str) or not isinstance(budgets, Iterable):
        raise PlanError(
            f"budgets must be a list of numbers, not {quote_value(budgets)}.", value=budgets, column="budgets"
        )
    limits = tuple(budgets)
    if not limits:
        raise PlanError("there is no budget to look at; give one or more.", column="budgets")
    for limit in limits:
        as_budget(limit)
    plain = tuple((limit.item() if isinstance(limit, np.generic) else limit) + 0 for limit in limits)  # 0, not -0
    if len(set(plain)) < len(plain):
        twice = next(limit for limit in plain if plain.count(limit) > 1)
        raise PlanError(f"the budget {twice:g} is given twice; give each once.", value=twice, column="budgets")
    return plain
