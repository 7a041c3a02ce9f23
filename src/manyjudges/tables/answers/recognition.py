"""Recognition: what the answers to a question are, from all the different ones that were given."""

from __future__ import annotations

__all__ = ["recognise_coding"]

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, NoReturn

from manyjudges.base.messages import list_names, quote_value
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.answers.coding import PLAIN, AnswerCoding, keyed, same_words
from manyjudges.tables.answers.languages.language import key_of, plain_key
from manyjudges.tables.answers.no_answer import is_no_answer
from manyjudges.tables.answers.numbered import read_numbered, unit_of
from manyjudges.tables.answers.words import Ladder, known_ladders, known_pairs
from manyjudges.tables.grammar import DECIMAL_COMMA, TYPED, is_grouped, is_infinite, read_number

_COMMAS = re.compile(rf"{DECIMAL_COMMA}|{TYPED.thousands}")
"""Numbers with a comma that may stand before decimals or before thousands."""

_BARE = "{}"
"""Stands in a ladder for no word at all: "important" among "not important" and "very important"."""

_CHINESE = 0x3000
"""Where the characters begin of scripts that have no spaces between words."""

_NUMBERED_STEP = re.compile(r"(?P<first>\d+)\s+(?P<label>\D+)|(?P<before>\D+?)\s+(?P<last>\d+)")

_NOT_AT_ALL = re.compile(r"not (?P<quality>.+) at all")
"""Said also as "not at all {quality}"."""

_SCALE = '--scale "lowest,…,highest", scales='
"""How to give a scale, for messages."""


class _Fit(NamedTuple):
    """Steps that a question offered and that have all its answers."""

    ladder: Ladder
    offered: tuple[int, ...]
    steps: dict[str, int]
    before: str = ""
    after: str = ""


def recognise_coding(
    distinct: Sequence[object],
    *,
    scales: Sequence[Sequence[str]] = (),
    attribute: str = "",
    given: Mapping[str, float] | None = None,
    decimal_comma: bool = False,
) -> AnswerCoding:
    """What the answers to one question stand for; JudgmentsError where that cannot be told.

    The order of the answers makes no difference.

    Parameters
    ----------
    distinct : sequence of str
        All different answers, without those that say that there is none.
    scales : sequence of sequence of str
        Scales that the user gives, each with all its words, the lowest first. They win over those that are known.
    attribute : str
        The question, for messages.
    given : mapping of str to float, optional
        The words of the file's own scale with their numbers: value labels, or the order of a categorical column.
    decimal_comma : bool
        Whether ``3,5`` is a number.

    Examples
    --------
    >>> recognise_coding(["often", "never", "sometimes"]).describe()
    'never = 1, sometimes = 2, often = 3'
    >>> recognise_coding(["5 = very good", "2", "1 = bad"]).describe()
    'numbers (bad = 1, very good = 5)'
    """
    texts = sorted({str(cell).strip() for cell in distinct})
    question = _Question(attribute, texts, scales)
    if all(math.isfinite(read_number(text, decimal_comma=decimal_comma)) for text in texts):
        return PLAIN
    if given:
        return question.of_the_file(given)
    return (
        question.of_the_user()
        or question.numbered(decimal_comma)
        or question.with_unit(decimal_comma)
        or question.pair()
        or question.known()
        or question.numbered_steps()
        or question.two_words(decimal_comma)
        or question.refuse(decimal_comma)
    )


def are_marked_numbers(texts: Sequence[str]) -> bool:
    """Whether all texts are numbers with a comma before their decimals, or with something between their thousands.

    >>> are_marked_numbers(["1,300", "2,5"]), are_marked_numbers(["1'300"]), are_marked_numbers(["1,300", "many"])
    (True, True, False)
    """
    return all(_COMMAS.fullmatch(text) or is_grouped(text) for text in texts)


class _Question:
    """The answers to one question, and the ways to read them: each gives None where it does not fit."""

    def __init__(self, attribute: str, texts: Sequence[str], scales: Sequence[Sequence[str]]) -> None:
        self.attribute, self.texts, self.scales = attribute, texts, scales
        self.words = {key: words[0] for key, words in same_words(texts).items()}
        self.keys = {key: _NOT_AT_ALL.sub(r"not at all \g<quality>", key) for key in self.words}

    def of_the_file(self, given: Mapping[str, float]) -> AnswerCoding:
        coding = AnswerCoding.of_words(
            "scale",
            {word: float(number) for word, number in given.items() if word in self.texts or not is_no_answer(word)},
            name="given by the file",
        )
        if unknown := [text for text in self.texts if coding.look_up(text) is None]:
            raise self._error(
                f"{list_names(unknown)} {_is(unknown)} not among the labelled values of the file "
                f"({list_names(coding.words, 6)}). Label {_them(unknown)} in the file, or leave the question out"
                f"{self._drop}.",
                unknown[0],
            )
        return coding

    def of_the_user(self) -> AnswerCoding | None:
        fits = [scale for scale in self.scales if self._is_of(scale)]
        orders = {tuple(key for key in map(key_of, scale) if key in self.words) for scale in fits}
        if len(orders) > 1:
            raise self._error(
                f"two of the scales that are given have {self._shown}, in different orders. Give one of them only"
                " (--scale, scales=).",
                self.texts[0],
            )
        if not fits:
            return None
        numbers = {word.strip(): float(at) for at, word in enumerate(sorted(fits, key=len)[0], start=1)}
        return AnswerCoding.of_words("scale", numbers, name="given by --scale")

    def _is_of(self, scale: Sequence[str]) -> bool:
        known = keyed({word: float(at) for at, word in enumerate(scale)})
        return all(plain_key(text) in known or key_of(text) in known for text in self.texts)

    def numbered(self, decimal_comma: bool) -> AnswerCoding | None:
        labelled = []
        for text in self.texts:
            if math.isfinite(read_number(text, decimal_comma=decimal_comma)):
                continue
            found = read_numbered(text)
            if found is None:
                return None
            labelled.append(found)
        pairs = {(key_of(found.label), found.number) for found in labelled}
        if not len(pairs) == len({key for key, _ in pairs}) == len({number for _, number in pairs}):
            return None
        numbers = {words[0]: dict(pairs)[key] for key, words in same_words(each.label for each in labelled).items()}
        return AnswerCoding.of_words("number", numbers, name="numbers with words")

    def with_unit(self, decimal_comma: bool) -> AnswerCoding | None:
        words = [text for text in self.texts if math.isnan(read_number(text, decimal_comma=decimal_comma))]
        units = {None if found is None else found[1] for found in map(unit_of, words)}
        unit = units.pop() if len(units) == 1 else None
        return None if unit is None else AnswerCoding("number", name="numbers with a unit", unit=unit)

    def pair(self) -> AnswerCoding | None:
        pair = next((each for each in known_pairs() if set(self.words) <= set(each)), None)
        if pair is None:
            return None
        seen = {number: [word for key, word in self.words.items() if pair[key] == number] for number in (0.0, 1.0)}
        shown = [seen[number][0] if seen[number] else _first(pair, number) for number in (0.0, 1.0)]
        numbers = dict(sorted(pair.items(), key=lambda entry: entry[1]))
        return AnswerCoding("binary", numbers, tuple(shown), "two answers")

    def known(self) -> AnswerCoding | None:
        shared = _shared(list(self.keys.values()))
        fits = next(filter(None, (self._fits(before, after) for before, after in shared)), [])
        # A law holds that all ladders agree on the order of the words that they share.
        return self._coding(min(fits, key=lambda fit: len(fit.offered))) if fits else None

    def _fits(self, before: str, after: str) -> list[_Fit]:
        """The ladders that have all answers, when what they begin and end with is taken away."""
        rests = {key: whole[len(before) : len(whole) - len(after)].strip() or _BARE for key, whole in self.keys.items()}
        fits = (_fit(ladder, rests) for ladder in known_ladders())
        return [fit._replace(before=before, after=after) for fit in fits if fit is not None]

    def _coding(self, fit: _Fit) -> AnswerCoding:
        seen = {step: self.words[key] for key, step in fit.steps.items()}
        shown: dict[str, float] = {}
        more: dict[str, float] = {}
        for number, step in enumerate(fit.offered, start=1):
            words = [_joined(fit, word) for word in fit.ladder.steps[step]]
            shown[seen.get(step, words[0])] = float(number)
            if step not in seen:
                more |= dict.fromkeys(words, float(number))
        return AnswerCoding.of_words("scale", shown, more=more, name=fit.ladder.title)

    def numbered_steps(self) -> AnswerCoding | None:
        """Steps of a known scale with their numbers, and only a space between: "1 strongly disagree"."""
        found = [_NUMBERED_STEP.fullmatch(text) for text in self.texts]
        if len(found) < 2 or None in found:
            return None
        labels = {
            text: (each["first"] or each["last"], each["label"] or each["before"])
            for text, each in zip(self.texts, found, strict=True)
            if each
        }
        numbers = {label: float(number) for number, label in labels.values()}
        keys = {key_of(label): number for label, number in numbers.items()}
        for ladder in known_ladders():
            fit = _fit(ladder, {key: key for key in keys}) if len(keys) == len(self.texts) else None
            if fit is not None:
                order = [keys[key] for key in sorted(keys, key=fit.steps.__getitem__)]
                if order == sorted(set(order)) or order == sorted(set(order), reverse=True):
                    words = {text: float(number) for text, (number, _) in labels.items()}
                    return AnswerCoding.of_words("scale", words, name=ladder.title)
        return None

    def two_words(self, decimal_comma: bool) -> AnswerCoding | None:
        if (
            len(self.words) != 2
            or self._numbers(decimal_comma)
            or any(are_marked_numbers([text]) for text in self.texts)
        ):
            return None
        if any(map(is_infinite, self.texts)):
            return None
        first, second = (self.words[key] for key in sorted(self.words))
        return AnswerCoding.of_words("binary", {first: 0.0, second: 1.0}, name="two answers")

    def refuse(self, decimal_comma: bool) -> NoReturn:
        words = [text for text in self.texts if text not in self._numbers(decimal_comma)]
        if not words:
            infinite = [text for text in self.texts if math.isinf(read_number(text, decimal_comma=decimal_comma))]
            raise self._error(f"{quote_value(infinite[0])} is too large to be a number.", infinite[0])
        if are_marked_numbers(words):
            raise self._marked(words)
        if len(words) < len(self.texts):
            raise self._mixture(words)
        if len(self.words) == 1:
            raise self._error(
                f"{quote_value(words[0])} is the only answer, and its scale is not known. Leave the question out"
                f"{self._drop}, or give all steps of the scale, the lowest first ({_SCALE}).",
                words[0],
            )
        if twice := self._same_step():
            ladder, words = twice
            raise self._error(
                f"{list_names(words)} may be one step of the scale {ladder.title}, or two. Give all steps, the lowest "
                f"first ({_SCALE}), or write them in the same way.",
                words[0],
            )
        if near := self._nearly():
            ladder, others = near
            raise self._error(
                f"most answers are steps of the scale {ladder.title}, but {list_names(others)} {_is(others)} not. If "
                f"{_that(others)} {_mean(others)} that there is no answer, say so (--missing {_quoted(others[0])}, "
                f"missing=); otherwise give all steps, the lowest first ({_SCALE}).",
                others[0],
            )
        raise self._error(
            f"{self._shown} have no order that is known, and one of several answers without an order cannot be "
            f"planned yet. If they have an order, give all of them, the lowest first ({_SCALE}); otherwise leave the "
            f"question out{self._drop}.",
            words[0],
        )

    def _marked(self, words: Sequence[str]) -> JudgmentsError:
        """What to say of numbers that have a comma, or anything else between their thousands."""
        shown = list_names(words)
        if all(map(_COMMAS.fullmatch, words)):
            problem = (
                f"numbers must not have a comma, as in {shown}. Write decimals with a point, and thousands without"
            )
            return self._error(f"{problem} a comma.", words[0])
        problem = f"numbers must not have anything between their thousands, as in {shown}. Write thousands without it"
        return self._error(f"{problem}, and decimals with a point.", words[0])

    def _mixture(self, words: Sequence[str]) -> JudgmentsError:
        """What to say of numbers and words."""
        problem = f"there are numbers among the answers, and also {list_names(words)}"
        if len(words) > 1:
            return self._error(
                f"{problem}. If these are steps of one scale, give all of them, the lowest first ({_SCALE}); otherwise "
                f"write all answers in the same way, or leave the question out{self._drop}.",
                words[0],
            )
        return self._error(
            f"{problem}. If that means that there is no answer, say so (--missing {_quoted(words[0])}, missing=); "
            f"otherwise write a number, or leave the question out{self._drop}.",
            words[0],
        )

    def _same_step(self) -> tuple[Ladder, list[str]] | None:
        """The scale that all answers are steps of, and the first answers that are the same step of it."""
        for ladder in known_ladders():
            if {*self.words} <= {*ladder.step_of}:
                steps = [ladder.step_of[key] for key in self.words]
                step = next(each for each in steps if steps.count(each) > 1)
                return ladder, [word for key, word in self.words.items() if ladder.step_of[key] == step]
        return None

    def _nearly(self) -> tuple[Ladder, list[str]] | None:
        """The scale that most answers are steps of, and the others."""
        near = max(known_ladders(), key=lambda ladder: len({*self.words} & {*ladder.step_of}))
        steps = {near.step_of[key] for key in self.words if key in near.step_of}
        others = [word for key, word in self.words.items() if key not in near.step_of]
        return (near, others) if others and len(steps) >= max(2, len(others) + 1) else None

    def _numbers(self, decimal_comma: bool) -> list[str]:
        return [text for text in self.texts if not math.isnan(read_number(text, decimal_comma=decimal_comma))]

    @property
    def _shown(self) -> str:
        return list_names(self.words.values(), 4)

    @property
    def _drop(self) -> str:
        return f" (--drop {_quoted(self.attribute)}, drop=)" if self.attribute else " (--drop, drop=)"

    def _error(self, problem: str, value: str) -> JudgmentsError:
        subject = f"the answers for {self.attribute!r}: " if self.attribute else ""
        return JudgmentsError(f"{subject}{problem}", value=value, column=self.attribute or None)


def _fit(ladder: Ladder, rests: Mapping[str, str]) -> _Fit | None:
    """How answers are steps of a ladder, each another one, by what stands in the ladder for each."""
    if not all(map(ladder.step_of.__contains__, rests.values())):
        return None
    steps = {key: ladder.step_of[rest] for key, rest in rests.items()}
    if not len({*steps.values()}) == len(rests) > 1:
        return None
    return _Fit(ladder, next(each for each in ladder.offered if {*steps.values()} <= {*each}), steps)


def _shared(keys: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Nothing, then the end and the beginning that all answers share."""
    yield "", ""
    end = _beginning([key[::-1] for key in keys])[::-1]
    if end:
        yield "", end
    beginning = _beginning(keys)
    if beginning:
        yield beginning, ""


def _beginning(keys: Sequence[str]) -> str:
    """What all texts begin with, up to the end of a word where words are separated."""
    low, high = min(keys), max(keys)
    length = next((at for at, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    while length and not all(_ends_at(key, length) for key in keys):
        length -= 1
    return low[:length]


def _ends_at(key: str, at: int) -> bool:
    return at >= len(key) or " " in key[at - 1 : at + 1] or ord(key[at - 1]) >= _CHINESE


def _joined(fit: _Fit, word: str) -> str:
    parts = [fit.before.strip(), "" if word == _BARE else word, fit.after.strip()]
    # Chinese has no spaces between words.
    between = "" if any(ord(part[0]) >= _CHINESE for part in parts if part) else " "
    return between.join(filter(None, parts))


def _first(pair: Mapping[str, float], number: float) -> str:
    return next(key for key, each in pair.items() if each == number)


def _quoted(word: str) -> str:
    return f'"{word}"'


def _is(words: Sequence[str]) -> str:
    return "is" if len(words) == 1 else "are"


def _that(words: Sequence[str]) -> str:
    return "that" if len(words) == 1 else "these"


def _mean(words: Sequence[str]) -> str:
    return "means" if len(words) == 1 else "mean"


def _them(words: Sequence[str]) -> str:
    return "it" if len(words) == 1 else "them"
