from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments, Plan
from manyjudges.campaign import Campaign, Proposal, RecordedJudge, drive
from manyjudges.exceptions import DocumentError, JudgmentsError, PlanError
from tests.support.messages import ANYTHING, refused

OBJECTS = ["p", "q", "r"]
ATTRIBUTES = ("a", "b")


def plan_of(path, *, attributes=ATTRIBUTES, costs=None, budget=100.0):
    """A plan that picks attributes in the order of a text."""
    picks = np.array([attributes.index(name) for name in path], dtype=np.int64)
    prices = np.ones(len(attributes)) if costs is None else np.array([costs.get(name, 1.0) for name in attributes])
    return Plan(tuple(attributes), prices, budget, "given", 1.0, picks, np.linspace(0, 0.5, len(picks)))


def planner_of(*paths, **more):
    """A planner that gives one plan after the other, and then the last one for ever."""
    left = list(paths)

    def planner(judgments, outlook):
        return plan_of(left.pop(0) if len(left) > 1 else left[0], **more)

    return planner


def answers(requests, *, first=0, workers=True):
    """Judgments for requests; the workers of a pair are numbered from ``first``."""
    rows = [
        (row.object, row.attribute, f"w{first + j:03d}", float(first + j))
        for row in requests.itertuples()
        for j in range(row.count)
    ]
    frame = pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"])
    return frame if workers else frame.drop(columns="worker")


def pairs(requests):
    """Counts by pair, and nothing twice."""
    counted = {(row.object, row.attribute): row.count for row in requests.itertuples()}
    assert len(counted) == len(requests)
    return counted


def started(*paths, **more):
    return Campaign(planner_of(*paths), OBJECTS, **({"attributes": ATTRIBUTES, "budget": 10} | more))


def test_the_pilot_comes_first():
    campaign = started("aab")
    assert campaign.judgments is None
    assert campaign.plan is None
    assert campaign.round == 0
    requests = campaign.ask()
    assert list(requests.columns) == ["object", "attribute", "count", "cost"]
    assert pairs(requests) == {(o, a): 2 for o in OBJECTS for a in ATTRIBUTES}
    assert campaign.round == 1
    assert campaign.pending.equals(requests.drop(columns="cost"))
    again = campaign.ask()
    assert again.empty
    assert list(again.columns) == list(requests.columns)


def test_a_round_may_come_in_parts():
    campaign = started("aaab")
    came = answers(campaign.ask())
    campaign.tell(came[:5])
    assert campaign.pending["count"].sum() == 7
    assert campaign.ask().empty
    assert campaign.plan is None
    campaign.tell(came[:0])
    campaign.tell(pd.DataFrame())
    campaign.tell(Judgments.from_frame(came[5:]))
    assert campaign.pending.empty
    assert campaign.plan.repeats == {"a": 3, "b": 1}
    assert pairs(campaign.ask()) == dict.fromkeys([("p", "a"), ("q", "a"), ("r", "a")], 1)


def test_it_plans_again_until_the_plan_stands():
    campaign = started("aaab", "aabbb", costs={"b": 2})
    campaign.tell(answers(campaign.ask()))
    campaign.tell(answers(campaign.ask(), first=2))
    requests = campaign.ask()
    assert pairs(requests) == dict.fromkeys([("p", "b"), ("q", "b"), ("r", "b")], 1)
    assert requests["cost"].tolist() == [2, 2, 2]
    assert not campaign.done
    campaign.tell(answers(requests, first=2))
    assert campaign.done
    assert campaign.reason == "the plan stands"
    assert campaign.ask().empty
    assert (campaign.bought, campaign.spent, campaign.round) == (18, 27, 3)
    assert campaign.to_frame()["new"].tolist() == [12, 3, 3]
    assert campaign.to_frame()["spent"].tolist() == [18, 21, 27]
    assert [r.plan.repeats for r in campaign.history] == [{"a": 3, "b": 1}, {"a": 2, "b": 3}, {"a": 2, "b": 3}]


def test_an_honest_error_is_handed_on():
    def planner(judgments, outlook):
        return Proposal(plan_of("ab"), loss=np.float64(0.25), std_error=0.01, note="by hand")

    campaign = Campaign(planner, OBJECTS, attributes=ATTRIBUTES, budget=10)
    assert campaign.status().loss is None
    campaign.tell(answers(campaign.ask()))
    status = campaign.status()
    assert (status.loss, status.std_error, status.done) == (0.25, 0.01, True)
    assert campaign.history[0].note == "by hand"
    lines = str(status).splitlines()
    assert lines[0] == "round 1: 12 judgments bought for 12"
    assert lines[1].startswith("Plan for a budget of 100")
    assert lines[2:] == ["error to expect on new objects: 0.5 (0.4795 to 0.5213)", "done: the plan stands"]
    assert repr(campaign).startswith("Campaign of 2 attributes on 3 objects\nround 1")


def test_the_planner_is_told_what_can_still_be_bought():
    told = []

    def planner(judgments, outlook):
        told.append(outlook)
        return plan_of("aaab")

    campaign = Campaign(planner, OBJECTS, attributes=ATTRIBUTES, budget=10, spending_limit=14)
    campaign.tell(answers(campaign.ask()))
    assert told[0].caps == {}
    assert told[0].lacking(plan_of("aaab")) == 2, "of the three that are missing, the money pays for two"
    assert told[0].lacking(plan_of("aab")) == 0
    campaign.ask()
    campaign.give_up()
    assert len(told) == 2
    assert told[0].lacking(plan_of("aaab")) == 2, "what was told stays as it was"
    assert told[1].caps == campaign.caps == {"a": 2}
    assert told[1].lacking(plan_of("aaab")) == campaign.outlook.lacking(plan_of("aaab")) == 0


def test_status_before_anything_came():
    campaign = started("a")
    assert str(campaign.status()) == "round 0: 0 judgments bought for 0"
    campaign.ask()
    assert str(campaign.status()) == "round 1: 0 judgments bought for 0, 12 pending"
    assert campaign.to_frame().empty


def test_more_than_was_asked_is_taken_and_paid_for():
    campaign = started("aaaab")
    requests = campaign.ask()
    campaign.tell(answers(requests.assign(count=3)))
    assert (campaign.bought, campaign.spent) == (18, 18)
    assert pairs(campaign.ask()) == dict.fromkeys([("p", "a"), ("q", "a"), ("r", "a")], 1)


def test_what_was_there_before_counts_for_the_pilot():
    campaign = started("aaab")
    everything = answers(started("a").ask())
    campaign.tell(everything[1:])
    assert campaign.plan is None
    assert pairs(campaign.ask()) == {("p", "a"): 1}
    whole = started("aaab")
    whole.tell(everything)
    assert whole.round == 0
    assert whole.history[0].number == 0
    assert whole.plan.repeats == {"a": 3, "b": 1}
    assert whole.ask()["count"].tolist() == [1, 1, 1]


def test_what_comes_late_is_kept():
    campaign = started("ab")
    campaign.tell(answers(campaign.ask()))
    assert campaign.done
    campaign.tell(pd.DataFrame({"object": ["p"], "attribute": ["a"], "worker": ["late"], "value": [1]}))
    assert campaign.bought == 13
    assert campaign.done


def test_the_planner_sees_all_objects_in_the_order_of_the_campaign():
    seen = []

    def planner(judgments, outlook):
        seen.append(judgments)
        return plan_of("b", attributes=("b", "a"))

    campaign = Campaign(planner, ["z", "c", "y"], attributes=["b", "a"], budget=5, pilot=1)
    requests = campaign.ask()
    campaign.tell(answers(requests[requests["object"] != "c"].sample(frac=1, random_state=0)))
    campaign.give_up()
    assert seen[0].objects.tolist() == ["z", "c", "y"]
    assert seen[0].attributes == ("b", "a")
    assert seen[0].counts().to_numpy().tolist() == [[1, 1], [0, 0], [1, 1]]


def test_a_plan_may_name_attributes_in_any_order():
    plan = plan_of("aaab", attributes=("x", "b", "a"))
    campaign = Campaign(lambda judgments, outlook: plan, OBJECTS, attributes=ATTRIBUTES, budget=10)
    campaign.tell(answers(campaign.ask()))
    assert set(campaign.ask()["attribute"]) == {"a"}


@pytest.mark.parametrize(
    ("wrong", "column"),
    [
        (None, "planner"),
        (plan_of("x", attributes=("x",)), "attribute"),
        (plan_of("a" * 11), "budget"),
        (Proposal("aab"), "planner"),
        (replace(plan_of("aab"), label_variance=float("nan")), "label_variance"),
    ],
)
def test_plans_that_cannot_be_followed(wrong, column):
    given_plans = iter([wrong, plan_of("ab")])
    campaign = Campaign(lambda judgments, outlook: next(given_plans), OBJECTS, attributes=ATTRIBUTES, budget=10)
    requests = campaign.ask()
    with refused(PlanError, column=column):
        campaign.tell(answers(requests))
    assert campaign.bought == 12
    assert campaign.plan is None
    assert not campaign.done
    assert campaign.ask().empty, "the planner was tried again"
    assert campaign.reason == "the plan stands"


def test_a_planner_that_failed_is_tried_again_when_saved_and_resumed():
    def failing(judgments, outlook):
        raise RuntimeError("no plan today")

    campaign = Campaign(failing, OBJECTS, attributes=ATTRIBUTES, budget=10)
    requests = campaign.ask()
    with pytest.raises(RuntimeError):
        campaign.tell(answers(requests))
    with pytest.raises(RuntimeError):
        campaign.tell(pd.DataFrame())
    with pytest.raises(RuntimeError):
        campaign.give_up()
    again = Campaign.from_json(campaign.to_json(), planner_of("aaab"))
    assert again.bought == 12
    assert again.ask()["count"].sum() == 3


@pytest.mark.parametrize(
    ("change", "error", "row", "column"),
    [
        ({"object": "s"}, JudgmentsError, None, "object"),
        ({"attribute": "A"}, JudgmentsError, None, "attribute"),
        ({"value": float("nan")}, JudgmentsError, 4, "value"),
        ({"value": "many"}, JudgmentsError, 4, "value"),
        ({"worker": "w000"}, JudgmentsError, 4, "worker"),
        ({"worker": pd.Timestamp(0)}, JudgmentsError, None, "workers"),
        ({"worker": None}, JudgmentsError, 4, "worker"),
    ],
)
def test_all_is_taken_or_nothing(change, error, row, column):
    campaign = started("aab")
    came = answers(campaign.ask()).astype(object)
    before = campaign.to_json()
    wrong = came.copy()
    for name, value in change.items():
        wrong.loc[3, name] = value
    with refused(error, row=row, column=column):
        campaign.tell(wrong)
    assert campaign.to_json() == before
    campaign.tell(came)
    with refused(JudgmentsError, value="w000", row=1, column="worker"):
        campaign.tell(came[:1])
    with refused(JudgmentsError, column="worker"):
        campaign.tell(came[:1].drop(columns="worker"))
    with refused(JudgmentsError, value="p"):
        campaign.tell("p")
    assert campaign.bought == 12


def test_what_will_not_come_is_not_asked_for_again():
    campaign = started("aaaab")
    campaign.give_up()
    assert not campaign.done, "nothing was pending"
    campaign.tell(answers(campaign.ask()))
    requests = campaign.ask()
    campaign.tell(answers(requests[requests["object"] != "q"], first=2))
    campaign.give_up()
    assert campaign.caps == {}, "one object is not typical"
    assert campaign.done
    assert campaign.reason == "nothing more can be had"


def test_caps_follow_the_typical_object():
    campaign = started("aaaaa", "aaaa", "aaab")
    campaign.tell(answers(campaign.ask()))
    requests = campaign.ask()
    campaign.tell(answers(requests.assign(count=[0, 1, 3]), first=2))
    campaign.give_up()
    assert campaign.caps == {"a": 3}
    assert campaign.plan.repeats == {"a": 4}, "the plan is the planner's own"
    assert campaign.reason == "nothing more can be had"


def test_nothing_comes_at_all():
    campaign = started("a")
    campaign.ask()
    campaign.give_up()
    assert campaign.done
    assert campaign.reason == "nothing more can be had"
    assert campaign.plan is None
    assert campaign.caps == {"a": 0, "b": 0}
    again = Campaign.from_json(campaign.to_json(), planner_of("a"))
    assert again.done


def test_the_spending_limit_cuts_what_is_least_valuable():
    campaign = started("abbbaa", spending_limit=16)
    campaign.tell(answers(campaign.ask()))
    requests = campaign.ask()
    assert pairs(requests) == {("p", "b"): 1, ("q", "b"): 1, ("r", "b"): 1, ("p", "a"): 1}
    campaign.tell(answers(requests, first=2))
    assert campaign.reason == "the spending limit is reached"
    assert campaign.spent == 16


def test_real_costs_meet_the_limit():
    campaign = started("aaaaaaa", costs={"a": 0.1, "b": 0.7}, spending_limit=5.7)
    assert campaign.ask()["cost"].sum() == pytest.approx(4.8)
    campaign.tell(answers(campaign.pending))
    campaign.tell(answers(campaign.ask(), first=2))
    assert campaign.bought == 12 + 9
    assert campaign.spent <= 5.7
    assert campaign.spent == pytest.approx(5.7)
    assert campaign.reason == "the spending limit is reached"


def test_what_nobody_asked_for_may_use_up_the_money():
    campaign = started("aaab", spending_limit=12)
    campaign.tell(answers(campaign.ask()))
    assert campaign.reason == "the spending limit is reached"
    early = started("aaab", spending_limit=12)
    early.tell(answers(pd.DataFrame({"object": ["p"], "attribute": ["a"], "count": [7]})))
    requests = early.ask()
    assert requests["cost"].sum() == 5
    assert set(requests["attribute"]) == {"a", "b"}
    early.tell(answers(requests))
    assert early.reason == "the spending limit is reached"
    assert early.plan.repeats == {"a": 3, "b": 1}


@pytest.mark.parametrize(
    ("change", "error", "value"),
    [
        ({"spending_limit": 11.9}, PlanError, ANYTHING),
        ({"spending_limit": -1}, PlanError, -1),
        ({"spending_limit": "12"}, PlanError, "12"),
        ({"spending_limit": float("nan")}, PlanError, ANYTHING),
        ({"pilot": 0}, PlanError, 0),
        ({"pilot": 1.5}, PlanError, 1.5),
        ({"pilot": True}, PlanError, True),
        ({"budget": -1}, PlanError, -1),
        ({"costs": {"c": 1}}, PlanError, ANYTHING),
        ({"attributes": []}, JudgmentsError, ANYTHING),
        ({"attributes": "ab"}, JudgmentsError, "ab"),
        ({"attributes": ["a", "a"]}, JudgmentsError, "a"),
        ({"objects": []}, JudgmentsError, ANYTHING),
        ({"objects": 3}, JudgmentsError, 3),
        ({"objects": [1, True]}, JudgmentsError, True),
        ({"objects": [" "]}, JudgmentsError, ANYTHING),
        ({"objects": ["\ud800"]}, JudgmentsError, ANYTHING),
        ({"objects": [float("nan")]}, JudgmentsError, ANYTHING),
        ({"objects": [None]}, JudgmentsError, None),
        ({"planner": 3}, PlanError, 3),
        ({"planner": lambda judgments: None}, PlanError, ANYTHING),
    ],
    ids=lambda each: f"{str(*each)} {str(*each.values())[:9]}" if isinstance(each, dict) else "",
)
def test_campaigns_that_make_no_sense(change, error, value):
    options = {"planner": planner_of("a"), "objects": OBJECTS, "attributes": ATTRIBUTES, "budget": 10} | change
    with refused(error, value=value):
        Campaign(options.pop("planner"), options.pop("objects"), **options)


@pytest.mark.parametrize(
    "objects",
    [
        ["7", "x"],
        [7, 8],
        [7, 2.5],
        [0.1, 0.2],
        [True, False],
        [1, "1", 2.5],
        [1 << 70, 3],
        np.array([3, 4], dtype=np.uint8),
        pd.Index(["u", "v"]),
    ],
    ids=repr,
)
@pytest.mark.parametrize("workers", [True, False])
def test_names_come_back_as_they_were(objects, workers):
    campaign = Campaign(planner_of("aaab"), objects, attributes=ATTRIBUTES, budget=10)
    campaign.tell(answers(campaign.ask(), workers=workers))
    asked = campaign.ask()
    again = Campaign.from_json(campaign.to_json(), planner_of("aaab"))
    assert again.objects.dtype == campaign.objects.dtype
    plain = [o.item() if hasattr(o, "item") else o for o in objects]
    assert [(type(o), o) for o in again.objects.tolist()] == [(type(o), o) for o in plain]
    assert again.judgments.to_frame().equals(campaign.judgments.to_frame())
    for one in (campaign, again):
        one.tell(answers(asked, first=2, workers=workers))
        assert one.reason == "the plan stands"
    assert again.to_json() == campaign.to_json()


@pytest.mark.parametrize("names", [[1, 2, 3], ["a", 2, 1.5], [0.5, 1.5, 2.5]])
def test_workers_come_back_as_they_were(names):
    campaign = started("aaab", pilot=3)
    requests = campaign.ask()
    came = answers(requests)
    came["worker"] = pd.Series(names * (len(came) // 3), dtype=object if "a" in names else None)
    campaign.tell(came)
    again = Campaign.from_json(campaign.to_json(), planner_of("aaab"))
    assert again.judgments.workers.dtype == campaign.judgments.workers.dtype
    assert again.judgments.workers.tolist() == campaign.judgments.workers.tolist()


def test_json_can_be_read_by_a_person():
    campaign = started("aaab", spending_limit=100)
    requests = campaign.ask()
    campaign.tell(answers(requests[:3]))
    document = json.loads(campaign.to_json())
    assert document["format"] == "manyjudges.campaign/1"
    assert document["objects"] == OBJECTS
    assert document["pending"] == {"a": [0, 0, 2], "b": [0, 2, 2]}
    assert document["judgments"]["counts"] == {"a": [2, 2, 0], "b": [2, 0, 0]}
    assert document["judgments"]["workers"] == ["w000", "w001"]
    assert document["spending_limit"] == 100


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("format",), "manyjudges.plan/1"),
        (("objects",), None),
        (("prices",), {"a": 1}),
        (("pilot",), "2"),
        (("round",), -1),
        (("reason",), "tired"),
        (("pending",), {"c": [1, 1, 1]}),
        (("pending",), {"a": [1, 1]}),
        (("pending",), {"a": [1, 1, -1]}),
        (("dry",), {"a": [[1], [1, 2], 3]}),
        (("dry",), {"a": 1}),
        (("judgments",), []),
        (("judgments", "counts"), {"a": [1, 1, 1 << 62]}),
        (("judgments", "by"), [0] * 15),
        (("judgments", "by"), [99] * 15),
        (("judgments", "workers"), [None]),
        (("judgments", "values"), [1.0]),
        (("judgments", "values"), ["1.0"] * 15),
        (("judgments", "values"), [10**400] * 15),
        (("history",), [3]),
        (("history", 0, "number"), None),
        (("history", 0, "plan"), None),
        (("history", 0, "loss"), "small"),
        (("budget",), 1),
        (("spending_limit",), 1),
    ],
    ids=str,
)
def test_damaged_documents_are_refused(where, value):
    campaign = started("aaab")
    campaign.tell(answers(campaign.ask()))
    campaign.tell(answers(campaign.ask(), first=2))
    document = json.loads(campaign.to_json())
    assert len(document["judgments"]["by"]) == 15
    part = document
    for key in where[:-1]:
        part = part[key]
    part[where[-1]] = value
    with pytest.raises((DocumentError, PlanError, JudgmentsError)):
        Campaign.from_json(json.dumps(document), planner_of("a"))


def fickle(seed, attributes, costs, budget):
    """A planner that changes its mind with every judgment, by chance, but the same way for the same judgments."""

    def planner(judgments, outlook):
        frame = judgments.to_frame()
        rng = np.random.default_rng([seed, len(frame), int(frame["value"].sum())])
        picks, left = [], budget
        while (affordable := [a for a in attributes if costs[a] <= left]) and rng.random() < 0.9:
            picks.append(str(rng.choice(affordable)))
            left -= costs[picks[-1]]
        return Proposal(plan_of(picks, attributes=attributes, costs=costs, budget=budget), loss=float(rng.random()))

    return planner


def problem(seed):
    """A random campaign, made anew at each call, and its planner."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    attributes = tuple("abc"[:d])
    costs = {a: float(rng.choice([0.1, 0.5, 1.0, 2.0])) for a in attributes}
    pilot = int(rng.integers(1, 3))
    least = n * pilot * sum(costs.values())
    limit = None if rng.random() < 0.3 else least * float(rng.uniform(1, 4))
    planner = fickle(seed, attributes, costs, budget=float(rng.uniform(0, 8)) + max(costs.values()))

    def make():
        return Campaign(
            planner, range(n), attributes=attributes, budget=20, pilot=pilot, costs=costs, spending_limit=limit
        )

    return make, planner


def some_of(pending, judged, rng, workers):
    """A random part of what is pending, perhaps with a few that nobody asked for; ``judged`` numbers the workers."""
    rows = []
    for row in pending.itertuples():
        for _ in range(int(rng.integers(0, row.count + 1 + (rng.random() < 0.05)))):
            j = judged[row.object, row.attribute] = judged.get((row.object, row.attribute), -1) + 1
            rows.append((row.object, row.attribute, f"w{j}", float(rng.integers(0, 9))))
    frame = pd.DataFrame(rows, columns=["object", "attribute", "worker", "value"])
    return frame if workers else frame.drop(columns="worker")


def play(campaign, seed, moves, resume=None):
    """Play moves on a campaign; at a save, go on with what ``resume`` makes of it."""
    rng, judged, asked = np.random.default_rng(seed), {}, []
    for move in moves:
        if move == "ask":
            asked.append(campaign.ask())
        elif move == "tell":
            campaign.tell(some_of(campaign.pending, judged, rng, workers=seed % 2 == 0))
        elif move == "give up":
            campaign.give_up()
        elif resume is not None:
            campaign = resume(campaign)
    return campaign, asked


MOVES = st.lists(st.sampled_from(["ask", "ask", "tell", "tell", "tell", "give up", "save", "save"]), max_size=40)


@given(st.integers(0, 10_000), MOVES)
def test_a_resumed_campaign_goes_on_as_the_saved_one_would_have(seed, moves):
    make, planner = problem(seed)
    straight, asked = play(make(), seed, moves)
    resumed, asked_again = play(make(), seed, moves, resume=lambda c: Campaign.from_json(c.to_json(), planner))
    assert resumed.to_json() == straight.to_json()
    assert resumed.history == straight.history
    assert resumed.status() == straight.status()
    assert resumed.caps == straight.caps
    for one, other in zip(asked, asked_again, strict=True):
        pd.testing.assert_frame_equal(one, other)
    if straight.judgments is not None:
        pd.testing.assert_frame_equal(resumed.judgments.to_frame(), straight.judgments.to_frame())
        assert resumed.judgments.workers.tolist() == straight.judgments.workers.tolist()


@pytest.mark.slow
@given(st.integers(0, 10_000), MOVES)
def test_counts_are_conserved_and_nothing_is_asked_twice(seed, moves):
    make, _ = problem(seed)
    campaign, rng, judged = make(), np.random.default_rng(seed), {}
    shape = (len(campaign.objects), len(campaign.attributes))
    asked, came, gone = (np.zeros(shape, dtype=np.int64) for _ in range(3))

    def matrix(frame):
        counts = np.zeros(shape, dtype=np.int64)
        columns = [campaign.attributes.index(name) for name in frame["attribute"]]
        np.add.at(counts, (frame["object"].to_numpy(dtype=int), columns), frame.get("count", 1))
        return counts

    for move in [*moves, "ask", "give up", "ask"]:
        pending = matrix(campaign.pending)
        if move == "ask":
            new = matrix(campaign.ask())
            wanted = campaign.pilot if campaign.plan is None else 0
            if campaign.plan is not None:
                wanted = np.array([campaign.plan.repeats.get(name, 0) for name in campaign.attributes])
            assert not (new * pending).any()
            assert not (new * gone).any(), "what was given up is never asked for again"
            assert ((came + new <= wanted) | (new == 0)).all()
            asked += new
            if campaign.spending_limit is not None and new.any():
                total = (matrix(campaign.pending) + came).sum(axis=0) @ list(campaign.costs.values())
                assert total <= campaign.spending_limit * (1 + 1e-8)
        elif move == "tell":
            frame = some_of(campaign.pending, judged, rng, workers=True)
            came += matrix(frame)
            asked += np.maximum(matrix(frame) - pending, 0)  # a surplus counts as asked for
            campaign.tell(frame)
        elif move == "give up":
            gone += pending
            campaign.give_up()
        assert (asked == came + matrix(campaign.pending) + gone).all()
        assert campaign.bought == came.sum()
        assert campaign.spent == pytest.approx(came.sum(axis=0) @ list(campaign.costs.values()))


@given(st.integers(0, 10_000))
def test_every_campaign_ends(seed):
    make, _ = problem(seed)
    campaign, rng = make(), np.random.default_rng(seed)
    values = rng.integers(0, 9, (len(campaign.objects), len(campaign.attributes), 12)).astype(float)
    values[rng.random(values.shape) < rng.random()] = np.nan
    recorded = Judgments.from_array(values, attributes=campaign.attributes, allow_empty=True)
    seen = []
    drive(campaign, RecordedJudge(recorded, random_state=seed), progress=seen.append)
    assert campaign.done
    assert campaign.reason
    assert campaign.ask().empty
    assert campaign.pending.empty
    assert len(seen) <= values.size + 1
    if campaign.spending_limit is not None:
        assert campaign.spent <= campaign.spending_limit
    if campaign.reason == "the plan stands":
        assert campaign.plan.missing(campaign.judgments).empty
