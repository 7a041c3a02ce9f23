"""Many judges at once, and many objects: python benchmarks/load.py --store both --judges 200 --seconds 30.

First, judges in processes of their own lease and hand in batches of 40 against one database, directly at the store or
(``--http``) through servers' JSON interface: once as fast as it goes, once at the pace of ten judgments a second each,
ten times that of people. What was acknowledged is compared with what is kept. Then a batch is leased from ever more
objects: the time should stay flat. Exit code 1 when something was lost, doubled or over-bought, or a lease is not flat.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from manyjudges.store.store import Store

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.support import postgres, served

ATTRIBUTES = {f"attribute {n}": 1.0 for n in range(5)}
OBJECTS = 2000
WANTED = 40
SIZE = 40
SIZES = (100, 1_000, 10_000, 100_000)
FLAT = 3.0
"""A lease of the most objects may take so many times that of the fewest."""

Desk = tuple[Callable[[], Any], Callable[[str, dict[int, float]], Any]]
"""Where a judge leases a batch, and hands it in."""

processes = multiprocessing.get_context("spawn")


@dataclass
class Tally:
    """What one judge did: seconds of each lease and each submission, and what was acknowledged."""

    leases: list[float]
    submissions: list[float]
    acknowledged: list[tuple[str, str, str]]


# Two ways to reach a store


def direct(store: Store) -> Callable[[str], Desk]:
    def enter(name: str) -> Desk:
        worker = store.enter("open", name).id

        def lease() -> Any:
            batch = store.lease(worker, size=SIZE)
            return None if batch is None else (batch.id, batch.attribute, [item.object for item in batch.items])

        return lease, lambda key, answers: store.submit(key, worker, answers)

    return enter


def over_http(port: int, token: str) -> Callable[[str], Desk]:
    def enter(name: str) -> Desk:
        asking = served.Client(port, token)

        def lease() -> Any:
            batch = asking.insist("/api/v1/leases", {"worker": name, "size": SIZE})
            things = [] if batch is None else [item["object"] for item in batch["items"]]
            return None if batch is None else (batch["id"], batch["attribute"], things)

        def submit(key: str, answers: dict[int, float]) -> Any:
            given = [{"position": position, "value": value} for position, value in answers.items()]
            return asking.insist(f"/api/v1/leases/{key}/judgments", {"answers": given})

        return lease, submit

    return enter


# Judges


def judge(enter: Any, name: str, pace: float, until: float) -> Tally:
    """Lease, take some time and hand in, until the time is over."""
    tally, chance = Tally([], [], []), random.Random(name)
    lease, submit = enter(name)
    time.sleep(chance.uniform(0, pace))  # people do not come all at the same moment
    while time.time() < until:
        start = time.perf_counter()
        found = lease()
        tally.leases.append(time.perf_counter() - start)
        if found is None:
            break
        key, attribute, things = found
        time.sleep(chance.uniform(0.5, 1.5) * pace)
        start = time.perf_counter()
        submit(key, {position: float(chance.randint(0, 1)) for position in range(len(things))})
        tally.submissions.append(time.perf_counter() - start)
        tally.acknowledged += [(name, attribute, thing) for thing in things]
    return tally


def crowd(
    way: tuple[str, Any], first: int, count: int, pace: float, begin: float, seconds: float, results: Any
) -> None:
    """A process with some of the judges."""
    with contextlib.ExitStack() as stack:
        if way[0] == "http":
            enter = over_http(*way[1])
        else:
            enter = direct(stack.enter_context(contextlib.closing(Store.open(way[1]))))
        tallies: list[Tally] = []
        time.sleep(max(begin - time.time(), 0))
        judges = [
            threading.Thread(target=lambda n=n: tallies.append(judge(enter, f"judge {n}", pace, begin + seconds)))
            for n in range(first, first + count)
        ]
        for each in judges:
            each.start()
        for each in judges:
            each.join()
        results.put(tallies if len(tallies) == count else None)  # None: a judge gave up with an error


def load(kind: str, address: str, options: argparse.Namespace, pace: float) -> tuple[list[str], bool]:
    """One row of the table, and whether all was well."""
    store = Store.open(address)
    store.prepare(ATTRIBUTES, [(f"object {n}", None) for n in range(OBJECTS)])
    store.order([(f"object {n}", name, WANTED) for n in range(OBJECTS) for name in ATTRIBUTES])
    results = processes.Queue()
    crowds = 1 if kind == "sqlite" and not options.http else 2  # SQLite is for one server, PostgreSQL for several
    with contextlib.ExitStack() as stack:
        ways = [("direct", address)] * crowds
        if options.http:
            token = store.add_program("load")
            servers = 1 if kind == "sqlite" else 2
            ports = [stack.enter_context(served.server(address, list(ATTRIBUTES), OBJECTS)) for _ in range(servers)]
            ways = [("http", (ports[n % servers], token)) for n in range(crowds)]
        share, begin = options.judges // crowds, time.time() + 6
        children = [
            processes.Process(target=crowd, args=(ways[n], n * share, share, pace, begin, options.seconds, results))
            for n in range(crowds)
        ]
        for child in children:
            child.start()
        gathered = [results.get() for _ in children]
        if None in gathered:
            raise SystemExit("a judge gave up with an error")
        tallies = [tally for each in gathered for tally in each]
        took = time.time() - begin
        for child in children:
            child.join()
    faults = problems(store, tallies)
    store.close()
    return row(kind, pace, tallies, took, faults), not any(faults)


def problems(store: Store, tallies: list[Tally]) -> tuple[int, int, int]:
    """How many were lost, doubled and over-bought; anything else that is wrong with the books is an error."""
    names = {"judge " + (worker.external or "").rsplit("judge ", 1)[-1]: worker.name for worker in store.workers()}
    kept = store.judgments()
    rows = list(zip(kept["worker"], kept["attribute"], kept["object"], strict=True))
    told = [each for tally in tallies for each in tally.acknowledged]
    said = {(names[name], attribute, thing) for name, attribute, thing in told}
    counters = store.counters()
    bought = counters["filled"] + counters["out"] + counters["open"]
    if found := store.discrepancies():
        raise SystemExit(f"the books are not in order: {found[:3]}")
    return len(said - set(rows)), len(rows) - len(set(rows)), int((bought > WANTED).sum())


def row(kind: str, pace: float, tallies: list[Tally], took: float, faults: tuple[int, int, int]) -> list[str]:
    leases = [each for tally in tallies for each in tally.leases]
    submissions = [each for tally in tallies for each in tally.submissions]
    count = sum(len(tally.acknowledged) for tally in tallies)
    return [
        kind,
        "as fast as it goes" if not pace else f"{SIZE / pace:g} judgments a second each",
        f"{count:,}",
        f"{count / took:,.0f}",
        *(f"{1000 * value:,.0f}" for times in (leases, submissions) for value in (middle(times), most(times))),
        " / ".join(str(fault) for fault in faults),
    ]


def middle(times: list[float]) -> float:
    return statistics.median(times)


def most(times: list[float]) -> float:
    """The 99th percentile."""
    return sorted(times)[int(0.99 * (len(times) - 1))]


# Ever more objects


def growth(kind: str, place: Callable[[], str], sizes: tuple[int, ...]) -> Iterator[tuple[list[str], float]]:
    """Rows of the table: times for each number of objects, and how many times those of the fewest."""
    first: list[float] = []
    for size in sizes:
        with contextlib.closing(Store.open(place())) as store:
            names = [f"object {n}" for n in range(size)]
            rare = [
                clocked(store.prepare, ATTRIBUTES, [(name, None) for name in names])[0],
                *(
                    clocked(store.order, [(name, each, n) for name in names for each in ATTRIBUTES])[0]
                    for n in (100, 99)
                ),
            ]
            times = often(store)
        first = first or times
        yield (
            [
                kind,
                f"{size:,}",
                *(f"{1000 * now:.1f} ({now / then:.1f})" for now, then in zip(times, first, strict=True)),
                *(f"{seconds:.1f}" for seconds in rare),
            ],
            times[0] / first[0],
        )


def often(store: Store) -> list[float]:
    """Median seconds of a lease, of a submission, and of a lease by somebody who has judged a lot."""
    leases, submissions, later = [], [], []
    for n in range(60):
        worker = store.enter("open", f"worker {n}").id
        seconds, batch = clocked(store.lease, worker)
        leases.append(seconds)
        submissions.append(clocked(store.submit, batch.id, worker, dict.fromkeys(range(SIZE), 1.0))[0])
    while len(later) < 25:
        seconds, batch = clocked(store.lease, worker)
        if batch is None:
            break
        later.append(seconds)
        store.submit(batch.id, worker, dict.fromkeys(range(len(batch.items)), 1.0))
    return [middle(leases[10:]), middle(submissions[10:]), middle(later[-5:])]


def clocked(work: Callable[..., Any], *given: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    found = work(*given)
    return time.perf_counter() - start, found


@contextlib.contextmanager
def databases(kind: str) -> Iterator[Callable[[], str]]:
    """Fresh databases of a kind, which write through to the disk."""
    if kind == "postgresql":
        with postgres.cluster(quick=False) as running:
            yield running.database
    else:
        with tempfile.TemporaryDirectory() as folder:
            numbers = iter(range(1000))
            yield lambda: f"sqlite:///{folder}/{next(numbers)}.db"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=("sqlite", "postgresql", "both"), default="both")
    parser.add_argument("--judges", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--http", action="store_true", help="through servers and their JSON interface")
    parser.add_argument("--only", choices=("load", "growth"), help="one of the two tables")
    options = parser.parse_args()
    kinds = ("sqlite", "postgresql") if options.store == "both" else (options.store,)
    console, well = Console(width=140), True
    if options.only != "growth":
        way = "through servers" if options.http else "at the store"
        names = ("judgments", "a second", "lease, ms", "99 %", "submit, ms", "99 %", "lost / doubled / over-bought")
        table = Table("store", "pace", *names, title=f"{options.judges} judges at once, {way}")
        for kind in kinds:
            with databases(kind) as place:
                for pace in (0.0, SIZE / 10):
                    cells, fine = load(kind, place(), options, pace)
                    table.add_row(*cells)
                    well = well and fine
        console.print(table)
    if options.only != "load":
        names = ("lease, ms (times the first)", "submit, ms", "lease by one who judged much, ms")
        table = Table("store", "objects", *names, "prepare, s", "order, s", "order anew, s", title="Ever more objects")
        for kind in kinds:
            with databases(kind) as place:
                for cells, times in growth(kind, place, SIZES):
                    table.add_row(*cells)
                    well = well and times <= FLAT
        console.print(table)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
