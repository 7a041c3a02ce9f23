"""Round planning: from a snapshot of the store to its next orders, in one straight walk, when a round is complete.

The store knows what came and what is out; the planner, handed in, makes a plan from the judgments and from what can
still be bought; the pure :class:`Campaign` is told the plan, and says what to ask next. Neither of the two knows the
other or the store. What was decided is written in one transaction, and only if nobody else decided meanwhile.
"""

from __future__ import annotations

__all__ = ["Decision", "plan_round"]

import contextlib
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Integers
from manyjudges.campaign.campaign import Campaign
from manyjudges.campaign.counts import PairCounts
from manyjudges.campaign.planner import PlanFunction
from manyjudges.campaign.rounds import Proposal, Round
from manyjudges.campaign.state import LIMIT_REACHED
from manyjudges.exceptions import PlanError, StoreError, StudyError
from manyjudges.store.store import CLOSED, Store

if TYPE_CHECKING:
    from manyjudges.study.config import PlanSection

PLANNER_TIMEOUT = 60.0
"""Seconds after which somebody else may begin to plan where one has not been heard of; until then, one says so."""

_Requests = list[tuple[str, str, int]]


@dataclass(frozen=True)
class Decision:
    """What was decided.

    Attributes
    ----------
    stage : str
        ``"pilot"``, ``"plan"``, ``"unlabelled"`` or ``"done"``.
    ordered : int
        Judgments that may be handed out from now on.
    round : Round, optional
        With its plan, where one was made.
    reason : str
        Why the training is done, if it is.
    """

    stage: str
    ordered: int
    round: Round | None
    reason: str


def plan_round(
    store: Store, section: PlanSection, planner: PlanFunction, *, force: bool = False, give_up: bool = False
) -> Decision | None:
    """When a round is complete, plan and order what comes next; None where there is nothing to decide.

    Parameters
    ----------
    store : Store
        Prepared.
    section : PlanSection
        Budget, pilot and limits of the study.
    planner : PlanFunction
        Its proposal has the honest error, and the details to keep with it, such as the error at other budgets.
    force : bool
        Plan now, even though the round is not complete or the campaign is done. What is out is waited for; what is
        open is only asked for if the new plan wants it.
    give_up : bool
        What is open cannot be had, and is not asked for again.
    """
    if store.state == CLOSED:
        return None
    with planning_alone(store) as alone:
        if alone:
            return _planned_round(store, section, planner, force, give_up)
    if force:
        raise StoreError("somebody else is planning right now; try again in a minute.")
    return None


def order_missing(store: Store, section: PlanSection, planner: PlanFunction) -> None:
    """Order what the round under way lacks of the objects as they are now: some were added, or came back.

    No plan is made. Nothing is ordered twice: what there is, and what is out, is not ordered again.
    """
    if store.state == CLOSED:
        return
    snapshot = _StoreSnapshot.read(store, section)
    if snapshot.seen["round"] == 0:
        plan_round(store, section, planner)
        return
    campaign = snapshot.campaign()
    state, requests = snapshot.decided(campaign, campaign.outstanding())
    store.settle(snapshot.seen, state, [], requests, limit=section.spending_limit)


@contextmanager
def planning_alone(store: Store, patience: float = PLANNER_TIMEOUT) -> Iterator[bool]:
    """Whether one may plan; while one does, others are told so, also if it takes long."""
    owner, through = secrets.token_hex(8), threading.Event()
    if not store.may_plan(owner, patience):
        yield False
        return

    def stay() -> None:
        while not through.wait(patience / 4):
            with contextlib.suppress(StoreError):  # the database is busy; there is time for some more tries
                store.may_plan(owner, patience)

    staying = threading.Thread(target=stay, daemon=True)
    staying.start()
    try:
        yield True
    finally:
        through.set()
        staying.join()
        store.planned(owner)


def _planned_round(
    store: Store, section: PlanSection, planner: PlanFunction, force: bool, give_up: bool
) -> Decision | None:
    """The walk itself: read a snapshot, restore its campaign, plan, decide, write the orders."""
    store.expire()
    if not force and (store.standing()["stage"] == "done" or not store.idle):
        return None
    snapshot = _StoreSnapshot.read(store, section, give_up=give_up)
    campaign = snapshot.campaign(reopened=force)
    if force and campaign.judgments is None and not snapshot.seen["reason"]:
        raise PlanError("there are no judgments to plan from yet; the pilot is under way.")
    proposal = None
    if campaign.judgments is not None and (force or campaign.plan_due):
        proposal = campaign.decide(planner(campaign.judgments, campaign.outlook))
    state, requests = snapshot.decided(campaign, campaign.ask())
    made = campaign.history[-1] if proposal else None
    documents = [_document(made, proposal)] if made and proposal else []
    if not store.settle(snapshot.seen, state, documents, requests, limit=section.spending_limit, give_up=give_up):
        return None  # somebody else was faster; their orders stand
    if made is not None:
        store.note("planned", f"round {made.number}: {made}")
    ordered = int(store.progress()["open"].sum())
    return Decision(state["stage"], ordered, made, state["reason"])


def _document(made: Round, proposal: Proposal) -> dict[str, Any]:
    """A planned round as the store keeps it, with the numbers to show beside it."""
    return made.to_document() | {"outlook": None if proposal.details is None else dict(proposal.details)}


@dataclass(frozen=True, eq=False)
class _StoreSnapshot:
    """What a store held at one moment, in the order of a campaign."""

    section: PlanSection
    costs: dict[str, float]
    labelled: pd.Index[Any]
    unlabelled: pd.Index[Any]
    counters: pd.DataFrame
    judgments: pd.DataFrame
    spent: float
    out: float
    rounds: list[dict[str, Any]]
    seen: dict[str, Any]
    give_up: bool

    @classmethod
    def read(cls, store: Store, section: PlanSection, *, give_up: bool = False) -> _StoreSnapshot:
        """All that a decision needs; says so where there is nothing to learn from."""
        books = store.books()
        objects, spending = books["objects"], books["spending"]
        labelled = objects["label"].notna()
        if not labelled.any():
            raise StudyError(
                "no object has a label, so there is nothing to learn from; fill in labels of some objects.",
                column="label",
            )
        if objects["label"].nunique() == 1:
            raise StudyError(
                f"all {int(labelled.sum()):,} labels are {objects['label'][labelled].iloc[0]:g}, so there is nothing "
                "to predict; fill in labels that differ.",
                value=float(objects["label"][labelled].iloc[0]),
                column="label",
            )
        return cls(
            section,
            books["costs"],
            pd.Index(objects["object"][labelled]),
            pd.Index(objects["object"][~labelled]),
            books["counters"],
            books["judgments"],
            spending["spent"],
            spending["out"],
            books["rounds"],
            books["standing"],
            give_up,
        )

    def campaign(self, *, reopened: bool = False) -> Campaign:
        """The campaign on the labelled objects; what else was paid, and what is out, is not there to spend.

        ``reopened`` goes on with one that was done.
        """
        have = self.grid("have", self.labelled)
        bought = float(have.sum(axis=0) @ np.array(list(self.costs.values())))
        return Campaign.restored(
            self.labelled,
            attributes=list(self.costs),
            budget=self.section.budget,
            pilot=self.section.pilot,
            costs=self.costs,
            spending_limit=self.section.spending_limit,
            judgments=self.judgments[self.judgments["object"].isin(self.labelled)],
            dry=self.dry(self.labelled),
            history=[Round.from_document(document) for document in self.rounds],
            round=self.seen["round"],
            asked=self.seen["asked"],
            reason="" if reopened else self.seen["reason"],
            besides=self.spent - bought + self.out,  # below 0 where judgments came from elsewhere, at no cost
        )

    def grid(self, column: str, objects: pd.Index[Any]) -> Integers:
        """A counter of every pair; rows are objects, columns are attributes."""
        rows = objects.get_indexer(pd.Index(self.counters["object"]))
        columns = pd.Index(list(self.costs)).get_indexer(pd.Index(self.counters["attribute"]))
        grid = np.zeros((len(objects), len(self.costs)), dtype=np.int64)
        mine = rows >= 0
        grid[rows[mine], columns[mine]] = self.counters[column].to_numpy(dtype=np.int64)[mine]
        return grid

    def dry(self, objects: pd.Index[Any]) -> Any:
        """Pairs that nobody is asked about any more."""
        dry = (self.grid("dry", objects) > 0) | (self.grid("cant_tell", objects) >= self.section.cant_tell_limit)
        return dry | (self.grid("open", objects) > 0) if self.give_up else dry

    def targets(self, requests: pd.DataFrame) -> _Requests:
        """How many judgments each pair of a labelled object should have in all, where more are asked for."""
        have = self.grid("have", self.labelled)
        rows = self.labelled.get_indexer(pd.Index(requests["object"]))
        columns = pd.Index(list(self.costs)).get_indexer(pd.Index(requests["attribute"]))
        totals = have[rows, columns] + requests["count"].to_numpy(dtype=np.int64)
        return list(zip(requests["object"], requests["attribute"], totals.tolist(), strict=True))

    def decided(self, campaign: Campaign, due: pd.DataFrame) -> tuple[dict[str, Any], _Requests]:
        """How the campaign stands now, and what is to be judged: what it asks for, or objects without label."""
        stage, reason, requests = "plan" if campaign.history else "pilot", campaign.reason, self.targets(due)
        if campaign.done:
            requests = self.unlabelled_targets(campaign)
            stage = "unlabelled" if requests else "done"
            if stage == "done" and self.unlabelled_targets(campaign, limited=False):
                reason = LIMIT_REACHED
        return {"round": campaign.round, "asked": campaign.asked, "reason": reason, "stage": stage}, requests

    def unlabelled_targets(self, campaign: Campaign, *, limited: bool = True) -> _Requests:
        """What the objects without label lack of the plan, as far as the money goes, unless told."""
        if not (self.section.judge_unlabelled and len(self.unlabelled) and campaign.plan is not None):
            return []
        counts = PairCounts(
            self.grid("have", self.unlabelled), self.grid("out", self.unlabelled), self.dry(self.unlabelled)
        )
        costs = np.array(list(self.costs.values()))
        limit = self.section.spending_limit if limited else None
        if limit is not None:
            committed = float((counts.bought + counts.pending).sum(axis=0) @ costs)
            limit = max(limit - self.spent - self.out + committed, 0.0)
        due = counts.due(campaign.picks(campaign.plan), costs, limit)
        targets = counts.bought + counts.pending + due
        names = list(self.costs)
        return [(self.unlabelled[row], names[column], int(targets[row, column])) for row, column in _where(due)]


def _where(counts: Integers) -> Iterator[tuple[int, int]]:
    for row, column in zip(*np.nonzero(counts), strict=True):
        yield int(row), int(column)
