"""From the judgments so far to a plan with its honest error."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from manyjudges import Campaign, Judgments, Moments, answer, select, simulate
from manyjudges.campaign import Outlook
from manyjudges.core.search.registry import SEARCHES
from manyjudges.exceptions import MomentsError
from manyjudges.learn.planner import AnsweringPlanner, Planner
from manyjudges.learn.search_capabilities import TRIED_BY_AUTO
from tests.support.messages import refused


def test_a_campaign_with_the_planner_of_run_campaign_is_saved_and_resumed():
    crowd = simulate.gaussian(40, 4, random_state=1)
    prices = dict.fromkeys(crowd.attributes, 1.0)
    planner = Planner(crowd.labels, 8, method="auto", costs=prices, noiseless=(), random_state=0)
    campaign = Campaign(planner, crowd.objects, attributes=crowd.attributes, budget=8)
    campaign.tell(crowd.judge(campaign.ask()))
    text = campaign.to_json()
    assert json.loads(text)["format"] == "manyjudges.campaign/1"
    again = Campaign.from_json(text, planner)
    assert again.plan == campaign.plan
    assert again.ask().equals(campaign.ask())
    assert again.status().loss == campaign.status().loss


def outlook(lacking=0, **caps):
    """What a campaign says can still be bought."""
    return Outlook(caps, lambda plan: lacking)


def planner_of(crowd, budget=12, *, costs=None, **options):
    prices = dict.fromkeys(crowd.attributes, 1.0) | (costs or {})
    terms = {"method": "full", "noiseless": (), "random_state": 0} | options
    return Planner(crowd.labels, budget, costs=prices, **terms)


CROWD, PILOT = (80, 6, 4), 3


@pytest.mark.parametrize("method", ["full", "scoring", "exchange"])
def test_a_method_that_was_named_makes_the_plan(crowd, pilot, method):
    planner = planner_of(crowd, method=method, costs={"a0": 2.0})
    proposal = planner(pilot, outlook())
    own = select(Moments.estimate(pilot, crowd.labels), 12, method=method, costs={"a0": 2.0})
    assert proposal.plan == own
    assert (planner.choice.method, planner.choice.shrinkage) == (method, 0)
    assert (proposal.loss, proposal.std_error) == (planner.choice.loss, planner.choice.std_error)
    assert proposal.loss > own.projected_loss, "honest, which the plan itself is not"
    assert proposal.note == str(planner.choice)
    assert proposal.details is None


def test_auto_follows_full_as_long_as_its_plan_would_teach_something(crowd, pilot):
    planner = planner_of(crowd, method="auto")
    early = planner(pilot, outlook(lacking=1))
    assert early.plan == select(planner._prepared(pilot).moments, 12)
    assert len(planner.choice.considered) == 1
    late = planner(pilot, outlook(lacking=0))
    assert set(planner.choice.considered["method"]) == set(TRIED_BY_AUTO)
    assert (late.plan.method, late.plan.shrinkage) == (planner.choice.method, planner.choice.shrinkage)


def test_the_tighter_cap_holds(crowd, pilot):
    free = planner_of(crowd, budget=30)(pilot, outlook()).plan.repeats
    dear = max(free, key=free.get)
    assert free[dear] > 3
    capped = planner_of(crowd, budget=30, max_repeats=4)(pilot, outlook(**{dear: 2})).plan
    assert capped.repeats[dear] == 2
    assert max(capped.repeats.values()) == 4
    loose = planner_of(crowd, budget=30, max_repeats=4)(pilot, outlook(**{dear: 9})).plan
    assert max(loose.repeats.values()) == 4
    assert loose.repeats[dear] == 4


def test_attributes_that_nothing_can_be_said_about_are_left_out(crowd, pilot):
    frame = pilot.to_frame()
    once = frame[(frame["attribute"] != "a1") | ~frame.duplicated(["object", "attribute"])]
    judgments = Judgments.from_frame(once)
    planner = planner_of(crowd, budget=20)
    assert planner.estimable(judgments) == ["a0", "a2", "a3", "a4", "a5"]
    plan = planner(judgments, outlook(a1=1)).plan
    assert plan.attributes == ("a0", "a2", "a3", "a4", "a5")
    exactly = planner_of(crowd, budget=20, noiseless=["a1"])
    assert exactly.estimable(judgments) == list(crowd.attributes)
    assert exactly.training_data(judgments).moments.noise[1] == 0


def test_where_nothing_was_judged_twice_there_is_no_plan(crowd):
    with refused(MomentsError):
        planner_of(crowd)(crowd.more(80).pilot(1), outlook())


@pytest.mark.parametrize("method", ["auto", "scoring"])
def test_too_few_objects_have_a_plan_whose_error_is_not_known(crowd, method):
    few = crowd.more(3)
    planner = planner_of(few, method=method)
    proposal = planner(few.pilot(2), outlook())
    assert (planner.choice, proposal.loss, proposal.std_error, proposal.note) == (None, None, None, "")
    assert proposal.plan.method == {"auto": "full"}.get(method, method)


def test_the_same_judgments_give_the_same_plan_and_error(crowd, pilot):
    one, other = (planner_of(crowd, method="auto")(pilot, outlook()) for _ in range(2))
    assert one == other


@pytest.fixture
def searched(monkeypatch):
    """What is searched for while a test runs: method, objects, budget, and the covariance that was searched with."""
    seen = []

    def watched(name, search):
        def run(moments, budget, *rest, **options):
            seen.append((name, moments.n_objects, budget, moments.covariance.tobytes()))
            return search.run(moments, budget, *rest, **options)

        return replace(search, run=run)

    for name, search in SEARCHES.items():
        monkeypatch.setitem(SEARCHES, name, watched(name, search))
    return seen


@pytest.mark.parametrize("costs", [{}, {"a0": 2.0}], ids=["one price", "two prices"])
@pytest.mark.parametrize("lacking", [0, 1])
@pytest.mark.parametrize("method", ["auto", "full", "scoring", "exchange", "exact"])
def test_each_plan_of_a_round_is_searched_for_once(crowd, pilot, searched, method, lacking, costs):
    prices = dict.fromkeys(crowd.attributes, 1.0) | costs
    planner = Planner(crowd.labels, 8, method=method, costs=prices, noiseless=(), random_state=0)
    proposal = planner(pilot, outlook(lacking=lacking))
    # Preparations are tried at a budget of their own, which depends on nothing but the data.
    of_all = [search for search in searched if search[1] == len(pilot.objects) and search[2] <= 8]
    assert of_all
    assert len(set(of_all)) == len(of_all)
    nested = [(name, covariance) for name, _, _, covariance in of_all if SEARCHES[name].nested]
    if not costs:  # the plan of a smaller budget is the beginning of the longest one
        assert len(set(nested)) == len(nested)
    way = {"method": planner.choice.method, "shrinkage": planner.choice.shrinkage}
    assert proposal.plan == select(planner._prepared(pilot).moments, 8, costs=costs, **way)


def answering(crowd, budget=8, *, costs=None, keep=None, **options):
    """A planner of a study, and what it keeps with each plan."""
    prices = dict.fromkeys(crowd.attributes, 1.0) | (costs or {})
    kept = [] if keep is None else keep

    def details(found, curve):
        kept.append((found, curve))
        return {"error": found.error}

    terms = {"method": "auto", "random_state": 0} | options
    return AnsweringPlanner(crowd.labels, budget, costs=prices, details=details, **terms)


@pytest.mark.parametrize("costs", [{}, {"a0": 2.0}], ids=["one price", "two prices"])
@pytest.mark.parametrize("method", ["auto", "full", "scoring"])
def test_a_study_is_given_the_answer_of_its_judgments(crowd, pilot, method, costs):
    kept = []
    planner = answering(crowd, method=method, costs=costs, keep=kept, new=30)
    proposal = planner(pilot, outlook())
    [(found, curve)] = kept
    prices = dict.fromkeys(crowd.attributes, 1.0) | costs
    wanted = answer(pilot, crowd.labels, 8, method=method, costs=prices, new=30)
    wanted = replace(wanted, plan=wanted.plan.with_answers({}))  # a study reads numbers, whatever its judges saw
    assert found.to_json() == wanted.to_json()
    assert proposal.plan == wanted.plan
    assert proposal.loss == pytest.approx(wanted.error**2)
    assert (proposal.note, proposal.details) == (str(planner.choice), {"error": wanted.error})
    at = curve.budgets.index(8)
    assert (curve.error[0, at], curve.low[0, at], curve.high[0, at]) == (wanted.error, wanted.low, wanted.high)
    assert curve.plans[0][at].repeats == wanted.plan.repeats


def test_a_study_follows_the_first_search_as_long_as_its_plan_lacks_judgments(crowd, pilot):
    kept = []
    planner = answering(crowd, 8, keep=kept)
    early, late = planner(pilot, outlook(lacking=1)), planner(pilot, outlook(lacking=0))
    assert early.plan == select(planner._prepared(pilot).moments, 8)
    assert late.plan == kept[1][0].plan
    assert kept[0][0].to_json() == kept[1][0].to_json(), "what is asked next does not change the answer"
    assert early.plan.repeats != late.plan.repeats, "or this test shows nothing"
    alone = answer(pilot, crowd.labels, 8, method="full", shrinkage=0.0, joint_moments=True)
    assert early.loss == pytest.approx(alone.error**2)
    assert early.note == "full"


def test_a_study_of_a_few_objects_has_an_answer_without_an_error(crowd):
    few, kept = crowd.more(3), []
    proposal = answering(few, method="scoring", keep=kept)(few.pilot(2), outlook())
    [(found, curve)] = kept
    assert (found.error, curve, proposal.loss, proposal.plan) == (None, None, None, found.plan)
    assert "too few" in found.notes[0]


def test_a_study_goes_on_where_a_plan_would_stop_and_shows_why(crowd, pilot):
    rows = pilot.to_frame()
    rows.loc[rows.index[:8], "value"] = -99.0
    kept = []
    answering(crowd, keep=kept)(Judgments.from_frame(rows), outlook())
    assert "MJ501" in [warning.code for warning in kept[0][0].warnings]
    answering(crowd, keep=kept, mute=["MJ501"])(Judgments.from_frame(rows), outlook())
    assert "MJ501" not in [warning.code for warning in kept[1][0].warnings]
