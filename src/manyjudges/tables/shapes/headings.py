"""Headings: what they name besides a question, such as an object in brackets or the number of a judgment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_BRACKETS = re.compile(r"(?P<title>.*\S)\s*\[(?P<item>[^\[\]]+)\]", re.DOTALL)
_ROUND = re.compile(r"(?P<title>.*\S)\s*(\((?P<round>[^()]+)\)|\[(?P<square>[^\[\]]+)\])", re.DOTALL)
_NUMBERED = re.compile(r"(?P<stem>.*[^\d\W].*?)[\s_.\-#:]*(?P<number>\d+)", re.DOTALL)
_RATER = r"(?:rater|judge|coder|annotator|reviewer|evaluator|assessor|worker|participant|bewerter|juge|juez)"
_RATER_FIRST = re.compile(
    rf"(?P<worker>(?:{_RATER}|[rjcap])[\s_]?\d+|{_RATER}[\s_]?[a-z])[\s_.\-]+(?P<stem>.*\D.*)", re.I
)
_RATER_LAST = re.compile(
    rf"(?P<stem>.*\D.*?)[\s_.\-]+(?P<worker>(?:{_RATER}|[rjcap])[\s_]?\d+|{_RATER}[\s_]?[a-z])", re.I
)
_RATER_ONLY = re.compile(rf"{_RATER}[\s_.\-]?(\d+|[a-z])", re.I)
_SEPARATORS = (r"_", r"\.", r"\s*[-–—:|/]\s+", r"\s+(?:by|von|par|por)\s+")
"""What stands between a question and a rater in a heading; each is looked for at its last place."""

_ANY_QUESTION = {
    "question", "q", "item", "frage", "var", "variable", "column", "col", "field", "aufgabe", "pregunta", "statement",
    "aussage", "unnamed",
}  # fmt: skip
"""Headings such as ``Q1``, ``item2`` or ``clarity_Q3`` number questions, not judgments of one."""

_CODE = re.compile(r"(SQ)?\d+[a-z]?(_(SQ)?\d+)?")
_LETTER_OR_NUMBER = re.compile(r"([^\W\d_]|\d{1,4})\W?")
_THING = re.compile(r"(.*?)[\s_\-#]*(\d+|(?<![^\W\d_])[A-Z])", re.DOTALL)


@dataclass(frozen=True)
class HeadingParts:
    """What a heading names: an attribute, and the rater or the number of the judgment."""

    attribute: str
    worker: str
    named: bool
    """Whether it names the rater rather than numbers the judgment."""


def bracketed(heading: str) -> tuple[str, str] | None:
    """A heading without what stands in square brackets at its end, and what does.

    >>> bracketed("Is the person tall? [photo 1]"), bracketed("Is the person tall?")
    (('Is the person tall?', 'photo 1'), None)
    """
    match = _BRACKETS.fullmatch(one_line(heading))
    return (match["title"], match["item"].strip()) if match else None


def one_line(text: str) -> str:
    """A text without line breaks and double spaces."""
    return " ".join(text.split())


def judgments_of(headings: Sequence[str]) -> dict[str, HeadingParts]:
    """The headings that name one of several judgments of an attribute; empty where no attribute has several.

    >>> judgments_of(["tall_1", "tall_2", "age"])
    {'tall_1': HeadingParts(attribute='tall', worker='1', named=False),
     'tall_2': HeadingParts(attribute='tall', worker='2', named=False)}
    >>> [parts.worker for parts in judgments_of(["tall (ann)", "tall (bob)", "width (cm)"]).values()]
    ['ann', 'bob']
    >>> judgments_of(["Q1", "Q2"])
    {}
    """
    parsed = {heading: parts for heading in headings if (parts := _parts(heading)) is not None}
    counts = Counter(parts.attribute for parts in parsed.values())
    for heading in headings:
        if heading not in parsed and counts[heading]:  # "tall" before "tall.1", as pandas numbers equal headings
            first = "0" if any(parts.worker == "1" for parts in parsed.values() if parts.attribute == heading) else "1"
            parsed[heading] = HeadingParts(heading, first, named=False)
            counts[heading] += 1
    raters = {parts.worker for parts in parsed.values() if parts.named and counts[parts.attribute] > 1}
    # Judgments are counted from 0 or 1; numbers such as years say something else.
    families: dict[str, set[str]] = {}
    for parts in parsed.values():
        families.setdefault(parts.attribute, set()).add("1" if parts.named else parts.worker)
    parsed = {heading: parts for heading, parts in parsed.items() if families[parts.attribute] & {"0", "1"}}
    numbers = {parts.worker for parts in parsed.values() if not parts.named and counts[parts.attribute] > 1}
    lowest = min(numbers & {"0", "1"}, default=None)  # of a question that has one judgment where others have several
    kept = {
        heading: parts
        for heading, parts in parsed.items()
        if counts[parts.attribute] > 1 or (parts.worker in raters if parts.named else parts.worker == lowest)
    }
    return {heading: kept[heading] for heading in headings if heading in kept}


def crossed(headings: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The two parts of each heading, where every first part comes with every second one, at least two of each.

    >>> crossed(["tall_ann", "tall_bob", "kind_ann", "kind_bob"])["tall_ann"]
    ('tall', 'ann')
    >>> crossed(["tall - ann", "tall - bob", "kind - ann", "kind - bob"])["kind - bob"]
    ('kind', 'bob')
    >>> crossed(["tall_ann", "tall_bob", "age"])
    {}
    """
    return next(filter(None, (_crossed_by(separator, headings) for separator in _SEPARATORS)), {})


def are_partly_crossed(headings: Sequence[str]) -> bool:
    """Whether some headings have a part in common, so that they are more than names.

    >>> are_partly_crossed(["tall_ann", "tall_bob", "age"]), are_partly_crossed(["ann", "bob"])
    (True, False)
    """
    for separator in _SEPARATORS:
        parts = list(_split(separator, headings).values())
        if any(len({pair[at] for pair in parts}) < len(parts) for at in (0, 1)):
            return True
    return False


def _split(separator: str, headings: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The two parts of each heading that has a separator."""
    pattern = re.compile(rf"(?P<left>.*\S){separator}(?P<right>\S.*?)", re.DOTALL)
    matches = {heading: match for heading in headings if (match := pattern.fullmatch(heading.strip()))}
    return {heading: (match["left"].rstrip(" _.-:"), match["right"]) for heading, match in matches.items()}


def _crossed_by(separator: str, headings: Sequence[str]) -> dict[str, tuple[str, str]]:
    parts = _split(separator, headings)
    lefts, rights = {left for left, _ in parts.values()}, {right for _, right in parts.values()}
    is_full = len(parts) == len(headings) == len(lefts) * len(rights) == len(set(parts.values()))
    return parts if is_full and min(len(lefts), len(rights)) > 1 else {}


def name_things(names: Sequence[str]) -> bool:
    """Whether names are of things of one kind, such as ``photo 1`` and ``photo 2``.

    >>> name_things(["photo 1", "photo 2"]), name_things(["Essay A", "Essay B"]), name_things(["clarity", "style"])
    (True, True, False)
    """
    matches = [_THING.fullmatch(name) for name in dict.fromkeys(names)]
    kinds = {match[1].casefold() if match else None for match in matches}
    return len(matches) > 1 and len(kinds) == 1 and None not in kinds


def is_code(name: str) -> bool:
    """Whether a name is only a code, such as survey tools give to rows of a question.

    >>> is_code("SQ001"), is_code("02"), is_code("photo 2")
    (True, True, False)
    """
    return _CODE.fullmatch(name) is not None


def what_differs(texts: Mapping[str, str]) -> dict[str, str]:
    """What each of some texts has that the others have not, in whole words; empty where that is not one part of each.

    Where that is only a letter or number, the word before it belongs to it.

    >>> what_differs({"1": "How clear is essay A?", "2": "How clear is essay B?"})
    {'1': 'essay A?', '2': 'essay B?'}
    """
    if len(set(texts.values())) < len(texts) or len(texts) < 2:
        return {}
    words = [text.split() for text in texts.values()]
    before = _shared(words)
    after = _shared([each[before:][::-1] for each in words])
    if before and all(len(each) - before - after == 1 and _LETTER_OR_NUMBER.fullmatch(each[before]) for each in words):
        before -= 1
    parts = {key: " ".join(each[before : len(each) - after]) for key, each in zip(texts, words, strict=True)}
    return parts if all(parts.values()) else {}


def _shared(texts: Sequence[Sequence[str]]) -> int:
    """How many words all of some texts begin with."""
    return next((at for at, words in enumerate(zip(*texts, strict=False)) if len(set(words)) > 1), min(map(len, texts)))


def _parts(heading: str) -> HeadingParts | None:
    """The attribute of a heading that also names a rater or a number; None for others."""
    heading = heading.strip()
    if _RATER_ONLY.fullmatch(heading):
        return HeadingParts("rating", heading, named=True)
    for pattern in (_RATER_FIRST, _RATER_LAST):
        if match := pattern.fullmatch(heading):
            return HeadingParts(match["stem"].strip(), match["worker"], named=True)
    if match := _ROUND.fullmatch(heading):
        inside = (match["round"] or match["square"]).strip()
        return HeadingParts(match["title"], inside, named=not inside.isdigit()) if inside else None
    match = _NUMBERED.fullmatch(heading)
    stem = match["stem"].rstrip(" _.-#:") if match else ""
    last = re.split(r"[\s_.\-]", stem.casefold())[-1]
    if match is None or len(stem) < 2 or last in _ANY_QUESTION:
        return None
    return HeadingParts(stem, match["number"].lstrip("0") or "0", named=False)
