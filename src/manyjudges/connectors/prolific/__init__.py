"""Prolific: a study's export joined with our judgments by participant, drafts written, and the live service.

See :mod:`manyjudges.connectors.prolific.live` for what needs an account.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manyjudges.base import documents
from manyjudges.base.messages import list_names
from manyjudges.connectors.delimited import first_lines
from manyjudges.connectors.prolific.arrivals import MARKETPLACE
from manyjudges.connectors.prolific.drafts import OFFER, check_entry, draft, terms_of
from manyjudges.connectors.prolific.export import COUNTED, has_columns, participants, status_of, submissions
from manyjudges.connectors.prolific.joins import joined, judged, kept_statuses, nobody, rows_of
from manyjudges.connectors.prolific.live import Prolific, fetch, send
from manyjudges.connectors.registry import Connector, ConnectorOption
from manyjudges.connectors.requests import Requests, as_requests
from manyjudges.connectors.rows import Questions, Row, check_known, judgments_of
from manyjudges.connectors.selection import ATTRIBUTES_OPTION, REJECTED_OPTION, source_of
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.formats.paths import StrPath

if TYPE_CHECKING:
    import pandas as pd

    from manyjudges.study.config import Study
    from manyjudges.tables.judgments import Judgments

__all__ = ["CONNECTOR", "Prolific", "detects", "fetch", "joined", "participants", "read", "send", "write"]


def read(
    path: StrPath | Sequence[StrPath],
    *,
    questions: Questions | None = None,
    object: str | None = None,
    rename: Mapping[str, str] | None = None,
    judgments: pd.DataFrame | Judgments | None = None,
    attributes: Sequence[str] | None = None,
    rejected: bool = False,
    statuses: Sequence[str] = (),
    pseudonyms: bool = False,
) -> Judgments:
    """Our judgments by those participants whose submission counts.

    Parameters
    ----------
    path : path or sequence of paths
        The study's data as Prolific exports it. A submission that is in several files counts once.
    questions : mapping, optional
        Of the study: judgments are checked against them, and only those of them are taken.
    object : str, optional
        The column of ``judgments`` that names the object; ``"object"`` unless given.
    rename : mapping, optional
        From names that attributes have in ``judgments`` to those that they have here.
    judgments : DataFrame or Judgments
        Of the study: ``object``, ``attribute``, ``worker``, ``value``, and ``external``, what Prolific calls a worker,
        as ``manyjudges.service.exported(opened, worker_ids=True)`` gives it. Without ``external``, ``worker`` must be
        that name.
    attributes : sequence of str, optional
        The attributes to take; all that the questions know, or all, unless given.
    rejected : bool
        Whether to take those whose submission was rejected, too.
    statuses : sequence of str
        Whose judgments to take instead of those who are approved, partially approved or await review.
    pseudonyms : bool
        Whether workers keep the name that they have in ``judgments``; otherwise they have that of Prolific.

    Raises
    ------
    DocumentError
        Where a file cannot be understood.
    JudgmentsError
        Where there are no judgments, or one is none; the message says why, and which.
    """
    frame = judged(judgments, object)
    kept = kept_statuses(rejected, [status_of(status) for status in _listed(statuses)], COUNTED)
    exported, source = submissions(path), source_of(path)
    people = {submission.participant for submission in exported if submission.status in kept}
    names = None if attributes is None else _listed(attributes)
    attribute_names = names if names is not None else questions
    rows = list(rows_of(frame, people, rename or {}, attribute_names, questions, pseudonyms=pseudonyms))
    if not rows and (attribute_names is None or not frame["participant"].isin(people).any()):
        raise JudgmentsError(nobody(frame, exported, kept, source), file=source)
    _check_found(rows, names, frame, rename or {}, source)
    return judgments_of(check_known(rows, questions), source)


def write(
    requests: Requests | pd.DataFrame | Study, path: StrPath, *, study: Study | None = None, **options: Any
) -> None:
    """Write the draft of a study, as the service takes it, into a JSON file. There is no token in it.

    What is not known is ``null`` there, for you to fill in before it is sent.

    Parameters
    ----------
    requests : Requests, DataFrame or Study
        Whose title and welcome participants read. Of requests, as many places are offered as one object needs judges.
    path : path
    study : Study, optional
        That has the page's address and the completion code.
    **options
        ``reward``, ``places``, ``minutes``, ``internal_name`` and so on, as for ``Prolific.create``.
    """
    documents.check_target(path, documents.JSON)
    study_terms = terms_of(options)
    source: Any = requests if hasattr(requests, "entry") else as_requests(requests)  # the former is a study
    page_study: Study | None = study if isinstance(source, Requests) else source
    if page_study is not None:
        check_entry(page_study)
    if isinstance(source, Requests) and study_terms.places is None:
        study_terms = replace(study_terms, places=max(pair.count for pair in source.pairs))
    documents.write(path, documents.dumps(draft(source, study_terms, page_study)))


def detects(path: Path) -> bool:
    """Whether a file is plainly an export of Prolific; never raises."""
    return any(has_columns(cells) for cells in first_lines(path))


def _listed(one_or_several: str | Sequence[str]) -> list[str]:
    return [one_or_several] if isinstance(one_or_several, str) else list(one_or_several)


def _check_found(
    rows: Sequence[Row], names: Sequence[str] | None, frame: pd.DataFrame, rename: Mapping[str, str], source: str
) -> None:
    there = {row.attribute for row in rows} | {old for old, new in rename.items() if new in {r.attribute for r in rows}}
    missing = [name for name in names or () if name not in there]
    if missing or not rows:
        whose = f"of {list_names(missing)}, which attributes= names," if missing else "of these questions"
        raise JudgmentsError(
            f"{source}: there are no judgments {whose} by those whose submission counts; the study has judgments of "
            f"{list_names(sorted(set(frame['attribute'].astype(str))), limit=12) or 'nothing'}.",
            file=source,
            value=missing[0] if missing else None,
            column="attributes",
        )


CONNECTOR = Connector(
    "prolific",
    output="a .json file",
    read=read,
    write=write,
    detects=detects,
    needs=frozenset({"study", "judgments"}),
    options={
        "attributes": ATTRIBUTES_OPTION,
        "rejected": REJECTED_OPTION,
        "statuses": ConnectorOption(
            "text", "A status whose judgments to take, instead of those that count by default", several=True
        ),
        "pseudonyms": ConnectorOption("yes or no", "Whether workers keep their names in the study; default there: yes"),
        **OFFER,
    },
    marketplace=MARKETPLACE,
)
"""What the registry of connectors holds of this tool."""
