"""Laws of ask, tell and pending: whatever planner and judge do, nothing is bought too often, and a campaign ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Plan
from manyjudges.campaign import Campaign, drive

MOST = 4
"""Judgments of an attribute that a plan of these tests wants at most."""

SIZES = {"n": st.integers(1, 5), "d": st.integers(1, 3), "pilot": st.integers(2, 3)}
SEEDS = st.integers(0, 1_000_000)
JUDGES = st.sampled_from(["all", "some", "none", "tires"])
CAPRICES = st.booleans()


@dataclass
class Situation:
    """A campaign, the planner's plans so far, and a judge who answers in a way of their own."""

    campaign: Campaign
    rng: np.random.Generator
    kind: str
    given: dict

    def judge(self, requests):
        rows = []
        for row in requests.itertuples():
            pair = (row.object, row.attribute)
            count = row.count
            if self.kind == "none":
                count = 0
            elif self.kind == "some":
                count = int(self.rng.integers(0, row.count + 1))
            elif self.kind == "tires":
                count = min(count, max(3 - self.given.get(pair, 0), 0))
            first = self.given.get(pair, 0)
            rows += [(*pair, f"w{first + j}", float(self.rng.normal())) for j in range(count)]
            self.given[pair] = first + count
        return pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"])


def random_planner(rng, attributes, costs, budget, capricious):
    """Plans within the budget, in any order and of anything: a new one each time, or the same one for ever."""

    def plan():
        picks, left = [], budget
        for i in rng.permutation(np.repeat(np.arange(len(attributes)), MOST)):
            if costs[i] <= left and rng.random() < 0.8:
                picks.append(int(i))
                left -= costs[i]
        explained = np.linspace(0, 0.5, len(picks))
        return Plan(attributes, costs, budget, "by chance", 1.0, np.array(picks, dtype=np.int64), explained)

    first = plan()
    return lambda judgments, outlook: plan() if capricious else first


def situation(seed, n, d, pilot, kind, capricious, limited):
    rng = np.random.default_rng(seed)
    attributes = tuple(f"a{i}" for i in range(d))
    costs = rng.choice([0.1, 0.5, 1.0, 3.0], size=d)
    budget = float(rng.uniform(0, 8))
    least = n * pilot * costs.sum()
    campaign = Campaign(
        random_planner(rng, attributes, costs, budget, capricious),
        [f"o{i}" for i in range(n)],
        attributes=attributes,
        budget=budget,
        pilot=pilot,
        costs=dict(zip(attributes, costs.tolist(), strict=True)),
        spending_limit=float(least * rng.uniform(1, 2)) if limited else None,
    )
    return Situation(campaign, rng, kind, {})


def bought_of(campaign):
    """Judgments by pair."""
    counts = np.zeros((len(campaign.objects), len(campaign.attributes)), dtype=int)
    return counts if campaign.judgments is None else campaign.judgments.cells().count


def as_array(campaign, requests):
    counts = np.zeros((len(campaign.objects), len(campaign.attributes)), dtype=int)
    position = {name: i for i, name in enumerate(campaign.attributes)}
    rows = {name: i for i, name in enumerate(campaign.objects)}
    for row in requests.itertuples():
        assert row.count > 0
        counts[rows[row.object], position[row.attribute]] += row.count
    return counts


def wanted_by(campaign):
    """Judgments of each attribute that the pilot or the latest plan wants of an object."""
    if campaign.plan is None:
        return np.full(len(campaign.attributes), campaign.pilot)
    return campaign.plan.to_array()


@given(seed=SEEDS, **SIZES, kind=JUDGES, capricious=CAPRICES, limited=st.booleans())
def test_it_never_buys_too_often_and_ends(seed, n, d, pilot, kind, capricious, limited):
    one = situation(seed, n, d, pilot, kind, capricious, limited)
    campaign, dry = one.campaign, np.zeros((n, d), dtype=bool)
    # Each round buys a judgment that some plan may want, or learns that a pair has none left.
    for _ in range(n * d * (max(MOST, pilot) + 1) + 2):
        if campaign.done:
            break
        before, wanted = bought_of(campaign), wanted_by(campaign)
        requests = campaign.ask()
        due = as_array(campaign, requests)
        wanted = wanted_by(campaign) if campaign.plan is not None else wanted
        assert (before + due <= np.maximum(before, wanted)).all()
        assert not due[dry].any()
        if limited:
            assert campaign.spent + requests["cost"].sum() <= campaign.spending_limit * (1 + 1e-9)
        if campaign.done:
            break
        assert len(requests)
        came = one.judge(requests)
        campaign.tell(came)
        if not campaign.pending.empty:
            dry |= as_array(campaign, campaign.pending) > 0
            campaign.give_up()
    assert campaign.done
    assert campaign.reason
    assert campaign.pending.empty
    assert campaign.ask().empty
    if campaign.reason == "the plan stands":
        assert (bought_of(campaign) >= campaign.plan.to_array()).all()


@pytest.mark.slow
@given(seed=SEEDS, **SIZES, kind=JUDGES, capricious=CAPRICES, limited=st.booleans())
def test_pending_is_what_was_asked_for_and_has_not_come(seed, n, d, pilot, kind, capricious, limited):
    one = situation(seed, n, d, pilot, kind, capricious, limited)
    campaign = one.campaign
    for _ in range(3):
        due = as_array(campaign, campaign.ask())
        if campaign.done:
            break
        came = one.judge(campaign.pending)
        number = len(campaign.history)
        for part in np.array_split(np.arange(len(came)), 3):
            assert (as_array(campaign, campaign.pending) == due).all()
            if not due.any():
                break
            assert campaign.ask().empty  # while a round is under way
            assert len(campaign.history) == number
            told = came.iloc[part]
            due = due - as_array(campaign, told.assign(count=1))
            campaign.tell(told)
        assert (as_array(campaign, campaign.pending) == due).all()
        assert (len(campaign.history) > number) == (not due.any())
        campaign.give_up()
        assert campaign.pending.empty
        if campaign.done:
            break


@given(seed=SEEDS, **SIZES, extra=st.integers(1, 5))
def test_what_nobody_asked_for_is_kept_and_paid_for(seed, n, d, pilot, extra):
    one = situation(seed, n, d, pilot, "all", False, False)
    campaign = one.campaign
    gift = pd.DataFrame({"object": "o0", "attribute": "a0", "worker": [f"g{i}" for i in range(extra)], "value": 1.0})
    campaign.tell(gift)
    assert campaign.bought == extra
    assert campaign.spent == pytest.approx(extra * campaign.costs["a0"])
    due = as_array(campaign, campaign.ask())
    if campaign.plan is None:
        assert due[0, 0] == max(pilot - extra, 0)
        assert due.sum() == n * d * pilot - min(extra, pilot)


@given(seed=SEEDS, **SIZES, kind=JUDGES, stops=st.integers(0, 4))
def test_saved_at_any_point_it_goes_on_as_if_nothing_had_happened(seed, n, d, pilot, kind, stops):
    one, other = (situation(seed, n, d, pilot, kind, False, False) for _ in range(2))
    for _ in range(stops):
        for each in (one, other):
            requests = each.campaign.ask()
            each.campaign.tell(each.judge(requests))
        if one.campaign.done:
            break
        if not one.campaign.pending.empty:
            one.campaign.give_up()
            other.campaign.give_up()
    planner = one.campaign._planner
    again = Campaign.from_json(one.campaign.to_json(), planner)
    assert again.pending.equals(other.campaign.pending)
    drive(again, one.judge)
    drive(other.campaign, other.judge)
    assert again.reason == other.campaign.reason
    assert (bought_of(again) == bought_of(other.campaign)).all()
    assert [entry.plan for entry in again.history] == [entry.plan for entry in other.campaign.history]


@given(seed=SEEDS, **SIZES, kind=JUDGES, capricious=CAPRICES, limited=st.booleans())
def test_told_its_plans_a_campaign_goes_as_one_that_has_a_planner(seed, n, d, pilot, kind, capricious, limited):
    one, other = (situation(seed, n, d, pilot, kind, capricious, limited) for _ in range(2))
    drive(one.campaign, one.judge)
    terms = ("attributes", "budget", "pilot", "costs", "spending_limit")
    told = Campaign.restored(other.campaign.objects, **{name: getattr(other.campaign, name) for name in terms})
    planner = other.campaign._planner
    while not told.done:
        if told.plan_due:
            told.decide(planner(told.judgments, told.outlook))
            continue
        requests = told.ask()
        if not requests.empty:
            told.tell(other.judge(requests))
        if not told.pending.empty:
            told.give_up()
    assert told.to_json() == one.campaign.to_json()
