"""Spreadsheets: wide tables of judgments read from Excel, CSV and TSV files, and forms for raters written.

Three shapes are understood: one column per attribute and judgment, one sheet (or file) per rater, and one row per
object and rater.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from manyjudges.base import documents
from manyjudges.base.messages import list_names
from manyjudges.connectors.delimited import ARCHIVE
from manyjudges.connectors.excel import ENDINGS, read_workbook
from manyjudges.connectors.grid import Grid, read_separated
from manyjudges.connectors.place import located
from manyjudges.connectors.registry import WRITE_ONLY, Connector, ConnectorOption
from manyjudges.connectors.requests import Requests, as_requests
from manyjudges.connectors.rows import Questions, paths_of
from manyjudges.connectors.selection import ATTRIBUTES_OPTION, AttributeSelection, judgments_from, source_of
from manyjudges.connectors.spreadsheet.forms import separated_form, shared, workbook_form
from manyjudges.connectors.wide import (
    QUESTION,
    SHEET_SHAPES,
    SheetLayout,
    Table,
    check_shape,
    column_of,
    is_wide,
    layout_of,
    raw_answers,
    table_of,
)
from manyjudges.exceptions import DocumentError, ManyJudgesError
from manyjudges.tables.columns import SYNONYMS
from manyjudges.tables.formats.paths import StrPath
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.values import Place

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CONNECTOR", "detects", "read", "write"]

_SEPARATED = (".csv", ".tsv", ".tab", ".txt")


def read(
    path: StrPath | Sequence[StrPath],
    *,
    questions: Questions | None = None,
    object: str | None = None,
    rename: Mapping[str, str] | None = None,
    attributes: Sequence[str] | None = None,
    shape: str | None = None,
    worker: str | None = None,
    workers: bool = True,
    sheets: Sequence[str] | None = None,
    heading: int | None = None,
) -> Judgments:
    """The judgments in spreadsheets.

    Parameters
    ----------
    path : path or sequence of paths
        Excel workbooks (.xlsx, .xlsm), or tables of text (.csv, .tsv).
    questions : mapping, optional
        Of the study that they belong to: answers are checked against them, and only columns of them are taken.
    object : str, optional
        The column that names the object; unless given, one that is called object, item, task or unit, or the first.
    rename : mapping, optional
        From names that attributes have in the file to those that they have here.
    attributes : sequence of str, optional
        The attributes to take, by their names in the file or here; all that the questions know, or all, unless given.
    shape : {"wide", "sheets", "rows"}, optional
        One column per attribute and judgment (``tall 1``, ``tall (Ann)``); one sheet or file per rater, with
        the name of the rater; or one row per object and rater. Unless given, it is told from the headings.
    worker : str, optional
        The column that names the rater, where there is a row per object and rater.
    workers : bool
        Whether raters are told apart. With False they are not known, so that columns with the same number need not be
        of the same person.
    sheets : sequence of str, optional
        The sheets of a workbook to read; all that can be seen and have a table, unless given.
    heading : int, optional
        The row with the headings; the first that has two of them, unless given.

    Raises
    ------
    DocumentError
        Where a file cannot be understood.
    JudgmentsError
        Where a cell holds no judgment; the message names it.
    """
    check_shape(shape)
    shape = "rows" if worker is not None and shape is None else shape
    selection = AttributeSelection.of(attributes, questions, rename)
    source = source_of(path)
    tables = [table for grid in _grids(path, sheets) if (table := table_of(grid, heading)) is not None]
    if not tables:
        raise DocumentError(
            f"{source}: there is no table in it; a row must name the columns, at least two.", file=source
        )
    read_as = [layout_of(table, selection, shape=shape, object_column=object, worker=worker) for table in tables]
    _check_raters(tables, read_as, shape, workers)
    answers = [answer for pair in zip(tables, read_as, strict=True) for answer in raw_answers(*pair)]
    if workers:
        return judgments_from(answers, selection, questions, source)
    # Where nobody is told apart, every cell has a rater of its own.
    answers = [replace(answer, worker=answer.place) for answer in answers]
    return _anonymous(judgments_from(answers, selection, questions, source))


def write(requests: Requests | pd.DataFrame, path: StrPath, *, raters: Sequence[str] | None = None) -> None:
    """Write a form for raters: a workbook with a sheet for each, or a table with rows for each.

    What wants fewer judgments than there are raters is shared out, so that all have about as much to do.

    Parameters
    ----------
    requests : Requests or DataFrame
    path : path
        Ends in .xlsx, .csv or .tsv.
    raters : sequence of str, optional
        Their names; ``Rater 1`` and so on, as many as the largest number of judgments that is wanted, unless given.
    """
    requests, where = as_requests(requests), Path(path)
    kind = where.suffix.lower()
    if kind not in (".xlsx", ".csv", ".tsv"):
        raise DocumentError(f"a form for raters is an .xlsx, .csv or .tsv file, not {where.name!r}.", file=where.name)
    tasks = shared(requests, raters)
    documents.write(path, workbook_form(requests, tasks) if kind == ".xlsx" else separated_form(requests, tasks, kind))


def detects(path: Path) -> bool:
    """Whether a file is a workbook, a form of ours, or a table with several columns per attribute; never raises."""
    kind = path.suffix.lower()
    try:
        if kind in ENDINGS:
            with open(path, "rb") as file:
                return file.read(4) == ARCHIVE
        if kind not in _SEPARATED:
            return False
        table = table_of(read_separated(path))
    except (ManyJudgesError, OSError):
        return False
    if table is None or {name.casefold() for name in table.columns} & {*SYNONYMS["attribute"], "task", "timestamp"}:
        return False
    if any(QUESTION in table.grid.rows[row] for row in table.rows[:1]):
        return True  # a form of ours
    columns = [column_of(name, AttributeSelection({})) for name in list(table.columns)[1:]]
    return is_wide(columns) and sum(column.worker is not None for column in columns) * 2 > len(columns)


def _grids(path: StrPath | Sequence[StrPath], sheets: Sequence[str] | None) -> Iterator[Grid]:
    paths = paths_of(path)
    if not paths:
        raise DocumentError("there is no file to read; name one or more.", column="path")
    for file in paths:
        if file.suffix.lower() == ".xls":
            raise DocumentError(
                f"{file.name}: this is the format of Excel before 2007; save it as .xlsx.", file=file.name
            )
        if file.suffix.lower() not in ENDINGS:
            yield read_separated(file, form=True)
            continue
        yield from _chosen(file.name, read_workbook(file), sheets)


def _chosen(file: str, grids: Sequence[Grid], sheets: Sequence[str] | None) -> Iterator[Grid]:
    names = [sheets] if isinstance(sheets, str) else sheets
    there = [grid.title for grid in grids]
    missing = [name for name in names or () if name not in there]
    if missing:
        raise DocumentError(
            f"{file}: there is no sheet {list_names(missing)}; its sheets are {list_names(there, limit=12)}.",
            file=file,
            value=missing[0],
            column="sheets",
        )
    return (grid for grid in grids if names is None or grid.title in names)


def _check_raters(tables: Sequence[Table], layouts: Sequence[SheetLayout], shape: str | None, workers: bool) -> None:
    """A single table with one judgment per object does not say whose they are."""
    if shape is None and workers and len(tables) == 1 and layouts[0].shape == "sheets" and not tables[0].has_questions:
        grid = tables[0].grid
        raise DocumentError(
            f"{grid.place}: whose judgments are these? No column names the rater, and no attribute has several "
            f"columns, such as 'tall 1' and 'tall 2'. If all are those of {grid.title!r}, say shape='sheets' (--option "
            "shape=sheets); if a column names the rater, say which (worker=, --option worker=NAME); if nobody is "
            "known, say workers=False (--option workers=no).",
            **located(grid.place),
        )


def _anonymous(judgments: Judgments) -> Judgments:
    frame = judgments.to_frame()
    columns = {name: frame[name].to_numpy() for name in ("object", "attribute", "value")}
    return Judgments.from_columns(columns, lambda _: Place(judgments.source), source=judgments.source)


CONNECTOR = Connector(
    "spreadsheet",
    output="an .xlsx or .csv file",
    read=read,
    write=write,
    detects=detects,
    options={
        "attributes": ATTRIBUTES_OPTION,
        "shape": ConnectorOption(
            "text", "How the table is laid out; by default told from its headings", choices=SHEET_SHAPES
        ),
        "worker": ConnectorOption("text", "The column that names the rater, where there is a row per object and rater"),
        "workers": ConnectorOption("yes or no", "Whether raters are told apart; default: yes"),
        "sheets": ConnectorOption("text", "A sheet of the workbook to read; by default all visible ones", several=True),
        "heading": ConnectorOption("whole number", "The row with the headings; by default the first with two of them"),
        "raters": ConnectorOption("text", "A rater's name; by default Rater 1 and so on", several=True, on=WRITE_ONLY),
    },
)
"""What the registry of connectors holds of this tool."""
