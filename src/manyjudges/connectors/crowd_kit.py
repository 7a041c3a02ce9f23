"""crowd-kit: its tables of ``task``, ``worker`` and ``label``, in and out.

crowd-kit looks at judgments instead of collecting them, so what is written is judgments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.connectors.delimited import Record, read_sheet
from manyjudges.connectors.place import RecordPlace, located
from manyjudges.connectors.registry import READ_AND_WRITE, Connector, ConnectorOption
from manyjudges.connectors.rows import Questions, Row, check_known, judgments_of, paths_of, value_of
from manyjudges.connectors.selection import ATTRIBUTES_OPTION, source_of
from manyjudges.exceptions import DocumentError, JudgmentsError, ManyJudgesError
from manyjudges.tables import files
from manyjudges.tables.formats.paths import StrPath
from manyjudges.tables.grammar import is_missing

if TYPE_CHECKING:
    from manyjudges.tables.judgments import Judgments

__all__ = ["CONNECTOR", "detects", "from_frame", "read", "to_frame", "write"]

_TASK, _WORKER, _LABEL, _ATTRIBUTE = "task", "worker", "label", "attribute"
_OLD_WORKER = "performer"
"""What the worker was called before crowd-kit 1.1."""

_LARGEST_INTEGER = 2.0**53
"""Numbers from here on are no counted classes, and may not fit into whole ones."""

_Tabled = tuple[str, Sequence[str], Sequence[Record]]
"""What a table is called in messages, its columns, and its rows."""


def read(
    path: StrPath | Sequence[StrPath] | pd.DataFrame,
    *,
    questions: Questions | None = None,
    object: str | None = None,
    rename: Mapping[str, str] | None = None,
    attributes: Sequence[str] | None = None,
    attribute: str | None = None,
    values: Mapping[str, float] | None = None,
) -> Judgments:
    """The judgments in tables of crowd-kit.

    Parameters
    ----------
    path : path, sequence of paths or DataFrame
        Tables with commas or tabs; or the table itself.
    questions : mapping, optional
        Of the study that they belong to: labels are understood and checked.
    object : str, optional
        The column that names the object; ``task``, unless given.
    rename : mapping, optional
        From names that attributes have in the file to those that they have here.
    attributes : sequence of str, optional
        The attributes to take where the table has a column ``attribute``; otherwise the one that it is about.
    attribute : str, optional
        The attribute that the whole table is about. Needed unless a column says it, or the study has only one.
    values : mapping, optional
        The number that each label stands for, where labels are words: ``{"bad": 0, "good": 1}``.
    """
    names = None if attributes is None else [attributes] if isinstance(attributes, str) else list(attributes)
    if isinstance(path, pd.DataFrame):
        source, tables = "the table", [_of_frame(path)]
    else:
        source, tables = source_of(path), [_of_file(file) for file in paths_of(path)]
    judgments: list[Row] = []
    for place, columns, records in tables:
        roles = _roles(columns, object, place)
        about = _about(attribute, names, questions, roles, place)
        rows = (_row(record, roles, about, rename or {}, values, questions) for record in records)
        judgments.extend(row for row in rows if row is not None)
    if judgments and attribute is None and names is not None:
        judgments = _only(judgments, [(rename or {}).get(name, name) for name in names], source)
    return judgments_of(check_known(judgments, questions), source)


def from_frame(frame: pd.DataFrame, attribute: str | None = None, **options: Any) -> Judgments:
    """The judgments in a table of ``task``, ``worker`` and ``label``; options as those of :func:`read`.

    >>> votes = pd.DataFrame({"task": ["a", "a"], "worker": ["ann", "bob"], "label": [1, 0]})
    >>> from_frame(votes, "tall").means()
    attribute  tall
    object
    a           0.5
    """
    return read(frame, attribute=attribute, **options)


def to_frame(judgments: Judgments, attribute: str | None = None) -> pd.DataFrame:
    """Judgments as crowd-kit takes them: a row a judgment, with ``task``, ``worker`` and ``label``.

    Parameters
    ----------
    judgments : Judgments
    attribute : str, optional
        Which one. Unless given it is all of them, with a further column ``attribute``: crowd-kit does not look at that,
        so aggregate each attribute by itself.
    """
    if not len(judgments.workers):
        raise JudgmentsError(
            "nobody knows who gave these judgments; crowd-kit needs its workers' names.", column="worker"
        )
    chosen = judgments if attribute is None else judgments.only([attribute])
    frame = chosen.to_frame().rename(columns={"object": _TASK, "value": _LABEL})
    if ((frame[_LABEL] == frame[_LABEL].round()) & (frame[_LABEL].abs() < _LARGEST_INTEGER)).all():
        frame[_LABEL] = frame[_LABEL].astype("int64")  # classes are whole numbers, and look like them
    several = attribute is None and len(chosen.attributes) > 1
    return frame[[_TASK, _WORKER, _LABEL, *([_ATTRIBUTE] if several else [])]]


def write(judgments: Judgments, path: StrPath, *, attribute: str | None = None) -> None:
    """Write judgments as a table for crowd-kit.

    Parameters
    ----------
    judgments : Judgments
    path : path
        Ends in .csv or .tsv.
    attribute : str, optional
        As for :func:`to_frame`.
    """
    if Path(path).suffix.lower() not in (".csv", ".tsv"):
        raise DocumentError(
            f"a table for crowd-kit is a .csv or .tsv file, not {Path(path).name!r}.", file=Path(path).name
        )
    files.write_table(path, to_frame(judgments, attribute))


def detects(path: Path) -> bool:
    """Whether a file has the columns ``task``, ``worker`` and ``label``; never raises."""
    if path.suffix.lower() not in (".csv", ".tsv"):
        return False
    try:
        columns = read_sheet(path).columns
    except (ManyJudgesError, OSError):
        return False
    return {_TASK, _LABEL} <= {*columns} and (_WORKER in columns or _OLD_WORKER in columns)


def _of_file(path: Path) -> _Tabled:
    sheet = read_sheet(path)
    return path.name, sheet.columns, sheet.records


def _of_frame(frame: pd.DataFrame) -> _Tabled:
    """A table that is at hand, with the names of its index where the task is one of them."""
    flat = frame.reset_index() if _TASK in frame.index.names else frame
    names = [str(name) for name in flat.columns]
    rows = enumerate(flat.itertuples(index=False, name=None))
    records = [
        Record(RecordPlace(f"row {at} (counting from 0)", row=at + 1), dict(zip(names, cells, strict=True)))
        for at, cells in rows
    ]
    return "the table", names, records


def _roles(columns: Sequence[str], object_column: str | None, source: str) -> dict[str, str]:
    """The columns with the object, the worker, the label, and perhaps the attribute."""
    old = _WORKER not in columns and _OLD_WORKER in columns
    roles = {"object": object_column or _TASK, _WORKER: _OLD_WORKER if old else _WORKER, _LABEL: _LABEL}
    for role, name in roles.items():
        if name not in columns:
            raise DocumentError(
                f"{source}: there is no column {name!r} for the {role}; the columns are "
                f"{list_names(columns, limit=10)}."
                f"{suggest(name, columns)}",
                file=source,
                column=name,
            )
    return roles | ({_ATTRIBUTE: _ATTRIBUTE} if _ATTRIBUTE in columns else {})


def _about(
    attribute: str | None,
    names: Sequence[str] | None,
    questions: Questions | None,
    roles: Mapping[str, str],
    place: str,
) -> str | None:
    """The attribute of a table; None where a column says it."""
    if attribute is not None:
        return attribute
    if _ATTRIBUTE in roles:
        return None
    candidates = list(names or questions or ())
    if len(candidates) == 1:
        return candidates[0]
    choices = f"; it is one of {list_names(candidates, limit=12)}" if candidates else ""
    raise JudgmentsError(
        f"{place}: which attribute are these labels of{choices}? Say attribute='tall', or --attribute tall.",
        file=place,
        column="attribute",
    )


def _row(
    record: Record,
    roles: Mapping[str, str],
    about: str | None,
    rename: Mapping[str, str],
    values: Mapping[str, float] | None,
    questions: Questions | None,
) -> Row | None:
    """One judgment; None where there is no label."""
    label: Any = record.cells[roles[_LABEL]]
    if is_missing(label) or (isinstance(label, str) and not label.strip()):
        return None
    name = _name(record, _ATTRIBUTE) if about is None else about
    name = rename.get(name, name)
    if values is not None:
        label = _meant(label, values, record.place, roles[_LABEL])
    number = value_of(label, name, record.place, questions)
    return Row(_name(record, roles["object"]), name, _name(record, roles[_WORKER]), number, record.place)


def _only(rows: Sequence[Row], names: Sequence[str], source: str) -> list[Row]:
    there = {row.attribute for row in rows}
    missing = [name for name in names if name not in there]
    if missing:
        raise JudgmentsError(
            f"{source}: there are no judgments of {list_names(missing)}, which attributes= names; there are those of "
            f"{list_names(sorted(there), limit=12)}.",
            file=source,
            value=missing[0],
            column="attributes",
        )
    return [row for row in rows if row.attribute in names]


def _meant(label: object, values: Mapping[str, float], place: str, column: str) -> float:
    plain = {str(key).strip().casefold(): value for key, value in values.items()}
    text = str(label).strip().casefold()
    if text not in plain:
        raise JudgmentsError(
            f"{place}: values= does not say what the label {quote_value(label)} stands for.",
            value=label,
            **located(place, column),
        )
    return plain[text]


def _name(record: Record, column: str) -> str:
    value: Any = record.cells[column]
    text = "" if is_missing(value) else str(value).strip()
    if not text:
        raise DocumentError(
            f"{record.place}: {column} is empty; every label needs it.", **located(record.place, column)
        )
    return text


CONNECTOR = Connector(
    "crowd-kit",
    output="a .csv or .tsv file",
    read=read,
    write=write,
    detects=detects,
    writes="judgments",
    options={
        "attributes": ATTRIBUTES_OPTION,
        "attribute": ConnectorOption("text", "The attribute that the whole table is about", on=READ_AND_WRITE),
        "values": ConnectorOption("word=number", "The number that a label stands for, where labels are words"),
    },
)
"""What the registry of connectors holds of this tool."""
