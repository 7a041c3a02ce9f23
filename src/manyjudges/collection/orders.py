"""Orders: what a study is about and what of it is to be judged, as a store keeps it. Functions of a connection."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from manyjudges.collection import accounts
from manyjudges.collection.people import inserting
from manyjudges.collection.schema import attributes, batches, events, items, judgments, objects, pairs, rounds, settings
from manyjudges.exceptions import StoreError, name_some

CAMPAIGN = "campaign"

PLANNING = 7061739
"""The advisory lock under which PostgreSQL decides who plans."""

BEGINNING = {"round": 0, "asked": 0, "reason": "", "stage": "pilot"}


def setting(connection: sa.Connection, key: str) -> str | None:
    """What was set, or None."""
    return connection.execute(sa.select(settings.c.value).where(settings.c.key == key)).scalar_one_or_none()


def put(connection: sa.Connection, key: str, value: str) -> None:
    """Set something, or set it anew."""
    added = inserting(connection, settings).values(key=key, value=value)
    connection.execute(added.on_conflict_do_update(index_elements=["key"], set_={"value": value}))


def note(connection: sa.Connection, what: str, detail: str, now: float) -> None:
    """Add to the log."""
    connection.execute(events.insert().values(at=now, what=what, detail=detail))


def campaign(connection: sa.Connection) -> dict[str, Any]:
    """How far the campaign is: ``round``, ``asked``, ``reason``, ``stage``."""
    found = setting(connection, CAMPAIGN)
    return dict(BEGINNING) if found is None else json.loads(found)


def prepare(
    connection: sa.Connection, prices: Mapping[str, float], things: Iterable[tuple[str, float | None]], seed: int
) -> None:
    """Make the store be about these attributes and objects; what was judged stays, and must fit."""
    _prepare_attributes(connection, prices)
    known = {row.name: row for row in connection.execute(sa.select(objects))}
    given = dict(things)
    new = [name for name in given if name not in known]
    chance = random.Random(f"{seed} {len(known)}")  # noqa: S311  # an order to hand out in, no secret
    places = list(range(len(known), len(known) + len(new)))
    chance.shuffle(places)
    if new:
        rows = [{"name": n, "label": given[n], "place": p, "active": True} for n, p in zip(new, places, strict=True)]
        connection.execute(objects.insert(), rows)
    changed = [
        {"which": row.id, "now_label": given.get(name, row.label), "now_active": name in given}
        for name, row in known.items()
        if (name in given) != row.active or (name in given and given[name] != row.label)
    ]
    if changed:
        update = objects.update().where(objects.c.id == sa.bindparam("which"))
        connection.execute(update.values(label=sa.bindparam("now_label"), active=sa.bindparam("now_active")), changed)
        gone = [row["which"] for row in changed if not row["now_active"]]
        if gone:
            _close(connection, pairs.c.object_id.in_(gone))


def _prepare_attributes(connection: sa.Connection, prices: Mapping[str, float]) -> None:
    known = accounts.prices(connection)
    if list(known.items()) == list(prices.items()):
        return
    if connection.execute(sa.select(judgments.c.id).limit(1)).first() is not None:
        _refuse(known, prices)
    for table in (items, batches, pairs, attributes):
        connection.execute(table.delete())
    connection.execute(attributes.insert(), [{"name": name, "cost": cost} for name, cost in prices.items()])
    put(connection, CAMPAIGN, json.dumps(BEGINNING))


def _refuse(known: Mapping[str, float], prices: Mapping[str, float]) -> None:
    if added := [name for name in prices if name not in known]:
        what = f"{name_some(added)} was added"
    elif gone := [name for name in known if name not in prices]:
        what = f"{name_some(gone)} was taken out"
    elif dearer := [name for name in known if known[name] != prices[name]]:
        what = f"the cost of {name_some(dearer)} was changed"
    else:
        what = "their order was changed"
    raise StoreError(
        f"judgments were bought already, and the attributes are no longer those they were bought for: {what}. "
        "Change the study back, or begin a new one with a database of its own."
    )


def place_orders(connection: sa.Connection, requests: Iterable[tuple[str, str, int]]) -> None:
    """Open as much work as is asked for, and nothing else.

    Parameters
    ----------
    requests : iterable of (object, attribute, count)
        Judgments that each pair should have in all. What there is by now, and what is out, is not opened again: it may
        have come while the order was thought out.
    """
    if connection.dialect.name == "postgresql":  # nobody leases or hands in while it changes; both wait for us
        connection.execute(sa.text("LOCK TABLE pairs IN EXCLUSIVE MODE"))
    _close(connection, sa.true())
    things = {row.name: row for row in connection.execute(sa.select(objects).where(objects.c.active))}
    columns = {row.name: row.id for row in connection.execute(sa.select(attributes))}
    rows = [
        {
            "attribute_id": columns[attribute],
            "object_id": things[name].id,
            "place": things[name].place,
            "open": int(count),
            "out": 0,
            "filled": 0,
            "have": 0,
            "cant_tell": 0,
            "dry": False,
        }
        for name, attribute, count in requests
    ]
    if rows:
        added = inserting(connection, pairs)
        lacking = added.excluded["open"] - pairs.c.have - pairs.c.out
        opened = sa.case((lacking > 0, lacking), else_=0)
        where = ["attribute_id", "object_id"]
        connection.execute(added.on_conflict_do_update(index_elements=where, set_={"open": opened}), rows)


def give_up(connection: sa.Connection) -> None:
    """What is open will not come: those pairs are not asked for again."""
    connection.execute(pairs.update().where(sa.text('"open" > 0')).values(dry=True, open=0))


def settle(
    connection: sa.Connection,
    seen: Mapping[str, Any],
    state: Mapping[str, Any],
    documents: Iterable[Mapping[str, Any]],
    requests: Iterable[tuple[str, str, int]],
    now: float,
) -> bool:
    """Write what was decided: the rounds' documents, the campaign's state and its orders; all of it, or nothing.

    False where somebody else decided first: ``seen`` is not how the campaign stands.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(settings).where(settings.c.key == CAMPAIGN).with_for_update())
    if campaign(connection) | {"rounds": _count(connection, rounds)} != dict(seen):
        return False
    for document in documents:
        connection.execute(rounds.insert().values(at=now, document=json.dumps(document)))
    put(connection, CAMPAIGN, json.dumps(dict(state)))
    place_orders(connection, requests)
    return True


def seen(connection: sa.Connection) -> dict[str, Any]:
    """How the campaign stands, to say later whether it still does."""
    return campaign(connection) | {"rounds": _count(connection, rounds)}


def _close(connection: sa.Connection, which: Any) -> None:
    connection.execute(pairs.update().where(sa.text('"open" > 0'), which).values(open=0))


def _count(connection: sa.Connection, table: sa.Table) -> int:
    return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())
