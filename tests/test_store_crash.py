"""What was acknowledged survives: servers and databases that are killed, full or gone."""

from __future__ import annotations

import os
import random
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest
from postgres import cluster
from stores import PRICES, Places, in_order, objects, order, processes

from manyjudges.collection.database import StoreUnavailableError
from manyjudges.collection.store import Store

JUDGES = 4
KILLS = 8


@pytest.fixture(scope="module")
def durable_postgres():
    """One that writes through to the disk, and may be killed."""
    with cluster(quick=False) as running:
        yield running


@pytest.fixture
def durable(kind, tmp_path, request):
    found = request.getfixturevalue("durable_postgres") if kind == "postgresql" else None
    return Places(kind, tmp_path, found)


def serve(address, connections):
    """A small server: each judge asks over a pipe, and an answer means that it is done."""
    store = Store.open(address)

    def answer(connection):
        while True:
            name, arguments = connection.recv()
            try:
                connection.send((True, getattr(store, name)(*arguments)))
            except StoreUnavailableError as error:
                connection.send((False, str(error)))

    for connection in connections[1:]:
        threading.Thread(target=answer, args=(connection,), daemon=True).start()
    answer(connections[0])


class Server:
    """A server that is killed again and again, and those who ask it."""

    def __init__(self, address):
        self.address = address
        self.begin()

    def begin(self):
        pipes = [processes.Pipe() for _ in range(JUDGES)]
        self.process = processes.Process(target=serve, args=(self.address, [theirs for _, theirs in pipes]))
        self.process.start()
        for _, theirs in pipes:
            theirs.close()
        self.pipes = [ours for ours, _ in pipes]

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()
        self.begin()

    def end(self):
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()
        self.pipes = [None] * JUDGES

    def ask(self, judge, name, *arguments):
        """None where no answer came, and nobody knows what was done."""
        pipe = self.pipes[judge]
        if pipe is None:
            return None
        try:
            pipe.send((name, arguments))
            done, found = pipe.recv()
        except (EOFError, OSError):
            pipe.close()
            while self.pipes[judge] is pipe:
                time.sleep(0.002)
            return None
        return found if done else None


def judge(server, number, over, acknowledged):
    """Judge, ask again where no answer came, and remember what was acknowledged."""
    chance, round_ = random.Random(number), 0
    while not over.is_set():
        round_ += 1
        worker = server.ask(number, "enter", "open", f"judge {number} {round_}")
        batch = None
        while worker is not None and not over.is_set() and batch is None:
            batch = server.ask(number, "lease", worker.id)
        if batch is None:
            continue
        answers = {item.position: float(chance.randint(0, 9)) for item in batch.items}
        while not over.is_set():
            if server.ask(number, "submit", batch.id, worker.id, answers) is not None:
                acknowledged += [
                    (item.object, batch.attribute, worker.name, answers[item.position]) for item in batch.items
                ]
                break


def under_load(address, disturb):
    """What judges were told is kept, while something disturbs their server."""
    server, over, acknowledged = Server(address), threading.Event(), []
    judges = [threading.Thread(target=judge, args=(server, n, over, acknowledged)) for n in range(JUDGES)]
    for each in judges:
        each.start()
    try:
        disturb(server, acknowledged)
        so_far = len(acknowledged)
        while len(acknowledged) == so_far:  # it goes on afterwards
            time.sleep(0.01)
    finally:
        over.set()
        server.end()
        for each in judges:
            each.join()
    return acknowledged


def check(address, acknowledged):
    store = Store.open(address)
    kept = store.judgments()
    rows = list(zip(kept["object"], kept["attribute"], kept["worker"], kept["value"], strict=True))
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


def test_killing_the_server_in_a_loop_loses_nothing(address):
    chance = random.Random(7)

    def disturb(server, acknowledged):
        for _ in range(KILLS):
            so_far = len(acknowledged)
            while len(acknowledged) == so_far:  # it works, and then at any moment
                time.sleep(0.002)
            time.sleep(chance.uniform(0.0, 0.3))
            server.kill()

    check(address, under_load(address, disturb))


def test_killing_postgresql_itself_loses_nothing(durable_postgres, tmp_path):
    places = Places("postgresql", tmp_path, durable_postgres)
    at = places.made()
    store = Store.open(at)
    store.prepare(PRICES, objects(200))
    order(store, 10_000)

    def disturb(server, acknowledged):
        while len(acknowledged) < 400:
            time.sleep(0.01)
        durable_postgres.kill()
        with pytest.raises(StoreUnavailableError, match=r"cannot be used now.*Nothing that was acknowledged is lost"):
            store.progress()
        durable_postgres.start()

    check(at, under_load(at, disturb))
    assert store.progress()["have"].sum() > 100  # the same object goes on
    assert store.enter("open", "afterwards").id
    store.close()


def test_a_stopped_postgresql_comes_back(durable_postgres, tmp_path):
    store = Store.open(Places("postgresql", tmp_path, durable_postgres).made())
    store.prepare(PRICES, objects(6))
    order(store, 1)
    ann = store.enter("open", "ann")
    batch = store.lease(ann.id)
    assert store.submit(batch.id, ann.id, {0: 1.0}).accepted == 1
    durable_postgres.stop()
    try:
        for ask in (store.progress, lambda: store.submit(batch.id, ann.id, {0: 1.0}), lambda: store.lease(ann.id)):
            with pytest.raises(StoreUnavailableError, match="cannot be used now"):
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


def test_a_full_disk_is_said_and_nothing_is_lost(sqlite):
    assert judged(sqlite, "before") == 40
    limit(sqlite, 1)  # SQLite makes that as many pages as it has
    with pytest.raises(StoreUnavailableError, match=r"full.*Nothing that was acknowledged is lost"):
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
        with pytest.raises(StoreUnavailableError, match=r"judgments.db is gone"):
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
    with pytest.raises(ValueError, match="not a database"):
        Store.open(f"sqlite:///{file}")
    assert file.read_bytes() == content


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(StoreUnavailableError, match="unable to open"):
        Store.open(f"sqlite:///{tmp_path}/nowhere/judgments.db")
