"""The first rows of files as people have them, and what each column was taken for."""

from __future__ import annotations

import pytest

from manyjudges.app.choices import Choices
from manyjudges.app.work.preview import ROWS_SHOWN, look
from manyjudges.app.work.readings import look_at_table, look_document
from tests.support.folders import ROOT

FRONT = ROOT / "tests" / "fixtures" / "front"


def seen(name, **choices):
    return look([str(FRONT / name)], Choices(**choices))


def roles(shown):
    return {column["heading"]: column["role"] for column in shown["columns"]}


def test_a_survey():
    shown = seen("survey.csv")
    assert roles(shown) == {
        "Essay": "object", "Rater": "worker", "Clarity": "question", "Argument": "question", "Evidence": "question",
        "Style": "question", "Grade": "question",
    }  # fmt: skip
    assert shown["rows"][0] == ["E01", "Ann", "Neither agree nor disagree", "Agree", "Disagree", "Strongly agree", "76"]
    assert len(shown["rows"]) == ROWS_SHOWN
    assert shown["problem"] == {}


def test_choices_are_followed():
    shown = seen("survey.csv", columns={"label": "Grade", "worker": None}, drop=("Style", "Rater"))
    found = roles(shown)
    assert (found["Grade"], found["Rater"], found["Style"]) == ("label", "left out", "left out")
    assert {column["why"] for column in shown["columns"] if column["role"] == "left out"} == {"dropped"}


def test_rows_of_the_heading_are_shown_beside_as_many_of_the_table():
    shown = seen("qualtrics.csv")
    assert (shown["shape"], shown["heading_rows"]) == ("qualtrics", 2)
    assert len(shown["rows"]) == ROWS_SHOWN + 2
    assert roles(shown)["IPAddress"] == "left out"
    assert all(column["why"] for column in shown["columns"] if column["role"] == "left out")
    assert max(len(cell) for row in shown["rows"] for cell in row) <= 60


def test_the_columns_are_shown_where_nothing_was_recognised(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    shown = look([str(path)], Choices())
    assert [column["heading"] for column in shown["columns"]] == ["a", "b"]
    assert shown["rows"] == [["1", "2"], ["3", "4"]]
    assert "odd.csv" in shown["problem"]["message"]
    assert shown["shape"] == ""


@pytest.mark.parametrize(
    "name", ["long.xlsx", "long.ods", "long.parquet", "long.arrow", "long-gzip.csv.gz", "survey.sav"]
)
def test_all_formats_have_a_preview(name):
    assert seen(name)["problem"] == {}


def test_answers_without_a_known_order_can_be_ordered_in_tables_with_a_row_for_each_judgment(tmp_path):
    path = tmp_path / "colours.csv"
    rows = [
        f"o{i},{question},w{j},{word}"
        for i in range(4)
        for question in ("size", "hue")
        for j, word in enumerate(("4", "5", "6") if question == "size" else ("red", "green", "blue"))
    ]
    path.write_text("\n".join(["object,attribute,worker,value", *rows]))
    files = [str(path)]
    doubt = look_document(look_at_table(files, [], Choices()), files, Choices())["doubt"]
    assert (doubt["attribute"], sorted(doubt["order"])) == ("hue", ["blue", "green", "red"])
    left_out = look_document(look_at_table(files, [], Choices(drop=("hue",))), files, Choices(drop=("hue",)))
    assert (left_out["problem"], left_out["attributes"]) == ({}, ["size"])
