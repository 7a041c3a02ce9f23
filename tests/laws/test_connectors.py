"""What all connectors have in common, and the commands that use them on a study."""

from __future__ import annotations

import inspect
import json
import re
import shutil

import pandas as pd
import pytest
from typer.testing import CliRunner

from manyjudges import DocumentError, Judgments, StudyError, read_judgments
from manyjudges.cli.main import app
from manyjudges.connectors import NAMES, connector, detect
from manyjudges.service.study import open_study, order_first_round
from manyjudges.service.transfer import options_in, requests_of
from tests.support.collecting import beans_folder
from tests.support.folders import ROOT

FIXTURES = ROOT / "tests" / "fixtures"
OWN = {
    "mturk": FIXTURES / "mturk" / "batch.csv",
    "prolific": FIXTURES / "prolific" / "export.csv",
    "label-studio": FIXTURES / "label_studio" / "export.json",
    "potato": FIXTURES / "potato" / "newer",
    "google-forms": next((FIXTURES / "google_forms").glob("*.csv")),
    "crowd-kit": next((FIXTURES / "crowd_kit").glob("*.csv")),
}
"""A file of each tool whose files are plain."""


def call(*arguments, code=0, **more):
    result = CliRunner().invoke(app, [str(each) for each in arguments], **more)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


@pytest.fixture
def folder(tmp_path):
    entry = 'prolific = true\ncompletion_code = "JARS"'
    server = 'address = "https://judge.example.org"'
    made, _ = beans_folder(tmp_path / "jars", n_objects=6, unlabelled=0, entry=entry, server=server)
    with open_study(made, update=True) as opened:
        order_first_round(opened)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_every_connector_keeps_the_protocol(name):
    module = connector(name)
    assert isinstance(module.output, str)
    assert module.output
    read = inspect.signature(module.read).parameters
    assert next(iter(read)) == "path"
    assert {"questions", "object", "rename"} <= set(read)
    assert list(inspect.signature(module.write).parameters)[1] == "path"
    for each in (module.read, module.write, module.detects):
        assert each.__doc__


@pytest.mark.parametrize("name", OWN)
def test_files_are_told_by_what_is_in_them(name):
    assert detect(OWN[name]) == name


def test_files_that_are_nobodys(tmp_path):
    own = tmp_path / "judgments.csv"
    own.write_text("object,attribute,worker,value\na,tall,ann,1\n")
    with pytest.raises(DocumentError, match="is not clearly a file of any known tool"):
        detect(own)
    with pytest.raises(DocumentError, match="there is no file"):
        detect(tmp_path / "none.csv")
    (tmp_path / "random.bin").write_bytes(bytes(range(256)))
    assert not any(connector(name).detects(tmp_path / "random.bin") for name in NAMES)
    assert not any(connector(name).detects(tmp_path / "gone.xlsx") for name in NAMES)


def test_a_connector_by_a_name_that_there_is_not():
    with pytest.raises(DocumentError, match="Did you mean 'potato'"):
        connector("potatoe")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04 and so on", "x.csv is an Excel workbook or a .zip file, and not text; save the sheet as CSV"),
        ("task,worker\n".encode("utf-16-le"), "x.csv, line 1: there is a NUL character"),
        (b"task,worker,label\na,b\0,1\n", "x.csv, line 2: there is a NUL character"),
        (b"task,worker,label\na,\xe9,1\n", "x.csv, line 2: this is not UTF-8 text"),
    ],
)
@pytest.mark.parametrize("name", ["mturk", "label-studio", "spreadsheet", "google-forms", "crowd-kit", "cleanlab"])
def test_files_that_are_no_text(name, data, said, tmp_path):
    (tmp_path / "x.csv").write_bytes(data)
    with pytest.raises(DocumentError, match=re.escape(said)):
        connector(name).read(tmp_path / "x.csv")


class TestOptions:
    def test_each_as_the_kind_of_value_that_it_takes(self):
        assert options_in("mturk", "write", ["per_hit=10", "site=https://example.org"]) == {
            "per_hit": 10,
            "site": "https://example.org",
        }
        assert options_in("spreadsheet", "read", ["workers=no", "sheets=Ann", "sheets=Bob", "heading=2"]) == {
            "workers": False,
            "sheets": ["Ann", "Bob"],
            "heading": 2,
        }
        assert options_in("cleanlab", "write", ["classes=1", "classes=2.5"]) == {"classes": [1.0, 2.5]}
        offered = ["reward=1.50", "minutes=8", "internal_name=jars", "devices=desktop", "approve=yes"]
        assert options_in("prolific", "write", offered) == {
            "reward": "1.50",
            "minutes": 8,
            "internal_name": "jars",
            "devices": ["desktop"],
            "approve": True,
        }
        words = options_in("crowd-kit", "read", ["values=bad=0", "values=a = b=1"])
        assert words == {"values": {"bad": 0.0, "a = b": 1.0}}

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ("per_hit", "written NAME=VALUE"),
            ("per_hit=ten", "'ten' is not a whole number"),
            ("perhit=10", "mturk has no option 'perhit'; it has 'site', 'per_hit'. Did you mean 'per_hit'?"),
            ("requests=1", "no option 'requests'"),
        ],
    )
    def test_what_cannot_be_understood(self, given, said):
        with pytest.raises(StudyError) as caught:
            options_in("mturk", "write", [given])
        assert said in str(caught.value)

    @pytest.mark.parametrize(
        ("name", "given", "said"),
        [
            ("crowd-kit", "values=good", "'good' is not a word and its number, such as good=1"),
            ("spreadsheet", "workers=maybe", "'maybe' is not yes or no"),
            ("cleanlab", "classes=low", "'low' is not a number"),
            ("mturk", "object=image", "use --object NAME instead"),
            ("mturk", "rename=a=b", "use --rename OLD=NEW instead"),
            ("prolific", "judgments=file.csv", "use --study STUDY instead"),
        ],
    )
    def test_what_is_no_value_or_given_elsewhere(self, name, given, said):
        with pytest.raises(StudyError) as caught:
            options_in(name, "read", [given])
        assert f"--set {given}" in str(caught.value)
        assert said in str(caught.value)


class TestImport:
    def test_a_table_of_what_the_files_hold(self, tmp_path):
        out = tmp_path / "judgments.csv"
        said = call("import", "mturk", OWN["mturk"], "--attribute", "height", "--attribute", "tall", "--out", out)
        assert "7 judgments of 2 attributes of 2 objects by 2 workers" in said
        assert len(read_judgments(out)) == 7

    def test_the_tool_is_found_out(self, tmp_path):
        out = tmp_path / "judgments.csv"
        call("import", OWN["mturk"], "--attribute", "tall", "--rejected", "--out", out)
        assert len(read_judgments(out)) > 4
        call("import", "auto", OWN["label-studio"], "--out", tmp_path / "more.parquet")
        assert len(read_judgments(tmp_path / "more.parquet"))

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["mturk"], "say which files to read: manyjudges import mturk FILE..."),
            (["nobody", "file.csv"], "'nobody' is neither a file nor one of mturk"),
            ([OWN["mturk"], OWN["label-studio"]], "files of different tools"),
            (["prolific", OWN["prolific"]], "judgments"),
            (["mturk", OWN["mturk"], "--set", "shape=wide"], "mturk has no option 'shape'"),
            (["cleanlab", OWN["mturk"], "--rejected"], "cleanlab has no option 'rejected'"),
            (["mturk", "none.csv"], "there is no file 'none.csv'"),
            (["mturk", OWN["mturk"], "--paid"], "--paid is only with --into STUDY"),
            (["cleanlab", "a.csv", "--attribute", "a", "--attribute", "b"], "about one attribute"),
        ],
    )
    def test_what_cannot_be_done_is_said(self, arguments, said, tmp_path):
        assert said in call("import", *arguments, "--out", tmp_path / "out.csv", code=2)
        assert not (tmp_path / "out.csv").exists()

    def test_a_table_that_cannot_be_written_is_found_out_before_anything_is_put_into_a_study(self, folder, tmp_path):
        (tmp_path / "long.csv").write_text("task,worker,label\nobject 0001,ann,1\n")
        given = ["crowd-kit", tmp_path / "long.csv", "--attribute", "round jar", "--into", folder]
        assert "the name must end in" in call("import", *given, "--out", tmp_path / "out.xyz", code=2)
        assert json.loads(call("status", folder, "--json"))["judgments"] == 0

    def test_somebody_twice_is_an_error_with_advice_that_can_be_followed(self, tmp_path):
        (tmp_path / "long.csv").write_text("task,worker,label\na,ann,1\na,ann,2\n")
        said = call("import", tmp_path / "long.csv", "--attribute", "tall", "--out", tmp_path / "out.csv", code=2)
        assert "worker 'ann' judged 'tall' of object 'a' twice, in long.csv, line 2 and long.csv, line 3" in said
        assert "give them different names" in said
        assert "--column" not in said

    def test_into_a_study_and_once_only(self, folder, tmp_path):
        rows = [("object 0001", "round jar", who, value) for who, value in (("ann", "yes"), ("bob", "no"))]
        batch = tmp_path / "batch.csv"
        heading = "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.object,Answer.round jar\n"
        batch.write_text(heading + "".join(f"h,{who},{who},Approved,{o},{v}\n" for o, _, who, v in rows))
        assert "2 judgments put into" in call("import", "mturk", batch, "--into", folder)
        again = call("import", "mturk", batch, "--into", folder)
        assert "2 were there already" in again or "0 judgments" in again
        numbers = json.loads(call("status", folder, "--json"))
        assert (numbers["judgments"], numbers["spent"]) == (2, 0.0)

    def test_answers_are_checked_by_the_study(self, folder, tmp_path):
        batch = tmp_path / "batch.csv"
        heading = "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.object,Answer.round jar\n"
        batch.write_text(heading + "h,1,ann,Approved,object 0001,perhaps\n")
        said = call("import", "mturk", batch, "--into", folder, code=2)
        assert "batch.csv, line 2" in said
        assert "'perhaps'" in said
        batch.write_text(heading + "h,1,ann,Approved,jar of another study,yes\n")
        said = call("import", "mturk", batch, "--into", folder, code=2)
        assert "1 objects are not in the study: 'jar of another study'" in said
        assert json.loads(call("status", folder, "--json"))["judgments"] == 0

    def test_options_that_would_be_passed_over(self, folder, tmp_path):
        said = call("import", "mturk", OWN["mturk"], "--study", tmp_path / "other", "--into", folder, code=2)
        assert "--study is not with --into" in said
        said = call("import", "prolific", OWN["prolific"], "--into", folder, code=2)
        assert "--into is not for prolific" in said


class TestExport:
    def test_the_first_export_begins_the_pilot(self, tmp_path):
        made, _ = beans_folder(tmp_path / "fresh", n_objects=6)
        said = call("export", "potato", made, "--out", tmp_path / "out")
        assert "48 judgments of 6 objects to ask for written to" in said

    @pytest.mark.parametrize("name", ["label-studio", "potato", "mturk"])
    def test_a_folder_for_a_tool(self, name, folder, tmp_path):
        more = ["--set", "site=https://example.org/pictures"] if name == "mturk" else []
        said = call("export", name, folder, "--out", tmp_path / "out", *more)
        assert "judgments of 6 objects to ask for written to" in said
        assert any((tmp_path / "out").iterdir())
        again = call("export", name, folder, "--out", tmp_path / "out", *more, code=2)
        assert "is not empty; name a new one" in again

    @pytest.mark.parametrize(
        ("name", "file"),
        [("spreadsheet", "form.xlsx"), ("google-forms", "form.gs"), ("prolific", "study.json")],
    )
    def test_a_file_for_a_tool(self, name, file, folder, tmp_path):
        call("export", name, folder, "--out", tmp_path / file)
        assert (tmp_path / file).stat().st_size

    def test_a_draft_with_what_participants_are_offered(self, folder, tmp_path):
        more = ["--set", "reward=1.50", "--set", "minutes=8", "--set", "internal_name=jars"]
        call("export", "prolific", folder, "--out", tmp_path / "draft.json", *more)
        body = json.loads((tmp_path / "draft.json").read_text())
        assert (body["reward"], body["estimated_completion_time"], body["internal_name"]) == (150, 8, "jars")
        said = call("export", "prolific", folder, "--out", tmp_path / "other.json", "--set", "reward=much", code=2)
        assert "reward = 'much' is no amount of money" in said
        assert not (tmp_path / "other.json").exists()

    def test_a_workbook_that_was_filled_in_comes_back(self, folder, tmp_path):
        openpyxl = pytest.importorskip("openpyxl")
        call("export", "spreadsheet", folder, "--out", tmp_path / "form.xlsx")
        book = openpyxl.load_workbook(tmp_path / "form.xlsx")
        with open_study(folder) as opened:
            wanted = requests_of(opened)
        asked = sum(each.count for each in wanted.wanted)
        filled = 0
        for sheet in book.worksheets[1:]:
            for row in sheet.iter_rows():
                for cell in row:
                    if cell.value is None and not cell.protection.locked:
                        cell.value, filled = 1, filled + 1
        book.save(tmp_path / "form.xlsx")
        assert filled == asked
        said = call("import", tmp_path / "form.xlsx", "--into", folder)
        assert f"{asked:,} judgments put into" in said
        numbers = json.loads(call("status", folder, "--json"))
        assert (numbers["judgments"], numbers["open"]) == (asked, 0)

    def test_a_form_as_a_table_of_text_is_told_from_others(self, folder, tmp_path):
        call("export", "spreadsheet", folder, "--out", tmp_path / "form.csv")
        assert detect(tmp_path / "form.csv") == "spreadsheet"
        text = (tmp_path / "form.csv").read_text()
        line = 'Rater 1,object 0001,"A jar, number 0",'
        assert f"{line},,,\n" in text
        (tmp_path / "form.csv").write_text(text.replace(f"{line},,,", f"{line}1,1,5,1", 1))
        assert "4 judgments put into" in call("import", tmp_path / "form.csv", "--into", folder)

    def test_judgments_for_those_who_look_at_them(self, folder, tmp_path):
        with open_study(folder) as opened:
            opened.store.take_in(
                "mturk",
                [
                    ("object 0001", "round jar", "ann", 1.0),
                    ("object 0002", "round jar", "bob", 0.0),
                    ("object 0002", "monochromatic", "bob", 0.0),
                ],
            )
        said = call("export", "crowd-kit", folder, "--attribute", "round jar", "--out", tmp_path / "long.csv")
        assert said.startswith("2 judgments written to")
        assert set(pd.read_csv(tmp_path / "long.csv").columns) >= {"task", "worker", "label"}
        call("export", "cleanlab", folder, "--attribute", "round jar", "--out", tmp_path / "wide.csv")
        call(
            "import", "crowd-kit", tmp_path / "long.csv", "--set", "attribute=round jar", "--out", tmp_path / "back.csv"
        )
        assert isinstance(read_judgments(tmp_path / "back.csv"), Judgments)

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["potato"], "say where to write what potato takes: --out PATH"),
            (["spreadsheet", "--attribute", "round jar", "--out", "x.xlsx"], "spreadsheet has no option 'attribute'"),
            (["nobody", "--out", "x"], "'nobody' is none of mturk"),
            (["potato", "--out", "x", "--all"], "--all is not for potato"),
        ],
    )
    def test_what_cannot_be_done_is_said(self, arguments, said, folder):
        assert said in call("export", arguments[0], folder, *arguments[1:], code=2)

    def test_all_or_none_of_the_files_are_written(self, folder, tmp_path):
        for option in ("--labels-out", "--calls-out"):
            given = ["--out", tmp_path / "out.csv", option, tmp_path / "other.xyz"]
            assert "the name must end in" in call("export", folder, *given, code=2)
        assert "--set is only with a tool" in call("export", folder, "--set", "site=x", code=2)
        assert not (tmp_path / "out.csv").exists()

    def test_nothing_to_ask_for(self, folder, tmp_path):
        with open_study(folder) as opened:
            wanted = requests_of(opened)
            rows = [
                (each.object, each.attribute, f"worker {at}", 1.0) for each in wanted.wanted for at in range(each.count)
            ]
            opened.store.take_in("elsewhere", rows)
        said = call("export", "potato", folder, "--out", tmp_path / "out", code=2)
        assert "nothing is to be judged by people now" in said
        assert not (tmp_path / "out").exists()
        shutil.rmtree(folder)
        assert "there is no folder" in call("export", "potato", folder, "--out", tmp_path / "out", code=2)
