"""Forms: what a judge entered on a page, read and checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from manyjudges.exceptions import InvalidAnswerError
from manyjudges.store.records import CANT_TELL
from manyjudges.tables.kinds import without_thousands

if TYPE_CHECKING:
    from manyjudges.study.questions import Attribute

_CANT = "cant"
"""How "can't tell" stands in a form."""

_LONGEST = 200


@dataclass(frozen=True)
class FormAnswers:
    """A form that was read.

    Attributes
    ----------
    answers : dict
        Values by position, and ``CANT_TELL``; only what is right.
    entered : dict
        What stood in each field, right or wrong.
    wrong : dict
        Messages by position.
    blank : tuple of int
        Positions without an answer.
    """

    answers: dict[int, float | None] = field(default_factory=dict)
    entered: dict[int, str] = field(default_factory=dict)
    wrong: dict[int, str] = field(default_factory=dict)
    blank: tuple[int, ...] = ()


def read_answers(
    form: Mapping[str, Any], attribute: Attribute, positions: Collection[int], unseen: Collection[int] = ()
) -> FormAnswers:
    """The answers in a form.

    Parameters
    ----------
    form : mapping
        ``a-3`` is the answer at position 3, and ``c-3`` says that the judge cannot tell; ``u-3`` that the image did
        not come through.
    attribute : Attribute
    positions : collection of int
        Positions that the page asked about; others are not read.
    unseen : collection of int
        Positions with nothing to see: nobody can tell.
    """
    form_answers = FormAnswers(answers=dict.fromkeys(unseen, CANT_TELL))
    blank = []
    for position in sorted(set(positions) - set(unseen)):
        text = str(form.get(f"a-{position}", "")).strip()[:_LONGEST]
        cant = text == _CANT or f"c-{position}" in form
        form_answers.entered[position] = _CANT if cant and text in {"", _CANT} else text
        if f"u-{position}" in form and not text:
            form_answers.answers[position] = CANT_TELL
        elif cant:
            _read_cant_tell(form_answers, attribute, position, text)
        elif text or attribute.answer_kind.widget == "tick":
            _read_value(form_answers, attribute, position, text or "0")  # a box that is not ticked says no
        else:
            blank.append(position)
    return FormAnswers(form_answers.answers, form_answers.entered, form_answers.wrong, tuple(blank))


def _read_cant_tell(form_answers: FormAnswers, attribute: Attribute, position: int, text: str) -> None:
    if not attribute.cant_tell:
        form_answers.wrong[position] = "This question needs an answer."
    elif text not in {"", _CANT}:
        form_answers.wrong[position] = "Please answer, or tick “can’t tell”, but not both."
    else:
        form_answers.answers[position] = CANT_TELL


def _read_value(form_answers: FormAnswers, attribute: Attribute, position: int, text: str) -> None:
    try:
        form_answers.answers[position] = attribute.read(text)
    except InvalidAnswerError as error:
        form_answers.wrong[position] = _allowed(attribute, text, error)


def _allowed(attribute: Attribute, text: str, error: InvalidAnswerError) -> str:
    """What is asked for, for somebody who entered something else."""
    if attribute.answer_kind.widget != "field":
        return "Please pick one of the answers."
    if plain := without_thousands(text):
        question = f"Does the comma in “{text}” separate thousands or decimals?"
        return f"{question} Please write {plain}, or decimals with a point."
    return f"Please enter {error.allowed}."


def draft_of(form_answers: FormAnswers, attribute: Attribute) -> dict[int, float | None]:
    """What to keep while a judge pauses: what is not ticked is not answered yet."""
    if attribute.answer_kind.widget != "tick":
        return dict(form_answers.answers)
    return {position: value for position, value in form_answers.answers.items() if value != 0}


def entered_of(answers: Mapping[int, float | None], attribute: Attribute) -> dict[int, str]:
    """Answers as fields show them."""
    kind = attribute.answer_kind
    if kind.widget == "tick":
        return {p: _CANT if v is CANT_TELL else "1" if v else "" for p, v in answers.items()}
    texts = {option.value: option.text for option in kind.options()}
    return {p: _CANT if v is CANT_TELL else texts.get(v, f"{v:.12g}") for p, v in answers.items()}
