"""Label Studio: exports of annotations read, projects (tasks and labelling configurations) written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from manyjudges.base import documents
from manyjudges.base.formatting import plural
from manyjudges.base.messages import list_names
from manyjudges.connectors.label_studio.annotations import ANNOTATIONS, Annotation, latest, read_annotations
from manyjudges.connectors.label_studio.answers import raw_answers
from manyjudges.connectors.label_studio.projects import folder
from manyjudges.connectors.place import located
from manyjudges.connectors.registry import WRITE_ONLY, Connector, ConnectorOption
from manyjudges.connectors.requests import Requests, as_requests
from manyjudges.connectors.rows import Questions, paths_of
from manyjudges.connectors.selection import (
    ATTRIBUTES_OPTION,
    REJECTED_OPTION,
    REPEATED_OPTION,
    AttributeSelection,
    RowWithAnswer,
    check_repeated,
    judgments_from,
    source_of,
)
from manyjudges.exceptions import DocumentError, JudgmentsError
from manyjudges.tables.formats.paths import StrPath

if TYPE_CHECKING:
    import pandas as pd

    from manyjudges.tables.judgments import Judgments

__all__ = ["CONNECTOR", "detects", "read", "write"]

_HEAD = 1 << 16
"""How many bytes of a file tell whether it is an export."""

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[\[\]{}:]', re.DOTALL)


def read(
    path: StrPath | Sequence[StrPath],
    *,
    questions: Questions | None = None,
    object: str | None = None,
    rename: Mapping[str, str] | None = None,
    attributes: Sequence[str] | None = None,
    rejected: bool = False,
    ground_truth: bool = False,
    repeated: str | None = None,
) -> Judgments:
    """The judgments in exports of Label Studio.

    Parameters
    ----------
    path : path or sequence of paths
        Exports as JSON (or JSON-MIN, which says less). An annotation that is in several files counts once, as it was
        changed last.
    questions : mapping, optional
        Of the study that they belong to: answers are checked against them, and only those to them are taken.
    object : str, optional
        The field of a task that names the object; ``"id"`` for the task's number. Needed only where a task has several
        and none is called ``object``.
    rename : mapping, optional
        From names that controls or attributes have in the file to those that they have here.
    attributes : sequence of str, optional
        The controls to take, by their names in the file or here; all choices, ratings and numbers, unless given.
    rejected : bool
        Whether to take annotations that reviewers of Label Studio Enterprise rejected.
    ground_truth : bool
        Whether to take annotations that are marked as ground truth.
    repeated : {"first", "last"}, optional
        Which judgment to take where a worker judged the same in two annotations; that is an error unless given.

    Raises
    ------
    DocumentError
        Where a file cannot be understood.
    JudgmentsError
        Where an answer is none, or somebody judged the same twice; the message says where.
    """
    check_repeated(repeated)
    selection = AttributeSelection.of(attributes, questions, rename)
    files = paths_of(path)
    if not files:
        raise DocumentError("there is no file to read; name one or more.", column="path")
    exports = latest([read_annotations(file) for file in files])
    answers = [
        answer
        for annotations in exports
        for answer in raw_answers(_kept(annotations, rejected, ground_truth), selection, object)
    ]
    every = [annotation for annotations in exports for annotation in annotations]
    return judgments_from(
        answers,
        selection,
        questions,
        source_of(files),
        choose=partial(_choose, repeated=repeated),
        explain_none=partial(_why_none, selection, every),
    )


def write(requests: Requests | pd.DataFrame, path: StrPath, *, site: str | None = None) -> None:
    """Write a folder with all that Label Studio needs: for each project a labelling configuration, and its tasks.

    A project has one configuration, and one number of annotations for all of its tasks. So there is a project for each
    number of judgments and each set of attributes that objects want so many of. ``projects.csv`` lists them, and
    ``README.md`` says what to do.

    Parameters
    ----------
    requests : Requests or DataFrame
    path : path
        A folder that is not there yet, or is empty.
    site : str, optional
        Where Label Studio finds the pictures of the study's folder: a web address, such as
        ``"https://example.org/pictures"``, or a folder of its local files, such as ``"/data/local-files/?d=pictures"``.
        They are written into the tasks unless given.
    """
    documents.write_folder(path, folder(as_requests(requests), site=site))


def detects(path: Path) -> bool:
    """Whether a file is plainly an export of Label Studio; never raises."""
    try:
        with open(path, "rb") as file:
            start = file.read(_HEAD).decode("utf-8-sig", errors="replace")
    except OSError:
        return False
    keys = _first_keys(start)
    return bool("data" in keys and keys & {*ANNOTATIONS}) or keys >= {"annotator", "annotation_id", "lead_time"}


def _first_keys(text: str) -> set[str]:
    """The keys of the first object in a list of JSON, as far as the text goes."""
    if not re.match(r"\s*\[\s*\{", text):
        return set()
    keys: set[str] = set()
    depth, before = 0, ""
    for piece in (match[0] for match in _PIECE.finditer(text)):
        depth += (piece in "[{") - (piece in "]}")
        if depth < 2 and piece == "}":  # the first object has ended
            break
        if piece == ":" and depth == 2:
            keys.add(_unquoted(before))
        before = piece
    return keys


def _unquoted(piece: str) -> str:
    try:
        return str(json.loads(piece))
    except ValueError:
        return ""


def _kept(every: Sequence[Annotation], rejected: bool, ground_truth: bool) -> list[Annotation]:
    """Annotations that count."""
    return [
        annotation
        for annotation in every
        if not annotation.cancelled
        and (rejected or not annotation.rejected)
        and (ground_truth or not annotation.ground_truth)
    ]


def _choose(one: RowWithAnswer, other: RowWithAnswer, repeated: str | None) -> RowWithAnswer:
    (row, before), (after_row, after) = one, other
    if before.record is after.record:
        raise JudgmentsError(
            f"{row.place}: {row.attribute!r} of {row.object!r} is answered twice in one annotation, as "
            f"{before.attribute!r} and {after.attribute!r}; a judgment is of the whole object, not of its regions. "
            "Take other controls (attributes=).",
            **located(row.place, row.attribute),
        )
    if repeated is None:
        raise JudgmentsError(
            f"{row.place} and {after_row.place}: the worker {row.worker!r} judged {row.attribute!r} of {row.object!r} "
            'in both. Leave one out, or choose by the time of their last change: repeated="first" or repeated="last" '
            "(--repeated).",
            value=row.worker,
            **located(after_row.place, row.attribute),
        )
    times = [answer.record.changed for answer in (before, after)]
    if times[0] is None or times[1] is None:
        place = (row if times[0] is None else after_row).place
        raise DocumentError(
            f"{place}: there is no updated_at or created_at, which is needed to choose the {repeated}.",
            **located(place, "updated_at"),
        )
    return other if (times[1] >= times[0]) == (repeated == "last") else one


def _why_none(selection: AttributeSelection, every: Sequence[Annotation]) -> str:
    """What there is instead of judgments."""
    controls = sorted({a.attributes.get(result.control, result.control) for a in every for result in a.results})
    if controls and selection.names is not None and not any(selection.includes(name) for name in controls):
        return (
            f". It has no answers for {list_names(sorted(selection.names), limit=6)}; its answers are "
            f"{list_names(controls, limit=12)}. Say what they are called here (--rename)."
        )
    cancelled, rejected, truths = (
        sum(getattr(annotation, name) for annotation in every) for name in ("cancelled", "rejected", "ground_truth")
    )
    return (
        f". It has {plural(len(every), 'annotation')}, of which {cancelled} were cancelled, {rejected} were rejected "
        f"(rejected=True or --rejected takes them), and {truths} are ground truth (ground_truth=True or --option "
        "ground_truth=yes takes them)."
    )


CONNECTOR = Connector(
    "label-studio",
    output="a folder",
    read=read,
    write=write,
    detects=detects,
    options={
        "attributes": ATTRIBUTES_OPTION,
        "rejected": REJECTED_OPTION,
        "ground_truth": ConnectorOption(
            "yes or no", "Whether to read annotations that are marked as ground truth; default: no"
        ),
        "repeated": REPEATED_OPTION,
        "site": ConnectorOption(
            "text",
            "Where Label Studio finds the pictures; by default they are written into the tasks",
            on=WRITE_ONLY,
        ),
    },
)
"""What the registry of connectors holds of this tool."""
