"""Counters of pairs are changed at once, in one order, and leave no debts."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from manyjudges.store.pair_counts import MOST_NAMED, Changes, lock, portions
from manyjudges.store.schema import pairs
from tests.support.stores import order


def counts(store):
    query = sa.select(pairs.c.attribute_id, pairs.c.object_id, pairs.c.open, pairs.c.out, pairs.c.filled)
    rows = store._database.read(lambda connection: connection.execute(query).all())
    return {(row[0], row[1]): tuple(row[2:]) for row in rows}


def made(store, *changes):
    gathered = Changes()
    for attribute_id, object_id, by in changes:
        gathered.add(attribute_id, object_id, **by)
    store._database.write(gathered.make)


def test_changes_of_the_same_pair_add_up(store):
    order(store, 3)
    (first, *others) = sorted(counts(store))
    made(store, (*first, {"open": -1, "out": 1}), (*first, {"open": -1, "out": 1}), (*first, {"out": -1, "filled": 1}))
    found = counts(store)
    assert found[first] == (1, 1, 1)
    assert {found[pair] for pair in others} == {(3, 0, 0)}


def test_changes_that_take_each_other_back_are_none(store):
    order(store, 1)
    before = counts(store)
    first = min(before)
    made(store, (*first, {"open": -1}), (*first, {"open": 1}))
    made(store)
    assert counts(store) == before


@pytest.mark.parametrize(("open_", "out", "by", "after"), [
    (-1, 1, {"out": -1, "filled": 1}, (0, 0, 1)),  # came, though it was wanted no more
    (-1, 2, {"out": -1, "open": 1}, (0, 1, 0)),  # came back, and is not wanted again
    (-2, 2, {"out": -2}, (0, 0, 0)),
    (0, 1, {"out": -1, "open": 1}, (1, 0, 0)),
    (1, 1, {"open": -1, "filled": 1}, (0, 1, 1)),
])  # fmt: skip
def test_no_debt_is_left_by_what_came_beyond_an_order(store, open_, out, by, after):
    order(store, 1)
    first = min(counts(store))
    these = sa.and_(pairs.c.attribute_id == first[0], pairs.c.object_id == first[1])
    store._database.write(lambda c: c.execute(pairs.update().where(these).values(open=open_, out=out)))
    made(store, (*first, by))
    assert counts(store)[first] == after


def test_who_locks_is_told_what_is_open(store):
    order(store, 1, ["jar 1", "jar 2"])
    attribute_id, object_id = min(counts(store))
    made(store, (attribute_id, object_id, {"open": -1, "out": 1}))
    things = {thing for one, thing in counts(store) if one == attribute_id}
    found = store._database.write(lambda connection: lock(connection, attribute_id, things | {999_999}))
    assert found == things - {object_id}


@pytest.mark.parametrize("many", [0, 1, MOST_NAMED, MOST_NAMED + 1, 2 * MOST_NAMED + 7])
def test_portions_are_the_whole_in_order(many):
    parts = list(portions(range(many)))
    assert [each for part in parts for each in part] == list(range(many))
    assert all(0 < len(part) <= MOST_NAMED for part in parts)
