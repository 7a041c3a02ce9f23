"""Cells: a table in whatever shape, read into codes and numbers, with its labels and what was understood of it."""

from __future__ import annotations

__all__ = ["LongPart", "check_drop", "join_scales", "scales_of"]

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Integers
from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.exceptions import JudgmentsError, ManyJudgesError
from manyjudges.tables.answers.no_answer import absent_codes
from manyjudges.tables.column_types import check_types
from manyjudges.tables.columns import is_called_object
from manyjudges.tables.files import in_file, plain_names, with_points
from manyjudges.tables.formats.paths import file_name
from manyjudges.tables.grammar import is_blank, is_missing
from manyjudges.tables.label_columns import labels_of_rows
from manyjudges.tables.names import is_name, is_summary, name_text
from manyjudges.tables.reading.assembly import Assembled, assemble
from manyjudges.tables.reading.options import ReadOptions
from manyjudges.tables.reading.reading import Reading
from manyjudges.tables.reading.sources import Opened, Part, alike, different_sheets, open_parts
from manyjudges.tables.shapes.layout import Layout
from manyjudges.tables.shapes.registry import recognise, to_long
from manyjudges.tables.values import REMEDY, Place, check_thousands

_IDS = ("object", "attribute", "worker")
_EVERY_ROLE = (*_IDS, "value", "time")


@dataclass(frozen=True, eq=False)
class CellsRead:
    """A table that has been read, as codes and numbers.

    Attributes
    ----------
    cells : Assembled
    labels : Series, optional
        By object, where the table has a column of labels.
    reading : Reading
    """

    cells: Assembled
    labels: pd.Series[Any] | None
    reading: Reading


def read_cells(source: Any, options: ReadOptions) -> CellsRead:
    """Read a table; :func:`manyjudges.tables.reading.table.read_table` says from what, and how."""
    options.check()
    opened = open_parts(source, options)
    names = list(dict.fromkeys(file_name(part.path) for part in opened.parts if part.path is not None))
    try:
        parts, layout, notes = layout_of(opened, options)
    except ManyJudgesError as error:
        raise (in_file(error, names[0]) if names else error) from None
    try:
        return _read(replace(opened, parts=parts), layout, notes, options)
    except ManyJudgesError as error:
        raise (in_file(error, names[0]) if len(names) == 1 else error) from None


def _read(opened: Opened, layout: Layout, notes: Sequence[str], options: ReadOptions) -> CellsRead:
    parts = [replace(part, heading_rows=layout.heading_rows) for part in opened.parts]
    opened = replace(opened, parts=[without_totals(part, layout, options) for part in parts])
    long = [long_columns(part, layout, files=opened.files) for part in opened.parts]
    columns = {role: _joined([each.columns[role] for each in long], role) for role in long[0].columns}
    if opened.files:
        columns |= {role: plain_names(columns[role]) for role in _IDS if role in columns}
    if layout.shape == "long" and options.drop:
        names = pd.unique(pd.Series(columns["attribute"], dtype=object))
        check_drop(map(name_text, filter(is_name, names)), opened.parts[0].frame.columns, options)
    rows = _AllRows(opened.parts, long)
    cells = assemble(
        columns,
        rows.locate,
        options,
        no_answer=layout.no_answer,
        given=scales_of(opened.parts, layout),
        column_of=rows.heading,
        remedy=REMEDY if opened.files else "",
        files=opened.files,
    )
    labels = None if layout.label is None else _labels(opened, layout, options)
    unread = sum(part.unread for part in opened.parts)
    every_note = dict.fromkeys([*notes, *(note for part in opened.parts for note in part.notes)])
    every_note |= dict.fromkeys(_unused_scales(options, cells, labels))
    if options.missing and not options.codings:
        own = [part.frame[layout.label] for part in opened.parts if layout.label is not None]
        every_note |= dict.fromkeys(_absent_codes(options, [columns["value"], *own], opened.name))
    reading = Reading(
        opened.name,
        layout,
        cells.codings,
        label_note="" if labels is None else labels.attrs["note"],
        unanswered=cells.unanswered,
        skipped=len(cells.invalid) + unread,
        repeated=cells.repeated,
        notes=tuple(every_note),
    )
    return CellsRead(cells, labels, reading)


def _unused_scales(options: ReadOptions, cells: Assembled, labels: pd.Series[Any] | None) -> Iterator[str]:
    """What to say of scales that the user gave and that no question has."""
    if options.codings:  # those of a plan, whose questions need not all be here
        return
    words = {coding.words for coding in cells.codings.values()}
    note = "" if labels is None else str(labels.attrs["note"])
    for scale in options.scales:
        if scale not in words and f"{scale[0]} = 1" not in note:
            yield f"no question has all its answers in the scale {quote_value(', '.join(scale))}, which was not used"


def _absent_codes(options: ReadOptions, cells: Sequence[Any], name: str) -> Iterator[str]:
    """What to say of codes for "no answer" that the user named and that no answer and no label is."""
    where = f"no cell of {name}" if name else "no cell"
    for code in absent_codes(options.missing, cells):
        yield f"{where} has {quote_value(code)}, which was named as no answer"


def layout_of(opened: Opened, options: ReadOptions) -> tuple[list[Part], Layout, tuple[str, ...]]:
    """The parts that hold judgments, how they are laid out, and what to say about the others."""
    groups = alike(opened.parts)
    if len(groups) == 1:
        layout = _recognised(opened, groups[0], options)
        parts, notes = _without_summaries(groups[0], layout)
        return parts, layout, notes
    found: list[tuple[list[Part], Layout]] = []
    errors: list[ManyJudgesError] = []
    for group in groups:
        try:
            found.append((group, _recognised(opened, group, options)))
        except JudgmentsError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    sure = [(group, layout) for group, layout in found if layout.object is not None and is_called_object(layout.object)]
    if len(sure) == 1 and all(layout is sure[0][1] or layout.object not in sure[0][0][0].frame for _, layout in found):
        found = sure  # the others could be read as judgments, as notes can, and need not be
    if len(found) > 1:
        raise different_sheets(opened.name, [group[0] for group, _ in found])
    parts, layout = found[0]
    others = [part.sheet for part in opened.parts if part not in parts]
    parts, notes = _without_summaries(parts, layout)
    return parts, layout, (f"the sheets left out, as they hold no judgments: {', '.join(map(repr, others))}", *notes)


def _without_summaries(parts: list[Part], layout: Layout) -> tuple[list[Part], tuple[str, ...]]:
    """The sheets of raters, without those that sum them up, and what to say about these."""
    left_out = [part for part in parts if layout.shape == "sheets" and is_summary(part.sheet)]
    if not left_out or len(parts) - len(left_out) < 2:
        return parts, ()
    named = ", ".join(repr(part.sheet) for part in left_out)
    kept = [part for part in parts if not is_summary(part.sheet)]
    return kept, (f"the sheets left out, as they sum up the others: {named}",)


def without_totals(part: Part, layout: Layout, options: ReadOptions) -> Part:
    """A part in which rows below the table that sum it up are about no object, or an error that names the first."""
    if layout.shape == "long" or layout.object is None:
        return part
    names = part.frame[layout.object].tolist()
    last = len(names)
    while last and (is_missing(names[last - 1]) or is_blank(names[last - 1]) or is_summary(names[last - 1])):
        last -= 1
    totals = [row for row in range(last, len(names)) if is_summary(names[row])] if last else []
    if not totals:
        return part
    if not options.skip:
        place = part.locate(totals[0])
        raise JudgmentsError(
            f"{place}: {quote_value(names[totals[0]])} seems to sum up the rows above, and to be no object. Delete the "
            f"row.{REMEDY if part.path is not None else ''}",
            value=names[totals[0]],
            row=place.row,
            column="object",
            file=place.file,
        )
    cells = part.frame[layout.object].astype(object)
    cells.iloc[totals] = None
    return replace(part, frame=part.frame.assign(**{layout.object: cells}))


def _recognised(opened: Opened, parts: Sequence[Part], options: ReadOptions) -> Layout:
    sheets = [part.sheet for part in parts] if len(parts) > 1 else []
    layout = recognise(
        parts[0].frame,
        columns=options.columns,
        shape=options.shape,
        drop=options.drop,
        name=opened.name,
        sheets=sheets,
    )
    if layout.shape == "long" and opened.types:
        roles = {role: name for role, name in layout.roles.items() if role in (*_IDS, "value")}
        check_types(opened.types, roles)
    return layout


def check_drop(attributes: Iterable[str], columns: Collection[str], options: ReadOptions) -> None:
    """Refuse to drop what a long table does not have: none of its attributes, and none of its columns."""
    present = sorted({name for name in attributes if not is_blank(name)})
    for name in options.drop:
        if name not in present and name not in columns:
            raise JudgmentsError(
                f"there is no attribute {quote_value(name)} to drop. Attributes: {list_names(present, 8)}."
                f"{suggest(name, present)}",
                value=name,
                column="drop",
            )


@dataclass(frozen=True, eq=False)
class LongPart:
    """A part of a table as long rows.

    Attributes
    ----------
    columns : dict of str to array
        By role: object, attribute, value, and perhaps worker and time.
    rows : array of int
        The position in the part of the row in which each cell stands.
    headings : sequence of str, optional
        The headings of the columns of values; None for a long table.
    codes : array of int, optional
        For each cell the position of its heading.
    """

    columns: dict[str, Any]
    rows: Integers
    headings: tuple[str, ...] | None = None
    codes: Integers | None = None


def long_columns(part: Part, layout: Layout, *, files: bool = True, first: int = 0) -> LongPart:
    """A part of a table as long rows, with points in decimals.

    Parameters
    ----------
    part : Part
    layout : Layout
    files : bool
        Whether it comes from a file, in which a blank cell is an empty text.
    first : int
        How many rows of the table come before this part.
    """
    frame = part.frame
    if layout.measured or layout.heading_rows:
        long = to_long(frame, layout, sheet=part.sheet, first=first)
        columns, rows, headings, codes = dict(long.columns), long.rows, long.cells, long.cell_codes
        if headings is not None:
            columns["value"] = _typed(frame, layout, columns["value"])
    else:
        columns = {role: frame[name].to_numpy() for role, name in layout.roles.items() if role in _EVERY_ROLE}
        rows, headings, codes = np.arange(len(frame), dtype=np.int64), None, None
    if not layout.workers_known:  # whose they are is not known; they are only numbered
        columns.pop("worker", None)
    if layout.time is not None:
        columns["time"] = frame[layout.time].to_numpy()[rows]
    if part.decimal_comma and columns["value"].dtype == np.object_:
        of = columns.get("attribute") if codes is None else codes
        check_thousands(columns["value"], lambda row: part.locate(int(rows[row])), of=of)
        columns["value"] = with_points(pd.Series(columns["value"], dtype=object)).to_numpy()
    return LongPart(columns, rows, headings, codes)


def _typed(frame: pd.DataFrame, layout: Layout, values: Any) -> Any:
    """Values as numbers where all their columns are numbers."""
    types = {frame[column.column].dtype for column in layout.measured}
    numbers = all(isinstance(each, np.dtype) and each.kind in "iuf" for each in types)
    return values.astype(float) if numbers and len(values) else values


def _joined(columns: Sequence[Any], role: str) -> Any:
    """A column of all parts."""
    if len(columns) == 1:
        return columns[0]
    kinds = {column.dtype.kind for column in columns if len(column)}
    if role == "value" and not kinds <= set("iuf") and kinds != {"b"}:
        columns = [column.astype(np.object_) for column in columns]
    return pd.concat([pd.Series(column) for column in columns if len(column)] or [pd.Series(columns[0])]).to_numpy()


class _AllRows:
    """Where the rows of all parts stand."""

    def __init__(self, parts: Sequence[Part], long: Sequence[LongPart]) -> None:
        self._parts, self._long = parts, long
        self._starts = np.cumsum([0, *(len(each.rows) for each in long)])

    def locate(self, row: int) -> Place:
        """Where a row stands, as a person would count."""
        at, within = self._find(row)
        return self._parts[at].locate(int(self._long[at].rows[within]))

    def heading(self, row: int) -> str:
        """The heading of the column in which the value of a row stands."""
        at, within = self._find(row)
        headings, codes = self._long[at].headings, self._long[at].codes
        return "value" if headings is None or codes is None else headings[int(codes[within])]

    def _find(self, row: int) -> tuple[int, int]:
        at = int(np.searchsorted(self._starts, row, side="right")) - 1
        return at, int(row - self._starts[at])


def scales_of(parts: Sequence[Part], layout: Layout) -> dict[str, Mapping[str, float]]:
    """The words of the file's own scales with their numbers, by attribute."""
    scales = {name: scale for part in parts for name, scale in part.scales.items()}
    if not scales:
        return {}
    if layout.value is not None:
        return _ByAny(scales[layout.value]) if layout.value in scales else {}
    return {column.attribute: scales[column.column] for column in layout.measured if column.column in scales}


def join_scales(
    one: Mapping[str, Mapping[str, float]], other: Mapping[str, Mapping[str, float]]
) -> Mapping[str, Mapping[str, float]]:
    """The scales of two parts of a table, as :func:`scales_of` gives them."""
    return other if isinstance(other, _ByAny) or not one else one if isinstance(one, _ByAny) else {**one, **other}


class _ByAny(dict[str, Mapping[str, float]]):
    """The same scale for every attribute of a long table."""

    def __init__(self, scale: Mapping[str, float]) -> None:
        super().__init__()
        self._scale = scale

    def get(self, _attribute: str, _default: Any = None) -> Any:
        """The scale."""
        return self._scale

    def __contains__(self, _attribute: object) -> bool:
        return True


def _labels(opened: Opened, layout: Layout, options: ReadOptions) -> pd.Series[Any]:
    """The labels in a column of the table."""
    column = str(layout.label)
    if layout.object is None:
        raise JudgmentsError(
            f"{column!r} cannot be the label: the objects are named in headings, so that a row has no label of one. "
            "Give the labels in a table of their own.",
            value=column,
            column="label",
        )
    below = [_below(part, layout) for part in opened.parts]
    objects = _joined([part.frame[layout.object].to_numpy() for part in below], "object")
    cells = _joined([part.frame[column].to_numpy() for part in below], "value")
    return labels_of_rows(
        plain_names(objects) if opened.files else objects,
        cells,
        _LabelRows(below, layout.heading_rows).locate,
        column=column,
        decimal_comma=all(part.decimal_comma for part in below),
        missing=options.missing,
        scales=options.scales,
        given=next((part.scales[column] for part in below if column in part.scales), None),
    )


def _below(part: Part, layout: Layout) -> Part:
    """A part without the rows that belong to the heading."""
    below = replace(part, frame=part.frame.iloc[layout.heading_rows :])
    if part.path is None:  # whose rows are counted from 0
        return below
    numbers = np.arange(1, len(part.frame) + 1) if part.numbers is None else part.numbers
    return replace(below, numbers=numbers[layout.heading_rows :])


class _LabelRows:
    """Where the rows of tables stand."""

    def __init__(self, parts: Sequence[Part], heading_rows: int) -> None:
        self._parts, self._heading_rows = parts, heading_rows
        self._starts = np.cumsum([0, *(len(part.frame) for part in parts)])

    def locate(self, row: int) -> Place:
        """Where a row stands, as a person would count."""
        at = int(np.searchsorted(self._starts, row, side="right")) - 1
        within = int(row - self._starts[at])
        part = self._parts[at]
        return part.locate(within if part.path is not None else within + self._heading_rows)
