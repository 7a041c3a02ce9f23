"""No answer: what cells say that there is none, one by one and by the column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.tables.answers.no_answer import NO_ANSWER, is_no_answer, no_answer_mask
from manyjudges.tables.kinds import CANT_TELL_WORDS

NONE_GIVEN = [
    None,
    float("nan"),
    pd.NA,
    pd.NaT,
    "",
    "  \t",
    "NA",
    "n/a",
    "N.A.",
    "#N/A",
    "NaN",
    "NULL",
    "<NA>",
    ".",
    "-",
    "–",
    "?",
    "Don't know",
    "don’t know",
    "DONT KNOW.",
    "dk",
    "Prefer not to say",
    "refused",
    "Not applicable",
    "no answer",
    "99 = refused",
    "Don't know (9)",
    *sorted(CANT_TELL_WORDS),
]
ANSWERS = [
    0,
    "0",
    1.5,
    True,
    "no",
    "none",
    "nothing",
    "neutral",
    "neither",
    "unsure",
    "not sure",
    "undecided",
    "n",
    "*",
]


@pytest.mark.parametrize("cell", NONE_GIVEN, ids=repr)
def test_no_answer(cell):
    assert is_no_answer(cell)


@pytest.mark.parametrize("cell", ANSWERS, ids=repr)
def test_answers(cell):
    assert not is_no_answer(cell)


@pytest.mark.parametrize("cell", ["-99", " -99 ", "-99.0", "−99", "-99,00", -99, -99.0, np.int64(-99), np.float32(-99)])
def test_codes_are_compared_as_numbers(cell):
    assert is_no_answer(cell, missing=["-99"])
    assert is_no_answer(cell, missing=["-99.00", "x"])
    assert not is_no_answer(cell, missing=["99", "-9"])
    assert not is_no_answer(cell)


def test_words_that_the_user_gives():
    assert is_no_answer("OTHER…", missing=["other"])
    assert not is_no_answer("dk", valid=["DK"])
    assert not is_no_answer(-99, missing=["-99"], valid=["-99.0"])
    assert not is_no_answer("other", missing=["-99"])


CELLS = st.one_of(
    st.sampled_from([*NONE_GIVEN, *ANSWERS, -99, "-99.0", "−99", "Other", "9"]),
    st.integers(-100, 100),
    st.floats(),
    st.text(max_size=4),
)
CODES = st.lists(st.sampled_from(["-99", "other", "9", "0.0", "no", "1.5", "True"]), max_size=3)


@given(st.lists(CELLS, max_size=12), CODES, CODES)
def test_a_column_is_its_cells(cells, missing, valid):
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    mask = no_answer_mask(array, missing, valid)
    assert mask.dtype == bool
    assert mask.tolist() == [is_no_answer(cell, missing, valid) for cell in cells]


@given(st.lists(st.sampled_from([-99, 0, 1, 7]), max_size=8), CODES, CODES)
def test_a_column_of_numbers_is_its_cells(cells, missing, valid):
    for kind in (float, int, np.int8):
        column = np.array(cells, dtype=kind)
        assert no_answer_mask(column, missing, valid).tolist() == [is_no_answer(c, missing, valid) for c in column]
    with_gaps = np.array([*cells, np.nan])
    assert no_answer_mask(with_gaps, missing, valid).tolist() == [
        is_no_answer(cell, missing, valid) for cell in with_gaps
    ]


def test_the_words_are_keys():
    assert {"", "na", "n/a", "nan", "null", ".", "-", "dont know", "refused"} <= NO_ANSWER
    assert all(is_no_answer(word.upper()) for word in NO_ANSWER)
