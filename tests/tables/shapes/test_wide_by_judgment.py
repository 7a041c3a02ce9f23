"""Tables with a row for each object and several columns for each question."""

from __future__ import annotations

import pandas as pd
import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.shapes.registry import recognise, to_long
from tests.support.messages import refused


def wide(*headings, first="photo", rows=4):
    frame = pd.DataFrame({heading: [str((at * 3 + len(heading)) % 5) for at in range(rows)] for heading in headings})
    frame.insert(0, first, [f"p{at}" for at in range(rows)])
    return frame


def test_judgments_are_numbered():
    layout = recognise(wide("tall_1", "tall_2", "old_1", "age"))
    assert (layout.shape, layout.object, layout.worker, layout.workers_known) == (
        "wide-by-judgment",
        "photo",
        None,
        False,
    )
    assert [(each.attribute, each.worker) for each in layout.measured] == [
        ("tall", "1"), ("tall", "2"), ("old", "1"), ("age", "1"),
    ]  # fmt: skip


def test_raters_are_named():
    frame = wide("tall (ann)", "tall (bob)", "width (cm)")
    layout = recognise(frame)
    assert [(each.attribute, each.worker) for each in layout.measured] == [("tall", "ann"), ("tall", "bob")]
    assert layout.workers_known
    assert dict(layout.left_out) == {"width (cm)": "its heading names no rater"}
    assert to_long(frame, layout).columns["worker"].tolist() == ["ann", "bob"] * 4


def test_columns_may_be_raters():
    layout = recognise(wide("rater1", "rater2", first="case"))
    assert (layout.object, layout.attributes) == ("case", ("rating",))


def test_a_first_column_of_numbers_names_the_objects():
    frame = wide("tall_1", "tall_2").assign(photo=["11", "12", "15", "19"]).rename(columns={"photo": "case"})
    assert recognise(frame).object == "case"


def test_the_label_is_not_judged():
    layout = recognise(wide("tall_1", "tall_2", "height"), columns={"label": "height"})
    assert (layout.label, layout.attributes) == ("height", ("tall",))


def test_a_rater_in_a_column_makes_numbered_columns_questions():
    frame = wide("tall_1", "tall_2").assign(rater=["ann", "bob", "ann", "bob"])
    assert recognise(frame).shape == "wide-by-rater"


def test_numbered_questions_are_questions():
    layout = recognise(wide("Q1", "Q2", "Q3"))
    assert (layout.shape, layout.attributes) == ("wide-by-rater", ("Q1", "Q2", "Q3"))


CROSSED = wide("tall_ann", "tall_bob", "kind_ann", "kind_bob")


def test_crossed_headings_have_two_meanings():
    with refused(JudgmentsError, column="shape", file="photos.csv"):
        recognise(CROSSED, name="photos.csv")
    judged = recognise(CROSSED, shape="wide-by-judgment")
    assert [(each.attribute, each.worker) for each in judged.measured][1:3] == [("tall", "bob"), ("kind", "ann")]
    assert recognise(CROSSED, shape="wide-by-rater").attributes == ("tall_ann", "tall_bob", "kind_ann", "kind_bob")


@pytest.mark.parametrize(
    ("frame", "options", "column"),
    [
        (wide("tall"), {"shape": "wide-by-judgment"}, "shape"),
        (wide("tall_1", "tall_2"), {"shape": "wide-by-judgment", "columns": {"worker": "tall_1"}}, "shape"),
        (wide("tall_1", "tall_2"), {"shape": "wide-by-judgment", "columns": {"object": None}}, "shape"),
        (wide("tall_1", "tall_2"), {"shape": "wide-by-judgment", "drop": ["tall"]}, "shape"),
    ],
    ids=["no family", "a rater", "no object", "all dropped"],
)
def test_what_is_no_table_of_judgments_by_object_is_refused(frame, options, column):
    with refused(JudgmentsError, column=column):
        recognise(frame, **options)


def test_columns_that_only_name_raters_are_judgments_of_one_question_where_the_user_says_so():
    frame = wide("ann", "bob", "cleo")
    layout = recognise(frame, shape="wide-by-judgment", drop=["cleo"])
    assert layout.attributes == ("rating",)
    assert [(each.column, each.worker) for each in layout.measured] == [("ann", "ann"), ("bob", "bob")]
    layout = recognise(frame)
    assert layout.attributes == ("ann", "bob", "cleo")
    assert "--shape wide-by-judgment" in layout.assumed[0]
