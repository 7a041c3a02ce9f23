"""Times: in which order the moments in a column are, however people and programs write them."""

from __future__ import annotations

__all__ = ["read_moments"]

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Floats
from manyjudges.tables.answers.numbered import read_any_number
from manyjudges.tables.grammar import BLANK, is_missing

_SEPARATED = re.compile(
    r"(?P<a>\d{1,2})(?P<mark>[./-])(?P<b>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})(?P<rest>(?!\d).*)", re.DOTALL
)
"""A date whose year comes last, so that either the day or the month comes first."""

_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})(?P<mark>[./-]|年)(?P<month>\d{1,2})([./-]|月)(?P<day>\d{1,2})日?(?P<rest>(?!\d).*)", re.DOTALL
)

_DAY_FIRST = "."
"""With points between them, the day is always first."""

_ZONES = {
    "PST": "-0800", "PDT": "-0700", "MST": "-0700", "MDT": "-0600", "CST": "-0600", "CDT": "-0500", "EST": "-0500",
    "EDT": "-0400", "BST": "+0100", "CET": "+0100", "CEST": "+0200", "MEZ": "+0100", "MESZ": "+0200",
}  # fmt: skip
_ZONE = re.compile(rf"\b({'|'.join(_ZONES)})\b")
_MEZ = re.compile(r"\b(UTC|GMT)(?=[+-]\d)")


@dataclass(frozen=True)
class TimeOrder:
    """TimeOrder as numbers that grow with time.

    Attributes
    ----------
    numbers : array
        NaN for a cell that holds no moment.
    others : array, optional
        The same where the month comes before the day, if the column leaves open which of them is first.
    """

    numbers: Floats
    others: Floats | None = None


def read_moments(cells: Any) -> TimeOrder:
    """The moments in a column.

    Parameters
    ----------
    cells : array
        Dates and times, numbers, or texts such as ``2024-03-01 10:00``, ``1.3.2024``, ``Fri Mar 01 10:00:00 PST 2024``.

    Examples
    --------
    >>> read_moments(["28.2.2024", "1.3.2024 09:00"]).numbers.argsort().tolist()
    [0, 1]
    >>> read_moments(["10/02/2024", "13/03/2024"]).others is None, read_moments(["10/02/2024"]).others is None
    (True, False)
    >>> read_moments(["7", "5"]).numbers.tolist(), read_moments(["yesterday"]).numbers.tolist()
    ([7.0, 5.0], [nan])
    """
    array = np.asarray(cells)
    if array.dtype.kind in "iuf":
        return TimeOrder(array.astype(float))
    codes, distinct = pd.factorize(pd.Series(array, dtype=object))
    values = distinct.tolist()
    texts = [str(cell).strip(BLANK) if isinstance(cell, str) else None for cell in values]
    first = [match for text in texts if text is not None and (match := _SEPARATED.fullmatch(text))]
    day_first = any(int(match["a"]) > 12 or match["mark"] == _DAY_FIRST for match in first)
    month_first = any(int(match["b"]) > 12 for match in first) and not day_first
    numbers = _numbers(values, texts, lambda match: _iso(match, day_first=not month_first))
    open_order = bool(first) and not day_first and not month_first
    others = _numbers(values, texts, lambda match: _iso(match, day_first=False)) if open_order else None
    return TimeOrder(_at(numbers, codes), None if others is None else _at(others, codes))


def _at(numbers: Floats, codes: Any) -> Floats:
    result: Floats = np.append(numbers, np.nan)[codes]  # the last is for missing cells, coded -1
    return result


def _numbers(values: list[Any], texts: list[str | None], of_match: Callable[[re.Match[str]], str]) -> Floats:
    """Seconds, or plain numbers where all cells are numbers."""
    plain = [None if is_missing(value) else read_any_number(value) for value in values]
    if all(number is not None for number in plain):
        return np.array(plain, dtype=float)
    written = [value if text is None else _plain(text, of_match) for value, text in zip(values, texts, strict=True)]
    moments = pd.to_datetime(pd.Series(written, dtype=object), errors="coerce", utc=True, format="mixed")
    seconds = moments.astype("datetime64[us, UTC]").astype("int64").to_numpy() / 1e6
    return np.where(moments.isna().to_numpy(), np.nan, seconds)


def _plain(text: str, of_match: Callable[[re.Match[str]], str]) -> str:
    """A moment as it is written with the year first."""
    if match := _SEPARATED.fullmatch(text):
        text = of_match(match)
    elif match := _YEAR_FIRST.fullmatch(text):
        text = f"{match['year']}-{int(match['month']):02}-{int(match['day']):02}{match['rest']}"
    return _MEZ.sub("", _ZONE.sub(lambda zone: _ZONES[zone[0]], text))


def _iso(match: re.Match[str], *, day_first: bool) -> str:
    day, month = (match["a"], match["b"]) if day_first else (match["b"], match["a"])
    year = match["year"] if len(match["year"]) == 4 else f"20{match['year']}"
    return f"{year}-{int(month):02}-{int(day):02}{match['rest']}"
