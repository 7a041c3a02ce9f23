"""What all connectors have in common, and the commands that use them on a study."""

from __future__ import annotations

import inspect
import json
import re
import shutil
from collections import Counter
from dataclasses import FrozenInstanceError, fields
from functools import partial

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from manyjudges import Judgments, read_judgments
from manyjudges.cli.main import app
from manyjudges.connectors import NAMES, connector, detect
from manyjudges.connectors.prolific.drafts import StudyTerms
from manyjudges.exceptions import DocumentError, JudgmentsError, StudyError
from manyjudges.service.study import open_study
from manyjudges.service.study_planner import order_first_round
from manyjudges.service.transfer import COMMON, options_in, read_from, requests_of, write_for
from tests.support.collecting import beans_folder
from tests.support.exchanges import (
    COUNTS,
    EXCHANGES,
    NONSENSE,
    QUESTIONS,
    number_said,
    requests_for,
    said_in_all,
    say,
)
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

SAMPLES = [b"", *(path.read_bytes()[:4000] for path in sorted(FIXTURES.glob("*/*")) if path.is_file())]
"""How files of all tools begin."""


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


@pytest.fixture(params=NAMES)
def tool(request):
    """Every connector there is."""
    return connector(request.param)


class TestWhatAConnectorSays:
    def test_it_is_one_frozen_object_under_its_name(self, tool):
        assert NAMES.count(tool.name) == 1
        assert connector(tool.name) is tool
        assert tool.output
        with pytest.raises(FrozenInstanceError):
            tool.name = "another"

    def test_its_functions_take_what_every_connector_takes(self, tool):
        read = inspect.signature(tool.read).parameters
        assert next(iter(read)) == "path"
        assert {"questions", "object", "rename"} <= set(read)
        assert list(inspect.signature(tool.write).parameters)[1] == "path"
        assert all(function.__doc__ for function in (tool.read, tool.write, tool.detects))

    @pytest.mark.parametrize("direction", ["read", "write"])
    def test_its_options_are_the_parameters_of_its_functions(self, tool, direction):
        parameters = inspect.signature(getattr(tool, direction)).parameters.values()
        own = {each.name: each.annotation for each in parameters if each.kind is each.KEYWORD_ONLY}
        own = {name: annotation for name, annotation in own.items() if name not in COMMON}
        options = tool.options_of(direction)
        if any(each.kind is each.VAR_KEYWORD for each in parameters):
            own |= {each.name: each.type for each in fields(StudyTerms) if each.name != "filters"}
        assert list(options) == list(own)
        for name, option in options.items():
            assert types_in(own[name]) == (option.type, option.several), name

    def test_its_options_are_explained(self, tool):
        for name, option in tool.options.items():
            assert name.isidentifier()
            assert option.help[0].isupper()
            assert not option.help.endswith(".")
            assert option.on

    def test_what_it_needs_of_a_study_is_a_parameter(self, tool):
        read, write = (inspect.signature(function).parameters for function in (tool.read, tool.write))
        assert ("judgments" in tool.needs) == ("judgments" in read) == ("pseudonyms" in read)
        assert ("study" in tool.needs) == ("study" in write)
        assert (tool.writes == "judgments") == (next(iter(write)) == "judgments")


def types_in(annotation):
    """The type of an option, and whether it takes several, by the annotation of a parameter."""
    kinds = {"bool": "yes or no", "int": "whole number", "float": "number"}
    if "Mapping" in annotation:
        return "word=number", False
    kind = next((words for name, words in kinds.items() if re.search(rf"\b{name}\b", annotation)), "text")
    return kind, "Sequence" in annotation


@pytest.mark.parametrize("direction", ["read", "write"])
class TestUnknownOptions:
    def test_an_unknown_option_names_the_known_ones(self, tool, direction):
        with pytest.raises(StudyError) as caught:
            options_in(tool.name, direction, ["nonsense=1"])
        assert caught.value.value == "nonsense"
        assert all(repr(name) in str(caught.value) for name in tool.options_of(direction))

    def test_a_typo_is_recognised(self, tool, direction):
        for name in tool.options_of(direction):
            with pytest.raises(StudyError, match=f"Did you mean '{name}'"):
                tool.option(f"{name}x", direction)

    def test_options_of_a_call_are_checked_too(self, tool, direction, tmp_path):
        call_it = {"read": partial(read_from, tool.name, []), "write": partial(write_for, tool.name, None, tmp_path)}
        with pytest.raises(StudyError, match="has no option 'nonsense'"):
            call_it[direction](nonsense=1)


class TestExchange:
    """Write, answer as people would in the tool, read."""

    def answered(self, tool, folder, say_it=say):
        exchange, out = EXCHANGES[tool.name], folder / EXCHANGES[tool.name].out
        asked = requests_for(COUNTS) if tool.writes == "requests" else said_in_all(COUNTS)
        tool.write(asked, out, **exchange.options)
        return exchange.answer(out, say_it)

    def test_what_is_answered_comes_back(self, tool, tmp_path):
        paths, options = self.answered(tool, tmp_path)
        found = tool.read(paths, questions=QUESTIONS, **options).to_frame()
        counts = COUNTS if tool.writes == "requests" else {pair: n for pair, n in COUNTS.items() if pair[1] == "tall"}
        assert Counter(zip(found["object"], found["attribute"], strict=True)) == counts
        # A tool may call its judges and share work out as it likes, but each gives the answers of one person.
        people = {worker: set(range(max(COUNTS.values()))) for worker in found["worker"]}
        for row in found.itertuples(index=False):
            people[row.worker] &= {
                judge for judge in people[row.worker] if number_said(row.object, row.attribute, judge) == row.value
            }
        assert all(people.values())

    def test_a_record_that_cannot_be_used_is_named_with_its_file_and_its_row(self, tool, tmp_path):
        def spoilt(thing, attribute, judge):
            return NONSENSE if (thing, attribute, judge) == ("a", "tall", 0) else say(thing, attribute, judge)

        paths, options = self.answered(tool, tmp_path, spoilt)
        with pytest.raises((DocumentError, JudgmentsError)) as caught:
            tool.read(paths, questions=QUESTIONS, **options)
        error = caught.value
        assert error.value == NONSENSE
        assert error.column is not None
        assert error.file in str(error)
        assert str(error.row) in str(error)
        [file] = [file for file in tmp_path.rglob("*") if str(file).endswith(error.file) and holds(file, NONSENSE)][:1]
        if file.suffix == ".csv":
            lines = file.read_text(encoding="utf-8").splitlines()
            assert [at for at, line in enumerate(lines, start=1) if NONSENSE in line] == [error.row]
        else:
            assert json.dumps(error.row) in file.read_text(encoding="utf-8")

    @pytest.mark.parametrize("name", [name for name in NAMES if connector(name).output == "a folder"])
    def test_a_folder_with_something_in_it_is_left_alone(self, name, tmp_path):
        out = tmp_path / EXCHANGES[name].out
        out.mkdir()
        (out / "mine.txt").touch()
        with pytest.raises(DocumentError, match="is not empty"):
            self.answered(connector(name), tmp_path)
        assert [path.name for path in out.iterdir()] == ["mine.txt"]


def holds(path, text):
    return path.is_file() and text.encode() in path.read_bytes()


class TestDetecting:
    @given(data=st.data())
    def test_it_never_raises(self, tmp_path_factory, data):
        folder = tmp_path_factory.mktemp("odd")
        ending = data.draw(st.sampled_from([".csv", ".tsv", ".json", ".jsonl", ".xlsx", ".txt", ""]))
        start = data.draw(st.sampled_from(SAMPLES))
        text = start[: data.draw(st.integers(0, len(start)))] + data.draw(st.binary(max_size=40))
        (folder / f"file{ending}").write_bytes(text)
        for name in NAMES:
            for path in (folder / f"file{ending}", folder, folder / "none.csv"):
                assert connector(name).detects(path) in (True, False)


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
        assert f"--option {given}" in str(caught.value)
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
            (["mturk", OWN["mturk"], "--option", "shape=wide"], "mturk has no option 'shape'"),
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
                (each.object, each.attribute, f"worker {at}", 1.0) for each in wanted.wanted for at in range(each.count)
            ]
            opened.store.take_in("elsewhere", rows)
        said = call("export", "potato", folder, "--out", tmp_path / "out", code=2)
        assert "nothing is to be judged by people now" in said
        assert not (tmp_path / "out").exists()
        shutil.rmtree(folder)
        assert "there is no folder" in call("export", "potato", folder, "--out", tmp_path / "out", code=2)
