"""Numbered answers: numbers with words and with units."""

from __future__ import annotations

import pytest

from manyjudges.tables.answers.numbered import read_any_number, read_numbered, unit_of


@pytest.mark.parametrize(
    ("text", "number", "label"),
    [
        ("1 = never", 1, "never"),
        ("5 – very good", 5, "very good"),
        ("(3) sometimes", 3, "sometimes"),
        ("[3] - sometimes", 3, "sometimes"),
        ("4: agree", 4, "agree"),
        ("4. agree", 4, "agree"),
        ("4) agree", 4, "agree"),
        ("4-agree", 4, "agree"),
        ("−2 = much worse", -2, "much worse"),
        ("-2 much", None, None),
        ("2.5 - in between", 2.5, "in between"),
        ("Strongly agree (5)", 5, "Strongly agree"),
        ("strongly agree[5]", 5, "strongly agree"),
        ("never: 1", 1, "never"),
        ("never = -1", -1, "never"),
        (" 1 - 非常不同意 ", 1, "非常不同意"),
        ("1 - (very) bad", 1, "(very) bad"),
    ],
)
def test_numbers_with_words(text, number, label):
    assert read_numbered(text) == (None if number is None else (number, label))


NOT_NUMBERED = [
    "",
    "5",
    "3.5",
    "3 - 5",
    "3-5 days",
    "10:30",
    "10:30:15 am",
    "2020-01-05",
    "5.1.2020",
    "agree",
    "12 minutes",
    "3rd",
]
NOT_NUMBERED += ["covid-19", "١ = a", "5 -", "(5)", "= 5", "1 = 2", "18-24", "$5"]


@pytest.mark.parametrize("text", NOT_NUMBERED)
def test_what_is_no_number_with_a_word(text):
    assert read_numbered(text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("5 stars", (5, "stars")),
        ("1 star", (1, "stars")),
        ("4,5 Sterne", (4.5, "stars")),
        ("3星", (3, "stars")),
        ("50 %", (50, "%")),
        ("-3 pts.", (-3, "points")),
        ("4/5", (4, "/5")),
        ("4 out of 5", (4, "/5")),
        ("4 von 5", (4, "/5")),
        ("4", None),
        ("4 feet", None),
        ("/5", None),
        ("1/2/2020", None),
    ],
)
def test_units(text, found):
    assert unit_of(text) == found


def test_any_number():
    assert [read_any_number(text) for text in ("3,5", "−3", 4, "x", "1,2,3")] == [3.5, -3, 4, None, None]
