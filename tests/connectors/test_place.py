"""Where a record stands: words for people, data for programs."""

from __future__ import annotations

import copy

from manyjudges.connectors.place import RecordPlace, located, within

LINE = RecordPlace("batch.csv, line 4", file="batch.csv", row=4)


def test_a_place_is_its_words():
    assert f"{LINE}: no" == "batch.csv, line 4: no"
    assert LINE == "batch.csv, line 4"


def test_a_place_within_another_knows_what_that_one_knows():
    inner = within(LINE, "the answer")
    assert located(inner) == located(LINE)
    assert located(within(inner, "twice", "answer")) == {"file": "batch.csv", "row": 4, "column": "answer"}
    assert inner == "batch.csv, line 4, the answer"


def test_words_alone_know_nothing():
    assert located("somewhere") == {"file": None, "row": None, "column": None}
    assert located("somewhere", "value")["column"] == "value"
    assert located(within("somewhere", "else", "value"), "other")["column"] == "value"


def test_a_place_can_be_copied():
    assert located(copy.copy(LINE)) == located(LINE)
