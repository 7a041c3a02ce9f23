"""Files: judgments and labels in, tables out. What is in a file is read by its format (``tables.formats``)."""

from __future__ import annotations

__all__ = [
    "check_kind",
    "check_same_columns",
    "check_table_target",
    "in_files",
    "plain_names",
    "read_labels",
    "write_table",
]

import os
from collections.abc import Collection, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.base import documents
from manyjudges.base.messages import list_names, quote_value
from manyjudges.exceptions import DocumentError, JudgmentsError, LabelsError, ManyJudgesError
from manyjudges.tables.column_types import check_types
from manyjudges.tables.columns import AUTO_COLUMN
from manyjudges.tables.formats.content import Content
from manyjudges.tables.formats.delimited import decimal_points
from manyjudges.tables.formats.paths import SEPARATORS, StrPath, expand, file_name, kind_of
from manyjudges.tables.formats.registry import (
    column_types,
    encode_content,
    find_tables,
    heading,
    read_content,
    writable_endings,
)
from manyjudges.tables.grammar import is_blank, is_missing
from manyjudges.tables.label_columns import choose_label_columns, labels_of_rows
from manyjudges.tables.names import name_text, told_apart
from manyjudges.tables.values import Place

NOT_COUNTED = "(not counting the heading)"
"""Behind the number of a row of text, whose lines people may count from the first."""


def read_labels(
    path: StrPath,
    *,
    object: str = AUTO_COLUMN,
    label: str = AUTO_COLUMN,
    objects: Any = None,
    missing: Collection[str] = (),
    scales: Sequence[Sequence[str]] = (),
) -> pd.Series[Any]:
    """Read one label for each object from a file.

    An object may stand in several rows that have the same label. Rows without a label are of objects to predict. Labels
    are numbers, or two words such as yes and no, or the words of a scale.

    Parameters
    ----------
    path : path
        As for :func:`read_judgments`.
    object, label : str
        Names of the columns; usual ones (for labels: label, target, truth, outcome, y, value) are understood without,
        and two columns are told apart by what is in them.
    objects : array, optional
        Names of the objects that have judgments, which tell their column where its name does not.
    missing : collection of str
        Codes and words that mean that there is no label, besides blanks and the usual words.
    scales : sequence of sequence of str
        Scales of words, each from the lowest to the highest.

    Returns
    -------
    pandas.Series
        Indexed by object; its name is that of the column. ``attrs["source"]`` says which columns were chosen,
        ``attrs["note"]`` what words stand for, and ``attrs["to_predict"]`` lists the objects without a label.
    """
    files = _ReadableFiles(path)
    table = files.read()

    def cells(name: str) -> Any:
        return table.column(name, ids=False)

    try:
        asked = {"object": object, "label": label}
        names = choose_label_columns(files.columns, asked, cells, objects, decimal_comma=table.decimal_comma)
        check_types(files.types, {"object": names["object"]})
    except JudgmentsError as error:
        raise in_file(error, files.name, LabelsError, {"object=NAME": "label-object=NAME"}) from None
    named = table.column(names["object"], ids=True)
    _check_label_names(named, table)
    how: dict[str, Any] = {"decimal_comma": table.decimal_comma, "missing": missing, "scales": scales}
    how["given"] = table.scale(names["label"])
    try:
        labels = labels_of_rows(named, cells(names["label"]), table.locate, column=names["label"], **how)
    except LabelsError as error:
        raise in_file(error, table.name) from None
    labels.name = names["label"]
    labels.attrs["source"] = _source(table.name, names)
    return labels


def _check_label_names(objects: Any, table: _Table) -> None:
    """Each label has an object."""
    if len(objects) == 0:
        raise LabelsError(f"{table.name}: there are no labels: the table has no rows.", file=table.name, column="label")

    def refuse(row: int, words: str) -> LabelsError:
        place = table.locate(row)
        return LabelsError(words.format(place), value=objects[row], row=place.row, column="object", file=place.file)

    for row, name in enumerate(objects):
        if is_missing(name):
            raise refuse(row, "{} has no object; name it or leave the row out.")
        if not isinstance(name, Hashable):
            quoted = quote_value(name).replace("{", "{{").replace("}", "}}")
            raise refuse(row, f"{{}}: {quoted} is no name of an object; use text or a number.")


def write_table(path: StrPath, frame: pd.DataFrame) -> None:
    """Write a table as CSV, TSV, JSON lines or Parquet, by the name's ending, whole or not at all."""
    documents.write(path, encode_content(frame, check_kind(path)))


def check_table_target(path: StrPath) -> None:
    """Refuse what no table can be written to, before anything takes time."""
    check_kind(path)
    documents.check_target(path)


def check_kind(path: StrPath) -> str:
    """The ending of a file's name, such as ``".csv"``, if tables can be written to such files."""
    kind = Path(path).suffix.lower()
    suffixes = writable_endings()
    if kind not in suffixes:
        raise DocumentError(
            f"cannot write {os.fspath(path)!r}: the name must end in one of {', '.join(suffixes)}.",
            value=kind,
            file=os.fspath(path),
        )
    return kind


class _ReadableFiles:
    """A file or several of the same columns, of which the beginnings have been read.

    Attributes
    ----------
    name : str
        For messages.
    paths : list of Path
    columns : list of str
    types : list of (str, mapping)
        The name of each file, and the types of its columns.
    """

    def __init__(self, path: StrPath, *, folders: bool = False) -> None:
        self.paths = paths = find_tables(path) if folders else expand(path)
        headings = [heading(file) for file in paths]
        self.columns = headings[0]
        for file, columns in zip(paths, headings, strict=True):
            check_same_columns(file, columns, paths[0], self.columns)
        self.name = paths[0].name if len(paths) == 1 else f"{Path(path).name} ({len(paths)} files)"
        self.types = [(file.name, column_types(file)) for file in paths]

    def read(self, *, skip: bool = False) -> _Table:
        """All that is in them."""
        return _Table(self.name, self.paths, [read_content(path, skip=skip) for path in self.paths])


class _Table:
    """One table from a file or from several, whose rows know where they came from.

    Attributes
    ----------
    name : str
        For messages.
    unread : int
        Lines that were skipped because they are no rows.
    decimal_comma : bool
        Whether semicolons separate the cells, and so ``3,5`` is a number.
    """

    def __init__(self, name: str, paths: list[Path], contents: list[Content]) -> None:
        self.name, self._paths, self._contents = name, paths, contents
        self.unread = sum(content.unread for content in contents)
        self.decimal_comma = all(content.decimal_comma for content in contents)
        self._starts = np.cumsum([0, *(len(content.frame) for content in contents)])

    def column(self, name: str, *, ids: bool) -> Any:
        """A column as an array; text that is empty is missing, and names that are whole numbers are numbers."""
        array = self._together(name, ids=ids).to_numpy()
        return plain_names(array) if ids else _without_blanks(array)

    def scale(self, name: str) -> Mapping[str, float] | None:
        """The words of a column with their numbers, where the file says what they stand for."""
        return next((content.scales[name] for content in self._contents if name in content.scales), None)

    def _together(self, name: str, *, ids: bool) -> pd.Series[Any]:
        """A column of all files."""
        parts = [content.frame[name] for content in self._contents]
        if not ids:
            # Where only some files have decimals with a comma, theirs are written with a point.
            mixed = not self.decimal_comma
            parts = [
                with_points(part) if mixed and content.decimal_comma else part
                for part, content in zip(parts, self._contents, strict=True)
            ]
        whole = pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0]
        try:
            return whole if ids else whole.infer_objects()
        except UnicodeError:  # a text that is no valid one, which the table of judgments will complain about
            return whole

    def locate(self, row: int) -> Place:
        """Where a row is, as a person would count: data rows from 1, without the heading."""
        at = int(np.searchsorted(self._starts, row, side="right")) - 1
        numbers, within = self._contents[at].numbers, int(row - self._starts[at])
        return place_in(self._paths[at], within + 1 if numbers is None else int(numbers[within]))


def place_in(path: StrPath, row: int) -> Place:
    """The place of a row of a file."""
    heading = f" {NOT_COUNTED}" if kind_of(path) in SEPARATORS else ""
    return Place(f"row {row} of {file_name(path)}{heading}", row, file_name(path))


def with_points(values: pd.Series[Any]) -> pd.Series[Any]:
    """Values that are text, with a point where a number has a decimal comma."""
    return pd.Series(decimal_points(pa.array(values, pa.string())).to_pylist(), dtype=object)


def check_same_columns(path: StrPath, columns: Collection[str], first: StrPath, wanted: Collection[str]) -> None:
    """Refuse a file that has other columns than the first one."""
    if odd := set(columns) ^ set(wanted):
        raise DocumentError(
            f"{file_name(path)} and {file_name(first)} do not have the same columns: {list_names(sorted(odd))}.",
            value=sorted(odd)[0],
            file=file_name(path),
        )


def plain_names(array: Any) -> Any:
    """Names as a file has them: blank ones are missing, and where all are whole numbers, they are numbers."""
    if array.dtype.kind in "iuf":
        return array
    array = told_apart(array)
    try:
        codes, distinct = pd.factorize(array.astype(np.object_) if array.dtype.kind != "M" else array)
    except TypeError:  # lists and the like, which will be refused with their place
        return array
    names = _blank_as_missing(distinct)
    if (codes >= 0).all():
        return _one_kind(_whole_numbers(names[:-1]))[codes]
    return _one_kind(names)[codes]


def _without_blanks(array: Any) -> Any:
    if array.dtype.kind in "iufb":
        return array
    try:
        codes, distinct = pd.factorize(array.astype(np.object_) if array.dtype.kind != "M" else array)
    except TypeError:  # lists and the like, which will be refused with their place
        return array
    return _blank_as_missing(distinct)[codes]


def _blank_as_missing(distinct: Any) -> Any:
    names = np.array([*distinct, None], dtype=np.object_)  # the last is for missing values, coded -1
    names[[is_blank(value) for value in names]] = None
    return names


def _whole_numbers(names: Any) -> Any:
    """Names such as '7' as numbers, unless one of them ('07', 'jar 7', 7.5) would not come back the same."""
    if not all(type(name) in (str, int) and str(name).removeprefix("-").isdecimal() for name in names):
        return names
    numbers = [int(name) for name in names]
    same = all(str(number) == str(name) for number, name in zip(numbers, names, strict=True))
    return np.array(numbers, dtype=np.int64) if same and all(abs(n) < 2**63 for n in numbers) else names


def _one_kind(names: Any) -> Any:
    """Names of several kinds, and those of few, as text; others as they are."""
    if names.dtype.kind in "iuf":
        return names
    kinds = {type(name) for name in names if not is_missing(name) and isinstance(name, Hashable)}
    if len(kinds) <= 1 and kinds <= {str, int, float}:
        return names
    texts = [name if is_missing(name) or not isinstance(name, Hashable) else name_text(name) for name in names]
    return np.array(texts, dtype=np.object_)


def _source(name: str, columns: Mapping[str, str]) -> str:
    if all(role == column for role, column in columns.items()):
        return f"read from {name}"
    return f"read from {name}: {', '.join(f'{role} = {column}' for role, column in columns.items())}"


def in_files(error: ManyJudgesError, paths: Sequence[StrPath]) -> ManyJudgesError:
    """The same error, which also says in which file, where there is just one."""
    return in_file(error, file_name(paths[0])) if len(paths) == 1 else error


def in_file(
    error: ManyJudgesError,
    name: str,
    kind: type[ManyJudgesError] | None = None,
    replacements: Mapping[str, str] | None = None,
) -> ManyJudgesError:
    """The same error, which also says in which file."""
    message = error.message
    for old, new in (replacements or {}).items():
        message = message.replace(old, new)
    return (kind or type(error))(
        message if name in message else f"{name}: {message}",
        value=error.value,
        row=error.row,
        column=error.column,
        file=error.file or name,
    )
