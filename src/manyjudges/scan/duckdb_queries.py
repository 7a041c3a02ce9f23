"""Queries: what DuckDB is asked about a table of judgments, whatever ``duckdb_sources`` reads it from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from manyjudges.scan.duckdb_sources import Source
from manyjudges.scan.options import BAD, UNLABELLED_GROUP
from manyjudges.tables.grammar import ValueSQL, trimmed, value_sql
from manyjudges.tables.names import check_unique_keys, name_key, name_keys, spellings

LABELLED = "labelled"
"""The table of objects that have a label."""

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_FRACTIONS = ("FLOAT", "DOUBLE")
_JOINED = {"BIGINT": pa.int64(), "DOUBLE": pa.float64()}


@dataclass(frozen=True)
class JudgmentQueries:
    """What is asked about one source.

    Attributes
    ----------
    source : Source
    types : dict of str to str
        DuckDB's types of the columns, by role.
    named : str
        The type by which objects are joined with labels: that of the objects where they are numbers, and else text.
    hash_bits : int
        Bits of a worker's hash that are given.
    """

    source: Source
    types: dict[str, str]
    named: str
    hash_bits: int = 32

    @classmethod
    def of(cls, connection: Any, source: Source, objects: Any, *, hash_bits: int = 32) -> JudgmentQueries:
        """Look at the types of a source's columns, and let DuckDB know the objects that have labels, by position."""
        described = connection.execute(f"DESCRIBE SELECT * FROM {source.relation}").fetchall()
        types = {row[0]: str(row[1]) for row in described if row[0] in source.columns}
        kind = types["object"]
        named = "BIGINT" if kind in _WHOLE else "DOUBLE" if kind in _FRACTIONS else "VARCHAR"
        # As a table of DuckDB's own: beside one of Arrow's, it cannot say how far it is.
        connection.register("given", _labelled(objects, named))
        connection.execute(f"CREATE TEMP TABLE {LABELLED} AS FROM given WHERE name IS NOT NULL")
        connection.unregister("given")
        return cls(source, types, named, hash_bits)

    def ordered(self, *, unlabelled: bool) -> str:
        """Every row: ``code`` of the object, ``attribute``, ``value``, in order of objects; first those without one.

        With workers, some bits of their hash; of values that are texts, the bit of their kind. Rows of objects
        without label may be left out.

        Rows are brought into order rather than grouped by DuckDB. Of 100 million shuffled rows an order takes less
        than half the time of groups with all that is needed of them, in order; and what the judgments of a pair come
        to is soon summed up when they lie together.
        """
        code = f"CASE WHEN bad THEN {BAD} ELSE coalesce(code, {UNLABELLED_GROUP}) END::INTEGER AS code"
        selected = [code, "attribute", "v AS value", *["h AS worker"] * self.workers, *["kind"] * self.textual]
        kept = "" if unlabelled else "WHERE bad OR code IS NOT NULL"
        return (
            f"SELECT {', '.join(selected)} FROM ({self.rows(self.source.relation)}) "
            f"LEFT JOIN {LABELLED} ON object = name {kept} ORDER BY 1"
        )

    @property
    def workers(self) -> bool:
        """Whether it is known who judged."""
        return "worker" in self.source.columns

    @property
    def who(self) -> str:
        """SQL of the workers' names, as a further column; nothing where they are not known."""
        return f", CAST(worker AS {self.types['worker']}) AS worker" * self.workers

    @property
    def textual(self) -> bool:
        """Whether values are texts, of which some may be words."""
        return self.types["value"] == "VARCHAR"

    def rows(self, relation: str, extra: str = "") -> str:
        """Each row: ``object``, ``attribute``, the value ``v``, whether it is ``bad``; hash and kind where needed."""
        # One of several files may have other types than all of them together.
        column = {role: f"CAST({role} AS {kind})" for role, kind in self.types.items()}
        bad = [self._blank(role, column[role]) for role in column if role != "value"]
        object_name = self._text("object", column) if self.named == "VARCHAR" else f"{column['object']}::{self.named}"
        parts = [f"{object_name} AS object", f"{self._text('attribute', column)} AS attribute"]
        number = self._value.number if self.textual else "TRY_CAST(value AS DOUBLE)"
        parts += [f"{number} AS v", f"(v IS NULL OR NOT isfinite(v) OR {' OR '.join(bad)}) AS bad"]
        parts += [f"(hash({column['worker']}) & {(1 << self.hash_bits) - 1})::UINTEGER AS h"] if self.workers else []
        if not self.textual:
            return f"SELECT {', '.join(parts)}{extra} FROM {relation}"
        parts += [f"{self._value.kind} AS kind"]
        return f"SELECT {', '.join(parts)}{extra} FROM (SELECT *, {self._value.columns} FROM {relation})"

    @property
    def _value(self) -> ValueSQL:
        return value_sql("value::VARCHAR", decimal_comma=self.source.decimal_comma)

    def _text(self, role: str, column: Mapping[str, str]) -> str:
        """A name as text, as ``names.name_text`` has it."""
        text, kind = f"{column[role]}::VARCHAR", self.types[role]
        if kind.startswith("DECIMAL") and not kind.endswith(",0)"):
            return f"rtrim(rtrim({text}, '0'), '.')"
        return text

    def _blank(self, role: str, column: str) -> str:
        if self.types[role] in ("FLOAT", "DOUBLE"):
            return f"{column} IS NULL OR isnan({column})"
        if self.types[role] != "VARCHAR":
            return f"{column} IS NULL"
        # A name that begins with a letter or a digit is soon seen not to be blank.
        return f"{column} IS NULL OR CASE WHEN {column} BETWEEN '!' AND '~' THEN false ELSE {trimmed(column)} = '' END"


def _labelled(objects: Any, named: str) -> pa.Table:
    """Names as DuckDB writes them, and the position of each; that of a second spelling counts on after the last."""
    keys = name_keys(objects)
    check_unique_keys(keys)
    names: list[Any] = []
    codes = np.arange(len(keys), dtype=np.int32)
    if named != "VARCHAR":
        names = [_number(key, named) for key in keys]
        return pa.table({"name": pa.array(names, _JOINED[named]), "code": codes})
    written = [spellings(key) for key in keys]
    again = np.array([at for at, texts in enumerate(written) if len(texts) > 1], dtype=np.int32)
    names = [texts[0] for texts in written] + [written[at][1] for at in again]
    return pa.table({"name": pa.array(names, pa.string()), "code": np.concatenate([codes, again + len(keys)])})


def _number(key: str, named: str) -> int | float | None:
    """The number that has a key; None for a name that no number has."""
    try:
        number = int(key) if named == "BIGINT" else float(key)
    except ValueError:
        return None
    too_large = isinstance(number, int) and not -(1 << 63) <= number < 1 << 63
    return None if too_large or name_key(number) != key else number
