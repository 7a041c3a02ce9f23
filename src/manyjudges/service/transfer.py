"""Connecting: what a study and the tools in which people judge elsewhere give each other."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.connectors import connector
from manyjudges.exceptions import JudgmentsError, StudyError
from manyjudges.service.export import exported
from manyjudges.service.study import OpenStudy
from manyjudges.service.study_planner import order_first_round
from manyjudges.tables.judgments import Judgments

if TYPE_CHECKING:
    from manyjudges.connectors.requests import Requests
    from manyjudges.store.imports import Intake
    from manyjudges.study.config import Study

TAKE_JUDGMENTS = ("crowd-kit", "cleanlab")
"""Tools that look at judgments instead of collecting them."""

JOINS = "prolific"
"""The tool that knows who took part, and not what they said."""

COMMON = {
    "object": "--object NAME",
    "rename": "--rename OLD=NEW",
    "questions": "--study STUDY",
    "judgments": "--study STUDY",
    "study": "--study STUDY",
}
"""Options that are given in another way than by their names, and how on the command line."""

TRUTH = {"true": True, "yes": True, "false": False, "no": False}


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
    read = connector(name).read
    _check_options(name, read, options)
    return read(paths, questions=questions, object=object, rename=rename, **options)


def read_joined(
    opened: OpenStudy, paths: Sequence[str | os.PathLike[str]], *, pseudonyms: bool, **options: Any
) -> Judgments:
    """The judgments of a study that go with who took part, by files of a tool that knows nothing else."""
    rows = exported(opened, worker_ids=True)
    return read_from(JOINS, paths, study=opened.study, judgments=rows, pseudonyms=pseudonyms, **options)


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
            f"{len(strange):,} objects are not in the study: {list_names(strange)}; it has "
            f"{list_names(sorted(known))}. "
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
    write: Any = connector(name).write  # some take judgments, and options of their own
    _check_options(name, write, options)
    if name in TAKE_JUDGMENTS:
        judgments = Judgments.from_frame(exported(opened))
        write(judgments, path, **options)
        chosen = judgments if options.get("attribute") is None else judgments.only([options["attribute"]])
        return f"{len(chosen):,} judgments"
    order_first_round(opened)  # as when judges are let in: nothing may have been asked for yet
    wanted = requests_of(opened)
    own = {"study": opened.study} if name == JOINS else {}
    write(wanted, path, **own, **options)
    return f"{sum(each.count for each in wanted.wanted):,} judgments of {len(wanted.objects):,} objects to ask for"


def options_in(name: str, verb: str, given: Iterable[str]) -> dict[str, Any]:
    """Options of a connector from texts such as ``"per_hit=10"``, each as the kind of value that it takes.

    Parameters
    ----------
    name : str
        Of the connector.
    verb : {"read", "write"}
    given : iterable of str
        An option that takes several values may stand there several times; one that says what words stand for, too:
        ``"values=good=1"``.
    """
    found: dict[str, Any] = {}
    function = getattr(connector(name), verb)
    kinds = _kinds(function)
    for each in given:
        key, equals, value = each.partition("=")
        option = key.strip().replace("-", "_")
        if not equals:
            raise StudyError(f"--option {each}: an option is written NAME=VALUE, such as --option per_hit=10.")
        if option in COMMON:
            raise StudyError(f"--option {each}: this is no option of {name}'s own; it is given by {COMMON[option]}.")
        _check_options(name, function, [option])
        kind = kinds[option]
        found[option] = _added(found.get(option), _as(kind, option, value), kind)
    return found


def _kinds(function: Callable[..., Any]) -> dict[str, str]:
    """The options of a connector's own, with what they take."""
    parameters = inspect.signature(function).parameters.values()
    own = [each for each in parameters if each.kind is each.KEYWORD_ONLY and each.name not in COMMON]
    more = any(each.kind is each.VAR_KEYWORD for each in parameters)
    terms: dict[str, str] = getattr(inspect.getmodule(function), "TERMS", {}) if more else {}
    return {each.name: str(each.annotation) for each in own} | terms


def _as(kind: str, option: str, value: str) -> Any:
    """A text as the kind of value that an option takes."""
    read: Callable[[str], Any]
    if "bool" in kind:
        read, words = lambda text: TRUTH[text.strip().lower()], "yes or no"
    elif "Mapping" in kind:
        read, words = _pair, f"a word and its number, such as --option {option}=good=1"
    elif "str" in kind or not ("int" in kind or "float" in kind):
        return value
    else:
        read, words = (int, "a whole number") if "int" in kind else (float, "a number")
    try:
        return read(value)
    except (KeyError, ValueError):
        raise StudyError(f"--option {option}={value}: {quote_value(value)} is not {words}.") from None


def _pair(text: str) -> dict[str, float]:
    word, _, number = text.rpartition("=")
    return {word.strip(): float(number)}


def _added(before: Any, value: Any, kind: str) -> Any:
    """What an option is, now that it was given once more."""
    if "Mapping" in kind:
        return {**(before or {}), **value}
    return [*(before or []), value] if "Sequence" in kind else value


def _check_options(name: str, function: Callable[..., Any], options: Iterable[str]) -> None:
    known = _kinds(function)
    for option in options:
        if option not in known and option not in COMMON:
            words = f"it has {list_names(known, limit=20)}" if known else "it has none"
            raise StudyError(f"{name} has no option {option!r}; {words}.{suggest(option, list(known))}")
