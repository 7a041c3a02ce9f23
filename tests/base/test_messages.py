"""Values, paths and names as they stand in the text of an error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.base.messages import LONGEST_PATH, LONGEST_VALUE, list_names, quote_path, quote_value, suggest


def test_few_names_are_all_named():
    assert list_names(["a", "b", "c"]) == "'a', 'b', 'c'"


def test_suggestions_ignore_case_and_keep_the_spelling():
    assert suggest("Worker", ["WORKER", "x"]) == " Did you mean 'WORKER'?"
    assert suggest("zzz", ["worker"]) == ""


def test_a_longer_name_is_suggested_where_it_is_the_only_one():
    assert suggest("grade", ["Clarity", "Performance grade"]) == " Did you mean 'Performance grade'?"
    assert suggest("grade", ["Interview grade", "Performance grade"]) == ""
    assert suggest("", ["Clarity", "Performance grade"]) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [(np.float64(0.5), "0.5"), (np.int64(3), "3"), (np.str_("a"), "'a'"), (None, "None"), (True, "True")],
    ids=str,
)
def test_values_stand_as_a_person_wrote_them(value, text):
    assert quote_value(value) == text


@given(st.text())
def test_no_value_is_longer_than_a_line(text):
    shown = quote_value(text)
    assert len(shown) <= LONGEST_VALUE
    assert shown == repr(text) or shown == repr(text)[: LONGEST_VALUE - 1] + "…"


def test_the_end_of_a_path_is_kept():
    assert quote_path(Path("a") / "b.csv") == "'a/b.csv'"
    long = "x" * LONGEST_PATH + "/end.csv"
    assert quote_path(long).endswith("/end.csv'")
    assert len(quote_path(long)) == LONGEST_PATH


def test_more_names_than_are_given_are_counted():
    assert list_names(["a", "b", "c", "d"], 2) == "'a', 'b' and 2 more"
    assert list_names(["a", "b"], 2, total=1002) == "'a', 'b' and 1,000 more"
    assert list_names([]) == ""
