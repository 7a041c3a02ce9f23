"""Previews: the first rows of a table, and which column was taken for what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from manyjudges.app.choices import Choices
from manyjudges.app.words import error_document
from manyjudges.base.formatting import clean
from manyjudges.exceptions import ManyJudgesError
from manyjudges.tables.formats.registry import stream_content
from manyjudges.tables.grammar import is_missing
from manyjudges.tables.shapes.registry import recognise

if TYPE_CHECKING:
    from manyjudges.tables.shapes.layout import Layout

ROWS_SHOWN = 6
_LONGEST_CELL = 60

_MEASURED = "question"
"""The role of a column of a wide table that holds answers."""

_LEFT_OUT = "left out"


def look(files: Sequence[str], choices: Choices) -> dict[str, Any]:
    """What was recognised in a table, and its first rows; ``problem`` is the error where nothing was."""
    frame = _first_rows(files[0], choices.format)
    layout, problem = None, None
    try:
        layout = recognise(
            frame, columns=choices.columns, shape=choices.shape, drop=choices.drop, name=Path(files[0]).name
        )
    except ManyJudgesError as error:
        problem = error_document(error)
    return _shown(frame, layout) | {"problem": problem}


def _shown(frame: pd.DataFrame, layout: Layout | None) -> dict[str, Any]:
    """The first rows of a table as text, and the role of each column."""
    rows = frame.iloc[: ROWS_SHOWN + (layout.heading_rows if layout else 0)]
    return {
        "columns": [_column(str(heading), layout) for heading in frame.columns],
        "rows": [["" if is_missing(cell) else _short(cell) for cell in row] for row in rows.to_numpy(dtype=object)],
        "heading_rows": layout.heading_rows if layout else 0,
        "shape": layout.shape if layout else "",
        "roles": layout.roles if layout else {},
        "describe": layout.describe() if layout else "",
        "assumed": list(layout.assumed) if layout else [],
    }


def _first_rows(file: str, format: str) -> pd.DataFrame:
    """The first part of a file, which is all that tells which column is what."""
    for content in stream_content(file, format=format):
        return content.frame
    return pd.DataFrame()


def _column(heading: str, layout: Layout | None) -> dict[str, Any]:
    """What a column was taken for, and why, where it was left out."""
    role, why, attribute = "", "", ""
    if layout is not None:
        named = {column: role for role, column in layout.roles.items()}
        measured: Mapping[str, str] = {each.column: each.attribute for each in layout.measured}
        reasons = dict(layout.left_out)
        role = named.get(heading) or (_MEASURED if heading in measured else _LEFT_OUT if heading in reasons else "")
        why, attribute = reasons.get(heading, "") if role == _LEFT_OUT else "", measured.get(heading, "")
    return {"heading": heading, "role": role, "why": why, "attribute": attribute}


def _short(cell: object) -> str:
    text = clean(cell)
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"
