"""What learning asks of a search, answered for every search there is and for plans that no search made."""

from __future__ import annotations

import pytest

from manyjudges.core.search.registry import DEFAULT, SEARCHES
from manyjudges.learn.search_capabilities import (
    ON_EVERY_CURVE,
    TRIED_BY_AUTO,
    can_repeat,
    for_calibration,
    in_folds,
    is_nested,
    uses_covariances,
)


@pytest.mark.parametrize("name", SEARCHES)
def test_what_is_repeated_in_folds_is_a_search_that_runs_there_itself(name):
    assert can_repeat(name)
    assert in_folds(in_folds(name)) == in_folds(name)
    assert in_folds(name) in SEARCHES
    assert is_nested(for_calibration(name))
    assert for_calibration(name) in (name, DEFAULT)


def test_the_exact_search_is_too_slow_to_repeat_and_exchange_stands_in_for_it():
    assert in_folds("exact") == "exchange"
    assert [name for name in SEARCHES if in_folds(name) == name] == ["full", "scoring", "exchange"]


def test_what_is_tried_by_auto_needs_no_stand_in():
    assert TRIED_BY_AUTO[0] == DEFAULT, "which wins a tie"
    assert all(in_folds(name) == name and is_nested(name) for name in TRIED_BY_AUTO)
    assert set(ON_EVERY_CURVE) <= set(SEARCHES)


def test_shrinkage_is_tried_for_all_but_scoring():
    assert [name for name in SEARCHES if not uses_covariances(name)] == ["scoring"]


@pytest.mark.parametrize("method", ["given", "averages", "auto", ""])
def test_of_a_plan_that_no_search_made_nothing_is_taken_for_granted(method):
    assert not can_repeat(method)
    assert in_folds(method) == method
    assert not is_nested(method)
    assert uses_covariances(method)
    assert for_calibration(method) == DEFAULT
