"""Samples: the beginning of a table and what the user said about it, which is all that a shape sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.columns import AUTO_COLUMN, SYNONYMS, columns_called, less_usual
from manyjudges.tables.grammar import is_blank, is_missing
from manyjudges.tables.shapes.layout import Layout, MeasuredColumn
from manyjudges.tables.shapes.looks import (
    EMPTY,
    IDENTIFIER,
    NAMES_OR_FREE_TEXT,
    NO_HEADING,
    NUMBERS_OF_ROWS,
    Look,
    is_unnamed,
    look_at,
    plain_heading,
    reason_to_leave_out,
)

COLUMN_ROLES = ("object", "attribute", "value", "worker", "label", "time")
"""What a column can be, as far as a user can say so."""

_TIMES = (
    "time", "timestamp", "date", "datetime", "submitted at", "created at", "submitdate", "submit date", "submit time",
    "submitted", "date submitted", "enddate", "end date", "recordeddate", "zeitstempel", "datum", "horodateur",
)  # fmt: skip


_OF_NAMES = (None, NAMES_OR_FREE_TEXT, NO_HEADING, IDENTIFIER)
"""Why a column that names the objects may hold no judgments."""


_FEWEST_WORKERS = _FEWEST_ROWS_OF_A_WORKER = 3
"""So many raters with so many rows each must be there to tell what is a fact about raters."""


@dataclass(frozen=True)
class Shape:
    """A way in which a table is laid out.

    Attributes
    ----------
    name : str
    recognise : callable
        The layout of a sample; what it lacks, in words, where it does not have this shape. Raises JudgmentsError where
        it has the shape and leaves open which column is what.
    """

    name: str
    recognise: Callable[[Sample], Layout | str]


@dataclass(frozen=True, eq=False)
class Sample:
    """The beginning of a table, and what the user said about it.

    Attributes
    ----------
    frame : pandas.DataFrame
        Its first rows, as they are in the file.
    asked : mapping of str to str or None
        The column for each role; None for a role that no column has. What is not in it is to be found.
    shape : str
        The name of the shape, or ``"auto"``.
    drop : tuple of str
        Columns or attributes to leave out.
    name : str
        Of the file, for messages.
    sheets : tuple of str
        The names of all sheets or files that are read together.
    whole : bool
        Whether nothing is read but these rows, so that a column that is empty here is empty.
    """

    frame: pd.DataFrame
    asked: Mapping[str, str | None] = field(default_factory=dict)
    shape: str = AUTO_COLUMN
    drop: tuple[str, ...] = ()
    name: str = ""
    sheets: tuple[str, ...] = ()
    whole: bool = True

    @cached_property
    def headings(self) -> list[str]:
        """The columns' headings."""
        return [str(name) for name in self.frame.columns]

    @cached_property
    def _positions(self) -> dict[str, int]:
        """The position of the first column with each heading."""
        return {name: at for at, name in reversed([*enumerate(self.headings)])}

    @cached_property
    def _looks(self) -> dict[str, Look]:
        return {}

    def look(self, heading: str) -> Look:
        """What the cells of a column look like."""
        if heading not in self._looks:
            self._looks[heading] = look_at(self.frame.iloc[:, self._positions[heading]])
        return self._looks[heading]

    def below(self, heading_rows: int) -> Sample:
        """The same without rows that belong to the heading."""
        return replace(self, frame=self.frame.iloc[heading_rows:]) if heading_rows else self

    def named(self, role: str) -> str | None:
        """The column that the user named for a role."""
        name = self.asked.get(role, AUTO_COLUMN)
        return None if name == AUTO_COLUMN else name

    def ignores(self, role: str) -> bool:
        """Whether the user said that no column has a role."""
        return self.asked.get(role, AUTO_COLUMN) is None

    @property
    def named_columns(self) -> set[str]:
        """All columns that the user named for a role."""
        return {name for role in self.asked if (name := self.named(role)) is not None}

    def find(self, role: str, used: Iterable[str] = ()) -> str | None:
        """The column for a role: the one that the user named, or the only one with a usual name.

        Raises
        ------
        JudgmentsError
            Where several have such a name.
        """
        if (name := self.named(role)) is not None or self.ignores(role):
            return name
        taken = {*used, *self.named_columns, *self.drop}
        candidates = columns_called(SYNONYMS[role], self.headings, taken) or self._less_usual(role, taken)
        candidates = [role] if role in candidates else candidates
        if len(candidates) > 1:
            raise self.error(
                f"{list_names(candidates, limit=6)} could each be the {role}; say which with --{role} COLUMN "
                f"({role}=).",
                column=role,
            )
        return candidates[0] if candidates else None

    def find_time(self) -> str | None:
        """The column that says when a row was written."""
        if (name := self.named("time")) is not None or self.ignores("time"):
            return name
        candidates = [heading for heading in self.headings if plain_heading(heading) in _TIMES]
        dated = [heading for heading in candidates if self.reason(heading) == "a date or time"]
        return dated[0] if len(dated) == 1 else None

    def reason(self, heading: str) -> str | None:
        """Why a column holds no judgments; None where it may."""
        why = reason_to_leave_out(heading, self.look(heading))
        return None if why == EMPTY and not self.whole and not is_unnamed(heading) else why

    def measured(
        self, columns: Sequence[MeasuredColumn], left_out: Mapping[str, str] | None = None
    ) -> tuple[tuple[MeasuredColumn, ...], tuple[tuple[str, str], ...]]:
        """The columns that hold judgments, and those that do not with the reason.

        Parameters
        ----------
        columns : sequence of MeasuredColumn
            Those that may hold judgments.
        left_out : mapping, optional
            What is already known to hold none, and why.
        """
        kept, reasons = [], dict(left_out or {})
        if (time := self.find_time()) is not None and time != self.named("time"):
            reasons[time] = "a date or time"
        for column in columns:
            if column.column in self.drop or column.attribute in self.drop:
                reasons[column.column] = "dropped"
            elif (why := self.reason(column.column)) is not None:
                reasons[column.column] = why
            else:
                kept.append(column)
        return tuple(kept), tuple(sorted(reasons.items(), key=lambda pair: self._positions[pair[0]]))

    def about_workers(self, worker: str | None) -> dict[str, str]:
        """Columns that say something about raters and hold no judgments, with the reason.

        Parameters
        ----------
        worker : str, optional
            The column that names the rater of each row.
        """
        if worker is None:
            ignored = columns_called(SYNONYMS["worker"], self.headings) or less_usual("worker", self.headings)
            kept = [heading for heading in ignored if heading not in {*self.named_columns, *self.drop}]
            return dict.fromkeys(kept, "raters are ignored") if self.ignores("worker") else {}
        rows = self.frame.groupby(self.frame[worker].astype(str), sort=False)
        if len(rows) < _FEWEST_WORKERS or rows.size().min() < _FEWEST_ROWS_OF_A_WORKER:
            return {}
        taken = {worker, *self.named_columns, *self.drop}
        pairs = [(at, int(of_worker[0])) for of_worker in map(list, rows.indices.values()) for at in of_worker]
        return {
            heading: "the same in all rows of each rater"
            for heading in self.headings
            if heading not in taken
            if not (look := self.look(heading)).nested and len(look.distinct) > 1 and self._is_same(heading, pairs)
        }

    def _is_same(self, heading: str, pairs: Sequence[tuple[int, int]]) -> bool:
        """Whether a column has the same in both rows of each pair; most columns differ soon."""
        cells = self.frame.iloc[:, self._positions[heading]].tolist()
        return all(
            cells[one] is cells[other]
            or bool(cells[one] == cells[other])
            or (is_missing(cells[one]) and is_missing(cells[other]))
            for one, other in pairs
        )

    def check_drop(self, layout: Layout) -> Layout:
        """The layout of a wide table, or an error where what is to be dropped is neither a column nor an attribute."""
        known = {*self.headings, *layout.attributes}
        for name in self.drop:
            if name not in known:
                raise self.error(
                    f"{quote_value(name)}, which is to be dropped, is not a column; the columns are "
                    f"{list_names(self.headings, limit=10)}.{suggest(name, self.headings)} Correct --drop (drop=).",
                    value=name,
                    column="drop",
                )
        return layout

    def error(self, message: str, *, value: object = None, column: str | None = None) -> JudgmentsError:
        """An error about the table; the message begins with the file."""
        where = f"{self.name}: " if self.name else ""
        return JudgmentsError(f"{where}{message}", value=value, column=column, file=self.name or None)

    def may_name(self, heading: str) -> bool:
        """Whether a column may name the object: its cells are words, and no dates, addresses or sentences."""
        look = self.look(heading)
        return bool(look.filled) and not look.numeric and self.reason(heading) in _OF_NAMES

    def name_of_each_row(self, headings: Iterable[str]) -> str | None:
        """The first of some columns that names each row differently: with words, or as the first of the table."""
        columns = [heading for heading in headings if heading not in {*self.named_columns, *self.drop}]
        distinct = [heading for heading in columns if self._is_distinct(heading)]
        counting = [heading for heading in distinct if self.reason(heading) == NUMBERS_OF_ROWS]
        return next(iter([*(heading for heading in distinct if heading not in counting), *counting]), None)

    def _is_distinct(self, heading: str) -> bool:
        look = self.look(heading)
        if not 0 < len(self.frame) == len(look.distinct) or look.is_free_text:
            return False
        if heading == self.headings[0]:
            return self.reason(heading) in (*_OF_NAMES, NUMBERS_OF_ROWS)
        return self.may_name(heading)

    def is_filled(self, heading: str) -> NDArray[np.bool_]:
        """In which rows a column is not empty."""
        cells = self.frame.iloc[:, self._positions[heading]]
        return np.array([not (is_missing(cell) or is_blank(cell)) for cell in cells.tolist()], dtype=bool)

    def _less_usual(self, role: str, taken: set[str]) -> list[str]:
        """Columns with a less usual name of a role, preferably those that cannot be free text."""
        candidates = less_usual(role, self.headings, taken)
        short = [heading for heading in candidates if not self.look(heading).is_free_text]
        return short or candidates


def first_cells(frame: pd.DataFrame, row: int) -> list[str]:
    """The cells of one row as texts; none where there is no such row."""
    if row >= len(frame):
        return []
    return ["" if is_missing(cell) else str(cell).strip() for cell in frame.iloc[row].tolist()]
