"""Running a campaign from the first judgment to the fitted model: plan, buy, plan again."""

from __future__ import annotations

__all__ = ["CampaignResult", "run_campaign"]

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from manyjudges.base.formatting import in_units
from manyjudges.base.messages import list_names, quote_value
from manyjudges.base.results import loss_limits
from manyjudges.base.seeds import generator
from manyjudges.campaign import Campaign, Judge, Round, Status, drive
from manyjudges.core.budget import as_costs
from manyjudges.exceptions import DataWarning, JudgmentsError, PlanError
from manyjudges.learn.checks.registry import as_codes, check_data
from manyjudges.learn.comparison import AUTO, Choice, check_method
from manyjudges.learn.fitting import fit
from manyjudges.learn.inference.fixed_plan import error_of_plan
from manyjudges.learn.planner import Planner
from manyjudges.learn.predictor import Predictor
from manyjudges.learn.preparation.preparation import Preparation
from manyjudges.learn.preparation.trials import PreparationOptions
from manyjudges.learn.training_data import match_labels
from manyjudges.tables.judgments import Judgments

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
    error, error_low, error_high : float, optional
        RMSE to expect on new objects that are judged as planned, with its 95 % limits. From held-out objects, the plan
        held fixed; None where there were too few.
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
    error: float | None = None
    error_low: float | None = None
    error_high: float | None = None

    def to_frame(self) -> pd.DataFrame:
        """One row a round: what was asked and came, spending, the plan's cost and its honest error."""
        return self.campaign.to_frame()

    def __repr__(self) -> str:
        judgments = f"{len(self.judgments):,} judgments for {self.spent:,.10g}"
        return f"Campaign of {len(self.history)} rounds: {judgments}; {self.reason}\n  {self.plan!r}\n  {self.model!r}"


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
    random_state: int | None = 0,
    noiseless: Collection[str] = (),
    progress: Callable[[Status], object] | None = None,
    resume: str | bytes | None = None,
    mute: Collection[str] = (),
    rescale: str = AUTO,
    worker_effects: str = AUTO,
    joint_moments: bool | str = AUTO,
    predictor: str = AUTO,
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
    labels : Series, mapping, array or path
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
        Of the folds by which errors are estimated (default: 0).
    noiseless : collection of str
        As for :meth:`Moments.estimate`.
    progress : callable, optional
        Called with the campaign's status after each round.
    resume : str, optional
        A campaign that was saved (``campaign.to_json()``), to go on with. Whatever stops a campaign, an error of the
        judge or Ctrl-C, carries it as the attribute ``campaign``, with all that was bought.
    mute : collection of str
        Codes of checks to leave out of the result's ``warnings``; see :func:`check_data`.
    rescale, worker_effects, joint_moments, predictor
        As for :func:`answer`.

    Examples
    --------
    >>> from manyjudges import run_campaign, simulate
    >>> crowd = simulate.jelly_beans(n_objects=200, random_state=0)
    >>> result = run_campaign(
    ...     crowd.judge, crowd.objects, crowd.labels, attributes=crowd.attributes, budget=12
    ... )
    >>> result.plan.cost, result.reason
    (12.0, 'the plan stands')
    >>> len(result.history) > 1 and result.spent == len(result.judgments)
    True
    """
    if not callable(judge):
        raise PlanError(
            f"the judge must be a function from requests to judgments, not {quote_value(judge)}.",
            value=judge,
            column="judge",
        )
    check_method(method)
    if isinstance(pilot, int) and pilot < 2:
        raise PlanError(
            f"pilot={pilot}: how noisy an attribute is shows in two judgments of an object or more.",
            value=pilot,
            column="pilot",
        )
    generator(random_state)  # said before anything is bought
    as_codes(mute)
    names, candidates = _names(objects, "objects"), [str(name) for name in _names(attributes, "attributes")]
    if unknown := sorted(set(_names(noiseless, "noiseless")) - set(candidates)):
        raise PlanError(
            f"noiseless names {list_names(unknown)}, which is no attribute here.", value=unknown[0], column="noiseless"
        )
    y = _labels_of(names, labels)
    prices = dict(zip(candidates, as_costs(costs, tuple(candidates)).tolist(), strict=True))
    options = PreparationOptions(rescale, worker_effects, joint_moments, predictor)
    way: dict[str, Any] = {"method": method, "options": options, "random_state": random_state}
    planner = Planner(y, budget, costs=prices, noiseless=noiseless, **way)
    settings: dict[str, Any] = {"attributes": candidates, "budget": budget, "pilot": pilot, "costs": prices}
    campaign = Campaign(planner, names, **settings, spending_limit=spending_limit)
    if resume is not None:
        campaign = _resumed(Campaign.from_json(resume, planner), campaign)
    try:
        if campaign.done and campaign.judgments is not None:  # it was saved so: how its plan was made was not
            planner(campaign.judgments, campaign.outlook)
        drive(campaign, judge, progress=progress)
        return _result(campaign, planner, predictor, AUTO if method == AUTO else 0.0, mute)
    except (Exception, KeyboardInterrupt) as error:
        error.campaign = campaign  # type: ignore[union-attr]  # or what was bought would be lost
        error.add_note("What was bought is kept: save error.campaign.to_json(), and go on with resume=.")
        raise


def _result(
    campaign: Campaign, planner: Planner, predictor: str, ridge: float | str, mute: Collection[str]
) -> CampaignResult:
    judgments, plan = campaign.judgments, campaign.plan
    if judgments is None or plan is None:
        raise JudgmentsError("the judge gave no judgments at all, so there is nothing to plan from.", column="judge")
    # From all that was bought, the pilot included: the paper's step 4 fits to r judgments, best linear weighs them all.
    data = planner.training_data(judgments)  # fit prepares it, as the plan says
    model = fit(plan, data, predictor=predictor, predictor_ridge=ridge)
    prepared = data.prepared(Preparation.from_document(plan.preparation))
    expected = error_of_plan(plan, prepared, ridge=model.ridge)
    limits: tuple[float, ...] = ()
    if expected is not None:
        limits = tuple(map(in_units, (expected[0], *loss_limits(*expected))))
    return CampaignResult(
        plan,
        judgments,
        model,
        campaign.spent,
        campaign.history,
        campaign.reason,
        planner.choice,
        check_data(data, mute=mute).warnings,
        campaign,
        *limits,
    )


def _resumed(saved: Campaign, asked: Campaign) -> Campaign:
    """A saved campaign, if it is of the same objects, attributes and terms."""
    for what in ("attributes", "budget", "costs", "pilot"):
        if getattr(saved, what) != getattr(asked, what):
            raise PlanError(
                f"the saved campaign has other {what} than those given; resume it with its own.",
                value=getattr(saved, what),
                column=what,
            )
    if list(saved.objects) != list(asked.objects):
        raise PlanError(
            "the saved campaign has other objects than those given; resume it with its own.",
            column="objects",
        )
    return saved


def _names(names: Any, what: str) -> list[Any]:
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise PlanError(f"{what} must be a list of names, not {quote_value(names)}.", value=names, column=what)
    return list(names)


def _labels_of(names: list[Any], labels: Any) -> Any:
    if not names:
        raise PlanError("there are no objects to judge; name some.", column="objects")
    return match_labels(labels, np.array(names, dtype=object))
