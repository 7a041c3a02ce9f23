"""Faults: what is wrong with a table, and where, looked for row by row when a reader knows that something is.

Readers sum up many rows at once, in an order of their own, and so cannot say which row comes first. Here the rows are
read again one after the other, by the steps that read a table in memory, in pieces that fit into memory. So every
reader names the same row, and says the same of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.answers.coding import PLAIN, AnswerCoding
from manyjudges.tables.names import name_key, name_text, told_apart
from manyjudges.tables.reading.assembly import all_invalid, none_answered, none_wanted
from manyjudges.tables.reading.cell_rows import CellRows, Problems
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.reading import InvalidRow
from manyjudges.tables.repetitions import judged_twice
from manyjudges.tables.values import Place

Pairs = Collection[tuple[str, str]]
"""Keys of objects, and attributes, in which a worker may stand twice."""


@dataclass(frozen=True)
class RowReading:
    """How the rows of a table are read.

    Attributes
    ----------
    options : ReadOptions
    codings : mapping of str to AnswerCoding
        What the answers stand for, by attribute; numbers where it is not said.
    no_answer : tuple of str
        Codes for "no answer" of the tool that wrote the table.
    remedy : str
        How to have invalid rows skipped, for messages.
    """

    options: ReadOptions
    codings: Mapping[str, AnswerCoding] = field(default_factory=dict)
    no_answer: tuple[str, ...] = ()
    remedy: str = ""

    def answered(self, rows: CellRows) -> CellRows:
        """The rows with an answer for an attribute that is wanted."""
        return rows.answered(self.options, self.no_answer)[0].of_attributes(self.options)

    def problems(self, rows: CellRows) -> Problems:
        """What is wrong with rows that have an answer."""
        codings = dict.fromkeys(rows.attributes[1], PLAIN) | dict(self.codings)
        return rows.problems(rows.numbers(codings), codings)


def find_fault(
    parts: Iterable[CellRows], reading: RowReading, *, pairs: Pairs = (), count: int | None = None
) -> JudgmentsError | None:
    """The first invalid row, or else judgments of the same worker twice; None if all is well.

    Parameters
    ----------
    parts : iterable of CellRows
    reading : RowReading
    pairs : collection of (str, str)
        Where to look for workers who judged twice.
    count : int, optional
        How many rows are invalid, where that is known.
    """
    repeats = _Repeats(pairs)
    for part in parts:
        rows = reading.answered(part)
        problems = reading.problems(rows)
        wrong = np.flatnonzero(problems.any_wrong)
        if wrong.size and not reading.options.skip:
            return problems.error(int(wrong[0]), wrong.size if count is None else count, reading.remedy)
        repeats.note(rows.take(np.flatnonzero(~problems.any_wrong)))
    return repeats.fault()


def find_invalid(parts: Iterable[CellRows], reading: RowReading) -> Iterator[InvalidRow]:
    """All rows that are skipped, and why."""
    for part in parts:
        rows = reading.answered(part)
        problems = reading.problems(rows)
        yield from (problems.invalid_row(int(row)) for row in np.flatnonzero(problems.any_wrong))


def find_emptiness(parts: Iterable[CellRows], reading: RowReading) -> JudgmentsError:
    """Why none of the rows is a judgment: there are none, or none has an answer, is wanted, or is valid."""
    n_cells = n_answered = n_wanted = 0
    names: dict[str, None] = {}
    first: InvalidRow | None = None
    for part in parts:
        answered = part.answered(reading.options, reading.no_answer)[0]
        wanted = answered.of_attributes(reading.options)
        names |= dict.fromkeys(part.attributes[1])
        n_cells, n_answered, n_wanted = n_cells + len(part), n_answered + len(answered), n_wanted + len(wanted)
        if first is None:
            problems = reading.problems(wanted)
            first = next((problems.invalid_row(int(row)) for row in np.flatnonzero(problems.any_wrong)), None)
    if first is not None:
        return all_invalid(n_wanted, first.problem)
    if n_answered:
        return none_wanted(list(names), reading.options)
    return none_answered(n_cells) if n_cells else JudgmentsError("there are no judgments: the table has no rows.")


@dataclass
class _Repeats:
    """Where workers judged first, and who did again."""

    pairs: Pairs
    first: dict[tuple[str, ...], Place] = field(default_factory=dict)
    again: list[tuple[tuple[Any, ...], Place, Place]] = field(default_factory=list)
    count: int = 0

    def note(self, rows: CellRows) -> None:
        """Take some more rows."""
        if not self.pairs or "worker" not in rows.columns:
            return
        wanted = {key for key, _ in self.pairs}
        codes, names = pd.factorize(told_apart(rows.columns["object"]))
        maybe = np.array([name_key(name) in wanted for name in names], dtype=bool)
        for row in np.flatnonzero(maybe[codes]).tolist():
            judged = tuple(rows.columns[role][row] for role in ("object", "attribute", "worker"))
            if (name_key(judged[0]), name_text(judged[1])) in self.pairs:
                self._note(judged, rows.locate(row))

    def _note(self, judged: tuple[Any, ...], place: Place) -> None:
        texts = tuple(map(name_text, judged))
        if texts not in self.first:
            self.first[texts] = place
            return
        self.count += 1
        if not self.again:
            self.again.append((judged, self.first[texts], place))

    def fault(self) -> JudgmentsError | None:
        """The worker who judged again first."""
        if not self.again:
            return None
        (object_name, attribute, worker), first, second = self.again[0]
        return judged_twice(worker, name_text(attribute), object_name, first, second, self.count)
