"""Campaign: plan, buy, plan again, until the plan stands. Pure: it asks, is told, and remembers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from manyjudges import documents
from manyjudges.cells import Floats, Integers
from manyjudges.collection import records
from manyjudges.collection.ledger import UNCAPPED, Ledger, total_cost
from manyjudges.collection.records import Naming
from manyjudges.collection.rounds import Proposal, Round, Status
from manyjudges.exceptions import DocumentError, ManyJudgesError, PlanError, name_some, shown, suggest
from manyjudges.judgments import Judgments
from manyjudges.plan import ROUNDING, Plan, as_budget, as_costs
from manyjudges.tables import table

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "manyjudges.campaign/1"

STANDS = "the plan stands"
LIMIT = "the spending limit is reached"
EXHAUSTED = "nothing more can be had"

Planner = Callable[[Judgments], Plan | Proposal]
"""From the judgments so far, of all objects of a campaign, to a plan."""


@dataclass(frozen=True, eq=False)
class _State:
    """All that changes in a campaign; replaced as a whole, so that an interruption finds the old or the new one."""

    ledger: Ledger
    judgments: Judgments | None = None
    round: int = 0
    asked: int = 0
    history: tuple[Round, ...] = ()
    reason: str = ""


@dataclass(frozen=True, eq=False)
class _Terms:
    """All that does not change."""

    naming: Naming
    costs: Floats
    budget: float
    pilot: int
    limit: float | None


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
        From the judgments so far to a :class:`Plan`, or to a :class:`Proposal` with an honest error. The table that it
        is given has all objects and attributes of the campaign, in the campaign's order, judged or not. When it fails,
        nothing that was told is lost, and the next :meth:`ask` or :meth:`tell` tries it again.
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
    >>> from manyjudges.collection import Campaign
    >>> crowd = simulate.jelly_beans(n_objects=100, random_state=0)
    >>> def planner(judgments):
    ...     return select(Moments.estimate(judgments, crowd.labels), budget=10)
    >>> campaign = Campaign(planner, crowd.objects, attributes=crowd.attributes, budget=10)
    >>> while not campaign.done:
    ...     campaign.tell(crowd.judge(campaign.ask()))
    >>> campaign.reason
    'the plan stands'
    """

    def __init__(
        self,
        planner: Planner,
        objects: Iterable[Any],
        *,
        attributes: Iterable[str],
        budget: float,
        pilot: int = 2,
        costs: Any = None,
        spending_limit: float | None = None,
    ) -> None:
        if not callable(planner):
            raise PlanError(f"the planner must be a function from judgments to a plan, not {shown(planner)}.")
        self._planner = planner
        naming = Naming.of(objects, attributes)
        prices = as_costs(costs, naming.attributes)
        self._terms = _Terms(naming, prices, as_budget(budget), _as_pilot(pilot), _as_limit(spending_limit))
        self._state = _State(Ledger.empty(*naming.shape))
        self._check_pilot()

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
        return dict(zip(self.attributes, self._terms.costs.tolist(), strict=True))

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
        return self._requests(self._state.ledger.pending).drop(columns="cost")

    @property
    def bought(self) -> int:
        """Judgments that came."""
        return int(self._state.ledger.bought.sum())

    @property
    def spent(self) -> float:
        """What they cost."""
        spent, limit = total_cost(self._state.ledger.bought, self._terms.costs), self._terms.limit
        return limit if limit is not None and limit < spent <= limit * (1 + ROUNDING) else spent

    @property
    def caps(self) -> dict[str, int]:
        """Attributes of which not as many judgments can be had as one likes, and the most that there are.

        An attribute is capped when more than half of the objects have run dry of it, at the most judgments that at
        least half of the objects can have. A few odd objects with less only are left alone. A plan that wants more
        than a cap is followed up to the cap; a planner that knows ``caps`` spends the money better.
        """
        caps = self._state.ledger.caps.tolist()
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
            pending=int(self._state.ledger.pending.sum()),
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
        self._settle()
        state = self._state
        if self.done or state.ledger.pending.any():
            return self._requests(np.zeros_like(state.ledger.pending))
        due = self._due(state)
        requests = self._requests(due)
        self._state = replace(
            state, ledger=state.ledger.order(due), round=state.round + 1, asked=state.asked + int(due.sum())
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
            self._state = replace(state, judgments=together, ledger=state.ledger.receive(came.cells().count))
        self._settle()

    def give_up(self) -> None:
        """Say that what is still pending will not come: those pairs have run dry, and are not asked for again."""
        self._state = replace(self._state, ledger=self._state.ledger.give_up())
        self._settle()

    def to_frame(self) -> pd.DataFrame:
        """One row for each round: asked, new, bought, spent, what the plan costs an object, and its honest error."""
        rounds = self.history
        return table(
            {
                "asked": [r.asked for r in rounds],
                "new": [r.new for r in rounds],
                "bought": [r.bought for r in rounds],
                "spent": [r.spent for r in rounds],
                "plan_cost": [r.plan.cost for r in rounds],
                "loss": np.array([r.loss for r in rounds], dtype=float),
                "std_error": np.array([r.std_error for r in rounds], dtype=float),
            },
            index=[r.number for r in rounds],
            index_name="round",
        )

    def to_json(self) -> str:
        """The campaign as JSON, at any point; :meth:`from_json` goes on from there."""
        state, terms, naming = self._state, self._terms, self._terms.naming
        return documents.dumps(
            {
                "format": FORMAT,
                "reason": state.reason,
                "round": state.round,
                "asked": state.asked,
                "budget": terms.budget,
                "pilot": terms.pilot,
                "spending_limit": terms.limit,
                "attributes": list(naming.attributes),
                "prices": self.costs,
                "history": [entry.to_document() for entry in state.history],
                "objects": naming.objects.tolist(),
                "pending": naming.columns(state.ledger.pending),
                "dry": naming.columns(state.ledger.dry.astype(np.int64)),
                "judgments": None if state.judgments is None else naming.to_document(state.judgments),
            }
        )

    @classmethod
    def from_json(cls, text: str | bytes, planner: Planner) -> Campaign:
        """Go on with a campaign that :meth:`to_json` wrote."""
        document = documents.loads(text, FORMAT)
        attributes, prices = documents.field(document, "attributes", list), documents.field(document, "prices", dict)
        if sorted(map(str, attributes)) != sorted(prices):
            raise DocumentError("the campaign's attributes are not those that it has prices of.")
        campaign = cls(
            planner,
            documents.field(document, "objects", list),
            attributes=attributes,
            budget=documents.number(document, "budget"),
            pilot=documents.field(document, "pilot", int),
            costs=prices,
            spending_limit=None
            if document.get("spending_limit") is None
            else documents.number(document, "spending_limit"),
        )
        campaign._state = _state_from(document, campaign._terms.naming)
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

    def lacking(self, plan: Plan) -> int:
        """How many judgments a plan misses that can still be had and paid for, pending ones not counted."""
        return int(self._state.ledger.due(self._picks_of(plan), self._terms.costs, self._terms.limit).sum())

    def _picks(self, state: _State) -> Integers:
        """The judgments that every object should have, the most valuable first."""
        if not state.history:
            return np.tile(np.arange(len(self.attributes)), self.pilot)
        return self._picks_of(state.history[-1].plan)

    def _picks_of(self, plan: Plan) -> Integers:
        position = {name: i for i, name in enumerate(self.attributes)}
        return np.array([position[plan.attributes[i]] for i in plan.picks], dtype=np.int64)

    def _due(self, state: _State, *, limited: bool = True) -> Integers:
        limit = self._terms.limit if limited else None
        return state.ledger.due(self._picks(state), self._terms.costs, limit)

    def _settle(self) -> None:
        """When a round is complete, plan anew, and see whether anything is left to do."""
        state = self._state
        if self.done or state.ledger.pending.any():
            return
        under_way = state.round > (state.history[-1].number if state.history else 0)
        if not under_way and self._due(state).any():
            return  # the next round waits to be asked for
        if state.judgments is None:
            self._state = replace(state, reason=EXHAUSTED)
            return
        planned = self._planned(state, state.judgments)
        self._state = replace(planned, reason=self._why_stop(planned))

    def _planned(self, state: _State, judgments: Judgments) -> _State:
        proposal = self._checked(self._planner(judgments))
        entry = Round(
            number=state.round,
            asked=state.asked,
            new=self.bought - (state.history[-1].bought if state.history else 0),
            bought=self.bought,
            spent=self.spent,
            plan=proposal.plan,
            loss=proposal.loss,
            std_error=proposal.std_error,
            note=proposal.note,
        )
        return replace(state, history=(*state.history, entry), asked=0)

    def _why_stop(self, state: _State) -> str:
        """Why there is nothing to ask for; empty if there is something."""
        if self._due(state).any():
            return ""
        if self._due(state, limited=False).any():
            return LIMIT
        wanted = np.bincount(self._picks(state), minlength=len(self.attributes))
        return STANDS if (state.ledger.bought >= wanted).all() else EXHAUSTED

    def _checked(self, answer: object) -> Proposal:
        """What a planner gave, if it can be followed."""
        proposal = Proposal(answer) if isinstance(answer, Plan) else answer
        if not (isinstance(proposal, Proposal) and isinstance(proposal.plan, Plan)):
            raise PlanError(f"the planner must give a Plan or a Proposal with one, not {shown(answer)}.")
        repeats = proposal.plan.repeats
        if unknown := [name for name in repeats if name not in self.attributes]:
            raise PlanError(
                f"the planner's plan asks for {name_some(unknown)}, which is no attribute of this campaign; "
                f"the attributes are {name_some(self.attributes, most=8)}.{suggest(unknown[0], self.attributes)}"
            )
        costs = self.costs
        cost = sum(n * costs[name] for name, n in repeats.items())
        if cost > self.budget * (1 + ROUNDING):
            raise PlanError(
                f"the planner's plan costs {cost:g} an object, more than the campaign's budget of {self.budget:g}; "
                "plan with the budget and the costs of the campaign."
            )
        try:
            Plan.from_document(proposal.plan.to_document())
        except ManyJudgesError as error:  # said now, rather than when the campaign is saved or resumed
            raise PlanError(f"the planner's plan cannot be kept: {error}") from None
        return proposal

    def _check_pilot(self) -> None:
        limit, (n, d) = self._terms.limit, self._terms.naming.shape
        cost = n * self.pilot * float(self._terms.costs.sum())
        if limit is not None and cost > limit * (1 + ROUNDING):
            raise PlanError(
                f"the pilot, {self.pilot} judgments of each of {d:,} attributes of {n:,} objects, costs {cost:,.10g}, "
                f"more than the spending limit of {limit:,.10g}; raise the limit, or take fewer objects, attributes or "
                "judgments."
            )


def _as_pilot(pilot: object) -> int:
    if isinstance(pilot, bool) or not isinstance(pilot, int | np.integer) or pilot < 1:
        raise PlanError(f"pilot must be a whole number of 1 or more, not {shown(pilot)}.")
    return int(pilot)


def _as_limit(limit: object) -> float | None:
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int | float | np.number) or not 0 <= limit < np.inf:
        raise PlanError(f"the spending limit must be 0 or a positive, finite number, or None, not {shown(limit)}.")
    return float(limit)


def _state_from(document: Mapping[str, Any], naming: Naming) -> _State:
    pending = naming.from_columns(documents.field(document, "pending", dict), "pending")
    dry = naming.from_columns(documents.field(document, "dry", dict), "dry")
    judgments = None
    if document.get("judgments") is not None:
        judgments = naming.from_document(documents.field(document, "judgments", dict))
    bought = np.zeros(naming.shape, dtype=np.int64) if judgments is None else judgments.cells().count
    reason = documents.field(document, "reason", str)
    if reason not in ("", STANDS, LIMIT, EXHAUSTED):
        raise DocumentError(f"the campaign's reason to be done, {reason!r}, is none that there is.")
    history = tuple(Round.from_document(entry) for entry in documents.field(document, "history", list))
    if history and bought.sum() < history[-1].bought:
        raise DocumentError(
            f"the campaign has {int(bought.sum()):,} judgments, but bought {history[-1].bought:,} by its last round."
        )
    return _State(
        ledger=Ledger(bought, pending, dry > 0),
        judgments=judgments,
        round=records.whole(document, "round"),
        asked=records.whole(document, "asked"),
        history=history,
        reason=reason,
    )
