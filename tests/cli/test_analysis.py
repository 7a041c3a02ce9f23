"""Commands on tables in files: describe, plan, missing, fit, predict, forecast and report."""

from __future__ import annotations

import json
import re
import sys

import pandas as pd
import pytest

from manyjudges import Judgments, MultiSelectRegressor, Plan, answer, simulate
from manyjudges.learn.predictors.registry import PREDICTORS
from manyjudges.reports import report
from manyjudges.tables.files import write_table
from manyjudges.tables.reading.table import read_judgments
from tests.support import scanned


def test_from_judgments_to_predictions(run, planned, folder):
    plan = Plan.from_json((folder / "plan.json").read_text())
    assert plan.budget == 12
    assert plan.costs[plan.attributes.index("height (numerical)")] == 4
    assert "Written to plan.json" in planned
    code, out, _ = run("missing", "plan.json", "judgments.csv", "--out", "tobuy.csv")
    assert code == 0
    tobuy = pd.read_csv(folder / "tobuy.csv")
    assert list(tobuy) == ["object", "attribute", "count", "cost"]
    assert f"{tobuy['count'].sum():,} judgments" in out
    code, out, _ = run("fit", "plan.json", "judgments.csv", "labels.csv", "--out", "model.json")
    assert code == 0
    assert "(bias)" in out
    code, out, _ = run("predict", "model.json", "new.csv", "--out", "predictions.csv")
    assert code == 0
    assert "12 predictions, 2 of them not shown" in out
    predictions = pd.read_csv(folder / "predictions.csv")
    assert list(predictions) == ["object", "prediction", "std"]
    model = MultiSelectRegressor.from_json((folder / "model.json").read_text())
    new = Judgments.from_frame(pd.read_csv(folder / "new.csv"))
    assert predictions["prediction"].to_numpy() == pytest.approx(model.predict(new))


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_describe_says_the_same_of_a_table_that_is_scanned(tmp_path, gaps):
    """But for what needs single judgments, which it names."""
    frame, labels = scanned.crowd(gaps=gaps, k=3)
    frame.to_csv(tmp_path / "judgments.csv", index=False)
    labels.rename("label").rename_axis("object").to_csv(tmp_path / "labels.csv")
    asked = ["describe", tmp_path / "judgments.csv", tmp_path / "labels.csv"]
    whole, parts = (json.loads(scanned.call(*asked, "--json", *how)) for how in ([], ["--memory-limit=1GB"]))
    assert (whole.pop("n_workers"), parts.pop("n_workers")) == (3, None)
    attributes = [pd.DataFrame(numbers.pop("attributes")) for numbers in (whole, parts)]
    pd.testing.assert_frame_equal(*attributes, rtol=1e-9)
    assert whole.pop("label_deviation") == pytest.approx(parts.pop("label_deviation"), rel=1e-9)
    assert whole.pop("label_mean") == pytest.approx(parts.pop("label_mean"), rel=1e-9)
    codes = [{each["code"] for each in numbers.pop("warnings")} for numbers in (whole, parts)]
    assert codes[1] == codes[0] - {"MJ201", "MJ301"}
    assert whole == parts
    assert whole["judgments_per_pair"]["least"] == (0 if gaps else 3)
    said = [scanned.call(*asked, *how) for how in ([], ["--memory-limit=1GB"])]
    lines = [[line for line in text.splitlines() if not line.startswith("warning")] for text in said]
    assert lines[0][0].startswith(lines[1][0])
    assert lines[0][0].endswith(" by 3 workers")
    shared = lines[0].index(next(line for line in lines[0] if line.startswith("corr.:"))) + 1
    assert lines[0][1:shared] == lines[1][1:shared]
    assert "What needs single judgments is left out" in said[1]
    assert "left out" not in said[0]


def test_describe(run):
    code, out, err = run("describe", "judgments.csv", "labels.csv")
    assert code == 0
    assert err.startswith("warning MJ101: There are only 60 objects for 39 attributes")
    assert "4,680 judgments of 39 attributes on 60 objects" in out
    assert "Independence of judgments" in out
    assert "weight (numerical)" in out
    assert all(len(line) <= 160 for line in out.splitlines())


def test_json_for_machines(run, planned):
    code, out, _ = run("describe", "judgments.csv", "labels.csv", "--json")
    numbers = json.loads(out)
    assert (code, numbers["n_objects"], len(numbers["attributes"])) == (0, 60, 39)
    assert (numbers["format"], numbers["command"]) == ("manyjudges.output/1", "describe")
    _, out, _ = run("plan", "judgments.csv", "labels.csv", "--budget", 12, "--json")
    document = json.loads(out)
    assert (document["format"], document["command"]) == ("manyjudges.output/1", "plan")
    assert document["answer"]["format"] == "manyjudges.answer/2"
    assert Plan.from_document(document["answer"]["plan"]).budget == 12
    table = read_judgments("judgments.csv")
    labels = pd.read_csv("labels.csv").set_index("object")["label"]
    wanted = json.loads(answer(table, labels, 12).to_json())
    assert {**document["answer"], "reading": None} == {**wanted, "reading": None}
    _, out, _ = run("missing", "plan.json", "judgments.csv", "--json")
    assert json.loads(out)["n_judgments"] == sum(row["count"] for row in json.loads(out)["missing"])
    _, out, _ = run("fit", "plan.json", "judgments.csv", "labels.csv", "--json")
    assert json.loads(out)["model"]["format"] == "manyjudges.model/1"
    run("fit", "plan.json", "judgments.csv", "labels.csv", "--out", "model.json")
    _, out, _ = run("predict", "model.json", "new.csv", "--json")
    assert len(json.loads(out)["predictions"]) == 12


def test_methods_and_options_reach_the_plan(run):
    def repeats(*options):
        out = run("plan", "judgments.csv", "labels.csv", "--budget", 20, "--no-error", "--json", *options)[1]
        return json.loads(out)["answer"]["plan"]

    scoring, shrunk = repeats("--method", "scoring"), repeats("--shrinkage", 1)
    assert scoring["method"] == "scoring"
    assert scoring["repeats"] == shrunk["repeats"]


def test_a_code_for_no_answer_that_no_cell_has_is_said(run):
    code, _, err = run("plan", "judgments.csv", "labels.csv", "--budget", 2, "--no-error", "--missing", "foo")
    assert code == 0
    assert "no cell of judgments.csv has 'foo', which was named as no answer" in err


@pytest.mark.parametrize("budget", ["0", "-0"])
def test_a_budget_that_buys_nothing(run, budget):
    code, out, _ = run("plan", "judgments.csv", "labels.csv", "--budget", budget)
    assert code == 0
    assert "Within a budget of 0, there is nothing worth buying." in out


def test_a_bare_plan_for_whoever_waits(run, folder):
    options = ("--budget", 12, "--method", "full", "--shrinkage", 0, "--no-error")
    code, out, _ = run("plan", "judgments.csv", "labels.csv", *options, "--out", "bare.json")
    assert code == 0
    assert "The error to expect was not estimated." in out
    plan = Plan.from_json((folder / "bare.json").read_text())
    assert (plan.method, plan.shrinkage) == ("full", 0)
    assert json.loads(run("plan", "judgments.csv", "labels.csv", *options, "--json")[1])["answer"]["error"] is None
    _, out, _ = run("plan", "judgments.csv", "labels.csv", "--budget", 12, "--no-error")
    assert "Nothing was chosen by an error: the plan is that of full with shrinkage 0." in out


@pytest.mark.parametrize(("name", "text"), [("names.csv", "photo\np1\np2\n"), ("names.txt", "p1\np2\n")])
def test_what_to_ask_about_objects_that_nobody_has_judged(run, planned, folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")
    code, out, err = run("missing", "plan.json", name, "--json")
    plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    found = json.loads(out)
    assert code == 0
    assert f"read from {name}: 2 objects that nobody has judged" in err
    assert found["cost"] == pytest.approx(2 * plan["cost"])
    assert {row["object"] for row in found["missing"]} == {"p1", "p2"}
    assert {row["attribute"]: row["count"] for row in found["missing"]} == plan["repeats"]


def test_a_list_of_objects_can_be_asked_for(run, planned):
    code, out, err = run("missing", "plan.json", "labels.csv", "--names")
    assert code == 0
    assert "60 objects that nobody has judged" in err
    assert "object-attribute pairs are missing" in out


def test_nothing_missing(run, planned, folder):
    plan = Plan.from_json((folder / "plan.json").read_text())
    crowd = simulate.height_weight(5, random_state=1)
    write_table(folder / "enough.csv", crowd.follow(plan).to_frame())
    code, out, _ = run("missing", "plan.json", "enough.csv", "--out", "none.csv")
    assert code == 0
    assert "Nothing is missing" in out
    assert (folder / "none.csv").read_text() == "object,attribute,count,cost\n"


ADDRESS = "postgresql+psycopg://ann:secret@host/jars"


@pytest.mark.parametrize(
    "arguments",
    [
        ["describe", ADDRESS, "labels.csv"],
        ["describe", "judgments.csv", ADDRESS],
        ["report", ADDRESS, "labels.csv", "--budget", "3"],
        ["fit", "plan.json", ADDRESS, "labels.csv"],
        ["missing", "plan.json", ADDRESS],
        ["missing", ADDRESS, "judgments.csv"],
        ["predict", "model.json", ADDRESS],
        ["plan", "judgments.csv", ADDRESS, "--budget", "3"],
    ],
)
def test_no_password_is_shown(run, planned, arguments):
    run("fit", "plan.json", "judgments.csv", "labels.csv", "--out", "model.json")
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "secret" not in err
    assert "postgresql+psycopg:/" in err


BAD = [
    (["describe", "nothing.csv", "labels.csv"], "there is no file 'nothing.csv'"),
    (["describe", "judgments.csv", "judgments.csv"], "there are no labels. Name the column"),
    (["plan", "judgments.csv", "labels.csv", "--budget", "1_0"], "'1_0' is not an amount"),
    (["plan", "judgments.csv", "labels.csv", "--budget", "٣"], "'٣' is not an amount"),
    (["plan", "judgments.csv", "labels.csv", "--budget", "3", "--cost", "male=1_0"], "'1_0' is not an amount"),
    (["demo", "--seed", "٣"], "'٣' is not a whole number"),
    (["describe", "judgments.csv", "short.csv"], "58 of 60 objects have no label"),
    (["plan", "judgments.csv", "labels.csv"], "--budget"),
    (["plan", "judgments.csv", "labels.csv", "--budget", "much"], "much"),
    (["plan", "judgments.csv", "labels.csv", "--budget", "-3"], "budget must be"),
    (["plan", "judgments.csv", "labels.csv", "--budget", "nan"], "'nan' is not an amount"),
    (["plan", "judgments.csv", "labels.csv", "--budget", "3", "--cost", "male"], "--cost needs NAME=VALUE, not 'male'"),
    (["plan", "judgments.csv", "labels.csv", "--budget", "3", "--cost", "male=x"], "'x' is not an amount"),
    (["plan", "judgments.csv", "labels.csv", "--budget", "3", "--cost", "mal=2"], "'mal', which is no attribute"),
    (["plan", "judgments.csv", "labels.csv", "--budget", "3", "--method", "best"], "best"),
    (["plan", "judgments.csv", "labels.csv", "--budget", "3", "--out", "no/plan.json"], "cannot write 'no/plan.json'"),
    (["missing", "labels.csv", "judgments.csv"], "labels.csv: not JSON"),
    (["missing", "nothing.json", "judgments.csv"], "cannot read 'nothing.json'"),
    (["fit", "plan.json", "judgments.csv", "labels.csv", "--predictor", "least_squares"], "judgments that are missing"),
    (["predict", "plan.json", "new.csv"], "'manyjudges fit' (Predictor.to_json) writes such a file."),
    (["predict", "model.json", "new.csv", "--out", "x.doc"], "must end in one of"),
    (["describe", "judgments.csv", "labels.csv", "--column", "objct=x"], "no role 'objct'"),
    (["describe", "judgments.csv"], "there are no labels. Name the column"),
    (["plna"], "plna"),
    (["demo", "--objects", "2"], "10 labelled objects or more"),
    (["demo", "--seed", "-1"], "'-1' is not a whole number"),
    (["demo", "--budget", "-3"], "budget must be"),
    (["demo", "--budget", "0"], "buys nothing here"),
    (
        ["plan", "judgments.csv", "labels.csv", "--budget", "3", "--cost", "male=2", "--cost", "male=3"],
        "--cost is given twice for 'male'",
    ),
    (["demo", "--out", "labels.csv"], "'labels.csv' is a file"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[" ".join(a) for a, _ in BAD])
def test_bad_input_is_one_line_and_exit_code_2(run, planned, folder, arguments, words):
    run("fit", "plan.json", "judgments.csv", "labels.csv", "--out", "model.json")
    labels = pd.read_csv(folder / "labels.csv")
    labels.head(2).to_csv(folder / "short.csv", index=False)
    before = {p.name for p in folder.iterdir()}
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.splitlines()[-1].startswith("error: ")
    assert err.count("\n") == 1 or arguments == ["demo", "--budget", "0"]  # known only after the first steps
    assert words in err
    assert {p.name for p in folder.iterdir()} == before


@pytest.mark.parametrize("end", [b"\n\xff\xfe\x1b[31m,x\n", b""])
def test_a_file_that_is_no_text_is_refused_in_one_line(run, folder, end):
    """Nothing is said by the parser itself, which would write to the terminal what stands in the file."""
    (folder / "bin.csv").write_bytes(b"object,attribute,value" * bool(end) + bytes(range(128, 256)) * (not end) + end)
    code, out, err = run("plan", "bin.csv", "labels.csv", "--budget", 3)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert "UTF-8" in err
    assert "\x1b" not in err  # "Exception ignored in", with bytes of the file, would fail the test by itself


def test_a_plan_that_promises_too_much_says_what_held_out_objects_say(run, folder):
    pd.read_csv(folder / "labels.csv").head(12).to_csv(folder / "twelve.csv", index=False)
    options = ("--budget", 200, "--unmatched", "drop", "--method", "full", "--shrinkage", 0)
    code, out, _ = run("plan", "judgments.csv", "twelve.csv", *options)
    assert code == 0
    assert max(map(float, re.findall(r"(\d+(?:\.\d+)?)%", out))) <= 100, "nothing impossible is said"
    assert re.search(r"No better than guessing the mean|Whether the judgments help|guessing the mean would be", out)


def test_errors_before_money_is_spent(run, folder):
    code, out, err = run("forecast", "judgments.csv", "labels.csv", "--budgets", "2, 5,20", "--out", "errors.csv")
    assert code == 0
    assert err.startswith("warning MJ101: There are only 60 objects for 39 attributes")
    assert "the plan's own claim" in out
    assert "Guessing the mean would be off by" in out
    frame = pd.read_csv(folder / "errors.csv")
    assert list(frame.columns)[:7] == ["method", "budget", "error", "low", "high", "explained", "in_sample_error"]
    assert frame["method"].tolist() == ["auto"] * 3
    found = json.loads(run("plan", "judgments.csv", "labels.csv", "--budget", "5", "--json")[1])["answer"]
    document = json.loads(run("forecast", "judgments.csv", "labels.csv", "--budgets", "2,5,20", "--json")[1])
    row = document["errors"][1]
    assert {name: row[name] for name in ("error", "low", "high", "explained")} == {
        name: found[name] for name in ("error", "low", "high", "explained")
    }
    assert row["plan"] == found["plan"]["repeats"]
    assert document["baseline_error"] == found["baseline_error"]
    code, out, _ = run("forecast", "judgments.csv", "labels.csv", "--budgets", "5", "--method", "exchange", "--json")
    document = json.loads(out)
    assert code == 0
    assert document["errors"][0]["method"] == "exchange"
    assert document["cheapest_within"] == {"tolerance": 0.05, "budget": 5.0}
    assert [warning["kind"] for warning in document["warnings"]] == ["few_objects"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--budgets", "5,x"), "--budgets 5,x: 'x' is not an amount"),
        (("--budgets", ","), "no budget"),
        (("--budgets", "5", "--cv", "1"), "cv must be a whole number of 2 or more"),
        (("--budgets", "5", "--tolerance", "-1"), "tolerance must be"),
        (("--budgets", "5", "--method", "auta"), "'auta' is not one of"),
        (("--budgets", "5", "--max-repeats", "tall=x"), "'x' is not a whole number"),
        (("--budgets", "5", "--max-repeats", "tall=１２"), "'１２' is not a whole number"),
    ],
)
def test_bad_questions_about_errors(run, folder, options, message):
    code, out, err = run("forecast", "judgments.csv", "labels.csv", *options)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_plans_with_their_proof(run, folder):
    code, out, _ = run(
        "plan",
        "judgments.csv",
        "labels.csv",
        "--budget",
        "9",
        "--bound",
        "--method",
        "exchange",
        "--out",
        "plan.json",
    )
    assert code == 0
    assert "By these estimates, no plan for this budget explains more" in out
    plan = Plan.from_json((folder / "plan.json").read_text())
    assert plan.bound >= plan.explained
    exact = ("--budget", "9", "--method", "exact", "--shrinkage", "0")
    code, out, _ = run("plan", "judgments.csv", "labels.csv", *exact, "--json")
    found = json.loads(out)["answer"]
    assert (found["gap"], found["plan"]["gap"]) == (0, 0)
    assert found["plan"]["bound"] == pytest.approx(found["plan"]["explained"])
    assert "proven" in run("plan", "judgments.csv", "labels.csv", *exact, "--no-error")[1]
    code, out, _ = run("plan", "judgments.csv", "labels.csv", "--budget", "9", "--no-error", "--json")
    assert json.loads(out)["answer"]["bound"] is None


def test_plans_chosen_by_held_out_error(run, folder):
    options = ("--budget", "9", "--method", "auto", "--shrinkage", "auto", "--max-repeats", "male=3")
    code, out, _ = run("plan", "judgments.csv", "labels.csv", *options)
    assert code == 0
    assert "Chosen by that error, of 28 ways: " in out
    code, out, _ = run("plan", "judgments.csv", "labels.csv", *options, "--json")
    found = json.loads(out)["answer"]
    assert found["plan"]["method"] == found["choice"]["method"]
    assert found["plan"]["repeats"].get("male", 0) <= 3
    assert found["plan"]["max_repeats"] == {"male": 3}
    code, _, _ = run("plan", "judgments.csv", "labels.csv", *options, "--out", "plan.json")
    code, out, _ = run("fit", "plan.json", "judgments.csv", "labels.csv", "--predictor-ridge", "auto")
    assert code == 0


def test_what_speaks_against_relying_on_a_plan(run, folder):
    table = pd.read_csv(folder / "judgments.csv")
    few = sorted(table["object"].unique())[:12]
    table[table["object"].isin(few)].to_csv(folder / "few.csv", index=False)
    options = ("few.csv", "labels.csv", "--unmatched", "drop")
    code, out, err = run("plan", *options, "--budget", "4")
    assert code == 0
    assert "warning MJ101: There are only 12 objects for 39 attributes" in err
    code, out, err = run("describe", *options, "--json")
    assert "few_objects" in [warning["kind"] for warning in json.loads(out)["warnings"]]


def test_checks_are_muted_by_their_code(run, folder):
    code, _, err = run("describe", "judgments.csv", "labels.csv", "--mute", "MJ101")
    assert (code, err) == (0, "")
    way = ("--budget", "4", "--no-error", "--mute", "MJ101", "--json")
    code, out, _ = run("plan", "judgments.csv", "labels.csv", *way)
    assert (code, json.loads(out)["answer"]["warnings"]) == (0, [])
    assert run("plan", "judgments.csv", "labels.csv", "--budget", "4", "--out", "plan.json")[0] == 0
    for predictor in PREDICTORS:
        way = ("--predictor", predictor, "--mute", "MJ999", "--out", "refused.json")
        code, _, err = run("fit", "plan.json", "judgments.csv", "labels.csv", *way)
        assert code == 2
        assert "Invalid value for '--mute': there is no check 'MJ999'" in err
        assert not (folder / "refused.json").exists()


def test_a_curve_is_refused_to_few_objects(run, folder):
    few = pd.read_csv(folder / "judgments.csv")
    few[few["object"].isin(sorted(few["object"].unique())[:30])].to_csv(folder / "few.csv", index=False)
    drop = ("labels.csv", "--unmatched", "drop")
    assert run("plan", "few.csv", *drop, "--budget", "3", "--out", "three.json")[0] == 0
    code, out, err = run("fit", "three.json", "few.csv", *drop, "--predictor", "curved")
    assert (code, out) == (2, "")
    assert "a curve needs judgments in memory of 40 objects or more" in err
    assert "Use --predictor best_linear." in err


@pytest.mark.parametrize("predictor", [name for name, method in PREDICTORS.items() if not method.keeps_curve])
def test_what_a_predictor_is_fitted_to_is_checked(run, folder, predictor):
    table = pd.read_csv(folder / "judgments.csv")
    names = sorted(table["attribute"].unique())[:3]
    few = table[table["object"].isin(sorted(table["object"].unique())[:12]) & table["attribute"].isin(names)]
    few.to_csv(folder / "few.csv", index=False)
    few.drop_duplicates(["object", "attribute"]).to_csv(folder / "once.csv", index=False)
    drop = ("labels.csv", "--unmatched", "drop")
    most = [part for name in names for part in ("--max-repeats", f"{name}=1")]
    assert run("plan", "few.csv", *drop, "--budget", "3", *most, "--out", "three.json")[0] == 0
    for judgments in ("few.csv", "once.csv"):
        if judgments == "once.csv" and PREDICTORS[predictor].needs_noise:
            continue  # which needs second judgments
        way = ("fit", "three.json", judgments, *drop, "--predictor", predictor)
        code, _, err = run(*way)
        assert (code, "warning MJ101: There are only 12 objects for 3 attributes" in err) == (0, True)
        code, out, err = run(*way, "--json", "--mute", "MJ101")
        assert (code, err) == (0, "")
        assert "MJ101" not in [warning["code"] for warning in json.loads(out)["warnings"]]


@pytest.mark.slow
def test_a_report_to_look_at(run, folder):
    options = ("--budget", "9", "--budgets", "3,9,20", "--cost", "height (numerical)=4", "--title", "Heights & <more>")
    code, out, err = run("report", "judgments.csv", "labels.csv", *options)
    assert code == 0
    assert "\nFor each object, buy " in out
    assert "Written to report.html." in out
    assert "warning MJ101: There are only 60 objects for 39 attributes" in err
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<title>Heights &amp; &lt;more&gt;" in page
    (folder / "report.html").unlink()
    code, out, err = run(
        "report", "judgments.csv", "labels.csv", *options, "--method", "full", "--shrinkage", "0", "--json"
    )
    document = json.loads(out)
    plan = document["answer"]["plan"]
    assert (code, plan["method"], plan["budget"]) == (0, "full", 9)
    assert document["curve"]["budgets"] == [3, 9, 20]
    options = ("--budget", "9", "--cost", "height (numerical)=4", "--method", "full", "--shrinkage", "0")
    run("plan", "judgments.csv", "labels.csv", *options, "--out", "p.json")
    assert plan["repeats"] == Plan.from_json((folder / "p.json").read_text()).repeats


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--budget", "9", "--out", "nowhere/report.html"), "there is no folder 'nowhere'"),
        (("--budget", "9", "--out", "."), "it is a folder"),
        (("--budget", "-1"), "The budget must be"),
        (("--budget", "9", "--budgets", "3,x"), "'x' is not an amount"),
        (("--budget", "9", "--budgets", "3,3"), "the budget 3 is given twice"),
        (("--budget", "9", "--cost", "tal=4"), "Did you mean 'tall'?"),
    ],
)
def test_reports_that_cannot_be_made(run, folder, options, message):
    code, out, err = run("report", "judgments.csv", "labels.csv", *options)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not (folder / "nowhere").exists()


def test_a_report_without_its_libraries_says_what_to_install(run, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, err = run("report", "judgments.csv", "labels.csv", "--budget", "9", "--out", "r.html")
    assert code == 2
    assert "pip install 'manyjudges[report]'" in err
    assert not (folder / "r.html").exists()


BUDGET = {"plan": ("--budget", "4"), "forecast": ("--budgets", "2,4"), "fit": (), "missing": (), "predict": ()}
INPUTS = {
    "plan": ("judgments.csv", "labels.csv"),
    "forecast": ("judgments.csv", "labels.csv"),
    "fit": ("plan.json", "judgments.csv", "labels.csv"),
    "missing": ("plan.json", "judgments.csv"),
    "predict": ("model.json", "new.csv"),
}


@pytest.mark.parametrize("command", INPUTS)
def test_a_file_that_cannot_be_written_is_refused_before_any_work(run, command):
    absent = [name.replace(".csv", ".absent") for name in INPUTS[command]]  # reading comes later, and would fail
    ending = ".json" if command in ("plan", "fit") else ".csv"
    code, out, err = run(command, *absent, *BUDGET[command], "--out", f"nowhere/table{ending}")
    assert (code, out) == (2, "")
    assert "there is no folder 'nowhere'; make it first" in err
    if command not in ("plan", "fit"):
        assert "the name must end in one of" in run(command, *absent, *BUDGET[command], "--out", "table.docx")[2]


def test_a_report_and_its_plan_are_written_where_there_is_a_folder(run, folder):
    options = ("--budget", "9", "--plan-out", "nowhere/plan.json", "--out", "r.html")
    code, _, err = run("report", "absent.csv", "labels.csv", *options)
    assert code == 2
    assert "there is no folder 'nowhere'" in err


def test_a_report_is_that_of_the_table_whoever_reads_it(run, folder):
    options = ("--budget", "4", "--budgets", "2,4", "--method", "full", "--shrinkage", "0", "--out", "one.html")
    assert run("report", "judgments.csv", "labels.csv", *options)[0] == 0
    labels = pd.read_csv(folder / "labels.csv").set_index("object")["label"]
    way = {"method": "full", "shrinkage": 0.0, "random_state": 0}
    page = report(read_judgments(folder / "judgments.csv"), labels, 4, budgets=[2, 4], **way)
    assert (folder / "one.html").read_text(encoding="utf-8") == page.html


@pytest.mark.parametrize("command", ["describe", "report", "fit", "missing", "predict"])
def test_invalid_rows_are_refused_or_skipped_and_counted(run, folder, command):
    for name in ("judgments.csv", "new.csv"):
        text = (folder / name).read_text().splitlines()
        lines = [text[0], text[1].rpartition(",")[0] + ",perhaps", *text[2:]]
        (folder / f"odd-{name}").write_text("\n".join(lines) + "\n")
    run("plan", "judgments.csv", "labels.csv", "--budget", "4", "--out", "plan.json")
    run("fit", "plan.json", "judgments.csv", "labels.csv", "--out", "model.json")
    given = INPUTS["plan"] if command in ("describe", "report") else INPUTS[command]
    given = [f"odd-{name}" if name in ("judgments.csv", "new.csv") else name for name in given]
    more = ("--budget", "4", "--budgets", "4", "--method", "full", "--shrinkage", "0") if command == "report" else ()
    code, _, err = run(command, *given, *more)
    assert code == 2
    assert "perhaps" in err
    code, out, _ = run(command, *given, *more, "--on-invalid", "skip")
    assert code == 0
    assert "1 row skipped." in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--max-repeats", "height (numerical)=1.5"), "--max-repeats height (numerical)=1.5: '1.5' is not a whole"),
        (("--temp-dir", "/nowhere"), "there is no folder '/nowhere' for temporary files"),
    ],
)
def test_what_cannot_be_meant_is_refused(run, options, message):
    code, out, err = run("plan", "judgments.csv", "labels.csv", "--budget", "4", *options)
    assert (code, out) == (2, "")
    assert message in err


def test_files_whose_names_promise_another_format_are_refused_before_any_work(run, folder):
    for command, out in (("plan", "plan.csv"), ("report", "report.pdf")):
        code, _, err = run(command, "judgments.csv", "labels.csv", "--budget", 8, "--out", out)
        assert code == 2
        assert "name a file that ends in" in err
        assert not (folder / out).exists()
