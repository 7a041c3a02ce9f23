"""Commands on a study's folder, as somebody types them."""

from __future__ import annotations

import json
import shutil
import socket

import pandas as pd
import pytest
from typer.main import get_command

from manyjudges import Plan, Predictor
from manyjudges.cli import main
from manyjudges.service.study import open_study
from manyjudges.service.study_planner import order_first_round
from tests.support.collecting import beans_folder, run, work
from tests.support.commands import call


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A study whose campaign is done."""
    made, crowd = beans_folder(tmp_path_factory.mktemp("studies") / "jars", n_objects=60, unlabelled=6)
    with open_study(made) as opened:
        run(opened, crowd)
    return made


@pytest.fixture
def folder(done, tmp_path):
    return shutil.copytree(done, tmp_path / "jars")


def test_new_makes_a_study_that_can_be_looked_at(tmp_path):
    said = call("new", tmp_path / "mine", "--title", "Mine")
    assert "manyjudges serve" in said
    assert json.loads(call("status", tmp_path / "mine", "--json"))["title"] == "Mine"
    assert "there is a study in" in call("new", tmp_path / "mine", code=2)


def test_status_in_words_and_numbers(folder):
    said = call("status", folder)
    assert "done (the plan stands)" in said
    numbers = json.loads(call("status", folder, "--json"))
    assert f"By the judgments so far: {numbers['answer']['sentence']}" in said
    assert numbers["judgments"] == sum(row["have"] for row in numbers["attributes"])
    with open_study(folder) as opened:
        assert numbers["spent"] == opened.store.spending()["spent"]


def test_pause_resume_and_close(folder):
    call("pause", folder)
    assert json.loads(call("status", folder, "--json"))["state"] == "paused"
    call("resume", folder)
    assert json.loads(call("status", folder, "--json"))["state"] == "running"
    assert "say --yes" in call("close", folder, code=2)
    assert json.loads(call("status", folder, "--json"))["state"] == "running"
    call("close", folder, "--yes")
    assert "closed, and stays so" in call("resume", folder, code=2)
    assert "Nothing to plan" in call("replan", folder)


def test_replan_orders_what_a_new_plan_lacks(tmp_path):
    made, crowd = beans_folder(tmp_path / "jars")
    said = call("replan", made, "--if-complete")
    assert "480 judgments may be handed out now (pilot)" in said
    assert "Nothing to plan" in call("replan", made, "--if-complete")
    with open_study(made) as opened:
        work(opened, crowd)
    assert "for each object, which costs" in call("replan", made)
    assert "contradict" in call("replan", made, "--if-complete", "--give-up", code=2)


def test_export_as_csv_and_parquet(folder, tmp_path):
    call("export", folder, "--out", tmp_path / "j.csv", "--labels-out", tmp_path / "labels.csv")
    call("export", folder, "--out", tmp_path / "j.parquet")
    rows = pd.read_csv(tmp_path / "j.csv")
    assert len(rows) == len(pd.read_parquet(tmp_path / "j.parquet"))
    assert not rows.astype(str).apply(lambda column: column.str.contains("judge ")).any(axis=None)
    planned = call("plan", tmp_path / "j.csv", tmp_path / "labels.csv", "--budget", "6", "--unmatched", "drop")
    assert "For each object, buy " in planned
    call("export", folder, "--out", tmp_path / "named.csv", "--worker-ids")
    assert pd.read_csv(tmp_path / "named.csv")["external"].str.startswith("judge ").all()
    call("export", folder, "--out", tmp_path / "all.jsonl", "--all")
    assert "kind" in pd.read_json(tmp_path / "all.jsonl", lines=True).columns
    assert "must end in one of" in call("export", folder, "--out", tmp_path / "j.xls", code=2)


def test_fit_of_a_folder_writes_model_and_predictions(folder, tmp_path):
    said = call("fit", folder, "--out", tmp_path / "model.json", "--predictions", tmp_path / "p.csv")
    assert "6 objects without label predicted" in said
    model = Predictor.from_json((tmp_path / "model.json").read_text())
    assert isinstance(model.plan, Plan)
    assert len(pd.read_csv(tmp_path / "p.csv")) == 6
    answer = json.loads(call("fit", folder, "--json"))["answer"]
    assert answer["error"] > 0
    assert answer["sentence"].partition(". ")[2] in said


FIT = {parameter.name: parameter for parameter in get_command(main.app).commands["fit"].params}
TAKEN_BY_A_STUDY = {"plan", "out", "predictions", "mute", "as_json"}
TYPED = {
    "predictor": "least_squares",
    "predictor_ridge": "0",
    "unmatched": "drop",
    "on_invalid": "error",
    "repeated": "mean",
    "shape": "long",
}


@pytest.mark.parametrize("name", [name for name in FIT if name not in TAKEN_BY_A_STUDY])
def test_fit_of_a_folder_refuses_what_only_files_have(done, tmp_path, name):
    parameter = FIT[name]
    if parameter.param_type_name == "argument":
        typed, shown = ["judgments.csv", "labels.csv"], "JUDGMENTS... [LABELS]"
    else:
        shown = parameter.opts[0]
        typed = [shown] if parameter.is_flag else [shown, TYPED.get(name, "text=text")]
    said = call("fit", done, *typed, "--out", tmp_path / "model.json", code=2)
    assert f"error: {shown} is not for a study" in said
    assert list(tmp_path.iterdir()) == []


def test_fit_of_a_folder_takes_the_rest(done, tmp_path):
    taken = ("--out", tmp_path / "model.json", "--predictions", tmp_path / "p.csv", "--mute", "MJ101", "--json")
    assert set(taken) >= {FIT[name].opts[0] for name in TAKEN_BY_A_STUDY - {"plan"}}
    assert json.loads(call("fit", done, *taken))["warnings"] == []
    assert {path.name for path in tmp_path.iterdir()} == {"model.json", "p.csv"}


def test_fit_of_files_still_needs_all_three(tmp_path):
    (tmp_path / "plan.json").write_text("{}")
    assert "is not a study folder" in call("fit", tmp_path / "plan.json", code=2)


def test_links_are_made_and_only_hashes_are_kept(folder, tmp_path):
    links = call("invite", folder, "--count", "3", "--site", "https://judge.example.org/").split()
    assert len(set(links)) == 3
    assert all(link.startswith("https://judge.example.org/w/") and len(link) >= 60 for link in links)
    assert "the name must end in" in call("invite", folder, "--out", tmp_path / "links.html", code=2)
    call("invite", folder, "--count", "2", "--out", tmp_path / "links.csv")
    assert len(pd.read_csv(tmp_path / "links.csv")) == 2
    with open_study(folder) as opened:
        assert opened.store.admit(links[0].rsplit("/", 1)[1]) is not None
    database = (folder / "judgments.db").read_bytes()
    assert links[0].rsplit("/", 1)[1].encode() not in database
    assert "ask for 1 to 10,000" in call("invite", folder, "--count", "0", code=2)


def test_tokens_of_programs(folder):
    token = call("token", folder, "robot").strip()
    with open_study(folder) as opened:
        assert opened.store.program(token) == "robot"
    assert "already" in call("token", folder, "robot", code=2)
    call("token", folder, "robot", "--revoke")
    with open_study(folder) as opened:
        assert opened.store.program(token) is None
    assert "no program 'robot'" in call("token", folder, "robot", "--revoke", code=2)


def test_withdrawing_a_worker(folder):
    said = call("withdraw", folder, "judge 3")
    assert "judgments of w" in said
    name = said.split(" of ")[1].split()[0]
    assert "withdrawn already" in call("withdraw", folder, name, code=2)
    assert "no worker 'judge 3'" in call("withdraw", folder, "judge 3", code=2)


def test_a_password_needs_a_terminal_or_the_variable(folder, monkeypatch):
    monkeypatch.delenv("MANYJUDGES_PASSWORD", raising=False)
    assert "set MANYJUDGES_PASSWORD" in call("password", folder, code=2)
    said = call("password", folder, env={"MANYJUDGES_PASSWORD": "open sesame"})
    assert "open sesame" not in said


def test_bonuses_are_written_as_a_table(folder, tmp_path):
    call("bonuses", folder, "--out", tmp_path / "b.csv")
    assert "external" not in pd.read_csv(tmp_path / "b.csv").columns
    call("bonuses", folder, "--out", tmp_path / "b.csv", "--worker-ids")
    assert "external" in pd.read_csv(tmp_path / "b.csv").columns


@pytest.mark.parametrize("command", ["serve", "status", "pause", "replan", "export", "fit", "close", "invite"])
def test_a_folder_that_is_none_is_said_in_a_line(command, tmp_path):
    said = call(command, tmp_path / "nothing", code=2)
    assert "nothing" in said


def test_a_faulty_file_names_the_line(tmp_path):
    made, _ = beans_folder(tmp_path / "jars")
    text = (made / "study.toml").read_text().replace("pilot = 2", "pliot = 2")
    (made / "study.toml").write_text(text)
    said = call("status", made, code=2)
    line = text[: text.index("pliot")].count("\n") + 1
    assert f"line {line}" in said
    assert "'pilot'" in said


def test_all_that_is_wrong_with_a_file_is_said_on_a_line_each(tmp_path):
    made, _ = beans_folder(tmp_path / "jars")
    text = (
        (made / "study.toml").read_text().replace("pilot = 2", "pilot = 1").replace("batch_size = 20", "batch_size = 0")
    )
    (made / "study.toml").write_text(text)
    said = call("status", made, code=2)
    assert len(said.strip().splitlines()) == 2
    assert said.startswith("error: ")


def test_a_malformed_row_is_left_out_and_the_rest_goes_on(tmp_path):
    made, _ = beans_folder(tmp_path / "jars", n_objects=20)
    with (made / "objects.csv").open("a") as file:
        file.write("object 0001,5,again\nbroken,abc,text\n")
    numbers = json.loads(call("status", made, "--json"))
    assert numbers["objects"] == 20
    assert len(numbers["problems"]) == 2
    assert "line 22" in numbers["problems"][0]
    with open_study(made) as opened:
        order_first_round(opened)
        assert opened.store.progress()["open"].sum() == 20 * 4 * 2


def test_a_server_that_cannot_listen_makes_no_password(tmp_path):
    made, _ = beans_folder(tmp_path / "jars")
    said = call("serve", made, "--port", "99999999", code=2)
    assert "ports go from 0 to 65535" in said
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = call("serve", made, "--port", taken.getsockname()[1], code=2)
    assert "cannot listen at" in said
    assert "Password" not in said
    with open_study(made) as opened:
        assert opened.store.setting("password") is None
