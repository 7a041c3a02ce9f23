"""Assembly: from cells in long rows to codes and numbers, all checked once."""

from __future__ import annotations

__all__ = ["Assembled"]

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyjudges.arrays.types import Floats
from manyjudges.base.messages import list_names
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.answers.coding import AnswerCoding
from manyjudges.tables.columns import encode_names, wrong_names
from manyjudges.tables.names import name_text
from manyjudges.tables.reading.cell_rows import WORDS_SHOWN, CellRows, ColumnOf, error_of_coding
from manyjudges.tables.reading.coding import AnswerTally, decide_codings
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.reading import InvalidRow
from manyjudges.tables.reading.repeats import settle_repeats
from manyjudges.tables.repetitions import check_once
from manyjudges.tables.storage import LongStorage, Rows
from manyjudges.tables.values import Locate


@dataclass(frozen=True, eq=False)
class Assembled:
    """Judgments as codes and numbers, and what became of the other cells.

    Attributes
    ----------
    objects, workers : array
        Distinct names in order; no workers where they are not known.
    attributes : tuple of str
    storage : LongStorage
    codings : dict of str to AnswerCoding
    unanswered : int
    repeated : int
    invalid : tuple of InvalidRow
    unjudged : array
        Names of objects that are in the table and have no answer at all.
    """

    objects: Any
    attributes: tuple[str, ...]
    workers: Any
    storage: LongStorage
    codings: dict[str, AnswerCoding]
    unanswered: int
    repeated: int
    invalid: tuple[InvalidRow, ...]
    unjudged: Any


def assemble(
    columns: Mapping[str, Any],
    locate: Locate,
    options: ReadOptions,
    *,
    no_answer: tuple[str, ...] = (),
    given: Mapping[str, Mapping[str, float]] | None = None,
    column_of: ColumnOf = lambda _row: "value",
    remedy: str = "",
) -> Assembled:
    """Turn cells into codes and numbers, or say which row is invalid.

    Parameters
    ----------
    columns : mapping
        Arrays by role: object, attribute, value, and perhaps worker and time.
    locate : callable
        Where a row is.
    options : ReadOptions
    no_answer : tuple of str
        Codes for "no answer" of the tool that wrote the table.
    given : mapping, optional
        The words of the file's own scale with their numbers, by attribute.
    column_of : callable
        In which column the value of a row stands.
    remedy : str
        How to have invalid rows skipped, for messages.
    """
    if len(columns["object"]) == 0:
        raise JudgmentsError("there are no judgments: the table has no rows.")
    every = CellRows(columns, locate, column_of)
    kept, unanswered = every.answered(options, no_answer)
    if not len(kept):
        raise JudgmentsError(f"there are no judgments: none of {len(every):,} cells has an answer.")
    kept = kept.of_attributes(options)
    if not len(kept):
        raise _nothing(every, options)
    tally = AnswerTally()
    kept.tally(tally)
    codings, errors = decide_codings(tally, options, given)
    if errors:
        raise error_of_coding(errors, [kept])
    values = kept.numbers(codings)
    problems = kept.problems(values, codings)
    wrong = np.flatnonzero(problems.any_wrong)
    if wrong.size and not options.skip:
        raise problems.error(int(wrong[0]), int(wrong.size), remedy)
    invalid = tuple(problems.invalid_row(int(row)) for row in wrong)
    if wrong.size == len(kept):
        raise all_invalid(int(wrong.size), invalid[0].problem)
    valid = np.flatnonzero(~problems.any_wrong)
    return _encoded(kept.take(valid), values[valid], options, codings, unanswered, invalid, columns["object"])


def all_invalid(count: int, problem: str) -> JudgmentsError:
    """What to say where no row is valid; ``problem`` is that of the first."""
    return JudgmentsError(f"there are no judgments: all {count:,} rows are invalid. The first: {problem}")


def _encoded(
    cells: CellRows,
    values: Floats,
    options: ReadOptions,
    codings: dict[str, AnswerCoding],
    unanswered: int,
    invalid: tuple[InvalidRow, ...],
    every_object: Any,
) -> Assembled:
    columns, locate = cells.columns, cells.locate
    objects, object_codes = encode_names(columns["object"], "object", locate)
    names, attribute_codes = encode_names(columns["attribute"], "attribute", locate)
    attributes = tuple(name_text(name) for name in names)
    if len(set(attributes)) < len(attributes):
        same = next(name for name in attributes if attributes.count(name) > 1)
        raise JudgmentsError(
            f"two attributes are written {same!r}, once as text and once not; rename one.",
            value=same,
            column="attribute",
        )
    workers, worker_codes = np.array([], dtype=np.object_), None
    repeated = 0
    if "worker" in columns:
        workers, worker_codes = encode_names(columns["worker"], "worker", locate)
        if options.repeated != "error":
            keys = (object_codes, attribute_codes, worker_codes)
            kept, values = settle_repeats(keys, values, options.repeated, columns.get("time"), locate)
            repeated = len(cells) - len(kept)
            object_codes, attribute_codes, worker_codes = (codes[kept] for codes in keys)
    rows = Rows(object_codes, attribute_codes, worker_codes, values)
    storage = LongStorage.of(len(objects), len(attributes), rows)
    check_once(rows, storage.coded, objects, attributes, workers, locate)
    return Assembled(
        objects,
        attributes,
        workers,
        storage,
        {name: codings[name] for name in attributes if name in codings},
        unanswered,
        repeated,
        invalid,
        _unjudged(every_object, objects) if unanswered else np.array([], dtype=np.object_),
    )


def _unjudged(every: Any, judged: Any) -> Any:
    """Names that are not among those with judgments."""
    blank = wrong_names(every)
    names = [name for name, wrong in zip(np.asarray(every, dtype=np.object_), blank, strict=True) if not wrong]
    there = set(judged.tolist())
    return np.array([name for name in dict.fromkeys(names) if name not in there], dtype=np.object_)


def _nothing(every: CellRows, options: ReadOptions) -> JudgmentsError:
    """What to say where no row of a wanted attribute is left."""
    names = every.attributes[1]
    wanted = f" of {list_names(options.codings, WORDS_SHOWN)}" if options.codings else ""
    return JudgmentsError(
        f"there are no judgments{wanted}: the table has judgments of {list_names(names, WORDS_SHOWN)}.",
        column="attribute",
    )
