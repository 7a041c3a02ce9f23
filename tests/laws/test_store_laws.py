"""Laws that a store must keep, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from manyjudges.exceptions import StoreError, UnknownBatchError
from manyjudges.store.database import Database
from manyjudges.store.store import EXTENSIONS, Store
from tests.support.messages import refused
from tests.support.stores import PRICES, all_true, in_order, judge, kinds, order

NOBODY = 999_999


# What was acknowledged


def test_an_acknowledged_judgment_is_seen_by_others_at_once(store, other, ann):
    order(store, 1)
    batch = store.lease(ann.id, attribute="beans", size=2)
    receipt = store.submit(batch.id, ann.id, {0: 3.0, 1: None}, seconds=10.0)
    assert (receipt.accepted, receipt.earned, receipt.returned) == (2, 5.0, 0)
    seen = other.judgments()
    assert seen.to_dict("records") == [
        {"object": batch.items[0].object, "attribute": "beans", "worker": ann.name, "value": 3.0}
    ]
    ledger = other.ledger()
    assert ledger.columns.tolist() == [
        *(
            "id",
            "at",
            "worker",
            "external",
            "source",
            "batch",
            "object",
            "attribute",
            "kind",
            "value",
            "cost",
            "replaces",
            "turn",
            "seconds",
        )
    ]
    assert sorted(ledger["kind"]) == ["answer", "cant_tell"]
    assert (ledger["cost"] == 2.5).all()
    assert (ledger["seconds"] == 5.0).all()
    assert (ledger["external"] == "ann").all()
    assert ledger["value"].isna().sum() == 1
    assert in_order(other)


def test_nothing_of_what_failed_is_there(store, ann):
    order(store, 1)
    batch = store.lease(ann.id)
    with refused(StoreError, value=99, column="position"):
        store.submit(batch.id, ann.id, {0: 1.0, 99: 1.0})
    with refused(StoreError, row="0", column="value"):
        store.submit(batch.id, ann.id, {1: 1.0, 0: float("nan")})
    assert len(store.ledger()) == 0
    assert store.lease(ann.id) == batch


@pytest.mark.parametrize("key", ["unknown", "a\x00b", "\ud800", "x" * 500])
def test_batches_that_are_not(store, ann, key):
    with refused(UnknownBatchError):
        store.submit(key, ann.id, {})
    assert store.batch(key, ann.id) is None


def test_a_batch_is_its_workers_own(store, ann, bob):
    order(store, 1)
    batch = store.lease(ann.id)
    with pytest.raises(UnknownBatchError) as caught:  # the name of a batch is another each time
        store.submit(batch.id, bob.id, {0: 1.0})
    assert repr(batch.id) in str(caught.value)
    assert store.batch(batch.id, bob.id) is None
    assert store.batch(batch.id, ann.id) == batch
    assert not store.release(batch.id, bob.id)
    assert not store.extend(batch.id, bob.id, 10)
    assert not store.keep_draft(batch.id, bob.id, {0: 1.0})


# Handing in


def test_handing_in_twice_is_harmless(store, ann):
    order(store, 2)
    batch = store.lease(ann.id, size=3)
    first = store.submit(batch.id, ann.id, all_true(batch))
    again = store.submit(batch.id, ann.id, all_true(batch))
    assert (first.accepted, again.accepted, again.repeated, again.earned) == (3, 0, 3, 0.0)
    assert kinds(store) == ["answer"] * 3
    assert store.worker(ann.id).batches == 1
    assert in_order(store)


def test_handing_in_many_times_at_once_is_harmless(store, other, ann):
    order(store, 2)
    batch = store.lease(ann.id)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: (store, other)[n % 2].submit(batch.id, ann.id, all_true(batch)), range(16)))
    assert sorted(receipt.accepted for receipt in found) == [0] * 15 + [6]
    assert sum(receipt.repeated for receipt in found) == 15 * 6
    assert in_order(store)


def test_what_is_left_out_goes_back_and_may_still_come(store, ann, bob):
    order(store, 1, attributes=["round"])
    batch = store.lease(ann.id)
    assert store.submit(batch.id, ann.id, {0: 1.0, 1: 0.0}).returned == 4
    taken = store.lease(bob.id, size=3)
    assert {item.object for item in taken.items} <= {item.object for item in batch.items[2:]}
    receipt = store.submit(batch.id, ann.id, all_true(batch))
    assert (receipt.accepted, receipt.late, receipt.corrected, receipt.repeated) == (1, 3, 1, 1)
    assert store.submit(taken.id, bob.id, all_true(taken)).accepted == 3
    assert store.idle
    assert in_order(store)


def test_corrections_are_chains_of_new_rows(store, ann):
    order(store, 1)
    batch = store.lease(ann.id, size=2)
    for value in (1.0, 0.0, None, 0.0, 5.0):
        receipt = store.submit(batch.id, ann.id, {0: value})
        assert receipt.corrected + receipt.accepted == 1
    ledger = store.ledger()
    assert ledger["kind"].tolist() == ["answer", *["correction"] * 4]
    assert ledger["replaces"].tolist()[1:] == ledger["id"].tolist()[:-1]
    assert ledger["cost"].tolist()[1:] == [0.0] * 4
    assert store.judgments()["value"].tolist() == [5.0]
    assert store.last_batch(ann.id).items[0].value == 5.0
    assert in_order(store)


def test_cant_tell_is_paid_and_no_value(store, ann):
    order(store, 1, attributes=["beans"])
    batch = store.lease(ann.id)
    assert store.submit(batch.id, ann.id, dict.fromkeys(range(6))).earned == 15.0
    assert len(store.judgments()) == 0
    beans = store.progress().set_index("attribute").loc["beans"]
    assert (beans["have"], beans["cant_tell"], beans["wanted"], beans["open"]) == (0, 6, 6, 0)
    assert [item.answered for item in store.batch(batch.id, ann.id).items] == [True] * 6
    assert in_order(store)


def test_an_empty_hand_gives_all_back(store, ann):
    order(store, 1)
    batch = store.lease(ann.id)
    assert store.submit(batch.id, ann.id, {}).returned == 6
    assert store.progress()["out"].sum() == 0
    assert in_order(store)


# Leases


def test_one_batch_at_a_time(store, other, ann):
    order(store, 1)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: (store, other)[n % 2].lease(ann.id, size=2), range(16)))
    assert len({batch.id for batch in found}) == 1
    assert store.progress()["out"].sum() == 2


def test_never_the_same_pair_twice(store, ann, clock):
    order(store, 5)
    seen = []
    while (batch := store.lease(ann.id, size=4)) is not None:
        store.submit(batch.id, ann.id, all_true(batch))
        seen += [(item.object, batch.attribute) for item in batch.items]
        order(store, 5)
        clock.wait(minutes=100)
    assert len(seen) == len(set(seen)) == 12
    assert not store.work_left(ann.id)
    assert store.work_left(store.enter("open", "bob").id)


def test_leases_expire_and_return(store, ann, bob, clock):
    order(store, 1, attributes=["round"])
    batch = store.lease(ann.id, minutes=10)
    assert store.lease(bob.id) is None
    assert store.work_left(bob.id)
    clock.wait(minutes=10)
    assert store.expire() == 0
    clock.wait(minutes=0.1)
    assert {item.object for item in store.lease(bob.id).items} == {item.object for item in batch.items}
    assert store.batch(batch.id, ann.id).state == "expired"
    late = store.submit(batch.id, ann.id, all_true(batch))
    assert (late.accepted, late.late, late.earned) == (0, 6, 0.0)
    assert in_order(store)


def test_late_answers_that_nobody_has_taken_are_welcome(store, ann, bob, clock):
    order(store, 1, attributes=["round"])
    batch = store.lease(ann.id, minutes=10)
    clock.wait(minutes=60)
    assert store.expire() == 1
    assert store.submit(batch.id, ann.id, all_true(batch)).accepted == 6
    assert store.lease(bob.id) is None
    assert store.idle
    assert in_order(store)


def test_many_leases_expire_in_passing(store, clock):
    order(store, 50)
    for n in range(45):
        assert store.lease(store.enter("open", f"gone {n}").id, minutes=1) is not None
    clock.wait(minutes=2)
    late = store.enter("open", "late")
    for _ in range(4):
        batch = store.lease(late.id, minutes=1)
        assert len(batch.items) == 6
        clock.wait(minutes=2)
    assert store.expire() == 1
    assert store.progress()["out"].sum() == 0
    assert in_order(store)


def test_extending_releasing_and_drafts(store, ann, clock):
    order(store, 1)
    batch = store.lease(ann.id, minutes=10)
    clock.wait(minutes=9)
    assert store.keep_draft(batch.id, ann.id, {0: 1.0, 3: None})
    assert store.extend(batch.id, ann.id, 10)
    clock.wait(minutes=9)
    assert store.lease(ann.id).draft == {0: 1.0, 3: None}
    assert store.release(batch.id, ann.id)
    assert not store.release(batch.id, ann.id)
    assert not store.extend(batch.id, ann.id, 10)
    assert not store.keep_draft(batch.id, ann.id, {})
    assert store.batch(batch.id, ann.id).state == "released"
    assert store.progress()["out"].sum() == 0
    assert store.last_batch(ann.id) is None


def test_the_last_batch_is_the_one_handed_in_last(store, ann, clock):
    order(store, 1)
    for _ in range(3):
        batch = judge(store, ann, size=2)
        clock.wait(minutes=1)
        assert store.last_batch(ann.id).id == batch.id
    assert store.last_batch(ann.id).state == "done"


def test_limits_of_a_worker(store, ann):
    order(store, 1)
    assert len(store.lease(ann.id, size=4, most_judgments=3).items) == 3
    judge(store, ann, size=4)
    assert store.lease(ann.id, most_judgments=3) is None
    assert store.lease(ann.id, most_batches=1) is None
    assert store.lease(ann.id, size=0) is None
    assert len(store.lease(ann.id, size=4, most_judgments=5, most_batches=2).items) == 2


def test_unknown_workers_and_attributes(store, ann):
    order(store, 1)
    for ask in (store.lease, store.withdraw, store.block):
        with refused(StoreError, value=999999, column="worker"):
            ask(NOBODY)
    with refused(StoreError, value="height", column="attribute"):
        store.lease(ann.id, attribute="height")
    assert store.worker(NOBODY) is None
    assert store.worker(2**80) is None
    assert store.find_worker("nobody") is None


def test_workers_begin_at_different_attributes(store, ann, bob):
    order(store, 9)
    assert {store.lease(ann.id).attribute, store.lease(bob.id).attribute} == set(PRICES)


# The campaign's state


def test_pausing_and_closing(store, other, ann, bob):
    order(store, 2)
    batch = store.lease(ann.id, size=2)
    store.pause()
    store.pause()
    assert other.state == "paused"
    assert other.lease(bob.id) is None
    assert store.lease(ann.id) == batch
    assert store.submit(batch.id, ann.id, all_true(batch)).accepted == 2
    store.resume()
    batch = other.lease(bob.id)
    store.shut()
    with refused(StoreError):
        store.resume()
    assert store.lease(ann.id) is None
    assert store.submit(batch.id, bob.id, all_true(batch)).accepted == 6
    assert [event["what"] for event in store.events()] == ["closed", "resumed", "paused"]
    assert in_order(store)


def test_settings_secrets_and_notes(store, other, clock):
    assert store.setting("password") is None
    store.set("password", "a")
    store.set("password", "b")
    assert other.setting("password") == "b"
    assert store.secret == other.secret != ""
    store.note("problem", "a full disk")
    clock.wait(minutes=1)
    store.note("problem", "another")
    assert other.events(limit=1) == [{"at": clock.now, "what": "problem", "detail": "another"}]


def test_one_secret_for_servers_that_start_together(places):
    at = places.made()
    servers = [Store.open(at) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(lambda server: server.secret, servers))) == 1
    for server in servers:
        server.close()


# The books


FAULTS = {
    "have is": "UPDATE pairs SET have = have - 1 WHERE have > 0",
    "filled is": "UPDATE pairs SET filled = filled + 1",
    "cant_tell is": "UPDATE pairs SET cant_tell = cant_tell - 1 WHERE cant_tell > 0",
    "out is": 'UPDATE pairs SET "out" = "out" + 1',
    "judged in": "UPDATE workers SET judged = judged + 1 WHERE external = 'bob'",
    "for 99": "UPDATE workers SET earned = 99",
    "3 batches": "UPDATE workers SET batches = 3",
    "of it are out": "UPDATE batches SET state = 'expired' WHERE state = 'out'",
    "there are 0 rows": "DELETE FROM judgments",
}


@pytest.mark.parametrize("what", FAULTS)
def test_faults_in_the_books_are_found(store, ann, bob, what):
    order(store, 2)
    batch = store.lease(ann.id)
    store.submit(batch.id, ann.id, {0: 1.0, 1: None})
    assert store.lease(ann.id) is not None
    assert in_order(store)
    store._database.write(lambda connection: connection.execute(sa.text(FAULTS[what])))
    assert any(what in each for each in store.discrepancies())


@pytest.mark.parametrize(
    "statement",
    [
        'UPDATE pairs SET "out" = -1',
        'UPDATE pairs SET "open" = -1 - "out"',
        "UPDATE pairs SET have = filled + 1",
        "INSERT INTO judgments (at, worker_id, object_id, attribute_id, kind, cost) "
        "SELECT at, worker_id, object_id, attribute_id, kind, cost FROM judgments",
        "INSERT INTO batches (id, worker_id, attribute_id, state, leased_at, expires_at, draft) "
        "SELECT 'second', worker_id, attribute_id, state, leased_at, expires_at, draft FROM batches "
        "WHERE state = 'out'",
    ],
)
def test_the_database_itself_refuses_what_must_not_be(store, ann, statement):
    order(store, 2)
    judge(store, ann, size=2)
    store.lease(ann.id)
    with refused(StoreError, column="database"):
        store._database.write(lambda connection: connection.execute(sa.text(statement)))
    assert in_order(store)


def test_errors_show_no_password():
    with pytest.raises(StoreError) as caught:
        Database("mysql://user:secret@host/name")
    assert "secret" not in str(caught.value)
    assert "postgresql+psycopg://" in str(caught.value)


def test_nobody_keeps_a_batch_for_ever(store, ann, clock):
    order(store, 1, ["jar 1"], ["round"])
    batch = store.lease(ann.id, minutes=10)
    for _ in range(20):
        clock.wait(minutes=9)
        store.extend(batch.id, ann.id, 10)
    assert store.batch(batch.id, ann.id).expires_at == batch.leased_at + 60 * 10 * EXTENSIONS
