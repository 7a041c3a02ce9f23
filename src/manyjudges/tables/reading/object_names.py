"""Object names: a file that only lists objects, which nobody has judged so far, told from a table of judgments."""

from __future__ import annotations

__all__ = ["read_object_names"]

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from manyjudges.base.formatting import plural
from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.exceptions import DocumentError, JudgmentsError
from manyjudges.tables.columns import AUTO_COLUMN, SYNONYMS, columns_called, less_usual
from manyjudges.tables.files import plain_names
from manyjudges.tables.formats.paths import StrPath, kind_of
from manyjudges.tables.formats.registry import find_tables, heading, read_contents, stream_content
from manyjudges.tables.formats.text import text_of
from manyjudges.tables.grammar import is_missing
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.shapes.layout import Layout
from manyjudges.tables.shapes.looks import is_unnamed, plain_heading
from manyjudges.tables.shapes.registry import recognise

_NUMBERS = re.compile("[0-9]+")

_USUAL_HEADINGS = ("object", "objects", "id", "ids", "name", "names")
"""Headings of a column of names, besides those by which a table's column of objects is known; the first one wins."""

_OF_JUDGMENTS = ("attribute", "value", "worker")
"""Roles that only columns of a table of judgments have."""

_ROWS_LOOKED_AT = 2_000


class ObjectNames(NamedTuple):
    """Names of objects in a file.

    Attributes
    ----------
    names : array
        In the order of the file.
    source : str
        What was taken for names, in one line.
    """

    names: Any
    source: str


def read_object_names(
    path: StrPath, options: ReadOptions | None = None, *, attributes: Collection[str] = (), only_names: bool = False
) -> ObjectNames | None:
    r"""Names of objects that nobody has judged, from a file that lists them; None where it has judgments.

    A file lists objects where it has one column, or where it has a column for the object, and no column with judgments
    of the plan's attributes.

    Parameters
    ----------
    path : path
        In any format of tables; a file of text may have one name a line, without a heading.
    options : ReadOptions, optional
        For the format and the column of the object. Whoever names a column for judgments has judgments.
    attributes : collection of str
        The plan's.
    only_names : bool
        Whether the user said that the file only lists objects.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "new.csv"
    >>> _ = path.write_text("photo\nann.png\nbob.png\n")
    >>> found = read_object_names(path)
    >>> found.names.tolist(), found.source
    (['ann.png', 'bob.png'], "read from new.csv: 2 objects that nobody has judged, from the column 'photo'")
    """
    options = ReadOptions() if options is None else options
    files = find_tables(path, format=options.format)
    if only_names and options.columns.get("object", AUTO_COLUMN) == AUTO_COLUMN and all(map(_is_text, files)):
        return _listed(files[0], [name for file in files for name in _lines(file)], "from its lines")
    headings = heading(files[0], format=options.format)
    column = _column(files[0], headings, options, attributes, only_names)
    if column is None:
        return None
    frames = [content.frame for file in files for content in read_contents(file, format=options.format)]
    for frame in frames:
        if column not in frame.columns:
            raise DocumentError(
                f"there is no column {quote_value(column)} in every file or sheet of {files[0].name}.",
                value=column,
                column="object",
                file=files[0].name,
            )
    cells = [cell for frame in frames for cell in frame[column].tolist()]
    if len(headings) == 1 and _is_name(column, cells, text=_is_text(files[0])):
        return _listed(files[0], [column, *cells], "without a heading")
    return _listed(files[0], cells, f"from the column {column!r}")


def _column(
    file: Path, headings: list[str], options: ReadOptions, attributes: Collection[str], only_names: bool
) -> str | None:
    """The column of names; None where the file has judgments."""
    own = [name for name in headings if not is_unnamed(name)]  # programs write the numbers of rows without a heading
    asked = {role: name for role, name in options.columns.items() if name not in (None, AUTO_COLUMN)}
    if not only_names and (options.shape != AUTO_COLUMN or any(role in asked for role in _OF_JUDGMENTS)):
        return None
    if (name := asked.get("object")) is not None:
        if name not in headings:
            raise JudgmentsError(
                f"there is no column {quote_value(name)} for the object in {file.name}; the columns are "
                f"{list_names(headings, limit=10)}.{suggest(name, headings)}",
                value=name,
                column="object",
                file=file.name,
            )
        found = [name]
    else:
        found = own if len(own) == 1 else columns_called(SYNONYMS["object"], own) or _usual(own)
    if only_names and len(found) != 1:
        raise JudgmentsError(
            f"which column of {file.name} names the objects? The columns are {list_names(headings, limit=10)}. Say "
            "which with --object COLUMN (object=).",
            column="object",
            file=file.name,
        )
    if only_names or len(own) == 1:
        return found[0]
    return found[0] if len(found) == 1 and not _has_judgments(file, headings, options, attributes) else None


def _usual(headings: list[str]) -> list[str]:
    """Columns that may name the objects: an id rather than a text or a picture that stands beside it."""
    for usual in _USUAL_HEADINGS:
        if found := [name for name in headings if plain_heading(name) == usual]:
            return found
    return less_usual("object", headings)


def _has_judgments(file: Path, headings: list[str], options: ReadOptions, attributes: Collection[str]) -> bool:
    """Whether a table of several columns may hold judgments of a plan's attributes."""
    if any(columns_called(SYNONYMS[role], headings) or less_usual(role, headings) for role in _OF_JUDGMENTS):
        return True
    if not set(attributes).isdisjoint(headings):  # whether or not its layout is recognised
        return True
    sample = next(iter(stream_content(file, format=options.format)), None)
    frame = pd.DataFrame(columns=headings) if sample is None else sample.frame.iloc[:_ROWS_LOOKED_AT]
    try:
        layout: Layout | None = recognise(frame, columns=options.columns, drop=options.drop, name=file.name)
    except JudgmentsError:  # no shape fits
        return False
    return layout is None or layout.object is None or not set(attributes).isdisjoint(layout.attributes)


def _is_name(heading: str, cells: list[Any], *, text: bool) -> bool:
    """Whether the heading of the only column is a name as those below, so that the file has no heading."""
    if plain_heading(heading) in _USUAL_HEADINGS or is_unnamed(heading):
        return False
    if columns_called(SYNONYMS["object"], [heading]) or less_usual("object", [heading]):
        return False
    # "photo 1" above "photo 2" is no heading; nor is the first line of a mere text.
    pattern = _NUMBERS.sub("#", heading)
    alike = [_NUMBERS.sub("#", str(cell)) == pattern for cell in cells if not is_missing(cell)]
    return text or (pattern != heading and any(alike))


def _is_text(file: Path) -> bool:
    return kind_of(file) == ".txt"


def _lines(file: Path) -> Iterator[str]:
    for line in text_of(file)[0].splitlines():
        if line.strip():
            yield line.strip()


def _listed(file: Path, cells: list[Any], how: str) -> ObjectNames:
    array = np.empty(len(cells), dtype=object)
    array[:] = [cell.strip() if isinstance(cell, str) else cell for cell in cells]
    names = plain_names(array)
    names = names[[not is_missing(name) for name in names]]
    if not len(names):
        raise JudgmentsError(f"{file.name} names no objects. Write one name in each row.", file=file.name)
    there = plural(len(set(names.tolist())), "object")
    return ObjectNames(names, f"read from {file.name}: {there} that nobody has judged, {how}")
