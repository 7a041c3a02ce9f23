"""Queries: what a store knows, as tables and numbers. Functions of a connection that only read."""

from __future__ import annotations

__all__ = ["worker_label"]

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from manyjudges.base.frames import table
from manyjudges.store.judgment_cache import JudgmentCache
from manyjudges.store.schema import (
    attributes,
    batches,
    calls,
    events,
    items,
    judgments,
    objects,
    pairs,
    rounds,
    workers,
)

if TYPE_CHECKING:
    import pandas as pd

_HOUR = 3600.0


def current(connection: sa.Connection) -> pd.DataFrame:
    """The judgments that count: ``object``, ``attribute``, ``worker``, ``value``, in the order in which they came.

    Further calls of a model are told apart by a number, as if each were a worker: ``"gpt-small #2"``.
    """
    return _named(connection, _counting(last_row(connection)))


def current_after(connection: sa.Connection, after: int, *, as_of: int, most: int) -> tuple[pd.DataFrame, int]:
    """The same, some at a time: those in so many rows of the ledger after one, and the number of the last of these.

    ``as_of`` is the number of the row with which the ledger ends, as far as this is about.
    """
    last = min(after + most, as_of)
    window = sa.and_(judgments.c.id > after, judgments.c.id <= last)
    return _named(connection, _counting(as_of).where(window)), last


def last_row(connection: sa.Connection) -> int:
    """The number of the last row of the ledger."""
    return int(connection.execute(sa.select(sa.func.coalesce(sa.func.max(judgments.c.id), 0))).scalar_one())


def _counting(as_of: int) -> sa.Select[Any]:
    """Rows of the ledger that counted when it ended with one of this number."""
    following, c = judgments.alias(), judgments.c
    replaced = sa.exists().where(following.c.replaces == c.id, following.c.id <= as_of)
    return (
        sa.select(c.object_id, c.attribute_id, c.worker_id, c.value, c.turn)
        .where(c.value.is_not(None), c.id <= as_of, ~replaced)
        .order_by(c.id)
    )


def recalled(connection: sa.Connection, judgment_cache: JudgmentCache) -> pd.DataFrame:
    """The judgments that count, of which only those are read that came since one looked the last time."""
    columns = judgment_cache.counted(connection)
    return _with_names(
        connection, [columns[name] for name in ("object_id", "attribute_id", "worker_id", "value", "turn")]
    )


def _named(connection: sa.Connection, query: sa.Select[Any]) -> pd.DataFrame:
    rows = connection.execute(query).all()
    return _with_names(
        connection, [np.array(column) for column in zip(*rows, strict=True)] or [np.zeros(0, dtype=int)] * 5
    )


def _with_names(connection: sa.Connection, columns: Sequence[Any]) -> pd.DataFrame:
    object_names, attribute_names, worker_names = (
        _looked_up(_names(connection, kind), codes)
        for kind, codes in zip((objects, attributes, workers), columns, strict=False)
    )
    turn = np.asarray(columns[4])
    for at in np.flatnonzero(turn):
        worker_names[at] = worker_label(worker_names[at], int(turn[at]))
    return table(
        {
            "object": object_names,
            "attribute": attribute_names,
            "worker": worker_names,
            "value": np.asarray(columns[3], dtype=float),
        }
    )


def _looked_up(names: Mapping[int, str], codes: Any) -> Any:
    """The names of some codes, as an array."""
    ids = np.fromiter(names, dtype=np.int64, count=len(names))
    order = np.argsort(ids)
    called = np.array([*names.values(), None], dtype=object)[:-1]  # the None keeps it from becoming an array of text
    return called[order][np.searchsorted(ids[order], np.asarray(codes, dtype=np.int64))]


def worker_label(worker: str, turn: int) -> str:
    """A worker's name, with the number of the call where it is not the first about a pair."""
    return f"{worker} #{turn + 1}" if turn else worker


def ledger(connection: sa.Connection) -> pd.DataFrame:
    """Every row that was ever added."""
    query = (
        sa.select(
            judgments.c.id,
            judgments.c.at,
            workers.c.name.label("worker"),
            workers.c.external,
            workers.c.source,
            judgments.c.batch_id.label("batch"),
            objects.c.name.label("object"),
            attributes.c.name.label("attribute"),
            judgments.c.kind,
            judgments.c.value,
            judgments.c.cost,
            judgments.c.replaces,
            judgments.c.turn,
            batches.c.seconds,
        )
        .join(workers, workers.c.id == judgments.c.worker_id)
        .join(objects, objects.c.id == judgments.c.object_id)
        .join(attributes, attributes.c.id == judgments.c.attribute_id)
        .outerjoin(batches, batches.c.id == judgments.c.batch_id)
        .order_by(judgments.c.id)
    )
    rows = frame_of(connection, query)
    numbers = {"value": "float64", "cost": "float64", "seconds": "float64", "at": "float64"}
    return rows.astype(numbers | {"replaces": "Int64", "id": "int64"})


def progress(connection: sa.Connection) -> pd.DataFrame:
    """Counts of judgments for each attribute: what is wanted by now, and what there is of it."""
    query = (
        sa.select(
            attributes.c.name.label("attribute"),
            attributes.c.cost,
            *(
                sa.cast(sa.func.coalesce(sa.func.sum(column), 0), sa.Integer).label(name)
                for name, column in _counts("filled", "have", "out", "open", "cant_tell")
            ),
        )
        .outerjoin(pairs, pairs.c.attribute_id == attributes.c.id)
        .group_by(attributes.c.id)
        .order_by(attributes.c.id)
    )
    counts = frame_of(connection, query)
    counts.insert(2, "wanted", counts.pop("filled") + counts["out"] + counts["open"])
    return counts


def spending(connection: sa.Connection) -> dict[str, float]:
    """Units that were spent, are out, and are still open."""
    spent = connection.execute(sa.select(sa.func.coalesce(sa.func.sum(judgments.c.cost), 0.0))).scalar_one()
    counts = progress(connection)
    return {
        "spent": float(spent),
        "out": float((counts["out"] * counts["cost"]).sum()),
        "open": float((counts["open"] * counts["cost"]).sum()),
    }


def arrivals(connection: sa.Connection, now: float, hours: int) -> list[tuple[float, int]]:
    """First answers in each of the last hours, oldest first."""
    this = now // _HOUR
    hour = sa.cast(sa.func.floor(judgments.c.at / _HOUR), sa.Integer)
    query = (
        sa.select(hour.label("hour"), sa.func.count().label("count"))
        .where(judgments.c.at >= (this - hours + 1) * _HOUR, judgments.c.replaces.is_(None))
        .group_by(hour)
    )
    counts: dict[int, int] = {int(row.hour): int(row[1]) for row in connection.execute(query)}
    return [(begin * _HOUR, counts.get(int(begin), 0)) for begin in (this - back for back in range(hours - 1, -1, -1))]


def began(connection: sa.Connection) -> float | None:
    """When the first answer came."""
    first: float | None = connection.execute(sa.select(sa.func.min(judgments.c.at))).scalar_one()
    return first


def history(connection: sa.Connection) -> list[dict[str, Any]]:
    """Each planned round, oldest first."""
    rows = connection.execute(sa.select(rounds).order_by(rounds.c.id))
    return [{"at": row.at} | json.loads(row.document) for row in rows]


def happened(connection: sa.Connection, limit: int) -> list[dict[str, Any]]:
    """What happened, newest first."""
    rows = connection.execute(sa.select(events).order_by(events.c.id.desc()).limit(limit))
    return [{"at": row.at, "what": row.what, "detail": row.detail} for row in rows]


def counters(connection: sa.Connection) -> pd.DataFrame:
    """All pairs of active objects: ``object``, ``attribute``, ``have``, ``out``, ``open``, ``cant_tell``, ``dry``."""
    query = (
        sa.select(
            objects.c.name.label("object"),
            attributes.c.name.label("attribute"),
            *(column.label(name) for name, column in _counts("filled", "have", "out", "open", "cant_tell", "dry")),
        )
        .join(objects, objects.c.id == pairs.c.object_id)
        .join(attributes, attributes.c.id == pairs.c.attribute_id)
        .where(objects.c.active)
        .order_by(pairs.c.object_id, pairs.c.attribute_id)
    )
    return frame_of(connection, query)


def active_objects(connection: sa.Connection) -> pd.DataFrame:
    """The active objects in order: ``object``, ``label`` (missing where not known)."""
    query = sa.select(objects.c.name.label("object"), objects.c.label).where(objects.c.active).order_by(objects.c.id)
    return frame_of(connection, query).astype({"label": "float64"})


def count_objects(connection: sa.Connection) -> dict[str, int]:
    """How many active objects there are, and how many of them have a label."""
    query = sa.select(sa.func.count(), sa.func.count(objects.c.label)).where(objects.c.active)
    many, labelled = connection.execute(query).one()
    return {"objects": int(many), "labelled": int(labelled)}


def prices(connection: sa.Connection) -> dict[str, float]:
    """What one judgment of each attribute costs, in the order of the study."""
    rows = connection.execute(sa.select(attributes.c.name, attributes.c.cost).order_by(attributes.c.id))
    return {row.name: row.cost for row in rows}


def judges(connection: sa.Connection) -> dict[str, str]:
    """Attributes that are one model's alone, and whose."""
    mine = sa.select(attributes.c.name, attributes.c.judge).where(attributes.c.judge.is_not(None))
    return {row.name: row.judge for row in connection.execute(mine.order_by(attributes.c.id))}


def idle(connection: sa.Connection) -> bool:
    """Whether nothing is open and nothing is out."""
    open_work = sa.select(pairs.c.object_id).where(sa.text('pairs."open" > 0')).limit(1)
    out = sa.select(batches.c.id).where(batches.c.state == "out").limit(1)
    called = sa.select(calls.c.id).where(calls.c.state == "out").limit(1)
    return all(connection.execute(query).first() is None for query in (open_work, out, called))


def discrepancies(connection: sa.Connection) -> list[str]:
    """Where the counters and the rows do not say the same, in words; nothing where the books are in order."""
    following = judgments.alias()
    last = ~sa.exists().where(following.c.replaces == judgments.c.id)
    first = judgments.c.replaces.is_(None)
    unknown = sa.and_(judgments.c.value.is_(None), judgments.c.kind != "withdrawal")
    rows = sa.select(judgments.c.object_id, judgments.c.attribute_id, sa.func.count())
    rows = rows.group_by(judgments.c.object_id, judgments.c.attribute_id)
    leased = (
        sa.select(items.c.object_id, batches.c.attribute_id)
        .join(batches, batches.c.id == items.c.batch_id)
        .where(items.c.state == "out")
    )
    called = sa.select(calls.c.object_id, calls.c.attribute_id).where(calls.c.state == "out")
    both = sa.union_all(leased, called).subquery()
    out = sa.select(*both.c, sa.func.count()).group_by(*both.c)
    return [
        *_pair_discrepancies(connection, "filled", rows.where(first)),
        *_pair_discrepancies(connection, "have", rows.where(last, judgments.c.value.is_not(None))),
        *_pair_discrepancies(connection, "cant_tell", rows.where(last, unknown)),
        *_pair_discrepancies(connection, "out", out),
        *_worker_discrepancies(connection),
        *_batch_discrepancies(connection),
    ]


def _pair_discrepancies(connection: sa.Connection, name: str, counting: Any) -> list[str]:
    counted = {(row[0], row[1]): row[2] for row in connection.execute(counting)}
    kept = sa.select(pairs.c.object_id, pairs.c.attribute_id, pairs.c[name]).where(pairs.c[name] != 0)
    stored = {(row[0], row[1]): row[2] for row in connection.execute(kept)}
    return [
        f"object {o}, attribute {a}: {name} is {stored.get((o, a), 0)}, but there are {counted.get((o, a), 0)} rows"
        for o, a in sorted(set(counted) | set(stored))
        if counted.get((o, a), 0) != stored.get((o, a), 0)
    ]


def _worker_discrepancies(connection: sa.Connection) -> list[str]:
    first = sa.and_(judgments.c.worker_id == workers.c.id, judgments.c.replaces.is_(None))
    came = sa.select(sa.func.count()).where(first).scalar_subquery()
    cost = sa.select(sa.func.coalesce(sa.func.sum(judgments.c.cost), 0.0)).where(first).scalar_subquery()
    handed_in = sa.and_(batches.c.worker_id == workers.c.id, batches.c.state == "done")
    done = sa.select(sa.func.count()).where(handed_in).scalar_subquery()
    query = sa.select(workers.c.name, workers.c.judged, workers.c.earned, workers.c.batches, came, cost, done)
    return [
        f"worker {name}: {judged} judged in {batches_} batches for {earned:g}, but there are {rows} rows in {ended} "
        f"batches for {paid:g}"
        for name, judged, earned, batches_, rows, paid, ended in connection.execute(query)
        if judged != rows or batches_ != ended or abs(earned - paid) > 1e-6 * max(abs(paid), 1)
    ]


def _batch_discrepancies(connection: sa.Connection) -> list[str]:
    query = (
        sa.select(batches.c.id, batches.c.state, sa.func.count())
        .join(items, items.c.batch_id == batches.c.id)
        .where(items.c.state == "out", batches.c.state != "out")
        .group_by(batches.c.id, batches.c.state)
    )
    return [f"batch {id_} is {state}, but {count} of it are out" for id_, state, count in connection.execute(query)]


def _counts(*names: str) -> Iterable[tuple[str, Any]]:
    """Counters of pairs to show; where less is wanted than is out, nothing is open."""
    replaced = {"open": sa.case((pairs.c.open > 0, pairs.c.open), else_=0)}
    return [(name, replaced.get(name, pairs.c[name])) for name in names]


def _names(connection: sa.Connection, entries: sa.Table) -> dict[int, str]:
    return {row.id: row.name for row in connection.execute(sa.select(entries.c.id, entries.c.name))}


def frame_of(connection: sa.Connection, query: Any) -> pd.DataFrame:
    """What a query finds, as a table."""
    result = connection.execute(query)
    names, rows = list(result.keys()), result.all()
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return table(dict(zip(names, columns, strict=True)))
