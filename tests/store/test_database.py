"""Transactions that read and those that write, and what is said where a database cannot be used."""

from __future__ import annotations

import threading
import time

import pytest
import sqlalchemy as sa

from manyjudges.exceptions import StoreError
from manyjudges.store.database import Database, StoreUnavailableError, _FairLock
from tests.support.messages import refused


def test_tables_are_made_once_and_stay(places):
    database = Database(places.empty())
    database.migrate()
    with database.engine.connect() as connection:
        before = set(sa.inspect(connection).get_table_names())
    database.migrate()
    with database.engine.connect() as connection:
        assert set(sa.inspect(connection).get_table_names()) == before
    assert {"judgments", "pairs", "workers"} <= before
    database.close()


def test_what_was_raised_inside_leaves_nothing_behind(store):
    def work(connection):
        connection.execute(sa.text("INSERT INTO settings (key, value) VALUES ('a', 'b')"))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store._database.write(work)
    assert store.setting("a") is None


@pytest.mark.parametrize("value", [10**30, "\ud800"], ids=["number", "text"])
def test_what_no_database_keeps_is_said(store, value):
    with pytest.raises(StoreError) as caught:
        store._database.write(lambda c: c.execute(sa.text("UPDATE pairs SET have = :value"), {"value": value}))
    assert not isinstance(caught.value, StoreUnavailableError)


def test_a_query_that_is_wrong_is_no_lost_database(store):
    with pytest.raises(StoreError) as caught:
        store._database.read(lambda connection: connection.execute(sa.text("SELECT a FROM nowhere")))
    assert "nowhere" in str(caught.value)


@pytest.mark.parametrize("address", ["mysql://user:secret@host/name", "secret", "sqlite:///a.db?mode=secret"])
def test_addresses_that_cannot_be_used_show_no_password(address):
    with refused(StoreError) as caught:
        Database(address)
    assert "user:secret" not in str(caught.value)


def test_writers_take_turns_in_order_of_arrival():
    lock, order = _FairLock(1), []

    def wait(number):
        with lock:
            order.append(number)

    with lock:
        threads = []
        for number in range(5):
            threads.append(threading.Thread(target=wait, args=(number,)))
            threads[-1].start()
            while len(lock._waiting) <= number:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == list(range(5))
    assert lock._free == 1


def test_as_many_at_a_time_as_there_are_places():
    lock, inside, most = _FairLock(3), [], []
    guard = threading.Lock()

    def stay():
        with lock:
            with guard:
                inside.append(1)
                most.append(len(inside))
            time.sleep(0.01)
            with guard:
                inside.pop()

    threads = [threading.Thread(target=stay) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 3
    assert lock._free == 3
