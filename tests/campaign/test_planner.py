"""What makes a campaign's plans, and campaigns that are told theirs."""

from __future__ import annotations

import numpy as np
import pytest

from manyjudges import Moments, Plan, select, simulate
from manyjudges.campaign import Campaign, Proposal, drive
from manyjudges.campaign.planner import check_planner, checked_proposal
from manyjudges.exceptions import PlanError
from tests.support.messages import refused


@pytest.fixture
def crowd():
    """A crowd of its own for each test: judging changes it."""
    return simulate.jelly_beans(n_objects=120, random_state=7)


@pytest.fixture
def told(crowd):
    """A campaign without a planner, after its pilot."""
    campaign = Campaign.restored(crowd.objects, attributes=crowd.attributes, budget=10)
    assert not campaign.plan_due
    campaign.tell(crowd.judge(campaign.ask()))
    return campaign


def test_without_a_planner_a_campaign_waits_for_its_plan(told, crowd):
    campaign = told
    assert campaign.plan_due
    assert campaign.plan is None
    with refused(PlanError, column="planner"):
        campaign.ask()
    assert (campaign.round, campaign.plan_due, campaign.done) == (1, True, False)
    plan = select(Moments.estimate(campaign.judgments, crowd.labels), 10)
    assert campaign.decide(plan) == Proposal(plan)
    assert (campaign.plan, campaign.plan_due) == (plan, False)
    assert campaign.ask()["count"].sum() == plan.missing(campaign.judgments)["count"].sum()


def test_a_plan_that_cannot_be_followed_leaves_the_campaign_as_it_was(told, crowd):
    campaign = told
    before = campaign.to_json()
    plan = select(Moments.estimate(campaign.judgments, crowd.labels), 11)
    with refused(PlanError, value=11, column="budget"):
        campaign.decide(plan)
    with refused(PlanError, value="a plan", column="planner"):
        campaign.decide("a plan")
    assert campaign.to_json() == before
    assert campaign.plan_due


def test_what_is_pending_when_a_plan_is_told_is_no_longer_asked_for(crowd):
    campaign = Campaign.restored(crowd.objects, attributes=crowd.attributes, budget=10)
    with refused(PlanError):
        campaign.decide(Proposal("any"))
    campaign.tell(crowd.judge(campaign.ask().iloc[:300]))
    assert not campaign.plan_due
    assert len(campaign.pending)
    campaign.decide(select(Moments.estimate(campaign.judgments, crowd.labels), 10))
    assert not len(campaign.pending)


def test_nobody_can_drive_a_campaign_that_has_no_planner(crowd):
    campaign = Campaign.restored(crowd.objects, attributes=crowd.attributes, budget=10)
    with refused(PlanError, column="planner"):
        drive(campaign, crowd.judge)
    assert campaign.plan_due


@pytest.mark.parametrize("wrong", [None, 3, lambda judgments: None], ids=["None", "3", "one argument"])
def test_what_no_planner_is(wrong):
    with refused(PlanError, value=wrong, column="planner"):
        check_planner(wrong)
    if wrong is not None:
        with refused(PlanError, value=wrong, column="planner"):
            Campaign.restored(["p"], attributes=["a"], budget=10, planner=wrong)


def test_proposals_are_checked_against_what_a_campaign_has():
    plan = Plan(("a", "b"), np.array([1.0, 1.0]), 9.0, "by hand", 1.0, np.array([0, 0, 1]), np.linspace(0, 0.5, 3))
    terms = {"attributes": ("a", "b"), "budget": 9.0, "costs": {"a": 1.0, "b": 7.0}}
    assert checked_proposal(plan, **terms) == Proposal(plan)
    with_error = Proposal(plan, 0.5, 0.1)
    assert checked_proposal(with_error, **terms) is with_error
    with refused(PlanError, value=9.0, column="budget"):
        checked_proposal(plan, **terms | {"budget": 8.0})
    with refused(PlanError, value="b", column="attribute"):
        checked_proposal(plan, **terms | {"attributes": ("a", "c")})
