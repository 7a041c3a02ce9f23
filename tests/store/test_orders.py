"""What a study is about and what of it is ordered; further laws are in laws/test_store_orders.py."""

from __future__ import annotations

import pytest

from manyjudges.exceptions import StoreError
from manyjudges.store import orders
from tests.support.messages import refused
from tests.support.stores import PRICES, in_order, judge, objects, order


def opened(store):
    """What is open, pair by pair."""
    found = store.counters().set_index(["object", "attribute"])["open"]
    return found[found > 0].to_dict()


def test_settings_are_set_and_set_anew(store):
    assert store.setting("colour") is None
    for value in ("red", "", "0"):
        store.set("colour", value)
        assert store.setting("colour") == value


def test_a_fresh_study_runs_and_stands_at_its_beginning(store):
    assert store.state == orders.RUNNING
    assert store._database.read(orders.campaign) == orders.INITIAL_STATE


def test_an_order_says_how_many_there_should_be_in_all(store, ann):
    order(store, 1, ["jar 1"], ["round"])
    judge(store, ann)
    store.order([("jar 1", "round", 3)])
    assert opened(store) == {("jar 1", "round"): 2}
    store.order([("jar 1", "round", 1)])
    assert opened(store) == {}


def test_the_last_word_about_a_pair_counts(store):
    store.order([("jar 1", "round", 1), ("jar 1", "round", 4), ("jar 2", "beans", 0)])
    assert opened(store) == {("jar 1", "round"): 4}


def test_what_an_order_does_not_name_is_wanted_no_more(store):
    order(store, 2)
    store.order([])
    assert opened(store) == {}
    assert store.idle


def test_orders_in_several_statements_are_one_order(store):
    """An order of more pairs than one statement takes."""
    rows = [(1 + at % 2, 1 + at // 2, at, 1) for at in range(12)]

    def place(connection):
        ids = {row.name: row.id for row in connection.execute(orders.sa.select(orders.objects))}
        columns = [row.id for row in connection.execute(orders.sa.select(orders.attributes))]
        things = [ids[name] for name, _ in objects(6)]
        some = [(columns[a - 1], things[o - 1], place, count) for a, o, place, count in rows]
        orders._open(connection, some[:5])
        orders._open(connection, some[5:])

    store._database.write(place)
    assert len(opened(store)) == 12
    assert in_order(store)


@pytest.mark.parametrize(("limit", "left"), [(100.0, 14), (7.0, 14), (6.9, 13), (3.5, 7), (1.0, 2), (0.4, 0)])
def test_within_a_limit_those_who_come_last_in_line_go(store, limit, left):
    store.prepare({"round": 0.5}, objects(6))
    seen = store.standing()
    wanted = [(f"jar {n}", "round", 4 if n == 0 else 2) for n in range(6)]
    assert store.settle(seen, seen | {"round": 1}, [], wanted, limit=limit)
    assert sum(opened(store).values()) == left
    assert store.spending()["open"] <= limit
    assert in_order(store)


def test_a_limit_that_is_reached_but_for_rounding_takes_nothing_away(store):
    store.prepare({"round": 0.1}, objects(6))
    seen = store.standing()
    assert store.settle(seen, seen | {"round": 1}, [], [(name, "round", 1) for name, _ in objects(3)], limit=0.3)
    assert sum(opened(store).values()) == 3  # three times 0.1 is a little more than 0.3


def test_who_plans_says_until_when(store, clock):
    assert not store.being_planned
    assert store.may_plan("here", 60)
    assert store.being_planned
    clock.wait(minutes=2)
    assert not store.being_planned


def test_objects_that_left_and_came_back_keep_their_place_and_judgments(store, ann):
    order(store, 1, attributes=["round"])
    judge(store, ann)
    store.prepare(PRICES, objects(3))
    assert store.objects()["object"].tolist() == [name for name, _ in objects(3)]
    store.prepare(PRICES, objects(6))
    assert store.objects()["object"].tolist() == [name for name, _ in objects(6)]
    assert len(store.judgments()) == 6
    assert in_order(store)


def test_objects_that_left_are_ordered_no_more(store):
    store.prepare(PRICES, objects(3))
    with refused(StoreError, value=1):
        store.order([("jar 5", "round", 1)])


def test_what_models_cost_may_change_after_they_judged(store):
    judges, prices = {"tone @ big": "big"}, {"tone @ big": 1.0, "warmth": 2.0}
    store.prepare(prices, objects(2), judges=judges)
    store.take_in("mturk", [("jar 1", "warmth", "ann", 1.0)])
    store.prepare(prices | {"tone @ big": 9.0}, objects(2), judges=judges)
    assert store.costs() == prices  # what was found out by judging holds
    with refused(StoreError):
        store.prepare(prices | {"warmth": 9.0}, objects(2), judges=judges)
