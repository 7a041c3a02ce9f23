"""Sources: the tables in whatever the user gave: files, folders, patterns, standard input, frames, or columns."""

from __future__ import annotations

__all__ = ["Part", "are_paths", "is_path", "is_table", "open_parts", "paths_in"]

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.arrays.types import Integers
from manyjudges.base.messages import list_names, quote_value
from manyjudges.exceptions import DocumentError, JudgmentsError
from manyjudges.tables.columns import as_array, column_names, open_table
from manyjudges.tables.files import check_same_columns, place_in
from manyjudges.tables.formats.content import Content
from manyjudges.tables.formats.parquet import ordered_categories
from manyjudges.tables.formats.paths import StrPath, file_name
from manyjudges.tables.formats.registry import column_types, find_tables, heading, read_contents
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.values import Place, locate_from_zero


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
        The number of each row in the file (default: from 1 without gaps).
    decimal_comma : bool
    scales : mapping
        The words of a column with their numbers, where the file says so.
    unread : int
        Lines that were skipped.
    notes : tuple of str
    """

    frame: pd.DataFrame
    path: StrPath | None = None
    sheet: str = ""
    numbers: Integers | None = None
    decimal_comma: bool = False
    scales: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    unread: int = 0
    notes: tuple[str, ...] = ()

    def locate(self, row: int) -> Place:
        """Where a row stands, as a person would count."""
        if self.path is None:
            return locate_from_zero(row)
        return place_in(self.path, row + 1 if self.numbers is None else int(self.numbers[row]))


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
        A file, a folder, a pattern, or ``"-"`` for standard input; any frame that narwhals reads; or columns by name.
    options : ReadOptions
        For the format, and whether lines that cannot be read are skipped.
    """
    if are_paths(source):
        return _files([source] if is_path(source) else source, options)
    if isinstance(source, list | tuple) and source and all(map(is_table, source)):
        return Opened("", [part for frame in source for part in of_frame(frame)])
    return Opened("", list(of_frame(source)))


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
    return [str(name) for name in (source if isinstance(source, Mapping) else column_names(open_table(source)))]


def is_table(source: Any) -> bool:
    """Whether something is a frame, or columns by name."""
    if isinstance(source, Mapping):
        return True
    try:
        nw.from_native(source)
    except (TypeError, nw.exceptions.NarwhalsError):
        return False
    return True


def _files(paths: Sequence[Any], options: ReadOptions) -> Opened:
    files = paths_in(list(paths), options)
    contents = [(file, read_contents(file, format=options.format, skip=options.skip)) for file in files]
    several = len(files) > 1
    parts = [to_part(file, content, several=several) for file, sheets in contents for content in sheets]
    if all(len(sheets) == 1 for _, sheets in contents):
        for part in parts[1:]:
            check_same_columns(part.path or "", list(part.frame.columns), files[0], list(parts[0].frame.columns))
    name = files[0].name if not several else f"{Path(paths[0]).name} ({len(files)} files)"
    types = [(file.name, column_types(file, format=options.format)) for file in files]
    return Opened(name, parts, types)


def to_part(file: StrPath, content: Content, *, several: bool) -> Part:
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
    )


def of_frame(source: Any) -> Iterator[Part]:
    """The only part of a frame, or of columns by name."""
    if isinstance(source, Mapping):
        source = _of_columns(source)
    table = open_table(source)
    table = table.collect() if isinstance(table, nw.LazyFrame) else table
    scales = {name: scale for name in table.columns if (scale := _order(table[name])) is not None}
    if table.implementation.is_pandas():
        frame = table.to_native().reset_index(drop=True)
        frame.columns = table.columns
    else:
        frame = pd.DataFrame({name: _column(table[name]) for name in table.columns})
    for name in frame.columns:
        if isinstance(frame[name].dtype, pd.CategoricalDtype):
            frame[name] = frame[name].astype(frame[name].cat.categories.dtype)
    yield Part(frame, scales=scales)


def _column(column: nw.Series[Any]) -> Any:
    if isinstance(column.dtype, nw.Categorical | nw.Enum):
        column = column.cast(nw.String)
    array = as_array(column)
    return pd.Series(array, dtype=object) if array.dtype.kind in "OUS" else array


def _order(column: nw.Series[Any]) -> Mapping[str, float] | None:
    """The words of a column that has an order of its own, with their numbers; None for others."""
    native = column.to_native()
    if isinstance(native, pa.ChunkedArray):
        return ordered_categories(pa.table({"": native})).get("")
    if isinstance(native, pd.Series) and isinstance(native.dtype, pd.CategoricalDtype):
        categories = native.cat.categories.tolist() if native.cat.ordered else []
    else:
        categories = list(column.dtype.categories) if isinstance(column.dtype, nw.Enum) else []
    if not categories or not all(isinstance(category, str) for category in categories):
        return None
    return {category: float(at) for at, category in enumerate(categories, start=1)}


def _of_columns(columns: Mapping[Any, Any]) -> pd.DataFrame:
    """Columns by name as a frame."""
    try:
        cells = {
            str(name): np.asarray(column) if not hasattr(column, "dtype") else column
            for name, column in columns.items()
        }
        lengths = {name: len(column) for name, column in cells.items()}
    except (TypeError, ValueError):
        raise JudgmentsError(
            f"a table as a dict needs a list or an array for each column, not {quote_value(columns)}.", column="source"
        ) from None
    if len(set(lengths.values())) > 1:
        raise JudgmentsError(
            f"the columns differ in length: {', '.join(f'{name!r} has {n:,}' for name, n in lengths.items())}.",
            column="source",
        )
    if not cells:
        raise JudgmentsError("the table has no columns.", column="source")
    return pd.DataFrame({name: pd.Series(np.asarray(column)) for name, column in cells.items()})


def alike(parts: Sequence[Part]) -> list[list[Part]]:
    """Parts grouped by their columns, whatever the order of these, in the order in which they come."""
    groups: dict[frozenset[str], list[Part]] = {}
    for part in parts:
        groups.setdefault(frozenset(map(str, part.frame.columns)), []).append(part)
    return list(groups.values())


def different_sheets(name: str, shapes: Sequence[tuple[str, str]]) -> DocumentError:
    """What to say of a workbook of which several sheets hold judgments, laid out differently."""
    sheets = [sheet for sheet, _ in shapes]
    return DocumentError(
        f"{name}: the sheets {list_names(sheets, 6)} hold judgments in different columns. Save the one that you want "
        "as a file of its own, or give all of them the same columns.",
        value=sheets[0],
        file=name,
    )
