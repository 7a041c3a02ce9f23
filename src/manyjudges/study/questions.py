"""Questions: the attributes of a study and how each is asked."""

from __future__ import annotations

__all__ = ["Attribute"]

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from manyjudges.base import formatting
from manyjudges.exceptions import InvalidAnswerError
from manyjudges.tables.kinds import KINDS, AnswerKind, invalid_answer


def contradiction(message: str) -> PydanticCustomError:
    """A value that does not go with others; the message goes on after "key = value"."""
    return PydanticCustomError("contradiction", "{said}", {"said": message})


def _absence(message: str) -> PydanticCustomError:
    """A value that others call for; the message goes on after "key is missing: "."""
    return PydanticCustomError("absence", "{said}", {"said": message})


def _printable(text: str) -> str:
    if any(unicodedata.category(character) == "Cc" and character not in "\n\t" for character in text):
        raise contradiction("holds a control character, which no page can show; remove it.")
    return text


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError
    return text


def _one_line(text: str) -> str:
    if text != text.strip() or len(text.splitlines()) != 1 or "\t" in text:
        raise ValueError
    return text


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _as_pair(value: object) -> object:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError
    return tuple(value)


Text = Annotated[str, AfterValidator(_printable)]
Words = Annotated[str, AfterValidator(_filled), AfterValidator(_printable)]
ShortText = Annotated[str, Field(max_length=200), AfterValidator(_one_line), AfterValidator(_printable)]
Pair = Annotated[tuple[float, float], BeforeValidator(_as_pair)]
ShortTexts = Annotated[tuple[ShortText, ...], BeforeValidator(_as_tuple)]


class StudySection(BaseModel):
    """A table of study.toml: frozen, no keys but the known ones, no text for a number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def one_of(names: Iterable[str]) -> str:
    """Names to choose from, as a study's file writes them."""
    *before, last = (f'"{name}"' for name in names)
    return f"{', '.join(before)} or {last}"


def _known_kind(name: str) -> str:
    if name not in KINDS:
        raise ValueError
    return name


@lru_cache(maxsize=1024)
def _kind_of(kind: type[AnswerKind], keys: tuple[tuple[str, Any], ...]) -> AnswerKind:
    """The kind of a question. It is asked for with every answer that is read, and a study has few of them."""
    return kind.of(dict(keys))


class Attribute(StudySection):
    """One question, asked of many judges about each object.

    ``answer_kind`` says what counts as an answer; ``read`` turns what a judge or a program gave into the number that is
    kept.
    """

    name: ShortText = Field(description="a name on one line, of at most 200 characters")
    question: Words = Field(description="the question as judges read it, a text that is not empty")
    kind: Annotated[str, AfterValidator(_known_kind)] = Field(description=one_of(KINDS))
    range: Pair | None = Field(
        default=None,
        description="two numbers, the smallest and the largest answer, such as [1, 7]",
    )
    labels: ShortTexts = Field(default=(), description='texts on one line, such as ["not at all", "very"]')
    unit: ShortText | None = Field(default=None, description="a text on one line, of at most 200 characters")
    whole: bool = Field(default=False, description="true or false")
    cost: float = Field(default=1.0, gt=0, description="a number greater than 0")
    help: Text | None = Field(default=None, description="a text")
    example: Text | None = Field(default=None, description="a text")
    cant_tell: bool = Field(default=True, description="true or false")

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, document: Any) -> Any:
        """What depends on the kind where it is left out: whether "can't tell" is offered, and required keys as None."""
        name = document.get("kind") if isinstance(document, dict) else None
        kind = KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            return document
        # Boxes are ticked on a page of many objects at once, where a third answer would be in the way.
        defaults = {"cant_tell": kind.widget != "tick"}
        # A key that is missing would not be validated.
        defaults |= {key: cls.model_fields[key].default for key in kind.required}
        return {**defaults, **document}

    @field_validator("range", "labels", "unit", "whole")
    @classmethod
    def _fits_kind(cls, value: Any, info: ValidationInfo) -> Any:
        name, key = info.data.get("kind"), str(info.field_name)
        if name is None:  # it is wrong itself
            return value
        kind = KINDS[name]
        if key not in kind.keys:
            if value is not None:
                homes = [other for other, takes in KINDS.items() if key in takes.keys]
                raise contradiction(f'is not for kind = "{name}", but for {formatting.listed(homes)}; remove it.')
            return value
        if problem := kind.problem_with(key, value, info.data):
            raise _absence(problem) if key in kind.required and not value else contradiction(problem)
        return value

    @property
    def answer_kind(self) -> AnswerKind:
        """What counts as an answer, how it is asked for and what is made of it."""
        kind = KINDS[self.kind]
        return _kind_of(kind, tuple((key, getattr(self, key)) for key in kind.keys))

    def read(self, answer: object) -> float:
        """The number that an answer stands for.

        Parameters
        ----------
        answer : str, bool, int or float
            As a form or a program gave it. In a text, decimals may be written with a comma.

        Returns
        -------
        float
            1 and 0 for yes and no.

        Raises
        ------
        InvalidAnswerError
            Where this is no answer to the question; the message says what would be one.
        """
        kind = self.answer_kind
        try:
            return kind.read(answer)
        except InvalidAnswerError as error:
            raise invalid_answer(answer, error.problem, kind, self.name) from None
