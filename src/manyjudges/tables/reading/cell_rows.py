"""Cell rows: long rows of cells, the numbers that they stand for, and what is wrong with them.

A table in memory is one piece of such rows; a table that is scanned comes in many.
"""

from __future__ import annotations

__all__ = ["CellRows", "Problems", "error_of_coding", "is_wanted"]

import datetime
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Bools, Floats, Integers
from manyjudges.base.messages import list_names, quote_value
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.answers.codes import codes_outside
from manyjudges.tables.answers.coding import PLAIN, AnswerCoding
from manyjudges.tables.answers.no_answer import no_answer_mask
from manyjudges.tables.columns import invalid_name, wrong_names
from manyjudges.tables.grammar import is_blank, is_infinite, is_missing, read_number
from manyjudges.tables.names import name_text, told_apart
from manyjudges.tables.reading.coding import AnswerTally, texts_of_cells, words_that_count
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.reading import InvalidRow
from manyjudges.tables.values import Locate, Place

_NAMES = ("object", "attribute", "worker")
WORDS_SHOWN = 5

ColumnOf = Callable[[int], str]
"""From a row to the heading of the column in which its value stands."""


class CellRows:
    """Long rows of cells.

    Parameters
    ----------
    columns : mapping
        Arrays by role: object, attribute, value, and perhaps worker and time.
    locate : callable
        Where a row is.
    column_of : callable
        In which column the value of a row stands.
    """

    def __init__(self, columns: Mapping[str, Any], locate: Locate, column_of: ColumnOf = lambda _row: "value") -> None:
        self.columns = {role: np.asarray(column) for role, column in columns.items()}
        self.locate, self.column_of = locate, column_of

    def __len__(self) -> int:
        return len(self.columns["object"])

    def take(self, rows: Integers) -> CellRows:
        """Some rows, by position."""
        if len(rows) == len(self):
            return self
        columns = {role: column[rows] for role, column in self.columns.items()}
        return CellRows(columns, lambda row: self.locate(int(rows[row])), lambda row: self.column_of(int(rows[row])))

    @cached_property
    def wrong(self) -> dict[str, Bools]:
        """Of each role of a name, in which rows there is none, or what cannot be one."""
        return {role: wrong_names(self.columns[role]) for role in _NAMES if role in self.columns}

    @cached_property
    def attributes(self) -> tuple[Integers, tuple[str, ...]]:
        """Each row's attribute by position among their names, -1 where it has none; and these names."""
        return _attributes(self.columns["attribute"], self.wrong["attribute"])

    def answered(self, options: ReadOptions, no_answer: tuple[str, ...] = ()) -> tuple[CellRows, int]:
        """The rows with an answer, and how many others there are.

        Parameters
        ----------
        options : ReadOptions
        no_answer : tuple of str
            Codes for "no answer" of the tool that wrote the table.
        """
        has_answer = ~no_answer_mask(self.columns["value"], (*options.missing, *no_answer), words_that_count(options))
        # A row without an object and without an answer is an empty one, as spreadsheets leave them behind a table.
        unanswered = int(np.count_nonzero(~wrong_names(self.columns["object"][~has_answer])))
        return self.take(np.flatnonzero(has_answer)), unanswered

    def of_attributes(self, options: ReadOptions) -> CellRows:
        """The rows of the attributes that are wanted: all but those dropped, or those of a plan."""
        if not options.drop and not options.codings:
            return self
        codes, names = self.attributes
        wanted = [is_wanted(name, options) for name in names]
        return self.take(np.flatnonzero(np.array([*wanted, True])[codes]))  # the last is for rows without one

    def tally(self, tally: AnswerTally) -> None:
        """Count the different answers."""
        codes, names = self.attributes
        named = codes >= 0
        tally.add(names, codes[named], self.columns["value"][named])

    def numbers(self, codings: Mapping[str, AnswerCoding]) -> Floats:
        """The numbers that cells stand for; NaN for those that stand for none, or look like codes for no answer."""
        codes, names = self.attributes
        values = _read(self.columns["value"], codes, names, codings)
        for at, name in enumerate(names):
            if name in codings and (limits := codings[name].limits) is not None:
                own = np.flatnonzero(codes == at)
                values[own[codes_outside(values[own], limits)]] = np.nan
        return values

    def problems(self, numbers: Floats, codings: Mapping[str, AnswerCoding]) -> Problems:
        """What is wrong with rows, whose cells stand for these numbers."""
        return Problems(self, {**self.wrong, "value": ~np.isfinite(numbers) & (self.attributes[0] >= 0)}, codings)


def is_wanted(attribute: str, options: ReadOptions) -> bool:
    """Whether an attribute is to be read: it is not dropped, and among those of a plan."""
    return attribute not in options.drop and (not options.codings or attribute in options.codings)


def error_of_coding(errors: Mapping[str, JudgmentsError], pieces: Iterable[CellRows]) -> JudgmentsError:
    """The error of the attribute that comes first, with the first row in which such an answer stands.

    Parameters
    ----------
    errors : mapping
        By attribute, as :func:`manyjudges.tables.reading.coding.decide_codings` gives them.
    pieces : iterable of CellRows
        All rows with an answer of the attributes that are wanted, in their order.
    """
    first: tuple[str, object, Place, str] | None = None
    for rows in pieces:
        codes, names = rows.attributes
        mine = [at for at, name in enumerate(names) if (name in errors if first is None else name == first[0])]
        own = np.flatnonzero(np.isin(codes, mine))
        if first is None and len(own):
            own = own[codes[own] == codes[own[0]]]
        texts = texts_of_cells(rows.columns["value"][own])
        words = [int(row) for row, text in zip(own, texts, strict=True) if np.isnan(read_number(text))]
        if len(own) and (first is None or words):
            at = words[0] if words else int(own[0])
            first = (names[codes[at]], _as_seen(rows.columns["value"][at]), rows.locate(at), rows.column_of(at))
        if words:
            break
    if first is None:
        return next(iter(errors.values()))
    name, value, place, column = first
    return JudgmentsError(
        f"{errors[name]} The first such answer is {quote_value(value)} in {place}.",
        value=value,
        row=place.row,
        column=column,
        file=place.file,
    )


class Problems:
    """What is wrong with the cells of rows: names that are missing, and values that are no answers."""

    def __init__(self, cells: CellRows, wrong: Mapping[str, Bools], codings: Mapping[str, AnswerCoding]) -> None:
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
            f"{place}, a judgment of {attribute!r}: {self._problem(row)}{more}. {self._advice(row)}{remedy}",
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
        value = "" if is_missing(cell) or is_blank(cell) else str(cell)
        return InvalidRow(place.file or "", place.row, column, value, problem)

    def _role(self, row: int) -> str:
        return next(role for role in self._wrong if self._wrong[role][row])

    def _cell(self, row: int) -> Any:
        return _as_seen(self._cells.columns[self._role(row)][row])

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
        if coding.limits is not None and not np.isnan(read_number(cell)):
            low, high = (f"{end:.15g}" for end in coding.limits)
            return f"{quote_value(cell)} is far outside the answers that the plan was made from, {low} to {high}"
        if coding.words:
            return f"{quote_value(cell)} is not one of the answers {list_names(coding.words, WORDS_SHOWN)}"
        unit = f" with the unit {coding.unit}" if coding.unit else ""
        comma = " (write decimals with a point)" if isinstance(cell, str) and _has_comma(cell) else ""
        return f"{quote_value(cell)} is not a number{unit}{comma}"

    def _advice(self, row: int) -> str:
        cell = self._cell(row)
        if is_infinite(cell):
            return "Correct the row, or leave it out."
        if self._codings[self._attribute(row)].limits is not None and not np.isnan(number := read_number(cell)):
            return (
                f"If it means that there is no answer, add --missing {number:.15g} (missing=); if it is a real answer, "
                f"add --valid {number:.15g} (valid=)."
            )
        return (
            f"Correct the row. If {quote_value(cell)} means that there is no answer, pass it to --missing (missing=)."
        )


def _as_seen(cell: Any) -> Any:
    """A cell as people see it in a spreadsheet, which turns what looks like a day into one."""
    return name_text(cell) if isinstance(cell, datetime.date | datetime.time) else cell


def _has_comma(cell: str) -> bool:
    return "," in cell and cell.replace(",", "", 1).strip().isdecimal()


def _attributes(column: Any, wrong: Bools) -> tuple[Integers, tuple[str, ...]]:
    """Each row's attribute by position among their names, -1 where it has none."""
    texts: Any = column if column.dtype != np.object_ else np.where(wrong, None, column)
    codes, distinct = pd.factorize(told_apart(texts))
    names = [name_text(name) for name in distinct.tolist()]
    unique = {name: at for at, name in enumerate(dict.fromkeys(names))}
    at = np.array([unique[name] for name in names] + [-1], dtype=np.int64)
    return np.where(wrong, -1, at[codes]), tuple(unique)


def _read(raw: Any, codes: Integers, names: tuple[str, ...], codings: Mapping[str, AnswerCoding]) -> Floats:
    """The numbers that cells stand for; NaN for those that stand for none."""
    if raw.dtype.kind in "iufb":
        if all(codings[name].is_numeric for name in names if name in codings):
            return np.where(codes >= 0, raw.astype(float), np.nan)
        at, distinct = pd.factorize(raw)  # of those whose answers are words, it must be one of them
        raw = np.array([*map(name_text, distinct.tolist()), None], dtype=np.object_)[at]
    values = np.full(len(raw), np.nan)
    alike: dict[int, tuple[AnswerCoding, list[int]]] = {}
    for at, name in enumerate(names):
        if name in codings:
            alike.setdefault(id(codings[name]), (codings[name], []))[1].append(at)
    plain = [at for coding, own in alike.values() if coding.is_plain for at in own]
    groups = [(PLAIN, plain)] if plain else []
    groups += [(coding, own) for coding, own in alike.values() if not coding.is_plain]
    for coding, own in groups:
        rows = np.flatnonzero(np.isin(codes, own)) if len(own) < len(names) else np.flatnonzero(codes >= 0)
        values[rows] = coding.encode(texts_of_cells(raw[rows]))[0]
    return values
