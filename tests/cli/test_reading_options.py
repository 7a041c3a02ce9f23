"""Options for reading a table: the same for every command, in a panel of their own, and understood."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.main import get_command

from manyjudges.cli.main import app
from manyjudges.cli.reading_options import _SHAPES, PANEL, SHARED, TableOptions
from manyjudges.exceptions import ManyJudgesError
from manyjudges.tables.files import write_table
from manyjudges.tables.shapes.registry import SHAPES
from tests.support.messages import refused

READING = ("describe", "plan", "forecast", "report", "missing", "fit", "predict")
WORDS = ("Never", "Rarely", "Sometimes", "Often")


def typed(**values):
    return TableOptions({name: default for name, (_, default) in SHARED.items()} | values)


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """A survey as a form gives it: a row for each rater and essay, a grade beside it, words, and a code for nothing."""
    rng = np.random.default_rng(0)
    rows = []
    for essay in range(40):
        grade, clear = rng.normal(70, 10), rng.integers(0, 4)
        for rater in rng.choice(8, size=3, replace=False):
            step = int(np.clip(clear + rng.integers(-1, 2), 0, 3))
            tone = -99 if rng.random() < 0.05 else int(rng.integers(1, 8))
            rows.append((f"rater {rater}", f"essay {essay}", WORDS[step], tone, round(grade + 5 * clear, 1)))
    columns = ["Rater", "Essay", "Examples", "Tone", "Grade"]
    folder = tmp_path_factory.mktemp("survey")
    frame = pd.DataFrame(rows, columns=columns)
    write_table(folder / "survey.csv", frame)
    write_table(folder / "grades.csv", frame[["Essay", "Grade"]].drop_duplicates())
    write_table(folder / "ratings.csv", frame.drop(columns="Grade"))
    (folder / "parts").mkdir()
    write_table(folder / "parts" / "a.csv", frame.iloc[:50])
    write_table(folder / "parts" / "b.csv", frame.iloc[50:])
    return folder


@pytest.fixture
def here(survey, monkeypatch, run):
    """Run a command in the survey's folder."""

    def call(*arguments):
        monkeypatch.chdir(survey)
        return run(*arguments)

    return call


@pytest.mark.parametrize("name", READING)
def test_every_command_that_reads_a_table_has_them_all_in_their_panel(name):
    command = get_command(app).commands[name]
    theirs = {each.name: each for each in command.params if getattr(each, "rich_help_panel", None) == PANEL}
    assert list(theirs) == list(SHARED)
    assert [each.opts[0] for each in theirs.values()] == [f"--{name.replace('_', '-')}" for name in SHARED]


def test_the_names_of_shapes_are_those_of_the_registry():
    assert set(_SHAPES) == set(SHAPES)


def test_what_is_typed_is_what_every_reader_is_told():
    options = typed(
        object="Essay",
        worker="",
        column=["label=Grade", "label-object=id"],
        missing=["-99,-1", "refused"],
        scale=["low,high"],
        drop=["a, b"],
        repeated="last",
    )
    assert options.read.columns == {"object": "Essay", "worker": None, "label": "Grade"}
    assert options.read.missing == ("-99", "-1", "refused")
    assert options.read.scales == (("low", "high"),)
    assert options.read.drop == ("a, b",)
    assert options.read.repeated == "last"
    assert options.label_object == "id"
    assert options.typed[:4] == ["--object", "Essay", "--worker", ""]
    assert "label=Grade" not in options.typed


def test_one_role_has_one_column():
    assert typed(object="a", column=["object=a"]).read.columns == {"object": "a"}
    with refused(ManyJudgesError, value="a", column="object"):
        _ = typed(object="a", column=["object=b"]).read


def test_a_survey_is_planned_from_without_anything_beside_it(here):
    code, out, err = here(
        "plan", "survey.csv", "--label", "Grade", "--object", "Essay", "--missing", "-99", "--budget", 4
    )
    assert code == 0
    assert "object = 'Essay', worker = 'Rater', label = 'Grade'" in err
    assert "answers for 'Examples': Never = 1, Rarely = 2, Sometimes = 3, Often = 4" in err
    assert "without an answer" in err
    assert "For each object, buy " in out


@pytest.mark.parametrize(
    "tables",
    [
        ["ratings.csv", "grades.csv"],
        ["parts", "--label", "Grade"],
        ["parts/a.csv", "parts/b.csv", "--label", "Grade"],
        ["parts/*.csv", "--label", "Grade"],
        ["parts/a.csv", "parts/b.csv", "grades.csv", "--drop", "Grade"],
    ],
)
def test_however_the_table_is_given_the_plan_is_the_same(tables, here):
    whole = here("plan", "survey.csv", "--label", "Grade", "--missing", "-99", "--budget", 4, "--json")
    code, out, _ = here("plan", *tables, "--missing", "-99", "--budget", 4, "--json")
    assert code == 0
    found, wanted = json.loads(out)["answer"], json.loads(whole[1])["answer"]
    assert found["plan"]["repeats"] == wanted["plan"]["repeats"]
    assert found["error"] == pytest.approx(wanted["error"])


def test_standard_input_is_read(here, survey, monkeypatch):
    with (survey / "survey.csv").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        code, _, err = here("describe", "-", "--label", "Grade", "--missing", "-99", "--format", "csv")
    assert code == 0
    assert "object = 'Essay'" in err


def test_without_a_label_the_columns_that_could_be_it_are_named(here):
    code, _, err = here("plan", "survey.csv", "--budget", 4)
    assert (code, err.count("\n")) == (2, 1)
    assert "--label COLUMN" in err
    assert "'Grade' is the same for every judge of an object" in err


def test_answers_stand_for_the_same_from_plan_to_prediction(here, survey, tmp_path):
    files = {name: str(tmp_path / f"{name}.json") for name in ("plan", "model")}
    given = ("--missing", "-99", "--label", "Grade")
    assert here("plan", "survey.csv", *given, "--budget", 4, "--out", files["plan"])[0] == 0
    assert json.loads((tmp_path / "plan.json").read_text())["answers"]["Examples"]["numbers"]["often"] == 4
    assert here("fit", files["plan"], "survey.csv", *given, "--out", files["model"])[0] == 0
    new = pd.read_csv(survey / "ratings.csv").assign(Rater="new").drop_duplicates("Essay")
    new = new[new["Examples"].isin(["Often", "Sometimes"])]  # by themselves they would be 2 and 1
    for code, words in ((0, None), (2, {"Often": "Always"})):
        frame = new if words is None else new.replace({"Examples": words})
        frame.to_csv(tmp_path / "new.csv", index=False)
        done = here("predict", files["model"], tmp_path / "new.csv", "--missing", "-99", "--json")
        assert done[0] == code, done
        if code == 0:
            known = here("predict", files["model"], "ratings.csv", "--missing", "-99", "--json")
            assert len(json.loads(known[1])["predictions"]) == 40
            assert json.loads(done[1])["predictions"][0]["prediction"] > 0
        else:
            assert "'Always'" in done[2]


def test_objects_without_any_answer_lack_everything(here, survey, tmp_path):
    plan = str(tmp_path / "plan.json")
    assert here("plan", "survey.csv", "--label", "Grade", "--missing", "-99", "--budget", 4, "--out", plan)[0] == 0
    repeats = json.loads((tmp_path / "plan.json").read_text())["repeats"]
    (tmp_path / "some.csv").write_text("Rater,Essay,Examples,Tone\nann,one,Often,3\nann,two,,\n")
    code, out, _ = here("missing", plan, tmp_path / "some.csv", "--json")
    assert code == 0
    lacking = json.loads(out)["missing"]
    assert sum(row["count"] for row in lacking if row["object"] == "two") == sum(repeats.values())


def test_skipped_rows_are_listed(here, survey, tmp_path):
    frame = pd.read_csv(survey / "survey.csv").astype({"Tone": object})
    frame.loc[[3, 7], "Tone"] = ["loud", "soft"]
    frame.to_csv(tmp_path / "odd.csv", index=False)
    given = ("describe", tmp_path / "odd.csv", "--label", "Grade", "--missing", "-99")
    assert "'loud'" in here(*given)[2]
    code, out, _ = here(*given, "--on-invalid", "skip", "--invalid-out", tmp_path / "skipped.csv")
    assert code == 0
    assert "2 rows skipped" in out
    skipped = pd.read_csv(tmp_path / "skipped.csv")
    assert skipped["row"].tolist() == [4, 8]
    assert skipped["column"].tolist() == ["Tone", "Tone"]
    assert skipped["value"].tolist() == ["loud", "soft"]
    assert here("describe", "survey.csv", *given[2:], "--invalid-out", tmp_path / "none.csv")[0] == 0
    assert list(pd.read_csv(tmp_path / "none.csv").columns) == ["file", "row", "column", "value", "problem"]
    code, _, err = here(*given, "--invalid-out", tmp_path / "skipped.pdf")
    assert (code, "the name must end in" in err) == (2, True)


@pytest.mark.parametrize("how", ["first", "last", "mean"])
def test_repeated_judgments_are_settled(how, here, survey, tmp_path):
    frame = pd.read_csv(survey / "survey.csv")
    pd.concat([frame, frame.iloc[[0]]]).to_csv(tmp_path / "twice.csv", index=False)
    given = ("describe", tmp_path / "twice.csv", "--label", "Grade", "--missing", "-99")
    assert "twice" in here(*given)[2]
    code, _, err = here(*given, "--repeated", how)
    assert code == 0
    assert "2 repeated judgments settled by --repeated" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--shape", "tall"], "'tall' is not one of"),
        (["--repeated", "sum"], "'sum' is not one of"),
        (["--scale", "alone"], "a scale needs at least two different words"),
        (["--object", "Esay"], "Did you mean 'Essay'"),
        (["--drop", "Tines"], "'Tines', which is to be dropped"),
        (["--format", "docx"], "the format 'docx' is unknown"),
        (["--label", "Grde"], "Did you mean 'Grade'"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(options, said, here):
    given = [] if "--label" in options else ["--label", "Grade"]
    code, _, err = here("describe", "survey.csv", *given, *options)
    assert (code, err.count("\n")) == (2, 1)
    assert said in err
