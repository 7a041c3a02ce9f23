"""Registry: the shapes by name, which of them a table has, and the table as long rows."""

from __future__ import annotations

__all__ = ["recognise", "to_long"]

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.columns import AUTO_COLUMN
from manyjudges.tables.shapes.google_forms import SHAPE as GOOGLE_FORMS
from manyjudges.tables.shapes.layout import Layout, LongRows
from manyjudges.tables.shapes.limesurvey import SHAPE as LIMESURVEY
from manyjudges.tables.shapes.long import SHAPE as LONG
from manyjudges.tables.shapes.qualtrics import SHAPE as QUALTRICS
from manyjudges.tables.shapes.redcap import SHAPE as REDCAP
from manyjudges.tables.shapes.sample import COLUMN_ROLES, Sample, Shape, first_cells
from manyjudges.tables.shapes.sheets import SHAPE as SHEETS
from manyjudges.tables.shapes.sosci import SHAPE as SOSCI
from manyjudges.tables.shapes.wide_by_judgment import SHAPE as WIDE_BY_JUDGMENT
from manyjudges.tables.shapes.wide_by_rater import HOLDS_LABELS
from manyjudges.tables.shapes.wide_by_rater import SHAPE as WIDE_BY_RATER

SHAPES: dict[str, Shape] = {
    shape.name: shape
    for shape in (LONG, QUALTRICS, SOSCI, LIMESURVEY, REDCAP, GOOGLE_FORMS, WIDE_BY_JUDGMENT, SHEETS, WIDE_BY_RATER)
}
"""The shapes by name, in the order in which they are tried."""

ROWS_LOOKED_AT = 2_000
"""Rows from which a layout is recognised."""

_ROWS_OF_TITLES = 5


def recognise(
    frame: pd.DataFrame,
    *,
    columns: Mapping[str, str | None] | None = None,
    shape: str = AUTO_COLUMN,
    drop: Sequence[str] = (),
    name: str = "",
    sheets: Sequence[str] = (),
) -> Layout:
    """Which column of a table is what, from its headings and first rows.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table as it is in the file: rows that belong to the heading are still in it. Only its first 2,000 rows are
        looked at.
    columns : mapping of str to str or None, optional
        The column of a role, ``"auto"`` where it is to be found, None where no column has the role. Without a column
        for the object, headings have to name the objects.
    shape : str
        A name in ``SHAPES``; default: the first that fits.
    drop : sequence of str
        Columns or attributes to leave out.
    name : str
        The file, for messages.
    sheets : sequence of str
        The names of all sheets or files that are read together; of a rater each, where they hold one judgment each.

    Raises
    ------
    JudgmentsError
        Where no shape fits, or one leaves open which column is what.

    Examples
    --------
    >>> table = pd.DataFrame({"Rater": ["ann", "bob"], "Essay": ["e1", "e1"], "clarity": [4, 5]})
    >>> print(recognise(table).describe())
    wide by rater: object = 'Essay', worker = 'Rater', 1 question ('clarity')
    """
    sample = Sample(
        frame.iloc[:ROWS_LOOKED_AT],
        dict(columns or {}),
        shape,
        tuple(drop),
        name,
        tuple(sheets),
        whole=len(frame) < ROWS_LOOKED_AT and len(sheets) < 2,
    )
    _check(sample)
    if shape != AUTO_COLUMN:
        layout = SHAPES[shape].recognise(sample)
        if isinstance(layout, str):
            raise sample.error(f"this table cannot be read as {shape}: {layout}. {_there(sample)}", column="shape")
        return sample.check_drop(layout) if shape != "long" else layout
    lacks = {}
    for each in SHAPES.values():
        layout = each.recognise(sample)
        if isinstance(layout, Layout):
            return sample.check_drop(layout) if layout.shape != "long" else layout
        lacks[each.name] = layout
    if frame.empty and sample.headings:
        raise sample.error("there are no rows below the headings. Add some, or name another file.")
    if HOLDS_LABELS in lacks.values():
        raise sample.error(
            f"this table cannot be planned with: {HOLDS_LABELS}. Name the table of judgments first, and then the table "
            f"of labels. {_there(sample)}",
            column="object",
        )
    reasons = "; ".join(f"{shape}, {lacks[shape]}" for shape in _EXPLAINED if shape in lacks)
    raise sample.error(
        f"which column is what? What each shape lacks: {reasons}. {_there(sample)} Say which column names the "
        "object with --object COLUMN (object=); of a table with a row for each judgment, also --attribute and --value.",
        column="object",
    )


_EXPLAINED = ("long", "wide-by-judgment", "wide-by-rater")
"""The shapes whose lacks are told; the others are those of tools, which a table has or has not."""


def to_long(frame: pd.DataFrame, layout: Layout, *, sheet: str = "", first: int = 0) -> LongRows:
    """A table, or a part of it, as long rows, row by row and each row from left to right.

    Cells stay as they are, also those without an answer.

    Parameters
    ----------
    frame : pandas.DataFrame
        With the rows that belong to the heading, if it is the first part.
    layout : Layout
    sheet : str
        The name of the sheet or file, which names the rater where there is one for each, and tells rows of several
        files apart where each row is a person.
    first : int
        How many rows of the table come before this part.

    Examples
    --------
    >>> table = pd.DataFrame({"Rater": ["ann", "bob"], "Essay": ["e1", "e2"], "clarity": [4, 5], "style": [1, 2]})
    >>> long = to_long(table, recognise(table))
    >>> pd.DataFrame(long.columns)
      object attribute value worker
    0     e1   clarity     4    ann
    1     e1     style     1    ann
    2     e2   clarity     5    bob
    3     e2     style     2    bob
    >>> long.rows, long.cells, long.cell_codes
    (array([0, 0, 1, 1]), ('clarity', 'style'), array([0, 1, 0, 1]))
    """
    _check_columns(frame, layout)
    start = max(0, layout.heading_rows - first)
    rows = np.arange(start, max(start, len(frame)), dtype=np.int64)
    if not layout.measured:
        roles = ("object", "attribute", "value", "worker")
        columns = {role: _cells(frame, layout.roles[role])[start:] for role in roles if role in layout.roles}
        return LongRows(columns, rows)
    width = len(layout.measured)
    values = frame.loc[:, [column.column for column in layout.measured]].to_numpy(dtype=np.object_)[start:]
    objects = [column.object for column in layout.measured]
    columns = {
        "object": _each(frame, layout.object, start, width) if layout.object else _tiled(objects, len(rows)),
        "attribute": _tiled([column.attribute for column in layout.measured], len(rows)),
        "value": values.reshape(-1),
    }
    workers = _workers(frame, layout, sheet, first)
    codes = np.tile(np.arange(width, dtype=np.int64), len(rows))
    cells = tuple(column.column for column in layout.measured)
    return LongRows(columns | ({} if workers is None else {"worker": workers}), np.repeat(rows, width), cells, codes)


def _workers(frame: pd.DataFrame, layout: Layout, sheet: str, first: int) -> Any:
    """Of a wide table, the rater of each cell; None where nobody is known."""
    start, width = max(0, layout.heading_rows - first), len(layout.measured)
    count = max(0, len(frame) - start)
    if layout.worker is not None:
        return _each(frame, layout.worker, start, width)
    if layout.shape == "sheets":
        return _tiled([sheet], count * width)
    if layout.row_is_worker:
        at, file = first + start - layout.heading_rows + 1, f"{sheet}, " if sheet else ""
        names = [f"{file}row {number}" for number in range(at, at + count)]
        return np.repeat(np.array(names, dtype=np.object_), width)
    workers = [column.worker for column in layout.measured]
    return None if workers == [None] * width else _tiled(workers, count)


def _each(frame: pd.DataFrame, heading: str, start: int, width: int) -> Any:
    return np.repeat(_cells(frame, heading)[start:], width)


def _cells(frame: pd.DataFrame, heading: str) -> Any:
    return frame[heading].to_numpy(dtype=np.object_)


def _tiled(values: Sequence[object], count: int) -> Any:
    row = np.empty(len(values), dtype=np.object_)
    row[:] = list(values)
    return np.tile(row, count)


def _check_columns(frame: pd.DataFrame, layout: Layout) -> None:
    there = set(frame.columns)
    needed = (*layout.roles.values(), *(column.column for column in layout.measured))
    for name in needed:
        if name not in there:
            raise JudgmentsError(
                f"there is no column {quote_value(name)}, which other parts of the table have. Add it, or read this "
                "part by itself.",
                value=name,
                column=name,
            )


def _check(sample: Sample) -> None:
    """Refuse what the user said about a table where it cannot be true of it."""
    if sample.shape not in (AUTO_COLUMN, *SHAPES):
        raise sample.error(
            f"shape must be {AUTO_COLUMN!r} or one of {list_names(SHAPES, limit=20)}, not {quote_value(sample.shape)}."
            f"{suggest(sample.shape, list(SHAPES))}",
            value=sample.shape,
            column="shape",
        )
    times = Counter(sample.headings)
    if twice := [name for name in sample.headings if times[name] > 1]:
        raise sample.error(f"more than one column is called {quote_value(twice[0])}. Rename one.", value=twice[0])
    for role, name in sample.asked.items():
        if role not in COLUMN_ROLES:
            raise sample.error(
                f"{quote_value(role)} is not what a column can be; that is one of {list_names(COLUMN_ROLES, limit=9)}.",
                value=role,
                column=role,
            )
        if name not in (None, AUTO_COLUMN, *sample.headings):
            raise sample.error(
                f"there is no column {quote_value(name)} for the {role}; the columns are "
                f"{list_names(sample.headings, limit=10)}.{_headings_below(sample, name)}",
                value=name,
                column=role,
            )


def _headings_below(sample: Sample, name: str | None) -> str:
    """What to do about a column that is not there: what is meant, or where the headings are instead."""
    rows = range(min(len(sample.frame), _ROWS_OF_TITLES))
    if any(name in first_cells(sample.frame, row) for row in rows):
        return f" A row below has {name!r}. If that one has the headings, delete the rows above it."
    return suggest(name, sample.headings)


def _there(sample: Sample) -> str:
    return f"The columns are {list_names(sample.headings, limit=10)}." if sample.headings else "There are no columns."
