"""Columns: an attribute as one judge sees it, which is what a plan counts the calls of.

Calls of one model are not independent judges: its own view of an object comes back in every call. So each attribute has
a column for each judge, and the repeats of a column are that judge's calls.
"""

from __future__ import annotations

__all__ = ["AT", "asked_in_words", "by_judge", "split"]

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from manyjudges.base.formatting import listed
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.columns import encode_names, take_columns
from manyjudges.tables.judgments import Judgments
from manyjudges.tables.values import Locate, locate_from_zero

AT = " @ "
"""What stands between the attribute and the judge in the name of a column: ``"tone @ gpt-small"``."""


def by_judge(
    frame: Any,
    *,
    object: str = "object",
    attribute: str = "attribute",
    worker: str = "worker",
    value: str = "value",
) -> Judgments:
    """Take judgments apart by who gave them: a column ``"attribute @ worker"`` for each, whose repeats are the calls.

    Parameters
    ----------
    frame : Judgments, or a pandas, polars, pyarrow or duckdb table
        A row a judgment. A worker, which may be a model or a person, may judge the same pair any number of times.
    object, attribute, worker, value : str
        Names of the columns; those of Judgments are known.

    Examples
    --------
    >>> import pandas as pd
    >>> calls = pd.DataFrame({
    ...     "object": ["essay 1", "essay 1", "essay 1", "essay 2"],
    ...     "attribute": "tone",
    ...     "worker": ["gpt-small", "gpt-small", "gpt-large", "gpt-small"],
    ...     "value": [3, 4, 2, 5],
    ... })
    >>> by_judge(calls).counts()
    attribute  tone @ gpt-large  tone @ gpt-small
    object
    essay 1                   1                 2
    essay 2                   0                 1
    """
    names = {"object": object, "attribute": attribute, "worker": worker, "value": value}
    source = ""
    if isinstance(frame, Judgments):
        if not len(frame.workers):
            raise JudgmentsError(
                "these judgments do not say whose they are, so they cannot be taken apart by judge; read them again "
                "with the column of workers, or give by_judge the table itself."
            )
        names, source, frame = {role: role for role in names}, frame.source, frame.to_frame()
    columns = take_columns(frame, names)

    asked = _names(columns["attribute"], "attribute", locate_from_zero)
    judges = _names(columns["worker"], "judge", locate_from_zero)
    named = np.array([f"{a}{AT}{j}" for a, j in zip(asked, judges, strict=True)], dtype=np.object_)
    taken = {"object": columns["object"], "attribute": named, "value": columns["value"]}
    return Judgments.from_columns(taken, locate_from_zero, source=source)


def _names(raw: Any, role: str, locate: Locate) -> Any:
    """Each row's name as text, none of which may be mistaken for another."""
    if not len(raw):
        return np.array([], dtype=np.object_)
    names, codes = encode_names(raw, role, locate)
    texts = [str(name) for name in names]
    for i, text in enumerate(texts):
        place = locate(int(np.flatnonzero(codes == i)[0]))
        about: dict[str, Any] = {"value": text, "row": place.row, "column": role, "file": place.file}
        if AT in text:
            already = " If these judgments are by judge already, use them as they are." if role == "attribute" else ""
            raise JudgmentsError(
                f"{place}: the {role} {text!r} has {AT!r} in it, which stands between an attribute and its "
                f"judge; rename it.{already}",
                **about,
            )
        if text in texts[:i]:
            raise JudgmentsError(
                f"{place}: two {role}s are written {text!r}, once as text and once not; rename one.", **about
            )
    return np.array(texts, dtype=np.object_)[codes]


def split(column: str) -> tuple[str, str]:
    """Attribute and judge of a column, at the last of its marks.

    >>> split("tone @ gpt-small")
    ('tone', 'gpt-small')
    """
    attribute, at, judge = column.rpartition(AT)
    if not (at and attribute.strip() and judge.strip()):
        raise JudgmentsError(
            f"the column {column!r} does not say whose it is, as 'tone{AT}gpt-small' does; make columns with by_judge, "
            "or leave it out with only."
        )
    return attribute, judge


def asked_in_words(repeats: Mapping[str, int], columns: Iterable[str]) -> str:
    """Whom a plan asks how often about what, in a sentence; columns without a judge are those of people.

    >>> columns = ["tone @ atlas", "tone @ birch", "grammar @ atlas", "grammar @ birch"]
    >>> asked_in_words({"tone @ atlas": 2, "tone @ birch": 1}, columns)
    'ask atlas twice and birch once about tone, and nobody about grammar'
    """
    asked: dict[str, list[str]] = {}
    for column in columns:
        attribute, at, judge = column.rpartition(AT) if AT in column else (column, "", "")
        judges = asked.setdefault(attribute, [])
        if count := repeats.get(column, 0):
            judges.append(f"{judge} {_times(count)}" if at else _people(count))
    some = [f"{listed(judges)} about {attribute}" for attribute, judges in asked.items() if judges]
    none = [attribute for attribute, judges in asked.items() if not judges]
    nobody = [f"nobody about {listed(none)}"] if none else []
    if not some:
        return f"ask {nobody[0]}"
    return f"ask {'; '.join(some)}" + "".join(f", and {words}" for words in nobody)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _people(count: int) -> str:
    return "one person" if count == 1 else f"{count:,} people"
