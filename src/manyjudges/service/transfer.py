"""Transfer: what a study and the tools in which people judge elsewhere give each other."""

from __future__ import annotations

__all__ = ["attribute_option", "options_in", "read_from", "read_of_study", "take_in", "unmatched_names", "write_for"]

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manyjudges.base.messages import list_names
from manyjudges.connectors.registry import Direction, connector
from manyjudges.connectors.rows import OpenQuestions
from manyjudges.exceptions import JudgmentsError, ManyJudgesError, StudyError
from manyjudges.service.export import exported
from manyjudges.service.study import OpenStudy
from manyjudges.service.study_planner import order_first_round
from manyjudges.study.arrivals import MARKETPLACES
from manyjudges.tables.judgments import Judgments

if TYPE_CHECKING:
    from manyjudges.connectors.requests import Requests
    from manyjudges.store.imports import Intake
    from manyjudges.study.arrivals import Marketplace
    from manyjudges.study.config import Study

COMMON = {
    "object": "--object NAME",
    "rename": "--rename OLD=NEW",
    "questions": "--study STUDY",
    "judgments": "--study STUDY",
    "study": "--study STUDY",
}
"""Options that every connector has, with the option of the command line that sets each of them."""


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
    questions = None if study is None else {attribute.name: attribute for attribute in study.attributes}
    _check_options(name, "read", options)
    return connector(name).read(paths, questions=questions, object=object, rename=rename, **options)


def read_of_study(opened: OpenStudy, name: str, paths: Sequence[str | os.PathLike[str]], **options: Any) -> Judgments:
    """The judgments in files of another tool, with what that tool needs to know of the study; see :func:`read_from`."""
    if "judgments" in connector(name).needs:
        options = {"judgments": exported(opened, worker_ids=True), "pseudonyms": True} | options
    return read_from(name, paths, study=opened.study, **options)


def unmatched_names(
    opened: OpenStudy, name: str, paths: Sequence[str | os.PathLike[str]], judgments: Judgments, **options: Any
) -> tuple[list[str], list[str]]:
    """Questions of the study that files say nothing about, and what in the files was left out for its name.

    Only where there are both may a name be missing from ``rename``. Where some names are given there, that is an error:
    they were all meant to be read.
    """
    judged = set(judgments.attributes)
    asked = {attribute.name: attribute for attribute in opened.study.attributes}
    unjudged = [attribute for attribute in asked if attribute not in judged]
    if not unjudged or {"attribute", "attributes"} & set(options) or "judgments" in connector(name).needs:
        return unjudged, []
    try:
        every = connector(name).read(paths, questions=OpenQuestions(asked), **options).attributes
    except ManyJudgesError:  # what nobody asked for may not even have names
        return unjudged, []
    left_out = [attribute for attribute in every if attribute not in asked]
    if left_out and options.get("rename"):
        raise JudgmentsError(
            f"{list_names(left_out, limit=12)} would be left out: the study has no questions of these names, and "
            f"{list_names(unjudged, limit=12)} would get no judgments. Give each its name with --rename OLD=NEW, or "
            "name those to take with --attribute NAME.",
            value=left_out[0],
            column="rename",
        )
    return unjudged, left_out


def attribute_option(name: str, attributes: Sequence[str]) -> dict[str, Any]:
    """The option of a connector's ``read`` that says which attributes to read."""
    options = connector(name).options_of("read")
    if "attributes" in options or "attribute" not in options:
        return {"attributes": list(attributes)}
    if len(attributes) > 1:
        raise StudyError(
            f"a table of {name} is about one attribute, and --attribute names {list_names(attributes)}.",
            value=tuple(attributes),
            column="attribute",
        )
    return {"attribute": attributes[0]}


def marketplaces() -> tuple[Marketplace, ...]:
    """What pages need of each marketplace that may send people to a study."""
    entries = (connector(name).marketplace for name in MARKETPLACES)
    return tuple(marketplace for marketplace in entries if marketplace is not None)


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
        raise JudgmentsError(
            "nobody knows who gave these judgments; a study needs its workers' names.", column="worker"
        )
    rows = judgments.to_frame()
    rows["object"] = rows["object"].astype(str)
    objects = set(opened.store.objects()["object"])
    strange = rows.loc[~rows["object"].isin(objects), "object"].unique()
    if len(strange) and unmatched != "drop":
        raise StudyError(
            f"{len(strange):,} objects are not in the study: {list_names(strange)}; it has "
            f"{list_names(sorted(objects))}. "
            "Add them to its table of objects, or leave them out (--unmatched drop).",
            value=strange[0],
            column="object",
        )
    rows = rows[rows["object"].isin(objects)]
    if rows.empty:
        raise StudyError("no judgment is of an object that the study has.", column="object")
    columns = (rows[column].tolist() for column in ("object", "attribute", "worker", "value"))
    answers = [
        (object_, attribute, str(worker), value) for object_, attribute, worker, value in zip(*columns, strict=True)
    ]
    for _, attribute, _, value in answers:
        opened.study.attribute(attribute).read(value)
    return opened.store.take_in(name, answers, paid=paid)


def requests_of(opened: OpenStudy) -> Requests:
    """What people are to judge in a study now; what they have at hand is not among it."""
    from manyjudges.connectors.requests import Requests

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
    tool = connector(name)
    _check_options(name, "write", options)
    if tool.writes == "judgments":
        judgments = Judgments.from_frame(exported(opened))
        tool.write(judgments, path, **options)
        chosen = judgments if options.get("attribute") is None else judgments.only([options["attribute"]])
        return f"{len(chosen):,} judgments"
    order_first_round(opened)  # as when judges are let in: nothing may have been asked for yet
    requests = requests_of(opened)
    needed = {"study": opened.study} if "study" in tool.needs else {}
    tool.write(requests, path, **needed, **options)
    return f"{sum(pair.count for pair in requests.pairs):,} judgments of {len(requests.objects):,} objects to ask for"


def options_in(name: str, direction: Direction, settings: Iterable[str]) -> dict[str, Any]:
    """Options of a connector from texts such as ``"per_hit=10"``, each as the type of value that it takes.

    Parameters
    ----------
    name : str
        Of the connector.
    direction : {"read", "write"}
    settings : iterable of str
        An option that takes several values may stand there several times; one that says what words stand for, too:
        ``"values=good=1"``.
    """
    tool = connector(name)
    options: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        option = key.strip().replace("-", "_")
        if not equals:
            raise StudyError(
                f"--option {setting}: an option is written NAME=VALUE, such as --option per_hit=10.",
                value=setting,
                column="option",
            )
        if option in COMMON:
            raise StudyError(
                f"--option {setting}: this is not an option of {name} alone; use {COMMON[option]} instead.",
                value=setting,
                column=option,
            )
        declared = tool.option(option, direction)
        try:
            options[option] = declared.add(options.get(option), text)
        except StudyError as error:
            raise StudyError(f"--option {setting}: {error}.", value=text, column=option) from None
    return options


def _check_options(name: str, direction: Direction, options: Iterable[str]) -> None:
    tool = connector(name)
    for option in options:
        if option not in COMMON:
            tool.option(option, direction)
