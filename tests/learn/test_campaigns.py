from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments, Moments, RecordedJudge, fit_predictor, run_campaign, select, simulate
from manyjudges.exceptions import JudgmentsError, LabelsError, ManyJudgesError, PlanError
from tests.support.messages import refused


@pytest.fixture(scope="module")
def crowd():
    return simulate.gaussian(80, 6, random_state=4)


@pytest.fixture(scope="module")
def result(crowd):
    fresh = simulate.gaussian(80, 6, random_state=4)
    return run_campaign(
        fresh.judge, fresh.objects, fresh.labels, attributes=fresh.attributes, budget=15, random_state=0
    )


def test_the_plan_stands_in_the_end(result, crowd):
    assert result.reason == "the plan stands"
    assert result.plan.missing(result.judgments).empty
    assert result.plan.cost <= 15
    assert result.spent == len(result.judgments) == result.history[-1].spent
    assert [entry.number for entry in result.history] == list(range(1, len(result.history) + 1))
    assert result.history[0].bought == 80 * 6 * 2
    assert all(entry.loss > 0 and entry.std_error > 0 and entry.note for entry in result.history)
    assert len(result.to_frame()) == len(result.history)
    assert result.model.plan == result.plan
    assert "the plan stands" in repr(result)
    assert [warning.kind for warning in result.warnings] == []


@pytest.mark.slow
def test_planning_again_predicts_better_than_planning_once():
    once, again = [], []
    for seed in range(6):
        crowd = simulate.gaussian(150, 12, random_state=seed)
        pilot = crowd.pilot(2)
        plan = select(Moments.estimate(pilot, crowd.labels), 40)
        bought = pilot + Judgments.from_frame(crowd.judge(plan.missing(pilot)))
        once.append(fit_predictor(plan, bought, crowd.labels).expected_loss(crowd.truth))
        fresh = simulate.gaussian(150, 12, random_state=seed)
        options = {"attributes": fresh.attributes, "budget": 40, "random_state": 0}
        done = run_campaign(fresh.judge, fresh.objects, fresh.labels, **options)
        again.append(done.model.expected_loss(fresh.truth))
    assert np.mean(again) < np.mean(once)


def test_a_recorded_judge_runs_dry_and_the_attribute_is_capped(crowd):
    records = crowd.more(60)
    frame = records.pilot(4).to_frame()
    labels = records.labels
    judge = RecordedJudge(Judgments.from_frame(frame), random_state=0)
    result = run_campaign(judge, records.objects, labels, attributes=records.attributes, budget=30, random_state=0)
    assert max(result.plan.repeats.values()) <= 4 or result.reason == "nothing more can be had"
    assert result.campaign.caps
    assert all(cap == 4 for cap in result.campaign.caps.values())
    assert result.plan.max_repeats is not None
    assert result.judgments.cells().count.max() == 4
    assert result.reason in ("the plan stands", "nothing more can be had")


def test_the_spending_limit_holds(crowd):
    fresh = crowd.more(50)
    result = run_campaign(
        fresh.judge,
        fresh.objects,
        fresh.labels,
        attributes=fresh.attributes,
        budget=20,
        method="full",
        spending_limit=700,
        costs={"a0": 2.0},
        random_state=0,
    )
    assert result.reason == "the spending limit is reached"
    assert 690 < result.spent <= 700
    with refused(PlanError, value=900.0, column="spending_limit"):
        run_campaign(
            fresh.judge,
            fresh.objects,
            fresh.labels,
            attributes=fresh.attributes,
            budget=20,
            pilot=3,
            spending_limit=700,
        )


def test_the_same_seed_gives_the_same_campaign():
    def run():
        crowd = simulate.gaussian(60, 5, random_state=9)
        options = {"attributes": crowd.attributes, "budget": 10, "random_state": 3}
        return run_campaign(crowd.judge, crowd.objects, crowd.labels, **options)

    first, second = run(), run()
    assert first.plan == second.plan
    assert first.model.coefficients.tolist() == second.model.coefficients.tolist()
    assert first.to_frame().equals(second.to_frame())


def test_labels_by_position_and_progress(crowd):
    fresh, seen = crowd.more(40), []
    result = run_campaign(
        fresh.judge,
        fresh.objects,
        fresh.labels.to_numpy(),
        attributes=fresh.attributes,
        budget=8,
        method="exchange",
        progress=seen.append,
    )
    assert len(seen) == len(result.history)
    assert seen[-1].done
    assert result.choice.method == "exchange"


def test_attributes_without_noise(crowd):
    rng = np.random.default_rng(0)
    exact = rng.normal(size=50)

    def judge(requests):
        rows = requests.loc[requests.index.repeat(requests["count"])]
        values = exact[rows["object"].to_numpy(dtype=int)] + (rows["attribute"] == "vague") * rng.normal(size=len(rows))
        return rows[["object", "attribute"]].assign(value=values)

    labels = exact + 0.1 * rng.normal(size=50)
    options = {"attributes": ["clear", "vague"], "budget": 5, "noiseless": ["clear"]}
    result = run_campaign(judge, range(50), labels, **options)
    assert result.plan.repeats["clear"] == 1


@pytest.mark.parametrize(
    ("change", "error", "value", "column"),
    [
        ({"method": "best"}, PlanError, "best", "method"),
        ({"pilot": 1}, PlanError, 1, "pilot"),
        ({"budget": -1}, PlanError, -1, "budget"),
        ({"noiseless": ["zz"]}, PlanError, "zz", "noiseless"),
        ({"costs": {"zz": 3}}, PlanError, "zz", "costs"),
        ({"labels": [1.0, 2.0]}, LabelsError, (2,), "labels"),
        ({"judge": 3}, PlanError, 3, "judge"),
        ({"attributes": "abc"}, PlanError, "abc", "attributes"),
        ({"noiseless": "a0"}, PlanError, "a0", "noiseless"),
        ({"random_state": -1}, PlanError, -1, "random_state"),
        ({"random_state": "q"}, PlanError, "q", "random_state"),
    ],
)
def test_bad_input(crowd, change, error, value, column):
    fresh = crowd.more(10)
    given = {"judge": fresh.judge, "labels": fresh.labels, "attributes": fresh.attributes, "budget": 5} | change
    with refused(error, value=value, column=column):
        run_campaign(given.pop("judge"), fresh.objects, given.pop("labels"), **given)


def test_a_judge_that_gives_nothing(crowd):
    fresh = crowd.more(10)
    empty = pd.DataFrame({"object": [], "attribute": [], "value": []})
    with refused(JudgmentsError, column="judge"):
        run_campaign(lambda requests: empty, fresh.objects, fresh.labels, attributes=fresh.attributes, budget=5)


def test_what_was_bought_survives_a_judge_that_fails():
    crowd = simulate.gaussian(40, 4, random_state=1)
    options = {"attributes": crowd.attributes, "budget": 10, "random_state": 0}
    calls = []

    def judge(requests):
        calls.append(int(requests["count"].sum()))
        if len(calls) == 2:
            raise ConnectionError("the line is dead")
        return crowd.judge(requests)

    with pytest.raises(ConnectionError, match="the line is dead") as caught:
        run_campaign(judge, crowd.objects, crowd.labels, **options)
    saved = caught.value.campaign.to_json()
    assert caught.value.campaign.bought == 40 * 4 * 2
    result = run_campaign(judge, crowd.objects, crowd.labels, **options, resume=saved)
    assert result.reason == "the plan stands"
    assert calls[2] == calls[1]  # what was pending is asked for once more
    finished = run_campaign(judge, crowd.objects, crowd.labels, **options, resume=result.campaign.to_json())
    assert finished.plan == result.plan
    assert finished.spent == result.spent
    assert finished.choice.to_json() == result.choice.to_json()
    with refused(PlanError, value=10.0, column="budget"):
        run_campaign(judge, crowd.objects, crowd.labels, **options | {"budget": 9}, resume=saved)
    with refused(PlanError, column="objects"):
        run_campaign(judge, crowd.objects[:30], crowd.labels, **options, resume=saved)


def test_an_attribute_that_nobody_judges_twice_is_left_out(crowd):
    records = crowd.more(60)
    frame = records.pilot(5).to_frame()
    once = frame[(frame["attribute"] != "a1") | ~frame.duplicated(["object", "attribute"])]
    judge = RecordedJudge(Judgments.from_frame(once), random_state=0)
    result = run_campaign(judge, records.objects, records.labels, attributes=records.attributes, budget=12)
    assert "a1" not in result.plan.repeats
    assert result.campaign.caps["a1"] == 1


def test_labels_of_more_objects_than_are_judged(crowd):
    fresh = crowd.more(50)
    some = fresh.objects[:30]
    result = run_campaign(fresh.judge, some, fresh.labels, attributes=fresh.attributes, budget=6, method="full")
    assert result.judgments.shape == (30, 6)
    with refused(LabelsError, row=some[0], column="labels", varying=r"object \d+"):
        run_campaign(fresh.judge, some, fresh.labels.drop(some[0]), attributes=fresh.attributes, budget=6)


def test_too_few_objects_to_hold_any_out(crowd):
    few = crowd.more(4)
    result = run_campaign(few.judge, few.objects, few.labels, attributes=few.attributes, budget=4)
    assert result.choice is None
    assert result.history[-1].loss is None
    assert "few_objects" in [warning.kind for warning in result.warnings]


def test_checks_of_what_was_bought_are_muted_by_their_code(crowd):
    few, asked = crowd.more(8), []

    def judge(requests):
        asked.append(len(requests))
        return few.judge(requests)

    terms = {"attributes": few.attributes, "budget": 4, "method": "full"}
    with refused(ManyJudgesError, value="MJ999", column="mute"):
        run_campaign(judge, few.objects, few.labels, **terms, mute=["MJ999"])
    assert asked == [], "said before anything is bought"
    loud = run_campaign(judge, few.objects, few.labels, **terms)
    assert "MJ101" in [warning.code for warning in loud.warnings]
    kept = loud.campaign.to_json()
    quiet = run_campaign(judge, few.objects, few.labels, **terms, resume=kept, mute=["MJ101"])
    rest = [warning.code for warning in loud.warnings if warning.code != "MJ101"]
    assert [warning.code for warning in quiet.warnings] == rest
