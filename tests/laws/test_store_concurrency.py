"""Several servers at one database: whatever they do at the same time, nothing is over-bought and the books add up."""

from __future__ import annotations

import random
import threading
import time
import traceback

import pytest

from manyjudges.store.store import Store
from tests.support.stores import PRICES, in_order, objects, order, processes

JUDGES = 5
"""In each server."""

WANTED = 4
"""Judgments of each pair."""

ENOUGH = 250
"""Judgments after which it ends."""

PATIENCE = 60
"""Seconds to wait for them, on a machine that is busy with something else."""


def serve(address, number, over, results):
    """A server with some judges of all kinds, until everything is judged or it is over."""
    store = Store.open(address)
    faults = []

    def work(n):
        try:
            judge(store, random.Random(f"{number} {n}"), over)
        except BaseException:  # the parent shows it
            faults.append(traceback.format_exc())

    judges = [threading.Thread(target=work, args=(n,)) for n in range(JUDGES)]
    for each in judges:
        each.start()
    for each in judges:
        each.join()
    store.close()
    results.put(faults)


def judge(store, chance, over):
    worker = store.enter("open", f"judge {chance.randrange(14)}")  # some judge through both servers at once
    old = []
    while not over.is_set():
        batch = store.lease(worker.id, size=chance.randint(1, 12), minutes=chance.choice([0.002, 0.002, 10]))
        if batch is None:
            if not store.work_left(worker.id):
                return
            time.sleep(0.01)
            continue
        old.append(batch)
        what = chance.random()
        if what < 0.1:
            store.release(batch.id, worker.id)
        elif what < 0.2:
            time.sleep(0.15)  # longer than the lease
        elif what < 0.22:
            store.expire()
        elif what < 0.27:
            store.withdraw(worker.id)
            worker = store.enter("open", f"judge {chance.randrange(14)}")
            old.clear()
            continue
        some = chance.choice(old[-3:])  # the last one, or one from before: late, again or otherwise
        answers = {item.position: chance.choice([None, 0.0, 1.0]) for item in some.items if chance.random() < 0.9}
        store.submit(some.id, worker.id, answers)


@pytest.mark.slow
def test_servers_at_one_database_never_over_buy(places):
    address = places.made()
    store = Store.open(address)
    store.prepare(PRICES, objects(60))
    order(store, WANTED)
    results, over = processes.Queue(), processes.Event()
    servers = [processes.Process(target=serve, args=(address, n, over, results)) for n in range(2)]
    for server in servers:
        server.start()
    looks, latest = 0, time.time() + PATIENCE
    while any(server.is_alive() for server in servers):
        counters = store.counters()
        assert (counters["filled"] + counters["out"] + counters["open"] == WANTED).all()
        assert store.discrepancies() == []
        looks += 1
        if counters["filled"].sum() > ENOUGH or time.time() > latest:
            over.set()
        time.sleep(0.05)
    faults = [fault for _ in servers for fault in results.get(timeout=60)]
    assert faults == []
    assert looks > 1
    counters, ledger = store.counters(), store.ledger()
    assert (counters["filled"] + counters["out"] + counters["open"] == WANTED).all()
    assert counters["filled"].sum() > ENOUGH
    assert ledger["replaces"].isna().sum() == counters["filled"].sum()
    assert {"answer", "cant_tell", "correction"} <= set(ledger["kind"])
    assert not ledger[ledger["replaces"].isna()].duplicated(["worker", "object", "attribute"]).any()
    assert in_order(store)
    store.close()


def test_orders_while_others_judge(places):
    """Replanning in the midst of it: what is out counts, and nobody is handed what is not ordered any more."""
    address = places.made()
    store = Store.open(address)
    store.prepare(PRICES, objects(30))
    order(store, 2)
    results, over = processes.Queue(), processes.Event()
    server = processes.Process(target=serve, args=(address, 0, over, results))
    server.start()
    chance, ordered, latest = random.Random(1), 0, time.time() + PATIENCE
    while server.is_alive():
        store.order([(name, each, chance.randint(0, 3)) for name, _ in objects(30) for each in PRICES])
        ordered += 1
        if (ordered > 8 and len(store.judgments()) > 20) or time.time() > latest:
            over.set()
        time.sleep(0.05)
    assert results.get(timeout=60) == []
    assert ordered > 1
    assert len(store.ledger()) > 0
    assert in_order(store)
    store.close()
