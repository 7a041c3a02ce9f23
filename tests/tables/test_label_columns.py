"""Columns of labels: repeated, missing and worded ones, and which column holds them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges import read_labels
from manyjudges.exceptions import LabelsError
from manyjudges.tables.label_columns import labels_of_rows
from manyjudges.tables.labels import by_object
from manyjudges.tables.values import locate_from_zero
from tests.support.messages import refused


def of_rows(objects, labels, **more):
    return labels_of_rows(objects, labels, locate_from_zero, column="Grade", **more)


def test_equal_labels_of_an_object_are_one_and_blanks_are_to_be_predicted():
    labels = of_rows(["b", "a", "b", "c", "a", "b"], ["7", "3.5", "7.0", "", " ", "n/a"])
    assert labels.to_dict() == {"b": 7.0, "a": 3.5}
    assert labels.attrs["to_predict"] == ["c"]
    assert labels.name == "Grade"


def test_rows_without_an_object_are_left_out():
    assert of_rows(["a", None, " ", "b"], [1, 2, 3, 4]).to_dict() == {"a": 1.0, "b": 4.0}


def test_unequal_labels_are_shown_with_their_places():
    with refused(LabelsError, value="82", row=3, column="Grade"):
        of_rows(["E01", "E02", "E02"], ["76", "81", "82"])


@pytest.mark.parametrize(
    ("labels", "numbers", "note"),
    [
        (["yes", "No", "YES"], [1, 0, 1], "no = 0, yes = 1"),
        (["TRUE", "FALSE", "TRUE"], [1, 0, 1], "false = 0, true = 1"),
        (["Y", "n", "y"], [1, 0, 1], "n = 0, y = 1"),
        ([True, False, True], [1, 0, 1], ""),
        (["blue", "red", "blue"], [0, 1, 0], "blue = 0, red = 1"),
        (["never", "often", "sometimes"], None, None),
        (["3,5", "4", "5"], [3.5, 4, 5], ""),
    ],
)
def test_words_become_numbers_and_are_said(labels, numbers, note):
    found = of_rows(list("abc"), labels, decimal_comma=True)
    if numbers is None:  # the words of a scale, in order
        assert found["a"] < found["c"] < found["b"]
        assert found.attrs["note"].startswith("never = 1")
    else:
        assert found.tolist() == numbers
        assert found.attrs["note"].casefold() == note


def test_words_of_a_scale_that_is_given():
    found = of_rows(list("abcd"), ["A1", "B2", "A2", "B1"], scales=[["A1", "A2", "B1", "B2"]])
    assert found.tolist() == [1, 4, 2, 3]


@pytest.mark.parametrize(
    "labels",
    [
        ["accept", "reject", "minor"],
        ["2026-03-05", "2026-03-06", "2026-03-05"],
        ["5.3.2026", "6.3.2026", "7.3.2026"],
        ["03/05/2026 10:30", "03/06/2026 11:30", "03/05/2026 12:00"],
        ["5 March 2026", "6 March 2026", "Mar 7, 2026"],
        pd.to_datetime(["2026-03-05", "2026-03-06", "2026-03-07"]),
    ],
    ids=["classes", "ISO dates", "German dates", "American dates", "dates in words", "dates"],
)
def test_classes_and_dates_are_refused_in_one_sentence_and_a_remedy(labels):
    with refused(LabelsError, value=np.asarray(labels)[0], row="a", column="Grade"):
        of_rows(list("abc"), labels)


def test_one_word_among_numbers_is_named_with_its_object():
    with refused(LabelsError, value="tall", row="b", column="Grade"):
        of_rows(list("abc"), ["1", "tall", "2"])


def test_no_label_at_all():
    with refused(LabelsError, column="Grade"):
        of_rows(list("abc"), ["", None, "?"])


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series(["yes", "no", "yes"], index=list("abc")),
        pd.Series(["yes", "no", "yes"], index=list("abc"), dtype="category"),
        pd.Series(["yes", "no", "yes"], index=list("abc"), dtype="string"),
        pd.Series([True, False, True], index=list("abc"), dtype="boolean"),
        pd.Series([True, False, True, None, True], index=list("abcda"), dtype=object),
        {"a": "Yes", "b": "no", "c": "yes", "d": pd.NA},
    ],
)
def test_series_and_mappings_are_read_alike(labels):
    found = by_object(labels)
    assert found.astype(float).to_dict() == {"a": 1.0, "b": 0.0, "c": 1.0}
    assert list(found.attrs.get("to_predict", [])) == (["d"] if "d" in labels else [])
    again = by_object(found)
    assert again.to_dict() == found.to_dict()
    assert again.attrs == found.attrs


def test_ordered_categories_are_a_scale():
    grades = pd.Categorical(["low", "top", "mid"], categories=["low", "mid", "top"], ordered=True)
    assert by_object(pd.Series(grades, index=list("abc"))).tolist() == [1, 3, 2]


@pytest.mark.parametrize(
    ("text", "options", "labels"),
    [
        ("essay,grade\nE1,76\nE2,81\n", {}, {"E1": 76, "E2": 81}),
        ("Nr.;overall (0-100)\nE1;76,5\nE2;81\n", {}, {"E1": 76.5, "E2": 81}),
        ("overall,Nr.\n76,E1\n81,E2\n", {}, {"E1": 76, "E2": 81}),
        ("code,outcome\n7,1.5\n8,2.5\n", {}, {7: 1.5, 8: 2.5}),
        ("item,mark\n7,1\n8,1\n", {}, {7: 1, 8: 1}),
        ("a,b\n7,1\n8,1\n", {}, {7: 1, 8: 1}),
        ("a,b\n1,7\n2,8\n", {"objects": [7, 8, 9]}, {7: 1, 8: 2}),
        ("a,b\n1,7\n2,8\n", {"object": "b"}, {7: 1, 8: 2}),
        ("a,b\n1,7\n2,8\n", {"label": "a"}, {7: 1, 8: 2}),
        ("a,label,b\n5,1,7\n6,2,8\n", {"objects": [7, 8, 9]}, {7: 1, 8: 2}),
        ("a,b\nx,no\ny,yes\nz,\nw,no\n", {}, {"x": 0, "y": 1, "w": 0}),
    ],
)
def test_two_columns_are_enough_to_know_which_is_which(tmp_path, text, options, labels):
    (tmp_path / "y.csv").write_text(text)
    assert read_labels(tmp_path / "y.csv", **options).to_dict() == labels


@pytest.mark.parametrize("text", ["a,b\n1,7\n2,8\n", "a,b,c\nx,1,2\ny,3,4\n"])
def test_where_nothing_tells_them_apart_both_are_asked_for(tmp_path, text):
    (tmp_path / "y.csv").write_text(text)
    with refused(LabelsError, column="object", file="y.csv"):
        read_labels(tmp_path / "y.csv")


def test_a_column_that_is_not_there_is_never_replaced(tmp_path):
    (tmp_path / "y.csv").write_text("essay,grade\nE1,76\n")
    with refused(LabelsError, value="mark", column="label", file="y.csv"):
        read_labels(tmp_path / "y.csv", label="mark")


def test_a_file_with_a_row_a_rater_and_gaps(tmp_path):
    (tmp_path / "y.csv").write_text("essay,passed\nE1,yes\nE1,Yes\nE2,no\nE3,\nE3,NA\n")
    labels = read_labels(tmp_path / "y.csv")
    assert labels.to_dict() == {"E1": 1.0, "E2": 0.0}
    assert (labels.attrs["to_predict"], labels.attrs["note"]) == (["E3"], labels.attrs["note"])
    assert labels.attrs["note"].casefold() == "no = 0, yes = 1; 1 object without a label, to be predicted"


def test_objects_without_a_label_are_counted_and_so_are_codes_that_may_be_labels():
    rows = (["a", "b", "c", "d"], ["81", "99", "", "n/a"])
    assert labels_of_rows(*rows, locate_from_zero).attrs["note"] == "2 objects without a label, to be predicted"
    found = labels_of_rows(*rows, locate_from_zero, missing=["99"])
    assert found.attrs["to_predict"] == ["b", "c", "d"]
    assert found.attrs["note"] == "3 objects without a label ('99' means no answer), to be predicted"


def test_numbers_with_commas_are_no_classes():
    with refused(LabelsError, value="36,700", column="price"):
        labels_of_rows(["a", "b"], ["36,700", "1,200"], locate_from_zero, column="price")
    with refused(LabelsError, value="1,200", column="price"):
        labels_of_rows(["a", "b"], ["700", "1,200"], locate_from_zero, column="price")


def test_labels_may_be_money():
    found = labels_of_rows(["a", "b"], ["$36.70", "$12"], locate_from_zero)
    assert found.to_dict() == {"a": 36.7, "b": 12}


def test_labels_with_marks_between_thousands_are_refused_with_what_to_write():
    with refused(LabelsError, value="1'250", row="b", column="price"):
        labels_of_rows(["a", "b"], ["900", "1'250"], locate_from_zero, column="price")


def test_points_between_thousands_are_not_taken_for_decimals():
    with refused(LabelsError, value="1.250", row=2, column="price"):
        labels_of_rows(["a", "b"], ["900,5", "1.250"], locate_from_zero, column="price", decimal_comma=True)
    assert labels_of_rows(["a", "b"], ["900", "1.25"], locate_from_zero, decimal_comma=True).tolist() == [900, 1.25]
