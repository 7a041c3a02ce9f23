"""Campaign: plan, buy, plan again, until the plan stands. Pure: it asks, is told, and remembers."""

from __future__ import annotations

__all__ = ["Campaign"]

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from manyjudges.arrays.types import Integers
from manyjudges.base import documents
from manyjudges.base.frames import table
from manyjudges.campaign.counts import UNCAPPED, PairCounts, total_cost
from manyjudges.campaign.planner import PlanFunction, check_names, check_planner, checked_proposal
from manyjudges.campaign.rounds import Outlook, Proposal, Round, Status
from manyjudges.campaign.state import (
    CAMPAIGN_FORMAT,
    EXHAUSTED,
    LIMIT_REACHED,
    STANDS,
    CampaignTerms,
    State,
    from_document,
    to_document,
)
from manyjudges.core.budget import COST_TOLERANCE
from manyjudges.core.plan import Plan
from manyjudges.exceptions import PlanError
from manyjudges.tables.judgments import Judgments

if TYPE_CHECKING:
    import pandas as pd


class Campaign:
    """Who is asked what next: a pilot first, then what the plan misses, planned again after each round.

    A campaign asks nobody itself: :meth:`ask` says what to buy, and :meth:`tell` takes what came, in as many parts as
    it comes in. When nothing is pending any more, the round is complete, and the planner makes a plan of all judgments
    so far. The campaign is done when that plan misses nothing (``"the plan stands"``), nothing that can still be paid
    for (``"the spending limit is reached"``), or nothing that anybody can give (``"nothing more can be had"``). What is
    bought stays bought, and each round buys something or learns that it cannot be had, so that every campaign ends,
    whatever its planner says.

    Parameters
    ----------
    planner : callable
        From the judgments so far and an :class:`Outlook`, which says what can still be bought, to a :class:`Plan`, or
        to a :class:`Proposal` with an honest error. The judgments have all objects and attributes of the campaign, in
        the campaign's order, judged or not. When it fails, nothing that was told is lost, and the next :meth:`ask` or
        :meth:`tell` tries it again.
    objects : sequence
        Names of the training objects: text, numbers or booleans.
    attributes : sequence of str
        Names of the candidates.
    budget : float
        The most that one object's judgments may cost under a plan.
    pilot : int
        Judgments of every attribute of every object that the first plan is made from.
    costs : mapping or array, optional
        Price of one judgment of each attribute, 1 where not given.
    spending_limit : float, optional
        The most that all training judgments may cost, pilot included.

    Examples
    --------
    >>> from manyjudges import Moments, select, simulate
    >>> from manyjudges.campaign import Campaign
    >>> crowd = simulate.jelly_beans(n_objects=100, random_state=0)
    >>> def planner(judgments, outlook):
    ...     return select(Moments.estimate(judgments, crowd.labels), budget=10)
    >>> campaign = Campaign(planner, crowd.objects, attributes=crowd.attributes, budget=10)
    >>> while not campaign.done:
    ...     campaign.tell(crowd.judge(campaign.ask()))
    >>> campaign.reason
    'the plan stands'
    """

    def __init__(
        self,
        planner: PlanFunction,
        objects: Iterable[Any],
        *,
        attributes: Iterable[str],
        budget: float,
        pilot: int = 2,
        costs: Any = None,
        spending_limit: float | None = None,
    ) -> None:
        check_planner(planner)
        self._begin(planner, CampaignTerms.checked(objects, attributes, budget, pilot, costs, spending_limit))
        self._check_pilot()

    @classmethod
    def restored(
        cls,
        objects: Iterable[Any],
        *,
        attributes: Iterable[str],
        budget: float,
        pilot: int = 2,
        costs: Any = None,
        spending_limit: float | None = None,
        judgments: Any = None,
        dry: Any = None,
        history: Iterable[Round] = (),
        round: int = 0,
        asked: int = 0,
        reason: str = "",
        besides: float = 0.0,
        planner: PlanFunction | None = None,
    ) -> Campaign:
        """Go on with a campaign whose judgments and history were kept elsewhere.

        Parameters
        ----------
        objects, attributes, budget, pilot, costs, spending_limit
            As for a new one; the terms may have changed since.
        judgments : Judgments or table, optional
            All that came.
        dry : (objects, attributes) array, optional
            Pairs of which no more can be had.
        history : iterable of Round
        round, asked : int
            Rounds asked for so far, and what was asked for in the last one.
        reason : str
            Why it is done, if it is.
        besides : float
            What was paid for answers that are no judgments, or not any more: "can't tell", withdrawn ones.
        planner : callable, optional
            As for a new one. Without a planner, a campaign says in :attr:`plan_due` when a plan is to be made, and is
            told it with :meth:`decide`.
        """
        if planner is not None:
            check_planner(planner)
        campaign = cls.__new__(cls)
        campaign._begin(planner, CampaignTerms.checked(objects, attributes, budget, pilot, costs, spending_limit))
        naming = campaign._terms.naming
        came = naming.place(judgments) if judgments is not None else None
        nothing = np.zeros(naming.shape, dtype=np.int64)
        counts = PairCounts(
            nothing if came is None else came.cells().count,
            nothing,
            nothing > 0 if dry is None else np.asarray(dry, dtype=bool),
        )
        campaign._state = State(counts, came, round, asked, tuple(history), reason, float(besides))
        for entry in campaign.history:
            check_names(entry.plan, campaign.attributes)
        return campaign

    def _begin(self, planner: PlanFunction | None, terms: CampaignTerms) -> None:
        self._planner, self._terms = planner, terms
        self._state = State(PairCounts.empty(*terms.naming.shape))

    @property
    def objects(self) -> Any:
        """Names of the training objects."""
        return self._terms.naming.objects

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the candidates."""
        return self._terms.naming.attributes

    @property
    def budget(self) -> float:
        """The most that one object's judgments may cost under a plan."""
        return self._terms.budget

    @property
    def costs(self) -> dict[str, float]:
        """Price of one judgment of each attribute."""
        return self._terms.prices

    @property
    def pilot(self) -> int:
        """Judgments of every pair that the first plan is made from."""
        return self._terms.pilot

    @property
    def spending_limit(self) -> float | None:
        """The most that all training judgments may cost."""
        return self._terms.limit

    @property
    def judgments(self) -> Judgments | None:
        """What came so far, of all objects and attributes; None before anything came."""
        return self._state.judgments

    @property
    def pending(self) -> pd.DataFrame:
        """What was asked for and has not come: ``object``, ``attribute``, ``count``."""
        return self._requests(self._state.counts.pending).drop(columns="cost")

    @property
    def bought(self) -> int:
        """Judgments that came."""
        return int(self._state.counts.bought.sum())

    @property
    def spent(self) -> float:
        """What they cost, and what was paid besides."""
        limit = self._terms.limit
        spent = total_cost(self._state.counts.bought, self._terms.costs) + self._state.besides
        return limit if limit is not None and limit < spent <= limit * (1 + COST_TOLERANCE) else spent

    @property
    def caps(self) -> dict[str, int]:
        """Attributes of which not as many judgments can be had as one likes, and the most that there are.

        An attribute is capped when more than half of the objects have run dry of it, at the most judgments that at
        least half of the objects can have. A few odd objects with less only are left alone. A plan that wants more
        than a cap is followed up to the cap; a planner that heeds the caps of its outlook spends the money better.
        """
        caps = self._state.counts.caps.tolist()
        return {name: cap for name, cap in zip(self.attributes, caps, strict=True) if cap < UNCAPPED}

    @property
    def history(self) -> tuple[Round, ...]:
        """What became of each round."""
        return self._state.history

    @property
    def round(self) -> int:
        """Rounds asked for so far; the pilot is the first."""
        return self._state.round

    @property
    def asked(self) -> int:
        """Judgments asked for in the round that is under way."""
        return self._state.asked

    @property
    def plan(self) -> Plan | None:
        """The latest plan, as the planner gave it; None before the first."""
        return self.history[-1].plan if self.history else None

    @property
    def done(self) -> bool:
        """Whether there is nothing more to ask; once done, a campaign stays done."""
        return self.reason != ""

    @property
    def reason(self) -> str:
        """Why the campaign is done; empty before."""
        return self._state.reason

    def status(self) -> Status:
        """Where the campaign stands: bought, spent, pending, plan and its honest error."""
        last = self.history[-1] if self.history else None
        return Status(
            round=self.round,
            bought=self.bought,
            spent=self.spent,
            pending=int(self._state.counts.pending.sum()),
            plan=self.plan,
            loss=None if last is None else last.loss,
            std_error=None if last is None else last.std_error,
            done=self.done,
            reason=self.reason,
        )

    def ask(self) -> pd.DataFrame:
        """What to buy now, which is pending from then on; nothing while a round is under way, or when done.

        Where the spending limit does not suffice, the plan's first judgment is asked for on all objects before the
        second.

        Returns
        -------
        pandas.DataFrame
            A row for each pair: ``object``, ``attribute``, ``count`` and ``cost`` (of all of them).
        """
        self.plan_if_complete()
        state = self._state
        if self.done or state.counts.pending.any():
            return self._requests(np.zeros_like(state.counts.pending))
        due = self._due(state)
        requests = self._requests(due)
        self._state = replace(
            state, counts=state.counts.order(due), round=state.round + 1, asked=state.asked + int(due.sum())
        )
        return requests

    def tell(self, judgments: Any) -> None:
        """Take what came: all of it, or nothing of it where something is wrong.

        More judgments than were asked for, and judgments that nobody asked for, are taken and paid for, too, even
        beyond the spending limit: people do send more. So judgments from before the campaign count for the pilot when
        they are told first, and what comes after it is done is kept.

        Parameters
        ----------
        judgments : Judgments or table
            Anything that :meth:`Judgments.from_frame` reads, with the columns ``object``, ``attribute``, ``value`` and,
            if workers are known, ``worker``. It may be empty.
        """
        came = self._terms.naming.place(judgments)
        if came is not None:
            state = self._state
            together = came if state.judgments is None else state.judgments + came
            self._state = replace(state, judgments=together, counts=state.counts.receive(came.cells().count))
        self._go_on()

    def give_up(self) -> None:
        """Say that what is still pending will not come: those pairs have run dry, and are not asked for again."""
        self._state = replace(self._state, counts=self._state.counts.give_up())
        self._go_on()

    @property
    def plan_due(self) -> bool:
        """Whether the round is complete, so that a plan comes before anything more is asked for."""
        return self._state.judgments is not None and self._round_complete()

    def decide(self, answer: Plan | Proposal) -> Proposal:
        """Go on by a plan that was made of :attr:`judgments` and :attr:`outlook`; gives it as a proposal.

        The round is entered into the history, and :meth:`ask` asks for what the plan misses, unless nothing is left to
        ask for. What is pending is not waited for. A campaign that was done may go on.

        Parameters
        ----------
        answer : Plan or Proposal
        """
        self._judged()
        proposal, state = self._checked(answer), self._state
        entry = Round(
            number=state.round,
            asked=state.asked,
            new=max(self.bought - (state.history[-1].bought if state.history else 0), 0),  # some may be withdrawn
            bought=self.bought,
            spent=self.spent,
            plan=proposal.plan,
            loss=proposal.loss,
            std_error=proposal.std_error,
            note=proposal.note,
        )
        counts = replace(state.counts, pending=np.zeros_like(state.counts.pending))
        planned = replace(state, counts=counts, history=(*state.history, entry), asked=0)
        self._state = replace(planned, reason=self._why_stop(planned))
        return proposal

    def replan(self) -> Proposal:
        """Let the planner plan now, from what came so far, and :meth:`decide` so; gives what the planner proposed.

        What is pending is not waited for, and no longer asked for unless the new plan wants it. A campaign that was
        done may go on: for more money, with new objects, or because judgments were withdrawn.
        """
        judgments = self._judged()
        if self._planner is None:
            raise PlanError(
                "a plan is due, and this campaign has no planner; make a plan and pass it to decide().",
                column="planner",
            )
        return self.decide(self._planner(judgments, self.outlook))

    def plan_if_complete(self) -> Proposal | None:
        """Plan if the round is complete; gives what the planner proposed, or None where nothing was to be planned.

        A campaign with a planner does so by itself, whatever it is asked or told.
        """
        if self.plan_due:
            return self.replan()
        if self._round_complete():  # not one judgment came, and none can be had
            self._state = replace(self._state, reason=EXHAUSTED)
        return None

    def _round_complete(self) -> bool:
        """Whether nothing is pending, and the next round does not wait to be asked for, or what the pilot lacks."""
        state = self._state
        if self.done or state.counts.pending.any():
            return False
        under_way = bool(state.history) and state.round > state.history[-1].number
        return under_way or not self._due(state).any()

    def _go_on(self) -> None:
        if self._planner is not None or not self.plan_due:
            self.plan_if_complete()

    def _judged(self) -> Judgments:
        if self._state.judgments is None:
            raise PlanError("there are no judgments to plan from yet.")
        return self._state.judgments

    def to_frame(self) -> pd.DataFrame:
        """One row for each round: judgments, spending, the plan's cost per object, and its error (RMSE) with limits."""
        rounds = self.history
        errors = np.array([r.errors for r in rounds], dtype=float).reshape(-1, 3)
        return table(
            {
                "asked": [r.asked for r in rounds],
                "new": [r.new for r in rounds],
                "bought": [r.bought for r in rounds],
                "spent": [r.spent for r in rounds],
                "plan_cost": [r.plan.cost for r in rounds],
                "error": errors[:, 0],
                "low": errors[:, 1],
                "high": errors[:, 2],
            },
            index=[r.number for r in rounds],
            index_name="round",
        )

    def to_json(self) -> str:
        """The campaign as JSON, at any point; :meth:`from_json` goes on from there."""
        return documents.dumps(to_document(self._terms, self._state))

    @classmethod
    def from_json(cls, text: str | bytes, planner: PlanFunction) -> Campaign:
        """Go on with a campaign that :meth:`to_json` wrote."""
        check_planner(planner)
        terms, state = from_document(documents.loads(text, CAMPAIGN_FORMAT))
        campaign = cls.__new__(cls)
        campaign._begin(planner, terms)
        campaign._check_pilot()
        campaign._state = state
        for entry in campaign.history:
            campaign._checked(entry.plan)
        return campaign

    def __repr__(self) -> str:
        n, d = self._terms.naming.shape
        return f"Campaign of {d:,} attributes on {n:,} objects\n{self.status()}"

    def _requests(self, counts: Integers) -> pd.DataFrame:
        rows, columns = np.nonzero(counts)
        count = counts[rows, columns]
        return table(
            {
                "object": self.objects[rows],
                "attribute": np.array(self.attributes, dtype=object)[columns],
                "count": count,
                "cost": count * self._terms.costs[columns],
            }
        )

    def outstanding(self) -> pd.DataFrame:
        """What the pilot or the latest plan still lacks, as :meth:`ask` says it, without asking for it."""
        return self._requests(self._due(self._state))

    @property
    def outlook(self) -> Outlook:
        """What the planner is told about what can still be bought."""
        counts, costs, limit, attributes = self._state.counts, self._terms.costs, self._limit, self.attributes

        def lacking(plan: Plan) -> int:
            return int(counts.due(_picks_of(plan, attributes), costs, limit).sum())

        return Outlook(self.caps, lacking)

    def _picks(self, state: State) -> Integers:
        """The judgments that every object should have, the most valuable first."""
        if not state.history:
            return np.tile(np.arange(len(self.attributes)), self.pilot)
        return self.picks(state.history[-1].plan)

    def picks(self, plan: Plan) -> Integers:
        """The judgments that a plan gives every object, by position of the attribute, the most valuable first."""
        return _picks_of(plan, self.attributes)

    def _due(self, state: State, *, limited: bool = True) -> Integers:
        return state.counts.due(self._picks(state), self._terms.costs, self._limit if limited else None)

    @property
    def _limit(self) -> float | None:
        """What judgments may cost in all; None for no limit."""
        limit = self._terms.limit
        return None if limit is None else max(limit - self._state.besides, 0.0)

    def _why_stop(self, state: State) -> str:
        """Why there is nothing to ask for; empty if there is something."""
        if self._due(state).any():
            return ""
        if self._due(state, limited=False).any():
            return LIMIT_REACHED
        targets = np.bincount(self._picks(state), minlength=len(self.attributes))
        return STANDS if (state.counts.bought >= targets).all() else EXHAUSTED

    def _checked(self, answer: object) -> Proposal:
        return checked_proposal(answer, attributes=self.attributes, budget=self.budget, costs=self.costs)

    def _check_pilot(self) -> None:
        limit, (n, d) = self._terms.limit, self._terms.naming.shape
        cost = n * self.pilot * float(self._terms.costs.sum())
        if limit is not None and cost > limit * (1 + COST_TOLERANCE):
            raise PlanError(
                f"the pilot, {self.pilot} judgments of each of {d:,} attributes of {n:,} objects, costs {cost:,.10g}, "
                f"more than the spending limit of {limit:,.10g}; raise the limit, or take fewer objects, attributes or "
                "judgments.",
                value=cost,
                column="spending_limit",
            )


def _picks_of(plan: Plan, attributes: tuple[str, ...]) -> Integers:
    position = {name: i for i, name in enumerate(attributes)}
    return np.array([position[plan.attributes[i]] for i in plan.picks], dtype=np.int64)
