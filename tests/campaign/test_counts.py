from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyjudges.campaign.counts import UNCAPPED, PairCounts, affordable, repeat_numbers, total_cost
from tests.support.plain import plain_due


def test_counts_go_from_asked_to_bought():
    counts = PairCounts.empty(2, 2).order(np.array([[2, 2], [2, 0]]))
    assert counts.pending.tolist() == [[2, 2], [2, 0]]
    counts = counts.receive(np.array([[1, 2], [3, 1]]))
    assert counts.bought.tolist() == [[1, 2], [3, 1]]
    assert counts.pending.tolist() == [[1, 0], [0, 0]]
    assert counts.give_up().dry.tolist() == [[True, False], [False, False]]
    assert not counts.give_up().pending.any()


def test_a_cap_is_what_half_of_the_objects_can_have():
    bought = np.array([[1, 9], [2, 9], [3, 9], [4, 9]])
    nothing = np.zeros_like(bought)
    half = np.array([[True, False], [True, False], [False, False], [False, False]])
    assert PairCounts(bought, nothing, half).caps.tolist() == [UNCAPPED, UNCAPPED]
    most = np.array([[True, True], [True, False], [True, False], [False, False]])
    assert PairCounts(bought, nothing, most).caps.tolist() == [3, UNCAPPED]


def test_picks_beyond_a_cap_are_left_out():
    counts = PairCounts(
        np.array([[1], [1], [1]]), np.zeros((3, 1), dtype=np.int64), np.array([[True], [True], [False]])
    )
    assert not counts.due(np.zeros(5, dtype=np.int64), np.ones(1)).any()


def test_money_goes_to_the_first_picks_of_all_objects():
    counts = PairCounts.empty(3, 2)
    picks = np.array([1, 0, 1])
    assert counts.due(picks, np.ones(2), 4).tolist() == [[1, 1], [0, 1], [0, 1]]
    assert counts.due(picks, np.array([5.0, 1.0]), 8).tolist() == [[1, 1], [0, 1], [0, 1]]
    assert counts.due(picks, np.array([5.0, 1.0]), 7).tolist() == [[0, 2], [0, 2], [0, 2]], (
        "what is too dear is passed over"
    )


def test_rounding_of_real_costs_loses_no_judgment():
    picks = np.zeros(10, dtype=np.int64)
    assert PairCounts.empty(3, 1).due(picks, np.array([0.1]), 3.0).sum() == 30
    assert PairCounts.empty(3, 1).due(picks, np.array([0.1]), 0.7).sum() == 7


@given(st.integers(0, 10_000))
def test_due_is_what_one_by_one_gives(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 6)), int(rng.integers(1, 5))
    counts = PairCounts(rng.integers(0, 4, (n, d)), rng.integers(0, 2, (n, d)), rng.random((n, d)) < rng.random())
    picks = rng.integers(0, d, rng.integers(0, 12))
    costs = rng.choice([0.1, 0.25, 1.0, 3.0], d)
    have = total_cost(counts.bought + counts.pending, costs)
    for limit in (None, float(np.round(have + rng.uniform(-1, 10), 2)), have):
        due = counts.due(picks, costs, limit)
        assert due.tolist() == plain_due(counts, picks, costs, limit)
        if limit is not None and due.any():
            assert have + total_cost(due, costs) <= limit * (1 + 2e-9)


@given(st.lists(st.integers(0, 4), max_size=20))
def test_repeat_numbers_count_what_went_before(picks):
    assert repeat_numbers(np.array(picks, dtype=np.int64)).tolist() == [picks[:i].count(p) for i, p in enumerate(picks)]


@given(st.lists(st.sampled_from([0.5, 1.0, 2.0, 4.0]), max_size=20), st.integers(-1, 20))
def test_affordable_is_what_fits_in_turn(prices, money):
    left, expected = money, []
    for price in prices:
        expected.append(price <= left)
        left -= price * expected[-1]
    assert affordable(np.array(prices), money).tolist() == expected


def test_nothing_changes_counts():
    counts = PairCounts.empty(1, 1)
    counts.order(np.ones((1, 1), dtype=np.int64)).receive(np.ones((1, 1), dtype=np.int64)).give_up()
    assert counts.bought.tolist() == counts.pending.tolist() == [[0]]
    with pytest.raises(AttributeError):
        counts.dry = None
