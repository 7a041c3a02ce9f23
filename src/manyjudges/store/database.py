"""The database under a store: its engine, its transactions, and its faults in words."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import TypeVar

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
    SQLAlchemyError,
    TimeoutError,
)

from manyjudges.base.database_addresses import PATTERNS
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import StoreError, StoreUnavailableError
from manyjudges.store.dialects import MIGRATION, Dialect, dialect_for

T = TypeVar("T")

_TRIES = 8
"""How often a transaction is begun that others got in the way of."""


class Database:
    """An engine with two kinds of transactions: to read, and to write.

    A writing transaction waits for its turn in line, and is on disk when it returns. How each database keeps these
    promises is in ``dialects``.

    Attributes
    ----------
    dialect : Dialect
    engine : sqlalchemy.Engine
    """

    def __init__(self, address: str) -> None:
        self.dialect, self.engine = _opened(address)
        self._where = self.engine.url.render_as_string(hide_password=True)
        # In order of arrival: waiting at the database, or for a connection, is a lottery, and slow under load.
        self._turn = _FairLock(self.dialect.writers)

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
        self.dialect.tables_exist(self.engine)

    def _migrated(self, connection: sa.Connection) -> None:
        self.dialect.take_turn(connection, MIGRATION)
        config = Config()
        config.set_main_option("script_location", str(files("manyjudges.store") / "migrations"))
        config.attributes["connection"] = connection
        steps = ScriptDirectory.from_config(config)
        now = MigrationContext.configure(connection).get_current_revision()
        if now is not None and now not in {step.revision for step in steps.walk_revisions()}:
            raise StoreError(
                f"{self._where} is at version {now}, which this ManyJudges does not know: it was written by a newer "
                "one. Upgrade ManyJudges.",
                value=now,
                column="version",
            )
        if now != steps.get_current_head():
            command.upgrade(config, "head")

    def _tried(self, work: Callable[[sa.Connection], T], *, writing: bool) -> T:
        for attempt in range(_TRIES):
            try:
                with self._transaction(writing=writing) as connection:
                    return work(connection)
            except DBAPIError as error:
                if attempt + 1 < _TRIES and self.dialect.retries(error, attempt):
                    time.sleep(random.uniform(0.2, 1.0) * 0.01 * 2**attempt)  # noqa: S311  # no secret: who waits how long
                    continue
                raise self._in_words(error) from error
            except SQLAlchemyError as error:
                raise self._in_words(error) from error
            except (OverflowError, UnicodeError) as error:  # a number or a text that no database takes
                raise StoreError(
                    f"{self._where} cannot keep this: {error}", value=self._where, column="database"
                ) from error
        raise StoreUnavailableError(
            f"{self._where} is too busy.", value=self._where, column="database"
        )  # pragma: no cover  # the loop returns or raises

    @contextmanager
    def _transaction(self, *, writing: bool) -> Iterator[sa.Connection]:
        with self.engine.connect() as connection, self.dialect.begin(connection, writing=writing):
            yield connection

    def _in_words(self, error: SQLAlchemyError) -> StoreError:
        reason = " ".join(str(getattr(error, "orig", None) or error).split())
        advice = next((words for sign, words in self.dialect.advice.items() if sign in reason), None)
        if isinstance(error, OperationalError | InterfaceError | TimeoutError):
            advice = advice or "See to the database, and try again"
            return StoreUnavailableError(
                f"{self._where} cannot be used now: {reason}. {advice}. Nothing that was acknowledged is lost.",
                value=self._where,
                column="database",
            )
        if isinstance(error, DBAPIError) and error.connection_invalidated:
            return StoreUnavailableError(
                f"{self._where} was lost: {reason}. Nothing that was acknowledged is lost.",
                value=self._where,
                column="database",
            )
        return StoreError(
            f"{self._where}: {reason}" + (f". {advice}." if advice else ""), value=self._where, column="database"
        )


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


def _opened(address: str) -> tuple[Dialect, sa.Engine]:
    """The dialect and the engine of an address; StoreError where it cannot be used."""
    try:
        dialect = dialect_for(address)
    except ValueError as error:
        raise StoreError(
            f"the database address {_safe(address)} {error}", value=_safe(address), column="database"
        ) from None
    try:
        return dialect, dialect.engine(sa.make_url(address))
    except ImportError as error:
        raise StoreError(
            f"the database address {_safe(address)} cannot be used, as its driver is missing ({error}). "
            f"{dialect.missing_driver}.",
            value=_safe(address),
            column="database",
        ) from None
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise StoreError(
            f"the database address {_safe(address)} cannot be used ({error}); write {PATTERNS}.",
            value=_safe(address),
            column="database",
        ) from None


def _safe(address: str) -> str:
    """An address to show, without its password."""
    try:
        return quote_value(sa.make_url(address).render_as_string(hide_password=True))
    except (ArgumentError, ValueError):
        return "(not shown, as it may hold a password)"
