from __future__ import annotations

import numpy as np
import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.answers.coding import PLAIN, AnswerCoding
from manyjudges.tables.reading.coding import AnswerTally, decide_codings
from manyjudges.tables.reading.options import ReadOptions


def tally_of(**answers):
    tally, names = AnswerTally(), tuple(answers)
    for code, cells in enumerate(answers.values()):
        values = np.array(cells) if not isinstance(cells[0], str) else np.array(cells, dtype=object)
        tally.add(names, np.full(len(cells), code), values)
    return tally


def codings_of(options=None, given=None, **answers):
    return decide_codings(tally_of(**answers), options or ReadOptions(), given)


def test_each_attribute_has_a_coding_of_its_own():
    codings, errors = codings_of(
        n=[1, 2], b=[True, False], yes=["yes", "no"], size=["3", "4.5"], r=["red", "green", "b"]
    )
    assert {name: coding.kind for name, coding in codings.items()} == {
        "n": "number",
        "b": "binary",
        "yes": "binary",
        "size": "number",
    }
    assert set(errors) == {"r"}


def test_in_parts_as_in_one():
    parts, whole = AnswerTally(), AnswerTally()
    cells = np.array(["agree", "disagree", "agree", "neutral"], dtype=object)
    whole.add(("a",), np.zeros(4, dtype=int), cells)
    for half in (cells[:2], cells[2:]):
        parts.add(("a",), np.zeros(2, dtype=int), half)
    assert parts == whole
    assert decide_codings(parts, ReadOptions()) == decide_codings(whole, ReadOptions())


def test_questions_with_the_same_scale_have_the_same_numbers():
    codings, _ = codings_of(
        few=["Agree", "Disagree"], all=["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
    )
    assert codings["few"] == codings["all"]
    assert codings["few"].encode(["disagree", "agree"])[0].tolist() == [2, 4]


def test_single_mistakes_are_not_the_question():
    codings, errors = codings_of(a=["1"] * 9 + ["good"], b=["yes"] * 5 + ["no"] * 5 + ["blue"])
    assert not errors
    assert codings["a"] == PLAIN
    assert codings["b"].words == ("no", "yes")
    _, errors = codings_of(a=["1"] * 3 + ["good", "bad"])
    assert set(errors) == {"a"}
    assert not codings_of(ReadOptions(on_invalid="skip"), a=["1"] * 3 + ["good", "bad"])[1]


def test_what_the_user_or_the_file_says_wins():
    own = ReadOptions.of(scales="bad,fine,good")
    assert codings_of(own, a=["good", "bad"])[0]["a"].words == ("bad", "fine", "good")
    of_file = codings_of(given={"a": {"bad": 7.0, "good": 9.0}}, a=["good", "bad"])[0]["a"]
    assert of_file.encode(["good"])[0].tolist() == [9]
    planned = {"a": AnswerCoding.of_words("scale", {"good": 1.0, "bad": 2.0})}
    assert codings_of(ReadOptions(codings=planned), a=["good", "awful"])[0] == planned


def test_numbers_of_programs_among_words_are_numbers():
    codings, errors = codings_of(a=[1, 2])
    tally = tally_of(a=["3", "4"])
    tally.add(("a",), np.zeros(2, dtype=int), np.array([1, 2]))
    assert decide_codings(tally, ReadOptions()) == (codings, errors)


@pytest.mark.parametrize("cells", [["red", "green", "blue"], ["7 am", "8 am", "x"]])
def test_errors_say_what_to_do(cells):
    _, errors = codings_of(a=cells)
    assert isinstance(errors["a"], JudgmentsError)
    assert 'leave the question out (drop="a")' in str(errors["a"])


def test_infinite_numbers_are_no_words():
    """Each of them is refused with its row, and the question need not be explained."""
    codings, errors = codings_of(a=["inf", "-Infinity"], b=["1e400"], c=["inf", "1", "2", "3", "4"])
    assert (codings, errors) == (dict.fromkeys("abc", PLAIN), {})
    assert set(codings_of(a=["inf", "yes"])[1]) == {"a"}
