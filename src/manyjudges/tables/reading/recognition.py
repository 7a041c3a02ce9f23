"""Recognition: whether a table holds judgments to be read, or numbers with a column for each feature."""

from __future__ import annotations

__all__ = ["holds_judgments"]

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import pandas as pd

from manyjudges.tables.columns import SYNONYMS, columns_called, less_usual, open_table
from manyjudges.tables.reading.sources import are_paths, is_path, is_table

_OF_A_LONG_TABLE = ("object", "attribute", "value")


def holds_judgments(table: Any, labels: Any = None) -> bool:
    """Whether a table is one of judgments, rather than one of features.

    Paths and columns by name always are. A frame is one where it has columns for the object, the attribute and the
    value, where a column is not numeric, or where its labels are in a column or a file. All other frames and arrays
    are features.

    >>> holds_judgments(pd.DataFrame({"object": [1], "attribute": [1], "value": [3]}))
    True
    >>> holds_judgments(pd.DataFrame({"Essay": ["e1"], "clear": [3]}))
    True
    >>> holds_judgments(pd.DataFrame({"height": [1.8], "width": [0.4]}))
    False
    """
    if are_paths(table) or isinstance(table, Mapping):
        return True
    if isinstance(table, list | tuple) or not is_table(table):
        return False
    frame = open_table(table)
    frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    if is_path(labels) or isinstance(labels, Mapping):
        return True
    names = [str(name) for name in frame.columns]
    if all(columns_called(SYNONYMS[role], names) or less_usual(role, names) for role in _OF_A_LONG_TABLE):
        return True
    return not all(_is_numeric(frame[name]) for name in frame.columns)


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
