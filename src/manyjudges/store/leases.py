"""Leases: who gets which work, and what becomes of it. Functions of a connection, each inside one transaction.

A pair of object and attribute has judgments that are ``open`` (may be handed out), ``out`` (are with somebody) and
``filled`` (came). A lease moves them from open to out; an answer from out to filled; a lease that ends without an
answer back to open. Nothing else makes work, so that no more than was ordered is ever out or bought. Where less is
ordered than is out already, ``open`` is below zero: so many are not handed out again when they come back.

Locks are taken in one order: worker, then batch, then pairs by attribute and object. Open pairs that another
transaction holds are passed over.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import StoreError, UnknownBatchError
from manyjudges.store import schema, workers
from manyjudges.store.dialects import dialect_of
from manyjudges.store.pair_counts import IS_OPEN, Changes, lock, portions
from manyjudges.store.records import Answers, Batch, Item, Receipt, Worker
from manyjudges.store.schema import attributes, batches, items, judgments, objects, pairs

EXPIRED_AT_ONCE = 20
"""How many leases that ended are cleared away in passing."""


def lease(
    connection: sa.Connection, worker: Worker, now: float, *, size: int, minutes: float, attribute: str | None
) -> Batch | None:
    """A new batch for a worker who is locked and has none; None where there is nothing open for this worker."""
    dialect_of(connection).follow_indexes(connection)
    for attribute_row in _attributes_with_work(connection, worker, attribute):
        pairs_taken = _take(connection, worker.id, attribute_row[0], size)
        if pairs_taken:
            return _hand_out(connection, worker.id, attribute_row, pairs_taken, now, now + 60 * minutes)
    return None


def held(connection: sa.Connection, worker_id: int) -> Batch | None:
    """The batch that is out with a worker."""
    mine = sa.select(batches.c.id).where(batches.c.worker_id == worker_id, batches.c.state == "out")
    batch_id = connection.execute(mine.limit(1)).scalar_one_or_none()
    return None if batch_id is None else batch(connection, batch_id, worker_id)


def batch(connection: sa.Connection, batch_id: str, worker_id: int, *, lock: bool = False) -> Batch:
    """A worker's batch, with the answers that are there."""
    _well_formed(batch_id)
    query = (
        sa.select(batches, attributes.c.name.label("attribute"))
        .join(attributes, attributes.c.id == batches.c.attribute_id)
        .where(batches.c.id == batch_id, batches.c.worker_id == worker_id)
    )
    row = connection.execute(query.with_for_update(of=batches) if lock else query).one_or_none()
    if row is None:
        raise _unknown(batch_id)
    latest = {item.object_id: item for item in _latest(connection, worker_id, row.attribute_id, batch_id)}
    leased = [
        Item(
            item.position,
            item.name,
            answered=item.object_id in latest,
            value=latest[item.object_id].value if item.object_id in latest else None,
        )
        for item in connection.execute(
            sa.select(items.c.position, items.c.object_id, objects.c.name)
            .join(objects, objects.c.id == items.c.object_id)
            .where(items.c.batch_id == batch_id)
            .order_by(items.c.position)
        )
    ]
    draft = {int(position): value for position, value in json.loads(row.draft).items()}
    return Batch(row.id, worker_id, row.attribute, tuple(leased), row.leased_at, row.expires_at, row.state, draft)


def last_batch(connection: sa.Connection, worker_id: int) -> Batch | None:
    """The one that a worker handed in last."""
    mine = sa.select(batches.c.id).where(batches.c.worker_id == worker_id, batches.c.state == "done")
    batch_id = connection.execute(mine.order_by(batches.c.submitted_at.desc()).limit(1)).scalar_one_or_none()
    return None if batch_id is None else batch(connection, batch_id, worker_id)


def set_batch(connection: sa.Connection, batch_id: str, worker_id: int, **values: Any) -> bool:
    """Change a batch that is out; False where there is none."""
    mine = sa.and_(batches.c.id == batch_id, batches.c.worker_id == worker_id, batches.c.state == "out")
    return connection.execute(batches.update().where(mine).values(**values)).rowcount > 0


def extend(connection: sa.Connection, batch_id: str, worker_id: int, until: float, most: float) -> bool:
    """Let a batch that is out be out until a time, but no longer than so many seconds; False where it is not out."""
    last = batches.c.leased_at + most
    return set_batch(connection, batch_id, worker_id, expires_at=sa.case((last < until, last), else_=until))


def expire(connection: sa.Connection, now: float, most: int | None = EXPIRED_AT_ONCE) -> int:
    """Take back what is out after its time; says how many batches."""
    query = (
        sa.select(batches.c.id)
        .where(batches.c.state == "out", batches.c.expires_at < now)
        .order_by(batches.c.expires_at)
        .with_for_update(skip_locked=True)
    )
    ended = list(connection.execute(query if most is None else query.limit(most)).scalars())
    for some in portions(ended):
        _end(connection, some, "expired")
    return len(ended)


def take_back(connection: sa.Connection, batch_id: str, worker_id: int, state: str = "expired") -> bool:
    """End a worker's batch that is out; False where it is not."""
    mine = sa.select(batches.c.state).where(batches.c.id == batch_id, batches.c.worker_id == worker_id)
    if connection.execute(mine.with_for_update()).scalar_one_or_none() != "out":
        return False
    _end(connection, [batch_id], state)
    return True


def _end(connection: sa.Connection, ids: Sequence[str], state: str) -> None:
    """Return all of these batches that has no answer, and end them."""
    unanswered = sa.and_(items.c.batch_id.in_(ids), items.c.state == "out")
    query = sa.select(batches.c.attribute_id, items.c.object_id).join(batches, batches.c.id == items.c.batch_id)
    changes = Changes()
    for attribute_id, object_id in connection.execute(query.where(unanswered)):
        changes.add(attribute_id, object_id, out=-1, open=1)
    changes.make(connection)
    connection.execute(items.update().where(unanswered).values(state="returned"))
    connection.execute(batches.update().where(batches.c.id.in_(ids)).values(state=state))


def work_left(connection: sa.Connection, worker_id: int) -> bool:
    """Whether a pair is open or out with somebody that this worker has no answer about."""
    answered = sa.exists().where(
        judgments.c.worker_id == worker_id,
        judgments.c.attribute_id == pairs.c.attribute_id,
        judgments.c.object_id == pairs.c.object_id,
    )
    of_people = pairs.c.attribute_id.in_(sa.select(attributes.c.id).where(attributes.c.judge.is_(None)))
    open_work = sa.select(pairs.c.object_id).where(IS_OPEN, of_people, ~answered)
    with_others = (
        sa.select(items.c.object_id)
        .join(batches, batches.c.id == items.c.batch_id)
        .join(pairs, sa.and_(pairs.c.attribute_id == batches.c.attribute_id, pairs.c.object_id == items.c.object_id))
        .where(batches.c.state == "out", items.c.state == "out", ~answered)
    )
    return any(connection.execute(query.limit(1)).first() is not None for query in (open_work, with_others))


def submit(
    connection: sa.Connection, batch_id: str, worker: Worker, answers: Answers, now: float, seconds: float | None
) -> Receipt:
    """Take a worker's answers; the worker is locked."""
    _well_formed(batch_id)
    row = connection.execute(
        sa.select(batches, attributes.c.cost)
        .join(attributes, attributes.c.id == batches.c.attribute_id)
        .where(batches.c.id == batch_id, batches.c.worker_id == worker.id)
        .with_for_update(of=batches)
    ).one_or_none()
    if row is None:
        raise _unknown(batch_id)
    rows = {item.position: item for item in connection.execute(sa.select(items).where(items.c.batch_id == batch_id))}
    _check(answers, rows)
    values = {rows[position].object_id: value for position, value in answers.items()}
    was_out = {item.object_id for item in rows.values() if item.state == "out"}
    open_now = lock(connection, row.attribute_id, values.keys() | was_out)
    earlier = {item.object_id: item for item in _latest(connection, worker.id, row.attribute_id, batch_id)}
    sorted_out = _sort(values, earlier, was_out, set() if worker.withdrawn else open_now)
    fresh, corrections, returned = sorted_out.fresh, sorted_out.corrections, was_out - sorted_out.fresh.keys()
    _record(connection, row, fresh, now)
    _correct(connection, row, {object_id: (earlier[object_id], value) for object_id, value in corrections.items()}, now)
    _count(connection, row.attribute_id, sorted_out, was_out, earlier)
    _mark(connection, batch_id, fresh, "answered")
    _mark(connection, batch_id, returned, "returned")
    earned = row.cost * len(fresh)
    first = row.submitted_at is None
    if first:
        took = (now - row.leased_at if seconds is None else seconds) / max(len(fresh), 1)
        done = {"state": "done", "submitted_at": now, "seconds": took, "draft": "{}"}
        connection.execute(batches.update().where(batches.c.id == batch_id).values(**done))
    if first or fresh:
        workers.change(
            connection,
            worker.id,
            judged=schema.workers.c.judged + len(fresh),
            batches=schema.workers.c.batches + int(first),
            earned=schema.workers.c.earned + earned,
        )
    return Receipt(
        accepted=len(fresh),
        repeated=len(values) - len(fresh) - len(corrections) - sorted_out.late,
        corrected=len(corrections),
        late=sorted_out.late,
        returned=len(returned),
        earned=earned,
    )


@dataclass(frozen=True)
class _Sorted:
    """Answers by what becomes of them: new ones, other ones than before, and a number that nobody needs any more."""

    fresh: dict[int, float | None]
    corrections: dict[int, float | None]
    late: int


def _sort(
    values: Mapping[int, float | None], earlier: Mapping[int, Any], was_out: Collection[int], open_now: Collection[int]
) -> _Sorted:
    """An answer whose lease ended is as good as any while its pair is open; otherwise it comes too late."""
    new = {object_id: value for object_id, value in values.items() if object_id not in earlier}
    fresh = {object_id: value for object_id, value in new.items() if object_id in was_out or object_id in open_now}
    corrections = {
        object_id: value
        for object_id, value in values.items()
        if object_id in earlier and earlier[object_id].kind != "withdrawal" and earlier[object_id].value != value
    }
    return _Sorted(fresh, corrections, len(new) - len(fresh))


def _count(
    connection: sa.Connection, attribute_id: int, came: _Sorted, was_out: Collection[int], earlier: Mapping[int, Any]
) -> None:
    """Change the counters of a batch's pairs, which are locked, by what became of its answers."""
    changes = Changes()
    for object_id, value in came.fresh.items():
        by = {"out" if object_id in was_out else "open": -1, "filled": 1, "cant_tell" if value is None else "have": 1}
        changes.add(attribute_id, object_id, **by)
    for object_id, value in came.corrections.items():
        more = int(value is not None) - int(earlier[object_id].value is not None)
        changes.add(attribute_id, object_id, have=more, cant_tell=-more)
    for object_id in set(was_out) - came.fresh.keys():
        changes.add(attribute_id, object_id, out=-1, open=1)
    changes.make(connection, locked=True)


def withdraw(connection: sa.Connection, worker: Worker, now: float) -> int:
    """Take back all that a worker said: new rows say so, and what was withdrawn counts no more."""
    mine = sa.select(batches.c.id).where(batches.c.worker_id == worker.id, batches.c.state == "out")
    held = list(connection.execute(mine.with_for_update()).scalars())
    if held:
        _end(connection, held, "released")
    following = judgments.alias()
    current = connection.execute(
        sa.select(judgments)
        .where(judgments.c.worker_id == worker.id, judgments.c.kind != "withdrawal")
        .where(~sa.exists().where(following.c.replaces == judgments.c.id))
        .order_by(judgments.c.attribute_id, judgments.c.object_id)
    ).all()
    if current:
        connection.execute(judgments.insert(), [_withdrawal(row, now) for row in current])
    changes = Changes()
    for row in current:
        changes.add(row.attribute_id, row.object_id, **{"cant_tell" if row.value is None else "have": -1})
    changes.make(connection)
    connection.execute(batches.update().where(batches.c.worker_id == worker.id).values(draft="{}"))
    workers.forget(connection, worker.id, now)
    return len(current)


def _attributes_with_work(connection: sa.Connection, worker: Worker, attribute: str | None) -> list[tuple[int, str]]:
    """Attributes with something open, beginning at another one for each worker and each batch.

    So judges spread over the questions, and somebody who gave a batch back is not handed the same at once.
    """
    query, of_people = sa.select(attributes.c.id, attributes.c.name), attributes.c.judge.is_(None)
    if attribute is not None:
        work = connection.execute(query.where(attributes.c.name == attribute, of_people)).one_or_none()
        if work is None:
            raise StoreError(
                f"there is no attribute {quote_value(attribute)} in this store.", value=attribute, column="attribute"
            )
        return [(work.id, work.name)]
    some = sa.exists().where(pairs.c.attribute_id == attributes.c.id, IS_OPEN)
    rows = [(row.id, row.name) for row in connection.execute(query.where(some, of_people).order_by(attributes.c.id))]
    had = sa.select(sa.func.count()).select_from(batches).where(batches.c.worker_id == worker.id)
    turn = (worker.id + connection.execute(had).scalar_one()) % len(rows) if rows else 0
    return rows[turn:] + rows[:turn]


def _take(connection: sa.Connection, worker_id: int, attribute_id: int, size: int) -> list[tuple[int, str]]:
    """Lock open pairs that this worker has not answered, in their order; says the objects' ids and names."""
    # A subquery that the database cannot turn into a join: it looks at no more pairs than it needs, however many there
    # are.
    answered = (
        sa.select(sa.literal(1))
        .where(
            judgments.c.worker_id == worker_id,
            judgments.c.attribute_id == attribute_id,
            judgments.c.object_id == pairs.c.object_id,
            judgments.c.replaces.is_(None),
        )
        .limit(1)
        .correlate(pairs)
        .scalar_subquery()
    )
    name = sa.select(objects.c.name).where(objects.c.id == pairs.c.object_id).correlate(pairs).scalar_subquery()
    query = (
        sa.select(pairs.c.object_id, name)
        .where(pairs.c.attribute_id == attribute_id, IS_OPEN, answered.is_(None))
        .order_by(pairs.c.place)
        .limit(size)
        .with_for_update(skip_locked=True)
    )
    return [(row[0], row[1]) for row in connection.execute(query)]


def _hand_out(
    connection: sa.Connection,
    worker_id: int,
    attribute: tuple[int, str],
    pairs_taken: list[tuple[int, str]],
    now: float,
    until: float,
) -> Batch:
    attribute_id, name = attribute
    batch_id = secrets.token_urlsafe(16)
    changes = Changes()
    for object_id, _ in pairs_taken:
        changes.add(attribute_id, object_id, open=-1, out=1)
    changes.make(connection, locked=True)
    connection.execute(
        batches.insert().values(
            id=batch_id,
            worker_id=worker_id,
            attribute_id=attribute_id,
            state="out",
            leased_at=now,
            expires_at=until,
            draft="{}",
        )
    )
    connection.execute(
        items.insert(),
        [
            {"batch_id": batch_id, "position": i, "object_id": object_id, "state": "out"}
            for i, (object_id, _) in enumerate(pairs_taken)
        ],
    )
    leased = tuple(Item(position, object_id) for position, (_, object_id) in enumerate(pairs_taken))
    return Batch(batch_id, worker_id, name, leased, now, until)


def _latest(connection: sa.Connection, worker_id: int, attribute_id: int, batch_id: str) -> Iterable[Any]:
    """The worker's last row about each object of a batch."""
    following = judgments.alias()
    return connection.execute(
        sa.select(judgments)
        .where(
            judgments.c.worker_id == worker_id,
            judgments.c.attribute_id == attribute_id,
            judgments.c.object_id.in_(sa.select(items.c.object_id).where(items.c.batch_id == batch_id)),
            ~sa.exists().where(following.c.replaces == judgments.c.id),
        )
        .order_by(judgments.c.object_id)
    ).all()


def _well_formed(batch_id: str) -> None:
    """Ask no database for what it may refuse to hear of: zero bytes, halves of characters."""
    if not (batch_id.isascii() and batch_id.isprintable()):
        raise _unknown(batch_id)


def _unknown(batch_id: str) -> UnknownBatchError:
    return UnknownBatchError(
        f"there is no batch {quote_value(batch_id)} of this worker.", value=batch_id, column="batch"
    )


def _check(answers: Answers, rows: Mapping[int, Any]) -> None:
    for position, value in answers.items():
        if position not in rows:
            raise StoreError(
                f"the batch has no item {quote_value(position)}; its items are 0 to {len(rows) - 1}.",
                value=position,
                column="position",
            )
        if value is not None and not math.isfinite(value):
            raise StoreError(
                f"item {position}: {quote_value(value)} is no finite number.",
                value=value,
                row=str(position),
                column="value",
            )


def _record(connection: sa.Connection, row: Any, fresh: Mapping[int, float | None], now: float) -> None:
    if fresh:
        connection.execute(
            judgments.insert(),
            [
                {
                    "at": now,
                    "worker_id": row.worker_id,
                    "batch_id": row.id,
                    "object_id": object_id,
                    "attribute_id": row.attribute_id,
                    "kind": "cant_tell" if value is None else "answer",
                    "value": value,
                    "cost": row.cost,
                    "replaces": None,
                }
                for object_id, value in sorted(fresh.items())
            ],
        )


def _correct(
    connection: sa.Connection, row: Any, corrections: Mapping[int, tuple[Any, float | None]], now: float
) -> None:
    if corrections:
        connection.execute(
            judgments.insert(),
            [
                following(old, now, kind="correction", value=value) | {"batch_id": row.id}
                for old, value in corrections.values()
            ],
        )


def _withdrawal(row: Any, now: float) -> dict[str, Any]:
    return following(row, now, kind="withdrawal", value=None)


def following(row: Any, now: float, **values: Any) -> dict[str, Any]:
    """A row that takes the place of another; it costs nothing, since the first one was paid."""
    same = {name: getattr(row, name) for name in ("worker_id", "batch_id", "object_id", "attribute_id", "turn")}
    return {"at": now, "cost": 0.0, "replaces": row.id} | same | values


def _mark(connection: sa.Connection, batch_id: str, object_ids: Collection[int], state: str) -> None:
    for some in portions(list(object_ids)):
        mine = sa.and_(items.c.batch_id == batch_id, items.c.object_id.in_(some))
        connection.execute(items.update().where(mine).values(state=state))
