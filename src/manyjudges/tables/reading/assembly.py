"""Assembly: from cells in long rows to codes and numbers, all checked once."""

from __future__ import annotations

__all__ = ["Assembled", "all_invalid", "check_cells", "encode_cells", "none_answered", "none_wanted"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import list_names
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.answers.coding import AnswerCoding
from manyjudges.tables.columns import encode_names, wrong_names
from manyjudges.tables.files import plain_names
from manyjudges.tables.names import name_key, name_text
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


@dataclass(frozen=True, eq=False)
class CheckedCells:
    """The cells of a table that are judgments, and what became of the others.

    Attributes
    ----------
    rows : CellRows
        Valid rows.
    values : array
        The number that each of them stands for.
    codings : dict of str to AnswerCoding
    tally : AnswerTally
        The different answers that were found.
    n_cells, n_answered, n_wanted : int
        All cells, those with an answer, and those of them of attributes that are wanted.
    unanswered : int
        Cells without an answer, of rows that name an object.
    invalid : tuple of InvalidRow
    """

    rows: CellRows
    values: Floats
    codings: dict[str, AnswerCoding]
    tally: AnswerTally
    n_cells: int
    n_answered: int
    n_wanted: int
    unanswered: int
    invalid: tuple[InvalidRow, ...]


def assemble(
    columns: Mapping[str, Any],
    locate: Locate,
    options: ReadOptions,
    *,
    no_answer: tuple[str, ...] = (),
    given: Mapping[str, Mapping[str, float]] | None = None,
    column_of: ColumnOf = lambda _row: "value",
    remedy: str = "",
    files: bool = False,
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
    files : bool
        Whether they come from files, in which names that are all whole numbers are numbers.
    """
    every = CellRows(columns, locate, column_of)
    checked = check_cells(every, options, no_answer=no_answer, given=given, remedy=remedy)
    if not checked.n_cells:
        raise JudgmentsError("there are no judgments: the table has no rows.")
    if not checked.n_answered:
        raise none_answered(checked.n_cells)
    if not checked.n_wanted:
        raise none_wanted(every.attributes[1], options)
    if not len(checked.rows):
        raise all_invalid(len(checked.invalid), checked.invalid[0].problem)
    return encode_cells(checked, options, columns["object"], files=files)


def check_cells(
    every: CellRows,
    options: ReadOptions,
    *,
    no_answer: tuple[str, ...] = (),
    given: Mapping[str, Mapping[str, float]] | None = None,
    remedy: str = "",
) -> CheckedCells:
    """The judgments among cells, of which there may be none.

    Parameters
    ----------
    every : CellRows
    options, no_answer, given, remedy
        As for :func:`assemble`.

    Raises
    ------
    JudgmentsError
        Where it cannot be told what answers stand for, or a row is invalid and ``options`` do not say to skip it.
    """
    answered, unanswered = every.answered(options, no_answer)
    kept = answered.of_attributes(options)
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
    valid = np.flatnonzero(~problems.any_wrong)
    sizes = (len(every), len(answered), len(kept))
    return CheckedCells(kept.take(valid), values[valid], codings, tally, *sizes, unanswered, invalid)


def encode_cells(checked: CheckedCells, options: ReadOptions, every_object: Any, *, files: bool = False) -> Assembled:
    """Judgments as codes and numbers.

    Parameters
    ----------
    checked : CheckedCells
        At least one judgment.
    options : ReadOptions
    every_object : array
        Names of all objects in the table, whether they are judged or not.
    files : bool
        As for :func:`assemble`.
    """
    columns, locate, values = checked.rows.columns, checked.rows.locate, checked.values
    objects, object_codes = _encoded(columns["object"], "object", locate, files=files)
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
        workers, worker_codes = _encoded(columns["worker"], "worker", locate, files=files)
        if options.repeated != "error":
            keys = (object_codes, attribute_codes, worker_codes)
            kept, values = settle_repeats(keys, values, options.repeated, columns.get("time"), locate)
            repeated = len(checked.rows) - len(kept)
            object_codes, attribute_codes, worker_codes = (codes[kept] for codes in keys)
    rows = Rows(object_codes, attribute_codes, worker_codes, values)
    storage = LongStorage.of(len(objects), len(attributes), rows)
    check_once(rows, storage.coded, objects, attributes, workers, locate)
    # Where all cells are judgments, so that every object is judged, nobody has to look for others.
    every_is_judged = len(checked.rows) == checked.n_cells
    return Assembled(
        objects,
        attributes,
        workers,
        storage,
        {name: checked.codings[name] for name in attributes if name in checked.codings},
        checked.unanswered,
        repeated,
        checked.invalid,
        np.array([], dtype=np.object_) if every_is_judged else _unjudged(every_object, objects),
    )


def _encoded(column: Any, role: str, locate: Locate, *, files: bool) -> tuple[Any, Integers]:
    """Distinct names in order, and each row's position among them."""
    names, codes = encode_names(column, role, locate)
    # Of all rows, some names may be blank or others than whole numbers; of judgments, as a scan has them, none may be.
    plain = plain_names(names) if files else names
    if plain.dtype == names.dtype:
        return names, codes
    order = np.argsort(plain, kind="stable")
    return plain[order], np.argsort(order)[codes]


def all_invalid(count: int, problem: str) -> JudgmentsError:
    """What to say where no row is valid; ``problem`` is that of the first."""
    return JudgmentsError(f"there are no judgments: all {count:,} rows are invalid. The first: {problem}")


def _unjudged(every: Any, judged: Any) -> Any:
    """Names that are not among those with judgments."""
    blank = wrong_names(every)
    names = [name for name, wrong in zip(np.asarray(every, dtype=np.object_), blank, strict=True) if not wrong]
    there = set(map(name_key, judged))
    return np.array([name for name in dict.fromkeys(names) if name_key(name) not in there], dtype=np.object_)


def none_answered(count: int) -> JudgmentsError:
    """What to say where no cell has an answer."""
    return JudgmentsError(f"there are no judgments: none of {count:,} cells has an answer.")


def none_wanted(names: Sequence[str], options: ReadOptions) -> JudgmentsError:
    """What to say where no row of a wanted attribute is left; ``names`` are those of all attributes."""
    wanted = f" of {list_names(options.codings, WORDS_SHOWN)}" if options.codings else ""
    return JudgmentsError(
        f"there are no judgments{wanted}: the table has judgments of {list_names(names, WORDS_SHOWN)}.",
        column="attribute",
    )
