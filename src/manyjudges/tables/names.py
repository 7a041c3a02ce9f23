"""Names: when two names, written by two people or two programs, are of the same object.

One rule, which every reader follows: a whole number is the same name whether it was stored as 7, ``"7"``, 7.0 or
``"7.0"``. All else is the text that Python writes of it, to the letter: ``"07"`` and ``" 7"`` are other names.
"""

from __future__ import annotations

__all__ = ["check_unique_keys", "match_names", "name_key", "name_keys", "spellings"]

import re
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.base.messages import list_names
from manyjudges.exceptions import LabelsError
from manyjudges.tables.grammar import is_missing

KEYS = pd.StringDtype("pyarrow")
"""The type of keys, in which pandas compares them fast."""

POINT_ZERO = re.compile(r"(0|-?[1-9][0-9]*)\.0")
"""A whole number as programs write it that have stored it as a float."""


def name_key(name: object) -> str:
    """The text by which a name is compared with others.

    >>> name_key(7), name_key("7"), name_key(7.0), name_key("7.0")
    ('7', '7', '7', '7')
    >>> name_key("07"), name_key(True), name_key("jar 7")
    ('07', 'True', 'jar 7')
    """
    if isinstance(name, str):
        return name[:-2] if name.endswith(".0") and POINT_ZERO.fullmatch(name) else name
    if isinstance(name, np.datetime64):
        return str(pd.Timestamp(name))
    plain = name.item() if isinstance(name, np.generic) else name
    if isinstance(plain, bool) or not isinstance(plain, Real):
        return name_key(str(plain))
    if isinstance(plain, Integral):
        return str(int(plain))
    # repr gives the shortest text that reads back the same, of any kind of real number once it is a float.
    number = float(plain)
    return str(int(number)) if number.is_integer() else repr(number)


def name_keys(names: Any) -> pd.Index[Any]:
    """The keys of many names, as an index of texts. Of a million names that are keys already, it takes milliseconds."""
    index = names if isinstance(names, pd.Index) else pd.Index(names)
    if pd.api.types.is_integer_dtype(index.dtype):
        return index.astype(KEYS)
    if isinstance(index.dtype, pd.StringDtype) and not index.str.endswith(".0").any():
        return index.astype(KEYS)
    return pd.Index([None if is_missing(name) else name_key(name) for name in index], dtype=KEYS)


def match_names(index: pd.Index[Any], names: Any) -> Any:
    """The position in ``index`` of each of some names, -1 for a name that is not there.

    It does not depend on which other names there are, so that parts of a table match as the whole does.
    """
    own = pd.Index(names)
    if not (_is_number(own) and _is_number(index)):
        own, index = name_keys(own), name_keys(index)
        check_unique_keys(index)
    return np.asarray(index.get_indexer(own), dtype=np.int64)


def check_unique_keys(keys: pd.Index[Any]) -> None:
    """Refuse labels two of which are of the same name."""
    if keys.has_duplicates:
        twice = keys[keys.duplicated()].unique()
        raise LabelsError(
            f"{list_names(twice)} labelled twice, once as text and once not; keep one label each.",
            row=str(twice[0]),
        )


def spellings(key: str) -> tuple[str, ...]:
    """The texts that have a key.

    >>> spellings("7"), spellings("jar 7")
    (('7', '7.0'), ('jar 7',))
    """
    return (key, f"{key}.0") if POINT_ZERO.fullmatch(f"{key}.0") else (key,)


def _is_number(index: pd.Index[Any]) -> bool:
    return pd.api.types.is_numeric_dtype(index.dtype) and not pd.api.types.is_bool_dtype(index.dtype)
