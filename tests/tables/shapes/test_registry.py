"""Which shape a table has, and its long rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.shapes.registry import SHAPES, recognise, to_long
from tests.support.messages import refused

RATED = pd.DataFrame(
    {
        "Rater": ["ann", "ann", "bob", "bob"],
        "Essay": ["e1", "e2", "e1", "e3"],
        "clarity": ["4", "5", "3", ""],
        "style": ["1", "2", None, "4"],
    }
)


def long_frame(frame, layout, **options):
    return pd.DataFrame(to_long(frame, layout, **options).columns)


def test_a_long_table_has_a_row_for_each_judgment():
    frame = pd.DataFrame({"item": ["a", "b"], "question": ["tall", "tall"], "score": [1, 2], "rater": ["x", "y"]})
    layout = recognise(frame)
    assert (layout.shape, layout.roles) == (
        "long",
        {"object": "item", "attribute": "question", "value": "score", "worker": "rater"},
    )
    rows = to_long(frame, layout)
    assert rows.cells is None
    assert rows.cell_codes is None
    assert rows.rows.tolist() == [0, 1]
    assert {role: column.tolist() for role, column in rows.columns.items()} == {
        "object": ["a", "b"],
        "attribute": ["tall", "tall"],
        "value": [1, 2],
        "worker": ["x", "y"],
    }


def test_a_wide_table_has_a_column_for_each_question():
    layout = recognise(RATED)
    assert (layout.shape, layout.object, layout.worker) == ("wide-by-rater", "Essay", "Rater")
    assert layout.attributes == ("clarity", "style")
    rows = to_long(RATED, layout)
    assert rows.columns["object"].tolist() == ["e1", "e1", "e2", "e2", "e1", "e1", "e3", "e3"]
    assert rows.columns["worker"].tolist() == ["ann"] * 4 + ["bob"] * 4
    assert rows.columns["value"].tolist()[:4] == ["4", "1", "5", "2"]
    assert rows.cells == ("clarity", "style")
    assert rows.cell_codes.tolist() == [0, 1] * 4
    assert rows.rows.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_columns_that_the_user_names_win():
    frame = RATED.rename(columns={"Essay": "Titel", "Rater": "Wer"}).assign(Grade=[1, 2, 1, 2])
    layout = recognise(frame, columns={"object": "Titel", "worker": "Wer", "label": "Grade"}, drop=["style"])
    assert layout.roles == {"object": "Titel", "worker": "Wer", "label": "Grade"}
    assert layout.attributes == ("clarity",)
    assert layout.left_out == (("style", "dropped"),)


def test_a_part_in_the_middle_of_a_table_has_no_heading_rows():
    frame = pd.DataFrame({"object": ["(question)", "a", "b"], "worker": ["", "x", "y"], "tall": ["Tall?", "1", "2"]})
    layout = recognise(frame)
    assert layout.heading_rows == 1
    whole = long_frame(frame, layout)
    parts = [long_frame(frame[:2], layout), long_frame(frame[2:], layout, first=2)]
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), whole)
    assert whole["value"].tolist() == ["1", "2"]


def test_an_empty_table_with_headings_has_no_rows():
    layout = recognise(RATED)
    rows = to_long(RATED[:0], layout)
    assert rows.rows.size == 0
    assert rows.columns["value"].size == 0


@pytest.mark.parametrize(
    ("frame", "options", "fields"),
    [
        (RATED.drop(columns="Essay"), {}, {"column": "object"}),
        (RATED, {"shape": "long"}, {"column": "attribute"}),
        (RATED, {"shape": "wide-by-ratr"}, {"column": "shape", "value": "wide-by-ratr"}),
        (RATED, {"columns": {"object": "Esay"}}, {"column": "object", "value": "Esay"}),
        (RATED, {"columns": {"subject": "Essay"}}, {"column": "subject", "value": "subject"}),
        (RATED, {"drop": ["stile"]}, {"column": "drop", "value": "stile"}),
        (RATED.assign(Photo=["p", "q", "r", "p"]), {}, {"column": "object"}),
        (RATED.set_axis(["Rater", "Essay", "tall", "tall"], axis=1), {}, {"value": "tall"}),
        (pd.DataFrame(), {}, {"column": "object"}),
    ],
    ids=["no object", "not long", "shape", "column", "role", "drop", "two objects", "twice", "nothing"],
)
def test_what_cannot_be_recognised_is_refused(frame, options, fields):
    with refused(JudgmentsError, **fields):
        recognise(frame, name="ratings.csv", **options)


def test_a_part_without_a_column_is_refused():
    layout = recognise(RATED)
    with refused(JudgmentsError, column="style", value="style"):
        to_long(RATED.drop(columns="style"), layout)


def test_long_rows_of_a_large_table_are_made_at_once():
    frame = pd.DataFrame(np.ones((20_000, 20)), columns=[f"question {letter}" for letter in "abcdefghijklmnopqrst"])
    frame.insert(0, "object", np.arange(20_000))
    assert to_long(frame, recognise(frame)).rows.size == 400_000


def test_the_registry_holds_each_shape_under_its_name():
    assert all(name == shape.name for name, shape in SHAPES.items())
    assert next(iter(SHAPES)) == "long"


def test_a_column_that_is_empty_at_the_beginning_of_a_long_table_is_kept():
    frame = pd.DataFrame({"object": np.arange(3_000) % 7, "clarity": "4", "style": [""] * 2_500 + ["3"] * 500})
    assert recognise(frame).attributes == ("clarity", "style")
    assert recognise(frame[:100]).attributes == ("clarity",)


@pytest.mark.parametrize("role", ["object", "attribute", "value"])
def test_a_long_table_needs_its_columns_even_if_the_user_says_that_there_are_none(role):
    frame = pd.DataFrame({"item": ["a", "b"], "question": ["tall", "tall"], "score": [1, 2], "rater": ["x", "y"]})
    with refused(JudgmentsError, column="shape"):
        recognise(frame, columns={role: None}, shape="long")
