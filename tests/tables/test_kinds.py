"""Kinds of answers: what people type, what the options of a question are called, and what its keys may say."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.exceptions import InvalidAnswerError, JudgmentsError
from manyjudges.tables.kinds import (
    CANT_TELL_WORDS,
    KINDS,
    Binary,
    Number,
    Option,
    Scale,
    find_label,
    invalid_answer,
    read_json,
    read_typed_number,
    says_cant_tell,
    without_thousands,
)
from tests.support.messages import refused

MOOD = Scale(range=(-1.0, 1.0), labels=("bad", "good"))
SIZES = Scale(range=(1.0, 3.0), labels=("small", "middle", "BIG"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        (" 3.5 ", 3.5),
        ("3,5", 3.5),
        ("−3", -3),
        ("+1e2", 100),
        (".5", 0.5),
        ("1,2345", 1.2345),
        ("0,125", 0.125),
    ],
)
def test_numbers_as_people_type_them(text, value):
    assert read_typed_number(text) == value
    assert without_thousands(text) == ""


NO_NUMBERS = ["", "x", "nan", "inf", "1_000", "1 000", "0x10", "1,2,3", "--1", "1.000,5", "3 feet", "３,５", "٣"]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number(text):
    assert read_typed_number(text) is None
    assert without_thousands(text) == ""


@pytest.mark.parametrize(("text", "plain"), [("1,000", "1000"), (" −12,345 ", "-12345"), ("1,000,000", "1000000")])
def test_a_comma_that_may_mean_thousands_or_decimals(text, plain):
    assert read_typed_number(text) is None
    assert without_thousands(text) == plain
    with refused(InvalidAnswerError, value=text):
        Number().read(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_number_is_read_as_another(value):
    assert read_typed_number(repr(value)) == value
    assert read_typed_number(repr(value).replace(".", ",")) in (value, None)


def test_the_options_of_each_kind():
    assert Binary().options() == (Option(1.0, "yes", True), Option(0.0, "no", False))
    assert Number(range=(1.0, 3.0), whole=True).options() == ()
    assert MOOD.options() == (Option(-1.0, "-1", -1, "bad"), Option(0.0, "0", 0), Option(1.0, "1", 1, "good"))
    assert [option.label for option in SIZES.options()] == ["small", "middle", "BIG"]
    assert [option.label for option in Scale(range=(1.0, 2.0), labels=("a", "b")).options()] == ["a", "b"]
    assert [option.with_label() for option in MOOD.options()] == ["-1 – bad", "0", "1 – good"]
    assert SIZES.options()[0].with_label(" = ") == "1 = small"


def test_what_counts_as_an_answer_in_words():
    assert Binary().describe() == Binary().describe(labels=True) == "yes or no"
    assert Number(range=(0.0, 8.5), unit="feet").describe() == "a number from 0 to 8.5, in feet"
    assert Number(whole=True).describe() == "a whole number"
    assert MOOD.describe() == "a whole number from -1 to 1"
    assert MOOD.describe(labels=True) == "a whole number from -1 to 1 (-1: bad, 1: good)"


def test_a_label_says_its_step():
    assert find_label(SIZES.options(), " big ").value == 3
    assert find_label(SIZES.options(), "2") is None
    assert find_label(MOOD.options(), "") is None  # a step without a label is not called by nothing
    assert find_label((), "yes") is None


def test_json_is_read_in_the_type_that_was_asked_for():
    assert (read_json(Binary(), True), read_json(MOOD, -1), read_json(MOOD, 1.0), read_json(Number(), 2.5)) == (
        1.0, -1.0, 1.0, 2.5,
    )  # fmt: skip
    for kind, answer in [(Binary(), 1), (Binary(), "yes"), (MOOD, "1"), (MOOD, True), (MOOD, 2), (Number(), "2")]:
        with refused(InvalidAnswerError, value=answer):
            read_json(kind, answer)


@pytest.mark.parametrize("words", [*sorted(CANT_TELL_WORDS), " CAN’T TELL\n"])
def test_ways_to_say_that_one_cannot_tell(words):
    assert says_cant_tell(words)


@pytest.mark.parametrize("words", ["", "no", None, 0, "I can't tell you how much", ["can't tell"]])
def test_other_words_say_something_else(words):
    assert not says_cant_tell(words)


@pytest.mark.parametrize(
    ("kind", "key", "value", "others", "problem"),
    [
        ("scale", "range", None, {}, "a scale needs its first and its last step"),
        ("scale", "range", (7.0, 1.0), {}, "the wrong way round"),
        ("scale", "range", (1.5, 7.0), {}, "steps are whole numbers"),
        ("scale", "range", (0.0, 11.0), {}, "has 12 steps, and a scale at most 11"),
        ("scale", "labels", ("a",), {"range": (1.0, 7.0)}, r"are 1; name both ends \(2\) or every step \(7\)"),
        ("number", "range", (1.0, 1.0), {}, "has no width"),
        ("number", "whole", True, {"range": (0.5, 2.0)}, "round them"),
    ],
)
def test_keys_that_make_no_kind(kind, key, value, others, problem):
    assert re.search(problem, KINDS[kind].problem_with(key, value, others))


@pytest.mark.parametrize(
    ("kind", "key", "value", "others"),
    [
        ("scale", "range", (0.0, 10.0), {}),
        ("scale", "labels", ("a", "b"), {"range": (1.0, 7.0)}),
        ("scale", "labels", ("a",), {}),  # the range is wrong itself
        ("number", "range", None, {}),
        ("number", "whole", True, {"range": (0.0, 2.0)}),
        ("number", "whole", True, {"range": None}),
    ],
)
def test_keys_that_do(kind, key, value, others):
    assert KINDS[kind].problem_with(key, value, others) == ""


def test_what_stored_answers_rest_on():
    assert Binary().identity() == ["binary", None]
    assert Number(unit="feet").identity() == ["number", None]
    assert SIZES.identity() == ["scale", [1.0, 3.0]]
    assert Scale(range=(1.0, 3.0)).identity() == SIZES.identity()  # labels may be reworded


def test_an_invalid_answer_says_what_a_program_wants_to_know():
    error = invalid_answer("x", "must be yes or no.", Binary(), "tall")
    assert str(error) == "'x' as an answer for 'tall' must be yes or no."
    assert str(invalid_answer("x", "must be yes or no.", Binary())) == "'x' must be yes or no."
    again = pickle.loads(pickle.dumps(error))
    for each in (error, again):
        assert isinstance(each, JudgmentsError)
        assert (each.value, each.column, each.allowed, each.problem) == ("x", "tall", "yes or no", "must be yes or no.")
