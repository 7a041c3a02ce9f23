"""Rows: records of other tools as judgments, and where a record stands if it is none."""

from __future__ import annotations

import pytest

from manyjudges.connectors.place import RecordPlace
from manyjudges.connectors.rows import OpenQuestions, Row, judgments_of, value_of
from manyjudges.exceptions import JudgmentsError
from manyjudges.study.questions import Attribute
from tests.support.messages import refused


@pytest.mark.parametrize(("row", "told", "at"), [(4, 4, 4), ("task 17", None, None)])
def test_a_record_without_a_name_is_located_for_programs(row, told, at):
    place = RecordPlace(f"batch.csv, {row}", file="batch.csv", row=row)
    good = Row("jar 1", "round", "Ada", 1.0, RecordPlace("batch.csv, line 2", file="batch.csv", row=2))
    with refused(JudgmentsError, column="object", file="batch.csv", row=at) as raised:
        judgments_of([good, good._replace(object=" ", place=place)], "batch.csv")
    assert (raised.value.file, raised.value.row, raised.value.column) == ("batch.csv", told, "object")


def test_questions_that_let_others_pass_take_any_answer_to_them():
    questions = OpenQuestions({"age": Attribute(name="age", question="How old?", kind="number", range=(0.0, 120.0))})
    assert "colour" in questions
    assert value_of("deep blue", "colour", "batch.csv, line 2", questions) == 0
    assert value_of("7", "age", "batch.csv, line 2", questions) == 7
    with refused(JudgmentsError, value="deep blue", column="age"):
        value_of("deep blue", "age", RecordPlace("batch.csv, line 2", file="batch.csv", row=2), questions)
