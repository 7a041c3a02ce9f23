"""Commands between a study and other tools, as somebody types them."""

from __future__ import annotations

import json
import shutil

import pandas as pd
import pytest

from manyjudges import Judgments, read_judgments
from manyjudges.connectors import detect
from manyjudges.service.study import open_study
from manyjudges.service.study_planner import order_first_round
from manyjudges.service.transfer import requests_of
from tests.support.collecting import beans_folder
from tests.support.commands import call
from tests.support.exchanges import OWN_FILES


@pytest.fixture
def folder(tmp_path):
    entry = 'prolific = true\ncompletion_code = "JARS"'
    server = 'address = "https://judge.example.org"'
    made, _ = beans_folder(tmp_path / "jars", n_objects=6, unlabelled=0, entry=entry, server=server)
    with open_study(made, update=True) as opened:
        order_first_round(opened)
    return made


class TestImport:
    def test_a_table_of_what_the_files_hold(self, tmp_path):
        out = tmp_path / "judgments.csv"
        said = call("import", "mturk", OWN_FILES["mturk"], "--attribute", "height", "--attribute", "tall", "--out", out)
        assert "7 judgments of 2 attributes of 2 objects by 2 workers" in said
        assert len(read_judgments(out)) == 7

    def test_the_tool_is_found_out(self, tmp_path):
        out = tmp_path / "judgments.csv"
        call("import", OWN_FILES["mturk"], "--attribute", "tall", "--rejected", "--out", out)
        assert len(read_judgments(out)) > 4
        call("import", "auto", OWN_FILES["label-studio"], "--out", tmp_path / "more.parquet")
        assert len(read_judgments(tmp_path / "more.parquet"))

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["mturk"], "say which files to read: manyjudges import mturk FILE..."),
            (["nobody", "file.csv"], "'nobody' is neither a file nor one of mturk"),
            ([OWN_FILES["mturk"], OWN_FILES["label-studio"]], "files of different tools"),
            (["prolific", OWN_FILES["prolific"]], "judgments"),
            (["mturk", OWN_FILES["mturk"], "--option", "shape=wide"], "mturk has no option 'shape'"),
            (["cleanlab", OWN_FILES["mturk"], "--rejected"], "cleanlab has no option 'rejected'"),
            (["mturk", "none.csv"], "there is no file 'none.csv'"),
            (["mturk", OWN_FILES["mturk"], "--paid"], "--paid is only with --into STUDY"),
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

    def test_questions_under_other_names_are_not_passed_over_in_silence(self, folder, tmp_path):
        heading = "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.object,Answer.Round,Answer.Colour\n"
        batch = tmp_path / "batch.csv"
        batch.write_text(heading + "h,1,ann,Approved,object 0001,yes,no\n")
        own_name = ["import", "mturk", batch]
        batch.write_text(heading.replace("Round", "round jar") + "h,1,ann,Approved,object 0001,yes,no\n")
        said = call(*own_name, "--into", folder)
        assert "1 judgments put into" in said
        assert "'Colour' in the file were left out" in said
        assert "--rename OLD=NEW" in said
        assert "left out" in call(*own_name, "--study", folder, "--out", tmp_path / "out.csv")
        batch.write_text(heading.replace(",Answer.Colour", "") + "h,1,ann,Approved,object 0001,yes\n")
        given = [*own_name, "--rename", "Round=round jar"]
        assert "left out" not in call(*given, "--study", folder, "--out", tmp_path / "out.csv")

    @pytest.mark.parametrize("answer", ["no", "deep blue"])
    def test_one_new_name_of_several_does_not_lose_the_others(self, answer, folder, tmp_path):
        heading = "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.object,Answer.Round,Answer.Colour\n"
        batch, out = tmp_path / "batch.csv", tmp_path / "out.csv"
        batch.write_text(heading + f"h,1,ann,Approved,object 0001,yes,{answer}\n")
        given = ["import", "mturk", batch, "--rename", "Round=round jar"]
        for target in (["--into", folder], ["--study", folder, "--out", out]):
            said = call(*given, *target, code=2)
            assert "'Colour' would be left out" in said
            assert "'monochromatic'" in said
        assert json.loads(call("status", folder, "--json"))["judgments"] == 0
        assert not out.exists()
        said = call(*given, "--attribute", "round jar", "--into", folder)
        assert "1 judgments put into" in said

    def test_options_that_would_be_passed_over(self, folder, tmp_path):
        said = call("import", "mturk", OWN_FILES["mturk"], "--study", tmp_path / "other", "--into", folder, code=2)
        assert "--study is not with --into" in said
        said = call("import", "prolific", OWN_FILES["prolific"], "--into", folder, code=2)
        assert "--into is not for prolific" in said


class TestExport:
    def test_the_first_export_begins_the_pilot(self, tmp_path):
        made, _ = beans_folder(tmp_path / "fresh", n_objects=6)
        said = call("export", "potato", made, "--out", tmp_path / "out")
        assert "48 judgments of 6 objects to ask for written to" in said

    @pytest.mark.parametrize("name", ["label-studio", "potato", "mturk"])
    def test_a_folder_for_a_tool(self, name, folder, tmp_path):
        more = ["--option", "site=https://example.org/pictures"] if name == "mturk" else []
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
        more = ["--option", "reward=1.50", "--option", "minutes=8", "--option", "internal_name=jars"]
        call("export", "prolific", folder, "--out", tmp_path / "draft.json", *more)
        body = json.loads((tmp_path / "draft.json").read_text())
        assert (body["reward"], body["estimated_completion_time"], body["internal_name"]) == (150, 8, "jars")
        said = call("export", "prolific", folder, "--out", tmp_path / "other.json", "--option", "reward=much", code=2)
        assert "reward = 'much' is no amount of money" in said
        assert not (tmp_path / "other.json").exists()

    def test_a_workbook_that_was_filled_in_comes_back(self, folder, tmp_path):
        openpyxl = pytest.importorskip("openpyxl")
        call("export", "spreadsheet", folder, "--out", tmp_path / "form.xlsx")
        book = openpyxl.load_workbook(tmp_path / "form.xlsx")
        with open_study(folder) as opened:
            wanted = requests_of(opened)
        asked = sum(each.count for each in wanted.pairs)
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
            "import",
            "crowd-kit",
            tmp_path / "long.csv",
            "--option",
            "attribute=round jar",
            "--out",
            tmp_path / "back.csv",
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
        assert "--option is only with a tool" in call("export", folder, "--option", "site=x", code=2)
        assert not (tmp_path / "out.csv").exists()

    def test_nothing_to_ask_for(self, folder, tmp_path):
        with open_study(folder) as opened:
            wanted = requests_of(opened)
            rows = [
                (each.object, each.attribute, f"worker {at}", 1.0) for each in wanted.pairs for at in range(each.count)
            ]
            opened.store.take_in("elsewhere", rows)
        said = call("export", "potato", folder, "--out", tmp_path / "out", code=2)
        assert "nothing is to be judged by people now" in said
        assert not (tmp_path / "out").exists()
        shutil.rmtree(folder)
        assert "there is no folder" in call("export", "potato", folder, "--out", tmp_path / "out", code=2)
