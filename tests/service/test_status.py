"""Where a study stands, in numbers."""

from __future__ import annotations

import json

from manyjudges.service.status import bonuses_of, opinions_of, status_of, workforce_of
from manyjudges.service.study import open_study
from manyjudges.service.study_planner import order_first_round
from tests.support.chat_server import chat_server
from tests.support.collecting import beans_folder, run, work
from tests.support.letters import MODELS, Panel, judged, letters


def test_status_says_where_it_stands(study):
    opened, crowd = study
    before = status_of(opened)
    assert (before["stage"], before["round"], before["plan"], before["answer"]) == ("planning", 0, None, None)
    run(opened, crowd)
    after = status_of(opened)
    assert after["state"] == "running"
    assert after["stage"] == "done"
    assert after["judgments"] == len(opened.store.judgments())
    assert after["spent"] == opened.store.spending()["spent"]
    assert sum(n * opened.study.costs[name] for name, n in after["plan"].items()) <= 6.0
    assert 0 < after["answer"]["error"] < after["answer"]["baseline_error"]
    assert after["answer"]["plan"]["repeats"] == after["plan"], "in the end, the answer's plan is followed"


def test_bonuses_come_with_the_study_s_money(study):
    opened, crowd = study
    run(opened, crowd)
    found = bonuses_of(opened)
    assert "external" not in found.columns
    assert set(bonuses_of(opened, external=True).columns) == {*found.columns, "external"}


def test_a_status_can_be_sent_as_json_at_any_time(study):
    opened, crowd = study
    assert json.loads(json.dumps(status_of(opened), allow_nan=False))["stage"] == "planning"
    run(opened, crowd)
    assert json.loads(json.dumps(status_of(opened), allow_nan=False))["stage"] == "done"


def test_what_is_out_and_open_is_counted_and_committed(study):
    opened, _ = study
    order_first_round(opened)
    ann = opened.store.enter("open", "ann")
    batch = opened.store.lease(ann.id, size=5, attribute="number of beans")
    now = status_of(opened)
    assert (now["out"], now["open"], now["spent"], now["committed"]) == (5, 475, 0, 600)
    assert now["workers"] == 0, "nobody has judged anything yet"
    opened.store.submit(batch.id, ann.id, {0: 900.0, 1: None})
    now = status_of(opened)
    assert (now["judgments"], now["cant_tell"], now["out"], now["workers"]) == (1, 1, 0, 1)
    assert now["spent"] == 4.0


def test_rows_of_the_table_of_objects_that_are_left_out_are_said_by_line(tmp_path):
    folder, _ = beans_folder(tmp_path / "jars", n_objects=20)
    with (folder / "objects.csv").open("a") as file:
        file.write("object 0001,5,again\n")
    with open_study(folder) as opened:
        (problem,) = status_of(opened)["problems"]
    assert problem.startswith("line 22: ")


def test_models_are_no_people_and_people_no_models(study):
    opened, crowd = study
    order_first_round(opened)
    work(opened, crowd, judges=3)
    opened.store.take_in("model", [("object 0001", "round jar", "atlas", 1.0)])
    assert sorted(opened.store.ledger()["source"].unique()) == ["model", "open"]
    assert len(workforce_of(opened).workers) == 3
    assert opinions_of(opened) is None


def test_opinions_of_one_model_are_not_known(tmp_path):
    one = MODELS[: MODELS.rindex("[[models]]")]
    with chat_server(Panel()) as server:
        folder = letters(tmp_path, server.address, models=one, n=8)
        judged(folder, server)
        with open_study(folder) as opened:
            found = opinions_of(opened)
        assert found["shares"]["between"] is None
        assert "No two models judged" in found["message"]
