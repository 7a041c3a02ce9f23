"""Spreadsheets: every shape is read, every bad cell is named, and a form that was filled in comes back."""

from __future__ import annotations

import builtins
import csv
import datetime
import random
import re
import zipfile
from contextlib import suppress
from functools import partial

import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyjudges import ManyJudgesError
from manyjudges.connectors import connector, spreadsheet
from manyjudges.connectors.requests import ObjectContent, RequestedPair, Requests
from manyjudges.exceptions import DocumentError, InvalidAnswerError, JudgmentsError
from manyjudges.study.questions import Attribute
from tests.support.folders import ROOT
from tests.support.messages import complaint_of, refused

FIXTURES = ROOT / "tests" / "fixtures" / "spreadsheet"
TALL = Attribute(name="tall", question="Is the person tall?", kind="binary")
HEIGHT = Attribute(name="height", question="How tall?", kind="number", range=(50.0, 250.0), unit="cm")
AGE = Attribute(name="age", question="How old?", kind="scale", range=(1.0, 3.0), labels=("young", "middle", "old"))
RATED = {
    ("p1", "tall", "ann"): 1, ("p1", "height", "ann"): 180, ("p2", "tall", "ann"): 0,
    ("p1", "tall", "bob"): 0, ("p1", "height", "bob"): 182.5, ("p2", "tall", "bob"): 0, ("p2", "height", "bob"): 160,
}  # fmt: skip


def values(judgments):
    frame = judgments.to_frame()
    keys = zip(frame["object"], frame["attribute"], frame["worker"], strict=True)
    return dict(zip(keys, frame["value"], strict=True))


def book(folder, sheets, name="book.xlsx"):
    """A workbook with these sheets, each a list of rows."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
    made.save(folder / name)
    return folder / name


def edited(path, change):
    made = openpyxl.load_workbook(path)
    change(made)
    made.save(path)
    return path


complaint = partial(complaint_of, spreadsheet.read, error=DocumentError)


class TestShapes:
    def test_a_column_for_each_judgment(self):
        assert values(spreadsheet.read(FIXTURES / "wide.csv")) == {
            ("p1", "tall", "judgment 1"): 1,
            ("p1", "tall", "judgment 2"): 0,
            ("p1", "tall", "judgment 3"): 1,
            ("p2", "tall", "judgment 1"): 0,
            ("p1", "height", "Ann"): 180,
            ("p1", "height", "Bob"): 182.5,
            ("p2", "height", "Ann"): 160,
        }

    @pytest.mark.parametrize("style", ["tall {}", "tall_{}", "tall.{}", "tall{}", "tall - {}", "tall #{}"])
    def test_ways_to_number(self, tmp_path, style):
        path = book(tmp_path, {"Sheet1": [["x", style.format(1), style.format(2)], ["a", 1, 0]]})
        assert values(spreadsheet.read(path)) == {("a", "tall", "judgment 1"): 1, ("a", "tall", "judgment 2"): 0}

    def test_the_way_of_pandas(self, tmp_path):
        path = book(tmp_path, {"Sheet1": [["x", "tall", "tall.1"], ["a", 1, 0]]})
        assert values(spreadsheet.read(path)) == {("a", "tall", "judgment 0"): 1, ("a", "tall", "judgment 1"): 0}

    def test_columns_without_raters(self):
        found = spreadsheet.read(FIXTURES / "wide.csv", workers=False)
        assert len(found) == 7
        assert len(found.workers) == 0
        assert found.source == "read from wide.csv"
        assert found.means().loc["p1", "tall"] == pytest.approx(2 / 3)

    def test_a_file_for_each_rater(self):
        assert values(spreadsheet.read([FIXTURES / "ann.csv", FIXTURES / "bob.tsv"])) == RATED

    def test_one_file_of_one_rater(self):
        complaint(FIXTURES / "ann.csv", file="ann.csv")
        found = values(spreadsheet.read(FIXTURES / "ann.csv", shape="sheets"))
        assert found == {key: value for key, value in RATED.items() if key[2] == "ann"}
        assert len(spreadsheet.read(FIXTURES / "ann.csv", workers=False)) == 3

    def test_a_sheet_for_each_rater(self, tmp_path):
        path = book(
            tmp_path,
            {
                "ann": [["photo", "tall", "height"], ["p1", "yes", 180], ["p2", False, None]],
                "notes": [["Ann was in a hurry"]],
                "bob": [["photo", "tall", "height"], ["p1", 0, "182.5"], ["p2", "No", 160], [None, " ", None]],
                "empty": [],
            },
        )
        # Yes/no beside numbers is fine in a cell: each stands for a number of its own.
        assert values(spreadsheet.read(path)) == RATED
        assert set(values(spreadsheet.read(path, sheets=["ann"], shape="sheets"))) == {
            k for k in RATED if k[2] == "ann"
        }

    def test_a_row_for_each_rater_below_a_title(self):
        found = values(spreadsheet.read(FIXTURES / "rows.csv", rename={"tall": "long"}))
        assert found[("p1", "long", "Ann")] == 1
        assert len(found) == 5

    def test_a_rater_column_by_its_name(self, tmp_path):
        path = book(tmp_path, {"Sheet1": [["photo", "who", "tall"], ["a", "Ann", 1], ["a", "Bob", 0]]})
        assert values(spreadsheet.read(path, worker="who")) == {("a", "tall", "Ann"): 1, ("a", "tall", "Bob"): 0}
        complaint(path, shape="rows", column="worker", file="book.xlsx")
        complaint(path, worker="whom", value="whom", column="worker", file="book.xlsx")

    def test_questions_choose_columns_and_know_labels(self, tmp_path):
        rows = [["photo", "age (Ann)", "age (Bob)", "comment"], ["a", "old", "3 – old", "hm"]]
        path = book(tmp_path, {"Sheet1": rows})
        assert values(spreadsheet.read(path, questions={"age": AGE})) == {
            ("a", "age", "Ann"): 3,
            ("a", "age", "Bob"): 3,
        }
        complaint(
            path, attributes=["comment"], error=JudgmentsError, value="hm", row=2, column="comment", file="book.xlsx"
        )
        complaint(
            path, attributes=["age"], error=JudgmentsError, value="old", row=2, column="age (Ann)", file="book.xlsx"
        )

    def test_an_attribute_whose_name_ends_in_a_number(self, tmp_path):
        path = book(tmp_path, {"Ann": [["photo", "face 1", "face 2"], ["a", 1, 0]]})
        found = spreadsheet.read(path, attributes=["face 1", "face 2"], shape="sheets")
        assert found.attributes == ("face 1", "face 2")

    def test_the_object_by_its_column(self, tmp_path):
        path = book(tmp_path, {"Ann": [["nr", "Item", "tall"], [1, "a", 1], [2, "b", 0]]})
        assert set(spreadsheet.read(path, shape="sheets", attributes=["tall"]).objects) == {"a", "b"}
        assert set(spreadsheet.read(path, shape="sheets", attributes=["tall"], object="nr").objects) == {"1", "2"}
        complaint(path, object="Itme", value="Itme", column="object", file="book.xlsx")

    def test_a_first_column_without_a_heading(self, tmp_path):
        path = book(tmp_path, {"S": [[None, "tall 1", "tall 2"], ["a", 1, 0]]})
        assert set(spreadsheet.read(path).objects) == {"a"}

    def test_a_table_that_begins_in_the_middle(self, tmp_path):
        path = book(tmp_path, {"S": [[], [], [None, "photo", "tall 1", "tall 2"], [None, "a", 1, "so"]]})
        complaint(path, error=JudgmentsError, value="so", row=4, column="tall 2", file="book.xlsx")
        edited(path, lambda made: made["S"].__setitem__("D4", 0))
        assert set(spreadsheet.read(path).objects) == {"a"}

    def test_a_single_column(self, tmp_path):
        (tmp_path / "x.csv").write_text("worker\nann\n")
        complaint(tmp_path / "x.csv", heading=1, column="attributes", file="x.csv")


class TestCells:
    def test_merged_names_go_down(self, tmp_path):
        rows = [["Jars of May", None, None], ["photo", "rater", "tall"], ["a", "Ann", 1], [None, "Bob", 0]]
        path = book(tmp_path, {"S": rows})
        edited(path, lambda made: [made["S"].merge_cells(area) for area in ("A1:C1", "A3:A4")])
        assert values(spreadsheet.read(path)) == {("a", "tall", "Ann"): 1, ("a", "tall", "Bob"): 0}

    def test_merged_judgments_are_none(self, tmp_path):
        path = book(tmp_path, {"S": [["photo", "tall 1", "tall 2"], ["a", 1, None]]})
        edited(path, lambda made: made["S"].merge_cells("B2:C2"))
        complaint(path, error=JudgmentsError, value=1, row=2, column="tall 2", file="book.xlsx")

    def test_merged_headings(self, tmp_path):
        path = book(tmp_path, {"S": [["photo", "tall", None], ["a", 1, 0]]})
        edited(path, lambda made: made["S"].merge_cells("B1:C1"))
        complaint(path, value="tall", row=1, column="C", file="book.xlsx")

    def test_a_formula_that_was_not_worked_out(self, tmp_path):
        path = book(
            tmp_path, {"Ann": [["photo", "tall", "old"], ["a", "=1+1", 0]], "Bob": [["photo", "tall"], ["a", 1]]}
        )
        complaint(path, error=JudgmentsError, value="=1+1", row=2, column="tall", file="book.xlsx")

    def test_a_formula_with_its_value(self, tmp_path):
        path = book(tmp_path, {"Ann": [["photo", "tall 1", "tall 2"], ["a", "=2-1", 0]]})
        with zipfile.ZipFile(path) as old:
            parts = {name: old.read(name) for name in old.namelist()}
        sheet = "xl/worksheets/sheet1.xml"
        parts[sheet] = re.sub(rb"<f>2-1</f><v ?/?>(</v>)?", b"<f>2-1</f><v>1</v>", parts[sheet])
        with zipfile.ZipFile(path, "w") as new:
            for name, part in parts.items():
                new.writestr(name, part)
        assert values(spreadsheet.read(path))[("a", "tall", "judgment 1")] == 1

    @pytest.mark.parametrize("error", ["#N/A", "#DIV/0!", "#REF!"])
    def test_errors(self, tmp_path, error):
        path = book(tmp_path, {"Ann": [["photo", "tall 1", "tall 2"], ["a", 1, error]]})
        complaint(path, error=JudgmentsError, value=error, row=2, column="tall 2", file="book.xlsx")

    @pytest.mark.parametrize("value", [datetime.datetime(2026, 2, 1), datetime.time(1, 2), datetime.timedelta(1)])
    def test_dates(self, tmp_path, value):
        path = book(tmp_path, {"Ann": [["photo", "tall 1", "tall 2"], ["a", 1, value]]})
        complaint(path, error=JudgmentsError, value=value, row=2, column="tall 2", file="book.xlsx")

    def test_dates_as_names(self, tmp_path):
        path = book(tmp_path, {"Ann": [["photo", "tall 1", "tall 2"], [datetime.datetime(2026, 2, 1), 1, 1]]})
        complaint(path, row=2, column="photo", file="book.xlsx")

    def test_names_that_are_numbers(self, tmp_path):
        path = book(tmp_path, {"S": [["photo", "tall 1", "tall 2"], [7, 1, 0], [8.0, 1, 0], ["007", 1, 0]]})
        assert set(spreadsheet.read(path).objects) == {"7", "8", "007"}

    def test_hidden_rows_and_columns_count_and_hidden_sheets_do_not(self, tmp_path):
        rows = [["photo", "tall 1", "tall 2"], ["a", 1, 0], ["b", 1, 1]]
        path = book(tmp_path, {"S": rows, "lists": [["x", "y"], ["no", "judgment"]]})

        def hide(made):
            made["S"].column_dimensions["C"].hidden = made["S"].row_dimensions[3].hidden = True
            made["lists"].sheet_state = "hidden"

        assert len(spreadsheet.read(edited(path, hide))) == 4

    def test_a_judgment_of_nothing(self, tmp_path):
        path = book(tmp_path, {"S": [["photo", "tall 1", "tall 2"], [None, 1, 0]]})
        complaint(path, row=2, column="tall 1", file="book.xlsx")

    def test_a_row_of_nobody(self, tmp_path):
        path = book(tmp_path, {"S": [["photo", "rater", "tall"], ["a", None, 1]]})
        complaint(path, row=2, column="rater", file="book.xlsx")

    def test_the_same_twice(self, tmp_path):
        path = book(tmp_path, {"S": [["photo", "rater", "tall"], ["a", "Ann", 1], ["a", "Ann", 0]]})
        complaint(path, error=JudgmentsError, value="Ann", row=3, column="tall", file="book.xlsx")


class TestComplaints:
    def test_text(self, tmp_path):
        complaint(
            book(tmp_path, {"S": [["photo", "tall 1", "tall 2"], ["a", "maybe", 0]]}),
            error=JudgmentsError,
            value="maybe",
            row=2,
            column="tall 1",
            file="book.xlsx",
        )
        (tmp_path / "x.csv").write_text("photo,tall 1,tall 2\na,yes,no\nb,maybe,no\n")
        complaint(tmp_path / "x.csv", error=JudgmentsError, value="maybe", row=3, column="tall 1", file="x.csv")

    def test_out_of_range(self, tmp_path):
        path = book(tmp_path, {"S": [["photo", "height 1", "height 2"], ["a", 1700, 170]]})
        complaint(
            path,
            questions={"height": HEIGHT},
            error=InvalidAnswerError,
            value=1700,
            row=2,
            column="height",
            file="book.xlsx",
        )

    def test_headings(self, tmp_path):
        path = book(tmp_path, {"S": [["photo", "tall", "tall"], ["a", 1, 0]]})
        complaint(path, value="tall", row=1, column="C", file="book.xlsx")
        complaint(path, heading=9, row=9, column="heading", file="book.xlsx")

    def test_what_is_not_there(self, tmp_path):
        path = book(tmp_path, {"S": [["photo", "tall 1", "tall 2", "old 1"], ["a", 1, 0, None]]})
        complaint(path, sheets="T", value="T", column="sheets", file="book.xlsx")
        complaint(path, questions={"age": AGE}, column="attributes", file="book.xlsx")
        complaint(
            path, attributes=["tall", "old"], error=JudgmentsError, value="old", column="attributes", file="book.xlsx"
        )
        complaint(
            path, attributes=["tall"], questions={"age": AGE}, value="tall", row=2, column="tall 1", file="book.xlsx"
        )
        long = book(tmp_path, {"S": [["object", "attribute", "worker", "value"], ["a", "tall", "w", 1]]}, "long.xlsx")
        complaint(long, column="shape", file="long.xlsx")
        complaint(path, shape="long", value="long", column="shape")
        complaint(book(tmp_path, {"S": []}, "empty.xlsx"), file="empty.xlsx")
        complaint(book(tmp_path, {"S": [["photo", "a 1", "a 2"]]}, "bare.xlsx"), error=JudgmentsError, file="bare.xlsx")
        complaint([], column="path")
        complaint(tmp_path / "none.xlsx", file=str(tmp_path / "none.xlsx"))
        complaint(tmp_path / "none.csv", file=str(tmp_path / "none.csv"))

    def test_what_is_no_workbook(self, tmp_path):
        (tmp_path / "x.xlsx").write_text("tall")
        complaint(tmp_path / "x.xlsx", file="x.xlsx")

    def test_a_workbook_that_is_damaged(self, tmp_path):
        path = book(tmp_path, {"S": [["photo", "a 1", "a 2"], ["p1", 1, 2]]})
        whole = path.read_bytes()
        with zipfile.ZipFile(path) as packed:
            first = packed.infolist()[0]
        chance = random.Random(0)
        for _ in range(60):
            damaged = bytearray(whole)
            for _ in range(6):
                damaged[chance.randrange(first.compress_size + 40)] = chance.randrange(256)
            damaged[chance.randrange(len(damaged))] ^= 0xFF
            path.write_bytes(damaged)
            with suppress(ManyJudgesError):  # and nothing else
                spreadsheet.read(path)
        packed_otherwise = whole.replace(b"\x50\x4b\x01\x02\x14\x03\x14", b"\x50\x4b\x01\x02\x14\x03\xdc")
        path.write_bytes(packed_otherwise)
        assert packed_otherwise != whole
        complaint(path, file="book.xlsx")
        (tmp_path / "x.xls").write_bytes(b"\xd0\xcf")
        complaint(tmp_path / "x.xls", file="x.xls")

    def test_text_that_is_cut(self, tmp_path):
        path = tmp_path / "x.csv"
        path.write_text("photo,tall 1,tall 2\na,1,0,1\n")
        complaint(path, row=2, column="A", file="x.csv")
        path.write_text('photo,tall 1,tall 2\n"a,1,0\n')
        complaint(path, row=2, file="x.csv")

    def test_without_openpyxl(self, tmp_path, monkeypatch):
        path = book(tmp_path, {"S": [["photo", "tall 1", "tall 2"], ["a", 1, 0]]})
        real = builtins.__import__

        def without(name, *args, **kwargs):
            if name.startswith("openpyxl"):
                raise ImportError(name)
            return real(name, *args, **kwargs)

        monkeypatch.setattr(builtins, "__import__", without)
        complaint(path, value="openpyxl")
        with refused(DocumentError, value="openpyxl"):
            spreadsheet.write(requests({("a", "tall"): 1}), tmp_path / "out.xlsx")
        assert not (tmp_path / "out.xlsx").exists()


OBJECTS = {
    "=1+1": ObjectContent(text='=HYPERLINK("x")'),
    "b/ü 🙂": ObjectContent(address="https://example.org/b.jpg?x=1&y=2"),
    "-3": ObjectContent(text="One\ntwo, three"),
    "'@d": ObjectContent(),
    "n/a": ObjectContent(text="n/a"),
}
ODD = Attribute(name="+odd (name) 2", question="-Why?", kind="number", help="Think.", example="$3", whole=True)
MOOD = Attribute(name="mood", question="Mood?", kind="scale", range=(-1.0, 1.0), labels=("bad", "good"))
RATER = Attribute(name="rater", question="@Who?", kind="binary", cant_tell=True)
QUESTIONS = {each.name: each for each in (TALL, HEIGHT, AGE, ODD, MOOD, RATER)}


def requests(counts):
    pairs = tuple(RequestedPair(thing, name, count) for (thing, name), count in counts.items())
    names, things = {pair.attribute for pair in pairs}, {pair.object for pair in pairs}
    known = OBJECTS | {thing: ObjectContent(text=thing) for thing in things if thing not in OBJECTS}
    return Requests(
        pairs,
        {name: each for name, each in QUESTIONS.items() if name in names},
        {name: each for name, each in known.items() if name in things},
        "People & pets",
        "Welcome.\n\nTake your time.",
    )


ANSWERS = {"tall": "yes", "height": 150.5, "age": 2, "+odd (name) 2": -7, "mood": -1, "rater": "no"}
NUMBERS = ANSWERS | {"tall": 1, "rater": 0}


def fill_workbook(path):
    """Answer every open cell of a form; which of them there were, by object, attribute and rater."""
    made, asked = openpyxl.load_workbook(path), {}
    for sheet in made.worksheets[1:]:
        for row in sheet.iter_rows(min_row=3):
            for cell in row:
                if not cell.protection.locked:
                    attribute = sheet.cell(1, cell.column).value
                    cell.value = ANSWERS[attribute]
                    asked[(row[0].value, attribute, sheet.title)] = NUMBERS[attribute]
    made.save(path)
    return asked


def fill_table(path, separator):
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file, delimiter=separator)
    for row in rows[1:]:
        for at, name in enumerate(head):
            attribute = name.removeprefix("'")
            if attribute in ANSWERS and row[at] == "":
                row[at] = str(ANSWERS[attribute])
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=separator).writerows([head, *rows])


COUNTS = st.dictionaries(
    st.tuples(st.sampled_from(sorted(OBJECTS)), st.sampled_from(sorted(QUESTIONS))),
    st.integers(1, 4),
    min_size=1,
    max_size=12,
)


def counts_of(found):
    return {(thing, name): int(n) for (thing, name), n in found.counts().stack().items() if n}


class TestWriting:
    @pytest.mark.slow
    @settings(max_examples=15)
    @given(counts=COUNTS)
    def test_a_filled_workbook_comes_back(self, tmp_path_factory, counts):
        path = tmp_path_factory.mktemp("out") / "form.xlsx"
        spreadsheet.write(requests(counts), path)
        asked = fill_workbook(path)
        for questions in (None, QUESTIONS):
            found = spreadsheet.read(path, questions=questions)
            assert values(found) == asked
            assert counts_of(found) == counts
        assert spreadsheet.detects(path)

    @settings(max_examples=30)
    @given(counts=COUNTS, kind=st.sampled_from([".csv", ".tsv"]))
    def test_a_filled_table_comes_back(self, tmp_path_factory, counts, kind):
        path = tmp_path_factory.mktemp("out") / f"form{kind}"
        spreadsheet.write(requests(counts), path)
        assert len(pd.read_csv(path, sep="\t" if kind == ".tsv" else ",")) >= 2
        fill_table(path, "\t" if kind == ".tsv" else ",")
        for questions in (None, QUESTIONS):
            found = spreadsheet.read(path, questions=questions)
            assert counts_of(found) == counts
            assert all(value == NUMBERS[name] for (_, name, _), value in values(found).items())

    @given(counts=COUNTS)
    def test_nobody_has_much_more_to_do(self, counts):
        tasks = spreadsheet.shared(requests(counts))
        load = [sum(map(len, things.values())) for things in tasks.values()]
        assert len(tasks) == max(counts.values())
        assert sum(load) == sum(counts.values())
        assert max(load) - min(load) <= 1

    def test_what_a_rater_sees(self, tmp_path):
        path = tmp_path / "form.xlsx"
        spreadsheet.write(requests({("-3", "tall"): 2, ("b/ü 🙂", "mood"): 1, ("-3", "height"): 1}), path)
        made = openpyxl.load_workbook(path)
        assert made.sheetnames == ["Instructions", "Rater 1", "Rater 2"]
        lines = [cell.value for cell in made["Instructions"]["A"]]
        assert lines[:3] == ["People & pets", "Welcome.", "Take your time."]
        assert "mood: Mood? A whole number from -1 to 1 (-1: bad, 1: good)" in lines
        sheet = made["Rater 1"]
        assert sheet.protection.sheet
        assert [cell.value for cell in sheet[1]][:3] == ["object", "(text)", "(picture)"]
        assert sheet["A2"].value == "(question)"
        rules = {each.promptTitle: each for one in made.worksheets[1:] for each in one.data_validations.dataValidation}
        assert rules["tall"].formula1 == '"yes,no"'
        assert rules["mood"].formula1 == '"-1,0,1,can\'t tell"'
        assert (rules["height"].type, rules["height"].formula1, rules["height"].formula2) == ("decimal", "50", "250")
        links = [cell.hyperlink.target for row in sheet.iter_rows() for cell in row if cell.hyperlink]
        assert links == ["https://example.org/b.jpg?x=1&y=2"]

    def test_nothing_becomes_a_formula(self, tmp_path):
        counts = {("=1+1", "+odd (name) 2"): 1, ("-3", "rater"): 1}
        spreadsheet.write(requests(counts), tmp_path / "form.xlsx")
        made = openpyxl.load_workbook(tmp_path / "form.xlsx")
        cells = [cell for sheet in made for row in sheet.iter_rows() for cell in row if cell.value is not None]
        assert {cell.data_type for cell in cells} == {"s"}
        risky = [cell for cell in cells if cell.value[0] in "=+-@"]
        assert risky
        assert all(cell.quotePrefix for cell in risky)
        spreadsheet.write(requests(counts), tmp_path / "form.csv")
        with open(tmp_path / "form.csv", newline="", encoding="utf-8") as file:
            assert not [cell for row in csv.reader(file) for cell in row if cell[:1] in {"=", "+", "-", "@"}]

    def test_raters_by_name(self, tmp_path):
        path = tmp_path / "form.xlsx"
        spreadsheet.write(requests({("-3", "tall"): 2, ("n/a", "tall"): 1}), path, raters=["Ann", "Bob", "Cleo"])
        assert openpyxl.load_workbook(path).sheetnames == ["Instructions", "Ann", "Bob", "Cleo"]

    @pytest.mark.parametrize(
        ("raters", "value", "column"),
        [
            (["Ann"], 1, "raters"),
            (["Ann", "ann"], "Ann", "raters"),
            (["Ann", "Instructions"], "Instructions", "raters"),
            (["Ann", "a/b"], "a/b", "title"),
            (["Ann", "x" * 32], "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "title"),
            (["Ann", " "], " ", "name"),
        ],
    )
    def test_names_of_raters(self, tmp_path, raters, value, column):
        with refused(DocumentError, value=value, column=column):
            spreadsheet.write(requests({("-3", "tall"): 2}), tmp_path / "form.xlsx", raters=raters)
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("name", ["(question)", "worker", "a\nb", " a", "Object"])
    def test_names_that_a_form_does_not_take(self, tmp_path, name):
        with refused(DocumentError, value=name, column="name"):
            spreadsheet.write(requests({(name, "tall"): 1}), tmp_path / "form.csv")

    @pytest.mark.parametrize("text", ["x" * 40_000, "a\x07"])
    def test_texts_that_a_cell_does_not_take(self, tmp_path, text):
        one = Requests((RequestedPair("a", "tall", 1),), {"tall": TALL}, {"a": ObjectContent(text=text)})
        with refused(DocumentError, value=text):
            spreadsheet.write(one, tmp_path / "form.xlsx")
        assert not list(tmp_path.iterdir())

    def test_a_plain_table_and_other_endings(self, tmp_path):
        frame = pd.DataFrame({"object": ["x"], "attribute": "beans", "count": [2]})
        spreadsheet.write(frame, tmp_path / "form.csv")
        with refused(DocumentError, file="form.ods"):
            spreadsheet.write(frame, tmp_path / "form.ods")


class TestDetecting:
    def test_what_is_known(self, tmp_path):
        assert connector("spreadsheet") is spreadsheet.CONNECTOR
        assert spreadsheet.detects(FIXTURES / "wide.csv")
        assert spreadsheet.detects(book(tmp_path, {"S": [["a", "b"]]}))
        own = {
            "own.csv": "object,attribute,worker,value\na,b,c,1\n",
            "pair.csv": "object,height,weight\na,1,2\n",
            "kit.csv": "task,worker,label\na,b,1\n",
            "fake.xlsx": "no workbook",
            "quotes.csv": '"a,b\n',
            "empty.csv": "",
        }
        for name, text in own.items():
            (tmp_path / name).write_text(text)
            assert not spreadsheet.detects(tmp_path / name), name
        (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
        for path in (tmp_path / "binary.csv", tmp_path, tmp_path / "none.xlsx"):
            assert not spreadsheet.detects(path)
