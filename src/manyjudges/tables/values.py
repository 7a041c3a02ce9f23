"""Values: columns of numbers as people write them, and where a row stands. What one cell means is in ``grammar``."""

from __future__ import annotations

__all__ = [
    "REMEDY",
    "ROUND_THOUSANDS",
    "THOUSANDS",
    "THREE_DIGITS",
    "Locate",
    "Place",
    "check_on_invalid",
    "locate_from_zero",
    "numbers",
    "place_in_tables",
]

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import JudgmentsError, PlanError
from manyjudges.tables.grammar import BLANK, DECIMAL_COMMA, NUMBER_PATTERN, is_missing, read_number

REMEDY = " To have such rows skipped and counted: on_invalid='skip' (--on-invalid skip)."
"""Goes on after an error about an invalid row, where rows can be skipped."""


THOUSANDS = r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+"
"""A number with points between its thousands; one that has three decimals looks the same."""


ROUND_THOUSANDS = r"[-+]?[1-9]\d{0,2}(?:[.,]\d{3})*[.,]\d\d0"
"""A number with marks between its thousands, or with a last decimal of 0."""

THREE_DIGITS = r"[-+]?[1-9]\d\d"
"""A number just below the thousands."""

_ONE_MARK = (r"[-+]?[1-9]\d{0,2}(?:,\d{3})+", THOUSANDS)


@dataclass(frozen=True)
class Place:
    """Where a row stands: in words for a message, and for a program.

    Attributes
    ----------
    words : str
    row : int, optional
        Counted from 1.
    file : str, optional
    """

    words: str
    row: int | None = None
    file: str | None = None

    def __str__(self) -> str:
        return self.words


Locate = Callable[[int], Place]
"""From the position of a row to where it stands."""


def locate_from_zero(row: int) -> Place:
    """The place of a row of a table in memory, whose rows people count from 0."""
    return Place(f"row {row} (counting from 0)", int(row) + 1)


def place_in_tables(number: int) -> Place:
    """The place of a row of tables that come one after the other, whose rows are counted from 1 through all of them."""
    return Place(f"row {number:,} of the tables given", number)


def check_on_invalid(on_invalid: str) -> None:
    """Refuse what says neither to complain about invalid rows nor to skip them."""
    if on_invalid not in ("error", "skip"):
        raise PlanError(
            f"on_invalid must be 'error' or 'skip', not {quote_value(on_invalid)}.",
            value=on_invalid,
            column="on_invalid",
        )


def check_thousands(cells: Any, locate: Locate, *, column: str = "value", of: Any = None) -> None:
    """Refuse points and commas between thousands that would be taken for decimals.

    These are points beside decimals with a comma, and ``1,200`` and ``1,350`` beside ``950``: where a last
    decimal of 0 is written, other numbers have decimals, too.

    Parameters
    ----------
    cells : array
        Of a file in which ``3,5`` is a number.
    locate : callable
    column : str
        For the error.
    of : array, optional
        What each cell is a number of; without it, all are of the same.
    """
    cells = pd.Series(cells, dtype=object)
    cells = cells[[isinstance(text, str) for text in cells]]
    texts = cells.drop_duplicates().str.strip()
    grouped = texts[texts.str.fullmatch(THOUSANDS)]
    if len(grouped) and texts.str.fullmatch(DECIMAL_COMMA).any():
        why = "has a point, and other numbers have a comma before their decimals. If the point is between thousands"
        raise _refused(grouped, locate, column, f"{why}, leave it out everywhere; if not, write a comma.")
    if not texts.str.fullmatch(ROUND_THOUSANDS).any() or not texts.str.fullmatch(THREE_DIGITS).any():
        return
    cells = cells.str.strip()
    kinds = np.zeros(len(cells), dtype=np.int64) if of is None else pd.factorize(np.asarray(of)[cells.index])[0]
    for kind in np.unique(kinds[cells.str.fullmatch(ROUND_THOUSANDS)]).tolist():
        grouped = _between_thousands(cells[kinds == kind].drop_duplicates())
        if len(grouped):
            mark = "comma" if "," in grouped.iloc[0] else "point"
            why = f"seems to have a {mark} between its thousands, which would be read as decimals, as other numbers"
            raise _refused(grouped, locate, column, f"{why} are whole. Leave the {mark} out everywhere.")


def _between_thousands(texts: pd.Series[Any]) -> pd.Series[Any]:
    """Those of different numbers that have the same mark between their thousands; none where it may be for decimals."""
    marked = texts[texts.str.contains("[.,]")]
    whole = texts[texts.str.fullmatch(r"[-+]?\d+")]
    beside = whole.str.fullmatch(THREE_DIGITS).any() and not whole.str.fullmatch(r"[-+]?\d{4,}").any()
    same = any(marked.str.fullmatch(form).all() for form in _ONE_MARK)
    are_thousands = len(marked) > 1 and beside and same and marked.str.endswith("0").any()
    return marked if are_thousands else marked.iloc[:0]


def _refused(texts: pd.Series[Any], locate: Locate, column: str, why: str) -> JudgmentsError:
    """What to say of the first of some cells."""
    value, place = texts.iloc[0], locate(int(texts.index[0]))
    return JudgmentsError(
        f"{place}: {quote_value(value)} {why}", value=value, row=place.row, column=column, file=place.file
    )


def numbers(raw: Any, *, decimal_comma: bool = False) -> Floats:
    """The numbers that cells stand for; NaN where one stands for none, and infinite where it is too large."""
    array = np.asarray(raw)
    if array.dtype.kind in "iufb":
        return array.astype(float)
    text = pd.Series(array, dtype=object)
    if pd.api.types.infer_dtype(text, skipna=True) != "string":
        # True and 1 are equal; their text is not.
        text = pd.Series([None if is_missing(value) else str(value) for value in text], dtype=object)
    codes, distinct = pd.factorize(text)
    return np.append(_read_distinct(distinct, decimal_comma), np.nan)[codes]  # the last is for missing ones, coded -1


def _read_distinct(texts: Any, decimal_comma: bool) -> Floats:
    values = np.full(len(texts), np.nan)
    plain = _plain_numbers(texts)
    if plain is not None:
        at, read = plain
        values[at] = read
    for i in np.flatnonzero(np.isnan(values)):
        values[i] = read_number(texts[i], decimal_comma=decimal_comma)
    return values


def _plain_numbers(texts: Any) -> tuple[Integers, Floats] | None:
    """Numbers among texts, and where they are, many times as fast as one by one; None where that cannot be done."""
    try:
        cells = pc.utf8_trim(pa.array(texts, pa.string()), characters=BLANK)
        matches = pc.match_substring_regex(cells, f"^({NUMBER_PATTERN})$")
        # Arrow takes no plus sign before a number.
        cells = pc.utf8_ltrim(cells.filter(matches), characters="+")
        return np.flatnonzero(matches.to_numpy(zero_copy_only=False)), cells.cast(pa.float64()).to_numpy()
    except (pa.ArrowException, UnicodeError):  # a number too large, or a text that is no valid one
        return None
