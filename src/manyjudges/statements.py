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

MAYBE_TWICE = "CASE WHEN n < 3 THEN n = 2 AND differ = 0 ELSE bit_count(marks) < n END"
"""Whether a worker may stand in a group twice: of two judgments, the hashes of their workers tell; of more, whether
each has a bit of its own among 64, which of three fails by chance in one case of 20."""

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
        connection.register(LABELLED, pa.table({"name": names, "code": codes}))
        return cls(source, types, by_number)

    @property
    def groups(self) -> str:
        """Every object and attribute: ``code``, ``attribute``, ``n``, ``mean``, ``variance``, in order of objects.

        With workers, whether the same one may stand there twice; of values that are texts, the bits of their kinds.
        """
        told = ["count(*)::INTEGER AS n", "avg(v) AS mean", "var_pop(v) AS variance"]
        told += ["bit_xor(h) AS differ", "bit_or(1::UBIGINT << (h & 63)) AS marks"] if self.workers else []
        told += ["bit_or(kind) AS kinds"] if self.textual else []
        kept = ["n", "mean", "variance", *[f"{MAYBE_TWICE} AS suspect"] * self.workers, *["kinds"] * self.textual]
        # What is no judgment has no object here, and what has no label is found out when all is grouped.
        grouped = (
            f"SELECT CASE WHEN bad THEN NULL ELSE object END AS thing, attribute, {', '.join(told)} "
            f"FROM ({self.rows(self.source.relation)}) GROUP BY 1, 2"
        )
        code = f"CASE WHEN thing IS NULL THEN {BAD} ELSE coalesce(code, {UNLABELLED}) END::INTEGER AS code"
        asked = "CASE WHEN thing IS NULL THEN '' ELSE attribute END AS attribute"
        return (
            f"SELECT {', '.join([code, asked, *kept])} FROM ({grouped}) LEFT JOIN {LABELLED} ON thing = name ORDER BY 1"
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
        parts += [f"hash({column['worker']}) AS h"] if self.workers else []
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
