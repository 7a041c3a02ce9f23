"""Orders: what a study is about and what of it is to be judged, as a store keeps it. Functions of a connection."""

from __future__ import annotations

__all__ = ["RUNNING"]

import json
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from manyjudges.base.messages import list_names, quote_value
from manyjudges.core.budget import COST_TOLERANCE
from manyjudges.exceptions import StoreError
from manyjudges.store import queries
from manyjudges.store.dialects import PLANNING, PREPARATION, dialect_of
from manyjudges.store.pair_counts import IS_OPEN, Changes
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
    settings,
)

_CAMPAIGN = "campaign"
RUNNING = "running"
"""The state of a study in which judges get work."""

_PAIRS_AT_ONCE = 50_000
"""How many pairs one statement orders."""

INITIAL_STATE = {"round": 0, "asked": 0, "reason": "", "stage": "pilot"}


def setting(connection: sa.Connection, key: str) -> str | None:
    """What was set, or None."""
    return connection.execute(sa.select(settings.c.value).where(settings.c.key == key)).scalar_one_or_none()


def put(connection: sa.Connection, key: str, value: str) -> None:
    """Set something, or set it anew."""
    added = dialect_of(connection).insert(settings).values(key=key, value=value)
    connection.execute(added.on_conflict_do_update(index_elements=["key"], set_={"value": value}))


def note(connection: sa.Connection, what: str, detail: str, now: float) -> None:
    """Add to the log."""
    connection.execute(events.insert().values(at=now, what=what, detail=detail))


def state(connection: sa.Connection) -> str:
    """Whether work is handed out: ``"running"``, ``"paused"`` or ``"closed"``."""
    return setting(connection, "state") or RUNNING


def campaign(connection: sa.Connection) -> dict[str, Any]:
    """How far the campaign is: ``round``, ``asked``, ``reason``, ``stage``."""
    document = setting(connection, _CAMPAIGN)
    return dict(INITIAL_STATE) if document is None else json.loads(document)


def prepare(
    connection: sa.Connection,
    prices: Mapping[str, float],
    labels_by_object: Iterable[tuple[str, float | None]],
    seed: int,
    judges: Mapping[str, str],
) -> None:
    """Make the store be about these attributes and objects; what was judged stays, and must fit."""
    dialect_of(connection).take_turn(connection, PREPARATION)  # two servers may start at once
    _prepare_attributes(connection, prices, judges)
    rows_by_name = {row.name: row for row in connection.execute(sa.select(objects))}
    labels = dict(labels_by_object)
    new = [name for name in labels if name not in rows_by_name]
    chance = random.Random(f"{seed} {len(rows_by_name)}")  # noqa: S311  # an order to hand out in, no secret
    places = list(range(len(rows_by_name), len(rows_by_name) + len(new)))
    chance.shuffle(places)
    if new:
        rows = [{"name": n, "label": labels[n], "place": p, "active": True} for n, p in zip(new, places, strict=True)]
        connection.execute(objects.insert(), rows)
    changed = [
        {"which": row.id, "now_label": labels.get(name, row.label), "now_active": name in labels}
        for name, row in rows_by_name.items()
        if (name in labels) != row.active or (name in labels and labels[name] != row.label)
    ]
    if changed:
        update = objects.update().where(objects.c.id == sa.bindparam("which"))
        connection.execute(update.values(label=sa.bindparam("now_label"), active=sa.bindparam("now_active")), changed)
        if not all(row["now_active"] for row in changed):
            dialect_of(connection).lock_orders(connection)
            inactive = sa.select(objects.c.id).where(~objects.c.active)
            _close(connection, pairs.c.object_id.in_(inactive))


def _prepare_attributes(connection: sa.Connection, prices: Mapping[str, float], judges: Mapping[str, str]) -> None:
    old_prices = queries.prices(connection)
    bought = connection.execute(sa.select(judgments.c.id).limit(1)).first() is not None
    if bought:  # what a model's judgments cost is known better by now than the study's file says
        prices = {name: old_prices.get(name, cost) if name in judges else cost for name, cost in prices.items()}
    if list(old_prices.items()) == list(prices.items()) and queries.judges(connection) == dict(judges):
        return
    if bought:
        _refuse(old_prices, prices)
    dialect_of(connection).lock_orders(connection)
    for table in (items, batches, calls, pairs, attributes):
        connection.execute(table.delete())
    rows = [{"name": name, "cost": cost, "judge": judges.get(name)} for name, cost in prices.items()]
    connection.execute(attributes.insert(), rows)
    put(connection, _CAMPAIGN, json.dumps(INITIAL_STATE))


def _refuse(old_prices: Mapping[str, float], prices: Mapping[str, float]) -> None:
    added, removed = (
        [name for name in one if name not in other] for one, other in ((prices, old_prices), (old_prices, prices))
    )
    if added or removed:
        changes = ((added, "was added"), (removed, "was taken out"))
        odd, change = [*added, *removed], ", ".join(f"{list_names(names)} {done}" for names, done in changes if names)
    elif dearer := [name for name in old_prices if old_prices[name] != prices[name]]:
        odd, change = dearer, f"the cost of {list_names(dearer)} was changed"
    else:
        odd, change = list(prices), "their order was changed"
    raise StoreError(
        f"judgments were bought already, and the attributes are no longer those they were bought for: {change}. "
        "Change the study back, or begin a new one with a database of its own.",
        value=odd[0],
        column="attributes",
    )


def place_orders(connection: sa.Connection, requests: Iterable[tuple[str, str, int]]) -> None:
    """Open as much work as is asked for, and nothing else.

    Parameters
    ----------
    requests : iterable of (object, attribute, count)
        Judgments that each pair should have in all. What there is by now, and what is out, is not opened again: it may
        have come while the order was thought out.
    """
    dialect_of(connection).lock_orders(connection)
    objects_by_name = {row.name: row for row in connection.execute(sa.select(objects).where(objects.c.active))}
    columns = {row.name: row.id for row in connection.execute(sa.select(attributes))}
    targets: dict[tuple[int, int], tuple[int, int]] = {}
    for name, attribute, count in requests:
        if name not in objects_by_name or attribute not in columns or count < 0:
            raise StoreError(
                f"{quote_value(count)} judgments of {quote_value(attribute)} for {quote_value(name)} "
                f"cannot be ordered; both must be in "
                "the study, and the number 0 or more.",
                value=count,
                row=name,
                column=attribute,
            )
        targets[columns[attribute], objects_by_name[name].id] = objects_by_name[name].place, int(count)
    ordered = sa.select(pairs.c.attribute_id, pairs.c.object_id, pairs.c.place).where(pairs.c.open + pairs.c.out != 0)
    for attribute_id, object_id, place in connection.execute(ordered):
        targets.setdefault((attribute_id, object_id), (place, 0))  # no more of those
    rows = [(attribute, object_id, place, count) for (attribute, object_id), (place, count) in sorted(targets.items())]
    for start in range(0, len(rows), _PAIRS_AT_ONCE):
        _open(connection, rows[start : start + _PAIRS_AT_ONCE])


def _open(connection: sa.Connection, rows: Sequence[tuple[int, int, int, int]]) -> None:
    """Open work by rows of attribute, object, place and count, which travel as one value: that is fastest."""
    source, field = dialect_of(connection).json_rows()
    fields = ", ".join(field.format(i) for i in range(4))
    lacking = 'CASE WHEN excluded."open" > pairs.have THEN excluded."open" - pairs.have ELSE 0 END - pairs."out"'
    connection.execute(
        sa.text(
            'INSERT INTO pairs (attribute_id, object_id, place, "open", "out", filled, have, cant_tell, dry) '  # noqa: S608  # our own words; what came from outside is a parameter
            f"SELECT {fields}, 0, 0, 0, 0, false FROM {source} WHERE true "
            f'ON CONFLICT (attribute_id, object_id) DO UPDATE SET "open" = {lacking} WHERE pairs."open" <> {lacking}'
        ),
        {"rows": json.dumps(rows)},
    )


def mark_exhausted(connection: sa.Connection) -> None:
    """What is open will not come: those pairs are not asked for again."""
    connection.execute(pairs.update().where(sa.text('"open" > 0')).values(dry=True, open=-pairs.c.out))


def settle(
    connection: sa.Connection,
    seen: Mapping[str, Any],
    state: Mapping[str, Any],
    documents: Iterable[Mapping[str, Any]],
    requests: Iterable[tuple[str, str, int]],
    limit: float | None,
    give_up: bool,
    now: float,
) -> bool:
    """Write what was decided: the rounds' documents, the campaign's state and its orders; all of it, or nothing.

    False where somebody else decided first: ``seen`` is not how the campaign stands. What ``limit`` does not pay for,
    by now, is not ordered: more may have been spent while it was decided.
    """
    connection.execute(sa.select(settings).where(settings.c.key == _CAMPAIGN).with_for_update())
    if campaign(connection) | {"rounds": _count(connection, rounds)} != dict(seen):
        return False
    for document in documents:
        connection.execute(rounds.insert().values(at=now, document=json.dumps(document)))
    put(connection, _CAMPAIGN, json.dumps(dict(state)))
    if give_up:
        dialect_of(connection).lock_orders(connection)
        mark_exhausted(connection)
    place_orders(connection, requests)
    if limit is not None:
        _keep_within(connection, limit * (1 + COST_TOLERANCE))
    return True


def _keep_within(connection: sa.Connection, limit: float) -> None:
    """Close as much of what is open as the money does not suffice for, the last in line first."""
    excess = sum(queries.spending(connection).values()) - limit
    if excess <= 0:
        return
    last_first = (
        sa.select(pairs.c.attribute_id, pairs.c.object_id, pairs.c.open, attributes.c.cost)
        .join(attributes, attributes.c.id == pairs.c.attribute_id)
        .where(IS_OPEN)
        .order_by(pairs.c.place.desc(), pairs.c.attribute_id.desc())
    )
    changes = Changes()
    for attribute_id, object_id, some, cost in connection.execute(last_first):
        if excess <= 0:
            break
        less = min(some, math.ceil(excess / cost))
        changes.add(attribute_id, object_id, open=-less)
        excess -= less * cost
    changes.make(connection)


def may_plan(connection: sa.Connection, owner: str, now: float, until: float) -> bool:
    """Whether this one may plan now, until a time; only one at a time does."""
    dialect_of(connection).take_turn(connection, PLANNING)
    planner = _planner(connection)
    if planner["owner"] not in ("", owner) and planner["until"] > now:
        return False
    put(connection, "planning", json.dumps({"owner": owner, "until": until}))
    return True


def being_planned(connection: sa.Connection, now: float) -> bool:
    """Whether somebody is planning."""
    planner = _planner(connection)
    return bool(planner["owner"] and planner["until"] > now)


def planned(connection: sa.Connection, owner: str) -> None:
    """Say that one is through with planning."""
    if _planner(connection)["owner"] == owner:
        put(connection, "planning", json.dumps({"owner": "", "until": 0}))


def _planner(connection: sa.Connection) -> dict[str, Any]:
    planner: dict[str, Any] = json.loads(setting(connection, "planning") or '{"owner": "", "until": 0}')
    return planner


def seen(connection: sa.Connection) -> dict[str, Any]:
    """How the campaign stands, to say later whether it still does."""
    return campaign(connection) | {"rounds": _count(connection, rounds)}


def _close(connection: sa.Connection, which: Any) -> None:
    """Open nothing; what is out may come, but is not handed out again when it comes back."""
    connection.execute(pairs.update().where(pairs.c.open + pairs.c.out != 0, which).values(open=-pairs.c.out))


def _count(connection: sa.Connection, table: sa.Table) -> int:
    return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())
