"""Words: the answers that have an order, in all languages that are known."""

from __future__ import annotations

__all__ = ["LANGUAGES", "known_ladders", "known_pairs"]

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from manyjudges.tables.answers.languages.chinese import CHINESE
from manyjudges.tables.answers.languages.english import ENGLISH
from manyjudges.tables.answers.languages.french import FRENCH
from manyjudges.tables.answers.languages.german import GERMAN
from manyjudges.tables.answers.languages.language import Language, key_of, words_of
from manyjudges.tables.answers.languages.spanish import SPANISH

LANGUAGES: tuple[Language, ...] = (ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE)
"""Where words are of several languages, the first of them has them."""

_OPPOSITES = "246 1267 2567 1357 12467 13457 03458 02468 0258 023568 123567 1234567 0234568 0134578 01267 012345678"
"""Which steps of nine (extremely, very, –, somewhat, neither, …) questions offer, from the fewest to all."""

_OFFERED = {
    "agreement": "15 135 036 0156 0246 1245 1246 01356 02346 12345 012456 0123456",
    "frequency": "09 049 059 046 246 0246 0249 0469 1468 02469 02479 02467 02468 02569 02579 04579 01467 02369 02367 "
    "03469 01489 01469 12367 024679 0134679 0234679",
    "days": "0123",
    "how often": "01234 0468 02468 04689 035789 024689",
    "quality": "25 245 2357 2567 2457 1256 12357 23567 12456 12356 02457 12467 02467 13567 123456 0124567",
    "school grades": "012345",
    "mean opinion score": "01234",
    "yes or no": "15 135 0246 1245 12345 02346 0123456",
    "truth": "16 136 146 0257 1256 1257 02357 12356 02457 0123567",
    "amount": "06 026 036 067 0236 0246 0257 0267 0457 0367 0256 02356 02456 02357 02467 02457 02367 01367 02346 "
    "023567",
    "share": "038 236 0358 0268 02468 03468 02368 0368",
    "importance": "045 0135 0145 0245 0156 01356 01345 01235 01245 01456 02456 01246",
    "level": "26 246 12467 13457 02468 1267 1234567 0124678",
    "severity": "235 0235 2356 02356 02357 01235 012345",
    "size": "13 123 0123 1234 01234",
    "experience": "123 1234 0123 01234",
    "temperature": "15 135 1245 01345 12345 01356 0123456",
    "comparison": "15 135 0156 1245 01356 02346 0123456",
    "average": "135 15 01356 02346 0123456",
    "more or less": "15 135 0156 1245 01356 02346 0123456",
    "too little or too much": "135 01356 02346 12345 0123456",
}
"""Which steps of each ladder questions offer: as people use them, from the fewest to all."""

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


@dataclass(frozen=True)
class Ladder:
    """Words in their order, of which a question offers some.

    Attributes
    ----------
    name : str
        Such as ``"agreement"``.
    language : str
    steps : tuple of tuple of str
        All ways to write each step, the lowest first.
    offered : tuple of tuple of int
        The steps that are offered together, from the fewest to all.
    step_of : dict of str to int
        The position of each step by the keys of its words.
    """

    name: str
    language: str
    steps: tuple[tuple[str, ...], ...]
    offered: tuple[tuple[int, ...], ...]
    step_of: dict[str, int]

    @property
    def title(self) -> str:
        """Its name with its language: ``"agreement (German)"``."""
        return f"{self.name} ({self.language})"


@cache
def known_ladders() -> tuple[Ladder, ...]:
    """All ladders of all languages."""
    return tuple(ladder for language in LANGUAGES for ladder in _ladders(language))


@cache
def known_pairs() -> tuple[dict[str, float], ...]:
    """Two answers that exclude each other: of each pair the keys of its words, with 0 or 1."""
    pairs = [pair for language in LANGUAGES for pair in language.pairs]
    return tuple(
        {key: number for number, words in enumerate(pair) for word in words for key in _keys(word)} for pair in pairs
    )


def _ladders(language: Language) -> Iterator[Ladder]:
    for name, lines in language.ladders.items():
        steps = [words_of(line) for line in lines.strip().splitlines()]
        yield _ladder(name, language.name, steps, _OFFERED[name])
    for name, words in language.opposites.items():
        yield _ladder(name, language.name, list(_between(language, *words)), _OPPOSITES)


def _ladder(name: str, language: str, steps: list[tuple[str, ...]], offered: str) -> Ladder:
    # A language that has no word for a step leaves its line empty ("-"), and the questions that offer it away.
    there = [at for at, step in enumerate(steps) if step]
    position = {at: i for i, at in enumerate(there)}
    sets = [tuple(map(int, digits)) for digits in offered.split()]
    kept = [tuple(position[at] for at in each) for each in sets if set(each) <= set(there)]
    full = tuple(range(len(there)))
    return Ladder(
        name=name,
        language=language,
        steps=tuple(steps[at] for at in there),
        offered=tuple(sorted(dict.fromkeys([*kept, full]), key=len)),
        step_of={key: i for i, at in enumerate(there) for word in steps[at] for key in _keys(word)},
    )


def _between(language: Language, low: str, high: str, middle: str) -> Iterator[tuple[str, ...]]:
    """The steps between two opposites, from the most of one through the middle to the most of the other."""
    degrees = [words_of(line) for line in language.degrees]
    lows, highs = ([word.strip() for word in words.split("|")] for words in (low, high))
    yield from (_filled(degree, lows) for degree in degrees)
    pairs = [(a, b) for a in lows for b in highs]
    neither = [word.format(low=a, high=b) for word in words_of(language.middle) for a, b in pairs]
    yield tuple(dict.fromkeys([*neither, *filter(None, map(str.strip, middle.split("/")))]))
    yield from (_filled(degree, highs) for degree in reversed(degrees))


def _filled(templates: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    return tuple(template.format(word) for template in templates for word in words)


def _keys(word: str) -> set[str]:
    """The keys of a word, whose umlauts are also written as two letters."""
    return {key_of(word), key_of(word.translate(_UMLAUTS))}
