"""Sources: the tables in whatever the user gave: files, folders, patterns, standard input, frames, or columns."""

from __future__ import annotations

__all__ = ["Part", "are_paths", "is_path", "is_table", "open_parts", "paths_in"]

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from manyjudges.arrays.types import Integers
from manyjudges.base.messages import list_names
from manyjudges.exceptions import DocumentError
from manyjudges.tables.files import NOT_COUNTED, check_same_columns, place_in
from manyjudges.tables.formats.content import Content
from manyjudges.tables.formats.paths import StrPath, file_name
from manyjudges.tables.formats.registry import column_types, find_tables, heading, read_contents
from manyjudges.tables.reading.frames import frame_and_scales, headings_of_frame, is_table, tables_in
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.values import Place, locate_from_zero, place_in_tables


@dataclass(frozen=True, eq=False)
class Part:
    """A table, or a part of one, as it was found.

    Attributes
    ----------
    frame : pandas.DataFrame
        Cells as they are in the file.
    path : path, optional
        Also an address in an object store; None where it is no file.
    sheet : str
        The name of the sheet or file.
    numbers : array of int, optional
        The number of each row in the file (default: from 1 without gaps), or in all the tables that come one after the
        other.
    decimal_comma : bool
    scales : mapping
        The words of a column with their numbers, where the file says so.
    unread : int
        Lines that were skipped.
    notes : tuple of str
    of_several : bool
        Whether it is one of several sheets of a workbook.
    heading_rows : int
        How many rows below the first belong to the heading.
    """

    frame: pd.DataFrame
    path: StrPath | None = None
    sheet: str = ""
    numbers: Integers | None = None
    decimal_comma: bool = False
    scales: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    unread: int = 0
    notes: tuple[str, ...] = ()
    of_several: bool = False
    heading_rows: int = 0

    def locate(self, row: int) -> Place:
        """Where a row stands, as a person would count."""
        if self.path is None:
            return locate_from_zero(row) if self.numbers is None else place_in_tables(int(self.numbers[row]))
        place = place_in(self.path, row + 1 if self.numbers is None else int(self.numbers[row]))
        words = f"{place.words}, sheet {self.sheet!r}" if self.of_several else place.words
        if self.heading_rows:
            words = words.replace(NOT_COUNTED, "(not counting the first line)")
        return replace(place, words=words)


@dataclass(frozen=True, eq=False)
class Opened:
    """All tables that were found.

    Attributes
    ----------
    name : str
        For messages; empty where there are no files.
    parts : list of Part
    types : list of (str, mapping)
        The name of each file, and the types of its columns, where its format has types.
    """

    name: str
    parts: list[Part]
    types: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    @property
    def files(self) -> bool:
        """Whether they are files."""
        return bool(self.name)


def open_parts(source: Any, options: ReadOptions) -> Opened:
    """Open whatever holds a table.

    Parameters
    ----------
    source : path, frame, mapping, or a list of these
        A file, a folder, a pattern, or ``"-"`` for standard input; any frame that narwhals reads; columns by name; rows
        as dicts; or frames by name, one for each rater.
    options : ReadOptions
        For the format, and whether lines that cannot be read are skipped.
    """
    if are_paths(source):
        return _files([source] if is_path(source) else source, options)
    return Opened("", list(of_tables(source)))


def is_path(source: Any) -> bool:
    """Whether something names files."""
    return isinstance(source, str | os.PathLike)


def are_paths(source: Any) -> bool:
    """Whether something names files, by one path or by several."""
    return is_path(source) or (isinstance(source, list | tuple) and bool(source) and all(map(is_path, source)))


def paths_in(source: Any, options: ReadOptions) -> list[Path]:
    """The files that one path or several name, folders and patterns among them."""
    return [
        file for path in ([source] if is_path(source) else source) for file in find_tables(path, format=options.format)
    ]


def headings_of(source: Any, options: ReadOptions) -> list[str]:
    """The names of a table's columns; of several files, those of the first."""
    if are_paths(source):
        return heading(paths_in(source, options)[0], format=options.format)
    return headings_of_frame(source)


def _files(paths: Sequence[Any], options: ReadOptions) -> Opened:
    files = paths_in(list(paths), options)
    contents = [(file, read_contents(file, format=options.format, skip=options.skip)) for file in files]
    several = len(files) > 1
    parts = [
        to_part(file, content, several=several, of_several=len(sheets) > 1)
        for file, sheets in contents
        for content in sheets
    ]
    if all(len(sheets) == 1 for _, sheets in contents):
        for part in parts[1:]:
            check_same_columns(part.path or "", list(part.frame.columns), files[0], list(parts[0].frame.columns))
    name = files[0].name if not several else f"{Path(paths[0]).name} ({len(files)} files)"
    types = [(file.name, column_types(file, format=options.format)) for file in files]
    return Opened(name, parts, types)


def to_part(file: StrPath, content: Content, *, several: bool, of_several: bool = False) -> Part:
    """What is in a file, or in a piece of one; its name tells it from others where there are several."""
    sheet = content.sheet or (file_name(file).split(".")[0] if several else "")
    return Part(
        content.frame,
        file,
        sheet,
        content.numbers,
        content.decimal_comma,
        content.scales,
        content.unread,
        content.notes,
        of_several,
    )


def of_tables(source: Any) -> Iterator[Part]:
    """The parts of a frame, of columns by name, or of several of these."""
    for name, table in tables_in(source):
        frame, scales = frame_and_scales(table)
        yield Part(frame, sheet=name, scales=scales)


def alike(parts: Sequence[Part]) -> list[list[Part]]:
    """Parts grouped by their columns, whatever the order of these, in the order in which they come."""
    groups: dict[frozenset[str], list[Part]] = {}
    for part in parts:
        groups.setdefault(frozenset(map(str, part.frame.columns)), []).append(part)
    return list(groups.values())


def different_sheets(name: str, parts: Sequence[Part]) -> DocumentError:
    """What to say of a workbook of which several sheets hold judgments, laid out differently."""
    sheets = [part.sheet for part in parts]
    every = [set(map(str, part.frame.columns)) for part in parts]
    only = [heading for heading in parts[0].frame.columns if heading not in every[1]]
    only += [heading for heading in parts[1].frame.columns if heading not in every[0]]
    return DocumentError(
        f"{name}: the sheets {list_names(sheets, 6)} hold judgments in different columns: {list_names(only, 4)} "
        f"{'is' if len(only) == 1 else 'are'} in one of {sheets[0]!r} and {sheets[1]!r} only. Save the sheet that you "
        "want as a file of its own, or give all of them the same columns.",
        value=sheets[0],
        file=name,
    )
