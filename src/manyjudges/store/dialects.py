"""Dialects: what SQLite and PostgreSQL do differently, an object for each; the rest of the store asks none its name.

A further database is one more class here, entered in ``DIALECTS``. The laws in ``tests/laws/test_store_*`` run on it,
and ask ``tests/support/stores.py`` where to run. Which addresses it takes is written down in
``base.database_addresses``: a study's file is checked by the same rules, and the study may not import the store.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from typing import Any, Protocol

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, DisconnectionError, OperationalError

from manyjudges.base.database_addresses import address_form

_LOCK_TIMEOUT = 20.0
"""Seconds that a transaction waits for others on SQLite."""

_CONFLICTS = ("40001", "40P01", "55P03")
"""PostgreSQL's codes for transactions that got in each other's way: serialization, deadlock, lock not available."""

MIGRATION, PREPARATION, PLANNING = 7061738, 7061740, 7061739
"""What only one server does at a time: make the tables, say what a study is about, decide who plans."""

_ALONG_THE_INDEX = sa.select(
    *(sa.func.set_config(name, "off", True) for name in ("enable_sort", "enable_bitmapscan", "enable_seqscan", "jit"))
)


class Dialect(Protocol):
    """One kind of database.

    Attributes
    ----------
    name : str
        SQLAlchemy's name for it.
    writers : int
        How many transactions of one server may write at a time.
    advice : mapping of str to str
        What to do about the database's complaints, by a part of their text.
    missing_driver : str
        What to do where Python has no driver for it.
    """

    name: str
    writers: int
    advice: Mapping[str, str]
    missing_driver: str

    def engine(self, url: sa.URL) -> sa.Engine:
        """An engine whose connections are set up as the store needs them."""

    def tables_exist(self, engine: sa.Engine) -> None:
        """The tables were made: from now on a new, empty database in this place is an error."""

    def begin(self, connection: sa.Connection, *, writing: bool) -> sa.Transaction:
        """Begin a transaction: one that reads sees one state throughout, one that writes may do everything."""

    def insert(self, table: sa.Table) -> Any:
        """An INSERT that knows ``on_conflict_do_nothing`` and ``on_conflict_do_update``."""

    def json_rows(self) -> tuple[str, str]:
        """Take the JSON array ``:rows`` apart: what to select from, and field ``{}`` of one row."""

    def take_turn(self, connection: sa.Connection, task: int) -> None:
        """Wait until no other transaction is at this task, and keep others from it until this one ends."""

    def lock_orders(self, connection: sa.Connection) -> None:
        """Let nobody else lease or hand in until the transaction ends."""

    def follow_indexes(self, connection: sa.Connection) -> None:
        """Look at no more open work than is taken, while this transaction lasts."""

    def retries(self, error: DBAPIError, attempt: int) -> bool:
        """Whether a transaction that failed so may succeed when it is begun again; ``attempt`` counts from 0."""


class _SQLite:
    """A file, with one writer at a time.

    A writing transaction takes the write lock when it begins, so it never fails half-way because of another one. Every
    commit is on disk when it returns (WAL, ``synchronous=FULL``).
    """

    name = "sqlite"
    writers = 1
    advice: Mapping[str, str] = {
        "unable to open database file": "See whether its folder is there and may be written to",
        "is not a database": "The file is something else; name another one, or move it away",
        "readonly database": "The file or its folder may not be written to; change that, or name another place",
        "database or disk is full": "Make room on the disk, and try again",
    }
    missing_driver = "Use a Python that was built with SQLite"

    def engine(self, url: sa.URL) -> sa.Engine:
        engine = sa.create_engine(
            url, connect_args={"timeout": _LOCK_TIMEOUT, "check_same_thread": False}, pool_size=40
        )
        event.listen(engine, "connect", _set_pragmas)
        event.listen(engine, "begin", _begin_sqlite)
        _use_only_one_file(engine)
        return engine

    def tables_exist(self, engine: sa.Engine) -> None:
        path = str(engine.url.database)

        def connecting(dialect: Any, record: Any, arguments: Any, options: Any) -> None:
            if _identity(path) is None:  # SQLite would begin an empty one
                raise sqlite3.OperationalError(f"the file {path} is gone")

        event.listen(engine, "do_connect", connecting)

    def begin(self, connection: sa.Connection, *, writing: bool) -> sa.Transaction:
        return connection.execution_options(manyjudges_writing=writing).begin()

    def insert(self, table: sa.Table) -> Any:
        return sqlite.insert(table)

    def json_rows(self) -> tuple[str, str]:
        return "json_each(:rows) AS entry", "json_extract(entry.value, '$[{}]')"

    def take_turn(self, connection: sa.Connection, task: int) -> None:
        """Nothing to do: whoever writes is alone."""

    def lock_orders(self, connection: sa.Connection) -> None:
        """Nothing to do: whoever writes is alone."""

    def follow_indexes(self, connection: sa.Connection) -> None:
        """Nothing to do: SQLite goes along the index anyway."""

    def retries(self, error: DBAPIError, attempt: int) -> bool:
        # It has waited already, but not where two processes turn one new file into WAL.
        return attempt == 0 and isinstance(error, OperationalError) and "database is locked" in str(error.orig)


class _PostgreSQL:
    """A server. Rows are locked as they are needed, and a transaction that others got in the way of is begun again."""

    name = "postgresql"
    writers = 8  # more get in each other's way: all want the next open work
    advice: Mapping[str, str] = {
        "Connection refused": "See whether the server runs, and whether host and port are right",
        "password authentication failed": "See whether user and password are right",
    }
    missing_driver = "Install it: pip install 'manyjudges[postgresql]'"

    def engine(self, url: sa.URL) -> sa.Engine:
        limit = {} if "connect_timeout" in url.query else {"connect_timeout": 10}
        return sa.create_engine(url, pool_pre_ping=True, pool_size=20, max_overflow=20, connect_args=limit)

    def tables_exist(self, engine: sa.Engine) -> None:
        """Nothing to do: a server begins no empty database by itself."""

    def begin(self, connection: sa.Connection, *, writing: bool) -> sa.Transaction:
        if not writing:
            connection = connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        return connection.begin()

    def insert(self, table: sa.Table) -> Any:
        return postgresql.insert(table)

    def json_rows(self) -> tuple[str, str]:
        return "jsonb_array_elements(CAST(:rows AS jsonb)) AS entry(value)", "CAST(entry.value ->> {} AS int)"

    def take_turn(self, connection: sa.Connection, task: int) -> None:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(task)))

    def lock_orders(self, connection: sa.Connection) -> None:
        connection.execute(sa.text("LOCK TABLE pairs IN EXCLUSIVE MODE"))

    def follow_indexes(self, connection: sa.Connection) -> None:
        # After an order its statistics are out of date for a while: it would look at and sort everything that is open.
        connection.execute(_ALONG_THE_INDEX)

    def retries(self, error: DBAPIError, attempt: int) -> bool:
        return getattr(error.orig, "sqlstate", None) in _CONFLICTS


SQLITE: Dialect = _SQLite()
POSTGRESQL: Dialect = _PostgreSQL()

DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in (SQLITE, POSTGRESQL)}
"""Each database that a store can use, by its name."""


def dialect_for(address: str) -> Dialect:
    """The dialect of an address; ValueError, which goes on from the address, where it cannot be used."""
    return DIALECTS[address_form(address).dialect]


def dialect_of(connection: sa.Connection) -> Dialect:
    """The dialect that a connection speaks."""
    return DIALECTS[connection.dialect.name]


def insert_missing(connection: sa.Connection, table: sa.Table) -> Any:
    """An INSERT that leaves rows alone that are there already."""
    return dialect_of(connection).insert(table).on_conflict_do_nothing()


def index_where(condition: Any) -> dict[str, Any]:
    """Options of an index over only those rows that this is true of, for every database."""
    return {f"{name}_where": condition for name in DIALECTS}


def _set_pragmas(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say so, below
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        f"busy_timeout={int(_LOCK_TIMEOUT * 1000)}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    writing = connection.get_execution_options().get("manyjudges_writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _use_only_one_file(engine: sa.Engine) -> None:
    """Use a connection only while its file lies in its place: what goes into one that was removed would be lost."""
    path = str(engine.url.database)

    def connected(connection: Any, record: Any) -> None:
        record.info["file"] = _identity(path)

    def checked_out(connection: Any, record: Any, proxy: Any) -> None:
        if record.info["file"] != _identity(path):
            raise DisconnectionError(f"{path} is another file now")

    event.listen(engine, "connect", connected)
    event.listen(engine, "checkout", checked_out)


def _identity(path: str) -> tuple[int, int] | None:
    """Which file this is; None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
