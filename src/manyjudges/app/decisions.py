"""Decisions: what the user has answered about the table, taken into the choices, listed, and taken back.

An answer is ``name=value``: the choice that it changes, and what is added to it or put in its place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manyjudges.app.choices import Choices

_LISTS = ("missing", "valid", "drop", "noiseless")
_SINGLE = {"on_invalid": "error", "repeated": "error", "unmatched": "error"}


def answered(choices: Choices, answer: str) -> Choices:
    """The choices with an answer taken into them.

    >>> answered(Choices(), "missing=-99").missing, answered(Choices(), "worker=").columns
    (('-99',), {'worker': None})
    """
    name, _, value = answer.partition("=")
    if name in _LISTS:
        values = tuple(dict.fromkeys([*getattr(choices, name), value]))
        return _with(choices, name, values)
    if name in _SINGLE:
        return _with(choices, name, value)
    if name == "worker":
        return replace(choices, columns={**choices.columns, "worker": value or None})
    return choices


def undone(choices: Choices, answer: str) -> Choices:
    """The choices without an answer.

    >>> undone(Choices(missing=("-99", "-1")), "missing=-99").missing
    ('-1',)
    """
    name, _, value = answer.partition("=")
    if name in _LISTS:
        return _with(choices, name, tuple(each for each in getattr(choices, name) if each != value))
    if name in _SINGLE:
        return _with(choices, name, _SINGLE[name])
    if name == "worker":
        return replace(choices, columns={role: column for role, column in choices.columns.items() if role != name})
    return choices


def decisions_in(choices: Choices) -> list[dict[str, str]]:
    """What the user has answered so far, each with the answer by which it is undone."""
    said = [(f"missing={code}", f"{code} means no answer.") for code in choices.missing]
    said += [(f"valid={code}", f"{code} is a real answer.") for code in choices.valid]
    said += [(f"noiseless={name}", f"“{name}” is known for new objects.") for name in choices.noiseless]
    said += [(f"drop={name}", f"“{name}” is left out.") for name in choices.drop]
    if choices.on_invalid != "error":
        said.append(("on_invalid=skip", "Rows that cannot be read are skipped."))
    if choices.repeated != "error":
        which = "their mean counts" if choices.repeated == "mean" else f"the {choices.repeated} counts"
        said.append((f"repeated={choices.repeated}", f"Of repeated judgments, {which}."))
    if choices.unmatched != "error":
        said.append(("unmatched=drop", "Only objects that have judgments and a label are used."))
    return [{"answer": answer, "text": text} for answer, text in said]


def _with(choices: Choices, name: str, value: Any) -> Choices:
    changed: dict[str, Any] = {name: value}
    return replace(choices, **changed)
