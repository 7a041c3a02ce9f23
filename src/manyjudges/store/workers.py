"""People, and programs, in a store: who they are, how they get in, and what they may do. Functions of a connection."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import StoreError
from manyjudges.store.dialects import insert_missing
from manyjudges.store.records import Worker
from manyjudges.store.schema import programs, workers

DAY = 86400.0

_LONGEST_NAME = 40
"""Characters of a pseudonym, as the table has it."""


def _hashed(token: str) -> str:
    """What is kept of a token. It is long and random, so that one round of a plain hash suffices."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def entered(
    connection: sa.Connection, source: str, external: str, details: Mapping[str, Any], consented: bool
) -> Worker | None:
    """The worker of this name from this source, where nothing is to be written down about this visit."""
    row = _row(connection, sa.and_(workers.c.source == source, workers.c.external == external))
    return None if row is None or _news(row, details, consented) else _as_worker(row)


def enter(
    connection: sa.Connection, source: str, external: str, details: Mapping[str, Any], consented: bool, now: float
) -> Worker:
    """The worker of this name from this source, made at the first time."""
    mine = sa.and_(workers.c.source == source, workers.c.external == external)
    if _row(connection, mine) is None:
        _add(connection, now, source=source, external=external)
    news = _news(_row(connection, mine), details, consented)
    if "consented_at" in news:
        news["consented_at"] = sa.func.coalesce(workers.c.consented_at, now)
    if news:
        connection.execute(workers.update().where(mine).values(**news))
    return _worker_or_error(_row(connection, mine), external)


def _news(row: Any, details: Mapping[str, Any], consented: bool) -> dict[str, Any]:
    """Columns of a worker's row that a visit changes."""
    news: dict[str, Any] = {}
    if details and json.loads(row.details) != dict(details):
        news["details"] = json.dumps(dict(details))
    if consented and row.consented_at is None:
        news["consented_at"] = None  # the time is set by whoever writes it
    return news


def invite(connection: sa.Connection, count: int, expires: float, now: float) -> list[str]:
    """Tokens of personal links, each for a new worker."""
    tokens = [secrets.token_urlsafe(24) for _ in range(count)]
    for token in tokens:
        _add(connection, now, source="link", external=secrets.token_hex(8), token=_hashed(token), token_expires=expires)
    return tokens


def admit(connection: sa.Connection, token: str, now: float) -> Worker | None:
    """Whose personal link it is; None where it is nobody's, or has expired."""
    row = _row(connection, workers.c.token_hash == _hashed(token))
    return None if row is None or row.token_expires < now else _as_worker(row)


def find(connection: sa.Connection, name: str) -> Worker | None:
    """A worker by pseudonym, or by the name that a source gave."""
    if "\x00" in name:  # PostgreSQL takes no such text, not even to look for it
        return None
    row = _row(connection, workers.c.name == name)
    if row is None:
        rows = connection.execute(sa.select(workers).where(workers.c.external == name)).all()
        if len(rows) > 1:
            names = ", ".join(sorted(worker.name for worker in rows))
            raise StoreError(
                f"{len(rows)} workers are called {quote_value(name)}; say which one by its pseudonym: {names}.",
                value=name,
                column="name",
            )
        row = rows[0] if rows else None
    return None if row is None else _as_worker(row)


def get(connection: sa.Connection, worker_id: int, *, lock: bool = False) -> Worker:
    """A worker by id; with ``lock``, nobody else changes or serves the same one until the transaction ends."""
    query = sa.select(workers).where(workers.c.id == worker_id)
    return _worker_or_error(connection.execute(query.with_for_update() if lock else query).one_or_none(), worker_id)


def everybody(connection: sa.Connection) -> list[Worker]:
    """All workers, in the order in which they came."""
    return [_as_worker(row) for row in connection.execute(sa.select(workers).order_by(workers.c.id))]


def change(connection: sa.Connection, worker_id: int, **values: Any) -> None:
    """Change a worker's row."""
    connection.execute(workers.update().where(workers.c.id == worker_id).values(**values))


def forget(connection: sa.Connection, worker_id: int, now: float) -> None:
    """Who it was is known no more; neither the name nor a link leads to this worker."""
    erased = {"external": None, "details": "{}", "token_hash": None, "token_expires": None, "blocked_at": now}
    change(connection, worker_id, **erased)


def add_program(connection: sa.Connection, name: str, now: float) -> str:
    """A token for a program."""
    if not 1 <= len(name) <= 100:
        raise StoreError(
            f"the name of a program has 1 to 100 letters; {quote_value(name)} has {len(name)}.",
            value=name,
            column="name",
        )
    if name in program_names(connection):
        raise StoreError(
            f"there is a program {quote_value(name)} already; revoke its token, or take another name.",
            value=name,
            column="name",
        )
    token = secrets.token_urlsafe(32)
    connection.execute(programs.insert().values(name=name, token_hash=_hashed(token), made_at=now))
    return token


def program(connection: sa.Connection, token: str) -> str | None:
    """Whose token it is; None where it is nobody's, or was revoked."""
    query = sa.select(programs.c.name).where(programs.c.token_hash == _hashed(token), programs.c.revoked_at.is_(None))
    return connection.execute(query).scalar_one_or_none()


def program_names(connection: sa.Connection) -> list[str]:
    """Programs whose tokens hold."""
    query = sa.select(programs.c.name).where(programs.c.revoked_at.is_(None)).order_by(programs.c.name)
    return list(connection.execute(query).scalars())


def revoke_program(connection: sa.Connection, name: str, now: float) -> None:
    """Let a program in no more."""
    mine = sa.and_(programs.c.name == name, programs.c.revoked_at.is_(None))
    if not connection.execute(programs.update().where(mine).values(revoked_at=now)).rowcount:
        raise StoreError(f"there is no program {quote_value(name)} with a token.", value=name, column="name")


def _as_worker(row: Any) -> Worker:
    """A row as a worker."""
    return Worker(
        id=row.id,
        name=row.name,
        source=row.source,
        external=row.external,
        details=json.loads(row.details),
        judged=row.judged,
        batches=row.batches,
        earned=row.earned,
        consented=row.consented_at is not None,
        blocked=row.blocked_at is not None,
    )


def _add(
    connection: sa.Connection,
    now: float,
    *,
    source: str,
    external: str,
    token: str | None = None,
    token_expires: float | None = None,
) -> None:
    named = source == "model" and len(external) <= _LONGEST_NAME  # nobody's secret, and easier to read
    is_taken = named and _row(connection, workers.c.name == external) is not None
    values = {
        "name": external if named and not is_taken else f"w{secrets.token_hex(5)}",
        "source": source,
        "external": external,
        "details": "{}",
        "token_hash": token,
        "token_expires": token_expires,
        "entered_at": now,
        "judged": 0,
        "batches": 0,
        "earned": 0.0,
    }
    # Somebody who enters twice at the same moment, through two servers, is one worker.
    connection.execute(insert_missing(connection, workers).values(values))


def _row(connection: sa.Connection, condition: Any) -> Any:
    return connection.execute(sa.select(workers).where(condition)).one_or_none()


def _worker_or_error(row: Any, who: object) -> Worker:
    if row is None:
        raise StoreError(f"there is no worker {quote_value(who)} in this store.", value=who, column="worker")
    return _as_worker(row)
