"""Calls: what language models are asked, what that cost, and the judgments that come of it. Functions of a connection.

A call moves a judgment of a pair from open to out, as a lease does. What comes back is written down at once, whether it
is an answer or not, with what was paid for it; a model may be called about the same pair again and again. What a
judgment cost is the sum over all calls that it took.

Locks are taken in one order: the purse, then the call, then its pair, then the worker.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import StoreError
from manyjudges.store import orders, schema, workers
from manyjudges.store.dialects import dialect_of, insert_missing
from manyjudges.store.pair_counts import IS_OPEN, Changes, lock, portions
from manyjudges.store.queries import frame_of
from manyjudges.store.records import OUTCOMES, Call, Reply, Worker
from manyjudges.store.schema import attributes, calls, judgments, objects, pairs, settings

if TYPE_CHECKING:
    import pandas as pd

_MODEL = "model"
"""The source of workers that are models; their names there are those of the study's file."""

_PURSE = "purse"
"""The setting that holds what was paid in all, and for the dearest call of each model."""

_ALLOWANCE = 1e-9
"""How much of a limit rounding may take away."""


def claim(
    connection: sa.Connection, worker_id: int, now: float, *, most: int, seconds: float, limit: float | None
) -> list[Call]:
    """Up to so many calls to make now; none where nothing is open for this model, or the money is spent."""
    purse, worker = _purse(connection), workers.get(connection, worker_id)
    halted = worker.blocked or orders.state(connection) != orders.RUNNING
    share = 0 if halted else min(most, _affordable(connection, purse, worker.id, limit))
    claimed: list[Call] = []
    dialect_of(connection).follow_indexes(connection)
    for attribute_id, name in _columns(connection, worker):
        if len(claimed) >= share:
            break
        pairs_taken = _take(connection, attribute_id, share - len(claimed))
        changes = Changes()
        for object_id, called in pairs_taken:
            changes.add(attribute_id, object_id, open=-1, out=1)
            claimed.append(
                Call(_begin(connection, worker.id, attribute_id, object_id, 1, now, seconds), name, called, 1)
            )
        changes.make(connection, locked=True)
    return claimed


def replied(
    connection: sa.Connection,
    call_id: int,
    reply: Reply,
    now: float,
    *,
    unit: float,
    again: float | None,
    limit: float | None,
) -> Call | None:
    """Write down what came of a call, and what was paid for it.

    Parameters
    ----------
    unit : float
        What one unit of cost is in the study's currency.
    again : float, optional
        Call once more about the same judgment, out for so many seconds; otherwise the judgment is what was replied.
    limit : float, optional
        In the study's currency; where it is reached, the judgment goes back instead of being called for again.
    """
    _check(reply)
    purse = _purse(connection)
    call = _locked(connection, call_id)
    late = call.state != "out"
    counts = {"tokens_in": reply.tokens_in, "tokens_out": reply.tokens_out, "paid": reply.paid, "said": reply.text}
    state = "late" if late else reply.outcome
    if call.replied_at is not None:
        raise StoreError(f"what came of call {call_id} was written down already.", value=call_id, column="call")
    connection.execute(calls.update().where(calls.c.id == call_id).values(state=state, replied_at=now, **counts))
    _pay(connection, purse, call.worker_id, reply.paid)
    lock(connection, call.attribute_id, {call.object_id})
    if late:  # its judgment went back, and somebody else has it
        return None
    if again is None:
        _judge(connection, call, reply, now, unit)
        return None
    if _affordable(connection, purse, call.worker_id, limit) < 1:
        _give_back(connection, call)
        return None
    attempt = call.attempt + 1
    next_id = _begin(connection, call.worker_id, call.attribute_id, call.object_id, attempt, now, again)
    return Call(next_id, call.column, call.object, attempt)


def failed(connection: sa.Connection, call_id: int, reason: str, now: float) -> None:
    """Write down that a call came to nothing; its judgment goes back."""
    call = _locked(connection, call_id)
    if call.state == "out":
        connection.execute(
            calls.update().where(calls.c.id == call_id).values(state="failed", replied_at=now, said=reason)
        )
        _give_back(connection, call)


def expire(connection: sa.Connection, now: float) -> int:
    """Give back what nobody has been heard of; says how many calls."""
    query = sa.select(calls).where(calls.c.state == "out", calls.c.expires_at < now).order_by(calls.c.id)
    ended = connection.execute(query.with_for_update(skip_locked=True)).all()
    changes = Changes()
    for call in ended:
        connection.execute(calls.update().where(calls.c.id == call.id).values(state="lost"))
        changes.add(call.attribute_id, call.object_id, out=-1, open=1)
    changes.make(connection)
    return len(ended)


def keep(connection: sa.Connection, ids: Sequence[int], until: float) -> None:
    """Let calls be out until a time."""
    for some in portions(ids):
        connection.execute(calls.update().where(calls.c.id.in_(some), calls.c.state == "out").values(expires_at=until))


def count_in_flight(connection: sa.Connection, names: Sequence[str]) -> int:
    """How many calls of these models are out."""
    mine = sa.and_(schema.workers.c.source == _MODEL, schema.workers.c.external.in_(names))
    query = sa.select(sa.func.count()).select_from(calls).join(schema.workers, schema.workers.c.id == calls.c.worker_id)
    return int(connection.execute(query.where(calls.c.state == "out", mine)).scalar_one())


def paid(connection: sa.Connection) -> float:
    """What was paid for all calls, in the study's currency."""
    purse = orders.setting(connection, _PURSE)
    return 0.0 if purse is None else float(json.loads(purse)["paid"])


def _prices(connection: sa.Connection) -> dict[str, float]:
    """What a judgment of each attribute that is one model's came to, in units, replies without a value included."""
    values = sa.func.count(judgments.c.value)
    query = (
        sa.select(attributes.c.name, sa.func.sum(judgments.c.cost) / values)
        .join(judgments, judgments.c.attribute_id == attributes.c.id)
        .join(schema.workers, schema.workers.c.id == judgments.c.worker_id)
        .where(attributes.c.judge.is_not(None), schema.workers.c.source == _MODEL, judgments.c.replaces.is_(None))
        .group_by(attributes.c.id, attributes.c.name)
        .having(values > 0, sa.func.sum(judgments.c.cost) > 0)
        .order_by(attributes.c.id)
    )
    return {row[0]: float(row[1]) for row in connection.execute(query)}


def reprice(connection: sa.Connection) -> None:
    """Let attributes that are one model's cost what they came to so far."""
    for name, cost in _prices(connection).items():
        connection.execute(attributes.update().where(attributes.c.name == name).values(cost=cost))


def everything(connection: sa.Connection) -> pd.DataFrame:
    """Every call that was ever made."""
    query = (
        sa.select(
            calls.c.id,
            calls.c.asked_at,
            calls.c.replied_at,
            schema.workers.c.name.label("worker"),
            objects.c.name.label("object"),
            attributes.c.name.label("attribute"),
            calls.c.attempt,
            calls.c.state,
            calls.c.tokens_in,
            calls.c.tokens_out,
            calls.c.paid,
            calls.c.said,
            calls.c.judgment_id.label("judgment"),
        )
        .join(schema.workers, schema.workers.c.id == calls.c.worker_id)
        .join(objects, objects.c.id == calls.c.object_id)
        .join(attributes, attributes.c.id == calls.c.attribute_id)
        .order_by(calls.c.id)
    )
    return frame_of(connection, query).astype({"replied_at": "float64", "paid": "float64", "judgment": "Int64"})


def discrepancies(connection: sa.Connection) -> list[str]:
    """Where calls, judgments and the purse do not say the same, in words."""
    total = float(connection.execute(sa.select(sa.func.coalesce(sa.func.sum(calls.c.paid), 0.0))).scalar_one())
    problems = []
    if abs(total - paid(connection)) > 1e-9 * max(total, 1):
        problems.append(f"calls cost {total:g}, but the purse says {paid(connection):g}")
    valued = sa.and_(calls.c.state == "answered", calls.c.judgment_id.is_(None))
    lost = connection.execute(sa.select(sa.func.count()).select_from(calls).where(valued)).scalar_one()
    return problems + ([f"{lost} answers are no judgments"] if lost else [])


def _columns(connection: sa.Connection, worker: Worker) -> list[tuple[int, str]]:
    """Attributes that this model judges: its own ones, or, where it has none, those that are everybody's."""
    query = sa.select(attributes.c.id, attributes.c.name).order_by(attributes.c.id)
    own = connection.execute(query.where(attributes.c.judge == worker.external)).all()
    return [(row.id, row.name) for row in own or connection.execute(query.where(attributes.c.judge.is_(None)))]


def _take(connection: sa.Connection, attribute_id: int, most: int) -> list[tuple[int, str]]:
    name = sa.select(objects.c.name).where(objects.c.id == pairs.c.object_id).correlate(pairs).scalar_subquery()
    query = (
        sa.select(pairs.c.object_id, name)
        .where(pairs.c.attribute_id == attribute_id, IS_OPEN)
        .order_by(pairs.c.place)
        .limit(most)
        .with_for_update(skip_locked=True)
    )
    return [(row[0], row[1]) for row in connection.execute(query)]


def _begin(
    connection: sa.Connection,
    worker_id: int,
    attribute_id: int,
    object_id: int,
    attempt: int,
    now: float,
    seconds: float,
) -> int:
    values = {
        "worker_id": worker_id,
        "attribute_id": attribute_id,
        "object_id": object_id,
        "attempt": attempt,
        "state": "out",
        "asked_at": now,
        "expires_at": now + seconds,
        "tokens_in": 0,
        "tokens_out": 0,
        "paid": 0.0,
        "said": "",
    }
    added = connection.execute(calls.insert().values(values).returning(calls.c.id))
    return int(added.scalar_one())


def _locked(connection: sa.Connection, call_id: int) -> Any:
    query = (
        sa.select(calls, attributes.c.name.label("column"), attributes.c.cost, objects.c.name.label("object"))
        .join(attributes, attributes.c.id == calls.c.attribute_id)
        .join(objects, objects.c.id == calls.c.object_id)
        .where(calls.c.id == call_id)
        .with_for_update(of=calls)
    )
    call = connection.execute(query).one_or_none()
    if call is None:
        raise StoreError(f"there is no call {quote_value(call_id)} in this store.", value=call_id, column="call")
    return call


def _judge(connection: sa.Connection, call: Any, reply: Reply, now: float, unit: float) -> None:
    """Turn a reply into a judgment, whose cost is that of all calls that it took."""
    mine = sa.and_(calls.c.worker_id == call.worker_id, _of_pair(calls, call))
    open_bills = sa.and_(mine, calls.c.judgment_id.is_(None), calls.c.state != "out")
    bill = float(connection.execute(sa.select(sa.func.sum(calls.c.paid)).where(open_bills)).scalar_one() or 0.0)
    cost = bill / unit if bill > 0 and unit > 0 else call.cost
    before = sa.and_(judgments.c.worker_id == call.worker_id, _of_pair(judgments, call), judgments.c.replaces.is_(None))
    turn = connection.execute(sa.select(sa.func.count()).select_from(judgments).where(before)).scalar_one()
    answered = reply.outcome == "answered"
    row = {
        "at": now,
        "worker_id": call.worker_id,
        "object_id": call.object_id,
        "attribute_id": call.attribute_id,
        "kind": "answer" if answered else "cant_tell",
        "value": reply.value if answered else None,
        "cost": cost,
        "turn": turn,
    }
    number = connection.execute(judgments.insert().values(row).returning(judgments.c.id)).scalar_one()
    connection.execute(calls.update().where(open_bills).values(judgment_id=number))
    changes = Changes()
    changes.add(call.attribute_id, call.object_id, out=-1, filled=1, **{"have" if answered else "cant_tell": 1})
    changes.make(connection, locked=True)
    workers.change(
        connection, call.worker_id, judged=schema.workers.c.judged + 1, earned=schema.workers.c.earned + cost
    )


def _of_pair(table: sa.Table, call: Any) -> Any:
    return sa.and_(table.c.attribute_id == call.attribute_id, table.c.object_id == call.object_id)


def _give_back(connection: sa.Connection, call: Any) -> None:
    changes = Changes()
    changes.add(call.attribute_id, call.object_id, out=-1, open=1)
    changes.make(connection)


def _purse(connection: sa.Connection) -> dict[str, Any]:
    """What was paid so far; nobody else spends until the transaction ends."""
    begun = json.dumps({"paid": 0.0, "dearest": {}})
    connection.execute(insert_missing(connection, settings).values(key=_PURSE, value=begun))
    query = sa.select(settings.c.value).where(settings.c.key == _PURSE).with_for_update()
    purse: dict[str, Any] = json.loads(connection.execute(query).scalar_one())
    return purse


def _pay(connection: sa.Connection, purse: dict[str, Any], worker_id: int, amount: float) -> None:
    if amount > 0:
        purse["paid"] += amount
        purse["dearest"][str(worker_id)] = max(purse["dearest"].get(str(worker_id), 0.0), amount)
        orders.put(connection, _PURSE, json.dumps(purse))


def _affordable(connection: sa.Connection, purse: dict[str, Any], worker_id: int, limit: float | None) -> int:
    """How many calls the limit leaves money for, if each costs as much as the dearest so far, those in flight too."""
    if limit is None:
        return 1 << 30
    room = limit * (1 + _ALLOWANCE) - purse["paid"]
    dearest = purse["dearest"].get(str(worker_id), 0.0)
    if room <= 0 or dearest == 0:
        return 0 if room <= 0 else 1 << 30
    in_flight = sa.select(calls.c.worker_id, sa.func.count()).where(calls.c.state == "out").group_by(calls.c.worker_id)
    held = sum(float(purse["dearest"].get(str(who), 0.0)) * many for who, many in connection.execute(in_flight))
    return max(int((room - held) / float(dearest)), 0)


def _check(reply: Reply) -> None:
    if reply.outcome not in OUTCOMES:
        raise StoreError(
            f"{quote_value(reply.outcome)} is no outcome of a call; there are {', '.join(OUTCOMES)}.",
            value=reply.outcome,
            column="outcome",
        )
    if (reply.outcome == "answered") != (reply.value is not None and math.isfinite(reply.value)):
        raise StoreError(
            f"a call that was {reply.outcome} cannot have the value {quote_value(reply.value)}.",
            value=reply.value,
            column="value",
        )
    if not (math.isfinite(reply.paid) and reply.paid >= 0):
        raise StoreError(
            f"what was paid for a call must be 0 or more, not {quote_value(reply.paid)}.",
            value=reply.paid,
            column="paid",
        )
