"""A store's twin in plain Python: everything is counted anew from what happened; no counters, no transactions."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from manyjudges.store.records import Batch, Receipt

Pair = tuple[str, str]


@dataclass
class Lease:
    worker: int
    attribute: str
    objects: list[str]
    expires: float
    state: str = "out"
    handed_in: bool = False
    items: list[str] = field(default_factory=list)


@dataclass
class Row:
    worker: int
    pair: Pair
    kind: str
    value: float | None
    cost: float
    replaces: int | None = None


class PlainStore:
    """What a store should say."""

    def __init__(self, prices: dict[str, float], objects: list[str]) -> None:
        self.prices, self.active = prices, set(objects)
        self.ordered: Counter[Pair] = Counter()  # judgments that are still to come, those that are out among them
        self.rows: list[Row] = []
        self.leases: dict[str, Lease] = {}
        self.withdrawn: set[int] = set()
        self.dry: set[Pair] = set()
        self.paused = False

    # What is

    def out(self) -> Counter[Pair]:
        return Counter(
            (thing, lease.attribute)
            for lease in self.leases.values()
            for thing, state in zip(lease.objects, lease.items, strict=True)
            if state == "out"
        )

    def open(self) -> Counter[Pair]:
        out = self.out()
        return Counter({pair: n - out[pair] for pair, n in self.ordered.items() if n > out[pair]})

    def last(self) -> dict[tuple[int, Pair], int]:
        """The number of each worker's last row about each pair."""
        return {(row.worker, row.pair): number for number, row in enumerate(self.rows)}

    def counters(self) -> dict[Pair, dict[str, Any]]:
        out, open_ = self.out(), self.open()
        have, unknown, filled = Counter[Pair](), Counter[Pair](), Counter[Pair]()
        for number in self.last().values():
            row = self.rows[number]
            if row.kind != "withdrawal":
                (have if row.value is not None else unknown)[row.pair] += 1
        for row in self.rows:
            filled[row.pair] += row.replaces is None
        found: dict[Pair, dict[str, Any]] = defaultdict(dict)
        for name, counts in (("filled", filled), ("have", have), ("out", out), ("open", open_), ("cant_tell", unknown)):
            for pair, count in counts.items():
                if count and pair[0] in self.active:
                    found[pair][name] = count
        return dict(found)

    def held(self, worker: int) -> str | None:
        return next(
            (key for key, lease in self.leases.items() if lease.worker == worker and lease.state == "out"), None
        )

    def answered(self, worker: int) -> set[Pair]:
        return {row.pair for row in self.rows if row.worker == worker}

    # What happens

    def expire(self, now: float) -> int:
        ended = [key for key, lease in self.leases.items() if lease.state == "out" and lease.expires < now]
        for key in ended:
            self.end(key, "expired")
        return len(ended)

    def end(self, key: str, state: str) -> None:
        lease = self.leases[key]
        lease.items = ["returned" if each == "out" else each for each in lease.items]
        lease.state = state

    def lease(self, worker: int, got: Batch | None, now: float, size: int, attribute: str | None) -> None:
        """Check what a worker got, and keep it in mind."""
        held = self.held(worker)
        if held is not None and self.leases[held].expires >= now:
            assert got is not None
            assert got.id == held
            return
        self.expire(now)
        open_, answered = self.open(), self.answered(worker)
        choice = Counter(a for (_, a), n in open_.items() for _ in range(n > 0) if attribute in (None, a))
        for _, name in answered & open_.keys():
            choice[name] -= attribute in (None, name)
        if got is None:
            assert self.paused or worker in self.withdrawn or not any(choice.values())
            return
        assert not self.paused
        assert worker not in self.withdrawn
        names = [item.object for item in got.items]
        assert len(set(names)) == len(names) == min(size, choice[got.attribute])
        for name in names:
            assert open_[name, got.attribute] > 0
            assert (name, got.attribute) not in answered
            assert name in self.active
        self.leases[got.id] = Lease(worker, got.attribute, names, got.expires_at, items=["out"] * len(names))

    def submit(self, key: str, answers: dict[int, float | None]) -> Receipt:
        lease, last = self.leases[key], self.last()
        accepted = repeated = corrected = late = 0
        for position, value in answers.items():
            pair = (lease.objects[position], lease.attribute)
            number = last.get((lease.worker, pair))
            if number is not None:
                row = self.rows[number]
                if row.kind == "withdrawal" or row.value == value:
                    repeated += 1
                else:
                    corrected += 1
                    self.rows.append(Row(lease.worker, pair, "correction", value, 0.0, number))
            elif lease.worker in self.withdrawn or (lease.items[position] != "out" and self.open()[pair] <= 0):
                late += 1
            else:
                accepted += 1
                kind = "cant_tell" if value is None else "answer"
                self.rows.append(Row(lease.worker, pair, kind, value, self.prices[lease.attribute]))
                self.ordered[pair] = max(self.ordered[pair] - 1, 0)
                lease.items[position] = "answered"
        returned = lease.items.count("out")
        self.end(key, lease.state if lease.handed_in else "done")
        lease.handed_in = True
        return Receipt(accepted, repeated, corrected, late, returned, accepted * self.prices[lease.attribute])

    def order(self, requests: dict[Pair, int]) -> None:
        counters = self.counters()
        self.ordered = Counter(
            {pair: max(n - counters.get(pair, {}).get("have", 0), 0) for pair, n in requests.items()}
        )

    def prepare(self, objects: list[str]) -> None:
        for pair in list(self.ordered):
            if pair[0] in self.active and pair[0] not in objects:
                self.ordered[pair] = 0
        self.active = set(objects)

    def give_up(self) -> None:
        for pair, count in self.open().items():
            if count > 0:
                self.dry.add(pair)
                self.ordered[pair] = 0

    def withdraw(self, worker: int) -> int:
        for key, lease in self.leases.items():
            if lease.worker == worker and lease.state == "out":
                self.end(key, "released")
        gone = [n for (who, _), n in self.last().items() if who == worker and self.rows[n].kind != "withdrawal"]
        self.rows += [Row(worker, self.rows[n].pair, "withdrawal", None, 0.0, n) for n in gone]
        self.withdrawn.add(worker)
        return len(gone)
