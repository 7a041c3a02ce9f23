"""Numbers and findings as a person says them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.base import formatting

numbers = st.floats(-1e300, 1e300)


def read(text):
    return float(text.replace("−", "-").replace(",", "").replace("\u202f%", ""))


@given(numbers, st.integers(1, 6))
def test_a_number_is_shown_to_so_many_digits(value, digits):
    shown = read(formatting.number(value, digits))
    assert shown == pytest.approx(value, rel=0.51 * 10.0 ** (1 - digits), abs=1e-320)
    assert math.copysign(1, shown) == math.copysign(1, value) or shown == 0


@given(st.floats(-1e8, 1e8), st.integers(0, 4))
def test_a_column_has_the_same_decimals_and_no_negative_zero(value, decimals):
    text = formatting.fixed(value, decimals)
    assert len(text.partition(".")[2]) == decimals
    assert abs(read(text) - value) <= 0.51 * 10**-decimals
    assert not (text.startswith("−") and read(text) == 0)


@pytest.mark.parametrize("form", [formatting.number, formatting.fixed, formatting.percent, formatting.small_percent])
@pytest.mark.parametrize("value", [None, math.nan, np.nan])
def test_where_there_is_no_number_there_is_a_dash(form, value):
    assert form(value) == formatting.NONE


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1e-5, "1.00e-05"),
        (1e9, "1.00e+09"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (999.96, "1,000"),
    ],
    ids=str,
)
def test_numbers(value, text):
    assert formatting.number(value) == text


@given(st.floats(1e-6, 1.0))
def test_small_shares_keep_two_digits(share):
    assert read(formatting.small_percent(share)) == pytest.approx(100 * share, rel=0.051)


@given(st.floats(1e-8, 1e8))
def test_an_interval_is_shown_with_one_digit_of_its_half_width(reach):
    decimals = formatting.decimals_for(reach, 2 * reach)
    assert 0 <= decimals <= 9
    assert round(reach, decimals) > 0
    assert decimals == 0 or round(reach, decimals - 1) < 10 ** (1 - decimals) or reach * 10 ** (decimals - 1) < 1


def test_errors_are_in_the_labels_units_and_never_below_nothing():
    assert formatting.in_units(4.0) == 2.0
    assert formatting.in_units(-1.0) == 0.0


@given(st.text())
def test_what_somebody_wrote_is_on_one_line(text):
    cleaned = formatting.clean(text)
    assert cleaned == formatting.clean(cleaned)
    assert cleaned.isprintable() or any(not c.isprintable() for c in text)
    assert "\n" not in cleaned
    cleaned.encode()  # halves of characters are gone


@pytest.mark.parametrize(
    ("parts", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (iter(["a", "b", "c"]), "a, b and c")]
)
def test_lists_in_words(parts, text):
    assert formatting.listed(parts) == text


def test_nouns_follow_their_number():
    assert [formatting.plural(n, "box", "boxes") for n in (0, 1, 2)] == ["0 boxes", "1 box", "2 boxes"]
