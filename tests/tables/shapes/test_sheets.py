"""A sheet or file for each rater."""

from __future__ import annotations

import pandas as pd
import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.shapes.registry import recognise, to_long
from tests.support.messages import refused

SHEET = pd.DataFrame({"Essay": ["e1", "e2"], "clarity": ["4", "5"]})


def test_the_name_of_a_sheet_is_the_rater():
    layout = recognise(SHEET, sheets=["ann", "bob"])
    assert (layout.shape, layout.object, layout.worker) == ("sheets", "Essay", None)
    assert to_long(SHEET, layout, sheet="bob").columns["worker"].tolist() == ["bob", "bob"]


def test_one_sheet_is_a_rater_only_where_the_user_says_so():
    assert recognise(SHEET, sheets=["ann"]).shape == "wide-by-rater"
    assert recognise(SHEET, shape="sheets", sheets=["ann"]).shape == "sheets"


def test_our_own_form_has_a_sheet_for_each_rater():
    headings = ["object", "(text)", "tall"]
    frame = pd.DataFrame([["(question)", None, "Tall?"], ["p1", "a man", 3], ["p2", "a woman", None]], columns=headings)
    layout = recognise(frame)
    assert (layout.shape, layout.heading_rows, layout.attributes) == ("sheets", 1, ("tall",))
    assert dict(layout.left_out) == {"(text)": "shown to raters"}
    assert to_long(frame, layout, sheet="Ann").columns["value"].tolist() == [3, None]


def test_our_own_form_as_a_file_names_its_raters():
    headings = ["worker", "object", "tall"]
    frame = pd.DataFrame([["", "(question)", "Tall?"], ["ann", "p1", "3"], ["bob", "p1", "–"]], columns=headings)
    layout = recognise(frame)
    assert (layout.shape, layout.worker, layout.heading_rows) == ("wide-by-rater", "worker", 1)


@pytest.mark.parametrize(
    ("frame", "shape"),
    [
        (SHEET.assign(Rater=["ann", "bob"]), "wide-by-rater"),
        (SHEET.assign(Essay=["e1", "e1"]), "wide-by-rater"),
        (pd.DataFrame({"photo": ["a", "b"], "tall_1": ["1", "2"], "tall_2": ["1", "1"]}), "wide-by-judgment"),
    ],
    ids=["a rater in each row", "an object twice", "several judgments"],
)
def test_several_files_are_not_always_of_a_rater_each(frame, shape):
    assert recognise(frame, sheets=["part 1", "part 2"]).shape == shape


def test_a_sheet_without_objects_is_refused():
    with refused(JudgmentsError, column="shape"):
        recognise(pd.DataFrame({"clarity": ["4", "4"]}), shape="sheets", sheets=["ann", "bob"])


def test_a_question_that_the_first_rater_did_not_answer_is_still_one():
    frame = SHEET.assign(style="", unused=None).rename(columns={"unused": "Unnamed: 3"})
    layout = recognise(frame, sheets=["ann", "bob"])
    assert layout.attributes == ("clarity", "style")
    assert dict(layout.left_out) == {"Unnamed: 3": "empty"}
    assert recognise(frame).attributes == ("clarity",)


def test_sheets_name_nobody_where_raters_are_ignored_or_sheets_have_no_names():
    for more in ({"sheets": ["ann", "bob"], "columns": {"worker": None}}, {"sheets": ["", ""]}):
        layout = recognise(SHEET, **more)
        assert layout.shape == "wide-by-rater"
        assert "worker" not in to_long(SHEET, layout, sheet="ann").columns
