"""Values: from what people write (3.5, yes, TRUE) to numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import JudgmentsError, PlanError

WORDS = {"true": (1.0, 1), "false": (0.0, 1), "yes": (1.0, 2), "no": (0.0, 2)}
KINDS = ("a number", "true/false", "yes/no")

Locate = Callable[[int], str]
"""From the position of a row to words that tell a person where it is."""


def parse(raw: Any, attributes: Integers, names: Sequence[str], locate: Locate) -> Floats:
    """Turn a column of judgments into numbers, or say which of them is none.

    Parameters
    ----------
    raw : array
        Numbers, booleans or text.
    attributes : array of int
        Each row's attribute, by position in ``names``.
    names : sequence of str
    locate : callable
        Says where a row is.
    """
    array = np.asarray(raw)
    values, kinds = numbers(array)
    if kinds is not None:
        _check_kinds(kinds, array, attributes, names, locate)
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        row = int(wrong[0])
        more = f" ({wrong.size - 1:,} more rows are like it)" if wrong.size > 1 else ""
        raise JudgmentsError(
            f"{locate(row)}, a judgment of {names[attributes[row]]!r}: {_describe(array[row])}{more}. "
            "Correct the row, or leave it out if the judgment was not given."
        )
    return values


def check_on_invalid(on_invalid: str) -> None:
    """Refuse what says neither to complain about rows that are no judgments nor to skip them."""
    if on_invalid not in ("error", "skip"):
        raise PlanError(f"on_invalid must be 'error' or 'skip', not {quote_value(on_invalid)}.")


def numbers(raw: Any) -> tuple[Floats, Integers | None]:
    """The numbers that values stand for, NaN where they stand for none; and their kinds, where they are not numbers."""
    array = np.asarray(raw)
    return (array.astype(float), None) if array.dtype.kind in "iufb" else _parse_text(array)


def is_missing(value: object) -> bool:
    """Whether a value stands for none; unlike pandas' own test, for lists, too."""
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and np.isnan(value))


def read_value(value: object) -> tuple[float, int]:
    """One value and its kind, by position in ``KINDS``; NaN and -1 for what is neither number nor yes/no.

    >>> as_number(" Yes"), as_number("3.5"), as_number("maybe")
    ((1.0, 2), (3.5, 0), (nan, -1))
    """
    text = str(value).strip()
    if (word := WORDS.get(text.lower())) is not None:
        return word
    try:
        # float() reads 1_000 as Python source does; a table does not mean that.
        return (float(text), 0) if "_" not in text else (np.nan, -1)
    except ValueError:
        return np.nan, -1


def _parse_text(array: Any) -> tuple[Floats, Integers]:
    text = pd.Series(array.astype(object))
    if pd.api.types.infer_dtype(text, skipna=True) != "string":
        # True and 1 are equal; their text is not.
        text = text.map(lambda value: None if is_missing(value) else str(value))
    codes, distinct = pd.factorize(text)
    parsed = [read_value(value) for value in distinct] + [(np.nan, -1)]  # the last is for missing values, coded -1
    return np.array([v for v, _ in parsed])[codes], np.array([k for _, k in parsed])[codes]


def _check_kinds(kinds: Integers, raw: Any, attributes: Integers, names: Sequence[str], locate: Locate) -> None:
    known = kinds >= 0
    seen = np.bincount(attributes[known] * 3 + kinds[known], minlength=3 * len(names)).reshape(-1, 3) > 0
    mixed = np.flatnonzero(seen.sum(axis=1) > 1)
    if mixed.size:
        attribute = mixed[0]
        rows = [
            int(np.flatnonzero(known & (attributes == attribute) & (kinds == k))[0])
            for k in range(3)
            if seen[attribute, k]
        ]
        found = " and ".join(f"{quote_value(raw[row])} ({locate(row)}, {KINDS[kinds[row]]})" for row in rows)
        raise JudgmentsError(
            f"judgments of {names[attribute]!r} are of more than one kind: {found}. Write all of them in the same way."
        )


def _describe(value: object) -> str:
    if isinstance(value, str) and not value.strip():
        return "the value is empty"
    if is_missing(value):
        return "the value is missing"
    if np.isinf(read_value(value)[0]):
        return f"{quote_value(value)} is not finite"
    comma = " (write decimals with a point)" if isinstance(value, str) and value.replace(",", "", 1).isdigit() else ""
    return f"{quote_value(value)} is not a number, true/false or yes/no{comma}"
