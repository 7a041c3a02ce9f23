"""What a store knows, as tables and numbers."""

from __future__ import annotations

import math

import pytest

from manyjudges.store import queries
from tests.support.stores import PRICES, all_true, in_order, judge, objects, order


def test_tables_of_nothing_have_their_columns(store):
    assert list(store.judgments().columns) == ["object", "attribute", "worker", "value"]
    assert store.judgments().empty
    assert store.ledger().empty
    assert store.counters().empty
    assert store.progress()["attribute"].tolist() == list(PRICES)
    assert store.spending() == {"spent": 0.0, "out": 0.0, "open": 0.0}
    assert store.began() is None
    assert store.rounds() == []
    assert sum(count for _, count in store.arrivals(3)) == 0
    assert list(store.judgment_batches()) == []


def test_objects_without_a_label_have_none(store):
    store.prepare(PRICES, [*objects(2), ("new", None)])
    found = store.objects()
    assert found["object"].tolist() == ["jar 0", "jar 1", "new"]
    assert math.isnan(found["label"].iloc[2])
    assert {name: store.position()[name] for name in ("objects", "labelled")} == {"objects": 3, "labelled": 2}


@pytest.mark.slow
def test_judgments_in_parts_are_all_judgments(store, ann, bob, clock):
    order(store, 2)
    for worker in (ann, bob):
        for _ in range(2):
            judge(store, worker)
    batch = store.last_batch(ann.id)
    store.submit(batch.id, ann.id, {0: 0.0, 1: None})  # a correction, and one that does not count any more
    whole = store.judgments()
    assert len(whole) == 23
    for size in (1, 5, 100):
        parts = list(store.judgment_batches(size))
        assert sum(map(len, parts)) == len(whole)
        joined = [row for part in parts for row in part.itertuples(index=False)]
        assert sorted(joined) == sorted(whole.itertuples(index=False))


def test_the_last_word_counts_and_every_word_is_kept(store, ann):
    order(store, 1, ["jar 1"], ["round"])
    batch = store.lease(ann.id)
    for value in (1.0, 2.0, None, 3.0):
        store.submit(batch.id, ann.id, {0: value})
    assert store.judgments()["value"].tolist() == [3.0]
    ledger = store.ledger()
    assert ledger["kind"].tolist() == ["answer", "correction", "correction", "correction"]
    assert ledger["replaces"].tolist()[1:] == ledger["id"].tolist()[:-1]
    assert ledger["cost"].tolist() == [1.0, 0.0, 0.0, 0.0]


def test_what_is_wanted_came_or_is_out_or_open(store, ann, bob):
    order(store, 2)
    judge(store, ann, size=2)
    store.lease(bob.id, size=3)
    for row in store.progress().itertuples():
        assert row.wanted == 12
    spending = store.spending()
    assert sum(spending.values()) == pytest.approx(12 * sum(PRICES.values()))
    assert in_order(store)


def test_where_less_is_wanted_than_is_out_nothing_is_open(store, ann):
    order(store, 1, ["jar 1"], ["round"])
    store.lease(ann.id)
    store.order([])
    assert store.counters()[["out", "open"]].to_numpy().tolist() == [[1, 0]]
    assert store.progress()["open"].tolist() == [0, 0]


def test_counters_are_those_of_objects_that_are_there(store):
    order(store, 1)
    store.prepare(PRICES, objects(2))
    assert set(store.counters()["object"]) == {"jar 0", "jar 1"}


def test_events_come_newest_first(store, clock):
    for what in ("a", "b", "c"):
        clock.wait(minutes=1)
        store.note(what, what.upper())
    assert [event["what"] for event in store.events(2)] == ["c", "b"]
    assert store.events(1) == [{"at": clock.now, "what": "c", "detail": "C"}]


def test_nothing_is_idle_while_something_is_open_or_out(store, ann, clock):
    assert store.idle
    order(store, 1, ["jar 1"], ["round"])
    assert not store.idle
    batch = store.lease(ann.id)
    assert not store.idle
    store.submit(batch.id, ann.id, all_true(batch))
    assert store.idle
    assert store.began() == clock.now


def test_further_calls_of_a_model_are_judges_of_their_own():
    assert [queries.worker_label("gpt", turn) for turn in range(3)] == ["gpt", "gpt #2", "gpt #3"]
