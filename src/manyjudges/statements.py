"""Statements: what DuckDB is asked about a table of judgments. SQL about judgments in files is nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from manyjudges.sources import Source, name, text

LABELLED = "labelled"
"""The table of objects that have a label."""

BAD, UNLABELLED = -2, -1
"""Codes of rows that are no judgments, and of objects without label; those that have one are counted from 0."""

WORDS = {"true": (1, 2), "false": (0, 2), "yes": (1, 4), "no": (0, 4)}
"""What words stand for, and the bit of their kind; that of numbers is 1."""

HASHED = (1 << 32) - 1
"""Bits of a worker's hash that are looked at; where two agree in them, their names are compared."""

WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")


@dataclass(frozen=True)
class Statement:
    """What is asked about one source.

    Attributes
    ----------
    source : Source
    types : dict of str to str
        DuckDB's types of the columns, by role.
    by_number : bool
        Whether objects are joined with labels by number rather than as text.
    """

    source: Source
    types: dict[str, str]
    by_number: bool

    @classmethod
    def of(cls, connection: Any, source: Source, objects: Any) -> Statement:
        """Look at the types of a source's columns, and let DuckDB know the objects that have labels, by position."""
        described = connection.execute(f"DESCRIBE SELECT * FROM {source.relation}").fetchall()
        known = {row[0]: str(row[1]) for row in described}
        types = {role: known[column] for role, column in source.columns.items()}
        by_number = types["object"] in WHOLE and np.asarray(objects).dtype.kind in "iu"
        names = pa.array(objects, pa.int64()) if by_number else pa.array([str(each) for each in objects], pa.string())
        codes = pa.array(np.arange(len(names), dtype=np.int32))
        # As a table of DuckDB's own: beside one of Arrow's, it cannot say how far it is.
        connection.register("given", pa.table({"name": names, "code": codes}))
        connection.execute(f"CREATE TEMP TABLE {LABELLED} AS FROM given")
        connection.unregister("given")
        return cls(source, types, by_number)

    def ordered(self, *, unlabelled: bool) -> str:
        """Every row: ``code`` of the object, ``attribute``, ``value``, in order of objects; first those without one.

        With workers, some bits of their hash; of values that are texts, the bit of their kind. Rows of objects
        without label may be left out.

        Rows are brought into order rather than grouped by DuckDB. Of 100 million shuffled rows an order takes less
        than half the time of groups with all that is needed of them, in order; and what the judgments of a pair come
        to is soon summed up when they lie together.
        """
        code = f"CASE WHEN bad THEN {BAD} ELSE coalesce(code, {UNLABELLED}) END::INTEGER AS code"
        told = [code, "attribute", "v AS value", *["h AS worker"] * self.workers, *["kind"] * self.textual]
        kept = "" if unlabelled else "WHERE bad OR code IS NOT NULL"
        return (
            f"SELECT {', '.join(told)} FROM ({self.rows(self.source.relation)}) "
            f"LEFT JOIN {LABELLED} ON object = name {kept} ORDER BY 1"
        )

    @property
    def workers(self) -> bool:
        """Whether it is known who judged."""
        return "worker" in self.source.columns

    @property
    def textual(self) -> bool:
        """Whether values are texts, of which some may be words."""
        return self.types["value"] == "VARCHAR"

    def rows(self, relation: str, extra: str = "") -> str:
        """Each row: ``object``, ``attribute``, the value ``v``, whether it is ``bad``; hash and kind where needed."""
        column = {role: name(self.source.columns[role]) for role in self.source.columns}
        thing = f"{column['object']}::{'BIGINT' if self.by_number else 'VARCHAR'}"
        bad = [self._blank(role, column[role]) for role in column if role != "value"]
        parts = [f"{thing} AS object", f"{column['attribute']}::VARCHAR AS attribute", f"{self.value} AS v"]
        parts += [f"(v IS NULL OR NOT isfinite(v) OR {' OR '.join(bad)}) AS bad"]
        parts += [f"(hash({column['worker']}) & {HASHED})::UINTEGER AS h"] if self.workers else []
        parts += [f"{self._kind} AS kind"] if self.textual else []
        return f"SELECT {', '.join(parts)}{extra} FROM {relation}"

    @property
    def value(self) -> str:
        """The number that a value stands for; NULL where it is none."""
        column = name(self.source.columns["value"])
        if not self.textual:
            return f"TRY_CAST({column} AS DOUBLE)"
        plain = f"trim({column})"
        if self.source.commas:
            decimal = f"regexp_full_match({plain}, '[-+]?\\d+,\\d+')"
            plain = f"CASE WHEN {decimal} THEN replace({plain}, ',', '.') ELSE {plain} END"
        words = " ".join(f"WHEN {text(word)} THEN {number}" for word, (number, _) in WORDS.items())
        # DuckDB reads 1_000 as Python source does; a table does not mean that.
        number = f"CASE WHEN contains({plain}, '_') THEN NULL ELSE TRY_CAST({plain} AS DOUBLE) END"
        return f"coalesce({number}, CASE lower({plain}) {words} END)"

    @property
    def _kind(self) -> str:
        column = name(self.source.columns["value"])
        words = " ".join(f"WHEN {text(word)} THEN {bit}" for word, (_, bit) in WORDS.items())
        return f"(CASE lower(trim({column})) {words} ELSE 1 END)::UTINYINT"

    def _blank(self, role: str, column: str) -> str:
        return f"{column} IS NULL" + (f" OR trim({column}) = ''" if self.types[role] == "VARCHAR" else "")
