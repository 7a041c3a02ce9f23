"""The planner of a campaign: from the judgments so far to a plan with its honest error."""

from __future__ import annotations

__all__ = ["Planner"]

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

from manyjudges.campaign import Outlook, Proposal
from manyjudges.core.budget import as_budget
from manyjudges.core.plan import Plan
from manyjudges.core.search.registry import DEFAULT as FIRST
from manyjudges.exceptions import ManyJudgesError, MomentsError
from manyjudges.learn.choice import choose_with_curve
from manyjudges.learn.comparison import AUTO, Choice
from manyjudges.learn.error_curve import ErrorCurve
from manyjudges.learn.inference.cross_validation import Candidate, PlanCache
from manyjudges.learn.training_data import TrainingData, match_training_data
from manyjudges.tables.judgments import Judgments

_Budgets = Callable[[tuple[str, ...], dict[str, float]], Iterable[float]]
"""From attributes and their costs to budgets."""

_Details = Callable[[TrainingData, Plan, ErrorCurve | None], dict[str, Any]]
"""From a plan and the error curve, if any object could be held out, to numbers that JSON can hold."""


class Planner:
    """From judgments to a plan with its honest error, by a method or by whichever has the least error.

    ``"auto"`` first follows Full as long as its plan changes: that is the one which counts on attributes turning out as
    well as they look, so that what it buys shows whether they do. Only when nothing is left to buy for it, a method and
    an amount of shrinkage are chosen by held-out error, with far better known moments than those of the pilot.

    ``max_repeats`` caps every attribute, besides the caps of the outlook. ``budgets`` are more budgets at which the
    error is estimated, and ``details`` are numbers to show with a proposal.

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
        budgets: _Budgets | None = None,
        details: _Details | None = None,
    ) -> None:
        self.choice: Choice | None = None
        self._labels, self._budget, self._method = labels, budget, method
        self._costs, self._noiseless, self._random_state = costs, noiseless, random_state
        self._max_repeats, self._budgets, self._details = max_repeats, budgets, details

    def __call__(self, judgments: Judgments, outlook: Outlook) -> Proposal:
        """Plan, and say what error to expect; None where there are too few objects to hold any out."""
        data = self.training_data(judgments)
        costs = {name: self._costs[name] for name in data.attributes}
        more_budgets = () if self._budgets is None else self._budgets(data.attributes, costs)
        budgets = sorted({as_budget(self._budget), *more_budgets})
        # Every plan of this round comes from here: it is searched for once, however many ask for it.
        made = PlanCache(data.moments, budgets, costs, self._caps(data, outlook))
        proposal, curve = self._proposed(data, outlook, made)
        if self._details is None:
            return proposal
        return replace(proposal, details=self._details(data, proposal.plan, curve))

    def training_data(self, judgments: Judgments) -> TrainingData:
        """The judgments that can be planned from, with their labels."""
        usable = judgments.only(self.estimable(judgments))
        noiseless = [name for name in self._noiseless if name in usable.attributes]
        return match_training_data(usable, self._labels, noiseless=noiseless)

    def _proposed(self, data: TrainingData, outlook: Outlook, made: PlanCache) -> tuple[Proposal, ErrorCurve | None]:
        """A plan with its honest error, and the curve that both lie on; None where no object can be held out."""
        method, budget = self._method, as_budget(self._budget)
        # Full counts on everything being as good as it looks, so what it buys is what corrects it.
        if method == AUTO and outlook.lacking(made.plan(Candidate(FIRST), budget)) > 0:
            method = FIRST  # its plan would still teach something
        try:
            choice, curve = choose_with_curve(
                data,
                budget,
                made,
                method=method,
                shrinkage=AUTO if method == AUTO else 0.0,
                # The ridge of the predictor is chosen when all is bought (``campaigns``): it is for few judgments, and
                # there will be more.
                tame_predictor=False,
                look_ahead=True,
                random_state=self._random_state,
            )
        except ManyJudgesError:  # too few objects, or too few judgments of some, to do without a part of them
            self.choice = None
            return Proposal(made.plan(Candidate(FIRST if method == AUTO else method), budget)), None
        self.choice = choice
        plan = made.plan(Candidate(choice.method, choice.shrinkage), budget)
        return Proposal(plan, choice.loss, choice.std_error, str(choice)), curve

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

    def _caps(self, data: TrainingData, outlook: Outlook) -> dict[str, int] | None:
        caps = {} if self._max_repeats is None else dict.fromkeys(self._costs, self._max_repeats)
        # The lower of two limits: what can still be had of an attribute, and what the user set.
        for name, cap in outlook.caps.items():
            caps[name] = min(cap, caps.get(name, cap))
        return {name: cap for name, cap in caps.items() if name in data.attributes} or None
