from __future__ import annotations

import contextlib
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.exceptions import JudgmentsError
from manyjudges.study.questions import Attribute
from tests.support.messages import refused


def attribute(**keys):
    return Attribute(**{"name": "a", "question": "What?", **keys})


@pytest.mark.parametrize("given_", [1, 1.0, True, "1", "yes", " Yes ", "TRUE", np.int64(1), np.float64(1)])
def test_yes(given_):
    assert attribute(kind="binary").read(given_) == 1.0


@pytest.mark.parametrize("given_", [0, 0.0, False, "0", "no", "NO", "false"])
def test_no(given_):
    value = attribute(kind="binary").read(given_)
    assert value == 0.0
    assert type(value) is float


@pytest.mark.parametrize("given_", ["", "maybe", 2, -1, 0.5, None, [], "10", float("nan"), "y" * 1000])
def test_neither_yes_nor_no(given_):
    with refused(JudgmentsError, column="a", value=given_) as caught:
        attribute(kind="binary").read(given_)
    assert len(str(caught.value)) < 200


NUMBERS = {"3": 3.0, " 3.5 ": 3.5, "3,5": 3.5, "-3,25": -3.25, "−3": -3.0, "+1e2": 100.0, ".5": 0.5, "0,125": 0.125}
NUMBERS |= {"1,2345": 1.2345, "1000": 1000.0, "1.000": 1.0, 3: 3.0, np.float64(2.5): 2.5, -7: -7.0}


@pytest.mark.parametrize(("given_", "value"), NUMBERS.items())
def test_numbers(given_, value):
    read = attribute(kind="number").read(given_)
    assert read == value
    assert type(read) is float


def test_minus_nothing_is_nothing():
    assert str(attribute(kind="number").read("-0")) == "0.0"
    assert str(attribute(kind="number").read(-0.0)) == "0.0"


NO_NUMBERS = ["", "x", "nan", "inf", "1e999", float("inf"), float("nan"), True, None, [], {}, 10**400, 1j, b"1"]
NO_NUMBERS += ["1_000", "1 000", "0x10", "1,2,3", "1,5,", "--1", "1.000,5", "1" * 500]


@pytest.mark.parametrize("given_", NO_NUMBERS, ids=lambda each: f"{str(each)[:12]!r}")
def test_no_numbers(given_):
    with refused(JudgmentsError, column="a", value=given_):
        attribute(kind="number").read(given_)


@pytest.mark.parametrize("given_", ["1,000", "12,345", "1,000,000", " -1,234 "])
def test_a_comma_that_may_mean_thousands_or_decimals(given_):
    with refused(JudgmentsError, value=given_, column="a"):
        attribute(kind="number").read(given_)


def test_ranges():
    height = attribute(kind="number", range=[0, 8.5], unit="feet")
    assert (height.read("0"), height.read("8,5")) == (0, 8.5)
    for given_ in ("-0.1", 8.6, "85"):
        with refused(JudgmentsError, value=given_, column="a"):
            height.read(given_)


def test_whole_numbers():
    beans = attribute(kind="number", range=[0, 1000], whole=True)
    assert (beans.read("7"), beans.read(7.0), beans.read("7,0")) == (7, 7, 7)
    with refused(JudgmentsError, value="7.5", column="a"):
        beans.read("7.5")


def test_scales():
    scale = attribute(kind="scale", range=[-3, 3])
    assert [scale.read(option.text) for option in scale.answer_kind.options()] == [-3, -2, -1, 0, 1, 2, 3]
    for given_ in ("4", -4, "0.5", True, ""):
        with refused(JudgmentsError, value=given_, column="a"):
            scale.read(given_)


def test_labels_of_every_step():
    assert attribute(kind="scale", range=[1, 3], labels=["a", "b", "c"]).labels == ("a", "b", "c")
    assert attribute(kind="scale", range=[1, 3], labels=["a", "b"]).labels == ("a", "b")


@given(st.floats(allow_nan=False, allow_infinity=False), st.booleans())
def test_every_number_is_read_as_it_is_written(value, comma):
    written = repr(value)
    if comma:
        written = written.replace(".", ",")
    if not re.fullmatch(r"-?[1-9]\d{0,2},\d{3}", written):
        assert attribute(kind="number").read(written) == value


@given(st.text())
def test_any_text_is_an_answer_or_an_error(text):
    for each in (attribute(kind="number"), attribute(kind="binary"), attribute(kind="scale", range=[1, 7])):
        with contextlib.suppress(JudgmentsError):
            assert np.isfinite(each.read(text))
