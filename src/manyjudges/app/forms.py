"""Forms: what the user entered on the page, read into choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData

from manyjudges.app.choices import Choices, Money
from manyjudges.app.words import COLUMN_WORDS

_FOUND = "auto"
"""The value of a field whose column is to be found."""

_NOBODY = ""
"""The value of a field that no column has."""


def columns_from(form: FormData, choices: Choices, look: Mapping[str, Any]) -> dict[str, Any]:
    """Which column is what, and which are left out.

    A column has one role: where the user gives it a second one, it loses the first.
    """
    before = choices.columns
    chosen = {role: value for role in COLUMN_WORDS if (value := _text(form, role)) is not None}
    new = [role for role, value in chosen.items() if value != shown_for(role, choices, look)]
    columns: dict[str, str | None] = {role: name for role, name in before.items() if role not in chosen}
    for role, value in chosen.items():
        if role in new:
            columns |= {} if value == _FOUND else {role: value or None}
        elif role in before:
            columns[role] = before[role]
    taken = {columns.get(role) for role in new} - {None}
    columns = {role: name for role, name in columns.items() if role in new or name not in taken}
    shape = _text(form, "shape") or choices.shape
    return {"columns": columns, "shape": shape, "drop": _dropped(form, choices)}


def shown_for(role: str, choices: Choices, look: Mapping[str, Any]) -> str:
    """What the field of a role shows: the column that has it, whoever said so."""
    if role in choices.columns:
        return choices.columns[role] or _NOBODY
    return str(look.get("roles", {}).get(role, _FOUND))


def _dropped(form: FormData, choices: Choices) -> tuple[str, ...]:
    """Columns that the user left out: those offered and not ticked, and those dropped before that are not offered."""
    offered = [str(name) for name in form.getlist("offered")]
    kept = {str(name) for name in form.getlist("use")}
    before = [name for name in choices.drop if name not in offered]
    return tuple(dict.fromkeys([*before, *(name for name in offered if name not in kept)]))


def _text(form: FormData, name: str) -> str | None:
    value = form.get(name)
    return value if isinstance(value, str) else None


def scale_from(form: FormData, choices: Choices) -> dict[str, Any]:
    """A scale, one word per line, the lowest first; or the question that is left out instead.

    It takes the place of scales that have one of its words: a word has one place in the order. Words that were offered
    and taken out mean that there is no answer.
    """
    if name := _text(form, "drop"):
        return {"drop": tuple(dict.fromkeys([*choices.drop, name]))}
    words = tuple(dict.fromkeys(word.strip() for word in (_text(form, "words") or "").splitlines() if word.strip()))
    if not words:
        return {}
    taken_out = [str(word) for word in form.getlist("offered") if word not in words]
    if form.get("reverse"):
        words = words[::-1]
    others = [scale for scale in choices.scales if not set(scale) & {*words, *taken_out}]
    kept = [code for code in choices.missing if code not in words]
    return {"scales": (*others, words), "missing": tuple(dict.fromkeys([*kept, *taken_out]))}


def money_from(form: FormData, look: Mapping[str, Any], before: Money) -> Money:
    """Prices and what there is to spend; a field that is not in the form stays as it was."""
    named = {name: getattr(before, name) for name in ("budget", "total", "price", "currency", "new")}
    named |= {name: text.strip() for name in named if (text := _text(form, name)) is not None}
    attributes = look.get("attributes", ())
    named["new"] = _digits(named["new"])
    single: dict[str, Any] = {
        name: _of_each(form, name, attributes, getattr(before, name)) for name in ("costs", "max_repeats")
    }
    return Money(**named, **single)


def _digits(text: str) -> str:
    """A whole number without what sets thousands apart; other texts as they are.

    >>> _digits("5,000"), _digits("12 000"), _digits("many")
    ('5000', '12000', 'many')
    """
    plain = text.replace(",", "").replace(" ", "")
    return plain if plain.isascii() and plain.isdecimal() else text


def _of_each(form: FormData, name: str, attributes: Sequence[str], before: Mapping[str, str]) -> dict[str, str]:
    """What was entered for single attributes, whose fields are numbered."""
    entered = dict(before)
    for at, attribute in enumerate(attributes):
        text = _text(form, f"{name}-{at}")
        if text is not None:
            entered.pop(attribute, None)
            entered |= {attribute: text.strip()} if text.strip() else {}
    return entered
