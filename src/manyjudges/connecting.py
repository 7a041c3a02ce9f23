"""Connecting: what a study and the tools in which people judge elsewhere give each other."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manyjudges.collection.connectors import connector
from manyjudges.exceptions import JudgmentsError, StudyError, name_some
from manyjudges.judgments import Judgments
from manyjudges.studies import OpenStudy, exported

if TYPE_CHECKING:
    from manyjudges.collection.connectors.requests import Requests
    from manyjudges.collection.intake import Intake
    from manyjudges.collection.study import Study

TAKE_JUDGMENTS = ("crowd-kit", "cleanlab")
"""Tools that look at judgments instead of collecting them."""

JOINS = "prolific"
"""The tool that knows who took part, and not what they said."""


def read_from(
    name: str,
    paths: Sequence[str | os.PathLike[str]],
    *,
    study: Study | None = None,
    object: str | None = None,
    rename: Mapping[str, str] | None = None,
    **options: Any,
) -> Judgments:
    """The judgments in files of another tool.

    Parameters
    ----------
    name : str
        Of the connector.
    paths : sequence of paths
    study : Study, optional
        Whose questions were asked: answers are checked against them.
    object, rename
        As for every connector.
    **options
        Of this connector; one that it does not know is refused.
    """
    questions = None if study is None else {each.name: each for each in study.attributes}
    found = connector(name)
    try:
        return found.read(paths, questions=questions, object=object, rename=rename, **options)
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
        raise StudyError(f"{name} has no option {str(error).rsplit(' ', 1)[-1]}.") from None


def take_in(
    opened: OpenStudy, name: str, judgments: Judgments, *, paid: bool = False, unmatched: str = "error"
) -> Intake:
    """Put judgments from elsewhere into a study's store, under their workers' names there; twice is harmless.

    Parameters
    ----------
    opened : OpenStudy
    name : str
        Of the connector, which becomes the workers' source.
    judgments : Judgments
    paid : bool
        Whether they count as spending of this study, at its costs.
    unmatched : {"error", "drop"}
        What to do about objects that the study does not have.
    """
    if not len(judgments.workers):
        raise JudgmentsError("nobody knows who gave these judgments; a study needs its workers' names.")
    rows = judgments.to_frame()
    rows["object"] = rows["object"].astype(str)
    known = set(opened.store.objects()["object"])
    strange = rows.loc[~rows["object"].isin(known), "object"].unique()
    if len(strange) and unmatched != "drop":
        raise StudyError(
            f"{len(strange):,} objects are not in the study: {name_some(strange)}; it has {name_some(sorted(known))}. "
            "Add them to its table of objects, or leave them out (--unmatched drop)."
        )
    rows = rows[rows["object"].isin(known)]
    if rows.empty:
        raise StudyError("no judgment is of an object that the study has.")
    columns = (rows[column].tolist() for column in ("object", "attribute", "worker", "value"))
    found = [(thing, asked, str(who), value) for thing, asked, who, value in zip(*columns, strict=True)]
    for _, asked, _, value in found:
        opened.study.attribute(asked).read(value)
    return opened.store.take_in(name, found, paid=paid)


def requests_of(opened: OpenStudy) -> Requests:
    """What people are to judge in a study now; what they have at hand is not among it."""
    from manyjudges.collection.connectors.requests import Requests

    rows = opened.store.counters()
    people = [column.name for column in opened.study.columns if column.judge is None]
    rows = rows[(rows["open"] > 0) & rows["attribute"].isin(people)]
    if rows.empty:
        raise StudyError(
            "nothing is to be judged by people now; 'manyjudges status' says where the study stands, and 'manyjudges "
            "replan --if-complete' begins its next round."
        )
    return Requests.of_study(opened.study, opened.objects, rows.rename(columns={"open": "count"}))


def write_for(name: str, opened: OpenStudy, path: Path, **options: Any) -> str:
    """Write what another tool needs of a study, and say in words what that is."""
    found: Any = connector(name)  # some take judgments, and options of their own
    if name in TAKE_JUDGMENTS:
        judgments = Judgments.from_frame(exported(opened))
        found.write(judgments, path, **options)
        return f"{len(judgments):,} judgments"
    wanted = requests_of(opened)
    found.write(wanted, path, **options)
    return f"{sum(each.count for each in wanted.wanted):,} judgments of {len(wanted.objects):,} objects to ask for"
