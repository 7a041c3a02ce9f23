"""No answer: which cells of a table say that there is none.

Blank cells, what programs write for missing values, and what people say who do not answer, in all languages of
``languages``. No word of a scale is among them, such as "none", "neutral" or "not sure"; where one of those means that
there is no answer, the user says so (``--missing``).
"""

from __future__ import annotations

__all__ = ["NO_ANSWER", "is_no_answer", "no_answer_mask", "numeric_codes"]

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Bools
from manyjudges.tables.answers.languages.language import Language, key_of, plain_key, words_of
from manyjudges.tables.answers.numbered import read_any_number, read_numbered
from manyjudges.tables.answers.words import LANGUAGES
from manyjudges.tables.grammar import is_missing
from manyjudges.tables.kinds import CANT_TELL_WORDS

_MARKS = frozenset(
    ["", ".", "..", "...", "-", "--", "---", "–", "—", "−", "/", "//", "\\", "\\n", "?", "??", "_", "()"]
)
"""What stands in a cell that has nothing to say."""

_PROGRAMS = ("nan", "null", "nil", "#n/a", "#null!", "<na>", "<n/a>", "nat", "n/a", "n.a.", "n. a.", "n/a.")
"""What programs write for a missing value. ``None`` is not among them, as it is the step of many scales."""


def _lines(language: Language) -> list[str]:
    return language.no_answer.strip().splitlines()


NO_ANSWER: frozenset[str] = frozenset(
    {
        *_MARKS,
        *map(plain_key, _PROGRAMS),
        *(key_of(word) for word in (*_PROGRAMS, *CANT_TELL_WORDS) if key_of(word)),
        *(key_of(word) for language in LANGUAGES for line in _lines(language) for word in words_of(line)),
    }
)
"""The keys of all words and marks that mean that there is no answer."""

_WORDS = NO_ANSWER - _MARKS


def is_no_answer(cell: object, missing: Collection[str] = (), valid: Collection[str] = ()) -> bool:
    """Whether a cell says that there is no answer.

    Parameters
    ----------
    cell : object
    missing : collection of str
        More codes and words for "no answer". Numbers are compared as numbers: ``"-99"`` is also -99.0 and ``"-99.00"``.
    valid : collection of str
        Words and codes that are answers in spite of all this.

    Examples
    --------
    >>> is_no_answer(" N/A "), is_no_answer("don’t know"), is_no_answer("9 = refused"), is_no_answer("none")
    (True, True, True, False)
    >>> is_no_answer(-99.0, missing=["-99"]), is_no_answer("Other", missing=["other"])
    (True, True)
    """
    return _is_no_answer(cell, _codes(missing), _codes(valid))


def numeric_codes(missing: Collection[str], valid: Collection[str] = ()) -> list[float]:
    """The numbers that mean that there is no answer.

    Parameters
    ----------
    missing, valid : collection of str
        See :func:`is_no_answer`.

    Examples
    --------
    >>> numeric_codes(["-99", "refused", "9.0"], valid=["9"])
    [-99.0]
    """
    return sorted(each for each in _codes(missing) - _codes(valid) if isinstance(each, float))


def no_answer_mask(column: Any, missing: Collection[str] = (), valid: Collection[str] = ()) -> Bools:
    """Which cells of a column say that there is no answer: :func:`is_no_answer` of each, many times as fast.

    Parameters
    ----------
    column : array
        Numbers, text or anything else.
    missing, valid : collection of str
        See :func:`is_no_answer`.
    """
    array = np.asarray(column)
    if array.dtype.kind in "iufb":
        return _numbers_mask(array, numeric_codes(missing, valid))
    codes, answers = _codes(missing), _codes(valid)
    text = pd.Series(array.ravel(), dtype=object)
    if pd.api.types.infer_dtype(text, skipna=True) != "string":
        # True and 1 are equal; their text is not.
        text = pd.Series([None if is_missing(value) else str(value) for value in text], dtype=object)
    at, distinct = pd.factorize(text)
    found = np.array([_is_no_answer(cell, codes, answers) for cell in distinct] + [True])
    return found[at]  # the last is for missing values, coded -1


def absent_codes(missing: Collection[str], columns: Iterable[Any]) -> tuple[str, ...]:
    """The codes and words for "no answer" that stand in no cell of some columns.

    Parameters
    ----------
    missing : collection of str
    columns : iterable of arrays

    Examples
    --------
    >>> absent_codes(["-99", "foo", "Other"], [np.array([1.0, -99.0]), np.array(["other", "no"])])
    ('foo',)
    """
    absent = {code: _key(code) for code in missing}
    for column in columns:
        if not absent:
            break
        distinct = pd.unique(pd.Series(np.asarray(column).ravel()))
        keys = {_key(str(cell)) for cell in distinct if not is_missing(cell)}
        absent = {code: key for code, key in absent.items() if key not in keys}
    return tuple(absent)


def _numbers_mask(array: Any, codes: list[float]) -> Bools:
    missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, dtype=bool)
    return missing | np.isin(array.astype(float), codes) if codes else missing


def _is_no_answer(cell: object, missing: Collection[str | float], valid: Collection[str | float]) -> bool:
    if is_missing(cell):
        return True
    text = str(cell)
    key = _key(text)
    if key in valid or key in missing:
        return key not in valid
    if isinstance(key, float):
        return False
    if key in NO_ANSWER or plain_key(text) in NO_ANSWER:
        return True
    numbered = read_numbered(text)
    return numbered is not None and key_of(numbered.label) in _WORDS


def _codes(codes: Collection[str]) -> set[str | float]:
    return {_key(code) for code in codes}


def _key(text: str) -> str | float:
    """What a cell is compared by: its number, or its word without case and punctuation."""
    number = read_any_number(text)
    return key_of(text) if number is None else number
