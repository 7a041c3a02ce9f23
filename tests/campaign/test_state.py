"""Campaigns that were kept elsewhere, restored, and planned again."""

from __future__ import annotations

import pandas as pd

from manyjudges import Moments, select, simulate
from manyjudges.campaign import Campaign, drive
from manyjudges.exceptions import PlanError
from tests.support.messages import refused


def planner_for(crowd):
    return lambda judgments, outlook: select(Moments.estimate(judgments, crowd.labels), budget=10)


def test_restored_goes_on_as_the_campaign_that_never_stopped(beans):
    crowd, _ = beans
    planner = planner_for(crowd)
    whole = Campaign(planner, crowd.objects, attributes=crowd.attributes, budget=10)
    whole.tell(crowd.judge(whole.ask()))
    again = Campaign.restored(
        whole.objects,
        attributes=whole.attributes,
        budget=10,
        judgments=whole.judgments.to_frame(),
        history=whole.history,
        round=whole.round,
        asked=whole.asked,
        reason=whole.reason,
        planner=planner,
    )
    assert again.to_json() == whole.to_json()
    pd.testing.assert_frame_equal(again.ask(), whole.ask())


def test_what_was_paid_besides_is_not_there_to_spend(beans):
    crowd, _ = beans
    terms = {"attributes": crowd.attributes, "budget": 10, "spending_limit": 1200.0}
    free = Campaign(planner_for(crowd), crowd.objects, **terms)
    free.tell(crowd.judge(free.ask()))
    kept = {"judgments": free.judgments, "history": free.history, "round": free.round}
    charged = Campaign.restored(crowd.objects, **terms, **kept, besides=100.0, planner=planner_for(crowd))
    assert charged.spent == free.spent + 100.0
    assert free.ask()["cost"].sum() == 1200.0 - free.spent
    assert charged.ask()["cost"].sum() == 1200.0 - charged.spent
    assert Campaign.from_json(charged.to_json(), planner_for(crowd)).spent == charged.spent


def test_planning_again_does_not_wait_for_what_is_pending(beans):
    crowd, _ = beans
    campaign = Campaign(planner_for(crowd), crowd.objects, attributes=crowd.attributes, budget=10)
    with refused(PlanError):
        campaign.replan()
    requests = campaign.ask()
    campaign.tell(crowd.judge(requests.iloc[: len(requests) * 3 // 4]))
    assert len(campaign.pending)
    assert campaign.plan is None
    assert campaign.plan_if_complete() is None
    proposal = campaign.replan()
    assert proposal.plan == campaign.plan
    assert campaign.plan is not None
    assert not len(campaign.pending)
    wanted, have = campaign.plan.repeats, campaign.judgments.cells().count
    following = campaign.ask()
    for row in following.itertuples():
        at = list(crowd.objects).index(row.object), list(crowd.attributes).index(row.attribute)
        assert row.count == wanted[row.attribute] - have[at]


def test_a_campaign_that_ran_out_of_money_goes_on_with_more(beans):
    crowd, _ = beans
    terms = {"attributes": crowd.attributes, "budget": 10}
    poor = Campaign(planner_for(crowd), crowd.objects, **terms, spending_limit=1000.0)
    drive(poor, crowd.judge)
    assert poor.reason == "the spending limit is reached"
    kept = {"judgments": poor.judgments, "history": poor.history, "round": poor.round, "reason": poor.reason}
    rich = Campaign.restored(crowd.objects, **terms, spending_limit=5000.0, **kept, planner=planner_for(crowd))
    assert rich.done
    rich.replan()
    assert not rich.done
    drive(rich, crowd.judge)
    assert rich.spent > 1000.0
    assert rich.reason == "the plan stands"


def test_restored_refuses_a_history_of_other_attributes():
    crowd = simulate.jelly_beans(n_objects=120, random_state=7)  # of its own: its plan is in the message
    campaign = Campaign(planner_for(crowd), crowd.objects, attributes=crowd.attributes, budget=10)
    campaign.tell(crowd.judge(campaign.ask()))
    with refused(PlanError, value="beautiful", column="attribute"):
        Campaign.restored(crowd.objects, attributes=["other"], budget=10, history=campaign.history)
