"""Exports of Prolific: who took part in a study, as its site writes it; each submission once, with its last status."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pandas as pd

from manyjudges.base.messages import list_names, quote_value
from manyjudges.connectors.delimited import Record, Sheet, read_sheet
from manyjudges.connectors.place import located, within
from manyjudges.connectors.rows import paths_of
from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.paths import StrPath

_COLUMN_SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "submission": ("submission id", "session id"),
    "participant": ("participant id",),
    "status": ("status", "submission status"),
    "started": ("started at", "started datetime", "started date time"),
    "completed": ("completed at", "completed date time", "completed datetime"),
    "seconds": ("time taken",),
    "code": ("completion code", "entered code"),
}
"""What columns are called, now and in older exports, as :func:`plain` writes it."""

_NEEDED = ("submission", "participant", "status")

_ACTIVE, _RESERVED = "ACTIVE", "RESERVED"
AWAITING, APPROVED, _PARTLY, REJECTED = "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED", "REJECTED"
_RETURNED, _TIMED_OUT, _SCREENED_OUT = "RETURNED", "TIMED-OUT", "SCREENED OUT"
STATUSES = (APPROVED, _PARTLY, AWAITING, REJECTED, _SCREENED_OUT, _TIMED_OUT, _RETURNED, _ACTIVE, _RESERVED)
"""What becomes of a submission, from what says most about somebody's work to what says least."""

COUNTED = (APPROVED, _PARTLY, AWAITING)
HANDED_IN = (*COUNTED, REJECTED)
_OPEN = (_ACTIVE, _RESERVED)

NO_CODE = "NOCODE"
"""What Prolific writes for somebody who finished without a code."""


@dataclass(frozen=True)
class Submission:
    """What one participant did about a study once.

    Attributes
    ----------
    id, participant : str
    status : str
        As Prolific says it, in capitals: one of ``STATUSES``, or one that is newer than this.
    started, completed : datetime or None
        In UTC.
    seconds : float
        Of work; NaN where it is not known.
    code : str
        The completion code that was entered; empty where there is none.
    place : str
        Where this stands, for messages.
    """

    id: str
    participant: str
    status: str
    started: datetime | None
    completed: datetime | None
    seconds: float
    code: str
    place: str


def participants(path: StrPath | Sequence[StrPath]) -> pd.DataFrame:
    """Who took part, as one or several exports say.

    Parameters
    ----------
    path : path or sequence of paths
        A submission that is in several of them counts once.

    Returns
    -------
    DataFrame
        A row for each submission, whatever became of it: ``submission``, ``participant``, ``status``, ``started``,
        ``completed`` (both in UTC), ``seconds`` of work, and ``code``, the completion code that was entered.
    """
    return table(submissions(path))


def table(rows: Sequence[Submission]) -> pd.DataFrame:
    """Submissions as a table."""
    names = {"submission": "id", "participant": "participant", "status": "status"}
    cells = {name: [getattr(submission, key) for submission in rows] for name, key in names.items()}
    frame = pd.DataFrame(cells, dtype=object)
    for name in ("started", "completed"):
        frame[name] = pd.Series([getattr(submission, name) for submission in rows], dtype="datetime64[us, UTC]")
    frame["seconds"] = pd.Series([submission.seconds for submission in rows], dtype=float)
    frame["code"] = pd.Series([submission.code for submission in rows], dtype=object)
    return frame


def submissions(path: StrPath | Sequence[StrPath]) -> list[Submission]:
    """The submissions in some exports, each once: where files overlap, as the one says that knows most about it."""
    sheets = [read_sheet(file) for file in paths_of(path)]
    if not sheets:
        raise DocumentError("there is no file to read; name one or more.", column="path")
    best: dict[str, Submission] = {}
    for submission in (submission for sheet in sheets for submission in _submissions(sheet)):
        before = best.setdefault(submission.id, submission)
        if before.participant != submission.participant:
            raise DocumentError(
                f"{before.place} and {submission.place} are both of the submission {submission.id!r}, but by "
                f"{before.participant!r} and {submission.participant!r}; leave one of them out.",
                value=submission.id,
                **located(submission.place),
            )
        if _decided(submission) >= _decided(before):
            best[submission.id] = submission
    return list(best.values())


def _plain(heading: str) -> str:
    """A column's name without what differs between exports.

    >>> _plain("Participant id"), _plain("completed_date_time")
    ('participant id', 'completed date time')
    """
    return " ".join(heading.replace("_", " ").split()).casefold()


def status_of(text: str) -> str:
    """A status as Prolific says it, however it is written.

    >>> status_of("awaiting_review"), status_of("Timed out")
    ('AWAITING REVIEW', 'TIMED-OUT')
    """
    words = " ".join(text.replace("_", " ").split()).upper()
    return _TIMED_OUT if words == "TIMED OUT" else words


def time_of(text: str, place: str = "") -> datetime | None:
    """A time as Prolific writes it, in UTC; None where it is blank.

    >>> str(time_of("2026-10-25T12:27:09.179000Z")), str(time_of("2020-03-04 12:13:14.5"))
    ('2026-10-25 12:27:09.179000+00:00', '2020-03-04 12:13:14.500000+00:00')
    """
    if not text.strip():
        return None
    try:
        time = datetime.fromisoformat(text.strip())
        # Older exports have no zone; all that Prolific writes is in UTC.
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        raise DocumentError(
            f"{place}{': ' if place else ''}{quote_value(text)} is no time that can be read; it must be as in "
            "'2026-10-25T12:27:09Z'. A spreadsheet may have changed it: take the file as Prolific gave it.",
            value=text,
            **located(place),
        ) from None


def has_columns(headings: Iterable[str]) -> bool:
    """Whether these are plainly the columns of an export."""
    there = {_plain(heading) for heading in headings}
    others = ("started", "completed", "seconds", "code")
    return all(there & set(_COLUMN_SPELLINGS[name]) for name in _NEEDED) and any(
        there & set(_COLUMN_SPELLINGS[name]) for name in others
    )


def _decided(submission: Submission) -> int:
    """How much is known about it: what is known later is greater."""
    return 0 if submission.status in _OPEN else 1 if submission.status == AWAITING else 2


def _submissions(sheet: Sheet) -> list[Submission]:
    columns = _columns(sheet)
    return [_submission(record, columns) for record in sheet.records]


def _columns(sheet: Sheet) -> dict[str, str]:
    """The file's own names of the columns that matter."""
    there: dict[str, str] = {}
    for heading in sheet.columns:
        there.setdefault(_plain(heading), heading)
    headings = {
        name: next((there[spelling] for spelling in spellings if spelling in there), "")
        for name, spellings in _COLUMN_SPELLINGS.items()
    }
    for name in _NEEDED:
        if not headings[name]:
            spelled = " or ".join(repr(spelling.capitalize()) for spelling in _COLUMN_SPELLINGS[name])
            raise DocumentError(
                f"{sheet.path.name}: there is no column {spelled}; the columns are "
                f"{list_names(sheet.columns, limit=10)}. "
                "Download the study's data from Prolific anew, with this column.",
                file=sheet.path.name,
                column=_COLUMN_SPELLINGS[name][0].capitalize(),
            )
    return {name: heading for name, heading in headings.items() if heading}


def _submission(record: Record, columns: Mapping[str, str]) -> Submission:
    cells = {name: record.cells[heading].strip() for name, heading in columns.items()}
    for name in _NEEDED:
        if not cells[name]:
            raise DocumentError(
                f"{record.place}: {columns[name]!r} is empty; every submission has one. Download the file anew.",
                **located(record.place, columns[name]),
            )
    return Submission(
        cells["submission"],
        cells["participant"],
        status_of(cells["status"]),
        time_of(cells.get("started", ""), _cell(record, columns, "started")),
        time_of(cells.get("completed", ""), _cell(record, columns, "completed")),
        _seconds(cells.get("seconds", ""), _cell(record, columns, "seconds")),
        cells.get("code", ""),
        record.place,
    )


def _cell(record: Record, columns: Mapping[str, str], name: str) -> str:
    """Where a cell is; just the row if the file has no such column."""
    heading = columns.get(name)
    return record.place if heading is None else within(record.place, heading, heading)


def _seconds(text: str, place: str) -> float:
    try:
        seconds = float(text) if text else float("nan")
    except ValueError:
        seconds = -1.0
    if seconds < 0:
        raise DocumentError(f"{place}: {quote_value(text)} is no number of seconds.", value=text, **located(place))
    return seconds
