"""Labels of a table of judgments: in a column of it, in a file of their own, by object, or by row."""

from __future__ import annotations

__all__ = ["labels_by_object", "labels_of_column", "locate_labels", "same_for_every_judge", "without_label"]

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.exceptions import JudgmentsError, LabelsError, ManyJudgesError
from manyjudges.tables.columns import AUTO_COLUMN, open_table
from manyjudges.tables.files import in_file, plain_names, read_labels
from manyjudges.tables.formats.paths import expand, file_name, kind_of
from manyjudges.tables.formats.registry import endings, heading
from manyjudges.tables.formats.standard_input import is_standard_input
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.label_columns import choose_label_columns, labels_of_rows
from manyjudges.tables.reading.cells import layout_of
from manyjudges.tables.reading.frames import frame_and_scales, is_table, named_levels, tables_in
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.pieces import beginning_of, open_pieces
from manyjudges.tables.reading.sources import are_paths, headings_of, is_path, open_parts, paths_in
from manyjudges.tables.reading.table import read_table
from manyjudges.tables.values import Place, locate_from_zero

_OF_ROWS = "label"
"""What a column of labels by row is called that has no name."""

_SIGNS_OF_A_PATH = (os.sep, "/", "://")
"""What a text has in it that names a file in another folder, or in an object store."""

_SHOWN = 8
"""Columns that a message names."""


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """A table of judgments, and where its labels are.

    Attributes
    ----------
    table : path, list of paths, frame or mapping
    labels : Series, mapping, array or path, optional
        None where they are in a column of the table, which ``options`` name then.
    options : ReadOptions
    """

    table: Any
    labels: Any
    options: ReadOptions


def locate_labels(table: Any, labels: Any, options: ReadOptions) -> LabelledTable:
    """Find out where the labels of a table are.

    Parameters
    ----------
    table : Judgments, path, list of paths, frame or mapping
    labels : Series, mapping, array, path or name of a column, optional
        By object; or a label for each row of a frame. None where ``options`` name the column.
    options : ReadOptions
        The column of labels is that of the file of labels, where there is one.
    """
    named = options.columns.get("label")
    if labels is None:
        if named in (None, AUTO_COLUMN):
            raise _unnamed(table, options)
        return LabelledTable(table, None, options)
    apart = replace(options, columns={role: name for role, name in options.columns.items() if role != "label"})
    if isinstance(labels, str) and _is_readable(table):
        headings = headings_of(table, options)
        if labels in headings:
            return LabelledTable(table, None, replace(apart, columns={**apart.columns, "label": labels}))
        if not _may_be_file(labels):
            if not are_paths(table) or len(paths_in(table, apart)) == 1:  # files of a rater each are one table together
                layout_of(open_parts(_beginning(table, apart), apart), apart)  # a heading that is wrong is said first
            raise _neither(labels, headings)
    if _is_by_row(table, labels):
        column = _free_name(str(getattr(labels, "name", None) or _OF_ROWS), headings_of(table, options))
        columns = {**apart.columns, "label": column}
        return LabelledTable(_with_column(table, column, labels), None, replace(apart, columns=columns))
    return LabelledTable(table, labels, apart)


def without_label(table: Any, options: ReadOptions) -> ReadOptions:
    """The options for a table of which no labels are wanted, so that it may lack the column, or all that is in it."""
    label = options.columns.get("label")
    if label is None:
        return options
    drop = (label,) if label in headings_of(table, options) else ()
    columns = {role: name for role, name in options.columns.items() if role != "label"}
    return replace(options, columns=columns, drop=(*options.drop, *drop))


def labels_by_object(labels: Any, options: ReadOptions, *, label_object: str = AUTO_COLUMN, objects: Any = None) -> Any:
    """Labels as they are given; those in a file are read, with what the user said about the table of judgments.

    Parameters
    ----------
    labels : Series, mapping, array or path
    options : ReadOptions
    label_object : str
        The column of the file that names the object; default: the same as in the table, or found.
    objects : array, optional
        The objects' names, where they are known, which tell the columns.
    """
    if is_label_table(labels):
        return _labels_in_frame(labels, options, label_object, objects)
    if not is_path(labels):
        return labels
    path = labels
    object_column = options.columns.get("object")
    if label_object == AUTO_COLUMN and object_column is not None and object_column in heading(expand(path)[0]):
        label_object = object_column
    label = options.columns.get("label") or AUTO_COLUMN
    how: dict[str, Any] = {"missing": options.missing, "scales": options.scales}
    return read_labels(path, object=label_object, label=label, objects=objects, **how)


def is_label_table(labels: Any) -> bool:
    """Whether labels are in a table with a column for the object, rather than by object or by row.

    >>> is_label_table({"essay": ["e1", "e2"], "grade": [70, 80]}), is_label_table({"e1": 70, "e2": 80})
    (True, False)
    """
    if isinstance(labels, Mapping):
        return bool(labels) and all(isinstance(cells, list | tuple | np.ndarray) for cells in labels.values())
    return is_table(labels)


def _labels_in_frame(labels: Any, options: ReadOptions, label_object: str, objects: Any) -> pd.Series[Any]:
    """Labels by object from a frame, whose index names the objects where it has one column only."""
    if isinstance(labels, pd.DataFrame) and labels.shape[1] == 1 and not named_levels(labels):
        return labels.iloc[:, 0]
    [(_, table), *more] = tables_in(labels)
    frame, scales = frame_and_scales(table)
    if more:
        raise LabelsError("labels must be one table, not several. Give them as one.", column="labels")

    def cells(name: str) -> Any:
        return frame[name].to_numpy()

    own = options.columns.get("object")
    if label_object == AUTO_COLUMN and own in frame.columns:
        label_object = str(own)
    asked = {"object": label_object, "label": options.columns.get("label") or AUTO_COLUMN}
    try:
        names = choose_label_columns([str(name) for name in frame.columns], asked, cells, objects)
    except JudgmentsError as error:
        raise LabelsError(f"the table of labels: {error}", **error.fields) from None
    how: dict[str, Any] = {"missing": options.missing, "scales": options.scales, "column": names["label"]}
    return labels_of_rows(
        cells(names["object"]), cells(names["label"]), locate_from_zero, given=scales.get(names["label"]), **how
    )


def labels_of_column(path: Any, options: ReadOptions) -> pd.Series[Any]:
    """Labels by object from a column of a table of judgments that need not fit into memory.

    Parameters
    ----------
    path : path or list of paths
    options : ReadOptions
        Names the column.
    """
    column = str(options.columns["label"])
    table = open_pieces(path, options)
    layout, places = table.layout, dict[tuple[Any, Any], Place]()
    if layout.object is None:
        raise _without_object(column)
    commas, scales = [], dict[str, float]()
    for part, first in table.parts():
        rows = np.arange(max(0, layout.heading_rows - first), len(part.frame))
        below = part.frame.iloc[rows]
        pairs = zip(below[layout.object].tolist(), below[column].tolist(), strict=True)
        for pair, row in zip(pairs, rows.tolist(), strict=True):
            if pair not in places:
                places[pair] = part.locate(row)
        commas.append(part.decimal_comma)
        scales |= part.scales.get(column, {})
    every = list(places.values())
    names, cells = np.empty(len(every), dtype=np.object_), np.empty(len(every), dtype=np.object_)
    names[:], cells[:] = [name for name, _ in places], [cell for _, cell in places]
    how: dict[str, Any] = {"missing": options.missing, "scales": options.scales, "decimal_comma": all(commas)}
    try:
        return labels_of_rows(plain_names(names), cells, every.__getitem__, column=column, given=scales or None, **how)
    except LabelsError as error:
        raise (in_file(error, file_name(table.paths[0])) if len(table.paths) == 1 else error) from None


def _without_object(column: str) -> LabelsError:
    return LabelsError(
        f"{column!r} cannot be the label: the objects are named in headings, so that a row has no label of one. Give "
        "the labels in a table of their own.",
        value=column,
        column="label",
    )


def _may_be_file(text: str) -> bool:
    """Whether a text names files that are there, or looks like the path or the address of one."""
    if kind_of(text) in endings() or any(sign in text for sign in _SIGNS_OF_A_PATH) or is_standard_input(text):
        return True
    return os.path.exists(text) or bool(glob.glob(text))


def _neither(labels: str, headings: Sequence[str]) -> LabelsError:
    """What to say of labels that are neither a column nor a file."""
    names = [str(name) for name in headings]
    return LabelsError(
        f"the table has no column {quote_value(labels)} for the labels, and there is no file of this name."
        f"{suggest(labels, names) or f' The columns are {list_names(names, limit=_SHOWN)}.'}",
        value=labels,
        column="labels",
    )


def _is_readable(table: Any) -> bool:
    """Whether it is something that is read, and not judgments already."""
    return are_paths(table) or is_table(table)


def _is_by_row(table: Any, labels: Any) -> bool:
    """Whether labels have no names of objects, and are as many as a frame has rows."""
    if are_paths(table) or not is_table(table) or isinstance(labels, Mapping) or is_label_table(labels):
        return False
    if not hasattr(labels, "__len__"):
        return False
    if isinstance(labels, pd.Series):
        return isinstance(table, pd.DataFrame) and labels.index.equals(table.index)
    return len(labels) == _height(table)


def _height(table: Any) -> int:
    if len(tables := tables_in(table)) > 1:
        return -1
    [(_, table)] = tables
    if isinstance(table, Mapping):
        return max((len(column) for column in table.values() if hasattr(column, "__len__")), default=0)
    opened = open_table(table)
    return len(opened.collect() if isinstance(opened, nw.LazyFrame) else opened)


def _with_column(table: Any, name: str, values: Any) -> Any:
    """A frame, or columns by name, with another column."""
    [(_, table)] = tables_in(table)
    if isinstance(table, Mapping):
        return {**table, name: values}
    if isinstance(table, pd.DataFrame):
        return table.assign(**{name: np.asarray(values) if not isinstance(values, pd.Series) else values})
    opened = open_table(table)
    opened = opened.collect() if isinstance(opened, nw.LazyFrame) else opened
    plain = values.tolist() if hasattr(values, "tolist") else list(values)
    return opened.with_columns(nw.new_series(name, plain, backend=opened.implementation)).to_native()


def _free_name(name: str, taken: Sequence[str]) -> str:
    """A name that no column has."""
    return name if name not in taken else _free_name(f"{name} (label)", taken)


def _unnamed(table: Any, options: ReadOptions) -> ManyJudgesError:
    """What to say where nobody has said which column holds the labels."""
    likely: list[str] = []
    there = ""
    if _is_readable(table):
        likely = _same_for_every_judge(table, options)
        there = f" The columns are {list_names(headings_of(table, options), limit=_SHOWN)}."
    if likely:
        verb = "is" if len(likely) == 1 else "are"
        there += f" {list_names(likely, limit=_SHOWN)} {verb} the same for every judge of an object, as a label is."
    return LabelsError(
        "there are no labels. Name the column that holds the value to predict with --label COLUMN (label=), or give a "
        f"table of labels.{there}",
        column="label",
    )


def _same_for_every_judge(table: Any, options: ReadOptions) -> list[str]:
    """Attributes whose judgments of an object are all the same, where objects are judged more than once."""
    return same_for_every_judge(read_table(_beginning(table, options), options).judgments)


def _beginning(table: Any, options: ReadOptions) -> Any:
    """The first rows of files; a table in memory as it is."""
    return beginning_of(table, options) if are_paths(table) else table


def same_for_every_judge(judgments: Judgments) -> list[str]:
    """Attributes that are the same for every judge of an object, as a label is, where objects are judged repeatedly."""
    cells = judgments.cells()
    again = cells.count > 1
    judged_again, differ = again.sum(axis=0), (again & (cells.scatter > 0)).sum(axis=0)
    return [name for at, name in enumerate(judgments.attributes) if judged_again[at] and not differ[at]]
