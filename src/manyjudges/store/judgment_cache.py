"""Judgment cache: what was read of a ledger before, kept in a file, so that only what came since is read.

Rows of a ledger are never changed, only followed by others that replace them. So the judgments that count now are those
that counted before and were not replaced since, and those that came since.
"""

from __future__ import annotations

import hashlib
import io
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import sqlalchemy as sa

from manyjudges.base import documents
from manyjudges.exceptions import DocumentError
from manyjudges.store.schema import judgments, settings

_CACHED_COLUMNS = ("id", "object_id", "attribute_id", "worker_id", "value", "turn")
_CACHED_TYPES = (np.int64, np.int64, np.int64, np.int64, np.float64, np.int64)
_STORE, _UNTIL, _ROWS = b"store", b"until", b"rows"

JudgmentColumns = dict[str, Any]
"""Arrays of :data:`_CACHED_COLUMNS`, a row a judgment that counts."""


class JudgmentCache:
    """The judgments of one store that counted when they were last looked at.

    Parameters
    ----------
    path : Path, optional
        The file; nothing is kept, unless given. What cannot be read, or is of another store, is made anew.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    def counted(self, connection: sa.Connection) -> JudgmentColumns:
        """The judgments that count now, in the order in which they came."""
        store = _identity(connection)
        until, rows, before = self._read(store)
        if _count(connection, until) != rows:
            # Servers at one database may write rows in another order than that of their numbers.
            until, rows, before = _nothing()
        since = _rows_since(connection, until)
        if not len(since["id"]):
            return before
        counting = _brought_up_to_date(before, since)
        self._write(store, int(since["id"].max()), rows + len(since["id"]), counting)
        return counting

    def forget(self) -> None:
        """Keep nothing; what somebody withdrew is not to lie about until the next plan."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _read(self, store: bytes) -> tuple[int, int, JudgmentColumns]:
        """The last row that was read, how many there were, and the judgments among them that counted."""
        if self._path is None or not self._path.exists():
            return _nothing()
        try:
            table = pyarrow.parquet.read_table(self._path)
            metadata = table.schema.metadata or {}
            if metadata.get(_STORE) == store:
                kept = {name: table.column(name).to_numpy() for name in _CACHED_COLUMNS}
                return int(metadata[_UNTIL]), int(metadata[_ROWS]), kept
        except (pa.ArrowException, OSError, KeyError, ValueError):
            pass  # it is read anew
        return _nothing()

    def _write(self, store: bytes, until: int, rows: int, counting: JudgmentColumns) -> None:
        if self._path is None:
            return
        table = pa.table({name: pa.array(counting[name]) for name in _CACHED_COLUMNS})
        buffer = io.BytesIO()
        metadata = {_STORE: store, _UNTIL: str(until), _ROWS: str(rows)}
        pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), buffer)
        with suppress(DocumentError, OSError):  # a folder that cannot be written to costs time, and nothing else
            documents.write(self._path, buffer.getvalue())
            os.chmod(self._path, 0o600)


def _nothing() -> tuple[int, int, JudgmentColumns]:
    return 0, 0, {name: np.zeros(0, dtype=kind) for name, kind in zip(_CACHED_COLUMNS, _CACHED_TYPES, strict=True)}


def _count(connection: sa.Connection, until: int) -> int:
    query = sa.select(sa.func.count()).select_from(judgments).where(judgments.c.id <= until)
    return int(connection.execute(query).scalar_one())


def _identity(connection: sa.Connection) -> bytes:
    """What tells a store from others, and says nothing about it: its secret, if it has one, and its first judgment."""
    secret = connection.execute(sa.select(settings.c.value).where(settings.c.key == "secret")).scalar_one_or_none()
    c = judgments.c
    first = connection.execute(sa.select(c.id, c.at, c.object_id, c.worker_id).order_by(c.id).limit(1)).one_or_none()
    return hashlib.sha256(f"judgments of {secret}, {first}".encode()).hexdigest().encode()


def _rows_since(connection: sa.Connection, until: int) -> dict[str, Any]:
    c = judgments.c
    query = sa.select(*(c[name] for name in _CACHED_COLUMNS), c.replaces).where(c.id > until).order_by(c.id)
    rows = connection.execute(query).all()
    columns = list(zip(*rows, strict=True)) or [()] * (len(_CACHED_COLUMNS) + 1)
    values = np.array([np.nan if value is None else value for value in columns[4]], dtype=float)
    numbers = {
        name: np.array(columns[at], dtype=np.int64) for at, name in enumerate(_CACHED_COLUMNS) if name != "value"
    }
    replaces = np.array([replaced for replaced in columns[6] if replaced is not None], dtype=np.int64)
    return numbers | {"value": values, "replaces": replaces}


def _brought_up_to_date(before: JudgmentColumns, since: dict[str, Any]) -> JudgmentColumns:
    joined = {name: np.concatenate([before[name], since[name]]) for name in _CACHED_COLUMNS}
    counts = ~np.isnan(joined["value"]) & ~np.isin(joined["id"], since["replaces"])
    return {name: column[counts] for name, column in joined.items()}
