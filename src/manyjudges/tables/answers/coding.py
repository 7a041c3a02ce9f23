"""Coding: the number that each answer to a question stands for."""

from __future__ import annotations

__all__ = ["PLAIN", "AnswerCoding", "are_alike"]

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Bools, Floats
from manyjudges.base import documents
from manyjudges.exceptions import DocumentError
from manyjudges.tables.answers.languages.language import key_of, plain_key
from manyjudges.tables.answers.numbered import read_numbered, unit_of
from manyjudges.tables.grammar import is_missing
from manyjudges.tables.values import numbers as plain_numbers

_NUMBER, _SCALE = "number", "scale"
_KINDS = (_NUMBER, "binary", _SCALE)
_LIMITS = ("lowest", "highest")


@dataclass(frozen=True)
class AnswerCoding:
    """What the answers to one question stand for.

    Attributes
    ----------
    kind : str
        ``"number"``, ``"binary"`` or ``"scale"``.
    numbers : mapping of str to float
        The number of each word, by the word without case and punctuation; empty for plain numbers.
    words : tuple of str
        The words as they were written, the lowest first.
    name : str
        What the words are known as, such as ``"agreement (German)"`` or ``"given by --scale"``.
    unit : str
        What is written behind each number, such as ``"%"``.
    no_answer : tuple of str
        Codes and words that the user named as no answer.
    limits : tuple of float, optional
        The lowest and the highest of the numbers that a plan was made from; None where that is not known.
    steps : int, optional
        How many steps their scale has, where these numbers are on one; see ``ranges.steps_of``.

    Examples
    --------
    >>> coding = AnswerCoding.of_words("scale", {"Never": 1.0, "Often": 2.0}, name="given by --scale")
    >>> coding.encode(["never", "OFTEN ", "maybe"])
    (array([ 1.,  2., nan]), array([False, False,  True]))
    >>> coding.describe()
    'Never = 1, Often = 2'
    """

    kind: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    name: str = ""
    unit: str = ""
    no_answer: tuple[str, ...] = ()
    limits: tuple[float, float] | None = None
    steps: int | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the answers are numbers, without words or a unit."""
        return self.is_numeric and not self.words and not self.unit

    @classmethod
    def of_words(
        cls, kind: str, words: Mapping[str, float], *, more: Mapping[str, float] | None = None, name: str = ""
    ) -> Self:
        """A coding of words, each with its number.

        Parameters
        ----------
        kind : str
        words : mapping of str to float
            As people should see them.
        more : mapping of str to float, optional
            Other ways to write them.
        name : str
        """
        ordered = sorted(words, key=lambda word: words[word])
        return cls(kind, keyed({**(more or {}), **words}), tuple(ordered), name)

    @property
    def is_numeric(self) -> bool:
        """Whether numbers are answers."""
        return self.kind == _NUMBER

    @property
    def is_scale(self) -> bool:
        """Whether the answers are words that have an order."""
        return self.kind == _SCALE

    def encode(self, cells: Any, *, decimal_comma: bool = False) -> tuple[Floats, Bools]:
        """The numbers that cells stand for, and which cells are invalid. Those have NaN, and so has what is missing.

        Parameters
        ----------
        cells : array
            Text or anything else. Cells that say that there is no answer are invalid, so take them out first.
        decimal_comma : bool
            Whether ``3,5`` is a number.
        """
        array = np.asarray(cells)
        if self.is_numeric and array.dtype.kind in "iufb":
            values = array.astype(float)
        else:
            text = pd.Series(array, dtype=object)
            if pd.api.types.infer_dtype(text, skipna=True) != "string":
                # True and 1 are equal; their text is not.
                text = pd.Series([None if is_missing(value) else str(value) for value in text], dtype=object)
            codes, distinct = pd.factorize(text)
            values = np.append(self._read_distinct(distinct, decimal_comma), np.nan)[codes]
        invalid = ~np.isfinite(values)
        values[invalid] = np.nan
        return values, invalid

    def describe(self) -> str:
        """What the answers stand for, in words: ``"never = 1, rarely = 2, often = 3"``."""
        if not self.words:
            return f"numbers with the unit {self.unit}" if self.unit else "numbers"
        named = ", ".join(f"{word} = {self._number_of(word):.15g}" for word in self.words)
        return f"numbers ({named})" if self.is_numeric else named

    def to_document(self) -> dict[str, Any]:
        """The coding as plain JSON, which :meth:`from_document` reads."""
        return {
            "kind": self.kind,
            "name": self.name,
            "unit": self.unit,
            "words": list(self.words),
            "numbers": dict(self.numbers),
            "no_answer": list(self.no_answer),
            "limits": None if self.limits is None else dict(zip(_LIMITS, self.limits, strict=True)),
            "steps": self.steps,
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_document` wrote; DocumentError names a field that is wrong."""
        kind = documents.field(document, "kind", str)
        if kind not in _KINDS:
            raise DocumentError(
                f"field 'kind' of the document must be one of {', '.join(_KINDS)}, not {kind!r}.",
                value=kind,
                column="kind",
            )
        stored = documents.field(document, "numbers", dict)
        words = documents.field(document, "words", list)
        coding = cls(
            kind=kind,
            numbers={str(word): documents.number(stored, word) for word in stored},
            words=tuple(map(str, words)),
            name=documents.field(document, "name", str),
            unit=documents.field(document, "unit", str),
            # Plans that were written before codes were kept have neither.
            no_answer=tuple(map(str, documents.field(document, "no_answer", list))) if "no_answer" in document else (),
            limits=_read_limits(document),
            steps=None if document.get("steps") is None else documents.field(document, "steps", int),
        )
        unknown = [word for word in coding.words if coding.look_up(word) is None]
        if unknown:
            raise DocumentError(
                f"field 'words' of the document has {unknown[0]!r}, which has no number in its field 'numbers'.",
                value=unknown[0],
                column="words",
            )
        return coding

    def look_up(self, word: str) -> float | None:
        """The number of a word; None where it has none."""
        number = self.numbers.get(plain_key(word))
        return self.numbers.get(key_of(word)) if number is None else number

    def _number_of(self, word: str) -> float:
        return self.numbers[plain_key(word) if plain_key(word) in self.numbers else key_of(word)]

    def _read_distinct(self, texts: Any, decimal_comma: bool) -> Floats:
        if not self.is_numeric:
            return np.array([self._read_word(text) for text in texts], dtype=float)
        values = plain_numbers(np.asarray(texts, dtype=object), decimal_comma=decimal_comma)
        for at in np.flatnonzero(np.isnan(values)):
            values[at] = self._read_numbered(texts[at])
        return values

    def _read_word(self, text: str) -> float:
        number = self.look_up(text)
        return np.nan if number is None else number

    def _read_numbered(self, text: str) -> float:
        """The number of a cell with a unit or a word, which must not be that of another number."""
        if self.unit:
            found = unit_of(text)
            return found[0] if found is not None and found[1] == self.unit else np.nan
        numbered = read_numbered(text)
        if numbered is None:
            return self._read_word(text)
        return numbered.number if self.look_up(numbered.label) in (None, numbered.number) else np.nan


PLAIN = AnswerCoding(_NUMBER)
"""The coding of plain numbers."""


def keyed(words: Mapping[str, float]) -> dict[str, float]:
    """The number of each word by its key, with punctuation where it differs in nothing else from another word."""
    taken: dict[str, set[float]] = {}
    for word, number in words.items():
        taken.setdefault(key_of(word), set()).add(number)
    return {
        key_of(word) if len(taken[key_of(word)]) == 1 else plain_key(word): number for word, number in words.items()
    }


def same_words(words: Iterable[str]) -> dict[str, list[str]]:
    """Words by key: those that differ in case, white space and punctuation alone are one."""
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(key_of(word), []).append(word)
    return found


def _read_limits(document: Mapping[str, Any]) -> tuple[float, float] | None:
    if document.get("limits") is None:
        return None
    limits = documents.field(document, "limits", dict)
    return documents.number(limits, _LIMITS[0]), documents.number(limits, _LIMITS[1])


def are_alike(one: AnswerCoding, other: AnswerCoding) -> bool:
    """Whether no answer stands for two numbers, and numbers are answers in both or in neither.

    >>> numbers, never = AnswerCoding("number"), AnswerCoding.of_words("scale", {"Never": 1.0, "Often": 2.0})
    >>> are_alike(numbers, never), are_alike(never, AnswerCoding.of_words("scale", {"Never": 1.0, "Always": 3.0}))
    (False, True)
    """
    if one.is_numeric != other.is_numeric or one.unit != other.unit:
        return False
    return all(number in (None, one.look_up(word)) for word in one.words if (number := other.look_up(word)) is not None)
