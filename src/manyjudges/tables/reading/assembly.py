"""Assembly: from cells in long rows to codes and numbers, all checked once."""

from __future__ import annotations

__all__ = ["Assembled", "answered", "assemble"]

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Bools, Floats, Integers
from manyjudges.base.messages import list_names, quote_value
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.answers.coding import AnswerCoding
from manyjudges.tables.answers.no_answer import no_answer_mask
from manyjudges.tables.columns import encode_names, invalid_name, wrong_names
from manyjudges.tables.grammar import is_infinite, read_number
from manyjudges.tables.names import name_text
from manyjudges.tables.reading.coding import PLAIN, AnswerTally, decide_codings, texts_of_cells, words_that_count
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.reading import InvalidRow
from manyjudges.tables.reading.repeats import settle_repeats
from manyjudges.tables.repetitions import check_once
from manyjudges.tables.storage import LongStorage, Rows
from manyjudges.tables.values import Locate

_NAMES = ("object", "attribute", "worker")
_WORDS_SHOWN = 5

ColumnOf = Callable[[int], str]
"""From a row to the heading of the column in which its value stands."""


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


def answered(values: Any, options: ReadOptions, more: tuple[str, ...] = ()) -> Bools:
    """Which cells hold an answer.

    Parameters
    ----------
    values : array
    options : ReadOptions
    more : tuple of str
        Codes for "no answer" of the tool that wrote the table.
    """
    return ~no_answer_mask(values, (*options.missing, *more), words_that_count(options))


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
    every = _Cells(columns, locate, column_of)
    has_answer = answered(np.asarray(columns["value"]), options, no_answer)
    if not has_answer.any():
        raise JudgmentsError(f"there are no judgments: none of {len(every):,} cells has an answer.")
    # A row without an object and without an answer is an empty one, as spreadsheets leave them behind a table.
    unanswered = int(np.count_nonzero(~wrong_names(np.asarray(columns["object"])[~has_answer])))
    kept = every.take(np.flatnonzero(has_answer))
    kept = kept.of_attributes(options)
    if not len(kept):
        raise _nothing(every, options)
    values, codings, problems = _values(kept, options, given)
    wrong = np.flatnonzero(problems.any_wrong)
    if wrong.size and not options.skip:
        raise problems.error(int(wrong[0]), int(wrong.size), remedy)
    invalid = tuple(problems.invalid_row(int(row)) for row in wrong)
    if wrong.size == len(kept):
        first = f" The first: {invalid[0].problem}" if invalid else ""
        raise JudgmentsError(f"there are no judgments: all {wrong.size:,} rows are invalid.{first}")
    valid = np.flatnonzero(~problems.any_wrong)
    return _encoded(kept.take(valid), values[valid], options, codings, unanswered, invalid, columns["object"])


def _encoded(
    cells: _Cells,
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
            kept, values = settle_repeats(keys, values, options.repeated, columns.get("time"))
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


class _Cells:
    """Long rows: columns by role, where each row is, and the heading of its value."""

    def __init__(self, columns: Mapping[str, Any], locate: Locate, column_of: ColumnOf) -> None:
        self.columns = {role: np.asarray(column) for role, column in columns.items()}
        self.locate, self.column_of = locate, column_of

    def __len__(self) -> int:
        return len(self.columns["object"])

    def take(self, rows: Integers) -> _Cells:
        """Some rows, by position."""
        if len(rows) == len(self):
            return self
        columns = {role: column[rows] for role, column in self.columns.items()}
        return _Cells(columns, lambda row: self.locate(int(rows[row])), lambda row: self.column_of(int(rows[row])))

    def of_attributes(self, options: ReadOptions) -> _Cells:
        """The rows of the attributes that are wanted: all but those dropped, or those of a plan."""
        if not options.drop and not options.codings:
            return self
        codes, names = _attributes(self.columns["attribute"], wrong_names(self.columns["attribute"]))
        wanted = [name not in options.drop and (not options.codings or name in options.codings) for name in names]
        return self.take(np.flatnonzero(np.array([*wanted, True])[codes]))  # the last is for rows without one


def _nothing(every: _Cells, options: ReadOptions) -> JudgmentsError:
    """What to say where no row of a wanted attribute is left."""
    names = _attributes(every.columns["attribute"], wrong_names(every.columns["attribute"]))[1]
    wanted = f" of {list_names(options.codings, _WORDS_SHOWN)}" if options.codings else ""
    return JudgmentsError(
        f"there are no judgments{wanted}: the table has judgments of {list_names(names, _WORDS_SHOWN)}.",
        column="attribute",
    )


def _values(
    cells: _Cells, options: ReadOptions, given: Mapping[str, Mapping[str, float]] | None
) -> tuple[Floats, dict[str, AnswerCoding], _Problems]:
    """The number of each cell, what the answers stand for, and what is wrong with cells."""
    wrong = {role: wrong_names(cells.columns[role]) for role in _NAMES if role in cells.columns}
    raw = cells.columns["value"]
    codes, names = _attributes(cells.columns["attribute"], wrong["attribute"])
    tally = AnswerTally()
    named = codes >= 0
    tally.add(names, codes[named], raw[named])
    codings, errors = decide_codings(tally, options, given)
    if errors:
        raise _located(errors, codes, names, raw, cells)
    values = _read(raw, codes, names, codings)
    return values, codings, _Problems(cells, {**wrong, "value": ~np.isfinite(values) & named}, codings)


def _attributes(column: Any, wrong: Bools) -> tuple[Integers, tuple[str, ...]]:
    """Each row's attribute by position among their names, -1 where it has none."""
    texts: Any = column if column.dtype != np.object_ else np.where(wrong, None, column)
    codes, distinct = pd.factorize(texts)
    names = [name_text(name) for name in distinct.tolist()]
    unique = {name: at for at, name in enumerate(dict.fromkeys(names))}
    at = np.array([unique[name] for name in names] + [-1], dtype=np.int64)
    return np.where(wrong, -1, at[codes]), tuple(unique)


def _read(raw: Any, codes: Integers, names: tuple[str, ...], codings: Mapping[str, AnswerCoding]) -> Floats:
    """The numbers that cells stand for; NaN for those that stand for none."""
    if raw.dtype.kind in "iufb":
        return np.where(codes >= 0, raw.astype(float), np.nan)
    values = np.full(len(raw), np.nan)
    alike: dict[int, tuple[AnswerCoding, list[int]]] = {}
    for at, name in enumerate(names):
        if name in codings:
            alike.setdefault(id(codings[name]), (codings[name], []))[1].append(at)
    plain = [at for coding, own in alike.values() if coding == PLAIN for at in own]
    groups = [(PLAIN, plain)] if plain else []
    groups += [(coding, own) for coding, own in alike.values() if coding != PLAIN]
    for coding, own in groups:
        rows = np.flatnonzero(np.isin(codes, own)) if len(own) < len(names) else np.flatnonzero(codes >= 0)
        values[rows] = coding.encode(texts_of_cells(raw[rows]))[0]
    return values


def _located(
    errors: Mapping[str, JudgmentsError], codes: Integers, names: tuple[str, ...], raw: Any, cells: _Cells
) -> JudgmentsError:
    """The error of the attribute that comes first, with the first row in which its value stands."""
    rows = np.flatnonzero(np.isin(codes, [at for at, name in enumerate(names) if name in errors]))
    name = names[codes[rows[0]]]
    error = errors[name]
    own = np.flatnonzero(codes == codes[rows[0]])
    texts = texts_of_cells(raw[own])
    at = next((int(row) for row, text in zip(own, texts, strict=True) if np.isnan(read_number(text))), int(own[0]))
    place = cells.locate(at)
    return JudgmentsError(
        f"{error} The first such answer is {quote_value(raw[at])} in {place}.",
        value=raw[at],
        row=place.row,
        column=cells.column_of(at),
        file=place.file,
    )


class _Problems:
    """What is wrong with the cells of rows: names that are missing, and values that are no answers."""

    def __init__(self, cells: _Cells, wrong: Mapping[str, Bools], codings: Mapping[str, AnswerCoding]) -> None:
        self._cells, self._wrong, self._codings = cells, wrong, codings
        self.any_wrong: Bools = np.logical_or.reduce(list(wrong.values()))

    def error(self, row: int, count: int, remedy: str) -> JudgmentsError:
        """What to say of an invalid row."""
        role, cell, place = self._role(row), self._cell(row), self._cells.locate(row)
        more = f" ({count - 1:,} more rows are invalid)" if count > 1 else ""
        if role != "value":
            return invalid_name(cell, role, place, count, remedy, whose=self._whose(row, role))
        attribute = self._attribute(row)
        return JudgmentsError(
            f"{place}, a judgment of {attribute!r}: {self._problem(row)}{more}. {self._advice(cell)}{remedy}",
            value=cell,
            row=place.row,
            column=self._cells.column_of(row),
            file=place.file,
        )

    def invalid_row(self, row: int) -> InvalidRow:
        """An invalid row that was skipped."""
        role, place = self._role(row), self._cells.locate(row)
        if role == "value":
            column, problem = self._attribute(row), self._problem(row)
        else:
            column, problem = role, f"it has no {role}"
        cell = self._cell(row)
        return InvalidRow(place.file or "", place.row, column, "" if cell is None else str(cell), problem)

    def _role(self, row: int) -> str:
        return next(role for role in self._wrong if self._wrong[role][row])

    def _cell(self, row: int) -> Any:
        return self._cells.columns[self._role(row)][row]

    def _attribute(self, row: int) -> str:
        return name_text(self._cells.columns["attribute"][row])

    def _whose(self, row: int, role: str) -> str:
        """Which object a row without a worker is about, where it has one."""
        if role == "object" or self._wrong["object"][row]:
            return ""
        return f" (object {quote_value(self._cells.columns['object'][row])})"

    def _problem(self, row: int) -> str:
        cell, coding = self._cell(row), self._codings[self._attribute(row)]
        if is_infinite(cell):
            return f"{quote_value(cell)} is not finite"
        if coding.words:
            return f"{quote_value(cell)} is not one of the answers {list_names(coding.words, _WORDS_SHOWN)}"
        unit = f" with the unit {coding.unit}" if coding.unit else ""
        comma = " (write decimals with a point)" if isinstance(cell, str) and _has_comma(cell) else ""
        return f"{quote_value(cell)} is not a number{unit}{comma}"

    @staticmethod
    def _advice(cell: Any) -> str:
        if is_infinite(cell):
            return "Correct the row, or leave it out."
        return (
            f"Correct the row. If {quote_value(cell)} means that there is no answer, pass it to --missing (missing=)."
        )


def _has_comma(cell: str) -> bool:
    return cell.replace(",", "", 1).strip().isdigit()
