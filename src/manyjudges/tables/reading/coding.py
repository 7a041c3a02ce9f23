"""Coding: what the answers for each attribute stand for, decided from all the different answers in a table.

A table in memory gives its answers at once; a table that is scanned gives them part by part. Both end here.
"""

from __future__ import annotations

__all__ = ["AnswerTally", "boolean_coding", "decide_codings", "texts_of_cells", "words_that_count"]

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.arrays.types import Integers
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.answers.coding import PLAIN, AnswerCoding
from manyjudges.tables.answers.languages.language import key_of
from manyjudges.tables.answers.numbered import read_numbered, unit_of
from manyjudges.tables.answers.recognition import recognise_coding
from manyjudges.tables.answers.words import known_ladders, known_pairs
from manyjudges.tables.grammar import is_infinite, is_missing, read_number
from manyjudges.tables.reading.options import ReadOptions


@cache
def boolean_coding() -> AnswerCoding:
    """The coding of cells that a program stored as true and false."""
    return recognise_coding(["False", "True"])


_MAJORITY = 0.8
"""Share of the answers that one coding must read for the others to be single mistakes.

Below, it is the question that was not understood, and the user is asked about it. No benchmark sets it: in files that
people have, mistakes are a few in a hundred, and questions that are not understood have no such coding at all.
"""

_HALF = 0.5
"""The same where the user has said that invalid rows are to be skipped."""


@dataclass
class AnswerTally:
    """The different answers for each attribute, with how often each was given.

    Attributes
    ----------
    counts : dict of str to dict of str to int
        By attribute and text.
    numeric, boolean : set of str
        Attributes with cells that a program stored as numbers, or as true and false.
    """

    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    numeric: set[str] = field(default_factory=set)
    boolean: set[str] = field(default_factory=set)

    def add(self, attributes: Sequence[str], codes: Integers, values: Any) -> None:
        """Count the answers in some rows, none of which is missing.

        Parameters
        ----------
        attributes : sequence of str
        codes : array of int
            The attribute of each row, by position.
        values : array
            Numbers, booleans, or anything else.
        """
        if not len(codes):
            return
        if values.dtype.kind in "iufb":
            present = {attributes[code] for code in np.unique(codes).tolist()}
            (self.boolean if values.dtype.kind == "b" else self.numeric).update(present)
            return
        value_codes, texts = pd.factorize(texts_of_cells(values))
        pairs, times = np.unique(codes * (len(texts) + 1) + value_codes, return_counts=True)
        for pair, count in zip(pairs.tolist(), times.tolist(), strict=True):
            attribute, value = divmod(pair, len(texts) + 1)
            if value < len(texts):
                own = self.counts.setdefault(attributes[attribute], {})
                own[texts[value]] = own.get(texts[value], 0) + count

    def include(self, other: AnswerTally) -> None:
        """Count the answers that another tally has counted."""
        for attribute, counts in other.counts.items():
            own = self.counts.setdefault(attribute, {})
            for text, count in counts.items():
                own[text] = own.get(text, 0) + count
        self.numeric |= other.numeric
        self.boolean |= other.boolean

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes that have an answer, in order."""
        return tuple(sorted({*self.counts, *self.numeric, *self.boolean}))


def texts_of_cells(values: Any) -> Any:
    """Cells as texts, by which answers are compared; None for those that are missing."""
    text = pd.Series(values, dtype=object)
    if pd.api.types.infer_dtype(text, skipna=True) == "string":
        return text.to_numpy()
    # True and 1 are equal; their text is not.
    return np.array([None if is_missing(value) else str(value) for value in text.tolist()], dtype=np.object_)


def words_that_count(options: ReadOptions) -> tuple[str, ...]:
    """Words and codes that are answers although they look like none: those the user names, and steps of scales."""
    steps = [word for scale in options.scales for word in scale]
    known = [word for coding in options.codings.values() for word in coding.words]
    return tuple(dict.fromkeys([*options.valid, *steps, *known]))


def decide_codings(
    tally: AnswerTally,
    options: ReadOptions,
    given: Mapping[str, Mapping[str, float]] | None = None,
) -> tuple[dict[str, AnswerCoding], dict[str, JudgmentsError]]:
    """What the answers for each attribute stand for, and an error for each attribute where that cannot be told.

    Answers that the coding of an attribute does not read are invalid; they are single mistakes among others that it
    reads.

    Parameters
    ----------
    tally : AnswerTally
    options : ReadOptions
        Its codings are taken as they are.
    given : mapping, optional
        The words of the file's own scale with their numbers, by attribute.
    """
    given = {} if given is None else given
    codings: dict[str, AnswerCoding] = {}
    errors: dict[str, JudgmentsError] = {}
    recognised: dict[frozenset[str], AnswerCoding] = {}  # thousands of questions often have the same answers
    for attribute in tally.attributes:
        if attribute in options.codings:
            codings[attribute] = options.codings[attribute]
            continue
        counts = dict(tally.counts.get(attribute, {}))
        if not counts:
            codings[attribute] = PLAIN if attribute in tally.numeric else boolean_coding()
            continue
        try:
            codings[attribute] = _decide(attribute, counts, tally, options, given.get(attribute), recognised)
        except JudgmentsError as error:
            errors[attribute] = error
    codings = _alike(codings, tally, options, given)
    if options.missing:  # the same object for those that are equal, as they are read together
        more = {id(coding): replace(coding, no_answer=options.missing) for coding in codings.values()}
        codings = {name: more[id(coding)] for name, coding in codings.items()}
    return codings, errors


def _decide(
    attribute: str,
    counts: Mapping[str, int],
    tally: AnswerTally,
    options: ReadOptions,
    given: Mapping[str, float] | None,
    recognised: dict[frozenset[str], AnswerCoding],
) -> AnswerCoding:
    texts = frozenset([*counts, *(["0", "1"] if attribute in tally.numeric else [])])
    if not given and texts in recognised:
        return recognised[texts]
    try:
        coding = recognise_coding([*texts], scales=options.scales, attribute=attribute, given=given)
        if not given:
            recognised[texts] = coding
        return coding
    except JudgmentsError as error:
        if all(map(is_infinite, counts)):  # these are no words, and each of them is refused with its row
            return PLAIN
        most = None if given else _of_most(attribute, counts, options)
        if most is None:
            raise error from None
        return most


def _of_most(attribute: str, counts: Mapping[str, int], options: ReadOptions) -> AnswerCoding | None:
    """The coding that reads most of the answers, where the others are few enough to be mistakes."""
    needed = sum(counts.values()) * (_HALF if options.skip else _MAJORITY)
    subsets = {frozenset(subset) for subset in _subsets(list(counts), options) if subset}
    ranked = sorted(subsets, key=lambda each: (-sum(counts[text] for text in each), sorted(each)))
    for subset in ranked:
        if sum(counts[text] for text in subset) < needed:
            return None
        try:
            return recognise_coding(sorted(subset), scales=options.scales, attribute=attribute)
        except JudgmentsError:
            continue
    return None


def _subsets(texts: Sequence[str], options: ReadOptions) -> Iterator[list[str]]:
    """Answers that go together: numbers, numbers with words or a unit, the words of a pair or a scale."""
    numbers = [text for text in texts if np.isfinite(read_number(text))]
    yield numbers
    yield [text for text in texts if text in numbers or read_numbered(text) is not None]
    units: dict[str, list[str]] = {}
    for text in texts:
        if (found := unit_of(text)) is not None:
            units.setdefault(found[1], []).append(text)
    yield from ([*numbers, *own] for own in units.values())
    keys = {text: key_of(text) for text in texts}
    for known in _known_words(options):
        yield [text for text in texts if keys[text] in known]


def _known_words(options: ReadOptions) -> Iterator[Collection[str]]:
    yield from ({key_of(word) for word in scale} for scale in options.scales)
    yield from known_pairs()
    yield from (ladder.step_of for ladder in known_ladders())


def _alike(
    codings: dict[str, AnswerCoding],
    tally: AnswerTally,
    options: ReadOptions,
    given: Mapping[str, Mapping[str, float]],
) -> dict[str, AnswerCoding]:
    """Codings of which all that use the same scale have the same numbers.

    Questions of one block offer the same answers, also where nobody chose some of them.
    """
    blocks: dict[str, list[str]] = {}
    for name, coding in codings.items():
        if coding.is_scale and name not in options.codings and not given.get(name):
            blocks.setdefault(coding.name, []).append(name)
    result = dict(codings)
    for names in (names for names in blocks.values() if len(names) > 1):
        # Without the single mistakes, which no coding reads.
        pairs = {(id(codings[name]), text): codings[name] for name in names for text in tally.counts[name]}
        texts = {text for (_, text), coding in pairs.items() if coding.look_up(text) is not None}
        try:
            together = recognise_coding(sorted(texts), scales=options.scales)
        except JudgmentsError:  # two ways to write one step; each question has its own
            continue
        result |= dict.fromkeys(names, together)
    return result
