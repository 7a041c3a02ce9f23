"""The summary of a whole study, from which a report is made."""

from __future__ import annotations

__all__ = ["Summary", "summarize", "summarize_data"]

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from manyjudges.base.progress import Progress
from manyjudges.base.results import Result, plain
from manyjudges.exceptions import DataWarning
from manyjudges.judges.icc import Reliability, reliability
from manyjudges.learn.answering import settle
from manyjudges.learn.answers import Answer, answer_of
from manyjudges.learn.budgets import BudgetCurve, budgets_around, compare_over
from manyjudges.learn.checks.registry import as_codes, raise_stops
from manyjudges.learn.checks.results import CheckResults
from manyjudges.learn.comparison import AUTO
from manyjudges.learn.costs.terms import Terms
from manyjudges.learn.fitting import fit
from manyjudges.learn.predictor import Predictor
from manyjudges.learn.preparation.preparation import Preparation
from manyjudges.learn.preparation.trials import PreparationOptions
from manyjudges.learn.training_data import TrainingData, load_training_data
from manyjudges.scan.options import ScanOptions
from manyjudges.summary.attributes import AttributeMap, NextJudgments, attribute_map, next_judgments
from manyjudges.summary.plain import overview
from manyjudges.summary.residuals import IntervalCalibration, Residuals, interval_calibration, residuals_of
from manyjudges.tables.reading.options import ReadKeywords

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Result):
    """All there is to show of a study. Made by :func:`summarize`.

    Attributes
    ----------
    title : str
    overview : dict
        What there is; see :func:`overview`.
    answer : Answer
    curve : BudgetCurve
    attribute_map : AttributeMap
    next_judgments : NextJudgments
    predictor : Predictor
    residuals : Residuals
    calibration : IntervalCalibration
    reliability : Reliability
    settings : dict
        How errors were estimated: ``cv``, ``cv_repeats`` and ``random_state``.
    """

    FORMAT: ClassVar[str] = "manyjudges.summary/1"

    title: str
    overview: dict[str, Any]
    answer: Answer
    curve: BudgetCurve
    attribute_map: AttributeMap
    next_judgments: NextJudgments
    predictor: Predictor
    residuals: Residuals
    calibration: IntervalCalibration
    reliability: Reliability
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def checks(self) -> CheckResults:
        """What was checked, and what came of it; its failures are the summary's ``warnings``."""
        return self.answer.checks

    @property
    def warnings(self) -> tuple[DataWarning, ...]:
        """What speaks against relying on it: the checks that failed, the most severe first."""
        return self.answer.warnings

    @property
    def headline(self) -> str:
        """Title, answer and warnings."""
        return "\n".join([self.title, self.answer.sentence, *(f"warning: {warning}" for warning in self.warnings)])

    def to_frame(self) -> pd.DataFrame:
        """The answer's table: a row for each chosen attribute."""
        return self.answer.to_frame()

    def to_document(self) -> dict[str, Any]:
        """The numbers as plain lists, numbers and strings; ``warnings`` are among them."""
        return super().to_document() | {"checks": plain(self.checks), "warnings": plain(self.warnings)}


def summarize(
    judgments: Any,
    labels: Any,
    budget: float | str | None = None,
    *,
    total: float | str | None = None,
    new: int | None = None,
    price: float | str | None = None,
    costs: Any = None,
    currency: str = "",
    method: str = AUTO,
    shrinkage: float | str = AUTO,
    budgets: float | Iterable[float] | None = None,
    max_repeats: Any = None,
    recorded: bool = False,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    cv: int = 5,
    cv_repeats: int = 3,
    random_state: int | None = 0,
    title: str | None = None,
    progress: Progress | None = None,
    rescale: str = AUTO,
    worker_effects: str = AUTO,
    joint_moments: bool | str = AUTO,
    predictor: str = AUTO,
    mute: Collection[str] = (),
    **reading: Unpack[ReadKeywords],
) -> Summary:
    """Plan, predict and look at it from all sides.

    Parameters
    ----------
    judgments, labels, noiseless, unmatched, **reading
        As for :func:`answer`.
    budget, total, new, price, costs, currency, max_repeats, recorded
        As for :func:`answer`.
    method : str
        As for :func:`select`, or ``"auto"`` for the one with the least error on held-out objects.
    shrinkage : float or "auto"
        See :meth:`Moments.regularized`. With ``"auto"``, the one with the least error on held-out objects, and along
        with it a ridge for the predictor.
    budgets : float or sequence of float, optional
        Where to look at the error, too; about a dozen up to 2.5 times the budget, if nobody says. ``budget`` is always
        among them.
    rescale, worker_effects, joint_moments, predictor
        As for :func:`answer`.
    cv, cv_repeats, random_state
        Of the folds; as for :func:`projected_error`.
    title : str, optional
    progress : callable, optional
        Called with how many steps are done and how many there are.
    mute : collection of str
        Codes of checks to leave out, such as ``("MJ103",)``; see :func:`check_data`.

    Returns
    -------
    Summary
        Its ``warnings`` are not issued as Python warnings.

    Examples
    --------
    >>> from manyjudges import simulate
    >>> from manyjudges.summary import summarize
    >>> crowd = simulate.jelly_beans(n_objects=300, random_state=0)
    >>> study = summarize(crowd.pilot(2), crowd.labels, budget=8, budgets=[4, 8, 16], cv_repeats=1)
    >>> study.answer.repeats, study.answer.attributes
    (array([6, 1, 1]), ('number of beans', 'round jar', 'monochromatic'))
    >>> study.answer.sentence.split(". ")[1]
    'Expect to be off by about 212 (186 to 241); guessing the mean would be off by 311.'
    """
    as_codes(mute)  # before a table is matched
    terms = Terms.of(budget, total=total, new=new, price=price, costs=costs, currency=currency)
    prepared = PreparationOptions(rescale, worker_effects, joint_moments, predictor)
    options = ScanOptions.of(unmatched=unmatched, **reading)
    data = load_training_data(judgments, labels, options, noiseless=noiseless, whole=True)
    return summarize_data(
        data,
        terms,
        method=method,
        shrinkage=shrinkage,
        budgets=budgets,
        max_repeats=max_repeats,
        recorded=recorded,
        cv=cv,
        cv_repeats=cv_repeats,
        random_state=random_state,
        title=title,
        progress=progress,
        mute=mute,
        options=prepared,
    )


def summarize_data(
    data: TrainingData,
    terms: Terms,
    *,
    method: str = AUTO,
    shrinkage: float | str = AUTO,
    budgets: float | Iterable[float] | None = None,
    max_repeats: Any = None,
    recorded: bool = False,
    cv: int = 5,
    cv_repeats: int = 3,
    random_state: int | None = 0,
    title: str | None = None,
    progress: Progress | None = None,
    mute: Collection[str] = (),
    options: PreparationOptions | None = None,
) -> Summary:
    """:func:`summarize` a table that has been read and matched."""
    as_codes(mute)
    stage = _Stages(progress)
    settings: dict[str, Any] = {"cv": cv, "cv_repeats": cv_repeats, "random_state": random_state}
    raise_stops(data, mute=mute)  # before anything is computed
    way: dict[str, Any] = {"method": method, "shrinkage": shrinkage, "options": options}
    settled = settle(data, terms, max_repeats=max_repeats, recorded=recorded, mute=mute, **way, **settings)
    limit, way = settled.budget, way | settled.options
    limits = budgets_around(limit, budgets, way["costs"])
    tried = {name: value for name, value in way.items() if name not in ("currency", "new")}
    compared, curve = compare_over(data, limits, **tried, **settings, progress=stage(0, 80))
    answer = answer_of(data, limit, **way, **settings, mute=mute, compared=compared)
    answer = replace(answer, notes=(*settled.notes, *answer.notes))
    plan, ridge, seed = answer.plan, answer.predictor_ridge, random_state
    prepared = data.prepared(Preparation.from_document(plan.preparation))
    moments = prepared.moments
    residuals = residuals_of(plan, data, predictor_ridge=ridge, cv=cv, random_state=seed, progress=stage(80, 99))
    study = Summary(
        title=f"What to ask for {plan.money(limit)} an object" if title is None else str(title),
        overview=overview(data, data.moments),
        answer=answer,
        curve=BudgetCurve.of(curve, way["method"], limit),
        attribute_map=attribute_map(moments, plan),
        next_judgments=next_judgments(moments, plan),
        predictor=fit(plan, prepared, moments=moments, predictor_ridge=ridge, random_state=seed),
        residuals=residuals,
        calibration=interval_calibration(residuals),
        reliability=reliability(data.in_memory),
        settings=settings,
    )
    stage(99, 100)(1, 1)
    return study


class _Stages:
    """One progress, in hundredths, of stages that each have their own."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress

    def __call__(self, start: int, end: int) -> Progress:
        def progress(done: int, total: int) -> None:
            if self._progress is not None:
                self._progress(start + (end - start) * done // max(total, 1), 100)

        return progress
