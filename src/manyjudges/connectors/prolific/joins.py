"""Joins: the judgments of a study and the participants of Prolific, put together by the participant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from manyjudges.base.formatting import plural
from manyjudges.base.messages import list_names, quote_value
from manyjudges.connectors.place import RecordPlace
from manyjudges.connectors.prolific.export import HANDED_IN, NO_CODE, REJECTED, STATUSES, Submission, participants
from manyjudges.connectors.rows import Questions, Row, value_of
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.formats.paths import StrPath
from manyjudges.tables.judgments import Judgments

if TYPE_CHECKING:
    from collections.abc import Collection

_STUDY_HINT = (
    "On the command line, name the study: --study STUDY. In Python, give its judgments with the names that people have "
    "at Prolific: judgments=manyjudges.service.exported(opened, worker_ids=True)."
)
_PARTICIPANT = re.compile(r"[0-9a-f]{24}")
"""What a participant's name looks like."""


def judged(judgments: Any, object: str | None = None) -> pd.DataFrame:
    """The judgments of a study: ``object``, ``attribute``, ``value``, ``worker``, and ``participant``.

    A table that was made with the workers' own names has those in ``external``; otherwise ``worker`` must be the name
    that a participant has at Prolific. Rows of people whose name is not known, such as who withdrew, are left out.
    """
    if judgments is None:
        raise JudgmentsError(
            f"an export of Prolific says who took part, and not what they said. {_STUDY_HINT}", column="judgments"
        )
    frame = judgments.to_frame() if isinstance(judgments, Judgments) else judgments
    if not isinstance(frame, pd.DataFrame):
        raise JudgmentsError(
            f"judgments = {quote_value(judgments)} must be a table of judgments. {_STUDY_HINT}",
            value=judgments,
            column="judgments",
        )
    object_column = object or "object"
    missing = [name for name in (object_column, "attribute", "worker", "value") if name not in frame.columns]
    if missing:
        raise JudgmentsError(
            f"the judgments have no column {list_names(missing)}, only {list_names(frame.columns, limit=8)}. "
            f"{_STUDY_HINT}",
            column=missing[0],
        )
    people = frame["external" if "external" in frame.columns else "worker"]
    columns = {"object": frame[object_column], "participant": people} | {
        c: frame[c] for c in ("attribute", "worker", "value")
    }
    rows = pd.DataFrame(columns).reset_index(drop=True)
    rows = rows[rows["participant"].notna()]
    return rows.assign(participant=rows["participant"].astype(str).str.strip())


def kept_statuses(rejected: bool, statuses: Sequence[str], counted: Sequence[str]) -> tuple[str, ...]:
    """The statuses whose judgments are kept."""
    for status in statuses:
        if status not in STATUSES:
            raise JudgmentsError(
                f"{status!r} is no status of a submission; they are {list_names(STATUSES, limit=12)}.",
                value=status,
                column="statuses",
            )
    return tuple(statuses) or (*counted, *((REJECTED,) if rejected else ()))


def rows_of(
    frame: pd.DataFrame,
    people: Collection[str],
    rename: Mapping[str, str],
    names: Collection[str] | None,
    questions: Questions | None,
    *,
    pseudonyms: bool = False,
) -> Iterator[Row]:
    """The judgments of some people, checked against the questions; only attributes of these names, by either one."""
    kept = frame[frame["participant"].isin(list(people))]
    who = kept["worker" if pseudonyms else "participant"]
    columns = (kept[name].tolist() for name in ("object", "attribute", "value"))
    for at, object_name, attribute, value, worker in zip(kept.index, *columns, who, strict=True):
        name = rename.get(str(attribute), str(attribute))
        if names is None or name in names or str(attribute) in names:
            place = RecordPlace(f"judgments, row {at} (counting from 0)", row=at + 1)
            yield Row(str(object_name), name, str(worker), value_of(value, name, place, questions), place)


def nobody(frame: pd.DataFrame, submissions: Sequence[Submission], statuses: Sequence[str], source: str) -> str:
    """Why there are no judgments to keep."""
    there = {submission.participant for submission in submissions}
    counted_submissions = [submission for submission in submissions if submission.status in statuses]
    if not counted_submissions:
        return (
            f"{source}: none of its {plural(len(submissions), 'submission')} is {' or '.join(statuses)}; take others "
            "by statuses=[…], or those that were rejected by rejected=True (--rejected)."
        )
    judging = sorted(set(frame["participant"]))
    if not there & set(judging):
        return (
            f"{source}: none of its {plural(len(there), 'participant')}, such as {list_names(sorted(there), limit=1)}, "
            f"has judged anything; the judgments are by {list_names(judging) or 'nobody'}. Is this the export of this "
            f"study? {_STUDY_HINT}"
        )
    return f"{source}: no judgments are left of those whose submission counts."


def joined(
    path: StrPath | Sequence[StrPath] | pd.DataFrame, judgments: Any, *, code: str | Sequence[str] | None = None
) -> pd.DataFrame:
    """What to look at before anybody is approved: who submitted, who judged, and who did only one of them.

    Parameters
    ----------
    path : path, sequence of paths, or DataFrame
        Exports; or what :func:`participants` or ``Prolific.submissions`` gave.
    judgments : DataFrame or Judgments
        Of the study, with the names that people have at Prolific; see :func:`read`.
    code : str or sequence of str, optional
        The right completion code, or several.

    Returns
    -------
    DataFrame
        A row for each participant: ``participant``, ``submission`` and ``status`` (of their submission that says most;
        empty where there is none), ``submissions``, how many there are, ``seconds``, ``judgments``, how many they gave,
        ``code``, ``code_right`` (missing unless ``code`` is given), and ``remark``, in words, where something is odd.
    """
    table = path if isinstance(path, pd.DataFrame) else participants(path)
    counts = judged(judgments)["participant"].value_counts()
    people = _one_each(table)
    others = sorted(name for name in counts.index if name not in people.index and _PARTICIPANT.fullmatch(name))
    people = people.reindex([*people.index, *others]).fillna(
        {"submission": "", "status": "", "code": "", "submissions": 0}
    )
    people = people.astype({"submissions": int})
    people["judgments"] = [int(counts.get(name, 0)) for name in people.index]
    people["code_right"] = _right(people, code)
    columns = ["submission", "status", "submissions", "seconds", "judgments", "code", "code_right"]
    people = people[columns].rename_axis("participant").reset_index()
    return people.assign(remark=[_remark(row) for row in people.to_dict(orient="records")]).astype({"remark": object})


def _one_each(table: pd.DataFrame) -> pd.DataFrame:
    """Of each participant the submission that says most, and how many there are; in the order of the table."""
    missing = [name for name in ("submission", "participant", "status", "seconds", "code") if name not in table.columns]
    if missing:
        raise JudgmentsError(
            f"the table of participants has no column {list_names(missing)}; make it by participants().",
            column=missing[0],
        )
    ranks = {status: rank for rank, status in enumerate(STATUSES)}
    rank = table["status"].map(lambda status: ranks.get(status, len(ranks)))
    best = table.assign(rank=rank).sort_values("rank", kind="stable").drop_duplicates("participant").sort_index()
    many = table["participant"].value_counts()
    return best.assign(submissions=best["participant"].map(many)).set_index("participant")


def _right(people: pd.DataFrame, code: str | Sequence[str] | None) -> pd.Series[Any]:
    """Whether each code is right; missing where nobody says what is, or there is no submission."""
    codes = None if code is None else {code} if isinstance(code, str) else set(code)
    rows = zip(people["status"], people["code"], strict=True)
    right = [None if codes is None or status not in HANDED_IN else entered in codes for status, entered in rows]
    return pd.Series(right, index=people.index, dtype="boolean")


def _remark(row: Mapping[Any, Any]) -> str:
    submitted = row["status"] in HANDED_IN
    if not row["submission"]:
        return "judged, but has no submission"
    if submitted and not row["judgments"]:
        return "submitted, but judged nothing"
    if row["judgments"] and not submitted:
        return "judged, but did not submit"
    if not pd.isna(row["code_right"]) and not row["code_right"]:
        return "no code" if row["code"] in ("", NO_CODE) else "another code"
    return ""
