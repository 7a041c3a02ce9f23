"""Language: what a module of words in one language holds."""

from __future__ import annotations

__all__ = ["key_of", "plain_key"]

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_APOSTROPHES = re.compile("['`\N{ACUTE ACCENT}‘’‛ʼ′＇]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_PUNCTUATION = re.compile(r"[^\w<>=+%$€£¥|~^°≤≥≠±×÷\u2190-\u2bff\U0001f000-\U0001faff]|_")


@dataclass(frozen=True)
class Language:
    """The words in which people answer.

    Attributes
    ----------
    name : str
    pairs : tuple of tuple of tuple of str
        Two answers that exclude each other: the words for 0, and those for 1.
    no_answer : str
        What people write where they have no answer, in lines of words with ``/`` between them. No word of a scale may
        be among them.
    ladders : mapping of str to str
        Scales by name: a line for each step, the lowest first, with all ways to write it, separated by ``/``.
    degrees : tuple of str
        How much of a quality, four lines from most to least, with ``{}`` for the word of the quality.
    middle : str
        What is said between two opposite qualities ``{low}`` and ``{high}``.
    opposites : mapping of str to tuple of str
        Names of scales: the word for the low end, the word for the high end, and the words for the middle that only
        this scale has.
    """

    name: str
    pairs: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    no_answer: str
    ladders: Mapping[str, str]
    degrees: tuple[str, str, str, str]
    middle: str
    opposites: Mapping[str, tuple[str, str, str]]


def words_of(line: str) -> tuple[str, ...]:
    """The words of a line; none where it says ``-``.

    >>> words_of("often / a lot"), words_of("-")
    (('often', 'a lot'), ())
    """
    return () if line.strip() == "-" else tuple(word.strip() for word in line.split(" / "))


@lru_cache(maxsize=2048)  # the same answers come again in every column and row
def plain_key(text: str) -> str:
    """A word without what its case and white space add.

    >>> plain_key("  Very   GOOD ")
    'very good'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@lru_cache(maxsize=2048)
def key_of(text: str) -> str:
    """A word without case, white space, punctuation and accents, so that all ways to write it are one.

    What consists of punctuation alone keeps it.

    >>> key_of("Don’t know."), key_of("very_good"), key_of("Très bien"), key_of("---")
    ('dont know', 'very good', 'tres bien', '---')
    """
    plain = plain_key(text)
    letters = _ACCENTS.sub("", unicodedata.normalize("NFD", _APOSTROPHES.sub("", plain)))
    loose = " ".join(_PUNCTUATION.sub(" ", unicodedata.normalize("NFC", letters)).split())
    return loose or plain
