"""Repetitions: a worker who judges the same twice, which a plan would take for two judges."""

from __future__ import annotations

__all__ = ["judged_twice"]

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.names import name_text
from manyjudges.tables.storage import Rows
from manyjudges.tables.values import Locate, Place


def check_once(
    rows: Rows, ordered: Rows, objects: Any, attributes: Sequence[str], workers: Any, locate: Locate
) -> None:
    """No worker judges the same pair twice; in order of pairs and workers, the two stand together."""
    if ordered.workers is None or rows.workers is None:
        return
    codes = (ordered.objects, ordered.attributes, ordered.workers)
    if not np.logical_and.reduce([column[1:] == column[:-1] for column in codes]).any():
        return
    # In the order of rows, which is the same whoever reads them; that of names depends on how they are stored.
    judged = pd.DataFrame({"object": rows.objects, "attribute": rows.attributes, "worker": rows.workers})
    again = np.flatnonzero(judged.duplicated().to_numpy())
    object_code, asked, worker = judged.iloc[again[0]]
    first = int(np.argmax((judged == judged.iloc[again[0]]).to_numpy().all(axis=1)))
    raise judged_twice(
        workers[worker], attributes[asked], objects[object_code], locate(first), locate(int(again[0])), len(again)
    )


def judged_twice(who: Any, what: str, where: Any, first: Place, second: Place, count: int) -> JudgmentsError:
    """What to say of a worker who judged the same twice; ``count`` judgments in all are repeated."""
    more = f" ({count - 1:,} more judgments are repeated)" if count > 1 else ""
    return JudgmentsError(
        f"worker {_quoted(who)} judged {what!r} of object {_quoted(where)} twice, in {first} and "
        f"{second}{more}. Plans assume independent judges. Keep one with --repeated first, last or mean "
        "(repeated=), or pass worker=None (--column worker=) if these are different people.",
        value=who,
        row=second.row,
        column="worker",
        file=second.file,
    )


def _quoted(name: Any) -> str:
    """A name as people write it, however it is stored: dates, decimals, true and false as their text."""
    plain = isinstance(name, str | Real) and not isinstance(name, bool | np.bool_)
    return quote_value(name if plain else name_text(name))
