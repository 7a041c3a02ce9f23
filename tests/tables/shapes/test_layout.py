"""Layouts say what was recognised and can be kept in a file."""

from __future__ import annotations

import json

from manyjudges.tables.shapes.layout import Layout, MeasuredColumn

LAYOUT = Layout(
    "qualtrics",
    worker="ResponseId",
    time="RecordedDate",
    measured=(
        MeasuredColumn("1_Q3", "Q3", object="essay A"),
        MeasuredColumn("2_Q3", "Q3", object="essay B"),
    ),
    heading_rows=2,
    left_out=(
        ("StartDate", "a date or time"),
        ("RecordedDate", "a date or time"),
        ("EndDate", "a date or time"),
        ("Progress", "progress"),
    ),
    no_answer=("-9",),
    assumed=("the headings name the objects behind the question",),
)


def test_a_layout_is_described_in_one_line():
    assert LAYOUT.describe() == (
        "Qualtrics: worker = 'ResponseId', time = 'RecordedDate', 1 question ('Q3'), 2 objects ('essay A', 'essay B'); "
        "the headings name the objects behind the question; the first 2 rows belong to the heading; left out: "
        "'StartDate', 'EndDate' (a date or time), 'Progress' (progress)"
    )


def test_a_description_says_what_raters_are_known():
    columns = (MeasuredColumn("tall_1", "tall", worker="1"), MeasuredColumn("tall_2", "tall", worker="2"))
    numbered = Layout("wide-by-judgment", object="photo", measured=columns, workers_known=False)
    assert numbered.describe().endswith("1 question ('tall'), up to 2 judgments of each")
    named = Layout("wide-by-judgment", object="photo", measured=columns)
    assert named.describe().endswith("1 question ('tall'), 2 raters ('1', '2')")


def test_a_description_stays_short():
    left_out = tuple((f"column {at}", f"reason {at}") for at in range(40))
    measured = tuple(MeasuredColumn(f"q{at}", f"q{at}") for at in range(40))
    text = Layout("wide-by-rater", object="Essay", measured=measured, left_out=left_out).describe()
    assert "40 questions ('q0', 'q1', 'q2', 'q3' and 36 more)" in text
    assert text.endswith("'column 3' (reason 3), 36 more")


def test_a_layout_can_be_kept_as_json():
    assert Layout.from_document(json.loads(json.dumps(LAYOUT.to_document()))) == LAYOUT
    plain = Layout("long", object="item", attribute="question", value="score", workers_known=False)
    assert Layout.from_document(json.loads(json.dumps(plain.to_document()))) == plain
