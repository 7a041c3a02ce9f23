"""Frames: tables of pandas, polars, pyarrow or DuckDB, and columns by name, as plain frames with their scales."""

from __future__ import annotations

__all__ = ["frame_and_scales", "headings_of_frame", "is_table", "named_levels", "table_of", "tables_in"]

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.columns import as_array, column_names, open_table
from manyjudges.tables.formats.parquet import ordered_categories

_COUNTED = (None, "index")
"""Names of a level of a pandas index that only counts the rows."""

Scales = dict[str, Mapping[str, float]]


def is_table(source: Any) -> bool:
    """Whether something is a frame, columns by name, rows as dicts, or several frames.

    >>> is_table({"essay": ["e1"]}), is_table([{"essay": "e1"}]), is_table(["e1"]), is_table([])
    (True, True, False, False)
    """
    if isinstance(source, list | tuple):
        return bool(source) and (_are_rows(source) or all(map(_is_frame, source)))
    return _are_columns(source) or _is_frame(source)


def tables_in(source: Any) -> list[tuple[str, Any]]:
    """The tables that something holds, each with its name: of several frames in a dict, as of the sheets of a workbook.

    >>> [name for name, _ in tables_in({"ann": pd.DataFrame(), "bob": pd.DataFrame()})]
    ['ann', 'bob']
    >>> tables_in([{"essay": "e1", "clear": 3}])[0][1].shape
    (1, 2)
    """
    if isinstance(source, list | tuple) and is_table(source):
        return [("", pd.DataFrame(list(source)))] if _are_rows(source) else [("", frame) for frame in source]
    if _are_columns(source) and source and all(map(_is_frame, source.values())):
        return [(str(name), frame) for name, frame in source.items()]
    return [("", source)]


def _are_columns(source: Any) -> bool:
    """Whether something has columns by name; some sparse arrays of scipy are dicts, too."""
    return isinstance(source, Mapping) and not hasattr(source, "shape")


def _is_frame(source: Any) -> bool:
    try:
        nw.from_native(source)
    except (TypeError, nw.exceptions.NarwhalsError):
        return False
    return True


def _are_rows(source: Sequence[Any]) -> bool:
    """Whether each of some things is a row, with one cell for each column."""
    return all(
        isinstance(row, Mapping) and not any(isinstance(cell, list | tuple | np.ndarray) for cell in row.values())
        for row in source
    )


def named_levels(source: Any) -> list[Any]:
    """The levels of a pandas index that have names of their own, and so are columns as good as any.

    >>> frame = pd.DataFrame({"essay": ["e1", "e2"], "clear": [3, 4]})
    >>> named_levels(frame.set_index("essay")), named_levels(frame)
    (['essay'], [])
    """
    if not isinstance(source, pd.DataFrame):
        return []
    return [name for name in source.index.names if name not in _COUNTED and name not in source.columns]


def headings_of_frame(source: Any) -> list[str]:
    """The names of the columns of a table; of several, those of the first."""
    _, first = tables_in(source)[0]
    names = list(first) if isinstance(first, Mapping) else column_names(open_table(_with_levels(first)))
    return [str(name) for name in names]


def frame_and_scales(source: Any) -> tuple[pd.DataFrame, Scales]:
    """A table as a frame of pandas whose cells are plain, and the words of its ordered columns with their numbers.

    Parameters
    ----------
    source : frame or mapping
        Levels of a pandas index that have names become columns.

    Examples
    --------
    >>> frame, scales = frame_and_scales({"clear": pd.Categorical(["high"], ["low", "high"], ordered=True)})
    >>> frame["clear"].tolist(), scales
    (['high'], {'clear': {'low': 1.0, 'high': 2.0}})
    """
    table = open_table(table_of(source))
    enums: dict[str, Sequence[str]] = {}
    if isinstance(table, nw.LazyFrame):
        # What is collected may have forgotten the order of its words, as relations of DuckDB do.
        types = table.collect_schema()
        enums = {name: list(kind.categories) for name, kind in types.items() if isinstance(kind, nw.Enum)}
        table = table.collect()
    orders = {name: _order(table[name], enums.get(name, ())) for name in table.columns}
    scales = {name: order for name, order in orders.items() if order is not None}
    if table.implementation.is_pandas():
        frame = table.to_native().reset_index(drop=True)
        frame.columns = table.columns
        frame = pd.DataFrame({name: _plain(frame[name]) for name in frame.columns})
    else:
        frame = pd.DataFrame({name: _column(table[name]) for name in table.columns})
    return frame, scales


def table_of(source: Any) -> Any:
    """A frame as it is, with the levels of its index; and columns by name as a frame."""
    return _of_columns(source) if _are_columns(source) else _with_levels(source)


def _with_levels(source: Any) -> Any:
    """A frame of pandas whose index is a column where it has a name."""
    if not isinstance(source, pd.DataFrame):
        return source
    if isinstance(source.columns, pd.MultiIndex):
        raise JudgmentsError(
            "the columns have names of several levels. Give each one name, as in frame.columns = "
            "[' '.join(map(str, name)) for name in frame.columns].",
            column="source",
        )
    if not (levels := named_levels(source)):
        return source
    every = {name: source.index.get_level_values(name) for name in levels}
    return pd.concat([pd.DataFrame(every), source.reset_index(drop=True)], axis=1)


def _plain(column: pd.Series[Any]) -> Any:
    """A column of pandas without types that only pandas has; a missing number among whole ones is None."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        categories, codes = np.asarray(column.cat.categories), column.cat.codes.to_numpy()
        if (codes >= 0).all():
            return categories[codes]
        return np.array([*categories.tolist(), None], dtype=np.object_)[
            codes
        ]  # the last is for missing cells, coded -1
    if not isinstance(column.dtype, pd.api.extensions.ExtensionDtype) or column.dtype.kind not in "iufb":
        return column
    if column.dtype.kind == "f":
        return column.to_numpy(dtype=float, na_value=np.nan)
    if not column.isna().any():
        return np.asarray(column.tolist())
    return pd.Series([None if pd.isna(cell) else cell for cell in column.tolist()], dtype=object)


def _column(column: nw.Series[Any]) -> Any:
    if isinstance(column.dtype, nw.Categorical | nw.Enum):
        column = column.cast(nw.String)
    array = as_array(column)
    return pd.Series(array, dtype=object) if array.dtype.kind in "OUS" else array


def _order(column: nw.Series[Any], declared: Sequence[str] = ()) -> Mapping[str, float] | None:
    """The words of a column that has an order of its own, with their numbers; None for others."""
    native = column.to_native()
    if declared:
        categories = list(declared)
    elif isinstance(native, pa.ChunkedArray):
        return ordered_categories(pa.table({"": native})).get("")
    elif isinstance(native, pd.Series) and isinstance(native.dtype, pd.CategoricalDtype):
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
    for name, column in cells.items():
        if np.ndim(column) != 1:
            raise JudgmentsError(
                f"column {name!r} has {np.ndim(column)} dimensions. Give a list or an array with one cell for each "
                "row.",
                column=name,
            )
    return pd.DataFrame({name: _cells_of(column) for name, column in cells.items()})


def _cells_of(column: Any) -> Any:
    """A column of a dict, without its own index; what is masked is missing."""
    if isinstance(column, np.ma.MaskedArray):
        cells: Any = column.data
        if (missing := np.ma.getmaskarray(column)).any():
            cells = column.data.astype(np.object_)
            cells[missing] = None
        return pd.Series(cells)
    if isinstance(column, pd.Series):
        return column.reset_index(drop=True)
    if isinstance(column, pd.api.extensions.ExtensionArray):
        return pd.Series(column)
    return pd.Series(np.asarray(column))
