"""Recognition: what the answers to a question are."""

from __future__ import annotations

import pytest

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.answers.recognition import recognise_coding
from tests.support.messages import refused

RECOGNISED = {
    "numbers": (["1", " 2.5", "-3e2"], "number", "numbers"),
    "nothing": ([], "number", "numbers"),
    "numbers with words at the ends": (
        ["5 - extremely", "1 - not at all", "2", "3"],
        "number",
        "numbers (not at all = 1, extremely = 5)",
    ),
    "all with words": (["1 = never", "2 = often"], "number", "numbers (never = 1, often = 2)"),
    "words in brackets behind": (
        ["1 (not at all)", "2", "7 (Very much)"],
        "number",
        "numbers (not at all = 1, Very much = 7)",
    ),
    "numbers before steps": (
        ["5 strongly agree", "2 disagree"],
        "scale",
        "2 disagree = 2, 5 strongly agree = 5",
    ),
    "numbers before steps, the other way round": (
        ["1 strongly agree", "4 disagree"],
        "scale",
        "1 strongly agree = 1, 4 disagree = 4",
    ),
    "money": (["$12.50", "$3"], "number", "numbers with the unit $"),
    "minutes": (["5 min", "12 Minuten", "1 minute"], "number", "numbers with the unit min"),
    "per cent": (["50%", "7 %", "5"], "number", "numbers with the unit %"),
    "yes and no": (["YES", "no"], "binary", "no = 0, YES = 1"),
    "yes alone": (["yes"], "binary", "no = 0, yes = 1"),
    "true and false": (["True", "False"], "binary", "False = 0, True = 1"),
    "letters": (["Y", "n", "yes"], "binary", "n = 0, Y = 1"),
    "no known order": (["female", "Male"], "binary", "female = 0, Male = 1"),
    "four steps": (
        ["agree", "strongly agree", "disagree"],
        "scale",
        "strongly disagree = 1, disagree = 2, agree = 3, strongly agree = 4",
    ),
    "five steps": (
        ["Agree", "strongly_disagree", "Neutral"],
        "scale",
        "strongly_disagree = 1, disagree = 2, Neutral = 3, Agree = 4, strongly agree = 5",
    ),
    "with a shared word": (
        ["very honest", "not at all honest", "Extremely honest"],
        "scale",
        "not at all honest = 1, very honest = 2, Extremely honest = 3",
    ),
    "with a shared word, without spaces": (
        ["非常诚实", "有点诚实"],
        "scale",
        "完全不诚实 = 1, 有点诚实 = 2, 非常诚实 = 3",
    ),
    "three steps": (["agree", "neutral"], "scale", "disagree = 1, neutral = 2, agree = 3"),
}


@pytest.mark.parametrize(("answers", "kind", "words"), RECOGNISED.values(), ids=RECOGNISED)
def test_what_is_recognised(answers, kind, words):
    coding = recognise_coding(answers)
    assert (coding.kind, coding.describe()) == (kind, words)
    assert not coding.encode(answers)[1].any()


def test_decimals_with_a_comma():
    assert recognise_coding(["3,5", "4"], decimal_comma=True).kind == "number"
    with refused(JudgmentsError, value="3,5"):
        recognise_coding(["3,5", "4"])


def test_a_scale_of_the_user_comes_first():
    coding = recognise_coding(["no", "Yes"], scales=[("cold", "hot"), ("yes", "perhaps", "no")])
    assert coding.name == "given by --scale"
    assert coding.encode(["YES", "no", "perhaps", "cold"])[0][:3].tolist() == [1, 3, 2]
    assert recognise_coding(["yes", "no"], scales=[("cold", "hot")]).kind == "binary"


def test_scales_of_the_user_must_agree():
    assert recognise_coding(["a", "b"], scales=[("a", "b", "c"), ("a", "b")]).describe() == "a = 1, b = 2"
    with refused(JudgmentsError, value="a", column="taste"):
        recognise_coding(["b", "a"], scales=[("a", "b"), ("b", "x", "a")], attribute="taste")


def test_words_that_differ_in_punctuation_alone():
    coding = recognise_coding(["+", "++", "+/-"], scales=[("--", "-", "+/-", "+", "++")])
    assert coding.encode(["++", "+", "+/-", "-", "--"])[0].tolist() == [5, 4, 3, 2, 1]


def test_the_order_of_the_file_wins():
    coding = recognise_coding(["high", "low"], given={"high": 1, "low": 2, "none": 7, "Don't know": 9})
    assert (coding.kind, coding.describe(), coding.name) == (
        "scale",
        "high = 1, low = 2, none = 7",
        "given by the file",
    )
    with refused(JudgmentsError, value="medium", column="risk"):
        recognise_coding(["high", "medium"], given={"high": 1, "low": 2}, attribute="risk")


def test_an_order_of_numbers_is_none():
    assert recognise_coding(["10", "2"], given={"10": 1, "2": 2}).kind == "number"


REFUSED = {
    "categories": (["red", "green", "blue", "yellow", "pink"], "blue"),
    "numbers and a word": (["1", "2", "none"], "none"),
    "numbers and words": (["1", "agree", "disagree"], "agree"),
    "one word": (["agree"], "agree"),
    "one step too many": (["agree", "disagree", "banana"], "banana"),
    "one step in two ways": (["somewhat agree", "slightly agree", "disagree"], "slightly agree"),
    "a number with two words": (["1 = a", "1 = b", "2 = c"], "1 = a"),
    "two numbers with a word": (["1 = a", "2 = a", "3 = b"], "1 = a"),
    "two units": (["1 star", "5%", "2%"], "1 star"),
    "two currencies": (["$5", "6 €", "€ 7"], "$5"),
    "grams and kilos": (["1 kg", "2 kg", "500 g"], "1 kg"),
    "numbers before steps in another order": (["1 agree", "2 strongly agree", "3 disagree"], "1 agree"),
    "infinite": (["1", "inf"], "inf"),
}


@pytest.mark.parametrize(("answers", "value"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("attribute", ["", "mood"])
def test_what_is_refused(answers, value, attribute):
    with refused(JudgmentsError, value=value, column=attribute or None):
        recognise_coding(answers, attribute=attribute)


@pytest.mark.parametrize("texts", [["1'300", "733"], ["1 300", "2 100"], ["1.300,5", "2.100,5"], ["1,300.50", "900"]])
def test_marks_between_thousands_are_refused_with_what_to_write(texts):
    with refused(JudgmentsError, value=sorted(texts)[0]):
        recognise_coding(texts)


@pytest.mark.parametrize("texts", [["1,300", "2,100"], ["3,5", "4,5"], ["1,234,567", "2"]])
def test_commas_in_numbers_are_refused_with_what_to_write(texts):
    with refused(JudgmentsError, value=texts[0]):
        recognise_coding(texts)


def test_a_number_too_large_is_refused():
    with refused(JudgmentsError, value="1e999"):
        recognise_coding(["1", "1e999"])
