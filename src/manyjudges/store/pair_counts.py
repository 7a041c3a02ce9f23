"""Counters of pairs: how many judgments of an object and an attribute are open, out and filled; locked and changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa

from manyjudges.store.schema import pairs

T = TypeVar("T")

MOST_NAMED = 5000
"""How many ids one statement names; databases have limits."""

IS_OPEN = sa.text('pairs."open" > 0')
"""As the index says it, so that it is used."""


class Changes:
    """Changes of pairs' counters, gathered and then made at once, in one order, so that no two wait for each other."""

    def __init__(self) -> None:
        self._by_pair: dict[tuple[int, int], Counter[str]] = {}

    def add(self, attribute_id: int, object_id: int, **by: int) -> None:
        """Change some counters of a pair, on top of what is gathered already."""
        self._by_pair.setdefault((attribute_id, object_id), Counter()).update(by)

    def make(self, connection: sa.Connection, *, locked: bool = False) -> None:
        """Make them; pairs that change alike together."""
        alike: dict[tuple[int, tuple[tuple[str, int], ...]], list[int]] = {}
        for attribute_id, object_id in sorted(self._by_pair):
            by = tuple(sorted((name, n) for name, n in self._by_pair[attribute_id, object_id].items() if n))
            if by:
                alike.setdefault((attribute_id, by), []).append(object_id)
        if not locked:
            for attribute_id in sorted({attribute_id for attribute_id, _ in alike}):
                lock(connection, attribute_id, {object_id for one, object_id in self._by_pair if one == attribute_id})
        for (attribute_id, by), object_ids in alike.items():
            for some in portions(object_ids):
                these = sa.and_(pairs.c.attribute_id == attribute_id, pairs.c.object_id.in_(some))
                connection.execute(pairs.update().where(these).values(**_changed(dict(by))))


def _changed(by: Mapping[str, int]) -> dict[str, Any]:
    values: dict[str, Any] = {name: pairs.c[name] + n for name, n in by.items()}
    if by.get("out", 0) + by.get("open", 0) < 0:
        # More came than is wanted by now, as it was out already when less was ordered: no debt is left by that.
        after = pairs.c.out + by.get("out", 0)
        least = values.get("open", pairs.c.open)
        values["open"] = sa.case((least + after < 0, -after), else_=least)
    return values


def lock(connection: sa.Connection, attribute_id: int, object_ids: Collection[int]) -> set[int]:
    """Lock pairs, in order; says which of them are open."""
    open_objects: set[int] = set()
    for some in portions(sorted(object_ids)):
        mine = sa.and_(pairs.c.attribute_id == attribute_id, pairs.c.object_id.in_(some))
        query = sa.select(pairs.c.object_id, pairs.c.open).where(mine).order_by(pairs.c.object_id).with_for_update()
        open_objects.update(row.object_id for row in connection.execute(query) if row.open > 0)
    return open_objects


def portions(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """As many at a time as one statement names."""
    for start in range(0, len(items), MOST_NAMED):
        yield items[start : start + MOST_NAMED]
