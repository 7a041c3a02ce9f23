"""What single cells mean; that SQL says the same is a law of readers."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest

from manyjudges import Judgments
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.grammar import BLANK, TYPED, is_blank, is_infinite, read_number
from manyjudges.tables.values import numbers
from tests.support.messages import refused


@pytest.mark.parametrize(
    ("cell", "number"),
    [("5", 5), ("+5", 5), (".5", 0.5), ("5.", 5), ("1E-3", 0.001), ("\xa05\t", 5), (7, 7), (2.5, 2.5)],
)
def test_numbers(cell, number):
    assert read_number(cell) == number


@pytest.mark.parametrize(
    "cell", ["１２", "٣", "1_000", "+-5", "nan", "inf", "0x10", "1 000", " ", "ja", "yes", "true", "1,5", None, True]
)
def test_what_is_no_number(cell):
    assert math.isnan(read_number(cell))


def test_what_is_too_large_is_infinite():
    assert read_number("-1e400") == -math.inf


def test_decimal_commas_only_where_they_are_allowed():
    assert read_number(" -1,5 ", decimal_comma=True) == -1.5
    assert read_number("1.5", decimal_comma=True) == 1.5
    assert math.isnan(read_number("1,234,5", decimal_comma=True))


def test_what_is_infinite_is_said_so():
    assert all(map(is_infinite, ["inf", "-Infinity", "1e400"]))
    assert not any(map(is_infinite, ["nan", "1e300", "infinite"]))


def test_what_people_type_is_the_grammar_of_cells_with_commas():
    for typed in ("5", "+5", ".5", "5.", "1E-3", "-1e+3", "", "e", "1_0", "１２", "+-5", "0x1"):
        assert bool(re.fullmatch(TYPED.number, typed)) == (not math.isnan(read_number(typed)))
    for typed in ("1,5", ",5", "5,", "1,234"):
        assert re.fullmatch(TYPED.number, typed)
    assert not re.fullmatch(TYPED.number, "1,234,567")
    assert re.fullmatch(TYPED.thousands, "1,234,567")


def test_what_is_around_a_typed_number_is_white_space_and_nothing_else():
    for character in map(chr, range(0x110000)):
        if not "\ud800" <= character <= "\udfff":
            assert bool(re.fullmatch(TYPED.edges, character)) == character.isspace()
    assert re.sub(TYPED.edges, "", f"{BLANK}a b{BLANK}\n") == "a b"


def test_the_patterns_of_typed_numbers_mean_the_same_in_javascript():
    """They are plain ASCII with nothing that only one of the two languages knows."""
    for pattern in (TYPED.number, TYPED.thousands, TYPED.edges):
        assert pattern.isascii()
        assert not re.search(r"\\[dwsbAZ]|\(\?|[*+?}][+]", pattern)


def test_blank_is_white_space_alone():
    assert all(map(is_blank, ["", BLANK]))
    assert not any(map(is_blank, ["\u200b", "x", None, 0]))


@pytest.mark.parametrize("odd", ["five", "1e400", "\ud800"])
def test_columns_are_read_as_cells_are(odd):
    """Fast where all numbers are plain; one that is not changes nothing for the others."""
    cells = np.array(["5", "+.5", "yes", None, "1e3", "１２", odd], dtype=object)
    wanted = [5, 0.5, np.nan, np.nan, 1000, np.nan, read_number(odd)]
    np.testing.assert_array_equal(numbers(cells), wanted)


def test_invalid_rows_are_skipped_and_counted():
    frame = {"object": ["a", "b", None, "c"], "attribute": ["x"] * 4, "value": ["1", "２", "3", "4"]}
    table = pd.DataFrame(frame)
    with pytest.raises(JudgmentsError) as caught:
        Judgments.from_frame(table.dropna())
    assert (caught.value.value, caught.value.row, caught.value.column) == ("２", 2, "value")
    judgments = Judgments.from_frame(table, on_invalid="skip")
    assert judgments.skipped == 2
    assert judgments.objects.tolist() == ["a", "c"]
    assert judgments[:1].skipped == 2
    assert "2 invalid rows skipped" in repr(judgments)
    with refused(JudgmentsError):
        Judgments.from_frame(table[1:2], on_invalid="skip")
