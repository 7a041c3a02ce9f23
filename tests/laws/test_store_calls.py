"""Calls of models: whatever comes back and in whatever order, exactly what was ordered is judged, and paid once."""

from __future__ import annotations

import threading
from importlib.resources import files

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
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

from manyjudges.exceptions import StoreError
from manyjudges.store.records import Reply
from manyjudges.store.store import Store
from tests.support.messages import refused
from tests.support.stores import order

COLUMNS = {"tone @ big": 1.0, "tone @ small": 0.5, "warmth": 2.0}
JUDGES = {"tone @ big": "big", "tone @ small": "small"}
MAILS = ["mail 1", "mail 2", "mail 3"]
UNIT = 0.01
OUT = 100.0


@pytest.fixture
def panel(store):
    """A store with two models' columns and one of people's."""
    store.prepare(COLUMNS, [(name, None) for name in MAILS], judges=JUDGES)
    return store


@pytest.fixture
def big(panel):
    return panel.enter("model", "big")


def ordered(store, count, *columns):
    store.order([(mail, column, count) for mail in MAILS for column in columns or COLUMNS])


def claim(store, worker, most=1, **how):
    return store.call_log.claim(worker.id, most, **{"seconds": OUT, **how})


def reply(store, call, value=None, *, outcome="answered", paid=0.0, **how):
    return store.call_log.replied(call, Reply(outcome, value, paid=paid), **{"unit": UNIT, **how})


def test_a_model_may_judge_a_pair_again_and_people_not_at_all(panel, big):
    ordered(panel, 2)
    assert panel.lease(panel.enter("open", "ann").id).attribute == "warmth"
    for value in range(6):
        (call,) = claim(panel, big)
        assert call.column == "tone @ big"
        assert reply(panel, call, float(value)) is None
    assert claim(panel, big) == []
    found = panel.judgments()
    assert sorted(found["worker"].unique()) == ["big", "big #2"]
    assert found.groupby("object").size().to_dict() == dict.fromkeys(MAILS, 2)
    assert panel.discrepancies() == []


def test_people_have_no_work_left_where_only_models_have(panel):
    ordered(panel, 1, "tone @ big")
    ann = panel.enter("open", "ann")
    assert panel.lease(ann.id) is None
    assert not panel.work_left(ann.id)
    with refused(StoreError, value="tone @ big", column="attribute"):
        panel.lease(ann.id, attribute="tone @ big")


def test_a_model_without_columns_of_its_own_takes_those_of_everybody(panel):
    ordered(panel, 1)
    (call,) = claim(panel, panel.enter("model", "other"))
    assert call.column == "warmth"


def test_what_was_paid_for_tries_is_part_of_what_the_judgment_cost(panel, big):
    ordered(panel, 1, "tone @ big")
    (call,) = claim(panel, big)
    second = reply(panel, call, outcome="refused", paid=0.02, again=OUT)
    assert (second.attempt, second.object) == (2, call.object)
    third = reply(panel, second, outcome="unreadable", paid=0.03, again=OUT)
    reply(panel, third, 4.0, paid=0.01)
    (row,) = panel.ledger().to_dict("records")
    assert (row["kind"], row["value"], row["cost"]) == ("answer", 4.0, pytest.approx(6.0))
    assert panel.call_log.paid() == pytest.approx(0.06)
    assert panel.call_log.to_frame()["state"].tolist() == ["refused", "unreadable", "answered"]
    assert panel.discrepancies() == []


def test_what_is_never_answered_is_recorded_as_such(panel, big):
    ordered(panel, 1, "tone @ big")
    (call,) = claim(panel, big)
    reply(panel, call, outcome="refused", paid=0.02)
    (row,) = panel.ledger().to_dict("records")
    assert (row["kind"], row["cost"]) == ("cant_tell", pytest.approx(2.0))
    assert panel.judgments().empty
    assert panel.progress().set_index("attribute").loc["tone @ big", "cant_tell"] == 1


def test_a_free_judgment_costs_what_the_study_says(panel, big):
    ordered(panel, 1, "tone @ big")
    (call,) = claim(panel, big)
    reply(panel, call, 1.0)
    assert panel.ledger()["cost"].tolist() == [1.0]


def test_a_failed_call_goes_back_and_costs_nothing(panel, big):
    ordered(panel, 1, "tone @ big")
    (call,) = claim(panel, big)
    panel.call_log.failed(call, "no answer")
    panel.call_log.failed(call, "no answer")
    assert panel.progress().set_index("attribute").loc["tone @ big", ["open", "out"]].tolist() == [3, 0]
    assert panel.call_log.paid() == 0


def test_a_crash_gives_calls_back_after_their_time(panel, big, clock):
    ordered(panel, 1, "tone @ big")
    calls = claim(panel, big, 3)
    assert not panel.idle
    clock.wait(minutes=1)
    assert panel.expire() == 0
    clock.wait(minutes=1)
    assert panel.expire() == 3
    again = claim(panel, big, 5)
    assert {call.object for call in again} == set(MAILS)
    reply(panel, calls[0], 1.0, paid=0.02)  # it came after all: paid, but not needed
    assert panel.call_log.to_frame()["state"].tolist()[:3] == ["late", "lost", "lost"]
    for call in again:
        reply(panel, call, 2.0, paid=0.01)
    assert panel.judgments()["value"].tolist() == [2.0] * 3
    assert panel.ledger()["cost"].sum() == pytest.approx(5.0)  # the late one, too, is somebody's cost
    assert panel.idle
    assert panel.discrepancies() == []


def test_calls_that_somebody_is_at_stay_out(panel, big, clock):
    ordered(panel, 1, "tone @ big")
    calls = claim(panel, big, 2)
    clock.wait(minutes=1)
    panel.call_log.keep([calls[0].id], OUT)
    clock.wait(minutes=1)
    assert panel.expire() == 1
    assert panel.call_log.count_in_flight(["big"]) == 1
    assert panel.call_log.count_in_flight(["small"]) == 0
    panel.call_log.keep([calls[1].id], OUT)  # too late: it was given back
    assert panel.call_log.to_frame()["state"].tolist() == ["out", "lost"]


def test_a_reply_is_taken_once(panel, big):
    ordered(panel, 1, "tone @ big")
    (call,) = claim(panel, big)
    reply(panel, call, 1.0, paid=0.01)
    with refused(StoreError, value=call.id, column="call", varying=r"\d+"):  # a store that was used before counts on
        reply(panel, call, 1.0, paid=0.01)
    assert panel.call_log.paid() == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("given", "column"),
    [
        (Reply("odd"), "outcome"),
        (Reply("answered"), "value"),
        (Reply("refused", 1.0), "value"),
        (Reply("answered", float("nan")), "value"),
        (Reply("answered", 1.0, paid=-1.0), "paid"),
    ],
)
def test_a_reply_that_makes_no_sense_is_refused_and_changes_nothing(panel, big, given, column):
    ordered(panel, 1, "tone @ big")
    (call,) = claim(panel, big)
    with refused(StoreError, column=column):
        panel.call_log.replied(call, given, unit=UNIT)
    assert panel.call_log.to_frame()["state"].tolist() == ["out"]


def test_no_call_is_made_that_the_limit_may_not_pay_for(panel, big):
    ordered(panel, 4, "tone @ big")
    (call,) = claim(panel, big, limit=0.10)
    reply(panel, call, 1.0, paid=0.03)
    assert len(claim(panel, big, 9, limit=0.10)) == 2  # 0.03 spent, 0.06 may be
    assert claim(panel, big, 9, limit=0.10) == []
    assert claim(panel, big, 1, limit=0.13) != []


def test_no_further_try_is_made_beyond_the_limit_and_the_judgment_goes_back(panel, big):
    ordered(panel, 1, "tone @ big")
    (call,) = claim(panel, big, limit=0.05)
    assert reply(panel, call, outcome="unreadable", paid=0.04, again=OUT, limit=0.05) is None
    assert panel.progress().set_index("attribute").loc["tone @ big", ["open", "out"]].tolist() == [3, 0]
    assert panel.ledger().empty
    for _ in MAILS:
        (call,) = claim(panel, big)
        reply(panel, call, 1.0, paid=0.01)
    assert panel.ledger()["cost"].sum() == pytest.approx(7.0)  # what was paid before is the cost of the later one
    assert panel.call_log.to_frame()["judgment"].notna().all()


def test_a_paused_or_closed_study_calls_nobody(panel, big):
    ordered(panel, 1)
    panel.pause()
    assert claim(panel, big) == []
    panel.resume()
    assert len(claim(panel, big)) == 1
    panel.shut()
    assert claim(panel, big) == []


def test_models_cost_what_they_came_to(panel, big):
    ordered(panel, 1)
    for value, paid in ((1.0, 0.02), (None, 0.03), (2.0, 0.01)):
        (call,) = claim(panel, big)
        reply(panel, call, value, outcome="refused" if value is None else "answered", paid=paid)
    panel.call_log.reprice()
    assert panel.costs() == {"tone @ big": pytest.approx(3.0), "tone @ small": 0.5, "warmth": 2.0}
    panel.prepare(COLUMNS, [(name, None) for name in MAILS], judges=JUDGES)  # the study's guess is not put back
    assert panel.costs()["tone @ big"] == pytest.approx(3.0)
    with refused(StoreError, value="warmth", column="attributes"):
        panel.prepare(COLUMNS | {"warmth": 1.0}, [(name, None) for name in MAILS], judges=JUDGES)


def test_a_model_is_known_by_its_name_and_comes_back_after_a_withdrawal(panel, big):
    assert (big.name, panel.find_worker("big").id) == ("big", big.id)
    ordered(panel, 1, "tone @ big")
    (call,) = claim(panel, big)
    reply(panel, call, 1.0)
    assert panel.withdraw(big.id) == 1
    again = panel.enter("model", "big")
    assert again.id != big.id
    assert again.name.startswith("w")
    assert panel.enter("model", "m" * 60).name.startswith("w")


def test_processes_claim_no_call_twice(panel, other, big):
    ordered(panel, 40, "tone @ big")
    found, lock = [], threading.Lock()

    def work(store):
        while calls := claim(store, big, 3):
            with lock:
                found.extend(call.id for call in calls)
            for call in calls:
                reply(store, call, 1.0, paid=0.01)

    threads = [threading.Thread(target=work, args=(store,)) for store in (panel, other, panel, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(set(found)) == 120
    assert panel.judgments().groupby("object").size().to_dict() == dict.fromkeys(MAILS, 40)
    assert panel.call_log.paid() == pytest.approx(1.20)
    assert panel.discrepancies() == []


class Machine(RuleBasedStateMachine):
    """Two models, time and a researcher who orders; the twin counts on its fingers."""

    @classmethod
    def empty(cls):
        raise NotImplementedError

    @initialize(count=st.integers(0, 3))
    def begin(self, count):
        self.store, self.clock = self.empty()
        self.store.prepare(COLUMNS, [(name, None) for name in MAILS], judges=JUDGES)
        self.models = [self.store.enter("model", name) for name in ("big", "small")]
        self.flying: list = []
        self.gone: list = []
        self.values = self.unknown = 0
        self.paid = 0.0
        self.order(count)

    @rule(count=st.integers(0, 3))
    def order(self, count):
        self.store.order([(mail, column, count) for mail in MAILS for column in JUDGES])

    @rule(model=st.integers(0, 1), most=st.integers(1, 4))
    def claim(self, model, most):
        open_before = self.store.progress().set_index("attribute")["open"]
        calls = claim(self.store, self.models[model], most)
        column = list(JUDGES)[model]
        # at most one call a pair at once
        assert min(most, 1 if open_before[column] else 0) <= len(calls) <= min(most, open_before[column])
        self.flying += calls

    @precondition(lambda self: self.flying)
    @rule(data=st.data(), outcome=st.sampled_from(["answered", "refused", "unreadable", "failed"]), more=st.booleans())
    def reply(self, data, outcome, more):
        call = self.flying.pop(data.draw(st.integers(0, len(self.flying) - 1)))
        if outcome == "failed":
            self.store.call_log.failed(call, "gone")
            return
        again = OUT if more and outcome != "answered" else None
        following = reply(
            self.store, call, 1.0 if outcome == "answered" else None, outcome=outcome, paid=0.01, again=again
        )
        self.paid += 0.01
        if following is not None:
            self.flying.append(following)
        else:
            self.values += outcome == "answered"
            self.unknown += outcome != "answered"

    @rule()
    def crash(self):
        self.clock.wait(minutes=2)
        assert self.store.expire() == len(self.flying)
        self.gone += self.flying
        self.flying = []

    @precondition(lambda self: self.gone)
    @rule()
    def come_late(self):
        assert reply(self.store, self.gone.pop(), 1.0, paid=0.01) is None
        self.paid += 0.01

    @invariant()
    def the_books_are_in_order(self):
        assert self.store.discrepancies() == []
        progress = self.store.progress()
        assert progress["out"].sum() == len(self.flying)
        assert progress["have"].sum() == self.values == len(self.store.judgments())
        assert progress["cant_tell"].sum() == self.unknown
        assert self.store.call_log.paid() == pytest.approx(self.paid)


@pytest.mark.slow
def test_any_order_of_events_leaves_the_books_in_order(kept_stores, kind):
    class Here(Machine):
        @classmethod
        def empty(cls):
            return kept_stores.empty(kind), kept_stores.clock

    examples = 12 if kind == "sqlite" else 6
    run_state_machine_as_test(Here, settings=settings(max_examples=examples, stateful_step_count=25, deadline=None))


def test_a_database_of_the_first_version_goes_on(places):
    address = places.empty()
    engine = sa.create_engine(address)
    config = Config()
    config.set_main_option("script_location", str(files("manyjudges.store") / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.execute(
            sa.text("INSERT INTO attributes (id, name, cost) VALUES (1, 'round', 1.0), (2, 'beans', 2.5)")
        )
        connection.execute(
            sa.text("INSERT INTO objects (id, name, label, place, active) VALUES (1, 'jar 1', 3.0, 0, true)")
        )
        connection.execute(
            sa.text(
                "INSERT INTO workers (id, name, source, external, details, entered_at, judged, batches, earned) "
                "VALUES (1, 'wann', 'open', 'ann', '{}', 0, 1, 0, 1.0)"
            )
        )
        connection.execute(
            sa.text(
                "INSERT INTO judgments (id, at, worker_id, object_id, attribute_id, kind, value, cost) "
                "VALUES (1, 0, 1, 1, 1, 'answer', 1.0, 1.0)"
            )
        )
        connection.execute(
            sa.text(
                'INSERT INTO pairs (attribute_id, object_id, place, "open", "out", filled, have, cant_tell, dry) '
                "VALUES (1, 1, 0, 0, 0, 1, 1, 0, false)"
            )
        )
    engine.dispose()
    store = Store.open(address)
    assert store.judgments().to_dict("records") == [
        {"object": "jar 1", "attribute": "round", "worker": "wann", "value": 1.0}
    ]
    store.prepare({"round": 1.0, "beans": 2.5}, [("jar 1", 3.0)])
    order(store, 2)
    assert store.progress()["open"].sum() > 0
    assert store.call_log.to_frame().empty
    assert store.discrepancies() == []
    store.close()
