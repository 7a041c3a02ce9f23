"""Store: the judgments of a study and the work on them, in SQLite or PostgreSQL.

Each method is one transaction; what it does is written down in ``workers``, ``leases``, ``orders`` and
``queries``, as functions of a connection.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import StoreError, UnknownBatchError
from manyjudges.store import calls, imports, leases, orders, queries, workers
from manyjudges.store.call_log import CallLog
from manyjudges.store.database import Database
from manyjudges.store.dialects import insert_missing
from manyjudges.store.imports import Intake
from manyjudges.store.judgment_cache import JudgmentCache
from manyjudges.store.orders import RUNNING
from manyjudges.store.records import Answers, Batch, Receipt, Worker
from manyjudges.store.schema import settings

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CLOSED", "PAUSED", "Store"]

EXTENSIONS = 8
"""How many times its minutes a lease may last for somebody who stays at it."""

PAUSED, CLOSED = "paused", "closed"
"""States of a study in which nobody gets work: for now, or for good."""


class Store:
    """The judgments of one study, and the work on them.

    Any number of threads, processes and servers may use the same database at the same time. A judgment that was
    acknowledged is on disk. Nothing is deleted or overwritten: corrections and withdrawals are rows of their own.

    Parameters
    ----------
    database : Database
        With its tables made; :meth:`open` does both.
    clock : callable
        Seconds since 1970.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = Store.open(f"sqlite:///{folder.name}/judgments.db")
    >>> store.prepare({"round": 1.0}, [("jar 1", 10.0), ("jar 2", 20.0)])
    >>> store.order([("jar 1", "round", 1), ("jar 2", "round", 2)])
    >>> ann = store.enter("open", "ann")
    >>> batch = store.lease(ann.id)
    >>> store.submit(batch.id, ann.id, {0: 1.0, 1: 0.0}).accepted
    2
    >>> store.lease(ann.id) is None, store.lease(store.enter("open", "bob").id).items[0].object
    (True, 'jar 2')
    >>> store.close()
    >>> folder.cleanup()
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time, kept: Path | None = None) -> None:
        self._database, self._clock = database, clock
        self._judgment_cache = JudgmentCache(kept)

    @classmethod
    def open(cls, address: str, *, clock: Callable[[], float] = time.time, kept: Path | None = None) -> Store:
        """Open a store by its address, make its tables or bring them up to date.

        ``kept`` is a file in which to keep what :meth:`books` has read of the judgments, so that the next one reads
        only what came since.
        """
        database = Database(address)
        try:
            database.migrate()
        except BaseException:
            database.close()
            raise
        return cls(database, clock, kept)

    def close(self) -> None:
        """Give all connections back."""
        self._database.close()

    @property
    def kind(self) -> str:
        """``"sqlite"`` or ``"postgresql"``."""
        return self._database.dialect.name

    def prepare(
        self,
        attributes: Mapping[str, float],
        objects: Iterable[tuple[str, float | None]],
        seed: int = 0,
        *,
        judges: Mapping[str, str] | None = None,
    ) -> None:
        """Make the store be about these attributes, with their costs, and these objects, with their labels.

        ``judges`` names the model of each attribute that is one model's alone.
        """
        labelled_objects = list(objects)
        self._database.write(lambda c: orders.prepare(c, attributes, labelled_objects, seed, judges or {}))

    # What is set

    def setting(self, key: str) -> str | None:
        """What was set, or None."""
        return self._database.read(lambda c: orders.setting(c, key))

    def set(self, key: str, value: str) -> None:
        """Set something, or set it anew."""
        self._database.write(lambda c: orders.put(c, key, value))

    @property
    def secret(self) -> str:
        """What sessions are signed with: made at the first use, and the same for all servers."""
        secret = self.setting("secret")
        return self._database.write(_with_secret) if secret is None else secret

    @property
    def state(self) -> str:
        """``"running"``, ``"paused"`` or ``"closed"``."""
        return self._database.read(orders.state)

    def pause(self) -> None:
        """Hand out nothing for a while; what is out may come in."""
        self._switch(PAUSED)

    def resume(self) -> None:
        """Go on handing out."""
        self._switch(RUNNING)

    def shut(self) -> None:
        """Close the campaign for good: nothing is handed out any more; what is out may come in."""
        self._switch(CLOSED)

    def note(self, what: str, detail: str = "") -> None:
        """Add to the log."""
        self._database.write(lambda c: orders.note(c, what, detail, self._clock()))

    def events(self, limit: int = 100) -> list[dict[str, Any]]:
        """What happened, newest first: ``at``, ``what``, ``detail``."""
        return self._database.read(lambda c: queries.happened(c, limit))

    # Workers and programs

    def enter(
        self, source: str, external: str, *, details: Mapping[str, Any] | None = None, consented: bool = False
    ) -> Worker:
        """The worker of this name from this source, made at the first time."""
        more = details or {}
        worker = self._database.read(lambda c: workers.entered(c, source, external, more, consented))
        if worker is not None:  # mostly; and nobody has to wait in line to be recognised
            return worker
        return self._database.write(lambda c: workers.enter(c, source, external, more, consented, self._clock()))

    def invite(self, count: int, *, days: float) -> list[str]:
        """Tokens of personal links, each for a new worker; they cannot be shown again."""
        if not 1 <= count <= 10_000:
            raise StoreError(f"{quote_value(count)} links cannot be made at once; ask for 1 to 10,000.", value=count)
        now = self._clock()
        return self._database.write(lambda c: workers.invite(c, count, now + days * workers.DAY, now))

    def admit(self, token: str) -> Worker | None:
        """Whose personal link it is; None where it is nobody's, or has expired."""
        return self._database.read(lambda c: workers.admit(c, token, self._clock()))

    def worker(self, worker_id: int) -> Worker | None:
        """A worker by id; None where there is none."""
        try:
            return self._database.read(lambda c: workers.get(c, worker_id))
        except StoreError as error:
            if type(error) is not StoreError:
                raise
            return None

    def find_worker(self, name: str) -> Worker | None:
        """A worker by pseudonym, or by the name that the source gave."""
        return self._database.read(lambda c: workers.find(c, name))

    def workers(self) -> list[Worker]:
        """All workers, in the order in which they came."""
        return self._database.read(workers.everybody)

    def consent(self, worker_id: int) -> None:
        """The worker agreed to the study's terms."""
        now = self._clock()
        self._database.write(lambda c: workers.change(c, worker_id, consented_at=now))

    def block(self, worker_id: int, reason: str = "") -> None:
        """Give a worker no more work."""

        def work(connection: sa.Connection) -> None:
            who = workers.get(connection, worker_id, lock=True)
            workers.change(connection, worker_id, blocked_at=self._clock())
            orders.note(connection, "blocked", f"{who.name} {reason}".strip(), self._clock())

        self._database.write(work)

    def withdraw(self, worker_id: int) -> int:
        """Take back all that a worker said, and forget who it was; says how many judgments that were."""

        def work(connection: sa.Connection) -> int:
            who = workers.get(connection, worker_id, lock=True)
            withdrawn = leases.withdraw(connection, who, self._clock())
            orders.note(connection, "withdrawn", f"{who.name}: {withdrawn:,} judgments", self._clock())
            return withdrawn

        withdrawn = self._database.write(work)
        self._judgment_cache.forget()
        return withdrawn

    def add_program(self, name: str) -> str:
        """A token for a program; it cannot be shown again."""
        return self._database.write(lambda c: workers.add_program(c, name, self._clock()))

    def program(self, token: str) -> str | None:
        """Whose token it is; None where it is nobody's, or was revoked."""
        return self._database.read(lambda c: workers.program(c, token))

    def programs(self) -> list[str]:
        """Programs whose tokens hold."""
        return self._database.read(workers.program_names)

    def revoke_program(self, name: str) -> None:
        """Let a program in no more."""
        self._database.write(lambda c: workers.revoke_program(c, name, self._clock()))

    # Work

    def lease(
        self,
        worker_id: int,
        *,
        size: int = 40,
        minutes: float = 30.0,
        attribute: str | None = None,
        most_judgments: int | None = None,
        most_batches: int | None = None,
    ) -> Batch | None:
        """The worker's batch that is still out, or a new one; None where there is none to be had now."""

        def work(connection: sa.Connection) -> Batch | None:
            now = self._clock()
            who = workers.get(connection, worker_id, lock=True)
            mine = leases.held(connection, worker_id)
            if mine is not None and mine.expires_at >= now and not who.blocked:
                return mine
            leases.expire(connection, now)
            if (
                mine is not None and mine.expires_at < now
            ):  # even where others' leases ended earlier, and there were many of them
                leases.take_back(connection, mine.id, worker_id)
            most = _allowed(who, size, most_judgments, most_batches)
            if orders.state(connection) != RUNNING or most <= 0:
                return None
            return leases.lease(connection, who, now, size=most, minutes=minutes, attribute=attribute)

        return self._database.write(work)

    def batch(self, batch_id: str, worker_id: int) -> Batch | None:
        """A worker's own batch, with the answers that are there; None where there is no such batch of this worker."""
        try:
            return self._database.read(lambda c: leases.batch(c, batch_id, worker_id))
        except UnknownBatchError:
            return None

    def last_batch(self, worker_id: int) -> Batch | None:
        """The batch that a worker handed in last, with its answers."""
        return self._database.read(lambda c: leases.last_batch(c, worker_id))

    def keep_draft(self, batch_id: str, worker_id: int, answers: Answers) -> bool:
        """Keep answers that are not handed in yet; False where the batch is not out any more."""
        draft = json.dumps({str(position): value for position, value in answers.items()})
        return self._database.write(lambda c: leases.set_batch(c, batch_id, worker_id, draft=draft))

    def extend(self, batch_id: str, worker_id: int, minutes: float) -> bool:
        """The worker is still at it: so many minutes more from now; False where the batch is not out any more.

        But no more than ``EXTENSIONS`` times so many minutes in all, so that nobody holds a round up for ever.
        """
        until, most = self._clock() + 60 * minutes, 60 * minutes * EXTENSIONS
        return self._database.write(lambda c: leases.extend(c, batch_id, worker_id, until, most))

    def submit(self, batch_id: str, worker_id: int, answers: Answers, *, seconds: float | None = None) -> Receipt:
        """Take a worker's answers; when this returns they are on disk. To hand in the same twice is harmless.

        Parameters
        ----------
        answers : mapping
            From positions to values, or to None for "can't tell". Items that are left out go back to be handed out.
            Answers that differ from earlier ones of the same worker correct those.
        seconds : float, optional
            How long the worker took over the batch; the time since it was handed out unless told.
        """

        def work(connection: sa.Connection) -> Receipt:
            who = workers.get(connection, worker_id, lock=True)
            return leases.submit(connection, batch_id, who, answers, self._clock(), seconds)

        return self._database.write(work)

    def release(self, batch_id: str, worker_id: int) -> bool:
        """Hand a batch back without answers; False where it is not out any more."""

        def work(connection: sa.Connection) -> bool:
            workers.get(connection, worker_id, lock=True)
            return leases.take_back(connection, batch_id, worker_id, "released")

        return self._database.write(work)

    def expire(self) -> int:
        """Take back everything that is out after its time; says how many batches and calls."""
        now = self._clock()
        return self._database.write(lambda c: leases.expire(c, now, most=None) + calls.expire(c, now))

    def work_left(self, worker_id: int) -> bool:
        """Whether anything of this round is open that this worker has not judged, or may come back from others."""
        return self._database.read(lambda c: leases.work_left(c, worker_id))

    def take_in(self, source: str, rows: Iterable[tuple[str, str, str, float]], *, paid: bool = False) -> Intake:
        """Take judgments (object, attribute, worker, value) that were collected elsewhere; to do it twice is harmless.

        With ``paid``, they count as spending of this study, at its costs.
        """
        collected, now = [imports.Collected(*row) for row in rows], self._clock()
        if not collected:
            return Intake()

        def work(connection: sa.Connection) -> Intake:
            intake = imports.take_in(connection, source, collected, now, paid=paid)
            orders.note(connection, "imported", f"{intake.added:,} judgments from {source}", now)
            return intake

        return self._database.write(work)

    # Orders

    def order(self, requests: Iterable[tuple[str, str, int]]) -> None:
        """Let each of these pairs (object, attribute, count) have so many judgments in all, and no other pair more."""
        targets = list(requests)
        self._database.write(lambda c: orders.place_orders(c, targets))

    def give_up(self) -> None:
        """What is open will not come: those pairs are not asked for again."""
        self._database.write(orders.mark_exhausted)

    def standing(self) -> dict[str, Any]:
        """How the campaign stands: ``round``, ``asked``, ``reason``, ``stage`` and the number of planned ``rounds``."""
        return self._database.read(orders.seen)

    def settle(
        self,
        seen: Mapping[str, Any],
        state: Mapping[str, Any],
        rounds: Iterable[Mapping[str, Any]],
        requests: Iterable[tuple[str, str, int]],
        *,
        limit: float | None = None,
        give_up: bool = False,
    ) -> bool:
        """Write what was decided when the campaign stood as ``seen``; False where it has moved on since.

        What ``limit`` does not pay for, together with all that was spent and is out, is not ordered. With ``give_up``,
        what is open cannot be had: those pairs are not asked for again.
        """
        entries, targets, now = list(rounds), list(requests), self._clock()
        return self._database.write(lambda c: orders.settle(c, seen, state, entries, targets, limit, give_up, now))

    def may_plan(self, owner: str, seconds: float) -> bool:
        """Whether this one may plan now, for so long; only one at a time does, so that no work is done twice."""
        now = self._clock()
        return self._database.write(lambda c: orders.may_plan(c, owner, now, now + seconds))

    @property
    def being_planned(self) -> bool:
        """Whether somebody is planning."""
        return self._database.read(lambda c: orders.being_planned(c, self._clock()))

    def planned(self, owner: str) -> None:
        """Say that one is through with planning."""
        self._database.write(lambda c: orders.planned(c, owner))

    # Accounts

    @property
    def call_log(self) -> CallLog:
        """The calls of models, to make and to write down."""
        return CallLog(self._database, self._clock)

    def books(self) -> dict[str, Any]:
        """All that a decision needs, as of one moment.

        ``objects``, ``costs``, ``counters``, ``judgments``, ``spending``, ``rounds``, ``standing``.
        """

        def work(connection: sa.Connection) -> dict[str, Any]:
            return {
                "objects": queries.active_objects(connection),
                "costs": queries.prices(connection),
                "counters": queries.counters(connection),
                "judgments": queries.recalled(connection, self._judgment_cache),
                "spending": queries.spending(connection),
                "rounds": queries.history(connection),
                "standing": orders.seen(connection),
            }

        return self._database.read(work)

    @property
    def idle(self) -> bool:
        """Whether nothing is open and nothing is out."""
        return self._database.read(queries.idle)

    def judgments(self) -> pd.DataFrame:
        """The judgments that count: ``object``, ``attribute``, ``worker`` (pseudonym), ``value``."""
        return self._database.read(queries.current)

    def judgment_batches(self, size: int = 100_000) -> Iterator[pd.DataFrame]:
        """The same, some rows at a time, all as of one moment: for stores with more than one wants to have at once."""
        last = self._database.read(queries.last_row)
        done = 0
        while done < last:
            rows, done = self._database.read(partial(queries.current_after, after=done, as_of=last, most=size))
            if len(rows):
                yield rows

    def ledger(self) -> pd.DataFrame:
        """Every row that was ever added, with its time, worker, batch, kind, value and cost."""
        return self._database.read(queries.ledger)

    def counters(self) -> pd.DataFrame:
        """All pairs of active objects, with their counts."""
        return self._database.read(queries.counters)

    def objects(self) -> pd.DataFrame:
        """The active objects: ``object`` and ``label`` (missing where not known)."""
        return self._database.read(queries.active_objects)

    def costs(self) -> dict[str, float]:
        """What one judgment of each attribute costs."""
        return self._database.read(queries.prices)

    def progress(self) -> pd.DataFrame:
        """Counts for each attribute: ``wanted``, ``have``, ``out``, ``open``, ``cant_tell``; ``cost`` of one."""
        return self._database.read(queries.progress)

    def spending(self) -> dict[str, float]:
        """Units ``spent``, ``out`` and ``open``."""
        return self._database.read(queries.spending)

    def arrivals(self, hours: int = 24) -> list[tuple[float, int]]:
        """Answers in each of the last hours: when the hour began, and how many came."""
        return self._database.read(lambda c: queries.arrivals(c, self._clock(), hours))

    def began(self) -> float | None:
        """When the first answer came; None before."""
        return self._database.read(queries.began)

    def rounds(self) -> list[dict[str, Any]]:
        """Each planned round, oldest first, as a document with ``plan`` and ``outlook``."""
        return self._database.read(queries.history)

    def position(self) -> dict[str, Any]:
        """Where the campaign is: ``round``, ``stage``, ``reason``, ``objects``, ``labelled``."""

        def work(connection: sa.Connection) -> dict[str, Any]:
            campaign = orders.campaign(connection)
            stage = campaign["stage"]
            if stage != "done" and queries.idle(connection):
                stage = "planning"
            counts = queries.count_objects(connection)
            return {"round": campaign["round"], "stage": stage, "reason": campaign["reason"], **counts}

        return self._database.read(work)

    def discrepancies(self) -> list[str]:
        """Where counters and rows do not say the same; nothing where the books are in order."""
        return self._database.read(lambda c: queries.discrepancies(c) + calls.discrepancies(c))

    def _switch(self, state: str) -> None:
        def work(connection: sa.Connection) -> None:
            now = orders.state(connection)
            if now == CLOSED and state != CLOSED:
                raise StoreError("the campaign is closed, and stays so; begin a new study to collect more.")
            if now != state:
                orders.put(connection, "state", state)
                orders.note(connection, {RUNNING: "resumed"}.get(state, state), "", self._clock())

        self._database.write(work)


def _with_secret(connection: sa.Connection) -> str:
    connection.execute(insert_missing(connection, settings).values(key="secret", value=secrets.token_urlsafe(48)))
    return str(orders.setting(connection, "secret"))


def _allowed(worker: Worker, size: int, most_judgments: int | None, most_batches: int | None) -> int:
    """How many judgments this worker may be handed now."""
    if worker.blocked or (most_batches is not None and worker.batches >= most_batches):
        return 0
    return size if most_judgments is None else min(size, most_judgments - worker.judged)
