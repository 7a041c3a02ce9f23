"""Running a campaign from the first judgment to the fitted model: plan, buy, plan again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from manyjudges.base.messages import list_names, quote_value
from manyjudges.base.seeds import generator
from manyjudges.campaign import Campaign, Judge, Outlook, Proposal, Round, Status, drive
from manyjudges.core.moments import Moments
from manyjudges.core.plan import Plan, as_costs
from manyjudges.core.search.registry import search_named, select
from manyjudges.exceptions import DataWarning, JudgmentsError, LabelsError, ManyJudgesError, MomentsError, PlanError
from manyjudges.learn.checks.registry import as_codes, check_data
from manyjudges.learn.error_curve import AUTO, Choice, choose
from manyjudges.learn.predictor import Predictor, fit_predictor
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.labels import match

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
    choice : Choice, optional
        How the last plan was made; None where there were too few objects to hold any out.
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
    choice: Choice | None
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
    ) -> None:
        self.choice: Choice | None = None
        self._labels, self._budget, self._method = labels, budget, method
        self._costs, self._noiseless, self._random_state = costs, noiseless, random_state
        self._max_repeats = max_repeats

    def __call__(self, judgments: Judgments, outlook: Outlook) -> Proposal:
        """Plan, and say what error to expect; None where there are too few objects to hold any out."""
        usable = judgments.only(self.estimable(judgments))
        noiseless = [name for name in self._noiseless if name in usable.attributes]
        moments = Moments.estimate(usable, self._labels, noiseless=noiseless)
        terms: dict[str, Any] = {"costs": self._of(self._costs, usable), "max_repeats": self._caps(usable, outlook)}
        proposal = self._proposed(usable, moments, noiseless, outlook, terms)
        return replace(proposal, details=self._details(usable, moments, proposal.plan, terms))

    def _proposed(
        self, usable: Judgments, moments: Moments, noiseless: list[str], outlook: Outlook, terms: dict[str, Any]
    ) -> Proposal:
        method = self._method
        if method == AUTO and outlook.lacking(select(moments, self._budget, **terms)) > 0:
            method = "full"  # its plan would still teach something
        try:
            self.choice = choose(
                usable,
                self._labels,
                self._budget,
                method=method,
                shrinkage=AUTO if method == AUTO else 0.0,
                tame_predictor=False,
                look_ahead=True,
                noiseless=noiseless,
                random_state=self._random_state,
                **terms,
            )
        except ManyJudgesError:  # too few objects, or too few judgments of some, to do without a part of them
            self.choice = None
            return Proposal(select(moments, self._budget, method="full" if method == AUTO else method, **terms))
        way: dict[str, Any] = {"method": self.choice.method, "shrinkage": self.choice.shrinkage}
        plan = select(moments, self._budget, **way, **terms)
        return Proposal(plan, self.choice.loss, self.choice.std_error, str(self.choice))

    def estimable(self, judgments: Judgments) -> list[str]:
        """Attributes that have two judgments of some object; of the others nothing can be said."""
        most = judgments.cells().count.max(axis=0)
        known = [
            name
            for name, n in zip(judgments.attributes, most, strict=True)
            if n >= 2 or (n == 1 and name in self._noiseless)
        ]
        if not known:
            raise MomentsError("no attribute was judged twice on any object, so nothing can be planned.")
        return known

    def _details(self, usable: Judgments, moments: Moments, plan: Plan, terms: dict[str, Any]) -> dict[str, Any] | None:
        """Numbers to show with the plan, where somebody shows them."""
        return None

    def _caps(self, judgments: Judgments, outlook: Outlook) -> dict[str, int] | None:
        caps = {} if self._max_repeats is None else dict.fromkeys(self._costs, self._max_repeats)
        for name, cap in outlook.caps.items():
            caps[name] = min(cap, caps.get(name, cap))
        return {name: cap for name, cap in caps.items() if name in judgments.attributes} or None

    def _of(self, costs: dict[str, float], judgments: Judgments) -> dict[str, float]:
        return {name: costs[name] for name in judgments.attributes}


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
    resume: str | bytes | None = None,
    mute: Collection[str] = (),
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
    resume : str, optional
        A campaign that was saved (``campaign.to_json()``), to go on with. Whatever stops a campaign, an error of the
        judge or Ctrl-C, carries it as the attribute ``campaign``, with all that was bought.
    mute : collection of str
        Codes of checks to leave out of the result's ``warnings``; see :func:`check_data`.

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
        raise PlanError(f"the judge must be a function from requests to judgments, not {quote_value(judge)}.")
    if method != AUTO:
        search_named(method, AUTO)
    if isinstance(pilot, int) and pilot < 2:
        raise PlanError(f"pilot={pilot}: how noisy an attribute is shows in two judgments of an object or more.")
    generator(random_state)  # said before anything is bought
    as_codes(mute)
    names, candidates = _names(objects, "objects"), [str(name) for name in _names(attributes, "attributes")]
    if unknown := sorted(set(_names(noiseless, "noiseless")) - set(candidates)):
        raise PlanError(f"noiseless names {list_names(unknown)}, which is no attribute here.")
    y = _labels_of(names, labels)
    prices = dict(zip(candidates, as_costs(costs, tuple(candidates)).tolist(), strict=True))
    planner = Planner(y, budget, method=method, costs=prices, noiseless=noiseless, random_state=random_state)
    terms: dict[str, Any] = {"attributes": candidates, "budget": budget, "pilot": pilot, "costs": prices}
    campaign = Campaign(planner, names, **terms, spending_limit=spending_limit)
    if resume is not None:
        campaign = _resumed(Campaign.from_json(resume, planner), campaign)
    try:
        drive(campaign, judge, progress=progress)
        return _result(campaign, planner, y, AUTO if method == AUTO else 0.0, noiseless, mute)
    except (Exception, KeyboardInterrupt) as error:
        error.campaign = campaign  # type: ignore[union-attr]  # or what was bought would be lost
        error.add_note("What was bought is kept: save error.campaign.to_json(), and go on with resume=.")
        raise


def _result(
    campaign: Campaign, planner: Planner, y: Any, ridge: float | str, noiseless: Collection[str], mute: Collection[str]
) -> CampaignResult:
    judgments, plan = campaign.judgments, campaign.plan
    if judgments is None or plan is None:
        raise JudgmentsError("the judge gave no judgments at all, so there is nothing to plan from.")
    if planner.choice is None and campaign.done:
        planner(judgments, campaign.outlook)  # resumed when it was done already
    usable = judgments.only(planner.estimable(judgments))
    exact = [name for name in noiseless if name in usable.attributes]
    moments = Moments.estimate(usable, y, noiseless=exact)
    return CampaignResult(
        plan=plan,
        judgments=judgments,
        model=fit_predictor(plan, usable, y, predictor_ridge=ridge, noiseless=exact),
        spent=campaign.spent,
        history=campaign.history,
        reason=campaign.reason,
        choice=planner.choice,
        warnings=check_data(moments, usable, mute=mute).warnings,
        campaign=campaign,
    )


def _resumed(saved: Campaign, asked: Campaign) -> Campaign:
    """A saved campaign, if it is of the same objects, attributes and terms."""
    for what in ("attributes", "budget", "costs", "pilot"):
        if getattr(saved, what) != getattr(asked, what):
            raise PlanError(f"the saved campaign has other {what} than those given; resume it with its own.")
    if list(saved.objects) != list(asked.objects):
        raise PlanError("the saved campaign has other objects than those given; resume it with its own.")
    return saved


def _names(names: Any, what: str) -> list[Any]:
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise PlanError(f"{what} must be a list of names, not {quote_value(names)}.")
    return list(names)


def _labels_of(names: list[Any], labels: Any) -> Any:
    """The label of each object, from labels that may be of others, too."""
    if not names:
        raise PlanError("there are no objects to judge; name some.")
    objects = np.array(names, dtype=object)
    found, y = match(labels, objects, unmatched="drop")
    if len(found) < len(names):
        lacking = np.delete(objects, found)
        raise LabelsError(f"{len(lacking):,} of {len(names):,} objects have no label: {list_names(lacking)}.")
    return y
