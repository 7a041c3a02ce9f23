"""cleanlab: its wide tables, a row an example and a column an annotator, in and out.

cleanlab looks at judgments instead of collecting them, so what is written is judgments. Its labels are classes, the
whole numbers from 0; a table has those of one attribute.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from manyjudges.base.messages import list_names, quote_value
from manyjudges.connectors.grid import read_separated
from manyjudges.connectors.place import RecordPlace, located
from manyjudges.connectors.registry import READ_AND_WRITE, Connector, ConnectorOption
from manyjudges.connectors.rows import Questions, Row, check_known, judgments_of, value_of
from manyjudges.connectors.wide import Table, answer, need, table_of
from manyjudges.exceptions import DocumentError, JudgmentsError, ManyJudgesError
from manyjudges.tables import files
from manyjudges.tables.formats.paths import StrPath
from manyjudges.tables.grammar import is_missing

if TYPE_CHECKING:
    from manyjudges.tables.judgments import Judgments

__all__ = ["CONNECTOR", "classes_of", "detects", "from_frame", "read", "to_frame", "write"]

_MOST_CLASSES = 100
"""More values than these are no classes."""

_OF, _CLASSES = "objects of", "classes"
"""What the heading of the first column says, as JSON: of which attribute the table is, and the value of each class."""

_ClassLabel = tuple[str, str, Any, str]
"""Object, annotator, class, and where it stands."""


def read(
    path: StrPath | Sequence[StrPath] | pd.DataFrame,
    *,
    questions: Questions | None = None,
    object: str | None = None,
    rename: Mapping[str, str] | None = None,
    attribute: str | None = None,
    classes: Sequence[float] | None = None,
) -> Judgments:
    """The judgments in a table of cleanlab.

    Parameters
    ----------
    path : path, sequence of one path, or DataFrame
        A table with commas or tabs whose first column names the examples; or the table itself, with examples in its
        index.
    questions : mapping, optional
        Of the study that they belong to: values are checked against them.
    object : str, optional
        The column that names the example; the first, or the index of a DataFrame, unless given.
    rename : mapping, optional
        From the name that the attribute has in the file to that which it has here.
    attribute : str, optional
        The attribute that the table is about. What :func:`write` and :func:`to_frame` made knows it.
    classes : sequence of float, optional
        The value of class 0, of class 1 and so on. What :func:`write` and :func:`to_frame` made knows it; for other
        tables a class is its own value, unless given.
    """
    heading: Mapping[Any, Any]
    if isinstance(path, pd.DataFrame):
        source, heading, answers = "the table", path.attrs, list(_in_frame(path, object))
    else:
        table = _table(path)
        source, heading, answers = (
            table.grid.place,
            _parsed_heading(next(iter(table.columns))),
            list(_in_file(table, object)),
        )
    only = next(iter(questions)) if questions is not None and len(questions) == 1 else None
    name = attribute or heading.get(_OF) or only
    if name is None:
        raise JudgmentsError(
            f"{source}: which attribute is it about? Say attribute='tall', or --attribute tall.",
            file=source,
            column="attribute",
        )
    name = (rename or {}).get(name, name)
    values = classes if classes is not None else heading.get(_CLASSES)
    rows = (_row(answer_, name, values, questions) for answer_ in answers)
    return judgments_of(check_known(rows, questions), source)


def from_frame(frame: pd.DataFrame, attribute: str | None = None, **options: Any) -> Judgments:
    """The judgments in a table as cleanlab takes it; options as those of :func:`read`.

    >>> labels = pd.DataFrame({"ann": [1, 0], "bob": [0, np.nan]}, index=["a", "b"])
    >>> from_frame(labels, "tall").counts()
    attribute  tall
    object
    a             2
    b             1
    """
    return read(frame, attribute=attribute, **options)


def to_frame(
    judgments: Judgments, attribute: str | None = None, *, classes: Sequence[float] | None = None
) -> pd.DataFrame:
    """Judgments of an attribute as ``labels_multiannotator``: objects by workers, classes in it, NaN for none.

    Objects that nobody has judged and workers who have judged nothing are left out, as cleanlab takes neither.

    Parameters
    ----------
    judgments : Judgments
    attribute : str, optional
        Needed where there are several.
    classes : sequence of float, optional
        The values that become class 0, class 1 and so on; as :func:`classes_of` has them, unless given.

    Returns
    -------
    DataFrame
        Its ``attrs`` say of which attribute it is, and the value of each class, which :func:`from_frame` understands.
    """
    if not len(judgments.workers):
        raise JudgmentsError(
            "nobody knows who gave these judgments; cleanlab needs its annotators' names.", column="worker"
        )
    name = _only_one(judgments, attribute)
    values = list(classes_of(judgments, name) if classes is None else classes)
    frame = judgments.only([name]).to_frame()
    strange = [value for value in frame["value"].unique() if value not in values]
    if strange:
        raise JudgmentsError(
            f"classes= has none for {list_names(strange)}, which are judgments of {name!r}.",
            value=strange[0],
            column="classes",
        )
    frame["value"] = frame["value"].map({value: at for at, value in enumerate(values)}).astype(float)
    wide = frame.pivot(index="object", columns="worker", values="value")
    wide.attrs = {_OF: name, _CLASSES: [float(value) for value in values]}
    return wide


def classes_of(judgments: Judgments, attribute: str | None = None) -> tuple[float, ...]:
    """The values that become class 0, class 1 and so on.

    They are the whole numbers from 0 to the largest, where all values are whole and the smallest is 0, so that a class
    is its own value; 0 and 1 for yes and no, even if all said yes; otherwise the values that there are, in their order.
    """
    name = _only_one(judgments, attribute)
    values = sorted({float(value) for value in judgments.only([name]).to_frame()["value"]})
    are_classes = values[0] == 0 and all(value.is_integer() for value in values) and values[-1] < _MOST_CLASSES
    if are_classes or values == [1.0]:
        return tuple(float(value) for value in range(max(int(values[-1]), 1) + 1))
    if len(values) > _MOST_CLASSES:
        raise JudgmentsError(
            f"judgments of {name!r} have {len(values):,} different values, which are no classes; round them first.",
            value=len(values),
            column=name,
        )
    return tuple(values)


def write(
    judgments: Judgments, path: StrPath, *, attribute: str | None = None, classes: Sequence[float] | None = None
) -> None:
    """Write judgments of an attribute as a table for cleanlab.

    The heading of its first column says the attribute and the value of each class, so that :func:`read` gets the values
    back; ``pandas.read_csv(path, index_col=0)`` is what cleanlab takes.

    Parameters
    ----------
    judgments : Judgments
    path : path
        Ends in .csv or .tsv.
    attribute, classes
        As for :func:`to_frame`.
    """
    if Path(path).suffix.lower() not in (".csv", ".tsv"):
        raise DocumentError(
            f"a table for cleanlab is a .csv or .tsv file, not {Path(path).name!r}.", file=Path(path).name
        )
    wide = to_frame(judgments, attribute, classes=classes)
    heading = json.dumps({_OF: wide.attrs[_OF], _CLASSES: wide.attrs[_CLASSES]}, ensure_ascii=False)
    flat = wide.astype("Int64").rename_axis(index=heading, columns=None).reset_index()
    flat.columns = pd.Index([str(name) for name in flat.columns])
    files.write_table(path, flat)


def detects(path: Path) -> bool:
    """Whether a file is one that :func:`write` made, as others cannot be told from other tables; never raises."""
    try:
        table = table_of(read_separated(path)) if path.suffix.lower() in (".csv", ".tsv") else None
        return table is not None and bool(_parsed_heading(next(iter(table.columns))))
    except (ManyJudgesError, OSError):
        return False


def _only_one(judgments: Judgments, attribute: str | None) -> str:
    if attribute is not None:
        judgments.only([attribute])  # raises where nobody has judged it
        return attribute
    if len(judgments.attributes) > 1:
        raise JudgmentsError(
            f"a table of cleanlab is about one attribute; say which one of "
            f"{list_names(judgments.attributes, limit=12)}: "
            "attribute='tall', or --attribute tall.",
            column="attribute",
        )
    return judgments.attributes[0]


def _table(path: StrPath | Sequence[StrPath]) -> Table:
    paths = [path] if not isinstance(path, Sequence) or isinstance(path, str) else list(path)
    if len(paths) != 1:
        raise DocumentError(
            f"a table of cleanlab is about one attribute; read one file at a time, not {len(paths)}.",
            value=paths,
            column="path",
        )
    where = Path(paths[0])
    grid = read_separated(where)
    table = table_of(grid, grid.lines[0] if grid.lines else None)
    if table is None:
        raise DocumentError(
            f"{where.name}: there is no table in it; its first line must name the annotators.", file=where.name
        )
    return table


def _parsed_heading(heading: str) -> dict[str, Any]:
    """What the heading of the first column says, where we wrote it."""
    try:
        document = json.loads(heading)
        parsed = {_OF: str(document[_OF]), _CLASSES: [float(value) for value in document[_CLASSES]]}
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
    return parsed


def _in_file(table: Table, object_column: str | None) -> Iterator[_ClassLabel]:
    column = next(iter(table.columns)) if object_column is None else need(table, object_column, "object")
    for row in table.rows:
        for worker in table.columns:
            value = None if worker == column else answer(table.value(row, worker))
            if value is None:
                continue
            name = table.name(row, column)
            if not name:
                raise DocumentError(
                    f"{table.where(row, worker)}: there is a label, but no example is named.",
                    **located(table.where(row, worker)),
                )
            yield name, worker, value, table.where(row, worker)


def _in_frame(frame: pd.DataFrame, object_column: str | None) -> Iterator[_ClassLabel]:
    wide = frame if object_column is None else frame.set_index(object_column)
    if wide.index.has_duplicates:
        twice = wide.index[wide.index.duplicated()][0]
        raise JudgmentsError(
            f"the table has the example {quote_value(twice)} more than once; each has one row.",
            row=str(twice),
            value=twice,
            column="object",
        )
    for name, *cells in wide.itertuples(name=None):
        for worker, value in zip(wide.columns, cells, strict=True):
            if not is_missing(value):
                place = f"example {quote_value(name)}, annotator {quote_value(worker)}"
                yield str(name), str(worker), value, RecordPlace(place, row=str(name), column=str(worker))


def _row(label: _ClassLabel, name: str, classes: Sequence[float] | None, questions: Questions | None) -> Row:
    example, worker, written, place = label
    value = written
    if classes is not None:
        number = value_of(written, name, place)
        if not math.isfinite(number) or number not in range(len(classes)):
            raise JudgmentsError(
                f"{place}: {quote_value(written)} is no class; there are {len(classes)}, from 0 to "
                f"{len(classes) - 1}, with "
                f"the values {list_names(classes, limit=12)}.",
                value=written,
                **located(place),
            )
        value = classes[int(number)]
    return Row(example, name, worker, value_of(np.asarray(value).item(), name, place, questions), place)


CONNECTOR = Connector(
    "cleanlab",
    output="a .csv or .tsv file",
    read=read,
    write=write,
    detects=detects,
    writes="judgments",
    options={
        "attribute": ConnectorOption("text", "The attribute that the table is about", on=READ_AND_WRITE),
        "classes": ConnectorOption(
            "number", "The value of class 0, of class 1 and so on", several=True, on=READ_AND_WRITE
        ),
    },
)
"""What the registry of connectors holds of this tool."""
