"""Codings: answers become numbers, and codings documents."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.exceptions import DocumentError
from manyjudges.tables.answers.coding import AnswerCoding
from manyjudges.tables.answers.numbered import read_numbered, unit_of
from manyjudges.tables.answers.recognition import recognise_coding
from manyjudges.tables.grammar import is_missing, read_number
from tests.support.messages import refused

CODINGS = {
    "number": AnswerCoding("number"),
    "labelled": recognise_coding(["1 = not at all", "2", "5 - extremely"]),
    "unit": recognise_coding(["5 stars", "1 star"]),
    "binary": recognise_coding(["yes", "no"]),
    "two": recognise_coding(["cat", "dog"]),
    "scale": recognise_coding(["agree", "Strongly disagree", "neutral"]),
    "given": recognise_coding(["<5", ">5"], given={"<5": 1, "5": 2.5, ">5": 7}),
    "with codes": AnswerCoding("number", no_answer=("-99", "refused"), limits=(1.0, 5.0)),
}
every_coding = pytest.mark.parametrize("coding", CODINGS.values(), ids=CODINGS)


def encode_cell(coding, cell, decimal_comma):
    """The plain twin of ``encode``: one cell."""
    if is_missing(cell):
        return math.nan
    text = str(cell)
    if coding.kind != "number":
        number = coding.look_up(text)
        return math.nan if number is None else number
    if isinstance(cell, float) or math.isfinite(read_number(text, decimal_comma=decimal_comma)):
        return read_number(text, decimal_comma=decimal_comma)
    if coding.unit:
        found = unit_of(text)
        return found[0] if found and found[1] == coding.unit else math.nan
    if found := read_numbered(text):
        return found.number if coding.look_up(found.label) in (None, found.number) else math.nan
    number = coding.look_up(text)
    return math.nan if number is None else number


CELLS = st.one_of(
    st.sampled_from([None, math.nan, pd.NA, True, "1", "-2.5", "3,5", "yes", "No ", "NO!", "cat", "agree", "DISAGREE"]),
    st.sampled_from(["<5", ">5", "5", "4 stars", "1 Stern", "4/5", "1 - not at all", "2 - not at all", "3 - so", "x"]),
    st.sampled_from(["not at all", "Extremely", "", "inf", "1e999", "neither agree nor disagree", "strongly  agree"]),
    st.integers(-10, 10),
    st.floats(-5, 5),
    st.text(max_size=3),
)


@every_coding
@given(cells=st.lists(CELLS, max_size=12), decimal_comma=st.booleans())
def test_a_column_is_its_cells(coding, cells, decimal_comma):
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    numbers, invalid = coding.encode(array, decimal_comma=decimal_comma)
    expected = [encode_cell(coding, cell, decimal_comma) for cell in cells]
    assert invalid.tolist() == [not math.isfinite(number) for number in expected]
    assert numbers[~invalid].tolist() == [number for number in expected if math.isfinite(number)]
    assert np.isnan(numbers[invalid]).all()


@every_coding
def test_documents_come_back(coding):
    document = json.loads(json.dumps(coding.to_document()))
    again = AnswerCoding.from_document(document)
    assert again == coding
    assert again.describe() == coding.describe()


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ({"kind": "colour"}, "kind"),
        ({"kind": 3}, "kind"),
        ({"numbers": []}, "numbers"),
        ({"numbers": {"agree": "x"}}, "agree"),
        ({"words": "agree"}, "words"),
        ({"words": ["agree", "nope"]}, "words"),
        ({"name": None}, "name"),
        ({"unit": 1}, "unit"),
        ({"no_answer": "-99"}, "no_answer"),
        ({"limits": [1, 5]}, "limits"),
        ({"limits": {"lowest": 1}}, "highest"),
        ({"limits": {"lowest": "a", "highest": 5}}, "lowest"),
    ],
    ids=str,
)
def test_damaged_documents_are_refused(change, column):
    with refused(DocumentError, column=column):
        AnswerCoding.from_document({**CODINGS["scale"].to_document(), **change})


def test_numbers_of_arrays_stay_as_they_are():
    numbers, invalid = CODINGS["number"].encode(np.array([1, 2], dtype=np.int8))
    assert numbers.dtype == float
    assert numbers.tolist() == [1, 2]
    assert not invalid.any()
    assert CODINGS["number"].encode(np.array([np.inf, 0.5]))[1].tolist() == [True, False]
    assert CODINGS["binary"].encode(pd.Series(["yes", None], dtype="category"))[1].tolist() == [False, True]


def test_what_they_say():
    assert {name: coding.describe() for name, coding in CODINGS.items()} == {
        "number": "numbers",
        "with codes": "numbers",
        "labelled": "numbers (not at all = 1, extremely = 5)",
        "unit": "numbers with the unit stars",
        "binary": "no = 0, yes = 1",
        "two": "cat = 0, dog = 1",
        "scale": "Strongly disagree = 1, disagree = 2, neutral = 3, agree = 4, strongly agree = 5",
        "given": "<5 = 1, 5 = 2.5, >5 = 7",
    }


def test_codings_of_older_plans_know_no_codes_and_no_limits():
    document = {
        name: value
        for name, value in CODINGS["with codes"].to_document().items()
        if name not in ("no_answer", "limits")
    }
    assert AnswerCoding.from_document(document) == AnswerCoding("number")
