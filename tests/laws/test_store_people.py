"""Laws of people and programs in a store, on every database: who gets in, who does not, and who is forgotten."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from manyjudges.exceptions import StoreError
from manyjudges.store import schema
from tests.support.messages import refused
from tests.support.stores import all_true, in_order, judge, kinds, order

NOBODY = 999_999


def test_entering_twice_is_entering_once(store, other):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: (store, other)[n % 2].enter("prolific", "p1"), range(16)))
    assert len({worker.id for worker in found}) == 1
    assert store.enter("mturk", "p1").id != found[0].id
    again = store.enter("prolific", "p1", details={"STUDY_ID": "s"}, consented=True)
    assert (again.details, again.consented) == ({"STUDY_ID": "s"}, True)
    assert store.find_worker(again.name) == again
    with pytest.raises(StoreError) as error:  # the message names pseudonyms, which chance makes
        store.find_worker("p1")
    assert error.value.value == "p1"
    assert len(store.workers()) == 2


@pytest.mark.parametrize("name", ["\ud800", "a" * 100_000, "🦊 אבג"])
def test_odd_names_are_kept_or_refused_in_words(store, name):
    try:
        assert store.enter("open", name).external == name
    except StoreError:
        assert name == "\ud800" or len(name) > 1000


def test_personal_links_expire_and_are_kept_hashed(store, clock):
    tokens = store.invite(3, days=2)
    assert len({store.admit(token).id for token in tokens}) == 3
    assert store.admit("guess") is None
    assert store.admit("\ud800\x00") is None
    clock.wait(days=1.9)
    assert store.admit(tokens[0]) is not None
    clock.wait(days=0.2)
    assert store.admit(tokens[0]) is None
    assert not any(token in kept(store) for token in tokens)
    for count in (0, 10_001):
        with refused(StoreError, value=count):
            store.invite(count, days=1)


def test_programs(store, other):
    token = store.add_program("robot")
    assert other.program(token) == "robot"
    assert store.programs() == ["robot"]
    assert token not in kept(store)
    with refused(StoreError, value="robot", column="name"):
        store.add_program("robot")
    with refused(StoreError, value="", column="name"):
        store.add_program("")
    store.revoke_program("robot")
    assert other.program(token) is None
    with refused(StoreError, value="robot", column="name"):
        store.revoke_program("robot")
    assert store.program(store.add_program("robot")) == "robot"


def kept(store):
    """Everything in the database, as text."""
    with store._database.engine.connect() as connection:
        return repr([connection.execute(sa.select(table)).all() for table in schema.metadata.sorted_tables])


def test_consent_and_blocking(store, ann, bob):
    order(store, 1)
    store.consent(ann.id)
    assert store.worker(ann.id).consented
    batch = store.lease(ann.id, size=2)
    store.block(ann.id, "clicks without looking")
    store.block(bob.id)
    assert store.worker(ann.id).blocked
    assert store.lease(ann.id) is None
    assert store.lease(bob.id) is None
    assert store.submit(batch.id, ann.id, {0: 1.0}).accepted == 1
    assert store.events()[-1]["detail"] == f"{ann.name} clicks without looking"


def test_withdrawing_takes_back_all_and_forgets_who_it_was(store, ann, bob):
    order(store, 2)
    first = judge(store, ann, size=3)
    store.submit(first.id, ann.id, {0: None, 1: 0.0})
    judge(store, bob)
    held = store.lease(ann.id)
    token = store.invite(1, days=1)[0]
    guest = store.admit(token)
    assert store.withdraw(ann.id) == 3
    assert store.withdraw(guest.id) == 0
    assert store.admit(token) is None
    assert store.withdraw(ann.id) == 0
    assert kinds(store).count("withdrawal") == 3
    assert set(store.judgments()["worker"]) == {bob.name}
    assert "ann" not in kept(store)
    assert store.progress()["out"].sum() == 0
    assert store.lease(ann.id) is None
    assert in_order(store)
    for batch in (held, first):  # a page that was still open
        receipt = store.submit(batch.id, ann.id, all_true(batch))
        assert (receipt.accepted, receipt.corrected, receipt.earned) == (0, 0, 0.0)
    assert set(store.judgments()["worker"]) == {bob.name}
    assert store.enter("open", "ann").id != ann.id
    assert in_order(store)


def test_drafts_of_somebody_who_withdrew_are_gone(store, ann):
    order(store, 1, ["jar 1"], ["beans"])
    batch = store.lease(ann.id)
    store.keep_draft(batch.id, ann.id, {0: 123.0})
    store.withdraw(ann.id)
    assert store.batch(batch.id, ann.id).draft == {}
