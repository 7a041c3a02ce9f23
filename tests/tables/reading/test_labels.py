"""Labels of a table of judgments, wherever they are: in a column, in a file, by object or by row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from manyjudges import MultiSelectRegressor, answer
from manyjudges.exceptions import DocumentError, LabelsError
from manyjudges.learn.training_data import load_training_data
from manyjudges.scan.options import ScanOptions
from manyjudges.tables.reading.labels import labels_of_column, locate_labels
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.table import read_table
from tests.support.messages import refused
from tests.support.scanned import call

GRADES = {"e1": 76.0, "e2": 81.0, "e3": 58.5}


@pytest.fixture
def survey():
    rows = [
        (rater, essay, at + i, grade)
        for i, rater in enumerate("ab")
        for at, (essay, grade) in enumerate(GRADES.items())
    ]
    return pd.DataFrame(rows, columns=["Rater", "Essay", "clear", "Grade"])


def labels_in(table, labels=None, **options):
    """The labels that training data have, by object."""
    data = load_training_data(table, labels, ScanOptions.of(**options))
    return dict(zip(data.in_memory.objects.tolist(), data.known_labels.tolist(), strict=True))


def test_a_column_is_named_in_two_ways(survey, tmp_path):
    survey.to_csv(tmp_path / "survey.csv", index=False)
    for table in (survey, tmp_path / "survey.csv", pl.from_pandas(survey), survey.to_dict("list")):
        assert labels_in(table, "Grade") == labels_in(table, label="Grade") == GRADES
        assert load_training_data(table, "Grade").attributes == ("clear",)


def test_a_file_of_labels_is_told_from_a_column(survey, tmp_path):
    without = survey.drop(columns="Grade")
    path = tmp_path / "grades.csv"
    pd.DataFrame({"no": [1, 2, 3], "Essay": GRADES.keys(), "Grade": GRADES.values()}).to_csv(path, index=False)
    assert labels_in(without, str(path), label="Grade") == GRADES
    assert labels_in(without, path, label="Grade", object="Essay") == GRADES
    data = load_training_data(without, path, ScanOptions.of(label="Grade"))
    assert data.label_lines == ("read from grades.csv: object = Essay, label = Grade",)


@pytest.mark.parametrize("name", ["Grad", "grade", "Score of the essay"])
def test_a_misspelt_column_is_not_taken_for_a_file_alone(survey, tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    survey.to_csv(tmp_path / "survey.csv", index=False)
    every = [survey, pl.from_pandas(survey), survey.to_dict("list"), "survey.csv", ["survey.csv"]]
    for table in every:
        with refused(LabelsError, value=name, column="labels"):
            answer(table, labels=name, budget=2)
        with refused(LabelsError, value=name, column="labels"):
            MultiSelectRegressor(budget=2).fit(table, name)
    assert call("plan", "survey.csv", name, "--budget=2", code=2).startswith(f"error: the table has no column {name!r}")
    pd.DataFrame({"Essay": GRADES.keys(), name: GRADES.values()}).to_csv(tmp_path / name, index=False)
    # A file of this name is read, though its ending does not say how.
    with refused(DocumentError, file=name):
        answer(survey, labels=name, budget=2)


@pytest.mark.parametrize("name", ["grads.csv", "labels/Grad", "parts/*.csv"])
def test_what_looks_like_a_path_is_only_looked_for_as_a_file(survey, tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "grades.csv").write_text("Essay,Grade\n")
    with refused(DocumentError, file=name):
        answer(survey, labels=name, budget=2)


@pytest.mark.parametrize("frame", [lambda x: x, pl.from_pandas, pa.Table.from_pandas, lambda x: x.to_dict("list")])
def test_labels_by_row_belong_to_the_object_of_the_row(survey, frame):
    table, labels = survey.drop(columns="Grade"), survey["Grade"]
    for each in (labels.to_numpy(), labels.tolist(), pl.Series(labels)):
        assert labels_in(frame(table), each) == GRADES
    assert labels_in(table, labels) == GRADES
    assert labels_in(table, labels.rename("clear")) == GRADES  # a name that is taken
    assert labels_in(table.set_index(np.arange(6) + 10), labels.set_axis(np.arange(6) + 10)) == GRADES


def test_labels_by_object_stay_what_they_are(survey):
    table = survey.drop(columns="Grade")
    assert labels_in(table, GRADES) == labels_in(table, pd.Series(GRADES)) == GRADES
    found = locate_labels(table, GRADES, ReadOptions.of(label="elsewhere"))
    assert found.labels is GRADES
    assert "label" not in found.options.columns


def test_without_labels_columns_that_could_hold_them_are_named(survey, tmp_path):
    survey.to_csv(tmp_path / "survey.csv", index=False)
    for table in (survey, tmp_path / "survey.csv"):
        with refused(LabelsError, column="label"):
            load_training_data(table)
    judgments = read_table(survey, label="Grade").judgments
    with refused(LabelsError, column="label"):
        load_training_data(judgments)


def test_a_column_is_read_piece_by_piece_as_it_is_read_whole(survey, tmp_path):
    for at in range(3):
        survey.assign(Essay=survey["Essay"] + f" {at}").to_csv(tmp_path / f"{at}.csv", index=False)
    options = ReadOptions.of(label="Grade")
    whole = read_table(str(tmp_path), options).labels
    for source in (str(tmp_path), sorted(tmp_path.glob("*.csv"))):
        found = labels_of_column(source, options)
        pd.testing.assert_series_equal(found.sort_index(), whole.sort_index())


def test_unequal_labels_of_one_object_are_refused_with_their_places(survey, tmp_path):
    survey.loc[4, "Grade"] = 80
    survey.to_csv(tmp_path / "survey.csv", index=False)
    with refused(LabelsError, value="80.0", row=5, column="Grade", file="survey.csv"):
        labels_of_column(tmp_path / "survey.csv", ReadOptions.of(label="Grade"))


def test_objects_in_headings_have_no_label_in_a_row(tmp_path):
    table = pd.DataFrame({"Timestamp": ["2026-03-05 10:31:02"] * 2, "Your age": [30, 40], "Tall? [a]": [1, 2]})
    table["Tall? [b]"] = [3, 4]
    table.to_csv(tmp_path / "form.csv", index=False)
    options = ReadOptions.of(label="Your age", object=None, shape="google-forms")
    with refused(LabelsError, value="Your age", column="label"):
        labels_of_column(tmp_path / "form.csv", options)
