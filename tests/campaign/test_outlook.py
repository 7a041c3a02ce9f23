"""What a campaign will have cost, and when it will be through."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyjudges.campaign import outlook


def test_forecasts_add_up():
    spending = {"spent": 100.0, "out": 10.0, "open": 30.0}
    arrivals = [(0.0, 0), (3600.0, 0), (7200.0, 20)]
    found = outlook.forecast(spending, 20, (60.0, False), arrivals, now=9000.0)
    assert found.whole == 200.0
    assert found.pace == 40.0
    assert found.round_end == 9000.0 + 1800.0
    assert found.end == 9000.0 + 50 / 40 * 3600  # 100 units at 2 a judgment
    assert outlook.forecast(spending, 20, (60.0, False), arrivals, now=9000.0, limit=150.0).whole == 150.0
    assert outlook.forecast(spending, 20, (60.0, False), [(0.0, 0)], now=9000.0).end is None
    assert outlook.later_cost({"stage": "done", "objects": 9, "labelled": 1}, 3.0, 5.0, True) == (0.0, False)
    assert outlook.later_cost({"stage": "plan", "objects": 9, "labelled": 1}, 3.0, 5.0, False) == (0.0, False)


units = st.floats(0, 1e6)
hours = st.lists(st.integers(0, 500), min_size=1, max_size=24)


@given(units, units, units, units, st.none() | units, st.integers(0, 10_000), hours)
def test_laws_of_forecasts(spent, out, open_, later, limit, waiting, counts):
    arrivals = [(outlook.HOUR * i, count) for i, count in enumerate(counts)]
    now = outlook.HOUR * (len(counts) - 0.5)
    spending = {"spent": spent, "out": out, "open": open_}
    found = outlook.forecast(spending, waiting, (later, True), arrivals, now, limit)
    assert found.round_cost == out + open_
    assert found.whole >= spent
    if limit is None:
        assert found.whole >= found.round_cost + later
    elif limit >= spent:
        assert found.whole <= limit
    assert (found.pace is None) == (not any(counts[-outlook.RECENT :])) == (found.end is None)
    if found.pace is not None:
        assert found.pace > 0
        assert found.round_end >= now
        assert found.end >= now


def test_nothing_waiting_ends_now():
    found = outlook.forecast({"spent": 9.0, "out": 0.0, "open": 0.0}, 0, (0.0, False), [(0.0, 9)], now=1800.0)
    assert found.round_end == found.end == 1800.0
    assert found.bound is False


def test_a_campaign_that_just_began_is_not_called_fast():
    """A judgment in the first second is not 3,600 an hour."""
    found = outlook.forecast({"spent": 1.0, "out": 1.0, "open": 1.0}, 2, (0.0, False), [(0.0, 1)], now=1.0, began=0.0)
    assert found.pace == 12.0  # as if it had taken five minutes


def test_judgments_after_now_do_not_count():
    arrivals = [(0.0, 10), (3600.0, 10), (7200.0, 1000)]
    found = outlook.forecast({"spent": 0.0, "out": 0.0, "open": 1.0}, 1, (0.0, False), arrivals, now=7199.0)
    assert found.pace < 20


def test_before_there_is_a_plan_the_rest_is_the_most_it_can_be():
    position = {"stage": "pilot", "objects": 12, "labelled": 10}
    assert outlook.later_cost(position, None, 5.0, False) == (50.0, True)
    assert outlook.later_cost(position, 4.0, 5.0, True) == (8.0, False)
    assert outlook.later_cost(position | {"stage": "unlabelled"}, None, 5.0, True) == (0.0, False)
