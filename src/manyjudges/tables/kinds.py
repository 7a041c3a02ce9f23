"""Kinds of answers: what counts as an answer to a question, and the number that is kept of it.

Everything that depends on the kind of a question is asked of its :class:`AnswerKind`: pages choose a form by ``widget``
and show ``options()``; files and models are told ``describe()`` and ``json_schema()``; whatever comes back goes through
``read()``. Nothing else may look at the name of a kind. To add one, write its class here and enter it in ``KINDS``.

What people type is read here, too, and nowhere else. They may write decimals with a comma, which the cells of tables
may not: there, a comma separates columns.
"""

from __future__ import annotations

__all__ = [
    "CANT_TELL_TEXT",
    "CANT_TELL_WORDS",
    "KINDS",
    "AnswerKind",
    "Binary",
    "Number",
    "Option",
    "find_label",
    "invalid_answer",
    "read_json",
    "says_cant_tell",
    "without_thousands",
]

import math
import numbers
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal, Protocol, Self

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import InvalidAnswerError
from manyjudges.tables.grammar import TYPED

CANT_TELL_TEXT = "can't tell"
"""How judges say that they cannot tell, where they say it in words."""

CANT_TELL_WORDS = frozenset({CANT_TELL_TEXT, "can’t tell", "cannot tell", "cant tell", "cant_tell", "can not tell"})
"""All the ways in which people, models and tools write that, in small letters."""

_MAX_SCALE_STEPS = 11
"""The most steps of a scale; more cannot be told apart, and do not fit on a phone."""

_YES_NO = {"0": 0.0, "1": 1.0, "false": 0.0, "true": 1.0, "no": 0.0, "yes": 1.0}
"""What people may type for yes and no."""

_JSON_TYPES: dict[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "integer": (int, float),  # 7.0 is a whole number in JSON
    "number": (int, float),
    "string": (str,),
}
"""What the types of a JSON schema are in Python."""

_DECIMAL = re.compile(TYPED.number)
_THOUSANDS = re.compile(TYPED.thousands)
_EDGES = re.compile(TYPED.edges)

Widget = Literal["tick", "choice", "field"]
"""How a question is asked: by a box to tick, by options of which one is chosen, or by a field to type into."""


@dataclass(frozen=True)
class Option:
    """One of the answers that can be chosen.

    Attributes
    ----------
    value : float
        The number that is kept.
    text : str
        How it is written in forms and files: ``"yes"``, ``"3"``.
    json : bool, int or str
        How it is written in JSON. Only the steps of a scale are numbers there.
    label : str
        What the question calls it, such as ``"very"``; may be empty.
    """

    value: float
    text: str
    json: bool | int | str
    label: str = ""

    @property
    def is_step(self) -> bool:
        """Whether it is the step of a scale, known by its number."""
        return not isinstance(self.json, bool | str)

    def with_label(self, between: str = " – ") -> str:
        """Its text, and its label where it has one.

        >>> Option(3.0, "3", 3, "very").with_label(), Option(2.0, "2", 2).with_label()
        ('3 – very', '2')
        """
        return f"{self.text}{between}{self.label}" if self.label else self.text


@dataclass(frozen=True)
class NumberLimits:
    """Limits of a typed number, for forms and tools that check it themselves.

    Attributes
    ----------
    low, high : float, optional
        The smallest and the largest; None where there is none.
    whole : bool
        Whether it must be a whole number.
    """

    low: float | None = None
    high: float | None = None
    whole: bool = False

    def ends(self, low: str, high: str) -> dict[str, float]:
        """The smallest and the largest that there are, by the names that a tool has for them.

        >>> NumberLimits(0.0, 8.5).ends("min", "max"), NumberLimits().ends("min", "max")
        ({'min': 0.0, 'max': 8.5}, {})
        """
        return {name: end for name, end in ((low, self.low), (high, self.high)) if end is not None}


_YES_OR_NO = (Option(1.0, "yes", True), Option(0.0, "no", False))


class AnswerKind(Protocol):
    """What counts as an answer to a question.

    Attributes
    ----------
    name : str
        As a study's file has it.
    keys : tuple of str
        The keys of a question, such as ``"range"``, that it takes as keyword arguments.
    required : tuple of str
        Those that must be there.
    widget : str
        All that a page, a form or a tool needs to choose how to ask.
    """

    name: ClassVar[str]
    keys: ClassVar[tuple[str, ...]] = ()
    required: ClassVar[tuple[str, ...]] = ()
    widget: ClassVar[Widget]

    @classmethod
    def of(cls, question: Mapping[str, Any]) -> Self:
        """The kind that the keys of a question make, with those that it takes."""
        make: Callable[..., Self] = cls
        return make(**{key: question[key] for key in cls.keys})

    @classmethod
    def problem_with(cls, key: str, value: Any, others: Mapping[str, Any]) -> str:
        """What is wrong with the value of a key, to go on after ``range = [7, 1]``; nothing where it is fine.

        Parameters
        ----------
        key : str
            One of ``keys``.
        value : object
            Of the right type; None or empty where a required key is missing.
        others : mapping
            The keys that were checked before it; those with problems are missing.
        """
        return ""

    @abstractmethod
    def read(self, answer: object) -> float:
        """The number that an answer stands for; InvalidAnswerError says what would be one.

        Parameters
        ----------
        answer : str, bool, int or float
            As a form, a file or a program has it.
        """

    @abstractmethod
    def describe(self, *, labels: bool = False) -> str:
        """What counts as an answer, in words: ``"a whole number from 1 to 7"``.

        Parameters
        ----------
        labels : bool
            Whether to say what the steps of a scale are called.
        """

    @abstractmethod
    def json_schema(self) -> dict[str, Any]:
        """The JSON schema of an answer: of one type, and of just the values that ``read`` takes in that type."""

    def options(self) -> tuple[Option, ...]:
        """The answers to choose from; empty where a number is typed."""
        return ()

    def limits(self) -> NumberLimits:
        """What a number must keep to, where one is typed."""
        return NumberLimits()

    def columns(self, attribute: str) -> tuple[str, ...]:
        """The numeric attributes that the answers to one question make: one, or several for several classes."""
        return (attribute,)

    def encode(self, value: float) -> tuple[float, ...]:
        """The value of each of these columns, for a number that ``read`` gave."""
        return (value,)

    def identity(self) -> list[Any]:
        """What stored answers rest on, as plain JSON: answers of two identities must not be mixed."""
        return [self.name, None]


@dataclass(frozen=True)
class Binary(AnswerKind):
    """Yes or no, kept as 1 and 0."""

    name: ClassVar[str] = "binary"
    widget: ClassVar[Widget] = "tick"

    def read(self, answer: object) -> float:
        """1 for yes and 0 for no."""
        value = None
        if isinstance(answer, str):
            value = _YES_NO.get(answer.strip().lower())
        elif isinstance(answer, numbers.Real) and answer in (0, 1):
            value = float(answer)
        if value is None:
            raise invalid_answer(answer, f"must be {self.describe()} (1 or 0).", self)
        return value

    def options(self) -> tuple[Option, ...]:
        """Yes and no."""
        return _YES_OR_NO

    def describe(self, *, labels: bool = False) -> str:
        """``"yes or no"``."""
        return "yes or no"

    def json_schema(self) -> dict[str, Any]:
        """True or false."""
        return {"type": "boolean", "description": "true for yes, false for no"}


@dataclass(frozen=True)
class Number(AnswerKind):
    """A number that is typed, perhaps within a range, perhaps a whole one."""

    name: ClassVar[str] = "number"
    keys: ClassVar[tuple[str, ...]] = ("range", "unit", "whole")
    widget: ClassVar[Widget] = "field"

    range: tuple[float, float] | None = None
    unit: str | None = None
    whole: bool = False

    @classmethod
    def problem_with(cls, key: str, value: Any, others: Mapping[str, Any]) -> str:
        """A range that is no range; whole numbers between ends that are not whole."""
        if key == "range" and value is not None:
            return _problem_with_order(value)
        ends = others.get("range")
        if key == "whole" and value and ends and not all(end.is_integer() for end in ends):
            return "does not go with a range whose ends are not whole; round them."
        return ""

    def read(self, answer: object) -> float:
        """The number, which is never rounded."""
        return _read_within(answer, self.range, self.whole, self)

    def describe(self, *, labels: bool = False) -> str:
        """Such as ``"a number from 0 to 8.5, in feet"``."""
        unit = f", in {self.unit}" if self.unit else ""
        return _number_in_words(self.range, self.whole) + unit

    def json_schema(self) -> dict[str, Any]:
        """A number, with the ends of its range."""
        ends = self.limits().ends("minimum", "maximum")
        return {"type": "integer" if self.whole else "number", **ends, "description": self.describe()}

    def limits(self) -> NumberLimits:
        """The ends of its range, and whether it is whole."""
        low, high = self.range or (None, None)
        return NumberLimits(low, high, self.whole)

    def identity(self) -> list[Any]:
        """Its name and its range."""
        return [self.name, None if self.range is None else list(self.range)]


@dataclass(frozen=True)
class Scale(AnswerKind):
    """The steps from one whole number to another, with labels for both ends, for every step, or none."""

    name: ClassVar[str] = "scale"
    keys: ClassVar[tuple[str, ...]] = ("range", "labels")
    required: ClassVar[tuple[str, ...]] = ("range",)
    widget: ClassVar[Widget] = "choice"

    range: tuple[float, float]
    labels: tuple[str, ...] = ()

    @classmethod
    def problem_with(cls, key: str, value: Any, others: Mapping[str, Any]) -> str:
        """Steps that are too many, or no whole numbers; labels that do not fit them."""
        if key == "range":
            return _problem_with_steps(value)
        ends = others.get("range")
        steps = 0 if ends is None else int(ends[1] - ends[0]) + 1
        if key == "labels" and steps and len(value) not in (2, steps):
            return f"are {len(value)}; name both ends (2)" + (f" or every step ({steps})." if steps > 2 else ".")
        return ""

    def read(self, answer: object) -> float:
        """The number of the step."""
        return _read_within(answer, self.range, True, self)

    def options(self) -> tuple[Option, ...]:
        """The steps, the first to the last; where two labels are given, they are those of the ends."""
        return _steps(self.range, self.labels)

    def describe(self, *, labels: bool = False) -> str:
        """Such as ``"a whole number from 1 to 3 (1: cold, 3: warm)"``."""
        named = [f"{option.text}: {option.label}" for option in self.options() if option.label] if labels else []
        return _number_in_words(self.range, True) + (f" ({', '.join(named)})" if named else "")

    def json_schema(self) -> dict[str, Any]:
        """One of the steps, as a number."""
        steps = [option.json for option in self.options()]
        return {"type": "integer", "enum": steps, "description": self.describe()}

    def identity(self) -> list[Any]:
        """Its name and its range."""
        return [self.name, list(self.range)]


KINDS: dict[str, type[AnswerKind]] = {kind.name: kind for kind in (Binary, Number, Scale)}
"""All kinds by their names: what a study's file may say, in the order in which it is told."""


def read_typed_number(text: str) -> float | None:
    """The number that somebody typed, with a point or a comma for decimals; None where it is none.

    ``"1,234"`` is none: it may mean 1234 as well as 1.234, and nobody can tell which.

    >>> read_typed_number(" 3,5 "), read_typed_number("1,234"), read_typed_number("3 feet")
    (3.5, None, None)
    """
    plain = _typed(text)
    if not _DECIMAL.fullmatch(plain) or _THOUSANDS.fullmatch(plain):
        return None
    return float(plain.replace(",", ".")) + 0.0  # adding 0 makes -0 the 0 that it is


def without_thousands(text: str) -> str:
    """A number without its commas, if they may separate thousands; nothing for all other texts.

    >>> without_thousands("12,345"), without_thousands("12,34")
    ('12345', '')
    """
    plain = _typed(text)
    return plain.replace(",", "") if _THOUSANDS.fullmatch(plain) else ""


def read_json(kind: AnswerKind, answer: object) -> float:
    """The number that an answer in JSON stands for: of just those answers that ``json_schema`` allows.

    It is stricter than ``read``: true and false are yes and no, 1 and ``"yes"`` are not.
    """
    schema = kind.json_schema()
    if type(answer) not in _JSON_TYPES[schema["type"]] or answer not in schema.get("enum", [answer]):
        raise invalid_answer(answer, f"must be {kind.describe()}, and in JSON of the type {schema['type']}.", kind)
    return kind.read(answer)


def find_label(options: Iterable[Option], text: str) -> Option | None:
    """The option that has this label, in capital or small letters; None where there is none."""
    wanted = text.strip().casefold()
    return next((option for option in options if option.label and option.label.casefold() == wanted), None)


def says_cant_tell(answer: object) -> bool:
    """Whether somebody answered in words that they cannot tell.

    >>> says_cant_tell(" Can't tell "), says_cant_tell("no")
    (True, False)
    """
    return isinstance(answer, str) and answer.strip().casefold() in CANT_TELL_WORDS


def invalid_answer(answer: object, problem: str, kind: AnswerKind, attribute: str | None = None) -> InvalidAnswerError:
    """The error for an answer that is none.

    Parameters
    ----------
    answer : object
    problem : str
        What is wrong, to go on after the answer: ``"must be yes or no."``
    kind : AnswerKind
    attribute : str, optional
        What it should have been an answer for, where that is known.
    """
    subject = quote_value(answer) + (f" as an answer for {attribute!r}" if attribute is not None else "")
    return InvalidAnswerError(
        f"{subject} {problem}", problem=problem, allowed=kind.describe(), value=answer, column=attribute
    )


@lru_cache(maxsize=1024)  # they are looked through for every answer that is read from a file
def _steps(ends: tuple[float, float], labels: tuple[str, ...]) -> tuple[Option, ...]:
    low, high = map(int, ends)
    names = dict.fromkeys(range(low, high + 1), "")
    names.update(zip(names if len(labels) == len(names) else (low, high), labels, strict=False))
    return tuple(Option(float(step), str(step), step, label) for step, label in names.items())


def _typed(text: str) -> str:
    return _EDGES.sub("", text).replace(TYPED.minus, "-")


def _read_within(answer: object, ends: tuple[float, float] | None, whole: bool, kind: AnswerKind) -> float:
    value = _as_number(answer)
    if value is None or not math.isfinite(value):
        raise invalid_answer(answer, f"must be {kind.describe()}.{_hint(answer)}", kind)
    if whole and not value.is_integer():
        raise invalid_answer(answer, f"must be {kind.describe()}.", kind)
    if ends is not None and not ends[0] <= value <= ends[1]:
        raise invalid_answer(answer, f"is out of range: it must be {kind.describe()}.", kind)
    return value


def _as_number(answer: object) -> float | None:
    if isinstance(answer, str):
        return read_typed_number(answer)
    if isinstance(answer, numbers.Real) and not isinstance(answer, bool):
        try:
            return float(answer) + 0.0
        except OverflowError:  # an integer that no float can hold
            return None
    return None


def _hint(answer: object) -> str:
    plain = without_thousands(answer) if isinstance(answer, str) else ""
    if not plain:
        return ""
    return f" Does the comma separate thousands or decimals? Write {plain}, or a point for decimals."


def _number_in_words(ends: tuple[float, float] | None, whole: bool) -> str:
    noun = "a whole number" if whole else "a number"
    return noun if ends is None else f"{noun} from {ends[0]:.15g} to {ends[1]:.15g}"


def _problem_with_order(ends: tuple[float, float]) -> str:
    low, high = ends
    return "is the wrong way round or has no width; write the smaller number first." if low >= high else ""


def _problem_with_steps(ends: tuple[float, float] | None) -> str:
    if ends is None:
        return "a scale needs its first and its last step, such as range = [1, 7]."
    low, high = ends
    if problem := _problem_with_order(ends):
        return problem
    if not (low.is_integer() and high.is_integer()):
        return "is not for a scale, whose steps are whole numbers, such as [1, 7]."
    if high - low + 1 > _MAX_SCALE_STEPS:
        return (
            f"has {high - low + 1:g} steps, and a scale at most {_MAX_SCALE_STEPS}; take fewer, or kind = "
            '"number" with whole = true.'
        )
    return ""
