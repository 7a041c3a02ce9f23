"""Stores for tests: places to open one, a clock that is set by hand, and judges who know no rest."""

from __future__ import annotations

import multiprocessing
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from manyjudges.store.schema import metadata
from manyjudges.store.store import Store

# Servers and judges in processes of their own, quick to begin: everything is imported once.
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["manyjudges.store.store", "manyjudges.web.app"])

PRICES = {"round": 1.0, "beans": 2.5}


NOW = 1_700_000_000.0


class Clock:
    """Stands still until it is set."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def wait(self, *, minutes: float = 0.0, days: float = 0.0) -> None:
        self.now += 60 * minutes + 86400 * days


Fixture = Callable[[str], Any]
"""Gives pytest's fixtures by name, so that a server is started only where one is asked for."""


class Places(Protocol):
    """Fresh databases of one kind, with the tables of a store or without.

    Attributes
    ----------
    kind : str
        The name of their dialect.
    """

    kind: str

    def empty(self) -> str:
        """The address of one without tables."""

    def made(self) -> str:
        """The address of one with tables, copied from one that was made before: that is faster than making them."""


@dataclass
class SQLitePlaces:
    """Files in a folder."""

    folder: Path
    kind = "sqlite"

    def empty(self) -> str:
        return f"sqlite:///{self.folder / f'{len(list(self.folder.iterdir()))}.db'}"

    def made(self) -> str:
        original = self.folder / "original.db"
        if not original.exists():
            Store.open(f"sqlite:///{original}").close()
        address = self.empty()
        shutil.copy(original, address.removeprefix("sqlite:///"))
        return address


@dataclass
class PostgreSQLPlaces:
    """Databases of a server of the tests' own."""

    cluster: Any
    kind = "postgresql"

    def empty(self) -> str:
        return str(self.cluster.database())

    def made(self) -> str:
        if not hasattr(self.cluster, "template"):
            address = self.cluster.database()
            Store.open(address).close()
            self.cluster.template = address.rsplit("/", 1)[1]
        return str(self.cluster.database(self.cluster.template))


PLACES: dict[str, Callable[[Path, Fixture, bool], Places]] = {
    "sqlite": lambda folder, fixture, durable: SQLitePlaces(folder),
    "postgresql": lambda folder, fixture, durable: PostgreSQLPlaces(
        fixture("durable_postgres" if durable else "postgres")
    ),
}
"""Where stores of each dialect lie in tests, by its name. All tests of stores run on every dialect that there is."""


def places_for(kind: str, folder: Path, fixture: Fixture, *, durable: bool = False) -> Places:
    """Fresh databases of a dialect; ``durable`` where they must survive that the server is killed."""
    if kind not in PLACES:
        raise LookupError(f"tests have no {kind}: say in PLACES of tests/support/stores.py where its databases lie")
    return PLACES[kind](folder, fixture, durable)


class KeptStores:
    """One store of each kind, twice, with a clock of their own.

    Parameters
    ----------
    folder : Path
    fixture : callable
        Gives pytest's fixtures by name.
    """

    def __init__(self, folder: Path, fixture: Fixture) -> None:
        self.clock = Clock()
        self._folder, self._fixture = folder, fixture
        self._opened: dict[tuple[str, int], Store] = {}

    def empty(self, kind: str) -> Store:
        """A store with nothing in it."""
        store = self._store(kind, 0)
        with store._database._transaction(writing=True) as connection:
            for table in reversed(metadata.sorted_tables):
                connection.execute(table.delete())
        return store

    def again(self, kind: str) -> Store:
        """The same database through other connections."""
        return self._store(kind, 1)

    def close(self) -> None:
        for store in self._opened.values():
            store.close()

    def _store(self, kind: str, number: int) -> Store:
        if (kind, number) not in self._opened:
            if number:
                address = self._opened[kind, 0]._database.engine.url.render_as_string(hide_password=False)
            else:
                address = places_for(kind, self._folder, self._fixture).empty()
            self._opened[kind, number] = Store.open(address, clock=self.clock)
        return self._opened[kind, number]


def objects(count: int, *, labelled: bool = True) -> list[tuple[str, float | None]]:
    return [(f"jar {n}", float(n) if labelled else None) for n in range(count)]


def order(store: Store, count: int, things: Iterable[str] | None = None, attributes: Iterable[str] = PRICES) -> None:
    """So many judgments of everything."""
    names = list(store.objects()["object"]) if things is None else list(things)
    store.order([(name, attribute, count) for name in names for attribute in attributes])


def in_order(store: Store) -> bool:
    """Whether the books are in order, and add up."""
    ledger, progress, spending = store.ledger(), store.progress(), store.spending()
    counters = store.counters().merge(progress[["attribute", "cost"]], on="attribute")
    paid = float((counters["filled"] * counters["cost"]).sum())
    earned = sum(worker.earned for worker in store.workers())
    sums = [float(ledger["cost"].sum()), spending["spent"], earned, paid]
    assert max(sums) - min(sums) <= 1e-6 * max(1.0, *sums), sums
    assert store.discrepancies() == []
    assert len(store.judgments()) == int(counters["have"].sum())
    return True


def all_true(batch):
    return {item.position: 1.0 for item in batch.items}


def judge(store, worker, **options):
    """Lease and hand in."""
    batch = store.lease(worker.id, **options)
    store.submit(batch.id, worker.id, all_true(batch))
    return batch


def kinds(store):
    return store.ledger()["kind"].tolist()
