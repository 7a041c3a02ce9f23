"""Configurations of Label Studio: the XML that says what is shown, and which controls ask about it.

A control's name is part of every answer, so it is kept plain; which attribute it stands for is written into each task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from manyjudges.base import formatting
from manyjudges.connectors.choices import coded_choices, instruction, steps

if TYPE_CHECKING:
    from manyjudges.study.questions import Attribute

OBJECT_FIELD, IMAGE_FIELD, TEXT_FIELD = "object", "image", "text"
"""Fields of a task: the object's name, its picture and its text. The latter two are what shows them, too."""

OWN_FIELD = "manyjudges"
"""The field of a task that says which attribute each control asks for."""

FLAT = frozenset({"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement"})
"""What JSON-MIN puts beside the fields of a task and the answers."""

_EMPTY = "leave it empty if you can’t tell; take back what you wrote by undo, as deleting it makes it 0"
"""How to say so of a number: Label Studio takes an empty field in which something stood for a 0."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,59}")
_TAKEN = FLAT | {OBJECT_FIELD, IMAGE_FIELD, TEXT_FIELD, OWN_FIELD}


def control_names(attributes: Iterable[str]) -> dict[str, str]:
    """The control of each attribute: its own name if that is plain, otherwise its number.

    >>> control_names(["tall", "text", "Wie alt?"])
    {'tall': 'tall', 'text': 'attribute_2', 'Wie alt?': 'attribute_3'}
    """
    names = list(attributes)
    plain = {name for name in names if _PLAIN.fullmatch(name) and name not in _TAKEN}
    return {
        name: name if name in plain else _unlike(f"attribute_{number}", plain)
        for number, name in enumerate(names, start=1)
    }


def configuration(fields: Sequence[str], questions: Mapping[str, Attribute]) -> str:
    """The XML of a project.

    Parameters
    ----------
    fields : sequence of str
        The fields that show an object, ``IMAGE_FIELD``, ``TEXT_FIELD`` or both.
    questions : mapping of str to Attribute
        By the names of the controls.
    """
    seen = {
        IMAGE_FIELD: _tag("Image", name=IMAGE_FIELD, value=f"${IMAGE_FIELD}"),
        TEXT_FIELD: _tag("Text", name=TEXT_FIELD, value=f"${TEXT_FIELD}", valueType="text"),
    }
    parts = [seen[field] for field in fields]
    for name, question in questions.items():
        parts += [*_headers(question), _control(name, fields[0], question)]
    return _tag("View", *parts) + "\n"


def words(text: str) -> str:
    r"""A text that stands for itself: on one line, and without anything that Label Studio takes for a field.

    >>> words("Worth $5\nor more?").replace(_JOINER, "|")
    'Worth $|5 or more?'
    """
    return formatting.clean(text).replace("$", f"${_JOINER}")


_JOINER = "\N{WORD JOINER}"
"""Behind a ``$``, it is seen by nobody and keeps Label Studio from looking for a field of that name."""


def _unlike(name: str, others: set[str]) -> str:
    while name in others:
        name += "_"
    return name


def _headers(question: Attribute) -> list[str]:
    """The question, and below it what else a judge should know, each line by itself."""
    more = [*(question.help or "").splitlines()]
    if question.example:
        more.append(f"For example: {question.example}")
    if question.answer_kind.widget == "field":
        empty = f" ({_EMPTY})" if question.cant_tell else ""
        more.append(instruction(question) + empty)
    small = [_tag("Header", value=words(line), size="6") for line in more if line.strip()]
    return [_tag("Header", value=words(question.question), size="4"), *small]


def _control(name: str, field: str, question: Attribute) -> str:
    common = {"name": name, "toName": field}
    needed = {"required": "true", "requiredMessage": words(f"Please answer: {question.question}")}
    if question.answer_kind.widget == "field":
        return _tag("Number", **common, **_limits(question), **({} if question.cant_tell else needed))
    if _is_rating(question):
        return _tag("Rating", **common, maxRating=steps(question)[-1].text, **needed)
    choices = [_tag("Choice", value=words(label), alias=alias) for alias, label in coded_choices(question)]
    return _tag("Choices", *choices, **common, choice="single-radio", showInline="true", **needed)


def _limits(question: Attribute) -> dict[str, str]:
    limits = question.answer_kind.limits()
    ends = {name: f"{end:.15g}" for name, end in limits.ends("min", "max").items()}
    # Label Studio refuses what is not a whole number of steps from the lowest, so only whole numbers get a step.
    return ends | ({"step": "1"} if limits.whole else {})


def _is_rating(question: Attribute) -> bool:
    """Whether stars can ask it: they begin at 1, have no labels, and none of them says that one can't tell."""
    stars = steps(question)
    return bool(stars) and stars[0].value == 1 and not any(star.label for star in stars) and not question.cant_tell


def _tag(kind: str, *children: str, **attributes: str) -> str:
    start = kind + "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    if not children:
        return f"<{start}/>"
    inside = "\n".join(f"  {line}" for child in children for line in child.split("\n"))
    return f"<{start}>\n{inside}\n</{kind}>"
