"""Choices: the answers to a question, as forms of other tools offer them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manyjudges.tables.kinds import CANT_TELL_TEXT, Option

if TYPE_CHECKING:
    from manyjudges.study.questions import Attribute

CANT_TELL_CHOICE = ("cant_tell", "can’t tell")
"""What is kept, and what is shown, by tools that tell these apart."""


def choices(question: Attribute, *, labels: bool = False) -> list[str]:
    """What can be chosen; nothing where a number is typed.

    Parameters
    ----------
    question : Attribute
    labels : bool
        Whether the steps of a scale have their labels behind them.
    """
    offered = [option.with_label() if labels else option.text for option in question.answer_kind.options()]
    return [*offered, CANT_TELL_TEXT] if offered and question.cant_tell else offered


def coded_choices(question: Attribute) -> list[tuple[str, str]]:
    """What a tool keeps and what it shows of each answer that can be chosen."""
    offered = [(option.text, option.with_label()) for option in question.answer_kind.options()]
    return [*offered, CANT_TELL_CHOICE] if question.cant_tell else offered


def steps(question: Attribute) -> tuple[Option, ...]:
    """The options where they are the steps of a scale, known by their numbers; nothing where they are not."""
    options = question.answer_kind.options()
    return options if all(option.is_step for option in options) else ()


def instruction(question: Attribute, *, labels: bool = False) -> str:
    """What counts as an answer, as a sentence without its full stop.

    >>> from manyjudges.study.questions import Attribute
    >>> instruction(Attribute(name="age", question="How old?", kind="number", unit="years"))
    'A number, in years'
    """
    words = question.answer_kind.describe(labels=labels)
    return words[0].upper() + words[1:]
