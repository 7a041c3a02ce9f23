"""The answer: what to buy for each object, what error to expect of it, and what speaks against relying on it.

There is one place that makes it, :func:`answer_of`, which ``answering`` calls for prices and totals; the command line,
reports, estimators and studies show parts of the object that comes from there.
"""

from __future__ import annotations

__all__ = ["Answer", "answer_of", "plan_shares"]

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.formatting import in_units, plural
from manyjudges.base.frames import table
from manyjudges.base.money import read_currency
from manyjudges.base.progress import Progress
from manyjudges.base.results import Result, loss_limits, plain
from manyjudges.core.budget import as_budget, as_costs, as_max_repeats
from manyjudges.core.plan import Plan
from manyjudges.core.search.registry import DEFAULT, select
from manyjudges.exceptions import DataWarning, MomentsError, PlanError, spelled
from manyjudges.learn.checks.check import CheckedData, HeldOutError
from manyjudges.learn.checks.registry import raise_stops, run_checks
from manyjudges.learn.checks.results import CheckResults
from manyjudges.learn.comparison import AUTO, Choice, Comparison, candidates, compare
from manyjudges.learn.costs.availability import never_varying, too_few_judges
from manyjudges.learn.costs.bill import Bill, as_new, bill_of
from manyjudges.learn.error_curve import promised_loss
from manyjudges.learn.inference.cross_validation import Candidate, check_options, fewest_objects
from manyjudges.learn.predictors.registry import takes_ridge
from manyjudges.learn.preparation.trials import PreparationOptions, prepare
from manyjudges.learn.training_data import TrainingData
from manyjudges.learn.wording.sentences import what_to_buy, what_to_expect

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Result):
    """What to buy for each object, and what error to expect then. Made by :func:`answer`.

    Errors are root mean squared errors (RMSE), in the label's unit, on objects that had no part in plan or predictor.

    Attributes
    ----------
    plan : Plan
        How many judgments of each attribute to buy for each object.
    error : float or None
        Error to expect on new objects; 0 where it cannot be told apart from zero, and None where it was not estimated.
    low, high : float or None
        Its 95 % limits.
    baseline_error : float or None
        Error of always guessing the label's mean, on the same held-out objects.
    in_sample_error : float
        Error that the plan promises of itself, measured on the objects that it was made from: optimistic.
    choice : Choice or None
        What ``"auto"`` chose, and among what; None where nothing was left to be chosen.
    predictor_ridge : float
        Ridge of the predictor that the error belongs to.
    bill : Bill
        What that costs: for one object, for the labelled objects that lack judgments, and for new ones.
    checks : CheckResults
        What was checked; failures are the answer's ``warnings``.
    notes : tuple of str
        What else to know, such as that there are too few objects to estimate an error.
    reading : tuple of str
        What was read, a line each.
    n_objects, n_judgments : int
        Objects that have judgments and a label, and their judgments.
    skipped : int
        Invalid rows that were skipped.
    label_mean, label_variance : float
    """

    FORMAT: ClassVar[str] = "manyjudges.answer/2"

    plan: Plan
    error: float | None
    low: float | None
    high: float | None
    baseline_error: float | None
    in_sample_error: float
    label_mean: float
    label_variance: float
    n_objects: int
    n_judgments: int
    bill: Bill
    choice: Choice | None = None
    predictor_ridge: float = 0.0
    checks: CheckResults = field(default_factory=CheckResults)
    notes: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()
    skipped: int = 0

    @property
    def explained(self) -> float | None:
        """Share of the label's variance explained on held-out objects, from 0 to 1."""
        if self.error is None or not self.baseline_error:
            return None
        return float(np.clip(1 - (self.error / self.baseline_error) ** 2, 0, 1))

    @cached_property
    def bound(self) -> float | None:
        """Upper bound on the share of the label's variance that any plan within the budget explains, from 0 to 1.

        By the moments estimated, and worked out when first asked for, which takes seconds for hundreds of attributes.
        None where it is not known: of a plan from a file that does not say.
        """
        try:
            bound = self.plan.bound
        except PlanError:
            return None
        return float(min(bound / self.label_variance, 1)) if np.isfinite(bound) else None

    @property
    def gap(self) -> float | None:
        """How much more than this plan the best one might explain, as a share of the bound; 0 where it is the best."""
        return None if self.bound is None else float(self.plan.gap)

    @property
    def warnings(self) -> tuple[DataWarning, ...]:
        """What speaks against relying on it: the checks that failed, the most severe first."""
        return self.checks.warnings

    @property
    def helps(self) -> bool | None:
        """Whether predictions are better than guessing the mean; None where that is not sure, or not known."""
        if self.error is None or self.high is None or self.baseline_error is None:
            return None
        if self.error >= self.baseline_error:
            return False
        return None if self.high >= self.baseline_error else True

    @property
    def sentence(self) -> str:
        """What to buy and what to expect, in two or three sentences."""
        worse = self.helps is False
        buy = what_to_buy(self.plan, list(self.attributes), self.repeats.tolist(), worse=worse)
        return f"{buy} {self.expectation}"

    @property
    def expectation(self) -> str:
        """What error to expect, in one or two sentences."""
        return what_to_expect(self.plan, self.error, self.low, self.high, self.baseline_error)

    @cached_property
    def _rows(self) -> pd.DataFrame:
        return plan_shares(self.plan)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Attributes that the plan chose, the one that explains most first."""
        return tuple(self._rows.index)

    @property
    def repeats(self) -> Integers:
        """Judgments of each chosen attribute to buy for each object."""
        return self._rows["repeats"].to_numpy(dtype=np.int64, copy=True)

    @property
    def price(self) -> Floats:
        """Price of one judgment of each chosen attribute."""
        return self._rows["price"].to_numpy(dtype=float, copy=True)

    @property
    def cost(self) -> Floats:
        """Cost of all judgments of each chosen attribute, for one object."""
        return self._rows["cost"].to_numpy(dtype=float, copy=True)

    @property
    def gain(self) -> Floats:
        """Label variance that each chosen attribute adds to what is explained, in the plan's order."""
        return self._rows["gain"].to_numpy(dtype=float, copy=True)

    @property
    def share(self) -> Floats:
        """The same as a share of all that is explained."""
        return self._rows["share"].to_numpy(dtype=float, copy=True)

    @property
    def budget(self) -> float:
        """The most that one object's judgments may cost."""
        return self.plan.budget

    @property
    def method(self) -> str:
        """How the plan was found."""
        return self.plan.method

    @property
    def shrinkage(self) -> float:
        """How far correlations were shrunk for the plan."""
        return self.plan.shrinkage

    @property
    def headline(self) -> str:
        """The sentence and the warnings."""
        return "\n".join(
            [self.sentence, *map(spelled, self.notes), *(f"warning: {warning}" for warning in self.warnings)]
        )

    def to_frame(self) -> pd.DataFrame:
        """A row for each chosen attribute, the one that explains most first."""
        columns = {name: getattr(self, name) for name in ("repeats", "price", "cost", "gain", "share")}
        return table(columns, index=self.attributes, index_name="attribute")

    def to_document(self) -> dict[str, Any]:
        """The answer as plain lists, numbers and strings; its fields are described in the documentation."""
        # Whoever wants no error is in a hurry: a bound can take long, and is left out unless it is there already.
        bounded = self.error is not None or self.plan.proven_bound is not None or "bound" in self.__dict__
        document = {
            "format": self.FORMAT,
            "sentence": self.sentence,
            "plan": self.plan,
            "error": self.error,
            "low": self.low,
            "high": self.high,
            "baseline_error": self.baseline_error,
            "explained": self.explained,
            "in_sample_error": self.in_sample_error,
            "bound": self.bound if bounded else None,
            "gap": self.gap if bounded else None,
            "bill": self.bill,
            "choice": None if self.choice is None else _choice_document(self.choice),
            "predictor_ridge": self.predictor_ridge,
            "warnings": list(self.warnings),
            "notes": list(map(spelled, self.notes)),
            "reading": list(self.reading),
            "n_objects": self.n_objects,
            "n_judgments": self.n_judgments,
            "skipped": self.skipped,
            "label_mean": self.label_mean,
            "label_deviation": in_units(self.label_variance),
        }
        return {name: plain(value) for name, value in document.items()}


def answer_of(
    data: TrainingData,
    budget: float,
    *,
    method: str = AUTO,
    shrinkage: float | str = AUTO,
    plan_ridge: float = 0.0,
    costs: Any = None,
    max_repeats: Any = None,
    tame_predictor: bool = True,
    cv: int = 5,
    cv_repeats: int = 3,
    random_state: int | None = 0,
    mute: Collection[str] = (),
    error: bool = True,
    currency: str = "",
    new: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
    proof: Callable[[float, float, float], None] | None = None,
    executor: Executor | None = None,
    compared: Comparison | None = None,
    stop: bool = True,
    options: PreparationOptions | None = None,
) -> Answer:
    """Make the answer of a table that has been read, for one budget per object.

    Parameters
    ----------
    data : TrainingData
    tame_predictor : bool
        Whether the predictor may have a ridge.
    proof : callable, optional
        For a search that proves its plan; as ``progress`` of :func:`select`.
    compared : Comparison, optional
        Of the method in the same way, at this budget among others, where that is at hand.
    options : PreparationOptions, optional
        What may be done to judgments and moments (default: everything, with ``"auto"``).
    stop : bool
        Whether a failed check that stops a plan is an error. A study that judges are at work for goes on, and shows it.
    budget, method, shrinkage, plan_ridge, costs, max_repeats, cv, cv_repeats, random_state, mute, error, currency,
    new, time_limit, progress, executor
        As for :func:`answer`.
    """
    limit = as_budget(budget)
    if stop:
        raise_stops(data, mute=mute)  # before anything is computed
    options = PreparationOptions() if options is None else options
    tame = tame_predictor and takes_ridge(options.predictor)
    way: dict[str, Any] = {"shrinkage": shrinkage, "plan_ridge": plan_ridge, "tame_predictor": tame}
    terms: dict[str, Any] = {"costs": costs, "max_repeats": max_repeats}
    folds: dict[str, Any] = {"cv": cv, "cv_repeats": cv_repeats, "random_state": random_state}
    candidates(method, **way), read_currency(currency), as_new(new)
    note = ""
    if error and compared is None:
        more: dict[str, Any] = {"methods": [method], "progress": progress, "executor": executor}
        compared, note = compare_if_possible(data, [limit], **way, **terms, **folds, **more, options=options)
    choice = None if compared is None else compared.choice(method, compared.validation.budgets.index(limit))
    taken: Candidate | Choice = _first_of(method, shrinkage) if choice is None else choice
    # Without an error there is nothing by which anything could be decided: only what is asked for is done.
    asked = options.along_with(method if error else DEFAULT)
    prepared = prepare(data, asked, costs=costs) if compared is None else compared.prepared[method]
    moments = prepared.moments
    plan = select(
        moments,
        limit,
        method=taken.method,
        shrinkage=taken.shrinkage,
        plan_ridge=plan_ridge,
        time_limit=time_limit,
        progress=proof,
        **terms,
    )
    plan = plan.with_answers(data.answers).with_currency(currency).with_predictor_ridge(taken.predictor_ridge)
    plan = plan.with_preparation(prepared.preparation.document)
    if not error and AUTO in (method, shrinkage):
        note = f"Nothing was chosen by an error: the plan is that of {taken.method} with shrinkage {taken.shrinkage:g}."
    held_out = None if compared is None or choice is None else _held_out(choice, compared.baseline_loss, plan)
    return Answer(
        plan=plan,
        **_errors(held_out),
        in_sample_error=in_units(promised_loss(moments, plan, taken.predictor_ridge)),
        label_mean=moments.label_mean,
        label_variance=moments.label_variance,
        n_objects=data.n_objects,
        n_judgments=data.n_judgments,
        bill=bill_of(plan, data.lacking(plan), currency=currency, new=new),
        choice=choice if AUTO in (method, shrinkage) else None,
        predictor_ridge=taken.predictor_ridge,
        checks=run_checks(CheckedData.of(data, held_out=held_out), mute=mute),
        notes=tuple(line for line in (note, never_varying(plan, data), too_few_judges(plan, data)) if line),
        reading=data.reading_lines,
        skipped=data.skipped,
    )


def compare_if_possible(
    data: TrainingData, budgets: Sequence[float], *, cv: int = 5, **options: Any
) -> tuple[Comparison | None, str]:
    """Ways to plan compared on held-out objects; or None and the reason, where too few objects can be held out.

    Parameters
    ----------
    data : TrainingData
    budgets : sequence of float
    cv, **options
        As for :func:`compare`.
    """
    check_options(cv, options.get("cv_repeats", 1))
    as_costs(options.get("costs"), data.attributes), as_max_repeats(options.get("max_repeats"), data.attributes)
    instead = "The plan is that of Full without shrinkage." if AUTO in options.get("methods", (AUTO,)) else ""
    least = fewest_objects(cv)
    if data.n_objects < least:
        why = f"{plural(data.n_objects, 'labelled object')} are too few to hold any out; it takes {least} or more."
        return None, f"The error to expect was not estimated: {why} {instead}".rstrip()
    _ = data.moments  # what is wrong with all objects is said of all of them, not of a part
    try:
        return compare(data, budgets, cv=cv, **options), ""
    except MomentsError as error:
        return None, f"The error to expect was not estimated: {error} {instead}".rstrip()


def plan_shares(plan: Plan) -> pd.DataFrame:
    """The plan's table with each attribute's share of what is explained, the largest first."""
    frame = plan.to_frame()
    frame["share"] = frame["gain"] / plan.explained if plan.explained > 0 else 0.0
    return frame.iloc[np.argsort(-frame["gain"].to_numpy(), kind="stable")]


def _first_of(method: str, shrinkage: float | str) -> Candidate:
    """What is taken where nothing can be compared."""
    return Candidate(DEFAULT if method == AUTO else method, 0.0 if isinstance(shrinkage, str) else shrinkage)


def _held_out(choice: Choice, baseline_loss: float, plan: Plan) -> HeldOutError:
    return HeldOutError(choice.loss, choice.std_error, baseline_loss, len(plan.repeats))


def _errors(held_out: HeldOutError | None) -> dict[str, float | None]:
    """Squared errors as RMSE; what an unbiased estimate takes below zero is zero."""
    names = ("error", "low", "high", "baseline_error")
    if held_out is None:
        return dict.fromkeys(names)
    limits = loss_limits(held_out.loss, held_out.std_error)
    losses = (held_out.loss, *limits, held_out.baseline_loss)
    return dict(zip(names, map(in_units, losses), strict=True))


def _choice_document(choice: Choice) -> dict[str, Any]:
    """What was chosen and among what, with errors as RMSE."""
    taken = {"method": choice.method, "shrinkage": choice.shrinkage, "predictor_ridge": choice.predictor_ridge}
    considered = choice.to_frame()[[*taken, "error"]]
    more = {"predictor": choice.predictor, "trials": [trial.to_document() for trial in choice.trials]}
    return taken | more | {"considered": considered.to_dict(orient="records")}
