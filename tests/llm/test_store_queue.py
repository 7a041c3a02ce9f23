"""One model's calls in the store of its study: claimed, answered, put back, and kept while somebody is at them."""

from __future__ import annotations

import time

import pytest

from manyjudges.exceptions import StoreError
from manyjudges.llm.store_queue import StoreCallQueue
from manyjudges.store.store import Store
from tests.support.llm_study import MODELS, llm_study
from tests.support.messages import refused

TWO = MODELS + '[[models]]\nname = "large"\nmodel = "tiny-2"\nprice_in = 5.0\nprice_out = 5.0\n'
LETTERS = {"letter 0", "letter 1", "letter 2"}


@pytest.fixture
def opened(tmp_path):
    """Opens the store of a study about three letters, with one judgment of their tone by each model ordered."""
    stores = []

    def opened(llm="", folder=tmp_path / "study"):
        study, records = llm_study(folder, llm=llm, models=TWO)
        stores.append(store := Store.open(study.database_address))
        judges = {column.name: column.judge for column in study.columns}
        store.prepare(study.costs, [(record.name, record.label) for record in records], judges=judges)
        store.order([(record.name, f"tone @ {name}", 1) for record in records for name in ("small", "large")])
        return store, study

    yield opened
    for store in stores:
        store.close()


def queue_of(store, study, name="small", **options):
    return StoreCallQueue(store, study, study.model(name), **options)


def states(store):
    return store.call_log.to_frame()["state"].tolist()


def test_a_model_s_queue_has_its_own_calls_and_no_others(opened):
    store, study = opened()
    with queue_of(store, study) as small, queue_of(store, study, "large") as large:
        mine, others = small.claim(2), large.claim(9)
        assert {call.column for call in mine} == {"tone @ small"}
        assert ({call.column for call in others}, {call.object for call in others}) == ({"tone @ large"}, LETTERS)
        assert len(mine) == 2
        assert {call.object for call in mine + small.claim(9)} == LETTERS
        assert small.claim(9) == []
    assert {worker.name for worker in store.workers()} == {"small", "large"}


def test_an_answer_is_a_judgment_at_what_all_its_calls_were_paid(opened):
    store, study = opened()
    with queue_of(store, study) as queue:
        (call,) = queue.claim(1)
        second = queue.replied(call, "unreadable", tokens_in=10, tokens_out=3, paid=0.02, text="hm", again=True)
        assert (second.object, second.attempt) == (call.object, 2)
        assert queue.replied(second, "answered", value=5.0, tokens_in=10, tokens_out=1, paid=0.01) is None
        assert queue.money() == (pytest.approx(0.03), None)
        with refused(StoreError, value=second.id, column="call"):
            queue.replied(second, "answered", value=5.0)
    (row,) = store.judgments().to_dict("records")
    assert (row["object"], row["attribute"], row["worker"], row["value"]) == (call.object, "tone @ small", "small", 5.0)
    calls = store.call_log.to_frame()
    assert calls["said"].tolist() == ["hm", ""]
    assert (calls["tokens_in"].sum(), calls["tokens_out"].sum()) == (20, 4)
    assert store.discrepancies() == []


def test_a_call_that_nothing_came_of_is_open_again_and_costs_nothing(opened):
    store, study = opened()
    with queue_of(store, study) as queue:
        (call,) = queue.claim(1)
        queue.failed(call, "no connection")
        assert queue.money() == (0.0, None)
        assert {each.object for each in queue.claim(9)} == LETTERS
    assert store.discrepancies() == []


def test_the_limit_is_that_of_the_study_over_all_its_models(opened):
    store, study = opened(llm="spending_limit = 0.05")
    with queue_of(store, study) as small, queue_of(store, study, "large") as large:
        (call,) = small.claim(1)
        small.replied(call, "answered", value=4.0, paid=0.04)
        (call,) = large.claim(1)
        large.replied(call, "answered", value=4.0, paid=0.02)
        assert small.money() == large.money() == (pytest.approx(0.06), 0.05)
        assert small.claim(1) == large.claim(1) == []


def test_calls_stay_claimed_while_their_queue_is_open_and_no_longer(opened):
    """After a crash, that is: whoever closes a queue has answered or put back what it claimed."""
    store, study = opened()
    with queue_of(store, study, seconds=1.6) as queue:
        queue.claim(2)
        time.sleep(2.4)
        assert store.expire() == 0
        assert states(store) == ["out", "out"]
    deadline = time.monotonic() + 90
    while store.expire() == 0 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert states(store) == ["lost", "lost"]
    with queue_of(store, study) as queue:
        assert len(queue.claim(9)) == 3


def test_what_was_answered_is_not_kept_out_any_longer(opened):
    store, study = opened()
    with queue_of(store, study, seconds=1.6) as queue:
        first, second, third = queue.claim(3)
        queue.replied(first, "answered", value=4.0)
        queue.failed(second, "gone")
        again = queue.replied(third, "refused", again=True)
        time.sleep(2.4)
        assert store.expire() == 0
        assert queue.replied(again, "answered", value=1.0) is None
    assert sorted(store.judgments()["value"]) == [1.0, 4.0]
    assert store.call_log.count_in_flight(["small"]) == 0
    assert store.discrepancies() == []
