"""Readings: what was understood of a table."""

from __future__ import annotations

__all__ = ["InvalidRow", "Reading", "TableRead", "codings_from_document", "codings_to_document", "invalid_frame"]

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from manyjudges.arrays.types import Floats, Integers
from manyjudges.base.frames import table
from manyjudges.base.messages import list_names
from manyjudges.base.results import Result
from manyjudges.exceptions import JudgmentsError
from manyjudges.tables.answers.coding import PLAIN, AnswerCoding
from manyjudges.tables.answers.ranges import steps_of
from manyjudges.tables.shapes.layout import Layout

if TYPE_CHECKING:
    from manyjudges.tables.judgments import Judgments

_NAMED = 3
"""Attributes that a line names."""


@dataclass(frozen=True)
class InvalidRow:
    """A row that was skipped, and why.

    Attributes
    ----------
    file : str
        Empty where the table was no file.
    row : int, optional
        Counted from 1, without the heading.
    column : str
        What is wrong in it: the attribute, or ``object``, ``attribute`` or ``worker``.
    value : str
    problem : str
    """

    file: str
    row: int | None
    column: str
    value: str
    problem: str


@dataclass(frozen=True, eq=False, repr=False)
class Reading(Result):
    """What was understood of a table.

    Attributes
    ----------
    name : str
        Of the file or files; empty where the table was no file.
    layout : Layout
        Which column is what.
    codings : mapping of str to AnswerCoding
        What the answers stand for, by attribute.
    label_note : str
        What the labels' words stand for, where the table has labels in words.
    unanswered : int
        Cells without an answer.
    skipped : int
        Invalid rows that were skipped.
    repeated : int
        Judgments that were left out or averaged because the same worker had judged the same before.
    notes : tuple of str
        Sentences for the user, such as that an encoding was guessed.
    """

    FORMAT: ClassVar[str] = "manyjudges.reading/1"

    name: str
    layout: Layout
    codings: Mapping[str, AnswerCoding] = field(default_factory=dict)
    label_note: str = ""
    unanswered: int = 0
    skipped: int = 0
    repeated: int = 0
    notes: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """One line: what was read from where, and which column was taken for what."""
        where, roles = f"read from {self.name}" if self.name else "read", self.layout.roles
        if self.layout.shape != "long":
            return f"{where}: {self.layout.describe()}" if self.name else self.layout.describe()
        if all(role == name for role, name in roles.items()):
            return where if self.name else ""
        return f"{where}: {', '.join(f'{role} = {name!r}' for role, name in roles.items())}"

    def lines(self) -> list[str]:
        """What to tell the user, a line each, the shape first."""
        told = [line for line in (self.source, *self.notes, *self._answers()) if line]
        if self.label_note:
            told.append(f"labels: {self.label_note}")
        return told

    def joined(self, other: Reading | None) -> Reading:
        """The reading of two tables as one; JudgmentsError where an answer is another number in the other."""
        if other is None:
            return self
        for name in self.codings.keys() & other.codings.keys():
            _check_same(name, self.codings[name], other.codings[name])
        counts = {name: getattr(self, name) + getattr(other, name) for name in ("unanswered", "skipped", "repeated")}
        notes = tuple(dict.fromkeys([*self.notes, *other.notes]))
        return replace(self, codings={**other.codings, **self.codings}, notes=notes, **counts)

    @property
    def headline(self) -> str:
        """What was read from where, and all else that was understood."""
        return "\n".join(self.lines())

    def to_frame(self) -> pd.DataFrame:
        """A row for each attribute: its kind of answers, and what they stand for."""
        codings = self.codings.values()
        return table(
            {
                "attribute": list(self.codings),
                "kind": [coding.kind for coding in codings],
                "answers": [coding.describe() for coding in codings],
            }
        )

    def to_document(self) -> dict[str, Any]:
        """The reading as plain JSON."""
        counts = {name: getattr(self, name) for name in ("unanswered", "skipped", "repeated")}
        layout, answers = self.layout.to_document(), codings_to_document(self.codings)
        document = {"format": self.FORMAT, "name": self.name, "layout": layout, "answers": answers, **counts}
        return document | {"label_note": self.label_note, "notes": list(self.notes)}

    def _answers(self) -> Iterator[str]:
        """What words stand for, attributes with the same words together."""
        alike: dict[str, list[str]] = {}
        for attribute, coding in self.codings.items():
            if coding.words or coding.unit:
                alike.setdefault(coding.describe(), []).append(attribute)
        for words, attributes in alike.items():
            yield f"answers for {list_names(attributes, limit=_NAMED)}: {words}"


@dataclass(frozen=True, eq=False)
class TableRead:
    """A table that has been read.

    Attributes
    ----------
    judgments : Judgments
    labels : Series, optional
        By object, where the table has a column of labels; its ``attrs["to_predict"]`` lists objects without one.
    reading : Reading
    invalid : tuple of InvalidRow
        Rows that were skipped.
    unjudged : sequence
        Names of objects that are in the table and have no answer at all.
    """

    judgments: Judgments
    labels: pd.Series[Any] | None
    reading: Reading
    invalid: tuple[InvalidRow, ...] = ()
    unjudged: Any = ()

    def invalid_frame(self) -> pd.DataFrame:
        """A row for each row that was skipped: ``file``, ``row``, ``column``, ``value``, ``problem``."""
        return invalid_frame(self.invalid)


def invalid_frame(invalid: Sequence[InvalidRow]) -> pd.DataFrame:
    """A row for each row that was skipped: ``file``, ``row``, ``column``, ``value``, ``problem``."""
    names = ("file", "row", "column", "value", "problem")
    return table({name: [getattr(each, name) for each in invalid] for name in names})


def _check_same(attribute: str, own: AnswerCoding, other: AnswerCoding) -> None:
    """Refuse two codings in which an answer is not the same number."""
    words = [word for word in other.words if own.look_up(word) not in (None, other.look_up(word))]
    if words:
        raise JudgmentsError(
            f"{words[0]!r}, an answer for {attribute!r}, is {own.look_up(words[0]):g} in the first table and "
            f"{other.look_up(words[0]):g} in the second. Read one with the codings of the other: "
            "codings=other.reading.codings.",
            value=words[0],
            column=attribute,
        )


def codings_to_document(
    codings: Mapping[str, AnswerCoding], values: Mapping[str, tuple[Floats, Integers]] | None = None
) -> dict[str, Any]:
    """What answers stand for, as a plan keeps it.

    Parameters
    ----------
    codings : mapping of str to AnswerCoding
        By attribute. Plain numbers of which nothing else is known are left out.
    values : mapping of str to tuple of arrays, optional
        Of each attribute the different values of its judgments, and how often each is there.
    """
    known = {
        name: replace(codings[name], limits=(float(own[0]), float(own[-1])), steps=steps_of(own, counts))
        for name, (own, counts) in (values or {}).items()
        if name in codings and codings[name].is_numeric and len(own)
    }
    return {
        name: coding.to_document()
        for name, coding in {**codings, **known}.items()
        if not coding.is_plain or coding.no_answer or coding.limits
    }


def codings_from_document(document: Mapping[str, Any], attributes: Sequence[str] = ()) -> dict[str, AnswerCoding]:
    """What :func:`codings_to_document` gave; other attributes have plain numbers."""
    plain = dict.fromkeys(attributes, PLAIN)
    return plain | {name: AnswerCoding.from_document(each) for name, each in document.items()}
