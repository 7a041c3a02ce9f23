"""Judgments that were collected elsewhere, taken into a store, on every database."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manyjudges.exceptions import StoreError
from tests.support.messages import refused
from tests.support.stores import in_order, order

COLUMNS = {"tone @ big": 1.0, "warmth": 2.0}
MAILS = ["mail 1", "mail 2", "mail 3"]
ROWS = [("mail 1", "warmth", "ann", 3.0), ("mail 2", "warmth", "ann", 4.0), ("mail 1", "warmth", "bob", 5.0)]


@pytest.fixture
def panel(store):
    """A store with a model's column and one of people's."""
    store.prepare(COLUMNS, [(name, None) for name in MAILS], judges={"tone @ big": "big"})
    return store


def test_judgments_from_elsewhere_are_there_once_however_often_they_are_taken(panel):
    taken = panel.take_in("mturk", ROWS)
    assert (taken.added, taken.repeated, taken.corrected, taken.workers) == (3, 0, 0, 2)
    again = panel.take_in("mturk", ROWS)
    assert (again.added, again.repeated, again.workers) == (0, 3, 0)
    found = panel.judgments()
    names = {panel.find_worker(name).name: name for name in ("ann", "bob")}
    assert [(row.object, row.attribute, names[row.worker], row.value) for row in found.itertuples()] == ROWS
    assert panel.spending()["spent"] == 0
    assert panel.discrepancies() == []


def test_what_came_from_elsewhere_need_not_be_bought(panel):
    order(panel, 2, attributes=["warmth"])
    panel.take_in("mturk", ROWS)
    assert panel.progress().set_index("attribute").loc["warmth", ["have", "open"]].tolist() == [3, 3]
    order(panel, 2, attributes=["warmth"])
    assert panel.progress().set_index("attribute").loc["warmth", "open"] == 3


def test_work_that_is_out_is_not_wanted_twice_when_its_judgment_came_from_elsewhere(panel):
    order(panel, 1, attributes=["warmth"])
    cat = panel.enter("open", "cat")
    batch = panel.lease(cat.id)
    panel.take_in("mturk", ROWS)
    panel.release(batch.id, cat.id)
    assert panel.progress().set_index("attribute").loc["warmth", ["have", "open", "out"]].tolist() == [3, 1, 0]
    assert panel.discrepancies() == []


def test_another_word_of_the_same_worker_corrects_the_first(panel):
    panel.take_in("mturk", ROWS)
    taken = panel.take_in("mturk", [("mail 1", "warmth", "ann", 1.0)])
    assert (taken.added, taken.corrected) == (0, 1)
    assert sorted(panel.judgments()["value"]) == [1.0, 4.0, 5.0]
    assert panel.discrepancies() == []


def test_judgments_from_elsewhere_may_be_paid_here(panel):
    panel.take_in("mturk", ROWS, paid=True)
    assert panel.spending()["spent"] == 6.0
    assert panel.discrepancies() == []


def test_workers_who_are_blocked_bring_nothing(panel):
    panel.block(panel.enter("mturk", "ann").id)
    taken = panel.take_in("mturk", ROWS)
    assert (taken.added, taken.refused) == (1, 2)


@pytest.mark.parametrize(
    ("row", "value", "column"),
    [
        (("mail 9", "warmth", "ann", 1.0), "mail 9", "objects"),
        (("mail 1", "tone", "ann", 1.0), "tone", "attributes"),
        (("mail 1", "tone @ big", "ann", 1.0), "tone @ big", "attributes"),
    ],
    ids=["object", "attribute", "judge"],
)
def test_what_the_study_is_not_about_is_refused_whole(panel, row, value, column):
    with refused(StoreError, value=value, column=column):
        panel.take_in("mturk", [*ROWS, row])
    assert panel.judgments().empty
    assert panel.workers() == []


# Databases from before there were models


def test_where_only_models_judge_nothing_can_be_taken_in(store):
    store.prepare({"tone @ big": 1.0}, [(name, None) for name in MAILS], judges={"tone @ big": "big"})
    with refused(StoreError):
        store.take_in("mturk", [("mail 1", "tone", "ann", 1.0)])


def test_nothing_is_nothing(panel):
    taken = panel.take_in("mturk", [])
    assert (taken.added, taken.repeated, taken.corrected, taken.refused, taken.workers) == (0,) * 5


def test_the_same_name_from_elsewhere_is_somebody_else(panel):
    panel.take_in("mturk", ROWS[:1])
    assert panel.take_in("prolific", ROWS[:1]).workers == 1
    assert len(panel.judgments()) == 2
    assert panel.take_in("mturk", ROWS[:1]).repeated == 1


def test_an_answer_from_elsewhere_takes_the_place_of_one_that_could_not_be_told(panel):
    ann = panel.enter("mturk", "ann")
    order(panel, 1, ["mail 1"], ["warmth"])
    batch = panel.lease(ann.id)
    panel.submit(batch.id, ann.id, {0: None})
    taken = panel.take_in("mturk", ROWS[:1])
    assert (taken.added, taken.corrected) == (0, 1)
    assert panel.progress().set_index("attribute").loc["warmth", ["have", "cant_tell"]].tolist() == [1, 0]
    assert in_order(panel)


taken_rows = st.lists(
    st.tuples(st.sampled_from(MAILS), st.just("warmth"), st.sampled_from(["ann", "bob"]), st.sampled_from([1.0, 2.0])),
    max_size=8,
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(times=st.lists(st.tuples(taken_rows, st.booleans()), min_size=1, max_size=3))
def test_what_is_taken_in_is_what_a_plain_table_keeps(kept_stores, kind, times):
    store = kept_stores.empty(kind)
    store.prepare(COLUMNS, [(name, None) for name in MAILS], judges={"tone @ big": "big"})
    kept, spent = {}, 0.0
    for rows, paid in times:
        before = dict(kept)
        now = {(worker, thing): value for thing, _, worker, value in rows}  # the last word counts
        kept |= now
        taken = store.take_in("file", rows, paid=paid)
        assert taken.added == len(kept) - len(before)
        assert taken.corrected == sum(pair in before and before[pair] != value for pair, value in now.items())
        assert taken.added + taken.corrected + taken.repeated == len(now)
        spent += 2.0 * taken.added * paid
    names = {worker.name: worker.external for worker in store.workers()}
    found = Counter((names[row.worker], row.object, row.value) for row in store.judgments().itertuples())
    assert found == Counter((worker, thing, value) for (worker, thing), value in kept.items())
    assert store.spending()["spent"] == spent
    assert store.discrepancies() == []
