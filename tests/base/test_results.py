"""What every result can do; that every one does it is a law."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.base.frames import table
from manyjudges.base.results import Result, as_tuple, on_one_line, plain
from manyjudges.exceptions import DataWarning, PlanError
from tests.support.messages import refused


@dataclass(frozen=True, eq=False, repr=False)
class Heights(Result):
    """A result for these tests."""

    FORMAT: ClassVar[str] = "manyjudges.heights/1"

    names: tuple[str, ...]
    heights: Any
    note: str | None = None

    def to_frame(self) -> pd.DataFrame:
        return table({"height": self.heights}, index=self.names, index_name="name")

    @property
    def headline(self) -> str:
        return "Heights of <people>:"


@pytest.fixture
def heights():
    return Heights(("ann", "bob"), np.array([1.7, np.nan]))


def test_a_result_is_frozen_with_its_arrays(heights):
    with pytest.raises(FrozenInstanceError):
        heights.note = "x"
    with pytest.raises(ValueError, match="read-only"):
        heights.heights[0] = 2.0


def test_a_document_has_the_format_first_and_all_fields(heights):
    document = heights.to_document()
    assert list(document) == ["format", "names", "heights", "note"]
    assert document == {"format": "manyjudges.heights/1", "names": ["ann", "bob"], "heights": [1.7, None], "note": None}
    assert json.loads(heights.to_json()) == document


def test_it_shows_itself_as_a_table_under_a_headline(heights):
    assert repr(heights).splitlines()[0] == heights.headline
    assert "1.7" in repr(heights)
    shown = heights._repr_html_()
    assert "&lt;people&gt;" in shown
    assert "<table" in shown


def test_a_result_says_what_it_is_where_it_has_no_headline():
    class Bare(Result):
        pass

    assert Bare.headline.fget(Bare()) == "Bare:"
    with pytest.raises(NotImplementedError):
        Bare().to_frame()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(values)
def test_what_is_plain_can_be_written_as_json_and_stays_as_it_is(value):
    found = plain(value)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert plain(found) == found


@given(st.lists(st.floats(), max_size=5))
def test_arrays_are_lists_in_which_null_stands_for_no_number(numbers):
    found = plain(np.array(numbers))
    assert found == plain(numbers) == [value if np.isfinite(value) else None for value in numbers]


def test_scalars_results_and_warnings_are_plain(heights):
    assert plain((np.int8(1), np.bool_(True), np.float32(0.5))) == [1, True, 0.5]
    assert plain({"one": heights})["one"]["format"] == "manyjudges.heights/1"
    warning = DataWarning("look", code="MJ101", kind="small", values={"n": np.int64(3)})
    assert plain(warning) == {
        "code": "MJ101",
        "kind": "small",
        "severity": "warning",
        "message": "look",
        "values": {"n": 3},
    }


@pytest.mark.parametrize("given", ["12", 5, None])
def test_a_list_is_no_text_and_no_number(given):
    with refused(PlanError, value=given):
        as_tuple(given, "budgets")


def test_whatever_can_be_gone_through_is_a_list():
    assert as_tuple(range(3), "budgets") == as_tuple(np.arange(3), "budgets") == as_tuple(iter([0, 1, 2]), "budgets")


@given(st.text())
def test_a_name_stands_on_one_line(name):
    found = on_one_line(name)
    assert found
    assert len(found.splitlines()) == 1
    assert found == on_one_line(found)


def test_letters_that_join_others_stay_and_those_that_turn_lines_around_go():
    assert on_one_line("👩\u200d🔬") == "👩\u200d🔬"
    assert on_one_line("a\u202eb") == "ab"
