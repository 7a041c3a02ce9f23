"""Pieces: a table piece by piece, for those who read one that need not fit into memory.

What is in a piece is read by the same steps as a table in memory. How the table is laid out is recognised from its
beginning, as it is there.
"""

from __future__ import annotations

__all__ = ["Piece", "PiecedTable", "open_pieces", "pieces_of_files", "pieces_of_tables"]

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.exceptions import DocumentError, JudgmentsError, ManyJudgesError
from manyjudges.tables.files import check_same_columns, in_file
from manyjudges.tables.formats.content import Content
from manyjudges.tables.formats.paths import StrPath, file_name
from manyjudges.tables.formats.registry import column_types, heading, is_in_pieces, stream_content
from manyjudges.tables.reading.cell_rows import CellRows
from manyjudges.tables.reading.cells import LongPart, layout_of, long_columns, scales_of, without_totals
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.sources import Opened, Part, of_tables, open_parts, paths_in, to_part
from manyjudges.tables.shapes.layout import Layout
from manyjudges.tables.shapes.registry import ROWS_LOOKED_AT
from manyjudges.tables.values import Place

_FEW = 100
"""Rows that are read together with those before: a table may end with some that sum it up."""


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of a table, as long rows.

    Attributes
    ----------
    rows : CellRows
    long : LongPart
        The same, with the row and the heading of each cell.
    scales : mapping
        The words of the table's own scales with their numbers, by attribute.
    unread : int
        Lines that were skipped.
    first : int
        How many rows of the table come before it.
    """

    rows: CellRows
    long: LongPart
    scales: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    unread: int = 0
    first: int = 0


@dataclass(frozen=True, eq=False)
class PiecedTable:
    """A table that is read piece by piece.

    Attributes
    ----------
    name : str
        For messages; empty where there are no files.
    layout : Layout
    paths : tuple of path
        Also addresses in object stores.
    notes : tuple of str
        What to tell the user of it.
    options : ReadOptions
    headings : tuple of str
        The names of its columns.
    scales : mapping
        The words of the scales that its files have themselves, as far as their beginnings tell, by attribute.
    whole : list of Part, optional
        All of it, where its format can only be read whole.
    """

    name: str
    layout: Layout
    paths: tuple[StrPath, ...]
    notes: tuple[str, ...]
    options: ReadOptions
    headings: tuple[str, ...] = ()
    scales: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    whole: list[Part] | None = None

    def pieces(self) -> Iterator[Piece]:
        """The table's rows, from the first to the last."""
        for part, first in self.parts():
            yield _piece_of(part, self.layout, first=first)

    def parts(self) -> Iterator[tuple[Part, int]]:
        """Each part, and how many rows of its file come before it."""
        if self.whole is not None:
            parts = (replace(part, heading_rows=self.layout.heading_rows) for part in self.whole)
            yield from ((without_totals(part, self.layout, self.options), 0) for part in parts)
            return
        for path in self.paths:
            yield from self._parts_of(path)

    def _parts_of(self, path: StrPath) -> Iterator[tuple[Part, int]]:
        columns, done = heading(path, format=self.options.format), 0
        before: Part | None = None  # kept back, as the last part may have rows that sum up the others
        for part in _parts_of_file(path, self.options, len(self.paths) > 1):
            if self.layout.measured:
                _check_fields(part, columns)
            part = replace(part, frame=part.frame.reindex(columns=columns), heading_rows=self.layout.heading_rows)
            if before is None or len(part.frame) < _FEW:
                before = part if before is None else _together(before, part)
                continue
            yield before, done
            done += len(before.frame)
            before = part
        if before is not None:
            yield without_totals(before, self.layout, self.options), done


def open_pieces(source: Any, options: ReadOptions) -> PiecedTable:
    """Recognise how files are laid out, from their beginning.

    Parameters
    ----------
    source : path or list of paths
    options : ReadOptions
    """
    options.check()
    paths = paths_in(source, options)
    if not all(is_in_pieces(path, format=options.format) for path in paths):
        opened = open_parts(source, options)
        parts, layout, notes = _laid_out(opened, options, paths)
        own = tuple(map(str, parts[0].frame.columns)), scales_of(parts, layout)
        return PiecedTable(opened.name, layout, tuple(paths), _notes(notes, parts), options, *own, parts)
    name = paths[0].name if len(paths) == 1 else f"{_given(source)} ({len(paths)} files)"
    return pieces_of_files(paths, options, name)


def pieces_of_files(paths: Sequence[StrPath], options: ReadOptions, name: str) -> PiecedTable:
    """Recognise how files are laid out that are read piece by piece.

    Parameters
    ----------
    paths : sequence of path
        Also addresses in object stores.
    options : ReadOptions
    name : str
        What all of them are called.
    """
    headings = [heading(path, format=options.format) for path in paths]
    for path, columns in zip(paths, headings, strict=True):
        check_same_columns(path, columns, paths[0], headings[0])
    types = [(file_name(path), column_types(path, format=options.format)) for path in paths]
    beginnings = [_beginning(paths[0], options, several=len(paths) > 1)]
    beginnings += [
        _beginning(path, options, several=True, rows=1)
        if any(map(_has_order, kinds.values()))
        else to_part(path, _nothing(headings[0]), several=True)
        for path, (_, kinds) in zip(paths[1:], types[1:], strict=True)
    ]
    kept, layout, notes = _laid_out(Opened(name, beginnings, types), options, paths)
    own = [part.path for part in kept if part.path is not None]
    scales = scales_of(kept, layout)
    return PiecedTable(name, layout, tuple(own), _notes(notes, beginnings), options, tuple(headings[0]), scales)


def beginning_of(source: Any, options: ReadOptions) -> pd.DataFrame:
    """The first rows of files, as they are there.

    Parameters
    ----------
    source : path or list of paths
    options : ReadOptions
    """
    return _beginning(paths_in(source, options)[0], options, several=False).frame


def pieces_of_tables(tables: Iterable[Any], options: ReadOptions) -> tuple[Layout, Iterator[Piece]]:
    """The layout of tables that come one after the other, which is that of the first, and their rows.

    Parameters
    ----------
    tables : iterable of frames
    options : ReadOptions
    """
    parts = (part for table in tables for part in of_tables(table))
    first = next(parts, None)
    if first is None:
        raise JudgmentsError("there are no judgments: no table was given.", column="source")
    _, layout, _ = layout_of(Opened("", [first]), options)
    return layout, _of_tables(chain([first], parts), layout, options)


def _piece_of(part: Part, layout: Layout, *, first: int = 0, files: bool = True) -> Piece:
    """The long rows of a part of a table.

    Parameters
    ----------
    part : Part
    layout : Layout
    first : int
        How many rows of its file come before it.
    files : bool
        Whether it comes from a file.
    """
    long = long_columns(part, layout, files=files, first=first)
    return Piece(_LocatedRows(part, long).rows(), long, scales_of([part], layout), part.unread, first)


@dataclass(frozen=True, eq=False)
class _LocatedRows:
    """Long rows, which know where they stand."""

    part: Part
    long: LongPart

    def rows(self) -> CellRows:
        return CellRows(self.long.columns, self._locate, self._heading)

    def _locate(self, row: int) -> Place:
        return self.part.locate(int(self.long.rows[row]))

    def _heading(self, row: int) -> str:
        headings, codes = self.long.headings, self.long.codes
        return "value" if headings is None or codes is None else headings[int(codes[row])]


def _of_tables(parts: Iterable[Part], layout: Layout, options: ReadOptions) -> Iterator[Piece]:
    first = 0
    for part in parts:
        numbered = replace(part, numbers=np.arange(first + 1, first + len(part.frame) + 1))
        yield _piece_of(without_totals(numbered, layout, options), layout, first=first, files=False)
        first += len(part.frame)


def _laid_out(
    opened: Opened, options: ReadOptions, paths: Sequence[StrPath]
) -> tuple[list[Part], Layout, tuple[str, ...]]:
    try:
        return layout_of(opened, options)
    except ManyJudgesError as error:
        raise in_file(error, file_name(paths[0])) from None


def _has_order(kind: pa.DataType) -> bool:
    """Whether a column of a type has words in an order of its own."""
    return bool(pa.types.is_dictionary(kind) and kind.ordered)


def _beginning(path: StrPath, options: ReadOptions, *, several: bool, rows: int = ROWS_LOOKED_AT) -> Part:
    """As many rows of a file as a layout is recognised from, and one more where there are more."""
    frames: list[Part] = []
    n_rows = 0
    for part in _parts_of_file(path, options, several):
        frames.append(part)
        n_rows += len(part.frame)
        if n_rows > rows:
            break
    if not frames:
        return to_part(path, _nothing(heading(path, format=options.format)), several=several)
    return reduce(_together, frames)


def _together(one: Part, other: Part) -> Part:
    """Two parts of a file as one."""
    frames = [one.frame, other.frame]
    numbers = None
    if one.numbers is not None and other.numbers is not None:
        numbers = np.concatenate([one.numbers, other.numbers])
    return replace(
        one,
        frame=pd.concat(frames, ignore_index=True),
        numbers=numbers,
        unread=one.unread + other.unread,
        notes=tuple(dict.fromkeys([*one.notes, *other.notes])),
    )


def _nothing(columns: Sequence[str]) -> Content:
    return Content(pd.DataFrame(columns=list(columns)))


def _parts_of_file(path: StrPath, options: ReadOptions, several: bool) -> Iterator[Part]:
    for content in stream_content(path, format=options.format, skip=options.skip):
        yield to_part(path, content, several=several)


def _check_fields(part: Part, columns: Sequence[str]) -> None:
    """Refuse a record with a field that the first ones do not have: it would be left out of a wide table."""
    if odd := [name for name in part.frame.columns if name not in columns]:
        name = "" if part.path is None else file_name(part.path)
        raise DocumentError(
            f"{name}: a record has the field {odd[0]!r}, which none of the first ones has. Add it to the first record, "
            "as null where it has no value.",
            value=odd[0],
            file=name or None,
        )


def _notes(notes: Sequence[str], parts: Sequence[Part]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*notes, *(note for part in parts for note in part.notes)]))


def _given(source: Any) -> str:
    """What the user called several files."""
    return Path(source[0] if isinstance(source, list | tuple) else source).name
