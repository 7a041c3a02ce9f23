"""Queries: what DuckDB is asked about a table of judgments, whatever ``duckdb_sources`` reads it from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import LabelsError
from manyjudges.scan.duckdb_sources import Source, text
from manyjudges.tables import values

LABELLED = "labelled"
"""The table of objects that have a label."""

BAD, UNLABELLED = -2, -1
"""Codes of rows that are no judgments, and of objects without label; those that have one are counted from 0."""

WORDS = {word: (int(number), 1 << kind) for word, (number, kind) in values.WORDS.items()}
"""What words stand for, and the bit of their kind; that of numbers is 1."""

HASHED = (1 << 32) - 1
"""Bits of a worker's hash that are looked at; where two agree in them, their names are compared."""

WHITE = "".join(filter(str.isspace, map(chr, range(0x3001))))
"""What is no part of a name or a number at its ends."""

WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
FRACTIONS = ("FLOAT", "DOUBLE", "DECIMAL")
JOINED = {"BIGINT": pa.int64(), "DOUBLE": pa.float64()}


@dataclass(frozen=True)
class JudgmentQueries:
    """What is asked about one source.

    Attributes
    ----------
    source : Source
    types : dict of str to str
        DuckDB's types of the columns, by role.
    named : str
        The type by which objects are joined with labels: a number where both are, and else text.
    """

    source: Source
    types: dict[str, str]
    named: str

    @classmethod
    def of(cls, connection: Any, source: Source, objects: Any) -> JudgmentQueries:
        """Look at the types of a source's columns, and let DuckDB know the objects that have labels, by position."""
        described = connection.execute(f"DESCRIBE SELECT * FROM {source.relation}").fetchall()
        types = {row[0]: str(row[1]) for row in described if row[0] in source.columns}
        kind, given = np.asarray(objects).dtype.kind, types["object"]
        named = "VARCHAR"
        if given in WHOLE and kind in "iu":
            named = "BIGINT"
        elif (given in WHOLE or given.startswith(FRACTIONS)) and kind in "iuf":
            named = "DOUBLE"
        names = pa.array(_texts(objects)) if named == "VARCHAR" else pa.array(objects, JOINED[named])
        codes = pa.array(np.arange(len(names), dtype=np.int32))
        # As a table of DuckDB's own: beside one of Arrow's, it cannot say how far it is.
        connection.register("given", pa.table({"name": names, "code": codes}))
        connection.execute(f"CREATE TEMP TABLE {LABELLED} AS FROM given")
        connection.unregister("given")
        return cls(source, types, named)

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
        # One of several files may have other types than all of them together.
        column = {role: f"CAST({role} AS {kind})" for role, kind in self.types.items()}
        bad = [self._blank(role, column[role]) for role in column if role != "value"]
        parts = [f"{column['object']}::{self.named} AS object", f"{column['attribute']}::VARCHAR AS attribute"]
        parts += [f"{self.value} AS v", f"(v IS NULL OR NOT isfinite(v) OR {' OR '.join(bad)}) AS bad"]
        parts += [f"(hash({column['worker']}) & {HASHED})::UINTEGER AS h"] if self.workers else []
        if not self.textual:
            return f"SELECT {', '.join(parts)}{extra} FROM {relation}"
        parts += [f"coalesce({_word(1)}, 1)::UTINYINT AS kind"]
        return f"SELECT {', '.join(parts)}{extra} FROM ({self._read(relation)})"

    @property
    def value(self) -> str:
        """The number that a value stands for; NULL where it is none."""
        return f"coalesce(number, {self._number('word')}, {_word(0)})" if self.textual else "TRY_CAST(value AS DOUBLE)"

    def _read(self, relation: str) -> str:
        """Rows with the ``number`` that a text is, and else the ``word``, without white space and in small letters.

        In a step of its own, and each text trimmed in one place, as that takes many times as long as all else: what
        stands in two places, DuckDB works out for all rows beforehand.
        """
        told = "value::VARCHAR"
        plain = f"lower({told}) IN ({', '.join(map(text, WORDS))})"
        word = f"CASE WHEN number IS NOT NULL THEN '' WHEN {plain} THEN lower({told}) ELSE lower({_trimmed(told)}) END"
        return f"SELECT *, {self._number(told)} AS number, {word} AS word FROM {relation}"

    def _number(self, told: str) -> str:
        # DuckDB reads 1_000 as Python source does, and +-5; a table does not mean that.
        odd = f"contains({told}, '_') OR contains({told}, '+-')"
        number = f"CASE WHEN {odd} THEN NULL ELSE TRY_CAST({told} AS DOUBLE) END"
        if not self.source.commas:
            return number
        decimal = f"regexp_full_match({told}, '[-+]?\\d+,\\d+')"
        return f"coalesce({number}, CASE WHEN {decimal} THEN TRY_CAST(replace({told}, ',', '.') AS DOUBLE) END)"

    def _blank(self, role: str, column: str) -> str:
        if self.types[role] in ("FLOAT", "DOUBLE"):
            return f"{column} IS NULL OR isnan({column})"
        if self.types[role] != "VARCHAR":
            return f"{column} IS NULL"
        # A name that begins with a letter or a digit is soon seen not to be blank.
        return f"{column} IS NULL OR CASE WHEN {column} BETWEEN '!' AND '~' THEN false ELSE {_trimmed(column)} = '' END"


def _word(at: int) -> str:
    """What a word stands for, or the bit of its kind; NULL for others."""
    return f"CASE word {' '.join(f'WHEN {text(word)} THEN {means[at]}' for word, means in WORDS.items())} END"


def _trimmed(column: str) -> str:
    return f"trim({column}, {text(WHITE)})"


def _texts(objects: Any) -> list[str]:
    """Names of objects as DuckDB writes them."""
    names = [_text(each) for each in objects]
    if len(set(names)) < len(names):
        twice = next(each for each, times in Counter(names).items() if times > 1)
        raise LabelsError(f"{quote_value(twice)} is labelled twice, once as text and once not; keep one.")
    return names


def _text(name: Any) -> str:
    if isinstance(name, float) and name.is_integer():
        return str(int(name))
    return str(pd.Timestamp(name)) if isinstance(name, np.datetime64) else str(name)
