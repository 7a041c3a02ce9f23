"""Forms: what the user entered on the page, read into choices."""

from __future__ import annotations

from collections.abc import Mapping
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

    It takes the place of scales that have one of its words: a word has one place in the order.
    """
    if name := _text(form, "drop"):
        return {"drop": tuple(dict.fromkeys([*choices.drop, name]))}
    words = tuple(dict.fromkeys(word.strip() for word in (_text(form, "words") or "").splitlines() if word.strip()))
    if form.get("reverse"):
        words = words[::-1]
    others = [scale for scale in choices.scales if not set(scale) & set(words)]
    return {"scales": (*others, words) if words else tuple(others)}


def money_from(form: FormData, look: Mapping[str, Any], before: Money) -> Money:
    """Prices and what there is to spend; a field that is not in the form stays as it was."""
    named = {name: getattr(before, name) for name in ("budget", "total", "price", "currency", "new")}
    named |= {name: text.strip() for name in named if (text := _text(form, name)) is not None}
    costs = dict(before.costs)
    for at, attribute in enumerate(look.get("attributes", ())):
        text = _text(form, f"cost-{at}")
        if text is not None:
            costs.pop(attribute, None)
            costs |= {attribute: text.strip()} if text.strip() else {}
    return Money(**named, costs=costs)
