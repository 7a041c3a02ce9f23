"""Answers: what the cells of a table stand for that DuckDB reads, decided by the same rules as for one in memory.

DuckDB reads plain numbers by itself. All other texts are counted, and what each of them stands for is decided in
Python; DuckDB looks that up while it reads the table again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.answers.codes import code_candidates, codes_outside
from manyjudges.tables.answers.coding import AnswerCoding
from manyjudges.tables.answers.no_answer import no_answer_mask, numeric_codes
from manyjudges.tables.grammar import is_blank
from manyjudges.tables.reading.coding import AnswerTally, decide_codings, words_that_count
from manyjudges.tables.reading.options import ReadOptions

NO_ANSWERS, CODED, OUTSIDE = "no_answers", "coded_answers", "outside_answers"
"""Tables of DuckDB: the texts that mean that there is no answer, the number of each other text by attribute, and
numbers by attribute that look like codes beside the answers that a plan was made from."""

_MAX_TEXTS = 5_000_000
"""Different answers in words that are looked up; what has more is free text."""

_MANY_NUMBERS = 1_000
"""Different numbers from which an attribute has no words for them, so that only how many they are matters."""

_TALLY = pa.schema({"attribute": pa.string(), "value": pa.string(), "count": pa.int64()})


@dataclass(frozen=True)
class CellAnswers:
    """What the cells of a table stand for.

    Attributes
    ----------
    known : bool
        Whether the texts were counted; where they were not, only plain numbers are read.
    missing : tuple of float
        Numbers that mean that there is no answer.
    codings : mapping of str to AnswerCoding
        Of the attributes with answers in words.
    looked_up : tuple of str
        The attributes whose numbers are looked up as well, as their answers are words or steps of a scale.
    errors : mapping of str to JudgmentsError
        The attributes of which it cannot be told what their answers stand for.
    no_answers, coded, outside : bool
        Whether the tables ``NO_ANSWERS``, ``CODED`` and ``OUTSIDE`` have anything in them.
    """

    known: bool = True
    missing: tuple[float, ...] = ()
    codings: Mapping[str, AnswerCoding] = field(default_factory=dict)
    looked_up: tuple[str, ...] = ()
    errors: Mapping[str, JudgmentsError] = field(default_factory=dict)
    no_answers: bool = False
    coded: bool = False
    outside: bool = False


def answers_of_numbers(
    connection: Any, options: ReadOptions, no_answer: Collection[str], *, known: bool
) -> CellAnswers:
    """What cells stand for that are plain numbers.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    options : ReadOptions
    no_answer : collection of str
        Codes for "no answer" of the tool that wrote the table.
    known : bool
        Whether it is known that there are no others.
    """
    missing = numeric_codes((*options.missing, *no_answer), words_that_count(options))
    outside = _outside(options.codings)
    _create(connection, OUTSIDE, outside)
    return CellAnswers(known=known, missing=tuple(missing), codings=options.codings, outside=len(outside) > 0)


def answers_of_texts(
    connection: Any,
    texts: str,
    options: ReadOptions,
    no_answer: Collection[str],
    given: Mapping[str, Mapping[str, float]],
    is_wanted: Callable[[str], bool],
) -> CellAnswers:
    """Decide what the texts in a table stand for, and make DuckDB's tables of it.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    texts : str
        SQL of all rows with the columns ``attribute``, ``value`` (text) and ``number`` (NULL where the text is no plain
        number).
    options : ReadOptions
    no_answer : collection of str
        Codes for "no answer" of the tool that wrote the table.
    given : mapping
        The words of the table's own scales with their numbers, by attribute.
    is_wanted : callable
        Whether an attribute is read.
    """
    plain = answers_of_numbers(connection, options, no_answer, known=True)
    words = _counted(connection, f"SELECT attribute, value FROM ({texts}) WHERE number IS NULL AND value <> ''")
    distinct = words.column("value").unique().to_numpy(zero_copy_only=False)
    means_nothing = no_answer_mask(distinct, (*options.missing, *no_answer), words_that_count(options))
    nothing = set(distinct[means_nothing].tolist())
    tally = AnswerTally()
    for attribute, value, count in _rows(words):
        if value not in nothing and attribute is not None and not is_blank(attribute) and is_wanted(attribute):
            _count(tally, attribute, value, count)
    known = [name for name, coding in options.codings.items() if not coding.is_numeric]
    numbered = _numbers(connection, texts, sorted({*tally.counts, *known}), plain.missing)
    for attribute, value, count in numbered:
        _count(tally, attribute, value, count)
    codings, errors = decide_codings(tally, options, given)
    looked_up = tuple(name for name, coding in codings.items() if not coding.is_numeric)
    _create(connection, NO_ANSWERS, pa.table({"no_answer": pa.array(sorted(nothing), pa.string())}))
    coded = _coded(tally, codings)
    _create(connection, CODED, coded)
    return CellAnswers(
        missing=plain.missing,
        codings={**options.codings, **codings},
        looked_up=looked_up,
        errors=errors,
        no_answers=bool(nothing),
        coded=len(coded) > 0,
        outside=plain.outside,
    )


def _outside(codings: Mapping[str, AnswerCoding]) -> pa.Table:
    """Numbers that look like codes beside the answers that a plan was made from, by attribute."""
    candidates = code_candidates()
    found = {
        name: candidates[codes_outside(candidates, coding.limits)]
        for name, coding in codings.items()
        if coding.limits is not None
    }
    names = [name for name, numbers in found.items() for _ in numbers]
    values = np.concatenate([np.zeros(0), *found.values()])
    return pa.table({"outside_attribute": pa.array(names, pa.string()), "outside_number": values})


def _count(tally: AnswerTally, attribute: str, value: str, count: int) -> None:
    own = tally.counts.setdefault(attribute, {})
    own[value] = own.get(value, 0) + count


def _counted(connection: Any, query: str) -> pa.Table:
    """The different rows of a query of attributes and values, with how often each is there."""
    counted = f"SELECT attribute, value, count(*) AS count FROM ({query}) GROUP BY ALL LIMIT {_MAX_TEXTS + 1}"
    table: pa.Table = connection.sql(counted).to_arrow_table().cast(_TALLY)
    if len(table) > _MAX_TEXTS:
        value = table.column("value")[0].as_py()
        raise JudgmentsError(
            f"there are more than {_MAX_TEXTS:,} different answers in words, such as {value!r}. Is this the column of "
            "the values? Name it with --value (value=).",
            value=value,
            column="value",
        )
    return table


def _numbers(
    connection: Any, texts: str, attributes: Collection[str], missing: Collection[float]
) -> Iterator[tuple[str, str, int]]:
    """How often each plain number is an answer for some attributes; of those with many, one stands for all."""
    if not attributes:
        return
    connection.register("worded", pa.table({"attribute": pa.array(attributes, pa.string())}))
    kept = f"AND number NOT IN ({', '.join(map(repr, missing))})" if missing else ""
    query = (
        f"WITH numbers AS (SELECT attribute, value, count(*) AS count FROM ({texts}) "
        f"SEMI JOIN worded USING (attribute) WHERE number IS NOT NULL {kept} GROUP BY ALL), "
        f"many AS (SELECT attribute FROM numbers GROUP BY ALL HAVING count(*) > {_MANY_NUMBERS}) "
        "SELECT * FROM numbers ANTI JOIN many USING (attribute) UNION ALL "
        "SELECT attribute, min(value), sum(count) FROM numbers SEMI JOIN many USING (attribute) GROUP BY attribute"
    )
    counted = connection.sql(query).to_arrow_table().cast(_TALLY)
    connection.unregister("worded")
    yield from _rows(counted)


def _rows(counted: pa.Table) -> Iterator[tuple[Any, Any, int]]:
    return zip(*(counted.column(name).to_pylist() for name in _TALLY.names), strict=True)


def _coded(tally: AnswerTally, codings: Mapping[str, AnswerCoding]) -> pa.Table:
    """The number of each text, by attribute; none where a text is not an answer."""
    attributes: list[str] = []
    texts: list[str] = []
    numbers: list[np.ndarray[Any, Any]] = []
    for name, coding in codings.items():
        own = list(tally.counts.get(name, {}))
        attributes += [name] * len(own)
        texts += own
        numbers.append(coding.encode(np.array(own, dtype=np.object_))[0] if own else np.zeros(0))
    values = np.concatenate([np.zeros(0), *numbers])
    return pa.table(
        {
            "coded_attribute": pa.array(attributes, pa.string()),
            "coded_text": pa.array(texts, pa.string()),
            "coded_number": pa.array(values, pa.float64(), mask=~np.isfinite(values)),
        }
    )


def _create(connection: Any, name: str, table: pa.Table) -> None:
    """A table of DuckDB's own: beside one of Arrow's, it cannot say how far it is."""
    connection.register("given", table)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS FROM given")
    connection.unregister("given")
