from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges import Judgments, Plan, simulate
from manyjudges.campaign import Campaign, RecordedJudge, drive
from manyjudges.exceptions import JudgmentsError, PlanError
from tests.support.messages import refused
from tests.support.plain import unbalanced_frame


def requests(*rows):
    return pd.DataFrame(rows, columns=["object", "attribute", "count"])


def test_recorded_judgments_are_given_once(frame):
    recorded = Judgments.from_frame(frame)
    judge = RecordedJudge(recorded, random_state=0)
    first = judge(requests(("jar 1", "beans", 1), ("jar 2", "round", 5)))
    assert list(first.columns) == ["object", "attribute", "worker", "value"]
    assert first["attribute"].tolist() == ["beans", "round", "round"]
    second = judge(requests(*[(o, a, 9) for o in recorded.objects for a in recorded.attributes]))
    assert len(first) + len(second) == len(recorded)
    assert (Judgments.from_frame(first) + Judgments.from_frame(second)).to_frame().equals(recorded.to_frame())
    assert judge.remaining.empty
    assert judge(requests(("jar 1", "beans", 1))).empty


def test_workers_that_are_not_known():
    judge = RecordedJudge(Judgments.from_array(np.arange(6.0).reshape(1, 2, 3)), random_state=0)
    answer = judge(requests((0, "x1", 2)))
    assert list(answer.columns) == ["object", "attribute", "value"]
    assert judge.remaining.to_dict(orient="records") == [
        {"object": 0, "attribute": "x0", "count": 3},
        {"object": 0, "attribute": "x1", "count": 1},
    ]


def test_draws_are_at_random():
    recorded = Judgments.from_array(np.tile(np.arange(10.0), (400, 1, 1)))
    answers = RecordedJudge(recorded, random_state=0)(requests(*[(o, "x0", 1) for o in range(400)]))
    assert np.bincount(answers["value"].astype(int), minlength=10).min() > 20
    same = RecordedJudge(recorded, random_state=0)(requests(*[(o, "x0", 1) for o in range(400)]))
    assert same.equals(answers)
    other = RecordedJudge(recorded, random_state=1)(requests(*[(o, "x0", 1) for o in range(400)]))
    assert not other.equals(answers)


@pytest.mark.slow
@given(st.integers(0, 10_000))
def test_what_a_pair_gets_does_not_depend_on_the_others(seed):
    rng = np.random.default_rng(seed)
    recorded = Judgments.from_frame(unbalanced_frame(rng, n_objects=4))
    pairs = requests(*[(o, a, int(rng.integers(0, 4))) for o in recorded.objects for a in recorded.attributes])
    together = RecordedJudge(recorded, random_state=seed)(pairs)
    judge = RecordedJudge(recorded, random_state=seed)
    singly = pairs.loc[pairs.index.repeat(pairs["count"])].assign(count=1)
    parts = [
        judge(row.to_frame().T.astype({"count": int})) for _, row in singly.sample(frac=1, random_state=seed).iterrows()
    ]
    apart = pd.concat([together.iloc[:0], *parts])
    order = ["object", "attribute", "value"]
    pd.testing.assert_frame_equal(
        apart.sort_values(order).reset_index(drop=True),
        together.sort_values(order).reset_index(drop=True),
        check_dtype=False,
    )


def test_the_same_pair_in_two_rows(frame):
    judge = RecordedJudge(Judgments.from_frame(frame), random_state=0)
    assert len(judge(requests(("jar 1", "beans", 1), ("jar 1", "beans", 1)))) == 2


def test_a_new_judge_goes_on_after_skipping(frame):
    recorded = Judgments.from_frame(frame)
    everything = requests(*[(o, a, 1) for o in recorded.objects for a in recorded.attributes])
    judge, again = RecordedJudge(recorded, random_state=3), RecordedJudge(recorded, random_state=3)
    again.skip(Judgments.from_frame(judge(everything)))
    assert again(everything).equals(judge(everything))


def test_requests_that_make_no_sense(frame):
    judge = RecordedJudge(Judgments.from_frame(frame))
    with refused(JudgmentsError, value="jar 9", column="object"):
        judge(requests(("jar 1", "beans", 1), ("jar 9", "beans", 1)))
    with refused(JudgmentsError, value="beens", column="attribute"):
        judge(requests(("jar 1", "beens", 1)))
    for count in (-1, 0.5):
        with refused(JudgmentsError, column="count"):
            judge(requests(("jar 1", "beans", count)))
    assert judge.remaining["count"].sum() == len(frame), "nothing is drawn when something is wrong"
    with refused(JudgmentsError, column="judgments"):
        RecordedJudge(frame)


def fixed_plan(**repeats):
    picks = np.repeat(np.arange(len(repeats)), list(repeats.values()))
    return Plan(tuple(repeats), np.ones(len(repeats)), 20.0, "given", 1.0, picks, np.linspace(0, 0.5, len(picks)))


def test_drive_runs_to_the_end_and_tells_of_each_round():
    crowd = simulate.gaussian(n_objects=5, n_attributes=2, random_state=0)
    plan = fixed_plan(a0=3, a1=1)
    campaign = Campaign(lambda judgments, outlook: plan, crowd.objects, attributes=crowd.attributes, budget=20)
    seen = []
    drive(campaign, crowd.judge, progress=seen.append)
    assert [status.bought for status in seen] == [20, 25]
    assert [status.done for status in seen] == [False, True]
    assert campaign.reason == "the plan stands"
    drive(campaign, crowd.judge, progress=seen.append)
    assert len(seen) == 2, "what is done is done"


def test_pools_that_run_dry_cap_the_attribute():
    values = np.full((6, 2, 5), np.nan)
    values[:, 0, :3] = 1.0
    values[0, 0, :] = 2.0
    values[:, 1, :] = 3.0
    recorded = Judgments.from_array(values, attributes=["few", "many"])
    plan = fixed_plan(few=5, many=4)
    campaign = Campaign(lambda judgments, outlook: plan, recorded.objects, attributes=recorded.attributes, budget=20)
    drive(campaign, RecordedJudge(recorded, random_state=0))
    assert campaign.reason == "nothing more can be had"
    assert campaign.caps == {"few": 3}
    assert campaign.judgments.counts()["few"].tolist() == [5, 3, 3, 3, 3, 3]
    assert campaign.judgments.counts()["many"].tolist() == [4] * 6


def test_an_interrupted_drive_can_be_saved_and_goes_on():
    crowd = simulate.gaussian(n_objects=5, n_attributes=2, random_state=0)
    recorded = crowd.pilot(6)
    plan = fixed_plan(a0=3, a1=1)

    def interrupted(_):
        raise KeyboardInterrupt

    campaign = Campaign(lambda judgments, outlook: plan, recorded.objects, attributes=recorded.attributes, budget=20)
    with pytest.raises(KeyboardInterrupt):
        drive(campaign, interrupted)
    assert campaign.pending["count"].sum() == 20
    judge = RecordedJudge(recorded, random_state=1)
    with pytest.raises(KeyboardInterrupt):
        drive(campaign, judge, progress=interrupted)
    again = Campaign.from_json(campaign.to_json(), lambda judgments, outlook: plan)
    resumed = RecordedJudge(recorded, random_state=1)
    resumed.skip(again.judgments)
    drive(campaign, judge)
    drive(again, resumed)
    assert again.done
    assert again.to_json() == campaign.to_json()


def test_a_planner_that_fails_loses_nothing():
    crowd = simulate.gaussian(n_objects=5, n_attributes=2, random_state=0)
    answers = iter([RuntimeError("not now"), fixed_plan(a0=2, a1=1)])

    def planner(judgments, outlook):
        if isinstance(answer := next(answers), Exception):
            raise answer
        return answer

    campaign = Campaign(planner, crowd.objects, attributes=crowd.attributes, budget=20)
    with pytest.raises(RuntimeError, match="not now"):
        drive(campaign, crowd.judge)
    assert campaign.bought == 20
    seen = []
    drive(campaign, crowd.judge, progress=seen.append)
    assert campaign.reason == "the plan stands"
    assert campaign.bought == 20
    assert len(seen) == 1


@pytest.mark.parametrize("requests", [None, 3, pd.DataFrame(), pd.DataFrame({"object": [1]})])
def test_requests_that_are_none(requests, beans):
    judge = RecordedJudge(beans[1], random_state=0)
    with refused(JudgmentsError, column="requests"):
        judge(requests)
    with refused(PlanError, value="a", column="random_state"):
        RecordedJudge(beans[1], random_state="a")
