"""Who gets which work; laws over many events are in laws/test_store_laws.py and laws/test_store_interleavings.py."""

from __future__ import annotations

import math

import pytest

from manyjudges.exceptions import StoreError
from manyjudges.store import leases
from tests.support.messages import refused
from tests.support.stores import PRICES, all_true, in_order, judge, objects, order


def test_an_answer_is_fresh_a_correction_a_repetition_or_too_late():
    """Objects 1 to 3 are out, 4 is open to anybody, 5 was filled by others meanwhile; 2 and 3 were answered before."""

    class Row:
        def __init__(self, value, kind="answer"):
            self.value, self.kind = value, kind

    values = {1: 1.0, 2: 1.0, 3: 2.0, 4: None, 5: 0.0, 6: 7.0}
    earlier = {2: Row(1.0), 3: Row(1.0), 6: Row(None, "withdrawal")}
    found = leases._sort(values, earlier, was_out={1}, open_now={4})
    assert found.fresh == {1: 1.0, 4: None}
    assert found.corrections == {3: 2.0}
    assert found.late == 1


@pytest.mark.parametrize(
    ("answers", "value"), [({9: 1.0}, 9), ({-1: 1.0}, -1), ({0: math.nan}, None), ({0: math.inf}, math.inf)]
)
def test_answers_that_make_no_sense_leave_the_batch_as_it_is(store, ann, answers, value):
    order(store, 1)
    batch = store.lease(ann.id, size=2)
    with refused(StoreError) as caught:
        store.submit(batch.id, ann.id, {1: 1.0} | answers)
    assert caught.value.value == value or math.isnan(caught.value.value)
    assert store.batch(batch.id, ann.id) == batch
    assert store.judgments().empty


@pytest.mark.parametrize("key", ["", "no such", "\x00", "\ud800", "ä"])
def test_a_batch_that_is_not_is_unknown(store, ann, key):
    with refused(leases.UnknownBatchError):
        store.submit(key, ann.id, {})


def test_an_attribute_that_is_not(store, ann):
    with refused(StoreError, value="height"):
        store.lease(ann.id, attribute="height")


def test_a_batch_is_of_one_attribute_and_of_as_many_objects_as_there_are(store, ann):
    order(store, 1, ["jar 1", "jar 2", "jar 3"], ["round"])
    order_of_places = store.lease(ann.id, size=2)
    assert len(order_of_places.items) == 2
    assert [item.position for item in order_of_places.items] == [0, 1]
    store.submit(order_of_places.id, ann.id, all_true(order_of_places))
    rest = store.lease(ann.id, size=100)
    assert len(rest.items) == 1
    assert {item.object for item in (*rest.items, *order_of_places.items)} == {"jar 1", "jar 2", "jar 3"}


def test_a_batch_says_what_was_answered(store, ann):
    order(store, 1, ["jar 1", "jar 2"], ["round"])
    batch = store.lease(ann.id)
    store.submit(batch.id, ann.id, {0: None, 1: 3.0})
    again = store.last_batch(ann.id)
    assert [(item.answered, item.value) for item in again.items] == [(True, None), (True, 3.0)]
    assert again.state == "done"


def test_whoever_asks_for_an_attribute_gets_it(store, ann):
    order(store, 1)
    for name in PRICES:
        batch = store.lease(ann.id, attribute=name)
        assert batch.attribute == name
        store.submit(batch.id, ann.id, all_true(batch))
    assert store.lease(ann.id) is None


def test_seconds_are_those_of_one_answer(store, ann, clock):
    order(store, 1)
    first = store.lease(ann.id, attribute="round")
    store.submit(first.id, ann.id, all_true(first), seconds=30.0)
    second = store.lease(ann.id, attribute="beans")
    clock.wait(minutes=1)
    store.submit(second.id, ann.id, all_true(second))
    assert store.ledger().groupby("attribute")["seconds"].first().to_dict() == {"round": 5.0, "beans": 10.0}


def test_work_is_left_while_others_have_what_one_did_not_answer(store, ann, bob):
    order(store, 1, ["jar 1"], ["round"])
    assert store.work_left(ann.id)
    batch = store.lease(ann.id)
    assert store.work_left(bob.id)  # it may come back
    store.submit(batch.id, ann.id, {0: 1.0})
    assert not store.work_left(bob.id)
    order(store, 2, ["jar 1"], ["round"])
    assert store.work_left(bob.id)
    assert not store.work_left(ann.id)


def test_many_more_leases_than_are_cleared_in_passing_end_when_one_asks(store, clock):
    store.prepare(PRICES, objects(leases.EXPIRED_AT_ONCE + 5))
    order(store, 1, attributes=["round"])
    many = leases.EXPIRED_AT_ONCE + 5
    for number in range(many):
        store.lease(store.enter("open", f"judge {number}").id, size=1, minutes=1)
    clock.wait(minutes=2)
    assert store._database.write(lambda connection: leases.expire(connection, clock.now)) == leases.EXPIRED_AT_ONCE
    assert store.expire() == 5
    assert store.progress()["open"].sum() == many
    assert in_order(store)


def test_what_a_judge_did_is_counted(store, ann):
    order(store, 1)
    batch = judge(store, ann, attribute="beans")
    found = store.worker(ann.id)
    assert (found.judged, found.batches, found.earned) == (len(batch.items), 1, 2.5 * len(batch.items))
