"""Any order of events: a store says after each one what its plain twin says."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.support.plain_store import PlainStore

PRICES = {"round": 1.0, "beans": 2.5}
OBJECTS = ["jar 1", "jar 2", "jar 3", "jar 4", "jar 5"]
VALUES = st.sampled_from([None, 0.0, 1.0])
WORKERS = st.integers(0, 3)
COUNTERS = ("filled", "have", "out", "open", "cant_tell")


class Machine(RuleBasedStateMachine):
    """Workers, a researcher and time, at a store that :meth:`empty` gives, with its clock."""

    @classmethod
    def empty(cls):
        raise NotImplementedError

    @initialize(counts=st.lists(st.integers(0, 3), min_size=10, max_size=10))
    def begin(self, counts):
        self.store, self.clock = self.empty()
        self.store.prepare(PRICES, [(name, None) for name in OBJECTS])
        self.twin = PlainStore(PRICES, OBJECTS)
        self.workers = [self.store.enter("open", f"worker {n}").id for n in range(4)]
        self.order(counts)

    def teardown(self):
        if hasattr(self, "twin"):
            self.the_books_are_those_of_the_twin()

    @rule(worker=WORKERS, size=st.integers(1, 4), attribute=st.sampled_from([None, *PRICES]))
    def lease(self, worker, size, attribute):
        who = self.workers[worker]
        got = self.store.lease(who, size=size, minutes=10, attribute=attribute)
        self.twin.lease(who, got, self.clock.now, size, attribute)

    @precondition(lambda self: self.twin.leases)
    @rule(data=st.data())
    def submit(self, data):
        """All or some of a batch, whatever became of it; or of one that was handed in before, again or otherwise."""
        key = data.draw(st.sampled_from(sorted(self.twin.leases, key=list(self.twin.leases).index)))
        lease = self.twin.leases[key]
        answers = data.draw(st.dictionaries(st.integers(0, len(lease.objects) - 1), VALUES))
        assert self.store.submit(key, lease.worker, answers) == self.twin.submit(key, answers)
        again = self.store.submit(key, lease.worker, answers)
        assert (again.accepted, again.corrected, again.returned, again.earned) == (0, 0, 0, 0.0)
        self.twin.submit(key, answers)

    @precondition(lambda self: self.twin.leases)
    @rule(data=st.data())
    def release(self, data):
        key = data.draw(st.sampled_from(list(self.twin.leases)))
        lease = self.twin.leases[key]
        assert self.store.release(key, lease.worker) == (lease.state == "out")
        if lease.state == "out":
            self.twin.end(key, "released")

    @precondition(lambda self: self.twin.leases)
    @rule(data=st.data(), minutes=st.sampled_from([1, 30]))
    def extend(self, data, minutes):
        key = data.draw(st.sampled_from(list(self.twin.leases)))
        lease = self.twin.leases[key]
        assert self.store.extend(key, lease.worker, minutes) == (lease.state == "out")
        if lease.state == "out":
            lease.expires = self.clock.now + 60 * minutes

    @rule(minutes=st.sampled_from([1, 11]))
    def wait(self, minutes):
        self.clock.wait(minutes=minutes)

    @rule()
    def expire(self):
        assert self.store.expire() == self.twin.expire(self.clock.now)

    @rule(counts=st.lists(st.integers(0, 3), min_size=10, max_size=10))
    def order(self, counts):
        pairs = [(name, attribute) for name in OBJECTS for attribute in PRICES]
        requests = {pair: n for pair, n in zip(pairs, counts, strict=True) if n and pair[0] in self.twin.active}
        self.store.order([(*pair, n) for pair, n in requests.items()])
        self.twin.order(requests)

    @rule(objects=st.lists(st.sampled_from(OBJECTS), unique=True, min_size=2))
    def prepare(self, objects):
        self.store.prepare(PRICES, [(name, None) for name in objects])
        self.twin.prepare(objects)

    @rule()
    def give_up(self):
        self.store.give_up()
        self.twin.give_up()

    @rule()
    def pause_or_resume(self):
        (self.store.resume if self.twin.paused else self.store.pause)()
        self.twin.paused = not self.twin.paused

    @rule(worker=WORKERS)
    def withdraw(self, worker):
        """And enter anew, as somebody that nobody knows."""
        assert self.store.withdraw(self.workers[worker]) == self.twin.withdraw(self.workers[worker])
        self.workers[worker] = self.store.enter("open", f"worker {worker}").id

    @rule(worker=WORKERS)
    def whether_work_is_left(self, worker):
        who = self.workers[worker]
        left = (self.twin.open() + self.twin.out()).keys() - self.twin.answered(who)
        assert self.store.work_left(who) == bool(left)

    @invariant()
    def counters_are_those_of_the_twin(self):
        if not hasattr(self, "twin"):
            return
        rows = self.store.counters().to_dict("records")
        found = {(row["object"], row["attribute"]): {name: row[name] for name in COUNTERS if row[name]} for row in rows}
        assert {pair: counts for pair, counts in found.items() if counts} == self.twin.counters()
        dry = {pair for pair in self.twin.dry if pair[0] in self.twin.active}
        assert {(row["object"], row["attribute"]) for row in rows if row["dry"]} == dry

    def the_books_are_those_of_the_twin(self):
        assert self.store.discrepancies() == []
        rows = self.store.ledger()
        found = zip(rows["object"], rows["attribute"], rows["kind"], rows["cost"], strict=True)
        assert sorted(found) == sorted((*row.pair, row.kind, row.cost) for row in self.twin.rows)
        spent = self.store.spending()["spent"]
        assert spent == sum(row.cost for row in self.twin.rows) == sum(worker.earned for worker in self.store.workers())


@pytest.mark.slow
def test_any_order_of_events(kept_stores, kind):
    def empty(cls):
        return kept_stores.empty(kind), kept_stores.clock

    examples = 45 if kind == "sqlite" else 10  # servers take longer
    machine = type("Here", (Machine,), {"empty": classmethod(empty)})
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=25))
