"""Faults: what is wrong with a table, and where, looked for row by row when a reader knows that something is.

Readers sum up many rows at once, in an order of their own, and so cannot say which row comes first. Here the rows are
read again one after the other, as the formats of ``tables`` read them, in pieces that fit into memory. So every reader
names the same row, and says the same of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables import values as valuing
from manyjudges.tables.columns import first_invalid_row, take_rows, valid_rows
from manyjudges.tables.files import place_in, with_points
from manyjudges.tables.formats.content import Content
from manyjudges.tables.formats.paths import StrPath
from manyjudges.tables.formats.registry import stream_content
from manyjudges.tables.grammar import NOTATIONS, is_missing
from manyjudges.tables.names import is_name, name_key, name_text
from manyjudges.tables.repetitions import judged_twice
from manyjudges.tables.values import REMEDY, Locate, Place, mixed_kinds

Pairs = Collection[tuple[str, str]]
"""Keys of objects, and attributes, in which a worker may stand twice."""


@dataclass(frozen=True)
class LocatedRows:
    """Some rows of a table: columns by role, and the place of each row."""

    columns: Mapping[str, Any]
    locate: Locate
    decimal_comma: bool = False


@dataclass(frozen=True)
class FileRows:
    """The rows of files, in their order.

    Attributes
    ----------
    paths : sequence of path
        Also addresses in object stores.
    names : mapping
        What the columns are called, by role.
    skip : bool
        Whether lines that are no rows are skipped. Otherwise they are an error.
    """

    paths: Sequence[StrPath]
    names: Mapping[str, str]
    skip: bool

    def parts(self) -> Iterator[LocatedRows]:
        """All rows, some at a time."""
        for path, content in self._contents():
            if len(content.frame):
                yield LocatedRows(self._columns(content), _locate_in(path, content.numbers), content.decimal_comma)

    def parts_with_points(self) -> Iterator[tuple[LocatedRows, int]]:
        """The same with points in decimals, and how many lines were skipped before each."""
        for path, content in self._contents():
            columns = self._columns(content)
            if content.decimal_comma and len(content.frame):
                columns["value"] = with_points(content.frame[self.names["value"]]).to_numpy()
            yield LocatedRows(columns, _locate_in(path, content.numbers)), content.unread

    def _contents(self) -> Iterator[tuple[StrPath, Content]]:
        for path in self.paths:
            for content in stream_content(path, skip=self.skip, columns=list(dict.fromkeys(self.names.values()))):
                yield path, content

    def _columns(self, content: Content) -> dict[str, Any]:
        nothing = pd.Series([None] * len(content.frame), dtype=object)  # a field that no record of these has
        return {role: content.frame.get(name, nothing).to_numpy() for role, name in self.names.items()}


def find_fault(
    parts: Iterable[LocatedRows], *, skip: bool, pairs: Pairs = (), count: int | None = None
) -> JudgmentsError | None:
    """The first invalid row, or else judgments of two kinds, or else of the same worker twice; None if all is well.

    Parameters
    ----------
    parts : iterable of LocatedRows
    skip : bool
        Whether invalid rows are left out.
    pairs : collection of (str, str)
        Where to look for workers who judged twice.
    count : int, optional
        How many rows are invalid, where that is known.
    """
    kinds, repeats = _Kinds(), _Repeats(pairs)
    for part in parts:
        invalid = first_invalid_row(
            part.columns, part.locate, decimal_comma=part.decimal_comma, count=count, remedy=REMEDY
        )
        if invalid is not None and not skip:
            return invalid
        kept = part
        if invalid is not None:
            rows = np.flatnonzero(valid_rows(part.columns, decimal_comma=part.decimal_comma))
            kept = LocatedRows(*take_rows(part.columns, part.locate, rows), part.decimal_comma)
        kinds.note(kept)
        repeats.note(kept)
    return kinds.fault() or repeats.fault()


def _locate_in(path: StrPath, numbers: Any) -> Callable[[int], Place]:
    return lambda row: place_in(path, int(numbers[row]))


@dataclass
class _Kinds:
    """Which kinds of values the attributes have, and where each came first."""

    seen: dict[str, dict[int, tuple[int, object, Place]]] = field(default_factory=dict)
    done: int = 0

    def note(self, rows: LocatedRows) -> None:
        """Take some more rows."""
        values = np.asarray(rows.columns["value"])
        if not len(values):
            return
        _, kinds = valuing.numbers(values, decimal_comma=rows.decimal_comma)
        if kinds is None:
            kinds = np.full(len(values), int(values.dtype.kind == "b"))
        codes, names = pd.factorize(pd.Series(rows.columns["attribute"]))
        both, first = np.unique(np.asarray(codes) * len(NOTATIONS) + kinds, return_index=True)
        for code, row in zip(both.tolist(), first.tolist(), strict=True):
            attribute, kind = divmod(code, len(NOTATIONS))
            kinds_seen = self.seen.setdefault(name_text(names[attribute]), {})
            kinds_seen.setdefault(kind, (self.done + row, values[row], rows.locate(row)))
        self.done += len(values)

    def fault(self) -> JudgmentsError | None:
        """The attribute that was judged in a second way first."""
        mixed = [
            (sorted((order, kind, value, place) for kind, (order, value, place) in kinds_seen.items())[:2], name)
            for name, kinds_seen in self.seen.items()
            if len(kinds_seen) > 1
        ]
        if not mixed:
            return None
        examples, name = min(mixed, key=lambda pair: pair[0][1][0])
        return mixed_kinds(name, [(value, kind, place) for _, kind, value, place in examples])


@dataclass
class _Repeats:
    """Where workers judged first, and who did again."""

    pairs: Pairs
    first: dict[tuple[str, ...], Place] = field(default_factory=dict)
    again: list[tuple[tuple[Any, ...], Place, Place]] = field(default_factory=list)
    count: int = 0

    def note(self, rows: LocatedRows) -> None:
        """Take some more rows."""
        if not self.pairs or "worker" not in rows.columns:
            return
        wanted = {key for key, _ in self.pairs}
        codes, names = pd.factorize(pd.Series(rows.columns["object"]))
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


def names_as_text(column: Any) -> list[str | None]:
    """Names as text; None for what is none."""
    codes, distinct = pd.factorize(pd.Series([name if is_name(name) else None for name in column], dtype=object))
    texts = [*map(name_text, distinct), None]
    return [texts[code] for code in codes]


def values_as_text(column: Any) -> list[str | None]:
    """Values as text; None where there is none, or none that is valid text."""
    return [None if is_missing(value) or not is_name(text := str(value)) else text for value in column]
