"""Columns: an attribute as one judge sees it, which is what a plan counts the calls of.

Calls of one model are not independent judges: its own view of an object comes back in every call. So each attribute has
a column for each judge, and the repeats of a column are that judge's calls.
"""

from __future__ import annotations

__all__ = ["AT", "columns_by_judge", "split"]

from collections.abc import Mapping
from typing import Any

import numpy as np

from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.columns import encode_names
from manyjudges.tables.values import Locate

AT = " @ "
"""What stands between the attribute and the judge in the name of a column: ``"tone @ gpt-small"``."""


def columns_by_judge(columns: Mapping[str, Any], locate: Locate) -> dict[str, Any]:
    """Columns of judgments whose attributes are ``"attribute @ worker"``, and that have no workers any more.

    Parameters
    ----------
    columns : mapping
        Arrays by the roles object, attribute, value and worker.
    locate : callable
        Where a row is, for messages.
    """
    attributes = _names(columns["attribute"], "attribute", locate)
    judges = _names(columns["worker"], "judge", locate)
    named = [f"{attribute}{AT}{judge}" for attribute, judge in zip(attributes, judges, strict=True)]
    return {
        "object": columns["object"],
        "attribute": np.array(named, dtype=np.object_),
        "value": columns["value"],
    }


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
            "or leave it out with only.",
            column=column,
        )
    return attribute, judge
