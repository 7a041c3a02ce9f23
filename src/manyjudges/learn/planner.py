"""Planners: from the judgments so far to a plan with its honest error, of a campaign and of a study."""

from __future__ import annotations

__all__ = ["AnsweringPlanner", "Planner"]

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from manyjudges.campaign import Outlook, Proposal
from manyjudges.core.budget import as_budget, as_costs
from manyjudges.core.plan import Plan
from manyjudges.core.search.registry import DEFAULT as FIRST
from manyjudges.exceptions import ManyJudgesError, MomentsError
from manyjudges.learn.answers import Answer, answer_of, compare_if_possible
from manyjudges.learn.budgets import round_budgets
from manyjudges.learn.choice import choose_from
from manyjudges.learn.comparison import AUTO, Choice
from manyjudges.learn.error_curve import ErrorCurve, curve_of
from manyjudges.learn.inference.cross_validation import Candidate, PlanCache
from manyjudges.learn.preparation.trials import PreparationOptions, prepare_judgments, with_predictor
from manyjudges.learn.training_data import TrainingData, match_training_data
from manyjudges.tables.judgments import Judgments

_Details = Callable[[Answer, ErrorCurve | None], dict[str, Any]]
"""From an answer and the error curve, where objects could be held out, to numbers that JSON can hold."""


class Planner:
    """From judgments to a plan with its honest error, by a method or by whichever has the least error.

    ``"auto"`` first follows Full as long as its plan changes: that is the one which counts on attributes turning out as
    well as they look, so that what it buys shows whether they do. Only when nothing is left to buy for it, a method and
    an amount of shrinkage are chosen by held-out error, with far better known moments than those of the pilot.

    ``max_repeats`` caps every attribute, besides the caps of the outlook.

    Attributes
    ----------
    choice : Choice
        How the last plan was made.
    """

    def __init__(
        self,
        labels: Any,
        budget: float,
        *,
        method: str,
        costs: dict[str, float],
        noiseless: Collection[str],
        random_state: int | None,
        max_repeats: int | None = None,
        options: PreparationOptions | None = None,
    ) -> None:
        self.choice: Choice | None = None
        self._labels, self._budget, self._method = labels, as_budget(budget), method
        self._costs, self._noiseless, self._random_state = costs, noiseless, random_state
        self._max_repeats = max_repeats
        self._options = (PreparationOptions() if options is None else options).along_with(method)

    def __call__(self, judgments: Judgments, outlook: Outlook) -> Proposal:
        """Plan, and say what error to expect; None where there are too few objects to hold any out."""
        data = self._prepared(judgments)
        terms = self._terms(data, outlook)
        # Every plan of this round comes from here: it is searched for once, however many ask for it.
        made = PlanCache(data.moments, [self._budget], **terms)
        method = self._method
        # Full counts on everything being as good as it looks, so what it buys is what corrects it.
        if method == AUTO and outlook.lacking(made.plan(Candidate(FIRST), self._budget)) > 0:
            method = FIRST  # its plan would still teach something
        else:
            data = with_predictor(data, self._options, costs=terms["costs"], random_state=self._random_state)
        try:
            choice = choose_from(
                data,
                self._budget,
                method=method,
                shrinkage=AUTO if method == AUTO else 0.0,
                # The ridge of the predictor is chosen when all is bought (``campaigns``): it is for few judgments, and
                # there will be more.
                tame_predictor=False,
                look_ahead=True,
                random_state=self._random_state,
                **terms,
            )
        except ManyJudgesError:  # too few objects, or too few judgments of some, to do without a part of them
            self.choice = None
            plan = made.plan(Candidate(FIRST if method == AUTO else method), self._budget)
            return Proposal(_with_preparation(plan, data))
        self.choice = choice
        plan = _with_preparation(made.plan(Candidate(choice.method, choice.shrinkage), self._budget), data)
        return Proposal(plan, choice.loss, choice.std_error, str(choice))

    def _prepared(self, judgments: Judgments) -> TrainingData:
        """The same as they are averaged."""
        data = self.training_data(judgments)
        costs = {name: self._costs[name] for name in data.attributes}
        return prepare_judgments(data, self._options, costs=costs, random_state=self._random_state)

    def training_data(self, judgments: Judgments) -> TrainingData:
        """The judgments that can be planned from, with their labels."""
        usable = judgments.only(self.estimable(judgments))
        noiseless = [name for name in self._noiseless if name in usable.attributes]
        return match_training_data(usable, self._labels, noiseless=noiseless)

    def estimable(self, judgments: Judgments) -> list[str]:
        """Attributes that have two judgments of some object; of the others nothing can be said."""
        highest = judgments.cells().count.max(axis=0)
        # VarEst needs k ≥ 2 (the paper's Alg. 1); without noise there is nothing to estimate by it.
        names = [
            name
            for name, n in zip(judgments.attributes, highest, strict=True)
            if n >= 2 or (n == 1 and name in self._noiseless)
        ]
        if not names:
            raise MomentsError("no attribute was judged twice on any object, so nothing can be planned.")
        return names

    def _terms(self, data: TrainingData, outlook: Outlook) -> dict[str, Any]:
        """Prices of the attributes that can be planned, and caps."""
        costs = {name: self._costs[name] for name in data.attributes}
        return {"costs": costs, "max_repeats": self._caps(data, outlook)}

    def _caps(self, data: TrainingData, outlook: Outlook) -> dict[str, int] | None:
        caps = {} if self._max_repeats is None else dict.fromkeys(self._costs, self._max_repeats)
        # The lower of two limits: what can still be had of an attribute, and what the user set.
        for name, cap in outlook.caps.items():
            caps[name] = min(cap, caps.get(name, cap))
        return {name: cap for name, cap in caps.items() if name in data.attributes} or None


def _with_preparation(plan: Plan, data: TrainingData) -> Plan:
    return plan.with_preparation(data.preparation.document)


class AnsweringPlanner(Planner):
    """The planner of a study: with each plan comes the answer, the same as :func:`answer` gives for these judgments.

    The answer is what a study has found out so far: the plan for new objects, by ``method`` with the shrinkage and the
    ridge that held-out objects choose. What the study asks next can be another plan: as long as that of the first
    search (the one named, Full for ``"auto"``) without shrinkage lacks judgments, it is followed, since these
    show whether attributes are as good as they look. In the end, the answer's own plan is.

    Parameters
    ----------
    labels, budget, method, costs, random_state, max_repeats
        As for :class:`Planner`.
    details : callable
        What to keep with a plan.
    mute : collection of str
        Codes of checks to leave out.
    new : int, optional
        New objects, for the bill.
    """

    def __init__(
        self,
        labels: Any,
        budget: float,
        *,
        method: str,
        costs: dict[str, float],
        random_state: int | None,
        details: _Details,
        max_repeats: int | None = None,
        mute: Collection[str] = (),
        new: int | None = None,
    ) -> None:
        own: dict[str, Any] = {"costs": costs, "random_state": random_state, "max_repeats": max_repeats}
        super().__init__(labels, budget, method=method, noiseless=(), **own)
        self._details, self._mute, self._new = details, mute, new

    def __call__(self, judgments: Judgments, outlook: Outlook) -> Proposal:
        """The plan to follow, with the answer and the error at other budgets among its details."""
        data = self.training_data(judgments)
        terms = self._terms(data, outlook)
        way: dict[str, Any] = {"random_state": self._random_state} | terms
        budgets = sorted({self._budget, *round_budgets(self._budget, as_costs(terms["costs"], data.attributes))})
        compared, _ = compare_if_possible(data, budgets, methods=[self._method], **way)
        answer = answer_of(
            data,
            self._budget,
            method=self._method,
            mute=self._mute,
            new=self._new,
            compared=compared,
            stop=False,  # judges are at work: what would stop a plan is shown with it
            **way,
        )
        # A study keeps numbers, whichever words its judges chose: new answers are read as numbers, too.
        answer = replace(answer, plan=answer.plan.with_answers({}))
        curve = None if compared is None else curve_of(data, compared)
        details = self._details(answer, curve)
        first = Candidate(FIRST if self._method == AUTO else self._method)
        if compared is None:
            self.choice = None
            return Proposal(answer.plan, details=details)
        # From the judgments as the answer averages them.
        own = compared.prepared[self._method]
        plan = _with_preparation(PlanCache(own.moments, [self._budget], **terms).plan(first, self._budget), own)
        at = budgets.index(self._budget)
        self.choice = choice = compared.choice(self._method, at)
        if plan.repeats == answer.plan.repeats or outlook.lacking(plan) == 0:
            return Proposal(answer.plan, choice.loss, choice.std_error, str(choice), details)
        loss, std_error = compared.losses(first, at)
        return Proposal(plan, loss, std_error, first.method, details)
