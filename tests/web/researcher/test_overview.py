"""What is gathered from the store is put into words and rows."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from manyjudges import Moments, simulate
from manyjudges.learn import check_data
from manyjudges.web.researcher import overview


def test_times_are_read_easily():
    assert overview.duration(59) == "less than a minute"
    assert overview.duration(3600) == "60 minutes"
    assert overview.moment(float("nan")) == "–"


PLAN = {"repeats": {"a": 2}, "budget": 9.0, "cost": 2.0}


def round_with(number, plan=PLAN, curve=(), **answer):
    """A round as it is kept, with parts of its answer."""
    errors = {"error": 2.0, "low": 1.5, "high": 2.4, "baseline_error": 4.0, "explained": 0.75}
    whole = {"sentence": "Buy 2.", "notes": [], "plan": PLAN} | errors | answer
    return {"number": number, "plan": plan, "outlook": {"answer": whole, "curve": list(curve)}}


def test_the_answer_is_that_of_the_latest_round():
    rounds = [round_with(1, error=3.0), round_with(2)]
    found = overview._answer(rounds)
    assert (found["error"], found["sentence"], found["useless"], found["another"]) == (2.0, "Buy 2.", False, False)
    assert overview._answer([round_with(1, plan={"repeats": {"a": 1}})])["another"]
    assert overview._answer([round_with(1, error=4.1)])["useless"]
    assert overview._answer([]) is overview._answer([{"number": 1, "plan": PLAN, "outlook": None}]) is None


def test_rounds_whose_error_could_not_be_estimated_are_not_among_the_errors():
    rounds = [round_with(1), round_with(2, error=None)]
    rows = overview._errors(rounds)["rows"]
    assert [row["number"] for row in rows] == [1]
    assert not any(row.get("last") for row in rows)
    assert overview._errors([*rounds, round_with(3, error=0.0, low=0.0)])["rows"][-1]["last"]


def test_checks_of_the_latest_plan_are_shown(world, client):
    world.work(["ann", "bob", "cid"], 100)
    assert overview._checks(world.store.rounds()) is None
    crowd = simulate.gaussian(20, 3, random_state=0)
    results = check_data(Moments.estimate(crowd.pilot(2), crowd.labels), mute=["MJ301"])
    plan = {"cost": 3.0, "budget": 12.0, "repeats": dict.fromkeys(world.study.costs, 1)}
    outlook = {"label_variance": 4.0, "curve": [], "checks": results.to_document()["results"]}
    document = {"number": 1, "loss": None, "std_error": None, "note": "", "plan": plan, "outlook": outlook}
    state = {"round": 2, "asked": 1, "reason": "", "stage": "plan"}
    assert world.store.settle(world.store.standing(), state, [document], [])
    text = client.get("/admin").text
    assert "<strong>Too few objects</strong> (MJ101, warning)." in text
    assert results.failed[0].outcome.advice in text
    shown = dict(re.findall(r"<td>(MJ\d+)</td><td>[a-z]+</td><td>([a-z ]+)</td>", text))
    assert shown == {each.check.code: each.status for each in results if each.status != "failed"}


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "less than a minute"), (60, "1 minute"), (7199, "120 minutes"), (7200, "2 hours"), (172800, "2 days")],
)
def test_durations(seconds, words):
    assert overview.duration(seconds) == words


def test_what_moves_adds_up(busy):
    found = overview.moving(busy.study, busy.store)
    totals, rows = found["totals"], found["progress"]
    assert [row["attribute"] for row in rows] == list(busy.study.costs)
    for row in rows:
        assert row["done"] + row["out"] + row["open"] == row["wanted"]
        assert 0 <= row["share"] <= 1
    assert totals["have"] == sum(row["have"] for row in rows)
    assert found["arrivals"]["total"] == sum(count for _, count in found["arrivals"]["rows"])
    assert found["money"]["ahead"].spent == busy.store.spending()["spent"]
    assert [row["number"] for row in found["errors"]["rows"]] == [1, 2, 3]
    assert found["answer"]["error"] == found["errors"]["rows"][-1]["error"]
    assert not found["done"]


def test_limits_lie_either_side_of_an_error(busy):
    found = overview.moving(busy.study, busy.store)
    for row in [*found["errors"]["rows"], *found["curve"]["rows"]]:
        assert 0 <= row["low"] <= row["error"] <= row["high"]
    chosen = [row for row in found["curve"]["rows"] if row["chosen"]]
    assert [row["budget"] for row in chosen] == [20.0]
    assert chosen[0]["error"] == found["answer"]["error"]


def test_rounds_say_what_changed():
    rounds = [
        {"number": 1, "at": 0.0, "plan": {"cost": 3.0, "repeats": {"a": 2, "b": 1, "c": 0}}, "note": None},
        {"number": 2, "at": 60.0, "plan": {"cost": 2.0, "repeats": {"a": 1, "b": 1}}, "note": "capped"},
        {"number": 3, "at": None, "plan": None},
    ]
    found = overview._rounds(rounds, ["a", "b", "c"])
    assert [row["name"] for row in found["rows"]] == ["a", "b"]
    assert found["kept"] == ["c"]
    assert [(cell["count"], cell["change"], cell["kind"]) for cell in found["rows"][0]["cells"]] == [
        (2, 0, ""),
        (1, -1, "down"),
        (0, -1, "down"),
    ]
    assert [head["cost"] for head in found["heads"]] == [3.0, 2.0, None]
    assert [head["note"] for head in found["heads"]] == ["", "capped", ""]


def test_planning_failed_until_something_was_planned():
    wrong = {"what": "problem", "detail": "planning failed: no labels"}
    image = {"what": "problem", "detail": "the image is damaged"}
    planned = {"what": "planned", "detail": "round 1"}
    assert overview.planning_failed("planning", [image, wrong, planned]) == "Planning failed: no labels."
    assert overview.planning_failed("planning", [image, planned, wrong]) == ""
    assert overview.planning_failed("planning", [image]) == ""
    assert overview.planning_failed("pilot", [wrong]) == ""


def test_a_fitted_predictor_with_an_error_and_without():
    document = {"model": '{"a": 1}', "expectation": "Expect 2.", "explained": 0.25, "predicted": 3}
    assert overview.fitted(document) == document | {"model": {"a": 1}}
    assert overview.fitted({"model": "{}"}) == {"model": {}, "expectation": None, "explained": None, "predicted": 0}


def test_a_curve_is_that_of_the_latest_round_that_has_one():
    point = {"error": 2.0, "low": 1.0, "high": 3.0, "explained": 0.5, "plan": ""}
    rounds = [
        round_with(1, curve=[point | {"budget": 4.0}, point | {"budget": 9.0}]),
        {"number": 2, "plan": None, "outlook": None},
    ]
    found = overview._curve(rounds)
    assert found["round"] == 1
    assert [(row["budget"], row["chosen"], row["explained"]) for row in found["rows"]] == [
        (4.0, False, 0.5),
        (9.0, True, 0.5),
    ]
    assert overview._curve(rounds[1:]) is None
    assert overview._errors([])["chart"] is None


def test_workers_who_judged_most_come_first(busy):
    frame = busy.hooks()["workforce"]()
    rows = overview.crowd(frame, busy.store.workers())
    assert [row["judgments"] for row in rows] == sorted(frame["judgments"], reverse=True)
    assert not any(row["gone"] or row["blocked"] for row in rows)
    table = pd.DataFrame({"worker": ["w9", "w1"], "judgments": [3, 3], "last": [0.0, float("nan")]})
    assert [(row["worker"], row["gone"], row["source"], row["seen"]) for row in overview.crowd(table, [])] == [
        ("w1", True, "", "–"),
        ("w9", True, "", "1 Jan 1970, 00:00"),
    ]
