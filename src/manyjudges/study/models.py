"""Models: which language models judge in a study, what they are told, and what they cost."""

from __future__ import annotations

__all__ = ["Column", "LlmSection", "Model", "Structured", "fill_in"]

import json
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator

from manyjudges.base.formatting import listed
from manyjudges.study.addresses import is_web_address
from manyjudges.study.questions import ShortText, ShortTexts, StudySection, Text, Words, contradiction
from manyjudges.tables.judge_columns import AT as AT

PLACEHOLDERS = ("question", "allowed", "help", "example", "unit", "attribute", "title", "text")
"""What a prompt may have in braces."""

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}\n]*)\}")

PROMPT = """{question}

{help}

{example}

Answer with {allowed}.

{text}"""
"""What a model is asked unless the study says otherwise; paragraphs that come out empty are left out."""


def fill_in(template: str, values: dict[str, str]) -> str:
    """A prompt with its placeholders filled in; ``{{`` and ``}}`` stand for braces."""

    def filled(match: re.Match[str]) -> str:
        return match[0][0] if match[1] is None else values[match[1].strip()]

    return _PLACEHOLDER.sub(filled, template)


def _template(text: str) -> str:
    for placeholder in _PLACEHOLDER.finditer(text):
        if placeholder[1] is not None and placeholder[1].strip() not in PLACEHOLDERS:
            allowed = listed([f"{{{name}}}" for name in PLACEHOLDERS])
            raise contradiction(f"has {placeholder[0]!r} in it, which nothing is known for; there are {allowed}.")
    return text


def _web_address(address: str) -> str:
    if not is_web_address(address):
        raise ValueError
    return address


def _variable(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError
    return name


def _plain(name: str) -> str:
    if AT in name:
        raise contradiction(f"has {AT!r} in it, which stands between an attribute and a model; rename it.")
    return name


Template = Annotated[Words, AfterValidator(_template)]
Address = Annotated[str, AfterValidator(_web_address)]
Variable = Annotated[str, AfterValidator(_variable)]

Structured = Literal["schema", "json", "text"]
"""How a model is made to answer: by a JSON schema, in any JSON, or in plain text."""

_ADDRESS = "an address that begins with http:// or https://"
_VARIABLE = "the name of an environment variable, such as MY_API_KEY"


class LlmSection(StudySection):
    """``[llm]``: how language models are asked, wherever they are."""

    address: Address | None = Field(default=None, description=_ADDRESS)
    api_key_env: Variable | None = Field(default=None, description=_VARIABLE)
    system: Text = Field(default="", description="a text")
    prompt: Template = Field(default=PROMPT, description="a text that is not empty")
    structured: Structured = Field(default="schema", description='"schema", "json" or "text"')
    concurrency: int = Field(default=8, ge=1, le=1000, description="a whole number from 1 to 1000")
    timeout: float = Field(default=60.0, gt=0, le=3600, description="a number of seconds, at most 3600")
    max_calls_per_judgment: int = Field(default=3, ge=1, le=20, description="a whole number from 1 to 20")
    max_retries: int = Field(default=5, ge=0, le=100, description="a whole number from 0 to 100")
    spending_limit: float | None = Field(default=None, gt=0, description="a number greater than 0")
    people: bool = Field(default=False, description="true or false")


class Model(StudySection):
    """``[[models]]``: one judge among the language models, by its name in the study."""

    name: Annotated[ShortText, AfterValidator(_plain)] = Field(
        description="a name on one line, of at most 200 characters"
    )
    model: ShortText | None = Field(default=None, description="what the service calls the model")
    persona: Text = Field(default="", description="a text")
    system: Text | None = Field(default=None, description="a text")
    prompt: Template | None = Field(default=None, description="a text that is not empty")
    temperature: float | None = Field(default=None, ge=0, le=5, description="a number from 0 to 5")
    max_tokens: int | None = Field(default=None, ge=1, le=1_000_000, description="a whole number of 1 or more")
    options: dict[str, Any] = Field(default_factory=dict, description="a table of what else to send with a request")
    price_in: float = Field(default=0.0, ge=0, description="the price of a million tokens, a number of 0 or more")
    price_out: float = Field(default=0.0, ge=0, description="the price of a million tokens, a number of 0 or more")
    cost: float | None = Field(default=None, gt=0, description="a number greater than 0")
    attributes: ShortTexts = Field(default=(), description='names of attributes, such as ["tone", "grammar"]')
    service: ShortText | None = Field(default=None, description="the name of a model service")
    address: Address | None = Field(default=None, description=_ADDRESS)
    api_key_env: Variable | None = Field(default=None, description=_VARIABLE)

    @field_validator("options")
    @classmethod
    def _check_options(cls, value: dict[str, Any]) -> dict[str, Any]:
        ours = sorted(value.keys() & {"model", "temperature", "max_tokens"})  # which have keys of their own
        if ours:
            raise contradiction(f"has {listed(map(repr, ours))} in it, which cannot be set here; remove it.")
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise contradiction("has a date, nan or inf in it, which JSON has no words for; remove it.") from None
        return value

    @property
    def called(self) -> str:
        """What the service calls the model."""
        return self.model or self.name

    def paid(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost, in the study's currency."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6


@dataclass(frozen=True)
class Column:
    """What judgments are counted and planned by: an attribute, or an attribute as one model judges it.

    Attributes
    ----------
    name : str
        ``"tone"`` of people, ``"tone @ gpt-small"`` of a model.
    attribute : str
    judge : str, optional
        The model that alone judges it; None where it is open to people, and to any model that is named.
    cost : float
        In units; of a model, what is assumed until it is known what was paid.
    """

    name: str
    attribute: str
    judge: str | None
    cost: float
