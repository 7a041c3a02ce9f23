"""What is wrong with a study's file: where it stands, and what would be right."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from manyjudges.base.messages import LONGEST_VALUE, suggest
from manyjudges.exceptions import StudyProblem
from manyjudges.study.addresses import without_password
from manyjudges.study.toml_lines import Lines, Path

_MOST_SENTENCES = 50
"""How many complaints a message holds."""

RENAMED_KEYS = {
    "plan.most": "max_repeats",
    "llm.attempts": "max_calls_per_judgment",
    "llm.tries": "max_retries",
    "llm.key": "api_key_env",
    "models.key": "api_key_env",
}
"""Old names of keys, with their tables: whoever uses an old name is told the new one."""

_COUNTED_FIRST = frozenset({"llm.tries"})
"""Old keys whose number counted the first call, too: that of the new key is one less."""


def problems_in(
    error: ValidationError, model: type[BaseModel], document: Mapping[str, Any], lines: Lines, file: str
) -> tuple[StudyProblem, ...]:
    """All that is wrong, in the order of the file."""
    problems = (
        StudyProblem(
            file, lines.of(detail["loc"]), key_of(detail["loc"]), _value(detail), _sentence(detail, model, document)
        )
        for detail in error.errors()
    )
    return tuple(sorted(problems, key=lambda problem: (problem.line, problem.message)))


def describe_problems(problems: Sequence[StudyProblem]) -> str:
    """A line for each problem, beginning with ``study.toml, line 3: ``."""
    lines = [f"{problem.file}, line {problem.line}: {problem.message}" for problem in problems[:_MOST_SENTENCES]]
    if len(problems) > _MOST_SENTENCES:
        lines.append(f"{problems[0].file}, and {len(problems) - _MOST_SENTENCES} more like these.")
    return "\n".join(lines)


def _value(detail: ErrorDetails) -> object:
    return None if detail["type"] in ("missing", "absence") else _without_passwords(detail["input"])


def _without_passwords(value: object) -> object:
    """A value of a study's file, without the passwords of addresses.

    >>> _without_passwords({"database": ["postgresql://ann:secret@localhost/jars", 3]})
    {'database': ['postgresql://ann:…@localhost/jars', 3]}
    """
    if isinstance(value, dict):
        return {key: _without_passwords(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_passwords(inner) for inner in value]
    return without_password(value) if isinstance(value, str) else value


def key_of(path: Path) -> str:
    """A key with its tables, whichever of several it is.

    >>> key_of(("plan", "pilot")), key_of(("attributes", 0, "range", 1))
    ('plan.pilot', 'attributes.range')
    """
    return ".".join(step for step in path if isinstance(step, str))


def _toml(value: object) -> str:
    """A value as a study's file has it, shortened and without passwords.

    >>> _toml(True), _toml("a"), _toml([1, 7]), _toml({"a": 1})
    ('true', '"a"', '[1, 7]', '{"a": 1}')
    """
    text = without_password(json.dumps(value, ensure_ascii=False, default=str))
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def _name_of(path: Path, document: Mapping[str, Any]) -> str:
    """A key as a person would call it.

    >>> _name_of(("plan", "pilot"), {}), _name_of(("attributes", 0, "range", 1), {"attributes": [{"name": "tall"}]})
    ('plan.pilot', "range of attribute 'tall'")
    """
    if len(path) < 2 or path[0] != "attributes" or not isinstance(path[1], int):
        return key_of(path)
    entry = document["attributes"][path[1]]
    entry_name = entry.get("name") if isinstance(entry, dict) else None
    name = f"attribute {entry_name!r}" if isinstance(entry_name, str) else f"attribute {path[1] + 1}"
    keys = [str(step) for step in path[2:] if isinstance(step, str)]
    return f"{'.'.join(keys)} of {name}" if keys else name


def _sentence(error: ErrorDetails, model: type[BaseModel], document: Mapping[str, Any]) -> str:
    path, kind = error["loc"], error["type"]
    name = _name_of(path, document)
    table, field = _model_at(path, model)
    if kind == "extra_forbidden":
        if key_of(path) in RENAMED_KEYS:
            return f"{name} has a new name: {_new_name(path, error['input'], table, document)}"
        return f"unknown key {name} (= {_toml(error['input'])}); {_known_keys(path, table, model)}"
    allowed = field.description if field is not None else "a table"
    if kind == "missing":
        return f"{name} is missing: it must be {allowed}."
    if kind == "absence":
        return f"{name} is missing: {error['msg']}"
    value = _toml(error["input"])
    return f"{name} = {value} {error['msg']}" if kind == "contradiction" else f"{name} must be {allowed}, not {value}."


def _new_name(path: Path, value: Any, table: type[BaseModel], document: Mapping[str, Any]) -> str:
    """What to write in the place of an old key; its value only if the new key takes it."""
    old = key_of(path)
    new = RENAMED_KEYS[old]
    beside = _table_at(path[:-1], document)
    if new in beside:
        return f"{new}. That is in the table already; delete {path[-1]}."
    note = ", which does not count the first call" if old in _COUNTED_FIRST else ""
    if note and isinstance(value, int) and not isinstance(value, bool):
        value -= 1
    fault = _fault_of(new, value, table, beside)
    if fault is None:
        return f"{new}{note}. Write {new} = {_toml(value)} instead."
    if fault["type"] == "contradiction":
        return f"{new}{note}. But {new} = {_toml(value)} {fault['msg']}"
    return f"{new}{note}. It must be {table.model_fields[new].description}."


def _table_at(path: Path, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The keys that a table of the file has."""
    table: Any = document
    for step in path:
        table = table[step]
    return dict(table)


def _fault_of(key: str, value: object, table: type[BaseModel], beside: Mapping[str, Any]) -> ErrorDetails | None:
    """Why a key of a table does not take a value, next to what else is in the table; None where it does."""
    try:
        table.model_validate({**beside, key: value})
    except ValidationError as error:
        return next((detail for detail in error.errors() if detail["loc"][:1] == (key,)), None)
    return None


def _model_at(path: Path, model: type[BaseModel]) -> tuple[type[BaseModel], FieldInfo | None]:
    """The table that a key stands in, and the key's field if it is known."""
    table, field, inner = model, None, model
    for step in path:
        if isinstance(step, str):
            table, field = inner, inner.model_fields.get(step)
            inner = (_tables_in(field.annotation) or [inner])[0] if field is not None else inner
    return table, field


def _tables_in(annotation: Any) -> list[type[BaseModel]]:
    """The tables among what a key may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [table for inner in get_args(annotation) for table in _tables_in(inner)]


def _known_keys(path: Path, table: type[BaseModel], model: type[BaseModel]) -> str:
    key = str(path[-1])
    keys = list(table.model_fields)
    if homes := [home for home in _homes(key, model) if home != _home(path, model)]:
        return f"it belongs {' or '.join(homes)}.{suggest(key, keys)}"
    if new_names := _new_names(key):
        homes = [_home((*tables, new), model) for *tables, new in new_names]
        return f"it has a new name, {new_names[0][-1]}, and belongs {' or '.join(homes)}."
    return f"known here are {', '.join(keys)}.{suggest(key, keys)}"


def _new_names(key: str) -> list[tuple[str, ...]]:
    """The new names of an old key, with their tables, whichever table it stood in.

    >>> _new_names("key"), _new_names("pilot")
    ([('llm', 'api_key_env'), ('models', 'api_key_env')], [])
    """
    old_keys = [tuple(old.split(".")) for old in RENAMED_KEYS]
    return [(*tables, RENAMED_KEYS[".".join((*tables, name))]) for *tables, name in old_keys if name == key]


def _homes(key: str, model: type[BaseModel]) -> list[str]:
    """Where a key is known; one that was written under the wrong heading is the commonest mistake."""
    top = [_home((key,), model)] if key in model.model_fields else []
    tables = [(name, table) for name, field in model.model_fields.items() for table in _tables_in(field.annotation)]
    return top + [_home((name, key), model) for name, table in tables if key in table.model_fields]


def _home(path: Path, model: type[BaseModel]) -> str:
    """Where a key belongs, in words; a table belongs under a heading of its own, wherever that is."""
    field = model.model_fields.get(str(path[0]))
    is_table = field is not None and bool(_tables_in(field.annotation))
    several = field is not None and get_origin(field.annotation) is tuple  # a table for each of them
    heading = f"[[{path[0]}]]" if several else f"[{path[0]}]"
    if len(path) > 1:
        return f"under {heading}"
    return f"under its own heading {heading}" if is_table else "at the top, above the first [heading]"
