"""Leasing: who gets which work, and what becomes of it. Functions of a connection, each inside one transaction.

A pair of object and attribute has judgments that are ``open`` (may be handed out), ``out`` (are with somebody) and
``filled`` (came). A lease moves them from open to out; an answer from out to filled; a lease that ends without an
answer back to open. Nothing else makes work, so that no more than was ordered is ever out or bought.

Locks are taken in one order: worker, then batch, then pairs by object. Open pairs that another transaction holds are
passed over.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa

from manyjudges.collection import people
from manyjudges.collection.schema import attributes, batches, items, judgments, objects, pairs, workers
from manyjudges.collection.work import Answers, Batch, Item, Receipt, Worker
from manyjudges.exceptions import StoreError, shown

EXPIRED_AT_ONCE = 20
"""How many leases that ended are cleared away in passing."""


class UnknownBatchError(StoreError):
    """There is no such batch of this worker."""


def lease(
    connection: sa.Connection, worker: Worker, now: float, *, size: int, minutes: float, attribute: str | None
) -> Batch | None:
    """A new batch for a worker who is locked and has none; None where there is nothing open for this worker."""
    for attribute_id in _attributes_with_work(connection, worker, attribute):
        taken = _take(connection, worker.id, attribute_id, size)
        if taken:
            return _hand_out(connection, worker.id, attribute_id, taken, now, now + 60 * minutes)
    return None


def held(connection: sa.Connection, worker_id: int) -> Batch | None:
    """The batch that is out with a worker."""
    mine = sa.select(batches.c.id).where(batches.c.worker_id == worker_id, batches.c.state == "out")
    found = connection.execute(mine.limit(1)).scalar_one_or_none()
    return None if found is None else batch(connection, found, worker_id)


def batch(connection: sa.Connection, batch_id: str, worker_id: int, *, lock: bool = False) -> Batch:
    """A worker's batch, with the answers that are there."""
    query = (
        sa.select(batches, attributes.c.name.label("attribute"))
        .join(attributes, attributes.c.id == batches.c.attribute_id)
        .where(batches.c.id == batch_id, batches.c.worker_id == worker_id)
    )
    row = connection.execute(query.with_for_update(of=batches) if lock else query).one_or_none()
    if row is None:
        raise UnknownBatchError(f"there is no batch {shown(batch_id)} of this worker.")
    latest = {each.object_id: each for each in _latest(connection, worker_id, row.attribute_id, batch_id)}
    found = [
        Item(
            each.position,
            each.name,
            answered=each.object_id in latest,
            value=latest[each.object_id].value if each.object_id in latest else None,
        )
        for each in connection.execute(
            sa.select(items.c.position, items.c.object_id, objects.c.name)
            .join(objects, objects.c.id == items.c.object_id)
            .where(items.c.batch_id == batch_id)
            .order_by(items.c.position)
        )
    ]
    draft = {int(position): value for position, value in json.loads(row.draft).items()}
    return Batch(row.id, worker_id, row.attribute, tuple(found), row.leased_at, row.expires_at, row.state, draft)


def last_batch(connection: sa.Connection, worker_id: int) -> Batch | None:
    """The one that a worker handed in last."""
    mine = sa.select(batches.c.id).where(batches.c.worker_id == worker_id, batches.c.state == "done")
    found = connection.execute(mine.order_by(batches.c.submitted_at.desc()).limit(1)).scalar_one_or_none()
    return None if found is None else batch(connection, found, worker_id)


def set_batch(connection: sa.Connection, batch_id: str, worker_id: int, **values: Any) -> bool:
    """Change a batch that is out; False where there is none."""
    mine = sa.and_(batches.c.id == batch_id, batches.c.worker_id == worker_id, batches.c.state == "out")
    return connection.execute(batches.update().where(mine).values(**values)).rowcount > 0


def expire(connection: sa.Connection, now: float, most: int | None = EXPIRED_AT_ONCE) -> int:
    """Take back what is out after its time; says how many batches."""
    query = (
        sa.select(batches.c.id, batches.c.attribute_id)
        .where(batches.c.state == "out", batches.c.expires_at < now)
        .order_by(batches.c.expires_at)
        .with_for_update(skip_locked=True)
    )
    ended = connection.execute(query if most is None else query.limit(most)).all()
    for row in ended:
        give_back(connection, row.id, row.attribute_id, "expired")
    return len(ended)


def give_back(connection: sa.Connection, batch_id: str, attribute_id: int, state: str) -> int:
    """Return all of a batch that has no answer, and end it."""
    unanswered = sa.select(items.c.object_id).where(items.c.batch_id == batch_id, items.c.state == "out")
    things = list(connection.execute(unanswered).scalars())
    _move(connection, attribute_id, {thing: {"out": -1, "open": 1} for thing in things})
    connection.execute(
        items.update().where(items.c.batch_id == batch_id, items.c.state == "out").values(state="returned")
    )
    connection.execute(batches.update().where(batches.c.id == batch_id).values(state=state))
    return len(things)


def take_back(connection: sa.Connection, batch_id: str, worker_id: int, state: str = "expired") -> bool:
    """End a worker's batch that is out; False where it is not."""
    mine = sa.select(batches).where(batches.c.id == batch_id, batches.c.worker_id == worker_id)
    row = connection.execute(mine.with_for_update()).one_or_none()
    if row is None or row.state != "out":
        return False
    give_back(connection, row.id, row.attribute_id, state)
    return True


def work_left(connection: sa.Connection, worker_id: int) -> bool:
    """Whether a pair is open or out with somebody that this worker has no answer about."""
    answered = sa.exists().where(
        judgments.c.worker_id == worker_id,
        judgments.c.attribute_id == pairs.c.attribute_id,
        judgments.c.object_id == pairs.c.object_id,
    )
    open_work = sa.select(pairs.c.object_id).where(sa.text('pairs."open" > 0'), ~answered)
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
    row = connection.execute(
        sa.select(batches, attributes.c.cost)
        .join(attributes, attributes.c.id == batches.c.attribute_id)
        .where(batches.c.id == batch_id, batches.c.worker_id == worker.id)
        .with_for_update(of=batches)
    ).one_or_none()
    if row is None:
        raise UnknownBatchError(f"there is no batch {shown(batch_id)} of this worker.")
    rows = {each.position: each for each in connection.execute(sa.select(items).where(items.c.batch_id == batch_id))}
    _check(answers, rows)
    given = {rows[position].object_id: value for position, value in answers.items()}
    known = {each.object_id: each for each in _latest(connection, worker.id, row.attribute_id, batch_id)}
    corrections = {
        thing: value
        for thing, value in given.items()
        if thing in known and known[thing].kind != "withdrawal" and known[thing].value != value
    }
    fresh = {thing: value for thing, value in given.items() if thing not in known}
    late = _late(connection, row.attribute_id, [each for each in rows.values() if each.object_id in fresh])
    fresh = {thing: value for thing, value in fresh.items() if thing not in late}
    was_out = {each.object_id for each in rows.values() if each.state == "out"}
    _record(connection, row, fresh, now)
    _correct(connection, row, {thing: (known[thing], value) for thing, value in corrections.items()}, now)
    moves = dict(_moves(fresh, was_out)) | dict(_changes(corrections, known))
    moves |= {thing: {"out": -1, "open": 1} for thing in was_out - fresh.keys()}
    _move(connection, row.attribute_id, moves)
    _mark(connection, batch_id, fresh, "answered")
    _mark(connection, batch_id, was_out - fresh.keys(), "returned")
    earned = row.cost * len(fresh)
    first = row.submitted_at is None
    if first:
        took = (now - row.leased_at) / max(len(fresh), 1) if seconds is None else seconds / max(len(fresh), 1)
        done = {"state": "done", "submitted_at": now, "seconds": took, "draft": "{}"}
        connection.execute(batches.update().where(batches.c.id == batch_id).values(**done))
    people.change(
        connection,
        worker.id,
        judged=workers.c.judged + len(fresh),
        batches=workers.c.batches + int(first),
        earned=workers.c.earned + earned,
    )
    return Receipt(
        accepted=len(fresh),
        repeated=len(given) - len(fresh) - len(corrections) - len(late),
        corrected=len(corrections),
        late=len(late),
        returned=len(was_out - fresh.keys()),
        earned=earned,
    )


def withdraw(connection: sa.Connection, worker: Worker, now: float) -> int:
    """Take back all that a worker said: new rows say so, and what was withdrawn counts no more."""
    following = judgments.alias()
    current = connection.execute(
        sa.select(judgments)
        .where(judgments.c.worker_id == worker.id, judgments.c.kind != "withdrawal")
        .where(~sa.exists().where(following.c.replaces == judgments.c.id))
        .order_by(judgments.c.attribute_id, judgments.c.object_id)
    ).all()
    if current:
        connection.execute(judgments.insert(), [_withdrawal(row, now) for row in current])
    by_attribute: dict[int, dict[int, dict[str, int]]] = {}
    for row in current:
        lost = {"cant_tell": -1} if row.value is None else {"have": -1}
        by_attribute.setdefault(row.attribute_id, {})[row.object_id] = lost
    for attribute_id, moves in by_attribute.items():
        _move(connection, attribute_id, moves)
    mine = sa.select(batches.c.id, batches.c.attribute_id)
    for row in connection.execute(mine.where(batches.c.worker_id == worker.id, batches.c.state == "out")).all():
        give_back(connection, row.id, row.attribute_id, "released")
    gone = {"external": None, "details": "{}", "token_hash": None, "blocked_at": now}
    people.change(connection, worker.id, **gone)
    return len(current)


def _attributes_with_work(connection: sa.Connection, worker: Worker, attribute: str | None) -> list[int]:
    """Attributes with something open, beginning at another one for each worker and each batch.

    So judges spread over the questions, and somebody who gave a batch back is not handed the same at once.
    """
    if attribute is not None:
        found = connection.execute(
            sa.select(attributes.c.id).where(attributes.c.name == attribute)
        ).scalar_one_or_none()
        if found is None:
            raise StoreError(f"there is no attribute {shown(attribute)} in this store.")
        return [found]
    some = sa.exists().where(pairs.c.attribute_id == attributes.c.id, sa.text('pairs."open" > 0'))
    ids = list(connection.execute(sa.select(attributes.c.id).where(some).order_by(attributes.c.id)).scalars())
    had = sa.select(sa.func.count()).select_from(batches).where(batches.c.worker_id == worker.id)
    turn = (worker.id + connection.execute(had).scalar_one()) % len(ids) if ids else 0
    return ids[turn:] + ids[:turn]


def _take(connection: sa.Connection, worker_id: int, attribute_id: int, size: int) -> list[int]:
    """Lock open pairs that this worker has not answered, in their order."""
    # A subquery that the database cannot turn into a join: it looks at no more pairs than it needs, however many there
    # are and however old its statistics.
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
    query = (
        sa.select(pairs.c.object_id)
        .where(pairs.c.attribute_id == attribute_id, sa.text('pairs."open" > 0'), answered.is_(None))
        .order_by(pairs.c.place)
        .limit(size)
        .with_for_update(skip_locked=True)
    )
    return list(connection.execute(query).scalars())


def _hand_out(
    connection: sa.Connection, worker_id: int, attribute_id: int, things: list[int], now: float, until: float
) -> Batch:
    batch_id = secrets.token_urlsafe(16)
    _move(connection, attribute_id, {thing: {"open": -1, "out": 1} for thing in things})
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
        [{"batch_id": batch_id, "position": i, "object_id": thing, "state": "out"} for i, thing in enumerate(things)],
    )
    return batch(connection, batch_id, worker_id)


def _move(connection: sa.Connection, attribute_id: int, moves: Mapping[int, Mapping[str, int]]) -> None:
    """Change counters of pairs; those that change alike together, by object, so that no two wait for each other."""
    if not moves:
        return
    mine = sa.and_(pairs.c.attribute_id == attribute_id, pairs.c.object_id.in_(sorted(moves)))
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(pairs.c.object_id).where(mine).order_by(pairs.c.object_id).with_for_update())
    alike: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for thing, move in moves.items():
        alike.setdefault(tuple(sorted(move.items())), []).append(thing)
    for change, things in alike.items():
        values = {name: pairs.c[name] + by for name, by in change}
        these = sa.and_(pairs.c.attribute_id == attribute_id, pairs.c.object_id.in_(things))
        connection.execute(pairs.update().where(these).values(**values))


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


def _check(answers: Answers, rows: Mapping[int, Any]) -> None:
    for position, value in answers.items():
        if position not in rows:
            raise StoreError(f"the batch has no item {shown(position)}; its items are 0 to {len(rows) - 1}.")
        if value is not None and not math.isfinite(value):
            raise StoreError(f"item {position}: {shown(value)} is no finite number.")


def _late(connection: sa.Connection, attribute_id: int, asked: list[Any]) -> set[int]:
    """Objects whose lease ended, and that are not open for this answer any more; those that are, are claimed."""
    returned = sorted(each.object_id for each in asked if each.state == "returned")
    if not returned:
        return set()
    query = (
        sa.select(pairs.c.object_id)
        .where(pairs.c.attribute_id == attribute_id, pairs.c.object_id.in_(returned), sa.text('pairs."open" > 0'))
        .order_by(pairs.c.object_id)
        .with_for_update()
    )
    return set(returned) - set(connection.execute(query).scalars())


def _record(connection: sa.Connection, row: Any, fresh: Mapping[int, float | None], now: float) -> None:
    if fresh:
        connection.execute(
            judgments.insert(),
            [
                {
                    "at": now,
                    "worker_id": row.worker_id,
                    "batch_id": row.id,
                    "object_id": thing,
                    "attribute_id": row.attribute_id,
                    "kind": "cant_tell" if value is None else "answer",
                    "value": value,
                    "cost": row.cost,
                    "replaces": None,
                }
                for thing, value in sorted(fresh.items())
            ],
        )


def _correct(
    connection: sa.Connection, row: Any, corrections: Mapping[int, tuple[Any, float | None]], now: float
) -> None:
    if corrections:
        connection.execute(
            judgments.insert(),
            [
                _following(old, now, kind="correction", value=value) | {"batch_id": row.id}
                for old, value in corrections.values()
            ],
        )


def _withdrawal(row: Any, now: float) -> dict[str, Any]:
    return _following(row, now, kind="withdrawal", value=None)


def _following(row: Any, now: float, **values: Any) -> dict[str, Any]:
    """A row that takes the place of another; it costs nothing, since the first one was paid."""
    same = {name: getattr(row, name) for name in ("worker_id", "batch_id", "object_id", "attribute_id")}
    return {"at": now, "cost": 0.0, "replaces": row.id} | same | values


def _moves(fresh: Mapping[int, float | None], was_out: set[int]) -> Iterator[tuple[int, dict[str, int]]]:
    for thing, value in fresh.items():
        from_where = "out" if thing in was_out else "open"
        yield thing, {from_where: -1, "filled": 1, "cant_tell" if value is None else "have": 1}


def _changes(corrections: Mapping[int, float | None], known: Mapping[int, Any]) -> Iterator[tuple[int, dict[str, int]]]:
    for thing, value in corrections.items():
        if (value is None) != (known[thing].value is None):
            yield thing, {"have": -1, "cant_tell": 1} if value is None else {"have": 1, "cant_tell": -1}


def _mark(connection: sa.Connection, batch_id: str, things: Iterable[int], state: str) -> None:
    mine = sa.and_(items.c.batch_id == batch_id, items.c.object_id.in_(list(things)))
    connection.execute(items.update().where(mine).values(state=state))
