"""Codes: numbers that look like codes for "no answer" are found, and real answers are not taken for them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.tables.answers.codes import SuspiciousCode, code_candidates, codes_outside, suspicious_codes

SEVEN = dict.fromkeys(range(1, 8), 30)
FIVE = dict.fromkeys(range(1, 6), 30)
ELEVEN = dict.fromkeys(range(11), 30)
SLIDER = {float(step): 5 for step in range(101)}
TIMES = {0.31 + 0.037 * step: 1 for step in range(400)}
NORMAL = {round(float(x), 3): 1 for x in np.random.default_rng(5).normal(size=300)}


def table(counts):
    return np.array([*counts], dtype=float), np.array([*counts.values()])


def found(**attributes):
    return [code.value for code in suspicious_codes({name: table(counts) for name, counts in attributes.items()})]


@pytest.mark.parametrize("scale", [FIVE, SEVEN, ELEVEN, SLIDER, TIMES, NORMAL], ids=len)
@pytest.mark.parametrize("code", [-9999, -999, -99, -88, 999, 9999, 8888, 998])
def test_codes_far_outside(scale, code):
    assert found(a={**scale, code: 2}) == [code]
    assert found(a={**scale, code: 1}) == []


@pytest.mark.parametrize("scale", [FIVE, SEVEN, ELEVEN, TIMES], ids=len)
@pytest.mark.parametrize("code", [99, 98, 97, 88, 77, -77])
def test_codes_of_two_digits(scale, code):
    assert found(a={**scale, code: 2}) == [code]


CODES = {
    "-9 below a scale from 1": ({**SEVEN, -9: 2}, [-9]),
    "-1 below a scale from 1": ({**SEVEN, -1: 2}, [-1]),
    "-1 below a scale from 0": ({**ELEVEN, -1: 2}, [-1]),
    "-1 below a slider": ({**SLIDER, -1: 2}, [-1]),
    "-1 among times": ({**TIMES, -1: 2}, [-1]),
    "-1 and -2": ({**FIVE, -1: 2, -2: 9}, [-2, -1]),
    "9 above five steps": ({**FIVE, 9: 4}, [9]),
    "8 and 9": ({**FIVE, 8: 9, 9: 9}, [8, 9]),
    "7, 8 and 9": ({1: 30, 2: 30, 3: 30, 4: 30, 7: 9, 8: 9, 9: 9}, [7, 8, 9]),
    "9 above yes and no": ({0: 40, 1: 20, 9: 2}, [9]),
    "99 above yes and no": ({0: 40, 1: 20, 99: 2}, [99]),
    "two codes": ({**SEVEN, 88: 3, 99: 5}, [88, 99]),
    "both ends": ({**SEVEN, -99: 3, 999: 5}, [-99, 999]),
    "-99 below a scale around 0": ({-3: 9, -2: 9, -1: 9, 0: 9, 1: 9, 2: 9, 3: 9, -99: 2}, [-99]),
    "-9 below a scale around 0": ({-3: 9, -2: 9, -1: 9, 0: 9, 1: 9, 2: 9, 3: 9, -9: 2}, [-9]),
    "with decimals": ({**SEVEN, 99.9: 2, -999.99: 2}, [-999.99, 99.9]),
}


@pytest.mark.parametrize(("counts", "codes"), CODES.values(), ids=CODES)
def test_codes(counts, codes):
    assert found(a=counts) == codes


ANSWERS = {
    "a slider with 99 and 88": {**SLIDER, 99: 40, 88: 30, 77: 30},
    "a slider without its end": dict.fromkeys(range(100), 3),
    "nine steps": dict.fromkeys(range(1, 10), 30),
    "nine steps, one of which nobody chose": {1: 9, 2: 9, 3: 9, 4: 9, 5: 9, 6: 9, 7: 9, 9: 9},
    "from 0 to 9": dict.fromkeys(range(10), 30),
    "every other step": {1: 30, 3: 30, 5: 30, 7: 30, 9: 30},
    "7, 8 and 9 alone": {7: 5, 8: 5, 9: 5},
    "9 alone": {9: 50},
    "99 and 100": {100: 20, 99: 5},
    "98 to 100 per cent": {100: 50, 99.9: 3, 98: 2},
    "legs": {0: 5, 2: 50, 4: 80, 6: 9, 8: 9},
    "7 above small counts": {0: 50, 1: 30, 2: 9, 3: 4, 7: 9},
    "counts with one outlier": {0: 50, 1: 30, 2: 9, 3: 4, 99: 1},
    "around 0": {-2: 9, -1: 9, 0: 9, 1: 9, 2: 9},
    "around 0 without 0": {-2: 9, -1: 9, 1: 9, 2: 9},
    "-1, 0 and 1": {-1: 9, 0: 9, 1: 9},
    "-1 and 1": {-1: 9, 1: 9},
    "-9 to 9": dict.fromkeys(range(-9, 10), 5),
    "-100 to 100 with -99": {**dict.fromkeys(range(-100, 101), 2)},
    "standardized": {**NORMAL, -1.0: 3, -2.0: 2},
    "milliseconds": {200 + 7 * step: 1 for step in range(300)} | {999: 2},
    "numbers in the thousands": {1000 + step: 2 for step in range(20)} | {999: 2},
    "pounds": {88: 2, 99: 2, 120: 2, 150: 3, 180: 4},
    "nothing": {},
}


@pytest.mark.parametrize("counts", ANSWERS.values(), ids=ANSWERS)
def test_answers_are_no_codes(counts):
    assert found(a=counts) == []


@pytest.mark.parametrize("scale", [FIVE, SEVEN, ELEVEN, SLIDER, TIMES, NORMAL, {0: 40, 1: 20}], ids=len)
@pytest.mark.parametrize("value", [12345678, 1e12, -2147483648, 2147483647, 1.5e9])
def test_other_numbers_that_are_repeated_far_from_all_others(scale, value):
    assert found(a={**scale, value: 3}) == [value]
    assert found(a={**scale, value: 2}) == []


FAR = {
    "just far enough": ({**SEVEN, 68: 3}, [68]),
    "not quite": ({**SEVEN, 67: 3}, []),
    "beside an outlier": ({**SEVEN, 67: 1, 12345678: 3}, [12345678]),
    "below and above": ({**SEVEN, -2147483648: 3, 2147483647: 5}, [-2147483648, 2147483647]),
    "one near the other": ({**SEVEN, 12345678: 3, 12345679: 4}, [12345678, 12345679]),
    "with a usual code": ({**SEVEN, -99: 2, 99: 2, 12345678: 3}, [-99, 99, 12345678]),
    "fractions": ({0.1: 3, 0.2: 5, 0.3: 5, 0.35: 2, 0.4: 3, 500: 3}, [500]),
}


@pytest.mark.parametrize(("counts", "codes"), FAR.values(), ids=FAR)
def test_numbers_far_from_all_others(counts, codes):
    assert found(a=counts) == codes


COUNTS_OF_THINGS = {
    "one large, for each judge": {0: 9, 1000: 3},
    "one large": {0: 3, 1000: 1},
    "few small ones": {0: 300, 1: 20, 1500: 3},
    "many zeros and few amounts": {0: 900, 5: 20, 10: 31, 20: 9, 50: 4, 1000: 3},
    "counts that tail off": {0: 500, 1: 210, 2: 80, 3: 30, 4: 9, 60: 3},
    "the most common at the upper end": {0: 2, 30: 4, 55: 3, 80: 9, 100: 900},
    "all equal but three": {5: 900, 5000: 3},
    "large jars": {0: 3, 2: 5, 17: 3, 45: 3, 120: 6, 3000: 3},
}


@pytest.mark.parametrize("counts", COUNTS_OF_THINGS.values(), ids=COUNTS_OF_THINGS)
def test_large_counts_are_no_codes(counts):
    assert found(a=counts) == []


@pytest.mark.parametrize("spread", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("size", [20, 200, 3000])
def test_counts_with_a_heavy_tail_are_no_codes(spread, size):
    rng = np.random.default_rng(11)
    for _ in range(40):
        counts = np.floor(rng.lognormal(2, spread, size=size))
        counts = counts[~np.isin(counts, code_candidates())]  # which may look like codes by their digits
        for answers in (counts, counts * (rng.random(len(counts)) < 0.3), -counts, np.repeat(counts, 3)):
            assert suspicious_codes({"a": np.unique(answers, return_counts=True)}) == ()


def test_attributes_are_counted_together():
    (code,) = suspicious_codes({"a": table({**FIVE, -99: 1}), "b": table(SLIDER), "c": table({**SEVEN, -99: 1})})
    assert code == SuspiciousCode(-99, ("a", "c"), count=2, low=1, high=7)
    assert code.attribute == "a"


def test_a_code_of_one_attribute_is_an_answer_of_another():
    (code,) = suspicious_codes({"a": table({**FIVE, 99: 3}), "b": table({**SLIDER, 99: 7})})
    assert (code.attributes, code.count) == (("a",), 3)


def test_what_is_not_finite_or_not_there_does_not_count():
    assert found(a={**FIVE, np.inf: 3, np.nan: 3, 99: 0, -99: 2}) == [-99]


COUNTS = st.dictionaries(
    st.one_of(st.integers(-10, 12), st.sampled_from([-99, 77, 88, 99, 999, 0.5, 99.9, -999, 12345678, -1e9])),
    st.integers(1, 30),
)


@given(COUNTS, st.randoms())
def test_the_order_of_values_makes_no_difference(counts, random):
    shuffled = [*counts]
    random.shuffle(shuffled)
    assert found(a=counts) == found(a={value: counts[value] for value in shuffled})


@given(COUNTS)
def test_there_are_always_other_answers(counts):
    codes = suspicious_codes({"a": table(counts)})
    assert {code.value for code in codes} < {*counts} or not counts
    for code in codes:
        assert code.count == counts[code.value] >= 2
        assert not code.low <= code.value <= code.high


@pytest.mark.parametrize(
    ("limits", "codes", "answers"),
    [
        ((1, 5), [-99, -9, 99, 88, 999], [6, 7, 8, 9, -1, 60, 100]),
        ((0, 100), [-99, 999], [99, 88, 101, -1]),
        ((-3, 3), [-99, 99], [-9, 9, 7]),
        ((200, 4000), [-99, 9999], [99, 999, 4999]),
        ((5, 5), [-99, 99], [4, 6, 9]),
    ],
)
def test_codes_outside_known_answers_need_not_be_repeated(limits, codes, answers):
    values = np.array([*codes, *answers, *limits], dtype=float)
    assert codes_outside(values, limits).tolist() == [True] * len(codes) + [False] * (len(answers) + 2)
