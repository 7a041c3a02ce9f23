"""Wide tables: which columns of a table hold judgments, of what, by whom; and what stands in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.connectors.grid import Grid, Spread, Unusable, is_blank
from manyjudges.connectors.place import RecordPlace, located
from manyjudges.connectors.selection import AttributeSelection, RawAnswer, numbered
from manyjudges.exceptions import DocumentError, JudgmentsError
from manyjudges.tables.columns import SYNONYMS
from manyjudges.tables.kinds import CANT_TELL_WORDS

SHEET_SHAPES = ("wide", "sheets", "rows")
"""One column per attribute and judgment; a sheet or file per rater; a row per object and rater."""

_RATERS = (*SYNONYMS["worker"], "coder", "participant", "respondent")
QUESTION, TEXT, PICTURE = "(question)", "(text)", "(picture)"
REMARKS = (QUESTION, TEXT, PICTURE)
"""Headings of columns, and names of a row, that tell raters something; no judgments."""

_NO_ANSWER_WORDS = CANT_TELL_WORDS | {"n/a", "na", "n.a.", "nan", "-", "–", "—", "?", "don't know", "don’t know"}
"""What people write where they have no judgment."""

_NAMED = re.compile(r"(?P<attribute>.*\S)\s*(\((?P<round>[^()]+)\)|\[(?P<square>[^\[\]]+)\])")
_STEP = re.compile(r"([-+\N{MINUS SIGN}]?\d+)\s+[-–—]\s+\D.*", re.DOTALL)


@dataclass(frozen=True)
class Table:
    """A grid of which it is known where its headings are.

    Attributes
    ----------
    grid : Grid
    head : int
        The position of the row of headings.
    columns : dict of str to int
        The position of each column by its heading; the first may have none.
    """

    grid: Grid
    head: int
    columns: dict[str, int]

    @property
    def rows(self) -> range:
        """The positions of what stands below the headings."""
        return range(self.head + 1, len(self.grid.rows))

    def value(self, row: int, heading: str) -> object:
        """What is in a cell; None where a row ends before it."""
        cells, at = self.grid.rows[row], self.columns[heading]
        return cells[at] if at < len(cells) else None

    def where(self, row: int, heading: str) -> RecordPlace:
        """Where a cell is, in words."""
        return self.grid.where(row, self.columns[heading], heading)

    def name(self, row: int, heading: str) -> str:
        """The name in a cell, also of one that is merged with others; blank where there is none."""
        value = self.value(row, heading)
        if isinstance(value, Spread):
            value = value.value
        if isinstance(value, Unusable):
            raise DocumentError(
                f"{self.where(row, heading)}: {value.message}.", value=value.value, **located(self.where(row, heading))
            )
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        return "" if value is None else str(value).strip()

    @property
    def has_questions(self) -> bool:
        """Whether it has the row of questions that our own forms have."""
        first = next(iter(self.columns))
        return any(self.value(row, first) == QUESTION for row in self.rows[:1])


@dataclass(frozen=True)
class JudgmentColumn:
    """A column of judgments; the worker is None where the heading does not say whose they are."""

    heading: str
    attribute: str
    worker: str | None = None


@dataclass(frozen=True)
class SheetLayout:
    """How a table is to be read: its shape, which column names the object, and which the worker."""

    shape: str
    object: str
    worker: str | None
    columns: tuple[JudgmentColumn, ...]


def table_of(grid: Grid, heading: int | None = None) -> Table | None:
    """A grid as a table; None where no row has two headings, so that it is none.

    Parameters
    ----------
    grid : Grid
    heading : int, optional
        The row or line with the headings. Unless given it is the first with at least two, below titles and the like.
    """
    if heading is not None and heading not in grid.lines:
        raise DocumentError(
            f"{grid.place}: row {heading} is empty; it should have the headings (heading=, --option heading=N).",
            row=heading,
            column="heading",
            file=located(grid.place)["file"],
        )
    candidates = (at for at, row in enumerate(grid.rows) if sum(map(_is_own, row)) >= 2)
    head = next(candidates, None) if heading is None else grid.lines.index(heading)
    if head is None:
        return None
    columns: dict[str, int] = {}
    for at, value in enumerate(grid.rows[head]):
        name = _heading(value, grid.where(head, at))
        if name in columns and name:
            raise DocumentError(
                f"{grid.where(head, at)}: {name!r} is the heading of more than one column. If these are several "
                f"judgments, number them ('{name} 1', '{name} 2') or name the rater ('{name} (Ann)'); otherwise rename "
                "one.",
                value=name,
                **located(grid.where(head, at)),
            )
        if name or (at == 0 and any(not is_blank(row[0]) for row in grid.rows[head + 1 :])):
            columns[name] = at
    table = Table(grid, head, columns)
    _check_lengths(table)
    return table


def layout_of(
    table: Table, selection: AttributeSelection, *, shape: str | None, object_column: str | None, worker: str | None
) -> SheetLayout:
    """How a table is to be read, as far as it is not said."""
    if shape is None and _called(table, SYNONYMS["attribute"]) and _called(table, SYNONYMS["value"]):
        raise DocumentError(
            f"{table.grid.place}: this has a row for each judgment, as ManyJudges' own tables have. Save it as CSV, "
            "and read it with manyjudges.read_judgments; or say which shape it has (shape=, --option shape=rows).",
            **located(table.grid.place, "shape"),
        )
    rater = None if shape not in (None, "rows") or table.has_questions else _rater_column(table, worker, object_column)
    column = _object_column(table, object_column, rater)
    if shape == "rows" and rater is None:
        raise DocumentError(
            f"{table.grid.place}: which column names the rater? There are {list_names(table.columns, limit=12)}; say "
            "which one (worker=, --option worker=NAME).",
            **located(table.grid.place, "worker"),
        )
    names = [name for name in table.columns if name and name not in (column, rater, *REMARKS)]
    parsed = [column_of(name, selection) for name in names]
    if shape is None:
        shape = "rows" if rater is not None else "wide" if not table.has_questions and is_wide(parsed) else "sheets"
    columns = parsed if shape == "wide" else [JudgmentColumn(name, name) for name in names]
    kept = tuple(c for c in columns if selection.includes(c.attribute) or selection.named(c.heading))
    if not kept:
        raise DocumentError(
            f"{table.grid.place}: it has no judgments of "
            f"{list_names(sorted(selection.names or ['anything']), limit=6)}; its "
            f"columns are {list_names(table.columns, limit=12)}. Say what they are called here (--rename).",
            **located(table.grid.place, "attributes"),
        )
    return SheetLayout(shape, column, rater, kept)


def column_of(heading: str, selection: AttributeSelection) -> JudgmentColumn:
    """What a heading of a table with one column per judgment says.

    >>> column_of("tall (Ann)", AttributeSelection({})), column_of("tall_2", AttributeSelection({}))
    (JudgmentColumn(heading='tall (Ann)', attribute='tall', worker='Ann'),
     JudgmentColumn(heading='tall_2', attribute='tall', worker='judgment 2'))
    """
    if selection.named(heading):
        return JudgmentColumn(heading, heading)
    if match := _NAMED.fullmatch(heading):
        return JudgmentColumn(heading, match["attribute"], (match["round"] or match["square"]).strip())
    parts = None if heading.isdigit() else numbered(heading)
    if parts is not None and (stem := parts[0].rstrip(" _.-#:")):
        return JudgmentColumn(heading, stem, f"judgment {parts[1]}")
    return JudgmentColumn(heading, heading)


def is_wide(columns: Sequence[JudgmentColumn]) -> bool:
    """Whether some attribute plainly has several columns."""
    named = [column.attribute for column in columns if column.worker is not None]
    bare = {column.attribute for column in columns if column.worker is None}
    return any(named.count(name) > 1 or name in bare for name in named)


def raw_answers(table: Table, layout: SheetLayout) -> Iterator[RawAnswer]:
    """What a table says, row by row, without what is no judgment."""
    for row in table.rows:
        object_name = table.name(row, layout.object)
        if object_name == QUESTION:
            continue
        for column in layout.columns:
            value = answer(table.value(row, column.heading))
            place = table.where(row, column.heading)
            if value is None:
                continue
            if not object_name:
                raise DocumentError(
                    f"{place}: there is a judgment, but no name of an object in its row; write one.", **located(place)
                )
            if isinstance(value, Unusable):
                raise JudgmentsError(f"{place}: {value.message}.", value=value.value, **located(place))
            yield RawAnswer(object_name, column.attribute, _worker(table, layout, column, row), value, place)


def answer(value: object) -> object:
    """What somebody answered, without the label behind a number; None where that is no judgment.

    >>> answer("5 – very"), answer("yes "), answer("n/a"), answer(3)
    ('5', 'yes', None, 3)
    """
    if is_blank(value):
        return None
    if not isinstance(value, str):
        return value
    text = value.strip()
    step = _STEP.fullmatch(text)
    return None if text.casefold() in _NO_ANSWER_WORDS else step[1] if step else text


def need(table: Table, name: str, parameter: str) -> str:
    """A heading that must be there, as a parameter names it."""
    if name not in table.columns:
        headings = [heading for heading in table.columns if heading]
        raise DocumentError(
            f"{table.grid.place}: there is no column {name!r}; the columns are {list_names(headings, limit=12)}."
            f"{suggest(name, headings)}",
            value=name,
            **located(table.grid.place, parameter),
        )
    return name


def _worker(table: Table, layout: SheetLayout, column: JudgmentColumn, row: int) -> str:
    if layout.shape == "sheets":
        return table.grid.title.strip()
    if layout.worker is None:
        return column.worker or "judgment 0"
    name = table.name(row, layout.worker)
    if not name:
        raise DocumentError(
            f"{table.where(row, layout.worker)}: there is no name of a rater; write one.",
            **located(table.where(row, layout.worker)),
        )
    return name


def _object_column(table: Table, object_column: str | None, rater: str | None) -> str:
    if object_column is not None:
        return need(table, object_column, "object")
    return _called(table, SYNONYMS["object"]) or _first(table, rater)


def _first(table: Table, rater: str | None) -> str:
    return next((name for name in table.columns if name != rater), next(iter(table.columns)))


def _rater_column(table: Table, worker: str | None, object_column: str | None) -> str | None:
    column = _called(table, _RATERS) if worker is None else need(table, worker, "worker")
    return None if column == object_column else column


def _called(table: Table, names: Sequence[str]) -> str | None:
    """The column with one of some names; the first name wins."""
    return next((head for name in names for head in table.columns if head.casefold() == name), None)


def _is_own(value: object) -> bool:
    return not is_blank(value) and not isinstance(value, Spread)


def _heading(value: object, place: str) -> str:
    if isinstance(value, Spread):
        raise DocumentError(
            f"{place}: the headings must not be merged; write one into each column.",
            value=value.value,
            **located(place),
        )
    if isinstance(value, Unusable):
        raise DocumentError(f"{place}: {value.message}.", value=value.value, **located(place))
    return "" if value is None else str(value).strip()


def _check_lengths(table: Table) -> None:
    """In a file of text, what goes on behind the last heading is a text that was cut in two."""
    width = len(table.grid.rows[table.head])
    for row in table.rows if not table.grid.cells else ():
        if any(not is_blank(value) for value in table.grid.rows[row][width:]):
            raise DocumentError(
                f"{table.grid.where(row, 0)}: {len(table.grid.rows[row])} cells where the heading has {width}; a text "
                "with a separator in it must stand in quotation marks.",
                **located(table.grid.where(row, 0)),
            )


def check_shape(shape: str | None) -> None:
    """Raise DocumentError where there is no such shape."""
    if shape is not None and shape not in SHEET_SHAPES:
        raise DocumentError(
            f"shape must be one of {list_names(SHEET_SHAPES)}, not {quote_value(shape)}.", value=shape, column="shape"
        )
