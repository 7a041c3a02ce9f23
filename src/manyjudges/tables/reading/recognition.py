"""Recognition: whether a table holds judgments to be read, or numbers with a column for each feature."""

from __future__ import annotations

__all__ = ["holds_judgments"]

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import pandas as pd

from manyjudges.tables.columns import SYNONYMS, columns_called, less_usual, open_table
from manyjudges.tables.reading.frames import headings_of_frame, is_table, named_levels
from manyjudges.tables.reading.labels import is_label_table
from manyjudges.tables.reading.sources import are_paths, is_path

_OF_A_LONG_TABLE = {"object", "attribute", "value"}
_OF_A_WIDE_TABLE = {"object", "worker"}


def holds_judgments(table: Any, labels: Any = None) -> bool:
    """Whether a table is one of judgments, rather than one of features.

    Paths, columns by name and rows as dicts always are. A frame is one where it has columns for the object, the
    attribute and the value, or for the object and the worker; where a column is not numeric; where several levels of
    its index have names; or where its labels are in a column, a file or a table. All other frames and arrays are
    features.

    >>> holds_judgments(pd.DataFrame({"object": [1], "attribute": [1], "value": [3]}))
    True
    >>> holds_judgments(pd.DataFrame({"Essay": ["e1"], "clear": [3]}))
    True
    >>> holds_judgments(pd.DataFrame({"Essay": [1], "Rater": [1], "clear": [3]}))
    True
    >>> holds_judgments(pd.DataFrame({"height": [1.8], "width": [0.4]}))
    False
    """
    if are_paths(table):
        return True
    if not is_table(table):
        return False
    if isinstance(table, list | tuple | Mapping) or _are_by_object(labels) or len(named_levels(table)) > 1:
        return True
    frame = open_table(table)
    frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    names = [str(name) for name in frame.columns]
    there = {role for role in SYNONYMS if columns_called(SYNONYMS[role], names) or less_usual(role, names)}
    if there >= _OF_A_LONG_TABLE or there >= _OF_A_WIDE_TABLE:
        return True
    return not all(_is_numeric(frame[name]) for name in frame.columns)


def _are_by_object(labels: Any) -> bool:
    """Whether labels say whose they are, which those of features do not."""
    if is_path(labels) or isinstance(labels, Mapping):
        return True
    return is_label_table(labels) and len(headings_of_frame(labels)) > 1


def _is_numeric(column: nw.Series[Any]) -> bool:
    """Whether all cells are numbers, perhaps written as text."""
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        return True
    if column.dtype not in (nw.String, nw.Object):
        return False
    cells = pd.Series(column.to_list(), dtype=object)
    try:
        return bool((pd.to_numeric(cells, errors="coerce").notna() | cells.isna()).all())
    except TypeError:  # lists and the like
        return False
