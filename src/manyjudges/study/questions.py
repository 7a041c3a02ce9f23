"""Questions: the attributes of a study, how each is asked, and what counts as an answer."""

from __future__ import annotations

import math
import numbers
import re
import unicodedata
from typing import Annotated, Any, Literal

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
from manyjudges.base.messages import quote_value
from manyjudges.exceptions import JudgmentsError

MOST_STEPS = 11
"""The most steps of a scale; more cannot be told apart, and do not fit on a phone."""

USED_BY = {"range": ("number", "scale"), "labels": ("scale",), "unit": ("number",), "whole": ("number",)}
"""Keys that only some kinds of attributes have."""

WORDS = {"0": 0.0, "1": 1.0, "false": 0.0, "true": 1.0, "no": 0.0, "yes": 1.0}
"""Answers to a question of yes or no."""

_DECIMAL = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)(e[-+]?\d+)?", re.IGNORECASE)
THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+")


def contradiction(message: str) -> PydanticCustomError:
    """A value that does not go with others; the message goes on after "key = value"."""
    return PydanticCustomError("contradiction", "{said}", {"said": message})


def absence(message: str) -> PydanticCustomError:
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
Name = Annotated[str, Field(max_length=200), AfterValidator(_one_line), AfterValidator(_printable)]
Pair = Annotated[tuple[float, float], BeforeValidator(_as_pair)]
Names = Annotated[tuple[Name, ...], BeforeValidator(_as_tuple)]


class Section(BaseModel):
    """A table of study.toml: frozen, no keys but the known ones, no text for a number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Attribute(Section):
    """One question, asked of many judges about each object.

    ``read`` turns what a judge or a program gave into the number that is kept.
    """

    name: Name = Field(description="a name on one line, of at most 200 characters")
    question: Words = Field(description="the question as judges read it, a text that is not empty")
    kind: Literal["binary", "number", "scale"] = Field(description='"binary", "number" or "scale"')
    range: Pair | None = Field(
        default=None,
        validate_default=True,
        description="two numbers, the smallest and the largest answer, such as [1, 7]",
    )
    labels: Names = Field(default=(), description='texts on one line, such as ["not at all", "very"]')
    unit: Name | None = Field(default=None, description="a text on one line, of at most 200 characters")
    whole: bool = Field(default=False, description="true or false")
    cost: float = Field(default=1.0, gt=0, description="a number greater than 0")
    help: Text | None = Field(default=None, description="a text")
    example: Text | None = Field(default=None, description="a text")
    cant_tell: bool = Field(default=True, description="true or false")

    @model_validator(mode="before")
    @classmethod
    def _offer_cant_tell(cls, given: Any) -> Any:
        # Yes or no is answered for a page of objects at once, where a third answer would be in the way.
        if isinstance(given, dict) and "cant_tell" not in given:
            return {**given, "cant_tell": given.get("kind") != "binary"}
        return given

    @field_validator("range", "labels", "unit", "whole")
    @classmethod
    def _belongs(cls, value: Any, info: ValidationInfo) -> Any:
        kind, key = info.data.get("kind"), str(info.field_name)
        if value is not None and kind is not None and kind not in USED_BY[key]:
            raise contradiction(f'is not for kind = "{kind}", but for {formatting.listed(USED_BY[key])}; remove it.')
        return value

    @field_validator("range")
    @classmethod
    def _check_range(cls, value: tuple[float, float] | None, info: ValidationInfo) -> tuple[float, float] | None:
        kind = info.data.get("kind")
        if value is None:
            if kind == "scale":
                raise absence("a scale needs its first and its last step, such as range = [1, 7].")
            return value
        low, high = value
        if low >= high:
            raise contradiction("is the wrong way round or has no width; write the smaller number first.")
        if kind == "scale" and not (low.is_integer() and high.is_integer()):
            raise contradiction("is not for a scale, whose steps are whole numbers, such as [1, 7].")
        if kind == "scale" and high - low + 1 > MOST_STEPS:
            raise contradiction(
                f"has {high - low + 1:g} steps, and a scale at most {MOST_STEPS}; take fewer, or kind = "
                '"number" with whole = true.'
            )
        return value

    @field_validator("labels")
    @classmethod
    def _count_labels(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if info.data.get("kind") != "scale" or info.data.get("range") is None:
            return value
        low, high = info.data["range"]
        steps = int(high - low) + 1
        if len(value) not in (2, steps):
            raise contradiction(
                f"are {len(value)}; name both ends (2)" + (f" or every step ({steps})." if steps > 2 else ".")
            )
        return value

    @field_validator("whole")
    @classmethod
    def _check_whole(cls, value: bool, info: ValidationInfo) -> bool:
        if value and info.data.get("range") and not all(end.is_integer() for end in info.data["range"]):
            raise contradiction("does not go with a range whose ends are not whole; round them.")
        return value

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps of a scale, the first to the last; none for other kinds."""
        if self.kind != "scale" or self.range is None:
            return ()
        low, high = self.range
        return tuple(int(low) + step for step in range(int(high - low) + 1))

    @property
    def allowed(self) -> str:
        """What counts as an answer, in words."""
        if self.kind == "binary":
            return "yes or no (1 or 0)"
        noun = "a whole number" if self.whole or self.kind == "scale" else "a number"
        unit = f", in {self.unit}" if self.unit else ""
        return noun + (f" from {self.range[0]:.15g} to {self.range[1]:.15g}" if self.range else "") + unit

    def read(self, given: object) -> float:
        """The number that an answer stands for.

        Parameters
        ----------
        given : str, bool, int or float
            As a form or a program gave it. In a text, decimals may be written with a comma.

        Returns
        -------
        float
            1 and 0 for yes and no.

        Raises
        ------
        JudgmentsError
            Where this is no answer to the question; the message says what would be one.
        """
        value = _as_yes_or_no(given) if self.kind == "binary" else _as_number(given)
        if value is None or not math.isfinite(value):
            raise JudgmentsError(f"{self._named(given)} must be {self.allowed}.{_hint(given)}")
        if (self.whole or self.kind == "scale") and not value.is_integer():
            raise JudgmentsError(f"{self._named(given)} must be {self.allowed}.")
        if self.range is not None and not self.range[0] <= value <= self.range[1]:
            raise JudgmentsError(f"{self._named(given)} is out of range: it must be {self.allowed}.")
        return value

    def _named(self, given: object) -> str:
        return f"{quote_value(given)} as an answer for {self.name!r}"


def _as_yes_or_no(given: object) -> float | None:
    if isinstance(given, str):
        return WORDS.get(given.strip().lower())
    if isinstance(given, numbers.Real) and given in (0, 1):
        return float(given)
    return None


def _as_number(given: object) -> float | None:
    if isinstance(given, str):
        text = given.strip().replace("\N{MINUS SIGN}", "-")
        if not _DECIMAL.fullmatch(text) or THOUSANDS.fullmatch(text):
            return None
        return float(text.replace(",", ".")) + 0.0  # adding 0 makes -0 the 0 that it is
    if isinstance(given, numbers.Real) and not isinstance(given, bool):
        try:
            return float(given) + 0.0
        except OverflowError:  # an integer that no float can hold
            return None
    return None


def _hint(given: object) -> str:
    if isinstance(given, str) and THOUSANDS.fullmatch(given.strip()):
        plain = given.strip().replace(",", "")
        return f" Does the comma separate thousands or decimals? Write {plain}, or a point for decimals."
    return ""
