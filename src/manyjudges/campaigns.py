"""Running a campaign from the first judgment to the fitted model: plan, buy, plan again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from manyjudges.collection import Campaign, Judge, Proposal, Round, Status, drive
from manyjudges.diagnosis import concerns
from manyjudges.exceptions import DataWarning, JudgmentsError, PlanError, name_some, shown
from manyjudges.judgments import Judgments
from manyjudges.labels import match
from manyjudges.moments import Moments
from manyjudges.predictor import Predictor, fit_predictor
from manyjudges.projection import AUTO, Choice, choose
from manyjudges.search import search_named, select

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class CampaignResult:
    """What a campaign came to.

    Attributes
    ----------
    plan : Plan
        The last one, which stands unless money or judgments ran out.
    judgments : Judgments
        All that were bought.
    model : Predictor
        Fitted to them.
    spent : float
        What they cost.
    history : tuple of Round
        Each round's plan, spending and honest error.
    reason : str
        Why it ended.
    choice : Choice
        How the last plan was made, and the predictor.
    warnings : tuple of DataWarning
        What speaks against relying on it.
    campaign : Campaign
        With its status, and to save as JSON.
    """

    plan: Any
    judgments: Judgments
    model: Predictor
    spent: float
    history: tuple[Round, ...]
    reason: str
    choice: Choice
    warnings: tuple[DataWarning, ...]
    campaign: Campaign

    def to_frame(self) -> pd.DataFrame:
        """One row a round: what was asked and came, spending, the plan's cost and its honest error."""
        return self.campaign.to_frame()

    def __repr__(self) -> str:
        judgments = f"{len(self.judgments):,} judgments for {self.spent:,.10g}"
        return f"Campaign of {len(self.history)} rounds: {judgments}; {self.reason}\n  {self.plan!r}\n  {self.model!r}"


class Planner:
    """From judgments to a plan with its honest error, by a method or by whichever has the least error.

    ``"auto"`` first follows Full as long as its plan changes: that is the one which counts on attributes turning out as
    well as they look, so that what it buys shows whether they do. Only when nothing is left to buy for it, a method and
    an amount of shrinkage are chosen by held-out error, with far better known moments than those of the pilot.

    Attributes
    ----------
    campaign : Campaign, optional
        Whose caps to plan within, and who knows what can still be had.
    choice : Choice
        How the last plan was made.
    """

    def __init__(
        self, labels: Any, budget: float, *, method: str, costs: Any, noiseless: Collection[str], random_state: Any
    ) -> None:
        self.campaign: Campaign | None = None
        self.choice: Choice | None = None
        self._labels, self._budget, self._method = labels, budget, method
        self._costs, self._noiseless, self._random_state = costs, noiseless, random_state

    def __call__(self, judgments: Judgments) -> Proposal:
        """Plan, and say what error to expect."""
        caps = None if self.campaign is None else self.campaign.caps or None
        moments = Moments.estimate(judgments, self._labels, noiseless=self._noiseless)
        method = self._method
        if method == AUTO and self._explores(moments, caps):
            method = "full"
        self.choice = choice = choose(
            judgments,
            self._labels,
            self._budget,
            method=method,
            shrinkage=AUTO if method == AUTO else 0.0,
            costs=self._costs,
            most=caps,
            tame_predictor=False,
            look_ahead=True,
            noiseless=self._noiseless,
            random_state=self._random_state,
        )
        plan = select(
            moments,
            self._budget,
            method=choice.method,
            shrinkage=choice.shrinkage,
            costs=self._costs,
            most=caps,
        )
        return Proposal(plan, choice.loss, choice.std_error, str(choice))

    def _explores(self, moments: Moments, caps: dict[str, int] | None) -> bool:
        """Whether Full's plan would still teach something."""
        if self.campaign is None:
            return False
        return self.campaign.lacking(select(moments, self._budget, costs=self._costs, most=caps)) > 0


def run_campaign(
    judge: Judge,
    objects: Iterable[Any],
    labels: Any,
    *,
    attributes: Iterable[str],
    budget: float,
    pilot: int = 2,
    costs: Any = None,
    method: str = AUTO,
    spending_limit: float | None = None,
    random_state: int | None = None,
    noiseless: Collection[str] = (),
    progress: Callable[[Status], object] | None = None,
) -> CampaignResult:
    """Collect judgments of labelled objects with any judge: a pilot, a plan, what it misses, a better plan, and so on.

    Parameters
    ----------
    judge : callable
        From requests (a frame of ``object``, ``attribute``, ``count``) to judgments (a frame of ``object``,
        ``attribute``, ``worker`` if known, ``value``): a simulated crowd's ``judge``, a :class:`RecordedJudge`, or a
        function of yours. What it leaves out cannot be had, and is not asked for again.
    objects : sequence
        Names of the training objects.
    labels : Series, mapping or array
        By object, or an array in the order of ``objects``.
    attributes : sequence of str
        The candidates.
    budget : float
        The most that one object's judgments may cost under the plan.
    pilot : int
        Judgments of every attribute of every object to begin with, 2 or more.
    costs : mapping or array, optional
        As for :func:`select`.
    method : str
        As for :func:`select`; or ``"auto"``: Full until its plan stands, then the method and the shrinkage that promise
        the least error on held-out objects (:func:`choose`, looking ahead), and in the end a ridge for the predictor.
    spending_limit : float, optional
        The most that all training judgments may cost, pilot included.
    random_state : int, optional
        Of the folds by which errors are estimated.
    noiseless : collection of str
        As for :meth:`Moments.estimate`.
    progress : callable, optional
        Called with the campaign's status after each round.

    Examples
    --------
    >>> from manyjudges import run_campaign, simulate
    >>> crowd = simulate.jelly_beans(n_objects=200, random_state=0)
    >>> result = run_campaign(
    ...     crowd.judge, crowd.objects, crowd.labels, attributes=crowd.attributes, budget=12, random_state=0
    ... )
    >>> result.plan.cost, result.reason
    (12.0, 'the plan stands')
    >>> len(result.history) > 1 and result.spent == len(result.judgments)
    True
    """
    if not callable(judge):
        raise PlanError(f"the judge must be a function from requests to judgments, not {shown(judge)}.")
    if method != AUTO:
        search_named(method)
    if isinstance(pilot, int) and pilot < 2:
        raise PlanError(f"pilot={pilot}: how noisy an attribute is shows in two judgments of an object or more.")
    names, attributes = list(objects), list(attributes)
    if unknown := sorted(set(noiseless) - set(attributes)):
        raise PlanError(f"noiseless names {name_some(unknown)}, which is no attribute here.")
    _, y = match(labels, np.array(names, dtype=object))
    planner = Planner(y, budget, method=method, costs=costs, noiseless=noiseless, random_state=random_state)
    terms = {"attributes": attributes, "budget": budget, "pilot": pilot, "costs": costs}
    campaign = Campaign(planner, names, **terms, spending_limit=spending_limit)
    planner.campaign = campaign
    drive(campaign, judge, progress=progress)
    judgments, plan, choice = campaign.judgments, campaign.plan, planner.choice
    if judgments is None or plan is None or choice is None:
        raise JudgmentsError("the judge gave no judgments at all, so there is nothing to plan from.")
    model = fit_predictor(plan, judgments, y, ridge=AUTO if method == AUTO else 0.0, noiseless=noiseless)
    warned = concerns(Moments.estimate(judgments, y, noiseless=noiseless), judgments)
    return CampaignResult(
        plan, judgments, model, campaign.spent, campaign.history, campaign.reason, choice, warned, campaign
    )
