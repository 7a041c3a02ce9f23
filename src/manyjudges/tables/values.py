"""Values: columns of what people write (3.5, yes, TRUE) as numbers. What a single cell means is in ``grammar``."""

from __future__ import annotations

__all__ = [
    "REMEDY",
    "Locate",
    "Place",
    "check_on_invalid",
    "check_thousands",
    "locate_from_zero",
    "mixed_kinds",
    "numbers",
]

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import JudgmentsError, PlanError
from manyjudges.tables.grammar import (
    BLANK,
    DECIMAL_COMMA,
    NOTATIONS,
    NUMBER_PATTERN,
    is_blank,
    is_infinite,
    is_missing,
    read_value,
)

REMEDY = " To have such rows skipped and counted: on_invalid='skip' (--on-invalid skip)."
"""Goes on after an error about an invalid row, where rows can be skipped."""


_THOUSANDS = r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+"
"""A number with points between its thousands; one that has three decimals looks the same."""


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


def parse(
    raw: Any, attributes: Integers, names: Sequence[str], locate: Locate, *, decimal_comma: bool = False
) -> Floats:
    """Turn a column of judgments into numbers, or say which of them is invalid.

    Parameters
    ----------
    raw : array
        Numbers, booleans or text.
    attributes : array of int
        Each row's attribute, by position in ``names``.
    names : sequence of str
    locate : callable
        Says where a row is.
    decimal_comma : bool
        Whether ``3,5`` is a number.
    """
    array = np.asarray(raw)
    values, kinds = numbers(array, decimal_comma=decimal_comma)
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        row = int(wrong[0])
        raise invalid_value(array[row], names[attributes[row]], locate(row), wrong.size)
    if kinds is not None:
        _check_kinds(kinds, array, attributes, names, locate)
    return values


def invalid_value(value: object, attribute: str, place: Place, count: int, remedy: str = "") -> JudgmentsError:
    """What to say of a row whose value is no judgment; ``count`` rows are invalid."""
    more = f" ({count - 1:,} more rows are invalid)" if count > 1 else ""
    return JudgmentsError(
        f"{place}, a judgment of {attribute!r}: {_describe(value)}{more}. "
        f"Correct the row, or leave it out if the judgment was not given.{remedy}",
        value=None if is_missing(value) or is_blank(value) else value,
        row=place.row,
        column="value",
        file=place.file,
    )


def check_on_invalid(on_invalid: str) -> None:
    """Refuse what says neither to complain about invalid rows nor to skip them."""
    if on_invalid not in ("error", "skip"):
        raise PlanError(
            f"on_invalid must be 'error' or 'skip', not {quote_value(on_invalid)}.",
            value=on_invalid,
            column="on_invalid",
        )


def check_thousands(cells: Any, locate: Locate, *, column: str = "value") -> None:
    """Refuse points between thousands beside decimals with a comma, as they would be taken for decimals.

    Parameters
    ----------
    cells : array
        Of a file in which ``3,5`` is a number.
    locate : callable
    column : str
        For the error.
    """
    texts = pd.Series(cells, dtype=object)
    texts = texts[[isinstance(text, str) for text in texts]].drop_duplicates().str.strip()
    grouped = texts[texts.str.fullmatch(_THOUSANDS)]
    if not len(grouped) or not texts.str.fullmatch(DECIMAL_COMMA).any():
        return
    value, place = grouped.iloc[0], locate(int(grouped.index[0]))
    raise JudgmentsError(
        f"{place}: {quote_value(value)} has a point, and other numbers have a comma before their decimals. If the "
        "point is between thousands, leave it out everywhere; if not, write a comma.",
        value=value,
        row=place.row,
        column=column,
        file=place.file,
    )


def numbers(raw: Any, *, decimal_comma: bool = False) -> tuple[Floats, Integers | None]:
    """The numbers that values stand for, NaN where they stand for none; and their kinds, where they are not numbers."""
    array = np.asarray(raw)
    if array.dtype.kind in "iufb":
        return array.astype(float), None
    return _parse_text(array, decimal_comma)


def _parse_text(array: Any, decimal_comma: bool) -> tuple[Floats, Integers]:
    text = pd.Series(array, dtype=object)
    if pd.api.types.infer_dtype(text, skipna=True) != "string":
        # True and 1 are equal; their text is not.
        text = pd.Series([None if is_missing(value) else str(value) for value in text], dtype=object)
    codes, distinct = pd.factorize(text)
    values, kinds = _read_distinct(distinct, decimal_comma)
    return np.append(values, np.nan)[codes], np.append(kinds, -1)[codes]  # the last is for missing values, coded -1


def _read_distinct(texts: Any, decimal_comma: bool) -> tuple[Floats, Integers]:
    values, kinds = np.full(len(texts), np.nan), np.full(len(texts), -1)
    plain = _plain_numbers(texts)
    if plain is not None:
        at, numbers = plain
        values[at], kinds[at] = numbers, 0
    for i in np.flatnonzero(kinds < 0):
        values[i], kinds[i] = read_value(texts[i], decimal_comma=decimal_comma)
    return values, kinds


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


def _check_kinds(kinds: Integers, raw: Any, attributes: Integers, names: Sequence[str], locate: Locate) -> None:
    seen, first = np.unique(attributes * len(NOTATIONS) + kinds, return_index=True)
    judged: dict[int, list[int]] = {}
    for code, row in zip((seen // len(NOTATIONS)).tolist(), first.tolist(), strict=True):
        judged.setdefault(code, []).append(row)
    mixed = [(sorted(rows)[:2], attribute) for attribute, rows in judged.items() if len(rows) > 1]
    if mixed:
        # Whichever attribute comes first in the table, as that does not depend on how names are stored.
        rows, attribute = min(mixed, key=lambda example: example[0][1])
        raise mixed_kinds(names[attribute], [(raw[row], int(kinds[row]), locate(row)) for row in rows])


def mixed_kinds(attribute: str, examples: Sequence[tuple[object, int, Place]]) -> JudgmentsError:
    """What to say of an attribute that is judged in two ways; of each, a value, its kind and its place."""
    quoted = " and ".join(f"{quote_value(value)} ({place}, {NOTATIONS[kind]})" for value, kind, place in examples)
    value, _, place = examples[1]
    return JudgmentsError(
        f"judgments of {attribute!r} are of more than one kind: {quoted}. Write all of them in the same way.",
        value=value,
        row=place.row,
        column="value",
        file=place.file,
    )


def _describe(value: object) -> str:
    if is_blank(value) or is_missing(value):
        return "the value is missing"
    if is_infinite(value):
        return f"{quote_value(value)} is not finite"
    comma = " (write decimals with a point)" if isinstance(value, str) and value.replace(",", "", 1).isdigit() else ""
    return f"{quote_value(value)} is not a number, true/false or yes/no{comma}"
