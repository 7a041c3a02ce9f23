from __future__ import annotations

import datetime
import json

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pytest

from manyjudges import Judgments, read_judgments, scan_moments
from manyjudges.exceptions import DocumentError, JudgmentsError, LabelsError, ManyJudgesError
from manyjudges.tables.answers.coding import AnswerCoding
from manyjudges.tables.reading.cells import read_cells
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.reading import codings_from_document, codings_to_document
from manyjudges.tables.reading.table import read_table
from tests.support.folders import ROOT
from tests.support.messages import refused

FRONT = ROOT / "tests" / "fixtures" / "front"

SURVEY = pd.DataFrame(
    {
        "Essay": ["e1", "e1", "e2", "e2", "e3", "e3"],
        "Rater": ["ann", "bob"] * 3,
        "clear": ["agree", "disagree", "", "agree", "strongly agree", "n/a"],
        "length": [3, 4, 2, 5, 4, 4],
        "Grade": [70, 70, 80, 80, None, None],
    }
)


def test_a_survey_with_its_labels():
    read = read_table(SURVEY, label="Grade")
    assert read.judgments.shape == (3, 2)
    assert read.labels.to_dict() == {"e1": 70, "e2": 80}
    assert read.labels.attrs["to_predict"] == ["e3"]
    assert read.reading.unanswered == 2
    assert read.reading.layout.shape == "wide-by-rater"
    assert read.judgments.reading is read.reading
    assert any("agree = 3" in line for line in read.reading.lines())


def workbook(folder, **sheets):
    """A workbook with these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, frame in sheets.items():
        sheet = book.create_sheet(name)
        for row in [list(frame.columns), *frame.astype(object).to_numpy().tolist()]:
            sheet.append(row)
    book.save(folder / "ratings.xlsx")
    return folder / "ratings.xlsx"


ANN = pd.DataFrame({"Essay": ["e1", "e2", "e3"], "clear": [3, 4, 1]})
BOB = ANN.assign(clear=[2, 4, 2])


def test_sheets_that_sum_up_or_hold_notes_are_left_out(tmp_path):
    mean = ANN.assign(clear=(ANN["clear"] + BOB["clear"]) / 2)
    notes = pd.DataFrame({"Rated in": ["the library"], "by": ["us"]})
    read = read_table(workbook(tmp_path, ann=ANN, bob=BOB, Mean=mean, Notes=notes))
    assert read.judgments.workers.tolist() == ["ann", "bob"]
    assert [note for note in read.reading.notes if "'Mean'" in note and "sum up" in note]
    assert [note for note in read.reading.notes if "'Notes'" in note and "no judgments" in note]


def test_sheets_of_raters_whose_columns_differ_are_refused_with_what_differs(tmp_path):
    with refused(DocumentError, value="ann", file="ratings.xlsx"):
        read_table(workbook(tmp_path, ann=ANN, bob=BOB.rename(columns={"clear": "Clear"}), cleo=ANN))


def test_a_row_that_sums_up_is_no_object(tmp_path):
    total = pd.concat([BOB, pd.DataFrame({"Essay": ["Mean", "SD"], "clear": [2.67, 1.2]})], ignore_index=True)
    with refused(JudgmentsError, value="Mean", row=5, column="object"):
        read_table(workbook(tmp_path, ann=ANN, bob=total))
    read = read_table(workbook(tmp_path, ann=ANN, bob=total), on_invalid="skip")
    assert read.judgments.objects.tolist() == ["e1", "e2", "e3"]
    assert [each.row for each in read.invalid] == [5, 6]
    # Above others it may be the name of an object, and in a long table, too.
    assert "Mean" in read_table([{"essay": "Mean", "clear": 3}, {"essay": "e2", "clear": 4}]).judgments.objects


def test_places_name_the_sheet_and_what_is_not_counted(tmp_path):
    place = "row 2 of ratings.xlsx, sheet 'copy'"
    both = workbook(tmp_path, all=SURVEY[["Essay", "Rater", "length"]], copy=SURVEY[["Essay", "Rater", "length"]])
    with refused(JudgmentsError) as caught:
        read_table(both)
    assert place in str(caught.value)
    qualtrics = (FRONT / "qualtrics.csv").read_text("utf-8").replace(",Disagree,", ",perhaps,", 1)
    (tmp_path / "qualtrics.csv").write_text(qualtrics, "utf-8")
    with refused(JudgmentsError, row=3) as caught:
        read_table(tmp_path / "qualtrics.csv", object="Essay", worker="PROLIFIC_PID")
    assert "row 3 of qualtrics.csv (not counting the first line)" in str(caught.value)


def test_days_are_shown_as_days(tmp_path):
    frame = ANN.assign(clear=[datetime.date(2024, 2, 1), 3, 4])
    with refused(JudgmentsError, value="2024-02-01"):
        read_table(workbook(tmp_path, ann=frame))


def test_the_same_from_frames_files_and_columns(tmp_path):
    path = tmp_path / "survey.csv"
    SURVEY.to_csv(path, index=False)
    wanted = read_table(SURVEY, label="Grade").judgments.to_frame()
    for source in (path, str(path), pl.from_pandas(SURVEY), SURVEY.to_dict("list")):
        read = read_table(source, label="Grade")
        pd.testing.assert_frame_equal(read.judgments.to_frame(), wanted)
        assert read.labels.to_dict() == {"e1": 70, "e2": 80}
    pd.testing.assert_frame_equal(read_judgments(path, label="Grade").to_frame(), wanted)
    pd.testing.assert_frame_equal(Judgments.from_frame(SURVEY, label="Grade").to_frame(), wanted)
    pd.testing.assert_frame_equal(Judgments.from_wide(SURVEY, label="Grade").to_frame(), wanted)


def test_a_wide_table_is_never_taken_for_a_long_one():
    frame = pd.DataFrame({"object": ["a", "b"], "question": [1, 2], "score": [3, 4]})
    assert Judgments.from_wide(frame).attributes == ("question", "score")
    assert Judgments.from_frame(frame).attributes == ("1", "2")


def test_invalid_rows_are_listed():
    frame = SURVEY.assign(length=[3, 4, "two", 5, 4, 4])
    with refused(JudgmentsError, value="two", row=3, column="length"):
        read_table(frame, label="Grade")
    read = read_table(frame, label="Grade", on_invalid="skip")
    assert read.reading.skipped == read.judgments.skipped == 1
    assert read.invalid_frame().to_dict("records") == [
        {"file": "", "row": 3, "column": "length", "value": "two", "problem": "'two' is not a number"}
    ]


def test_a_column_of_labels_that_is_not_one():
    with refused(LabelsError, value=81, row=2, column="Grade"):
        read_table(SURVEY.assign(Grade=[70, 81, 80, 80, None, None]), label="Grade")
    with refused(ManyJudgesError, value="Mark", column="label"):
        read_table(SURVEY, label="Mark")


def test_sheets_without_judgments_are_left_out():
    read = read_table(FRONT / "grades-too.xlsx")
    assert len(read.judgments) == 144
    assert any("left out" in note for note in read.reading.notes)


def test_what_answers_stand_for_comes_back_from_a_plan():
    read = read_table(SURVEY, label="Grade")
    document = json.loads(json.dumps(codings_to_document(read.reading.codings)))
    assert set(document) == {"clear"}
    codings = codings_from_document(document, read.judgments.attributes)
    new = SURVEY.assign(clear="agree", other="red").drop(columns="Grade")
    again = read_table(new, ReadOptions(codings=codings))
    assert again.judgments.attributes == ("clear", "length")
    assert set(again.judgments.to_frame().query("attribute == 'clear'")["value"]) == {3.0}
    with refused(JudgmentsError, value="maybe", row=1, column="clear"):
        read_table(new.assign(clear="maybe"), ReadOptions(codings=codings))


def test_a_reading_is_plain_json():
    document = read_table(SURVEY, label="Grade").reading.to_document()
    assert json.loads(json.dumps(document)) == document
    assert document["unanswered"] == 2


def test_ordered_categories_are_scales():
    steps = ["bad", "fine", "good"]
    frame = pd.DataFrame(
        {"object": ["a", "b"], "attribute": "q", "value": pd.Categorical(["good", "bad"], steps, ordered=True)}
    )
    assert Judgments.from_frame(frame).to_frame()["value"].tolist() == [3, 1]
    of_polars = pl.DataFrame({"photo": ["a", "b"], "q": pl.Series(["good", "fine"], dtype=pl.Enum(steps))})
    assert Judgments.from_frame(of_polars).to_frame()["value"].tolist() == [3, 2]


def test_judgments_that_are_only_numbered_have_no_workers():
    frame = pd.DataFrame({"photo": ["a", "b"], "tall_1": [1, 2], "tall_2": [2, 3]})
    judgments = Judgments.from_frame(frame)
    assert not len(judgments.workers)
    assert (judgments.counts() == 2).all().all()


def test_a_long_column_that_is_misspelt_is_not_a_question():
    frame = pd.DataFrame({"object": ["a", "b"], "attribute": ["x", "x"], "worker": ["u", "v"], "vallue": [1, 2]})
    with refused(JudgmentsError, column="value"):
        read_table(frame)
    assert len(read_table(frame, value="vallue").judgments) == 2


def test_dropping_what_is_not_there():
    frame = pd.DataFrame({"object": ["a", "b"], "attribute": ["x", "y"], "value": [1, 2]})
    with refused(JudgmentsError, value="z", column="drop"):
        read_table(frame, drop="z")
    assert read_table(frame, drop="y").judgments.attributes == ("x",)


@pytest.mark.parametrize("numbers", [[1, 2, 3, np.nan], [1.5, 2, np.nan, np.nan]])
def test_numbers_that_are_missing_are_no_judgments(numbers):
    frame = pd.DataFrame({"object": list("abcd"), "q": numbers})
    read = read_table(frame)
    assert read.reading.unanswered == sum(map(np.isnan, numbers))
    assert set(read.unjudged) | set(read.judgments.objects) == set("abcd")


def test_codings_round_trip():
    codings = {"a": AnswerCoding("number"), "b": AnswerCoding.of_words("binary", {"no": 0.0, "yes": 1.0})}
    assert codings_from_document(codings_to_document(codings), ["a", "b"]) == codings


def test_two_tables_are_one_only_if_answers_are_the_same_numbers():
    few = pd.DataFrame({"Essay": ["a", "b"], "Rater": "ann", "clear": ["agree", "disagree"]})
    all_steps = ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"]
    more = pd.DataFrame({"Essay": list("abcde"), "Rater": "bob", "clear": all_steps})
    first, second = Judgments.from_frame(few), Judgments.from_frame(more)
    with refused(JudgmentsError, value="disagree", column="clear"):
        first + second
    again = Judgments.from_frame(few, codings=second.reading.codings)
    both = again + second
    assert len(both) == 7
    assert both.reading.codings == second.reading.codings
    counted = Judgments.from_frame({"Essay": ["a", "b"], "Rater": ["cid", "cid"], "long": [3, 4]})
    assert set((both + counted).reading.codings) == {"clear", "long"}


def test_points_between_thousands_are_not_taken_for_decimals(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("Essay;Rater;price;worth\ne1;ann;900,5;3\ne2;ann;1.250;4\n", encoding="utf-8")
    with refused(JudgmentsError, value="1.250", row=2):
        read_table(path)
    path.write_text("Essay;Rater;price;worth\ne1;ann;900,5;3\ne2;ann;0.250;4\n", encoding="utf-8")
    assert sorted(read_table(path).judgments.to_frame()["value"]) == [0.25, 3, 4, 900.5]


@pytest.mark.parametrize("mark", [",", "."])
def test_marks_between_thousands_are_not_taken_for_decimals_beside_whole_numbers(tmp_path, mark):
    path = tmp_path / "prices.csv"
    rows = [("ann", "950", "3"), ("bob", "1,250", "4"), ("cid", "2,731", "3")]

    def write(*more):
        lines = [f"e1;{rater};{price.replace(',', mark)};{worth}" for rater, price, worth in [*rows, *more]]
        path.write_text("\n".join(["Essay;Rater;price;worth", *lines]), encoding="utf-8")

    write()
    for read in (read_table, lambda path: scan_moments(path, {"e1": 3.0, "e2": 4.0})):
        with refused(JudgmentsError, value=f"1{mark}250", row=2, file="prices.csv"):
            read(path)
    for other in ("1,5", "1250", "0,250"):  # decimals elsewhere, no marks elsewhere, and less than one
        write(("dan", other, "3"))
        if not (mark == "." and other == "1,5"):
            assert 1.25 in read_table(path).judgments.to_frame()["value"].tolist()


def test_whole_numbers_of_other_questions_say_nothing_of_marks(tmp_path):
    path = tmp_path / "weights.csv"
    path.write_text("Essay;Rater;weight;pages\ne1;ann;4,850;120\ne1;bob;4,731;300\n", encoding="utf-8")
    assert 4.85 in read_table(path).judgments.to_frame()["value"].tolist()


def test_a_scale_that_no_question_has_is_said():
    scales = ["disagree, agree, strongly agree", "cold, warm, hot", "disagree, agree"]
    notes = read_table(SURVEY, scales=scales).reading.notes
    assert [note for note in notes if "not used" in note] == [
        "no question has all its answers in the scale 'cold, warm, hot', which was not used",
        "no question has all its answers in the scale 'disagree, agree', which was not used",
    ]
    graded = SURVEY.assign(Grade=["cold", "cold", "hot", "hot", None, None])
    assert not [note for note in read_table(graded, label="Grade", scales=scales[:2]).reading.notes if "used" in note]


def test_a_code_for_no_answer_that_no_cell_has_is_said(tmp_path):
    rows = pd.DataFrame(
        {"object": ["a", "a", "b"], "attribute": ["x", "x", "x"], "value": ["1", "-99.0", "Other"], "label": [3, 3, -1]}
    )
    said = "which was named as no answer"
    for source, where in ((rows, "no cell"), (tmp_path / "table.csv", "no cell of table.csv")):
        rows.to_csv(tmp_path / "table.csv", index=False)
        notes = read_table(source, label="label", missing=["foo", -99, "other", -1, 98]).reading.notes
        assert [note for note in notes if said in note] == [f"{where} has {code}, {said}" for code in ("'foo'", "'98'")]
    assert not [note for note in read_table(rows, missing=["other"]).reading.notes if said in note]


def test_the_codes_of_a_plan_need_not_be_there():
    options = ReadOptions.of(missing=[-99]).with_answers({}, ["x"])
    rows = pd.DataFrame({"object": ["a", "b"], "attribute": ["x", "x"], "value": [1, 2]})
    assert not read_cells(rows, options).reading.notes


def test_a_table_of_labels_is_none_of_judgments():
    with refused(JudgmentsError):
        read_table(pd.DataFrame({"essay": ["e1", "e2"], "label": [3, 4]}))
