"""Fields of a plan's document that are read by rules of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manyjudges.base import documents
from manyjudges.base.money import read_currency
from manyjudges.exceptions import DocumentError, PlanError

_RENAMED_FIELDS = {"most": "max_repeats", "ridge": "plan_ridge"}
"""Fields of plans that were written by earlier versions, with their names of today."""


def check_names(document: Mapping[str, Any]) -> None:
    """A plan whose fields have old names would lose its caps without a word."""
    for old, new in _RENAMED_FIELDS.items():
        if old in document:
            raise DocumentError(
                f"this plan was written by an earlier version of ManyJudges: its field {old!r} is called {new!r} now. "
                "Make the plan again, or rename the field.",
                value=old,
            )


def answers_in(document: Mapping[str, Any], attributes: tuple[str, ...]) -> dict[str, Any] | None:
    """What answers stand for; what is in it is read by those who read answers."""
    if document.get("answers") is None:
        return None
    answers: dict[str, Any] = documents.field(document, "answers", dict)
    if unknown := [name for name in answers if name not in attributes]:
        raise DocumentError(
            f"the plan says what answers to {unknown[0]!r} stand for, which is not one of its attributes.",
            value=unknown[0],
            column="answers",
        )
    return answers


def currency_in(document: Mapping[str, Any]) -> str:
    """The currency of a plan; those that were written before plans had one are in units."""
    currency = documents.field({"currency": ""} | dict(document), "currency", str)
    try:
        return read_currency(currency)
    except PlanError as error:
        raise DocumentError(f"the plan's currency cannot be read: {error}", value=currency, column="currency") from None
