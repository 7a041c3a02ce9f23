"""Potato: what its users said read, and projects with their configuration and data written for it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from manyjudges.base import documents
from manyjudges.base.messages import list_names
from manyjudges.connectors.place import located
from manyjudges.connectors.potato.answers import raw_answers
from manyjudges.connectors.potato.files import (
    ANSWERS,
    LABELS,
    OBJECTS,
    SCHEME_SEPARATOR,
    WORKERS,
    files_of,
    likely,
    records,
)
from manyjudges.connectors.potato.projects import folder_of
from manyjudges.connectors.registry import WRITE_ONLY, Connector, ConnectorOption
from manyjudges.connectors.requests import Requests, as_requests
from manyjudges.connectors.rows import Questions
from manyjudges.connectors.selection import (
    ATTRIBUTES_OPTION,
    REPEATED_OPTION,
    AttributeSelection,
    RowWithAnswer,
    check_repeated,
    judgments_from,
    source_of,
)
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.formats.paths import StrPath

if TYPE_CHECKING:
    import pandas as pd

    from manyjudges.tables.judgments import Judgments

__all__ = ["CONNECTOR", "detects", "read", "write"]

_MUCH = 1 << 16
"""How much of a file is looked at to tell whose it is."""


def read(
    path: StrPath | Sequence[StrPath],
    *,
    questions: Questions | None = None,
    object: str | None = None,
    rename: Mapping[str, str] | None = None,
    attributes: Sequence[str] | None = None,
    repeated: str | None = None,
) -> Judgments:
    """The judgments that Potato has kept.

    Parameters
    ----------
    path : path or sequence of paths
        A folder with what Potato has written, such as that of ``output_annotation_dir`` or one with several projects in
        it; or files of it: ``user_state.json``, ``annotated_instances.*`` of older versions, ``annotations.*`` as
        newer versions export them.
    questions : mapping, optional
        Of the study that they belong to: answers are checked against them, and only those to them are taken.
    object : str, optional
        The column or field of a table that names the object, where that is not the id.
    rename : mapping, optional
        From names that schemes have in Potato to those that attributes have here.
    attributes : sequence of str, optional
        The schemes to take, by their names there or here; ``"traits.tall"`` for one box of a list, or one row of a
        matrix of ratings. All that the questions know, or all, unless given.
    repeated : {"first", "last"}, optional
        Which judgment to take, in the order of the files, where a user judged the same differently in two of them;
        that is an error unless given.

    Raises
    ------
    DocumentError
        Where a file cannot be understood.
    JudgmentsError
        Where an answer is none, or somebody judged the same twice; the message says where.
    """
    check_repeated(repeated)
    selection = AttributeSelection.of(attributes, questions, rename)
    labelled = [record for file in files_of(path) for record in records(file, selection, object)]
    schemes = frozenset(scheme for record in labelled for scheme in record.labels)
    answers = [answer for record in labelled for answer in raw_answers(record, selection, schemes, questions)]
    return judgments_from(
        answers,
        selection,
        questions,
        source_of(path),
        choose=partial(_choose, repeated=repeated),
        explain_none=partial(_why_none, schemes),
    )


def write(requests: Requests | pd.DataFrame, path: StrPath, *, site: str | None = None) -> None:
    """Write a folder of projects that Potato runs as they are: to each its configuration, its data and its pictures.

    A project asks all of its questions about each of its objects, and as many people for each, so there is one for
    every number of judgments. ``projects.csv`` lists them.

    Parameters
    ----------
    requests : Requests or DataFrame
    path : path
        A folder that is not there yet, or is empty.
    site : str, optional
        The address under which the pictures of the study's folder can be seen, such as
        ``"https://example.org/pictures"``. Unless given, the pictures are copied into the projects.
    """
    documents.write_folder(path, folder_of(as_requests(requests), site=site))


def detects(path: Path) -> bool:
    """Whether a file or a folder is plainly one of Potato's; never raises."""
    try:
        if path.is_dir():
            return any(detects(file) for file in likely(path))
        with open(path, "rb") as file:
            text = file.read(_MUCH).decode("utf-8-sig", errors="replace")
    except OSError:
        return False
    if text.lstrip().startswith("{"):
        return _is_state(text) or _is_record(text.lstrip().split("\n", 1)[0])
    return path.suffix.lower() in (".csv", ".tsv") and _is_heading(text.split("\n", 1)[0].rstrip("\r"))


def _is_state(text: str) -> bool:
    return '"user_id"' in text and any(f'"{key}"' in text for key in (LABELS, "instance_id_ordering"))


def _is_record(line: str) -> bool:
    """Whether the first line of a file is one of its records; older ones say nothing about the user."""
    try:
        tree = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if ANSWERS[0] in tree or isinstance(tree.get(ANSWERS[2]), dict):
        return any(key in tree for key in OBJECTS)
    return {OBJECTS[0], WORKERS[0]} <= set(tree) and isinstance(tree.get(ANSWERS[1]), dict)


def _is_heading(line: str) -> bool:
    try:
        cells = next(csv.reader([line], delimiter="\t" if line.count("\t") > line.count(",") else ","), [])
    except csv.Error:
        return False
    if {OBJECTS[0], WORKERS[1]} <= set(cells):
        return any(SCHEME_SEPARATOR in cell for cell in cells)
    return cells[:2] == [OBJECTS[0], WORKERS[0]] and any("." in cell for cell in cells)


def _choose(one: RowWithAnswer, other: RowWithAnswer, repeated: str | None) -> RowWithAnswer:
    before, row = one[0], other[0]
    if before.value == row.value:  # several files may say the same
        return one
    if repeated is None:
        raise JudgmentsError(
            f"{before.place} and {row.place}: {row.worker!r} judged {row.attribute!r} of {row.object!r} in both, "
            f"as {before.value:g} and {row.value:g}. Leave one out, or choose by the order of the files: "
            'repeated="first" or repeated="last" (--repeated).',
            value=row.worker,
            **located(row.place, row.attribute),
        )
    return other if repeated == "last" else one


def _why_none(schemes: Iterable[str]) -> str:
    return (
        f" that are wanted. Its schemes are {list_names(sorted(schemes), limit=12) or 'none'}; say which attribute one "
        "of them is by rename= (--rename)."
    )


CONNECTOR = Connector(
    "potato",
    output="a folder",
    read=read,
    write=write,
    detects=detects,
    options={
        "attributes": ATTRIBUTES_OPTION,
        "repeated": REPEATED_OPTION,
        "site": ConnectorOption(
            "text",
            "The web address of the study's pictures; by default they are copied into the projects",
            on=WRITE_ONLY,
        ),
    },
)
"""What the registry of connectors holds of this tool."""
