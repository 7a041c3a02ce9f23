"""Choices: the answers to a question, as forms offer them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manyjudges.study.questions import Attribute

CANT_TELL = "can't tell"


def choices(question: Attribute, *, labels: bool = False) -> list[str]:
    """What can be chosen; nothing where a number is asked for.

    Parameters
    ----------
    question : Attribute
    labels : bool
        Whether the steps of a scale have their labels behind them.
    """
    if question.kind == "number":
        return []
    found = ["yes", "no"] if question.kind == "binary" else [str(step) for step in question.steps]
    if labels and question.kind == "scale":
        found = [labelled(question, step) for step in question.steps]
    return [*found, CANT_TELL] if question.cant_tell else found


def labelled(question: Attribute, step: int) -> str:
    """A step of a scale, with its label where it has one."""
    ends = len(question.labels) != len(question.steps)
    steps = (question.steps[0], question.steps[-1]) if ends else question.steps
    labels = dict(zip(steps, question.labels, strict=False))
    return f"{step} – {labels[step]}" if step in labels else str(step)


def allowed(question: Attribute) -> str:
    """What counts as an answer, in words, with the labels of a scale."""
    if question.kind == "binary":
        return "(yes or no)"
    labels = ", ".join(labelled(question, step) for step in question.steps) if question.labels else ""
    return f"({labels or question.allowed})"
