"""Names: when two names, written by two people or two programs, are of the same object.

One rule, which every reader follows: a whole number is the same name whether it was stored as 7, ``"7"``, 7.0 or
``"7.0"``. All else is its text, to the letter: ``"07"`` and ``" 7"`` are other names. The text of what is stored as
something else is what :func:`name_text` says: true and false as JSON has them, decimals without zeros at the end, and
times as ``2020-01-31 12:00:00``.
"""

from __future__ import annotations

__all__ = [
    "check_unique_keys",
    "is_name",
    "loose_key",
    "match_names",
    "name_key",
    "name_keys",
    "name_text",
    "spellings",
    "told_apart",
]

import re
import unicodedata
from collections.abc import Hashable
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.base.messages import list_names
from manyjudges.exceptions import LabelsError

_KEY_TYPE = pd.StringDtype("pyarrow")
"""The type of keys, in which pandas compares them fast."""

_MIXED = ("mixed", "mixed-integer")
"""What pandas says of a column with several types, among which true and false may be."""

_POINT_ZERO = re.compile(r"(0|-?[1-9][0-9]*)\.0")
"""A whole number as programs write it that have stored it as a float."""


_SUMMARIES = {
    "mean", "means", "average", "averages", "avg", "total", "totals", "grand total", "sum", "summary", "overall",
    "median", "sd", "std", "std dev", "mittelwert", "mittelwerte", "durchschnitt", "summe", "gesamt", "gesamtsumme",
    "zusammenfassung", "moyenne", "moyennes", "somme", "résumé", "promedio", "promedios", "suma", "resumen",
    "平均", "平均值", "总计", "合计", "汇总",
}  # fmt: skip
"""What people call a row or a sheet that sums up the others."""


def name_text(name: object) -> str:
    """The text of a name that may be stored as something else.

    >>> name_text(7), name_text(7.0), name_text("7.0"), name_text(True), name_text(Decimal("0.50"))
    ('7', '7', '7.0', 'true', '0.5')
    >>> name_text(np.datetime64("2020-01-31T12:00:00.5"))
    '2020-01-31 12:00:00.500000'
    """
    if isinstance(name, str):
        return name
    if isinstance(name, np.datetime64):
        return str(pd.Timestamp(name))
    plain = name.item() if isinstance(name, np.generic) else name
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, Decimal) and plain.is_finite():
        text = f"{plain:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(plain, float) and plain.is_integer():
        return str(int(plain))
    return str(plain)


def is_name(name: object) -> bool:
    """Whether something can be a name: text that is valid, a number, true or false, or a time; but no list."""
    if isinstance(name, str):
        return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)
    return isinstance(name, Hashable)


def told_apart(names: Any) -> Any:
    """Names in which true is its text: as names, true and 1 are two, and pandas takes them for one.

    >>> told_apart(np.array([True, 1, "a"], dtype=object)).tolist()
    ['true', 1, 'a']
    """
    array = np.asarray(names)
    if array.dtype != np.object_ or pd.api.types.infer_dtype(array, skipna=True) not in _MIXED:
        return array
    apart = np.empty(len(array), dtype=np.object_)
    apart[:] = [name_text(name) if isinstance(name, bool | np.bool_) else name for name in array]
    return apart


def name_key(name: object) -> str:
    """The text by which a name is compared with others.

    >>> name_key(7), name_key("7"), name_key(7.0), name_key("7.0")
    ('7', '7', '7', '7')
    >>> name_key("07"), name_key(True), name_key("jar 7"), name_key(Decimal("7.00"))
    ('07', 'true', 'jar 7', '7')
    """
    if isinstance(name, str):
        return name[:-2] if name.endswith(".0") and _POINT_ZERO.fullmatch(name) else name
    plain = name.item() if isinstance(name, np.generic) and not isinstance(name, np.datetime64) else name
    if isinstance(plain, bool) or not isinstance(plain, Real):
        return name_key(name_text(plain))
    if isinstance(plain, Integral):
        return str(int(plain))
    # repr gives the shortest text that reads back the same, of any kind of real number once it is a float.
    number = float(plain)
    return str(int(number)) if number.is_integer() else repr(number)


def is_summary(name: object) -> bool:
    """Whether something is called as what sums up others: a row of totals, or a sheet of means.

    >>> is_summary("Mean"), is_summary(" TOTAL:"), is_summary("Meaning")
    (True, True, False)
    """
    return isinstance(name, str) and loose_key(name).strip(" :.*()") in _SUMMARIES


def loose_key(name: str) -> str:
    """A name without what people mean no difference by: its case, its spaces, and how its accents are stored.

    Names are never compared by it. It only tells which of them somebody may have meant to be the same.

    >>> loose_key(" Essay  1 "), loose_key("essay 1")
    ('essay 1', 'essay 1')
    """
    if name.isascii():
        return " ".join(name.casefold().split())
    return " ".join(unicodedata.normalize("NFKC", name).replace("\u200b", "").casefold().split())


def name_keys(names: Any) -> pd.Index[Any]:
    """The keys of many names, as an index of texts. Of a million names that are keys already, it takes milliseconds."""
    index = names if isinstance(names, pd.Index) else pd.Index(names)
    if pd.api.types.is_integer_dtype(index.dtype):
        return index.astype(_KEY_TYPE)
    if isinstance(index.dtype, pd.StringDtype) and not index.str.endswith(".0").any():
        return index.astype(_KEY_TYPE)
    missing = pd.isna(index)  # of all names at once
    return pd.Index(
        [None if gone else name_key(name) for name, gone in zip(index, missing, strict=True)], dtype=_KEY_TYPE
    )


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
            column="labels",
        )


def spellings(key: str) -> tuple[str, ...]:
    """The texts that have a key.

    >>> spellings("7"), spellings("jar 7")
    (('7', '7.0'), ('jar 7',))
    """
    return (key, f"{key}.0") if _POINT_ZERO.fullmatch(f"{key}.0") else (key,)


def _is_number(index: pd.Index[Any]) -> bool:
    return pd.api.types.is_numeric_dtype(index.dtype) and not pd.api.types.is_bool_dtype(index.dtype)
