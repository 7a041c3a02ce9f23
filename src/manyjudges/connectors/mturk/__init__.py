"""Mechanical Turk: batch results read, batches of questions written for the requester site, and the live service.

See :mod:`manyjudges.connectors.mturk.live` for what needs an account.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from manyjudges.base import documents
from manyjudges.base.formatting import plural
from manyjudges.connectors.delimited import first_lines
from manyjudges.connectors.mturk.answers import raw_answers
from manyjudges.connectors.mturk.arrivals import MARKETPLACE
from manyjudges.connectors.mturk.batches import HANDED_IN, REJECTED, Assignment, BatchFile, assignments, latest, when
from manyjudges.connectors.mturk.layouts import pages
from manyjudges.connectors.mturk.live import MechanicalTurk, fetch, send
from manyjudges.connectors.place import located
from manyjudges.connectors.registry import WRITE_ONLY, Connector, ConnectorOption
from manyjudges.connectors.requests import Requests, as_requests
from manyjudges.connectors.rows import Questions
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

__all__ = ["CONNECTOR", "MechanicalTurk", "assignments", "detects", "fetch", "read", "send", "when", "write"]

_HEADING = {"HITId", "WorkerId", "AssignmentStatus"}
"""Columns by which a batch file is known."""


def read(
    path: StrPath | Sequence[StrPath],
    *,
    questions: Questions | None = None,
    object: str | None = None,
    rename: Mapping[str, str] | None = None,
    attributes: Sequence[str] | None = None,
    rejected: bool = False,
    repeated: str | None = None,
) -> Judgments:
    """The judgments in batch results of Mechanical Turk.

    Parameters
    ----------
    path : path or sequence of paths
        Batch results as the requester site exports them. An assignment that is in several files counts once.
    questions : mapping, optional
        Of the study that they belong to: answers are checked against them, and only those to them are taken.
    object : str, optional
        The column that names the object, as ``"Input.image_url"`` or ``"image_url"``; ``"image"`` for ``Input.image_1``
        and so on. Needed only where there are several and none is ``Input.object``.
    rename : mapping, optional
        From names that attributes have in the file to those that they have here.
    attributes : sequence of str, optional
        The answers to take, by their names in the file or here; all that the questions know, or all, unless given.
    rejected : bool
        Whether to take assignments that were rejected.
    repeated : {"first", "last"}, optional
        Which judgment to take where a worker judged the same in two assignments; that is an error unless given.

    Raises
    ------
    DocumentError
        Where a file cannot be understood.
    JudgmentsError
        Where an answer is none, or somebody judged the same twice; the message says where.
    """
    check_repeated(repeated)
    selection = AttributeSelection.of(attributes, questions, rename)
    batches = latest(path)
    answers = [
        answer
        for batch in (_kept(batch, rejected) for batch in batches)
        if batch.assignments
        for answer in raw_answers(batch, selection, object)
        if not selection.required or selection.includes(answer.attribute)
    ]
    return judgments_from(
        answers,
        selection,
        questions,
        source_of(path),
        choose=partial(_choose, repeated=repeated),
        explain_none=partial(_why_none, batches),
    )


def write(requests: Requests | pd.DataFrame, path: StrPath, *, site: str | None = None, per_hit: int = 1) -> None:
    """Write a folder with all that the requester site needs: layouts of HITs, and the tables that fill them.

    The site asks for one number of assignments for a whole batch, so there is one table for each number of judgments.
    ``batches.csv`` lists them, with the layout that each belongs to.

    Parameters
    ----------
    requests : Requests or DataFrame
    path : path
        A folder that is not there yet, or is empty.
    site : str, optional
        The address under which the pictures of the study's folder can be seen, such as
        ``"https://example.org/pictures"``; needed where there are any.
    per_hit : int
        How many objects a HIT asks about. All of them are asked the same question.
    """
    documents.write_folder(path, pages(as_requests(requests), site=site, per_hit=per_hit))


def detects(path: Path) -> bool:
    """Whether a file is plainly a batch file; never raises."""
    return any({cell.strip() for cell in cells} >= _HEADING for cells in first_lines(path))


def _kept(batch: BatchFile, rejected: bool) -> BatchFile:
    """A batch without assignments that were not handed in, or rejected."""
    statuses = [status for status in HANDED_IN if rejected or status != REJECTED]
    kept = (assignment for assignment in batch.assignments if assignment.status in statuses)
    return replace(batch, assignments=tuple(kept))


def _choose(one: RowWithAnswer, other: RowWithAnswer, repeated: str | None) -> RowWithAnswer:
    (row, before), (_, after) = one, other
    if before.record is after.record:
        raise JudgmentsError(
            f"{row.place}: {row.attribute!r} of {row.object!r} is answered twice in one assignment, as "
            f"{before.attribute!r} and {after.attribute!r}; take one of them (attributes=).",
            **located(row.place, row.attribute),
        )
    if repeated is None:
        raise JudgmentsError(
            f"{row.place} and {after.place}: the worker {row.worker!r} judged {row.attribute!r} of "
            f"{row.object!r} in both, in the assignments {before.record.id!r} and {after.record.id!r}. Leave "
            'one out, or choose by the time they were handed in: repeated="first" or repeated="last" (--repeated).',
            value=row.worker,
            **located(after.place, row.attribute),
        )
    times = [_submitted(answer.record) for answer in (before, after)]
    return other if (times[1] >= times[0]) == (repeated == "last") else one


def _submitted(assignment: Assignment) -> datetime:
    time = assignment.time("SubmitTime")
    if time is None:
        raise DocumentError(
            f"{assignment.place}: SubmitTime is empty; it is needed to choose the first or last.",
            **located(assignment.place, "SubmitTime"),
        )
    return time


def _why_none(batches: Sequence[BatchFile]) -> str:
    every = [assignment.status for batch in batches for assignment in batch.assignments]
    return (
        f". It has {plural(len(every), 'assignment')}, of which {every.count(REJECTED)} were rejected (rejected=True "
        f"or --rejected takes them) and {sum(status not in HANDED_IN for status in every)} were not handed in."
    )


CONNECTOR = Connector(
    "mturk",
    output="a folder",
    read=read,
    write=write,
    detects=detects,
    options={
        "attributes": ATTRIBUTES_OPTION,
        "rejected": REJECTED_OPTION,
        "repeated": REPEATED_OPTION,
        "site": ConnectorOption("text", "The web address under which the study's pictures can be seen", on=WRITE_ONLY),
        "per_hit": ConnectorOption("whole number", "How many objects a HIT asks about; default: 1", on=WRITE_ONLY),
    },
    marketplace=MARKETPLACE,
)
"""What the registry of connectors holds of this tool."""
