"""What was acknowledged survives: servers and databases that are killed, full or gone."""

from __future__ import annotations

import contextlib
import random
import shutil
import threading
import time
from pathlib import Path

import pytest

from manyjudges.exceptions import StoreError, StoreUnavailableError
from manyjudges.store.store import Store
from tests.support.messages import refused
from tests.support.postgres import cluster
from tests.support.served import Client, Server, write_study
from tests.support.stores import PRICES, PostgreSQLPlaces, in_order, objects, order, places_for

JUDGES = 4
KILLS = 8


@pytest.fixture(scope="module")
def durable_postgres():
    """One that writes through to the disk, and may be killed."""
    with cluster(quick=False) as running:
        yield running


@pytest.fixture
def durable(kind, tmp_path, request):
    return places_for(kind, tmp_path, request.getfixturevalue, durable=True)


def judge(server, token, number, over, acknowledged):
    """Judge through the JSON interface, ask again where no answer came, and remember what was acknowledged."""
    client, chance, round_ = Client(server.port, token), random.Random(number), 0

    def ask(path, what):
        while not over.is_set():
            try:
                return client.post(path, what)
            except ConnectionError:  # nobody knows what was done
                time.sleep(0.005)
        return None

    while not over.is_set():
        round_ += 1
        name = f"judge {number} {round_}"
        batch = ask("/api/v1/leases", {"worker": name})
        if batch is not None:
            answers = {item["position"]: float(chance.randint(0, 9)) for item in batch["items"]}
            given = [{"position": position, "value": value} for position, value in answers.items()]
            if ask(f"/api/v1/leases/{batch['id']}/judgments", {"answers": given}) is not None:
                things = {item["position"]: item["object"] for item in batch["items"]}
                acknowledged += [(things[n], batch["attribute"], name, value) for n, value in answers.items()]
    client.close()


def under_load(address, folder, disturb):
    """What judges were told is kept, while something disturbs their server."""
    with contextlib.closing(Store.open(address)) as store:
        token = store.add_program("test")
    write_study(folder, address, list(PRICES), [name for name, _ in objects(200)])
    server, over, acknowledged = Server(folder), threading.Event(), []
    judges = [threading.Thread(target=judge, args=(server, token, n, over, acknowledged)) for n in range(JUDGES)]
    for each in judges:
        each.start()
    try:
        disturb(server, acknowledged)
        so_far = len(acknowledged)
        while len(acknowledged) == so_far:  # it goes on afterwards
            time.sleep(0.01)
    finally:
        over.set()
        for each in judges:
            each.join()
        server.kill()
    return acknowledged


def check(address, acknowledged):
    store = Store.open(address)
    kept, names = store.judgments(), {worker.name: worker.external.partition("judge ")[2] for worker in store.workers()}
    workers = [f"judge {names[worker]}" for worker in kept["worker"]]
    rows = list(zip(kept["object"], kept["attribute"], workers, kept["value"], strict=True))
    assert len(acknowledged) > 100
    assert set(acknowledged) <= set(rows)
    assert len(rows) == len({row[:3] for row in rows})
    counters = store.counters()
    assert (counters["filled"] + counters["out"] + counters["open"] == 10_000).all()
    assert in_order(store)
    store.close()


@pytest.fixture
def address(durable):
    made = durable.made()
    store = Store.open(made)
    store.prepare(PRICES, objects(200))
    order(store, 10_000)
    store.close()
    return made


@pytest.mark.slow
def test_killing_the_server_in_a_loop_loses_nothing(address, tmp_path):
    chance = random.Random(7)

    def disturb(server, acknowledged):
        for _ in range(KILLS):
            so_far = len(acknowledged)
            while len(acknowledged) == so_far:  # it works, and then at any moment
                time.sleep(0.002)
            time.sleep(chance.uniform(0.0, 0.3))
            server.kill()
            server.start()

    check(address, under_load(address, tmp_path, disturb))


@pytest.mark.slow
def test_killing_postgresql_itself_loses_nothing(durable_postgres, tmp_path):
    places = PostgreSQLPlaces(durable_postgres)
    at = places.made()
    store = Store.open(at)
    store.prepare(PRICES, objects(200))
    order(store, 10_000)

    def disturb(server, acknowledged):
        while len(acknowledged) < 400:
            time.sleep(0.01)
        durable_postgres.kill()
        with refused(StoreUnavailableError, column="database"):
            store.progress()
        durable_postgres.start()

    check(at, under_load(at, tmp_path, disturb))
    assert store.progress()["have"].sum() > 100  # the same object goes on
    assert store.enter("open", "afterwards").id
    store.close()


def test_a_stopped_postgresql_comes_back(durable_postgres, tmp_path):
    store = Store.open(PostgreSQLPlaces(durable_postgres).made())
    store.prepare(PRICES, objects(6))
    order(store, 1)
    ann = store.enter("open", "ann")
    batch = store.lease(ann.id)
    assert store.submit(batch.id, ann.id, {0: 1.0}).accepted == 1
    durable_postgres.stop()
    try:
        for ask in (store.progress, lambda: store.submit(batch.id, ann.id, {0: 1.0}), lambda: store.lease(ann.id)):
            with refused(StoreUnavailableError, column="database"):
                ask()
    finally:
        durable_postgres.start()
    assert store.submit(batch.id, ann.id, {0: 1.0}).repeated == 1
    assert store.lease(ann.id) is not None
    assert in_order(store)
    store.close()


# SQLite's disk


@pytest.fixture
def sqlite(tmp_path):
    store = Store.open(f"sqlite:///{tmp_path / 'judgments.db'}")
    store.prepare(PRICES, objects(40))
    order(store, 1000)
    yield store
    store.close()


def judged(store, name):
    worker = store.enter("open", name)
    batch = store.lease(worker.id)
    return store.submit(batch.id, worker.id, {item.position: 1.0 for item in batch.items}).accepted


def test_every_commit_is_written_through_to_the_disk(sqlite):
    """Killing a process does not show it: what the system has not written yet is lost only with the power."""

    def asked(connection):
        return [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]

    assert sqlite._database.write(asked) == ["wal", 2]


def test_a_full_disk_is_said_and_nothing_is_lost(sqlite):
    assert judged(sqlite, "before") == 40
    limit(sqlite, 1)  # SQLite makes that as many pages as it has
    with refused(StoreUnavailableError, column="database"):
        [judged(sqlite, f"while full {n}") for n in range(50)]
    kept = len(sqlite.judgments())
    assert kept >= 40
    assert sqlite.discrepancies() == []
    limit(sqlite, 1_000_000)
    assert judged(sqlite, "afterwards") == 40
    assert len(sqlite.judgments()) == kept + 40
    assert in_order(sqlite)


def limit(store, pages):
    """The most pages that the file may have, for all connections from now on."""
    from sqlalchemy import event

    store._database.engine.dispose()
    event.listen(store._database.engine, "connect", lambda made, record: made.execute(f"PRAGMA max_page_count={pages}"))


def test_a_file_that_is_gone_is_said_and_used_again_when_it_is_back(sqlite, tmp_path):
    assert judged(sqlite, "before") == 40
    file, away = tmp_path / "judgments.db", tmp_path / "away"
    away.mkdir()
    moved(tmp_path, away)
    for ask in (sqlite.progress, lambda: sqlite.enter("open", "lost")):
        with refused(StoreUnavailableError, column="database"):
            ask()
    assert not file.exists()  # no empty one was begun
    moved(away, tmp_path)
    assert judged(sqlite, "afterwards") == 40
    assert len(sqlite.judgments()) == 80
    assert in_order(sqlite)


def test_a_file_that_was_put_back_from_a_copy_is_used(sqlite, tmp_path):
    assert judged(sqlite, "before") == 40
    sqlite.close()  # writes everything into the one file
    copy = tmp_path / "copy.db"
    shutil.copy(tmp_path / "judgments.db", copy)
    assert judged(sqlite, "in what is lost") == 40
    for each in tmp_path.glob("judgments.db*"):
        each.unlink()
    copy.rename(tmp_path / "judgments.db")
    assert judged(sqlite, "afterwards") == 40
    other = Store.open(f"sqlite:///{tmp_path / 'judgments.db'}")
    assert len(other.judgments()) == 80
    assert in_order(other)
    other.close()


def moved(here: Path, there: Path) -> None:
    for each in here.glob("judgments.db*"):
        each.rename(there / each.name)


@pytest.mark.parametrize("content", [b"", b"no database " * 100])
def test_a_file_that_is_no_database(tmp_path, content):
    file = tmp_path / "judgments.db"
    file.write_bytes(content)
    if not content:
        Store.open(f"sqlite:///{file}").close()  # an empty file is an empty database
        return
    with refused(StoreError, column="database"):
        Store.open(f"sqlite:///{file}")
    assert file.read_bytes() == content


def test_a_folder_that_is_not_there(tmp_path):
    with refused(StoreUnavailableError, column="database"):
        Store.open(f"sqlite:///{tmp_path}/nowhere/judgments.db")
