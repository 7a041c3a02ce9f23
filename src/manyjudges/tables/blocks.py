"""Blocks: judgments as an array of (objects, attributes, judgments), and names given beside it, checked once."""

from __future__ import annotations

__all__: list[str] = []

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from manyjudges.arrays.types import Floats
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import JudgmentsError


def checked_block(
    X: ArrayLike,
    attributes: Iterable[str] | None,
    objects: Iterable[Any] | None,
    *,
    copy: bool,
    allow_empty: bool,
) -> tuple[tuple[str, ...], Any, Floats, bool]:
    """Names of attributes and objects, the array as numbers, and whether no judgment is missing in it.

    Parameters
    ----------
    X, attributes, objects, copy, allow_empty
        As for :meth:`manyjudges.Judgments.from_array`.
    """
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(float), np.nan)
    try:
        if np.asarray(X).dtype.kind in "mMcSU":
            raise TypeError
        values = np.array(X, dtype=float, copy=True if copy else None).view()
    except (TypeError, ValueError, OverflowError):
        raise JudgmentsError(
            "the array holds values that are not numbers; use numbers, and NaN for none.",
            column="X",
        ) from None
    if values.ndim != 3:
        raise JudgmentsError(
            f"the array must be (objects, attributes, judgments); this one has {values.ndim} dimensions, "
            f"{values.shape}. For a table with a column a judgment see MultiSelectRegressor's attributes=.",
            value=values.shape,
            column="X",
        )
    n, d, _ = values.shape
    names = tuple(f"x{i}" for i in range(d)) if attributes is None else tuple(map(str, as_names(attributes)))
    object_names = np.arange(n) if objects is None else as_names(objects)
    check_names(names, d, "attributes")
    if objects is not None:
        check_names(object_names.tolist(), n, "objects")
    if values.size == 0:
        raise JudgmentsError(
            f"there are no judgments: the array has the shape {values.shape}.", value=values.shape, column="X"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        full = bool(np.isfinite(values.sum()))
    if not full:
        full = _check_block(values, object_names, names, allow_empty=allow_empty)
    values.flags.writeable = False
    return names, object_names, values, full


def _check_block(values: Floats, objects: Any, attributes: Sequence[str], *, allow_empty: bool) -> bool:
    infinite = np.argwhere(np.isinf(values))
    if infinite.size:
        i, a, j = infinite[0]
        raise JudgmentsError(
            f"the value at [{i}, {a}, {j}] (object {quote_value(objects[i])}, attribute {attributes[a]!r}) is "
            f"{values[i, a, j]}; judgments must be finite, or NaN where not collected.",
            value=float(values[i, a, j]),
            row=int(i) + 1,
            column=attributes[a],
        )
    if np.isnan(values).all() and not allow_empty:
        raise JudgmentsError("there are no judgments: every value is NaN.", column="X")
    return not np.isnan(values).any()


def check_names(names: Sequence[Any], length: int, what: str) -> None:
    """Refuse names that are too few or too many, missing, or there twice."""
    if len(names) != length:
        raise JudgmentsError(
            f"{len(names)} {what} are named, but the array has {length}.", value=len(names), column=what
        )
    if pd.isna(np.array(names, dtype=np.object_)).any():
        raise JudgmentsError(f"one of the {what} has no name (NaN or None); each needs one.", column=what)
    if len(set(names)) < length:
        twice = next(name for name, n in Counter(names).items() if n > 1)
        raise JudgmentsError(
            f"{what[:-1]} {quote_value(twice)} is named twice; each name must be there once.",
            value=twice,
            column=what[:-1],
        )


def as_names(names: Iterable[Any]) -> Any:
    """Names as an array, from any list of them."""
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise JudgmentsError(f"give a list of names, not {quote_value(names)}.", value=names)
    items = names if hasattr(names, "dtype") else list(names)
    if isinstance(items, list) and items and all(isinstance(name, str) for name in items):
        # Not as numpy's own text, which takes a NUL at the end of a name for padding.
        return np.array([str(name) for name in items], dtype=np.object_)
    array = np.asarray(items)
    if array.ndim != 1:
        raise JudgmentsError(f"names must be text or numbers in a list, not {quote_value(names)}.", value=names)
    return array.astype(np.object_) if array.dtype.kind in "US" else array
