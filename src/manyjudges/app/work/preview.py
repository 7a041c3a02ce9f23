"""Previews: the first rows of a table, and which column was taken for what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from manyjudges.app.choices import Choices
from manyjudges.app.words import error_document
from manyjudges.base.formatting import clean
from manyjudges.exceptions import DocumentError, ManyJudgesError
from manyjudges.tables.answers.no_answer import no_answer_mask
from manyjudges.tables.formats.content import Content
from manyjudges.tables.formats.registry import read_contents, stream_content
from manyjudges.tables.grammar import is_missing, read_number
from manyjudges.tables.shapes.registry import recognise, to_long

if TYPE_CHECKING:
    from manyjudges.tables.shapes.layout import Layout

ROWS_SHOWN = 6
_LONGEST_CELL = 60
_MOST_STEPS = 20
"""Different answers that a person may be asked to put into order."""

_ODD_SHOWN = 4
"""Words among numbers that a person is asked about."""

_MEASURED = "question"
"""The role of a column of a wide table that holds answers."""

_LEFT_OUT = "left out"

_DROPPED = "dropped"
"""Why a column was left out that the user dropped."""


def look(files: Sequence[str], choices: Choices, layout: Layout | None = None) -> dict[str, Any]:
    """The first rows of a table and the role of each column; ``problem`` is the error where no role was recognised.

    Parameters
    ----------
    files : sequence of str
    choices : Choices
    layout : Layout, optional
        Where the table has been read.
    """
    frame, problem = _first_rows(files, choices.format, layout), {}
    if layout is None:
        try:
            layout = _recognised(frame, files, choices)
        except ManyJudgesError as error:
            problem = error_document(error)
    return _shown(frame, layout) | {"problem": problem}


def answers_in_doubt(
    files: Sequence[str], choices: Choices, column: str | None, value: object = None
) -> dict[str, Any]:
    """What the user can say about answers that are not understood; nothing where it is not about answers.

    The column is that of an error, and the value the one that it names: in a table with a row for each judgment, the
    answers to all questions are in one column. ``attribute`` is whose answers they are; ``order`` has the different
    answers, most frequent first, where they are words, and few enough to be put in order; ``odd`` has the words among
    numbers.
    """
    frame = _first_rows(files, choices.format)
    try:
        layout = _recognised(frame, files, choices)
        rows = to_long(frame, layout).columns
    except ManyJudgesError:
        return {}
    names = np.array([str(name) for name in rows["attribute"]], dtype=object)
    attribute = column
    if not layout.measured and column == layout.roles.get("value"):
        at = np.flatnonzero([str(cell).strip() == str(value) for cell in rows["value"]])
        attribute = names[at[0]] if len(at) else None
    cells = rows["value"][names == attribute]
    if not len(cells):
        return {}
    texts = pd.Series(cells[~no_answer_mask(cells, choices.missing, choices.valid)], dtype=object).astype(str)
    words = [str(word).strip() for word in texts.value_counts().index]
    odd = [word for word in words if not np.isfinite(read_number(word))]
    if len(odd) < len(words):
        return {"attribute": attribute, "order": [], "odd": odd[:_ODD_SHOWN]}
    return {"attribute": attribute, "order": words if 1 < len(words) <= _MOST_STEPS else [], "odd": []}


def _recognised(frame: pd.DataFrame, files: Sequence[str], choices: Choices) -> Layout:
    names = [Path(file).name for file in files]
    sheets = names if len(names) > 1 else []
    options: dict[str, Any] = {"columns": choices.columns, "shape": choices.shape, "drop": choices.drop}
    return recognise(frame, name=names[0], sheets=sheets, **options)


def _shown(frame: pd.DataFrame, layout: Layout | None) -> dict[str, Any]:
    """The first rows of a table as text, and the role of each column."""
    rows = frame.iloc[: ROWS_SHOWN + (layout.heading_rows if layout else 0)]
    columns = [_column(str(heading), layout) for heading in frame.columns]
    return {
        "columns": columns,
        # Survey tools begin with a dozen columns that nobody asked for.
        "shown": sorted(
            range(len(columns)), key=lambda at: columns[at]["role"] == _LEFT_OUT and not _back(columns[at])
        ),
        "rows": [["" if is_missing(cell) else _short(cell) for cell in row] for row in rows.to_numpy(dtype=object)],
        "heading_rows": layout.heading_rows if layout else 0,
        "shape": layout.shape if layout else "",
        "roles": layout.roles if layout else {},
        "describe": layout.describe() if layout else "",
        "assumed": list(layout.assumed) if layout else [],
    }


def _first_rows(files: Sequence[str], format: str, layout: Layout | None = None) -> pd.DataFrame:
    """The first part of the table, in the sheet that has the columns of a layout."""
    needed = set() if layout is None else {*layout.roles.values(), *(each.column for each in layout.measured)}
    first = pd.DataFrame()
    for file in files:
        for content in _beginnings(file, format):
            if needed <= set(map(str, content.frame.columns)):
                return content.frame
            first = content.frame if first.empty else first
    return first


def _beginnings(file: str, format: str) -> Iterator[Content]:
    """The beginning of a file that has one table, and otherwise all its sheets."""
    contents = stream_content(file, format=format, skip=True)
    try:
        first = next(contents)
    except DocumentError:  # sheets that have different columns
        yield from read_contents(file, format=format, skip=True)
        return
    except StopIteration:
        return
    yield first


def _back(column: Mapping[str, Any]) -> bool:
    """Whether a column was left out by the user, who may want it back, and looks for it where it was."""
    return bool(column["why"] == _DROPPED)


def _column(heading: str, layout: Layout | None) -> dict[str, Any]:
    """What a column was taken for, and why, where it was left out."""
    role, why, attribute = "", "", ""
    if layout is not None:
        named = {column: role for role, column in layout.roles.items()}
        measured: Mapping[str, str] = {each.column: each.attribute for each in layout.measured}
        reasons = dict(layout.left_out)
        role = named.get(heading) or (_MEASURED if heading in measured else _LEFT_OUT)
        why, attribute = reasons.get(heading, "") if role == _LEFT_OUT else "", measured.get(heading, "")
    return {"heading": heading, "role": role, "why": why, "attribute": attribute}


def _short(cell: object) -> str:
    text = clean(cell)
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"
