"""Batches: assignments of Mechanical Turk, as the requester site exports them, each once and with its last status."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from itertools import chain

import pandas as pd

from manyjudges.base.messages import list_names, quote_value
from manyjudges.connectors.delimited import Record, Sheet, read_sheet
from manyjudges.connectors.place import located, within
from manyjudges.connectors.rows import paths_of
from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.paths import StrPath

_NEEDED = ("HITId", "AssignmentId", "WorkerId", "AssignmentStatus")
_SUBMITTED, _APPROVED, REJECTED = "Submitted", "Approved", "Rejected"
HANDED_IN = (_SUBMITTED, _APPROVED, REJECTED)
"""What an assignment is that somebody finished; others were abandoned or returned, or are still being worked on."""

_EARLIEST = datetime.min.replace(tzinfo=UTC)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONES = {
    "UTC": 0,
    "GMT": 0,
    "Z": 0,
    "PST": -8,
    "PDT": -7,
    "MST": -7,
    "MDT": -6,
    "CST": -6,
    "CDT": -5,
    "EST": -5,
    "EDT": -4,
}
"""Hours from UTC of the zones that the site writes by name: its own, and those of the United States."""

# The names of months are read by hand, as strptime takes them in the language of the machine.
_CLASSIC = re.compile(
    r"(?:[a-z]{3},? )?(?P<month>[a-z]{3}) (?P<day>\d\d?) (?P<time>[\d:]+) (?P<zone>[a-z]+) (?P<year>\d{4})"
)
_SCRIPT = re.compile(
    r"(?:[a-z]{3},? )?(?P<month>[a-z]{3}) (?P<day>\d\d?) (?P<year>\d{4}) (?P<time>[\d:]+) "
    r"(?:gmt|utc)(?P<zone>[+-]\d{4})?(?: \(.*\))?"
)
_NAMED = re.compile(r"(.*\d) ?([A-Za-z]+)")


@dataclass(frozen=True)
class Assignment:
    """One row of a batch: what one worker handed in for one HIT.

    Attributes
    ----------
    id, hit, worker : str
    status : str
        ``"Submitted"``, ``"Approved"`` or ``"Rejected"``, all considered; otherwise what the file says.
    place : str
        The file and the line.
    cells : mapping of str to str
        The whole row, by the heading.
    """

    id: str
    hit: str
    worker: str
    status: str
    place: str
    cells: Mapping[str, str]

    def time(self, column: str) -> datetime | None:
        """A time of the row; None where it is blank."""
        text = self.cells.get(column, "").strip()
        return when(text, within(self.place, column, column)) if text else None

    @property
    def decided(self) -> tuple[int, datetime]:
        """How much, and until when, is known about it: what is known later is greater."""
        stage = 0 if self.status not in HANDED_IN else 1 if self.status == _SUBMITTED else 2
        times = [self.time(column) for column in ("ApprovalTime", "RejectionTime")]
        return stage, max((time for time in times if time is not None), default=_EARLIEST)

    @property
    def texts(self) -> dict[str, str]:
        """What was shown and answered, without blanks."""
        return {
            name: text for name, text in self.cells.items() if name.startswith(("Input.", "Answer.")) and text.strip()
        }


def when(text: str, place: str = "") -> datetime:
    """The time that a text of Mechanical Turk says, in UTC.

    Parameters
    ----------
    text : str
        As the requester site writes it, in either of its ways, or as ISO 8601.
    place : str
        Where it stands, for the message.

    Raises
    ------
    DocumentError
        Where this is no time, or one without a zone.

    Examples
    --------
    >>> str(when("Sun Feb 16 10:21:03 PST 2014"))
    '2014-02-16 18:21:03+00:00'
    >>> str(when("Tue Nov 17 2026 09:21:03 GMT-0800 (PST)")), str(when("2026-11-17T17:21:03Z"))
    ('2026-11-17 17:21:03+00:00', '2026-11-17 17:21:03+00:00')
    """
    words = " ".join(str(text).split())
    try:
        written = _CLASSIC.fullmatch(words.lower()) or _SCRIPT.fullmatch(words.lower())
        time = _written(written) if written else _iso(words)
        return time.astimezone(UTC)
    except (ValueError, KeyError, OverflowError):
        raise DocumentError(
            f"{place}{': ' if place else ''}{quote_value(text)} is no time that can be read; write it "
            f"with its zone, as in "
            "'Sun Feb 16 10:21:03 PST 2014' or '2014-02-16T18:21:03Z'.",
            value=text,
            **located(place),
        ) from None


def assignments(path: StrPath | Sequence[StrPath]) -> pd.DataFrame:
    """Who handed in what, and when, as one or several batch files say.

    Parameters
    ----------
    path : path or sequence of paths

    Returns
    -------
    DataFrame
        ``assignment``, ``worker``, ``hit``, ``status``, ``accepted``, ``submitted`` (both in UTC) and ``seconds`` of
        work; one row for each assignment, also those that were rejected or not handed in.
    """
    handed_in = [assignment for sheet in latest(path) for assignment in sheet.assignments]
    table = pd.DataFrame(
        [(assignment.id, assignment.worker, assignment.hit, assignment.status) for assignment in handed_in],
        columns=["assignment", "worker", "hit", "status"],
        dtype=object,
    )
    for name, column in (("accepted", "AcceptTime"), ("submitted", "SubmitTime")):
        table[name] = pd.Series([assignment.time(column) for assignment in handed_in], dtype="datetime64[us, UTC]")
    table["seconds"] = pd.Series([_seconds(assignment) for assignment in handed_in], dtype=float)
    return table


@dataclass(frozen=True)
class BatchFile:
    """A batch file: its name, its columns, and the assignments that are taken from it."""

    file: str
    columns: tuple[str, ...]
    assignments: tuple[Assignment, ...]


def latest(path: StrPath | Sequence[StrPath]) -> list[BatchFile]:
    """The batches in some files, each assignment once: where files overlap, from the one that knows most about it."""
    sheets = [read_sheet(file) for file in paths_of(path)]
    if not sheets:
        raise DocumentError("there is no file to read; name one or more.", column="path")
    rows = [_assignments(sheet) for sheet in sheets]
    best: dict[str, Assignment] = {}
    for assignment in chain.from_iterable(rows):
        before = best.get(assignment.id)
        if before is not None:
            _check_same(before, assignment)
        if before is None or assignment.decided >= before.decided:
            best[assignment.id] = assignment
    chosen = {id(assignment) for assignment in best.values()}
    return [
        BatchFile(sheet.path.name, sheet.columns, tuple(a for a in in_sheet if id(a) in chosen))
        for sheet, in_sheet in zip(sheets, rows, strict=True)
    ]


def _assignments(sheet: Sheet) -> list[Assignment]:
    sheet.need(*_NEEDED)
    # A HIT that nobody has accepted may stand there without an assignment.
    return [_assignment(record) for record in sheet.records if record.cells["AssignmentStatus"].strip()]


def _assignment(record: Record) -> Assignment:
    cells = record.cells
    for column in ("AssignmentId", "WorkerId"):
        if not cells[column].strip():
            raise DocumentError(
                f"{record.place}: {column} is empty; every assignment needs it. Export the batch again.",
                **located(record.place, column),
            )
    return Assignment(
        cells["AssignmentId"].strip(),
        cells["HITId"].strip(),
        cells["WorkerId"].strip(),
        _status(record),
        record.place,
        cells,
    )


def _status(record: Record) -> str:
    """What was decided: the requester may have written a reason to reject into the last column and not sent it yet."""
    cells = record.cells
    text = cells["AssignmentStatus"].strip()
    decided = next((status for status in HANDED_IN if status.lower() == text.lower()), text)
    if decided not in HANDED_IN or decided == REJECTED:
        return decided
    if cells.get("Reject", "").strip():
        return REJECTED
    rejected, approved = (cells.get(column, "").strip() for column in ("RejectionTime", "ApprovalTime"))
    if not rejected:
        return decided
    overruled = decided == _APPROVED and approved and when(approved, record.place) >= when(rejected, record.place)
    return _APPROVED if overruled else REJECTED


def _check_same(one: Assignment, other: Assignment) -> None:
    """Two exports of an assignment may differ in its status, but not in who said what."""
    before, after = ({"WorkerId": assignment.worker, **assignment.texts} for assignment in (one, other))
    differs = [name for name in before | after if before.get(name) != after.get(name)]
    if differs:
        raise DocumentError(
            f"{one.place} and {other.place} are both of the assignment {one.id!r}, but differ in "
            f"{list_names(differs)}; "
            "leave one of them out.",
            value=other.id,
            **located(other.place, differs[0]),
        )


def _seconds(assignment: Assignment) -> float:
    text = assignment.cells.get("WorkTimeInSeconds", "").strip()
    try:
        return float(text) if text else float("nan")
    except ValueError:
        raise DocumentError(
            f"{assignment.place}: WorkTimeInSeconds is {quote_value(text)}, which is no number.",
            value=text,
            **located(assignment.place, "WorkTimeInSeconds"),
        ) from None


def _written(parts: re.Match[str]) -> datetime:
    """A time with the month by its name; ValueError or KeyError where there is no such time."""
    hour, minute, second = (int(part) for part in parts["time"].split(":"))
    month = _MONTHS.index(parts["month"]) + 1
    return datetime(int(parts["year"]), month, int(parts["day"]), hour, minute, second, tzinfo=_zone(parts["zone"]))


def _zone(name: str | None) -> timezone:
    if name is None:
        return UTC
    if name[0] in "+-":
        away = timedelta(hours=int(name[1:3]), minutes=int(name[3:5]))
        return timezone(-away if name[0] == "-" else away)
    return timezone(timedelta(hours=_ZONES[name.upper()]))


def _iso(text: str) -> datetime:
    named = _NAMED.fullmatch(text)
    if named and named[2] != "T":
        return datetime.fromisoformat(named[1]).replace(tzinfo=_zone(named[2]))
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError("no zone")
    return time
