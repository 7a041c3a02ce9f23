"""Queries: what DuckDB is asked about a table of judgments, whatever ``sources`` reads it from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from manyjudges.scan.duckdb.answers import CODED, NO_ANSWERS, OUTSIDE, CellAnswers, answers_of_numbers, answers_of_texts
from manyjudges.scan.duckdb.sources import Source
from manyjudges.scan.options import INVALID_GROUP, UNANSWERED_GROUP, UNLABELLED_GROUP, WORD_GROUP
from manyjudges.tables.grammar import DECIMAL_COMMA, points_sql, sql_text, trimmed, value_sql
from manyjudges.tables.names import check_unique_keys, name_key, name_keys, spellings
from manyjudges.tables.reading.cell_rows import is_wanted
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.values import ROUND_THOUSANDS, THOUSANDS, THREE_DIGITS

LABELLED = "labelled"
"""The table of objects that have a label."""

VALID, _INVALID, _UNANSWERED, _UNWANTED, _WORD = range(5)
"""States of rows: a judgment; an invalid one; no answer; none that is wanted; a text that was not looked up."""

CODES = {_WORD: WORD_GROUP, _UNANSWERED: UNANSWERED_GROUP, _INVALID: INVALID_GROUP}
"""The codes of rows that are no judgments, which come before the objects."""

_FIRST = 10_000
"""Rows that are looked at before all are read: whether there are words among them."""

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
    options : ReadOptions
        Which attributes are wanted.
    answers : CellAnswers
        What the cells stand for.
    hash_bits : int
        Bits of a worker's hash that are given.
    settled : str
        The table of the same rows in which repeated judgments are settled; "" where they are not.
    """

    source: Source
    types: dict[str, str]
    named: str
    options: ReadOptions = field(default_factory=ReadOptions)
    answers: CellAnswers = field(default_factory=CellAnswers)
    hash_bits: int = 32
    settled: str = ""

    @classmethod
    def of(cls, connection: Any, source: Source, options: ReadOptions, *, hash_bits: int = 32) -> JudgmentQueries:
        """Look at the types of a source's columns, and whether some of its first cells have to be counted."""
        described = connection.execute(f"DESCRIBE SELECT * FROM {source.relation}").fetchall()
        types = {row[0]: str(row[1]) for row in described if row[0] in source.columns}
        kind = types["object"]
        named = "BIGINT" if kind in _WHOLE else "DOUBLE" if kind in _FRACTIONS else "VARCHAR"
        queries = cls(source, types, named, options, hash_bits=hash_bits)
        if not queries.textual:
            return queries.answered(answers_of_numbers(connection, options, source.no_answer, known=True))
        return queries.answered(answers_of_numbers(connection, options, source.no_answer, known=False))

    def answered(self, answers: CellAnswers) -> JudgmentQueries:
        """The same, when it is known what the cells stand for."""
        return replace(self, answers=answers)

    def count_texts(self, connection: Any) -> JudgmentQueries:
        """Read all cells once, to decide what the texts among them stand for."""
        source, options = self.source, self.options
        given = source.given
        answers = answers_of_texts(
            connection, self._texts(), options, source.no_answer, given, lambda name: is_wanted(name, options)
        )
        return self.answered(answers)

    def has_thousands(self, connection: Any) -> bool:
        """Whether some cells may have marks between thousands that would be taken for decimals."""
        if not self.source.decimal_comma:
            return False
        text = trimmed("value::VARCHAR")
        forms = (THOUSANDS, DECIMAL_COMMA, ROUND_THOUSANDS, THREE_DIGITS)
        found = ", ".join(f"bool_or(regexp_full_match({text}, {sql_text(form)}))" for form in forms)
        ((points, commas, rounded, below),) = connection.execute(
            f"SELECT {found} FROM {self.source.relation}"
        ).fetchall()
        return bool((points and commas) or (rounded and below))

    def begins_with_words(self, connection: Any) -> bool:
        """Whether there is a cell that is no plain number among the first ones."""
        first = f"SELECT value, number FROM ({self._texts()}) LIMIT {_FIRST}"
        query = f"SELECT 1 FROM ({first}) WHERE number IS NULL AND value <> '' LIMIT 1"
        return bool(connection.execute(query).fetchall())

    def label(self, connection: Any, objects: Any) -> None:
        """Let DuckDB know the objects that have labels, by position."""
        # As a table of DuckDB's own: beside one of Arrow's, it cannot say how far it is.
        connection.register("given", _labelled(objects, self.named))
        connection.execute(f"CREATE TEMP TABLE {LABELLED} AS FROM given WHERE name IS NOT NULL")
        connection.unregister("given")

    def ordered(self, *, unlabelled: bool) -> str:
        """Every row: ``code`` of the object, ``attribute``, ``value``, in order of objects; first those without one.

        With workers, some bits of their hash. Rows of objects without label may be left out.

        Rows are brought into order rather than grouped by DuckDB. Of 100 million shuffled rows an order takes less
        than half the time of groups with all that is needed of them, in order; and what the judgments of a pair come
        to is soon summed up when they lie together.
        """
        states = " ".join(f"WHEN {state} THEN {code}" for state, code in CODES.items())
        code = f"CASE state {states} ELSE coalesce(code, {UNLABELLED_GROUP}) END::INTEGER AS code"
        selected = [code, "attribute", "v AS value", *["h AS worker"] * self.workers]
        kept = "" if unlabelled else f"WHERE state <> {VALID} OR code IS NOT NULL"
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
        return f", {self._text('worker', self._columns)} AS worker" if self.workers else ""

    @property
    def attribute(self) -> str:
        """SQL of the attributes' names."""
        return self._text("attribute", self._columns)

    @property
    def textual(self) -> bool:
        """Whether values are texts, of which some may be words."""
        return self.types["value"] == "VARCHAR"

    def rows(self, relation: str, extra: str = "") -> str:
        """Each row that is wanted: ``object``, ``attribute``, the number ``v``, its ``state``; a hash where needed."""
        if self.settled:
            return f"SELECT * FROM {self.settled}"
        column = self._columns
        object_name = self._text("object", column) if self.named == "VARCHAR" else f"{column['object']}::{self.named}"
        parts = [f"{object_name} AS object", f"{self._text('attribute', column)} AS attribute"]
        parts += [f"{self._number} AS v", f"{self._state} AS state"]
        parts += [f"(hash({column['worker']}) & {(1 << self.hash_bits) - 1})::UINTEGER AS h"] if self.workers else []
        number = value_sql("value::VARCHAR") if self.textual else "TRY_CAST(value AS DOUBLE)"
        looked_up = f"FROM (SELECT *, {number} AS number FROM {self._with_points(relation)}) {' '.join(self._joins())}"
        return f"SELECT * FROM (SELECT {', '.join(parts)}{extra} {looked_up}) WHERE state <> {_UNWANTED}"

    @property
    def _columns(self) -> dict[str, str]:
        """SQL of each column; one of several files may have other types than all of them together."""
        return {role: f"CAST({role} AS {kind})" for role, kind in self.types.items()}

    def _texts(self) -> str:
        """SQL of all rows: the attribute, the text in the cell, and its number where it is a plain one."""
        attribute = self._text("attribute", self._columns)
        selected = f"{attribute} AS attribute, value::VARCHAR AS value, {value_sql('value::VARCHAR')} AS number"
        return f"SELECT {selected} FROM {self._with_points(self.source.relation)}"

    def _with_points(self, relation: str) -> str:
        """SQL of the same rows, with points in decimals."""
        if not self.source.decimal_comma:
            return relation
        return f"(SELECT * REPLACE ({points_sql('value::VARCHAR')} AS value) FROM {relation})"

    def _joins(self) -> Iterator[str]:
        """SQL of the tables in which texts are looked up."""
        if self.answers.no_answers:
            yield f"LEFT JOIN {NO_ANSWERS} ON no_answer = CASE WHEN number IS NULL THEN value END"
        if self.answers.outside:
            attribute = self._text("attribute", self._columns)
            yield f"LEFT JOIN {OUTSIDE} ON outside_attribute = {attribute} AND outside_number = number"
        if self.answers.coded:
            attribute = self._text("attribute", self._columns)
            text = f"CASE WHEN {self._is_text} THEN value END"
            yield f"LEFT JOIN {CODED} ON coded_attribute = {attribute} AND coded_text = {text}"

    @property
    def _is_text(self) -> str:
        """Whether a cell is looked up, rather than read as a number."""
        if not self.answers.looked_up or not self.textual:
            return "number IS NULL"
        names = ", ".join(map(sql_text, self.answers.looked_up))
        return f"(number IS NULL OR {self._text('attribute', self._columns)} IN ({names}))"

    @property
    def _number(self) -> str:
        number = f"CASE WHEN {self._is_text} THEN coded_number ELSE number END" if self.answers.coded else "number"
        return f"CASE WHEN outside_number IS NULL THEN {number} END" if self.answers.outside else number

    @property
    def _state(self) -> str:
        column = self._columns
        no_answer = ["value IS NULL", *(["value = ''"] if self.textual else [_is_nan("number")])]
        no_answer += ["no_answer IS NOT NULL"] * self.answers.no_answers
        no_answer += [f"number IN ({', '.join(map(repr, self.answers.missing))})"] * bool(self.answers.missing)
        cases = [
            f"WHEN ({' OR '.join(no_answer)}) IS TRUE THEN CASE WHEN {self._blank('object', column['object'])} "
            f"THEN {_UNWANTED} ELSE {_UNANSWERED} END"
        ]
        blank = {role: self._blank(role, column[role]) for role in column if role in ("object", "attribute", "worker")}
        if (unwanted := self._unwanted) is not None:
            cases.append(f"WHEN NOT ({blank['attribute']}) AND {unwanted} THEN {_UNWANTED}")
        if not self.answers.known:
            cases.append(f"WHEN number IS NULL THEN {_WORD}")
        wrong = ["v IS NULL", "NOT isfinite(v)", *blank.values()]
        return f"CASE {' '.join(cases)} WHEN {' OR '.join(wrong)} THEN {_INVALID} ELSE {VALID} END::TINYINT"

    @property
    def _unwanted(self) -> str | None:
        """SQL that is true of attributes that are not read; None where all are."""
        attribute = self._text("attribute", self._columns)
        parts = []
        if self.options.drop:
            parts.append(f"{attribute} IN ({', '.join(map(sql_text, self.options.drop))})")
        if self.options.codings:
            parts.append(f"{attribute} NOT IN ({', '.join(map(sql_text, self.options.codings))})")
        return f"({' OR '.join(parts)})" if parts else None

    def _text(self, role: str, column: Mapping[str, str]) -> str:
        """A name as text, as ``names.name_text`` has it."""
        text, kind = f"{column[role]}::VARCHAR", self.types[role]
        if kind.startswith("DECIMAL") and not kind.endswith(",0)"):
            return f"rtrim(rtrim({text}, '0'), '.')"
        return text

    def _blank(self, role: str, column: str) -> str:
        if self.types[role] in ("FLOAT", "DOUBLE"):
            return f"{column} IS NULL OR {_is_nan(column)}"
        if self.types[role] != "VARCHAR":
            return f"{column} IS NULL"
        # A name that begins with a letter or a digit is soon seen not to be blank.
        return f"{column} IS NULL OR CASE WHEN {column} BETWEEN '!' AND '~' THEN false ELSE {trimmed(column)} = '' END"


def _is_nan(number: str) -> str:
    """SQL that is true of NaN. ``isnan`` is never true of a column of Parquet whose statistics leave NaN out."""
    return f"(NOT isfinite({number}) AND NOT isinf({number}))"


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
