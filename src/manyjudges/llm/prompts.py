"""Prompts: what a language model is told and shown about one judgment, and in what form it is to answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from manyjudges.base.messages import quote_value
from manyjudges.exceptions import StudyError
from manyjudges.llm.pictures import Pictures
from manyjudges.study.models import Column, fill_in
from manyjudges.tables.kinds import CANT_TELL_TEXT

if TYPE_CHECKING:
    from manyjudges.study.config import Study
    from manyjudges.study.models import LlmSection, Model, Structured
    from manyjudges.study.objects import ObjectRecord
    from manyjudges.study.questions import Attribute

_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


@dataclass(frozen=True)
class Prompt:
    """What a model is told and shown about one judgment, in no service's words: each makes a request of its own of it.

    Attributes
    ----------
    instructions : str
        Who the model is told to be; may be empty.
    text : str
        The question, with the object's text; empty where there is only a picture to send.
    pictures : tuple of str
        Addresses, on the web or ``data:``. The latter hold whole pictures, and are not shown for that reason.
    structured : {"schema", "json", "text"}
        The form of the reply: what ``schema`` allows, any JSON, or plain text. For the last two, the text says more.
    schema : dict, optional
        The JSON schema of the reply, where ``structured`` is ``"schema"``.
    """

    instructions: str
    text: str
    pictures: tuple[str, ...] = field(default=(), repr=False)
    structured: Structured = "text"
    schema: dict[str, Any] | None = None


class Prompts:
    """Makes the prompts of a study.

    Parameters
    ----------
    study : Study
    records : iterable of ObjectRecord
    pictures : Pictures, optional
    """

    def __init__(self, study: Study, records: Iterable[ObjectRecord], pictures: Pictures | None = None) -> None:
        self._study = study
        self._records = {record.name: record for record in records}
        self._pictures = Pictures() if pictures is None else pictures
        self._attributes = {attribute.name: attribute for attribute in study.attributes}

    def of(self, column: Column, model: Model, name: str) -> Prompt:
        """The prompt by which a model judges an object."""
        if name not in self._records:
            raise StudyError(
                f"{self._study.folder / self._study.objects.file} has no object {quote_value(name)}, "
                f"which a judgment of "
                f"{column.name!r} is ordered for; put its row back, or make the plan anew.",
                value=name,
                row=name,
                column=column.name,
                file=str(self._study.folder / self._study.objects.file),
            )
        attribute, record, llm = self._attributes[column.attribute], self._records[name], self._study.llm
        text = user_text(self._study.title, attribute, model.prompt or llm.prompt, record.text, llm.structured)
        picture = self._pictures.address_of(record)
        if not text and picture is None:
            raise StudyError(
                f"the prompt of {column.name!r} for object {quote_value(name)} comes out empty; add {{text}}.",
                value=name,
                row=name,
                column=column.name,
            )
        pictures = () if picture is None else (picture,)
        schema = reply_schema(attribute) if llm.structured == "schema" else None
        return Prompt(instructions(model, llm), text, pictures, llm.structured, schema)


def instructions(model: Model, llm: LlmSection) -> str:
    """Who the model is told to be: what is said to all models or to this one, then its persona."""
    system = llm.system if model.system is None else model.system
    return "\n\n".join(part.strip() for part in (system, model.persona) if part.strip())


def user_text(title: str, attribute: Attribute, template: str, text: str | None, structured: str) -> str:
    """The question about an object, from the template; paragraphs that come out empty are left out."""
    fields = {
        "question": attribute.question,
        "allowed": allowed(attribute, structured),
        "help": attribute.help or "",
        "example": attribute.example or "",
        "unit": attribute.unit or "",
        "attribute": attribute.name,
        "title": title,
        "text": text or "",
    }
    # The template is taken apart, not what comes of it: blank lines in an object's text are its own.
    filled = [fill_in(paragraph, fields).strip() for paragraph in _BLANK_LINES.split(template)]
    return "\n\n".join(paragraph for paragraph in (*filled, form(attribute, structured)) if paragraph)


def allowed(attribute: Attribute, structured: str) -> str:
    """What counts as an answer, in words for a model: with a scale's labels, and how to say that one can't tell."""
    words = attribute.answer_kind.describe(labels=True)
    if attribute.cant_tell:  # in JSON it is null
        words += f", or {CANT_TELL_TEXT if structured == 'text' else 'null'} if it cannot be told"
    return words


def form(attribute: Attribute, structured: str) -> str:
    """The last paragraph: in what form to answer. Nothing where the service holds the model to a schema."""
    if structured == "schema":
        return ""
    kind = attribute.answer_kind
    words = [option for option in kind.options() if not option.is_step]
    if structured == "text":
        other = f", or with {CANT_TELL_TEXT}," if attribute.cant_tell else ""
        return f"Reply with {kind.describe() if words else 'the number'}{other} and nothing else."
    replies = [f"{json.dumps({'answer': option.json})} for {option.text}" for option in words]
    replies = replies or ['{"answer": N}, where N is the number']
    if attribute.cant_tell:
        replies.append('{"answer": null} if it cannot be told')
    return f"Reply with JSON and nothing else: {'; '.join(replies)}."


def reply_schema(attribute: Attribute) -> dict[str, Any]:
    """The JSON schema of a reply: an object with the answer."""
    answer = attribute.answer_kind.json_schema()
    if attribute.cant_tell:
        answer = {"anyOf": [answer, {"type": "null", "description": "it cannot be told"}]}
    return {"type": "object", "properties": {"answer": answer}, "required": ["answer"], "additionalProperties": False}
