"""Imports: judgments that were collected elsewhere, taken into a store. Functions of a connection."""

from __future__ import annotations

__all__ = ["Intake"]

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from manyjudges.base.messages import list_names
from manyjudges.exceptions import StoreError
from manyjudges.store import schema, workers
from manyjudges.store.dialects import insert_missing
from manyjudges.store.leases import following
from manyjudges.store.pair_counts import Changes
from manyjudges.store.schema import attributes, judgments, objects, pairs


class Collected(NamedTuple):
    """One judgment from elsewhere: of what, by whom, and how."""

    object: str
    attribute: str
    worker: str
    value: float


@dataclass(frozen=True)
class Intake:
    """What became of judgments from elsewhere.

    Attributes
    ----------
    added : int
    repeated : int
        That were there already, just so.
    corrected : int
        That replaced an earlier one of the same worker.
    refused : int
        Of workers who withdrew what they said, or were blocked.
    workers : int
        Who came with them for the first time.
    """

    added: int = 0
    repeated: int = 0
    corrected: int = 0
    refused: int = 0
    workers: int = 0


def take_in(connection: sa.Connection, source: str, rows: Sequence[Collected], now: float, *, paid: bool) -> Intake:
    """Take judgments of workers from a source; what is there already is not taken twice.

    Parameters
    ----------
    source : str
        Where the workers are from, by the name of its connector; those from there who came by themselves are the same.
    rows : sequence of Collected
    paid : bool
        Whether they are paid out of this study's money, at its costs. Otherwise they cost it nothing.
    """
    object_ids = _names(connection, objects, (row.object for row in rows))
    columns = _names(connection, attributes, (row.attribute for row in rows))
    prices = connection.execute(sa.select(attributes.c.id, attributes.c.cost))
    costs: dict[int, float] = {row.id: row.cost for row in prices} if paid else {}
    by_worker: dict[str, dict[tuple[int, int], float]] = {}
    for row in rows:
        by_worker.setdefault(row.worker, {})[columns[row.attribute], object_ids[row.object]] = row.value
    before = _count(connection)
    _make_pairs(connection, {pair for values in by_worker.values() for pair in values})
    changes, added, repeated, corrected, refused = Changes(), 0, 0, 0, 0
    for name, values in by_worker.items():
        who = workers.get(connection, workers.enter(connection, source, name, {}, False, now).id, lock=True)
        if who.blocked:
            refused += len(values)
            continue
        last = _latest(connection, who.id)
        fresh = {pair: value for pair, value in values.items() if pair not in last}
        other = {pair: value for pair, value in values.items() if pair in last and last[pair].value != value}
        _add(connection, who.id, fresh, costs, now)
        _correct(connection, {pair: (last[pair], value) for pair, value in other.items()}, now)
        _count_in(changes, fresh, {pair: last[pair] for pair in other})
        added, corrected = added + len(fresh), corrected + len(other)
        repeated += len(values) - len(fresh) - len(other)
    changes.make(connection)
    return Intake(added, repeated, corrected, refused, _count(connection) - before)


def _names(connection: sa.Connection, table: sa.Table, names: Iterable[str]) -> dict[str, int]:
    query = sa.select(table.c.name, table.c.id).order_by(table.c.id)
    if table is attributes:
        query = query.where(attributes.c.judge.is_(None))
    ids = {row.name: row.id for row in connection.execute(query)}
    if unknown := [name for name in dict.fromkeys(names) if name not in ids]:
        if not ids:
            raise StoreError(
                f"{list_names(unknown)} cannot be taken in: only models judge in this study. Set people = true under "
                "[llm] in study.toml, and people's judgments are columns of their own.",
                value=unknown[0],
                column=table.name,
            )
        raise StoreError(
            f"{len(unknown):,} {table.name} are not in the study: {list_names(unknown)}; it has {list_names(ids)}.",
            value=unknown[0],
            column=table.name,
        )
    return ids


def _make_pairs(connection: sa.Connection, new_pairs: set[tuple[int, int]]) -> None:
    places = {row.id: row.place for row in connection.execute(sa.select(objects.c.id, objects.c.place))}
    nothing = {"open": 0, "out": 0, "filled": 0, "have": 0, "cant_tell": 0, "dry": False}
    rows = [
        {"attribute_id": attribute, "object_id": object_id, "place": places[object_id], **nothing}
        for attribute, object_id in sorted(new_pairs)
    ]
    connection.execute(insert_missing(connection, pairs), rows)


def _latest(connection: sa.Connection, worker_id: int) -> dict[tuple[int, int], Any]:
    """The worker's last row about each pair."""
    following = judgments.alias()
    query = sa.select(judgments).where(
        judgments.c.worker_id == worker_id, ~sa.exists().where(following.c.replaces == judgments.c.id)
    )
    return {(row.attribute_id, row.object_id): row for row in connection.execute(query)}


def _add(
    connection: sa.Connection,
    worker_id: int,
    fresh: Mapping[tuple[int, int], float],
    costs: Mapping[int, float],
    now: float,
) -> None:
    if not fresh:
        return
    rows: list[dict[str, Any]] = [
        {
            "at": now,
            "worker_id": worker_id,
            "object_id": object_id,
            "attribute_id": attribute,
            "kind": "answer",
            "value": value,
            "cost": costs.get(attribute, 0.0),
        }
        for (attribute, object_id), value in sorted(fresh.items())
    ]
    connection.execute(judgments.insert(), rows)
    earned = sum(row["cost"] for row in rows)
    workers.change(
        connection, worker_id, judged=schema.workers.c.judged + len(rows), earned=schema.workers.c.earned + earned
    )


def _correct(connection: sa.Connection, other: Mapping[tuple[int, int], tuple[Any, float]], now: float) -> None:
    if other:
        connection.execute(
            judgments.insert(),
            [following(old, now, kind="correction", value=value) for old, value in other.values()],
        )


def _count_in(changes: Changes, fresh: Iterable[tuple[int, int]], other: Mapping[tuple[int, int], Any]) -> None:
    for attribute, object_id in fresh:
        changes.add(attribute, object_id, open=-1, filled=1, have=1)
    for (attribute, object_id), old in other.items():
        if old.value is None:  # could not tell before
            changes.add(attribute, object_id, have=1, cant_tell=-1)


def _count(connection: sa.Connection) -> int:
    return int(connection.execute(sa.select(sa.func.count()).select_from(schema.workers)).scalar_one())
