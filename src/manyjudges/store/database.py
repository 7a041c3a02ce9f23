"""The database under a store: one way to reach SQLite and PostgreSQL, their transactions, and their faults in words."""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any, TypeVar

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import event
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    DisconnectionError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
    SQLAlchemyError,
    TimeoutError,
)

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import StoreError

T = TypeVar("T")

PATIENCE = 20.0
"""Seconds that a transaction waits for others on SQLite."""

TRIES = 8
"""How often a transaction is begun that others got in the way of."""

WRITERS = {"sqlite": 1, "postgresql": 8}
"""How many transactions of one server write at a time. More get in each other's way: all want the next open work."""

ADVICE = {
    "unable to open database file": "See whether its folder is there and may be written to",
    "is not a database": "The file is something else; name another one, or move it away",
    "readonly database": "The file or its folder may not be written to; change that, or name another place",
    "database or disk is full": "Make room on the disk, and try again",
    "Connection refused": "See whether the server runs, and whether host and port are right",
    "password authentication failed": "See whether user and password are right",
}
"""What to do about a database's complaint."""

CONFLICTS = ("40001", "40P01", "55P03")
"""PostgreSQL's codes for transactions that got in each other's way: serialization, deadlock, lock not available."""

MIGRATING = 7061738
"""The advisory lock under which PostgreSQL's tables are made, so that two servers may start at once."""


class StoreUnavailableError(StoreError):
    """The database cannot be used right now: lost, full or locked. What was acknowledged is safe; try again later."""


class Database:
    """An engine with two kinds of transactions: to read, and to write.

    On SQLite a writing transaction takes the write lock when it begins, so that it never fails half-way for another's
    sake, and waits for its turn in line; every commit is on disk when it returns (WAL, ``synchronous=FULL``).
    On PostgreSQL rows are locked as they are needed, and a transaction that others got in the way of is begun again.
    """

    def __init__(self, address: str) -> None:
        try:
            url = sa.make_url(address)
            self.engine = _engine(url)
        except (ArgumentError, NoSuchModuleError, ImportError, ValueError) as error:
            raise StoreError(
                f"the database address {_safe(address)} cannot be used ({error}); write sqlite:///file.db or "
                "postgresql+psycopg://user:password@host/name (which needs pip install 'manyjudges[postgresql]')."
            ) from None
        self.kind = url.get_backend_name()
        if self.kind == "sqlite" and not str(url.database).startswith("file:"):
            _watch(self.engine, str(url.database), lambda: self._made)
        self._made = False
        self._where = url.render_as_string(hide_password=True)
        # In order of arrival: waiting at the database, or for a connection, is a lottery, and slow under load.
        self._turn = _FairLock(WRITERS[self.kind])

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()

    def read(self, work: Callable[[sa.Connection], T]) -> T:
        """Do some work that reads only, on one consistent state."""
        return self._tried(work, writing=False)

    def write(self, work: Callable[[sa.Connection], T]) -> T:
        """Do some work that writes; when this returns it is on disk, when it raises nothing of it is."""
        with self._turn:
            return self._tried(work, writing=True)

    def migrate(self) -> None:
        """Bring the tables up to date."""
        self.write(self._migrated)
        self._made = True

    def _migrated(self, connection: sa.Connection) -> None:
        if self.kind == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATING)))
        config = Config()
        config.set_main_option("script_location", str(files("manyjudges.store") / "migrations"))
        config.attributes["connection"] = connection
        steps = ScriptDirectory.from_config(config)
        now = MigrationContext.configure(connection).get_current_revision()
        if now is not None and now not in {step.revision for step in steps.walk_revisions()}:
            raise StoreError(
                f"{self._where} is at version {now}, which this ManyJudges does not know: it was written by a newer "
                "one. Upgrade ManyJudges."
            )
        if now != steps.get_current_head():
            command.upgrade(config, "head")

    def _tried(self, work: Callable[[sa.Connection], T], *, writing: bool) -> T:
        for attempt in range(TRIES):
            try:
                with self._transaction(writing=writing) as connection:
                    return work(connection)
            except DBAPIError as error:
                if attempt + 1 < TRIES and _conflict(error, attempt):
                    time.sleep(random.uniform(0.2, 1.0) * 0.01 * 2**attempt)  # noqa: S311  # no secret: who waits how long
                    continue
                raise self._in_words(error) from error
            except SQLAlchemyError as error:
                raise self._in_words(error) from error
            except (OverflowError, UnicodeError) as error:  # a number or a text that no database takes
                raise StoreError(f"{self._where} cannot keep this: {error}") from error
        raise StoreUnavailableError(f"{self._where} is too busy.")  # pragma: no cover  # the loop returns or raises

    @contextmanager
    def _transaction(self, *, writing: bool) -> Iterator[sa.Connection]:
        with self.engine.connect() as connection:
            if self.kind == "sqlite":
                connection = connection.execution_options(manyjudges_writing=writing)
            elif not writing:
                connection = connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            with connection.begin():
                yield connection

    def _in_words(self, error: SQLAlchemyError) -> StoreError:
        reason = " ".join(str(getattr(error, "orig", None) or error).split())
        if isinstance(error, OperationalError | InterfaceError | TimeoutError):
            known = next(
                (words for sign, words in ADVICE.items() if sign in reason), "See to the database, and try again"
            )
            kept = "Nothing that was acknowledged is lost."
            return StoreUnavailableError(f"{self._where} cannot be used now: {reason}. {known}. {kept}")
        if isinstance(error, DBAPIError) and error.connection_invalidated:
            return StoreUnavailableError(f"{self._where} was lost: {reason}. Nothing that was acknowledged is lost.")
        known = next((f". {words}." for sign, words in ADVICE.items() if sign in reason), "")
        return StoreError(f"{self._where}: {reason}{known}")


class _FairLock:
    """So many at a time, in order of arrival, which the locks of ``threading`` do not keep."""

    def __init__(self, places: int) -> None:
        self._guard, self._waiting, self._free = threading.Lock(), deque[threading.Event](), places

    def __enter__(self) -> None:
        turn = threading.Event()
        with self._guard:
            if self._free:
                self._free -= 1
                return
            self._waiting.append(turn)
        try:
            turn.wait()
        except BaseException:  # Ctrl-C while waiting
            with self._guard:
                waits = turn in self._waiting
                if waits:
                    self._waiting.remove(turn)
            if not waits:
                self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1


def ignoring(connection: sa.Connection, table: sa.Table) -> Any:
    """An insertion that leaves alone what is there already."""
    return inserting(connection, table).on_conflict_do_nothing()


def inserting(connection: sa.Connection, table: sa.Table) -> Any:
    """An insertion that can say what to do about what is there already; both databases say it in the same words."""
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert as insert_into_sqlite

        return insert_into_sqlite(table)
    from sqlalchemy.dialects.postgresql import insert as insert_into_postgresql

    return insert_into_postgresql(table)


def _engine(url: sa.URL) -> sa.Engine:
    kind = url.get_backend_name()
    if kind == "sqlite":
        if url.database in (None, "", ":memory:"):
            raise ValueError("a store must be a file; one in memory would be lost")
        engine = sa.create_engine(url, connect_args={"timeout": PATIENCE, "check_same_thread": False}, pool_size=40)
        event.listen(engine, "connect", _as_we_need_it)
        event.listen(engine, "begin", _begin)
        return engine
    if kind != "postgresql":
        raise ValueError(f"{kind} is not among SQLite and PostgreSQL")
    hurry = {} if "connect_timeout" in url.query else {"connect_timeout": 10}
    return sa.create_engine(url, pool_pre_ping=True, pool_size=20, max_overflow=20, connect_args=hurry)


def _watch(engine: sa.Engine, path: str, made: Callable[[], bool]) -> None:
    """Use a file only while it lies where it should: what went into one that was removed would be lost."""

    def which() -> tuple[int, int] | None:
        try:
            found = os.stat(path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def opening(dialect: Any, record: Any, arguments: Any, options: Any) -> None:
        if made() and which() is None:  # SQLite would begin an empty one
            raise sqlite3.OperationalError(f"the file {path} is gone")

    def opened(connection: Any, record: Any) -> None:
        record.info["file"] = which()

    def taken(connection: Any, record: Any, proxy: Any) -> None:
        if record.info["file"] != which():
            raise DisconnectionError(f"{path} is another file now")

    event.listen(engine, "do_connect", opening)
    event.listen(engine, "connect", opened)
    event.listen(engine, "checkout", taken)


def _as_we_need_it(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say so, below
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={int(PATIENCE * 1000)}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: sa.Connection) -> None:
    writing = connection.get_execution_options().get("manyjudges_writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _conflict(error: DBAPIError, attempt: int) -> bool:
    """Whether it may go well when tried again at once."""
    if getattr(error.orig, "sqlstate", None) in CONFLICTS:
        return True
    # SQLite has waited already, but not where two processes turn one new file into WAL.
    return attempt == 0 and isinstance(error, OperationalError) and "database is locked" in str(error.orig)


def _safe(address: str) -> str:
    """An address to show, without its password."""
    try:
        return quote_value(sa.make_url(address).render_as_string(hide_password=True))
    except (ArgumentError, ValueError):
        return "(not shown, as it may hold a password)"
