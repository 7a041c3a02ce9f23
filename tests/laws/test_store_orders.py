"""Laws of what a store is about and what of it is ordered, on every database."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from manyjudges.exceptions import StoreError
from manyjudges.store.store import Store
from tests.support.messages import refused
from tests.support.stores import PRICES, all_true, in_order, judge, objects, order

NOBODY = 999_999


def test_orders_open_so_much_and_nothing_else(store, ann):
    store.order([("jar 1", "round", 2), ("jar 2", "round", 1)])
    batch = store.lease(ann.id)
    assert {item.object for item in batch.items} == {"jar 1", "jar 2"}
    store.order([("jar 1", "round", 3), ("jar 3", "beans", 1)])
    found = store.counters().set_index(["object", "attribute"])
    assert found["open"].to_dict() == {("jar 1", "round"): 2, ("jar 2", "round"): 0, ("jar 3", "beans"): 1}
    assert store.spending() == {"spent": 0.0, "out": 2.0, "open": 4.5}
    store.release(batch.id, ann.id)
    found = store.counters().set_index(["object", "attribute"])
    assert found["open"].to_dict() == {("jar 1", "round"): 3, ("jar 2", "round"): 0, ("jar 3", "beans"): 1}


def test_what_is_out_beyond_an_order_comes_in_but_not_again(store, ann, bob, clock):
    store.order([("jar 1", "round", 2)])
    first, second = store.lease(ann.id, minutes=1), store.lease(bob.id, minutes=100)
    store.order([])
    clock.wait(minutes=2)
    assert store.expire() == 1
    assert store.progress()[["out", "open"]].sum().tolist() == [1, 0]
    assert store.submit(first.id, ann.id, {0: 1.0}).late == 1
    assert store.submit(second.id, bob.id, {0: 1.0}).accepted == 1
    assert store.idle
    store.order([("jar 1", "round", 1)])
    assert store.idle  # there is one
    store.order([("jar 1", "round", 2)])
    assert store.progress()["open"].sum() == 1
    assert in_order(store)


@pytest.mark.parametrize("request_", [("jar 99", "round", 1), ("jar 1", "height", 1), ("jar 1", "round", -1)])
def test_orders_that_make_no_sense_change_nothing(store, request_):
    order(store, 1)
    name, attribute, count = request_
    with refused(StoreError, value=count, row=name, column=attribute):
        store.order([("jar 1", "round", 5), request_])
    assert store.progress()["open"].tolist() == [6, 6]


def test_giving_up(store, ann, bob, clock):
    order(store, 1, ["jar 1", "jar 2"], ["round"])
    store.lease(ann.id, size=1, minutes=1)
    store.give_up()
    assert store.counters()["dry"].sum() == 1
    clock.wait(minutes=2)
    assert len(store.lease(bob.id).items) == 1  # what was out when it was given up comes back
    store.give_up()
    assert store.counters()["dry"].sum() == 1
    assert store.release(store.lease(bob.id).id, bob.id)
    store.give_up()
    assert store.counters()["dry"].sum() == 2
    assert store.idle


def test_settling_is_all_or_nothing_and_once(store, other):
    seen = store.standing()
    assert seen == {"round": 0, "asked": 0, "reason": "", "stage": "pilot", "rounds": 0}
    state = {"round": 1, "asked": 6, "reason": "", "stage": "plan"}
    document = {"number": 1, "plan": {"repeats": [1, 2]}}
    requests = [("jar 1", "round", 2)]
    with refused(StoreError, value=1, row="jar 99", column="round"):
        store.settle(seen, state, [document], [("jar 99", "round", 1)])
    assert store.rounds() == []
    assert store.standing() == seen
    barrier = threading.Barrier(4)

    def decide(n):
        barrier.wait()
        return (store, other)[n % 2].settle(seen, state, [document], requests)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(decide, range(4))) == [False, False, False, True]
    assert [each["plan"] for each in other.rounds()] == [{"repeats": [1, 2]}]
    assert other.standing() == state | {"rounds": 1}
    assert store.progress()["open"].sum() == 2


def test_one_plans_at_a_time(store, other, clock):
    barrier = threading.Barrier(6)

    def ask(n):
        barrier.wait()
        return (store, other)[n % 2].may_plan(f"server {n}", 60)

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(ask, range(6))) == 1
    store.planned("somebody else")
    assert not store.may_plan("late", 60)
    clock.wait(minutes=2)
    assert store.may_plan("late", 60)
    assert store.may_plan("late", 60)
    store.planned("late")
    assert other.may_plan("next", 60)


def test_where_a_campaign_stands(store, ann):
    assert store.position() == {"round": 0, "stage": "planning", "reason": "", "objects": 6, "labelled": 6}
    order(store, 1)
    assert store.position()["stage"] == "pilot"
    assert not store.idle
    state = {"round": 2, "asked": 1, "reason": "enough", "stage": "done"}
    store.settle(store.standing(), state, [], [])
    assert store.position() == {"round": 2, "stage": "done", "reason": "enough", "objects": 6, "labelled": 6}
    assert store.idle


def test_arrivals(store, ann, clock):
    clock.now = 1_700_000_000.0 // 3600 * 3600 + 60
    order(store, 1)
    judge(store, ann, size=2)
    clock.wait(minutes=58)
    judge(store, ann, size=1)
    clock.wait(minutes=120)
    batch = judge(store, ann, size=3)
    store.submit(batch.id, ann.id, {0: 0.0})
    found = store.arrivals(hours=4)
    assert [count for _, count in found] == [0, 3, 0, 3]
    assert [at for at, _ in found] == [clock.now // 3600 * 3600 - 3600 * back for back in (3, 2, 1, 0)]


# What the study is about


def test_preparing_again(store, ann, clock):
    order(store, 2)
    batch = store.lease(ann.id, attribute="round")
    store.submit(batch.id, ann.id, {0: 1.0})
    held = store.lease(ann.id, attribute="beans", minutes=1)
    gone = [batch.items[0].object, held.items[1].object]
    rest = [(name, 7.0) for name, _ in objects(6) if name not in gone]
    store.prepare(PRICES, [*rest, ("new", None)])
    found = store.objects()
    assert found["object"].tolist() == [name for name, _ in rest] + ["new"]
    assert found["label"].tolist()[:-1] == [7.0] * 4
    assert store.position()["labelled"] == 4
    clock.wait(minutes=2)
    seen = set()
    for name in ("bob", "cleo", "dora", "emil"):
        worker = store.enter("open", name)
        while (next_ := store.lease(worker.id)) is not None:
            seen |= {item.object for item in next_.items}
            store.submit(next_.id, worker.id, all_true(next_))
    assert seen == {name for name, _ in rest}
    store.prepare(PRICES, [*objects(6), ("new", None)])
    assert sorted(store.objects()["object"]) == sorted([name for name, _ in objects(6)] + ["new"])
    assert in_order(store)


def test_attributes_may_change_until_something_was_bought(store, ann):
    order(store, 1)
    batch = store.lease(ann.id)
    store.prepare({"round": 1.0, "height": 3.0}, objects(6))
    assert store.costs() == {"round": 1.0, "height": 3.0}
    assert store.batch(batch.id, ann.id) is None
    assert store.idle
    store.prepare(PRICES, objects(6))
    order(store, 1)
    judge(store, ann)
    for prices in (
        {"round": 1.0, "beans": 2.5, "height": 1.0},
        {"round": 1.0},
        {"round": 1.0, "beans": 9.0},
        {"beans": 2.5, "round": 1.0},
    ):
        with refused(StoreError, column="attributes"):
            store.prepare(prices, objects(6))
    assert store.costs() == PRICES
    assert in_order(store)


def test_the_same_order_of_objects_for_the_same_seed(places):
    found = []
    for seed in (0, 0, 1):
        opened = Store.open(places.made())
        opened.prepare(PRICES, objects(30), seed=seed)
        order(opened, 1)
        worker = opened.enter("open", "ann")
        found.append([item.object for item in opened.lease(worker.id, attribute="round").items])
        opened.close()
    assert found[0] == found[1] != found[2]
    assert found[0] != [name for name, _ in objects(30)]


def test_what_the_limit_does_not_pay_for_is_not_ordered(store, ann):
    order(store, 1, ["jar 1"], ["round"])
    batch = store.lease(ann.id)
    store.submit(batch.id, ann.id, {0: 1.0})
    wanted = [(thing, name, 2) for thing in ("jar 1", "jar 2", "jar 3") for name in ("round", "beans")]
    seen = store.standing()
    assert store.settle(seen, seen | {"round": 1}, [], wanted, limit=9.9)
    money = store.spending()
    assert money["spent"] == 1.0
    assert 9.9 - 2.5 < sum(money.values()) <= 9.9
    assert store.settle(store.standing(), seen, [], wanted, limit=0.5)  # less than was spent already
    assert store.spending() == {"spent": 1.0, "out": 0.0, "open": 0.0}
    assert store.discrepancies() == []
