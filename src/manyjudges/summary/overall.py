"""The summary of a whole study, from which a report is made."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from manyjudges.cells import Floats
from manyjudges.exceptions import DataWarning, JudgmentsError
from manyjudges.judgments import Judgments
from manyjudges.moments import Moments
from manyjudges.plan import as_budget, as_costs
from manyjudges.predictor import Predictor, fit_predictor
from manyjudges.projection import AUTO, Choice, ErrorCurve, choose, projected_error
from manyjudges.search import select
from manyjudges.summary.answer import Answer
from manyjudges.summary.attributes import AttributeMap, NextJudgments, attribute_map, next_judgments
from manyjudges.summary.budgets import BudgetCurve, round_budgets, with_budget
from manyjudges.summary.heldout import IntervalCalibration, Residuals, held_out, interval_calibration
from manyjudges.summary.reliability import Reliability, reliability
from manyjudges.summary.result import Result
from manyjudges.summary.tables import overview
from manyjudges.validation import Progress

if TYPE_CHECKING:
    import pandas as pd

METHODS = ("scoring", "full")
"""The paper's two ways to plan, which are on every curve."""


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
    warnings : tuple of DataWarning
        What speaks against relying on it.
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
    warnings: tuple[DataWarning, ...] = ()

    @property
    def headline(self) -> str:
        """Title, answer and warnings."""
        return "\n".join([self.title, self.answer.sentence, *(f"warning: {each}" for each in self.warnings)])

    def to_frame(self) -> pd.DataFrame:
        """The answer's table: a row for each chosen attribute."""
        return self.answer.to_frame()


def summarize(
    judgments: Judgments,
    labels: Any,
    budget: float,
    *,
    costs: Any = None,
    method: str = AUTO,
    shrinkage: float | str = AUTO,
    budgets: Iterable[float] | None = None,
    most: Any = None,
    noiseless: Collection[str] = (),
    unmatched: str = "error",
    cv: int = 5,
    n_repeats: int = 3,
    random_state: int | None = 0,
    title: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Plan, predict and look at it from all sides.

    Parameters
    ----------
    judgments, labels, noiseless, unmatched
        As for :meth:`Moments.estimate`.
    budget : float
        The most that one object's judgments may cost.
    costs, most : mapping or array, optional
        As for :func:`select`.
    method : str
        As for :func:`select`, or ``"auto"`` for the one with the least error on held-out objects.
    shrinkage : float or "auto"
        See :meth:`Moments.regularized`. With ``"auto"``, the one with the least error on held-out objects, and along
        with it a ridge for the predictor.
    budgets : sequence of float, optional
        Where to look at the error, too; about a dozen up to 2.5 times the budget, if nobody says. ``budget`` is always
        among them.
    cv, n_repeats, random_state
        Of the folds; as for :func:`projected_error`.
    title : str, optional
    progress : callable, optional
        Called with how many steps are done and how many there are.

    Returns
    -------
    Summary
        Its ``warnings`` are not issued as Python warnings.

    Examples
    --------
    >>> from manyjudges import simulate
    >>> from manyjudges.summary import summarize
    >>> crowd = simulate.jelly_beans(n_objects=300, random_state=0)
    >>> study = summarize(crowd.pilot(2), crowd.labels, budget=8, budgets=[4, 8, 16], n_repeats=1)
    >>> study.answer.repeats, study.answer.attributes
    (array([6, 1, 1]), ('number of beans', 'round jar', 'monochromatic'))
    >>> study.answer.sentence.split(". ")[1]
    'Expect to be off by about 211 (183 to 235); without any judgments it would be 310.'
    """
    if not isinstance(judgments, Judgments):
        raise JudgmentsError(
            f"judgments must be a Judgments, not {type(judgments).__name__}; make one with from_frame or from_array."
        )
    matched, y = judgments.match(labels, unmatched=unmatched)
    limit, stage = as_budget(budget), _Stages(progress)
    moments = Moments.estimate(matched, y, noiseless=noiseless)
    prices = as_costs(costs, moments.attributes)
    limits = round_budgets(limit, prices) if budgets is None else with_budget(budgets, limit)
    terms: dict[str, Any] = {"costs": costs, "most": most}
    folds: dict[str, Any] = {"cv": cv, "random_state": random_state, "noiseless": noiseless}
    many: dict[str, Any] = {"n_repeats": n_repeats} | terms | folds
    # The same folds for both, so that what was chosen lies on the curve.
    choice = choose(matched, y, limit, method=method, shrinkage=shrinkage, progress=stage(0, 50), **many)
    curve = _curve(matched, y, limits, choice, progress=stage(50, 80), **many)
    plan = select(moments, limit, method=choice.method, shrinkage=choice.shrinkage, **terms)
    residuals = held_out(matched, y, plan, ridge=choice.predictor_ridge, progress=stage(80, 99), **folds)
    study = Summary(
        title=f"What to ask for {limit:,g} an object" if title is None else str(title),
        overview=overview(matched, moments),
        answer=Answer.of(plan, label_mean=moments.label_mean, loss=choice.loss, std_error=choice.std_error),
        curve=BudgetCurve.of(curve, choice, limit, moments, **terms),
        attribute_map=attribute_map(moments, plan),
        next_judgments=next_judgments(moments, plan),
        predictor=fit_predictor(
            plan, matched, y, moments=moments, ridge=choice.predictor_ridge, random_state=random_state
        ),
        residuals=residuals,
        calibration=interval_calibration(residuals),
        reliability=reliability(matched),
        warnings=curve.warnings,
    )
    stage(99, 100)(1, 1)
    return study


def _curve(judgments: Judgments, y: Floats, budgets: tuple[float, ...], choice: Choice, **options: Any) -> ErrorCurve:
    """The error curve, which carries its warnings and does not issue them."""
    methods = METHODS if choice.method in METHODS else (*METHODS, choice.method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return projected_error(judgments, y, budgets, methods=methods, shrinkage=choice.shrinkage, **options)


class _Stages:
    """One progress, in hundredths, of stages that each have their own."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress

    def __call__(self, start: int, end: int) -> Progress:
        def progress(done: int, total: int) -> None:
            if self._progress is not None:
                self._progress(start + (end - start) * done // max(total, 1), 100)

        return progress
