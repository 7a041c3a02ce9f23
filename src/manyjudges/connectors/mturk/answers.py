"""Answers: which columns of a batch name the objects, which hold answers, and what a worker answered by them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.connectors.mturk.batches import Assignment, BatchFile
from manyjudges.connectors.place import located
from manyjudges.connectors.selection import LEAVE_OUT, AttributeSelection, RawAnswer, numbered
from manyjudges.exceptions import DocumentError, JudgmentsError
from manyjudges.tables.kinds import says_cant_tell

_INPUT, _ANSWER = "Input.", "Answer."
_OBJECT = "Input.object"
_ATTRIBUTE = "Input.attribute"
OWN_ATTRIBUTE = "answer"
"""The answer of the layouts that we write: one to whichever attribute the HIT says."""

_TASK = "taskAnswers"
"""The one column in which older exports of crowd-html have all answers, as JSON."""

_BOXES = {"on", "yes", "true", "1", "checked"}
"""Values of a single box that is ticked, or not."""


_Answers = Mapping[str, Any]
"""What a worker answered, by the names of the fields, without ``Answer.`` and without blanks."""


@dataclass(frozen=True)
class _Field:
    """One answer column.

    Attributes
    ----------
    name : str
        Without ``Answer.``.
    attribute : str
    number : int, optional
        Of the object in the HIT, where it has several.
    choice : str, optional
        What it means if it is true, where each choice has a column of its own.
    """

    name: str
    attribute: str
    number: int | None = None
    choice: str | None = None


def raw_answers(
    batch: BatchFile, selection: AttributeSelection, object_column: str | None = None
) -> Iterator[RawAnswer]:
    """What workers answered in a batch, about the objects that a column (or its numbered ones) names."""
    object_columns = _object_columns(batch, object_column)
    answers = [_answers_of(handed_in) for handed_in in batch.assignments]
    groups = _groups(_fields_of(batch, answers, selection, numbered=None not in object_columns), object_columns, batch)
    for assignment, answers_there in zip(batch.assignments, answers, strict=True):
        for (attribute, number), fields in groups.items():
            name = _attribute(attribute, batch, assignment)
            value = _value(fields, answers_there, name, assignment.place)
            shown_there = assignment.cells[object_columns[number]]
            if value is None or (number is not None and not shown_there.strip()):
                continue  # the last HIT of a batch may show fewer objects
            if not shown_there.strip():
                raise DocumentError(
                    f"{assignment.place}: {object_columns[number]} is empty; it must name the object.",
                    **located(assignment.place, object_columns[number]),
                )
            yield RawAnswer(shown_there, name, assignment.worker, value, assignment.place, assignment)


def _object_columns(batch: BatchFile, object_column: str | None = None) -> dict[int | None, str]:
    """The column that names the object (under None), or those that name several, by their numbers."""
    inputs = [column for column in batch.columns if column.startswith(_INPUT)]
    if object_column is not None:
        return _named_columns(batch, object_column, inputs)
    if _OBJECT in inputs or len(inputs) == 1:
        return {None: _OBJECT if _OBJECT in inputs else inputs[0]}
    stems = {stem for stem, _ in filter(None, map(numbered, inputs))}
    if _OBJECT in stems or (len(stems) == 1 and all(map(numbered, inputs))):
        return _series(_OBJECT if _OBJECT in stems else stems.pop(), inputs)
    if not inputs:
        raise DocumentError(
            f"{batch.file}: there is no column {_INPUT}…, which would say what was judged; name a column that does: "
            'object="HITId".',
            file=batch.file,
            column="object",
        )
    raise DocumentError(
        f"{batch.file}: which column names the object? There are {list_names(inputs, limit=12)}. Say which one, as in "
        f"object={inputs[0].removeprefix(_INPUT)!r} (--object); of numbered ones, the name without the number.",
        file=batch.file,
        column="object",
    )


def _fields_of(
    batch: BatchFile, answers: Sequence[_Answers], selection: AttributeSelection, *, numbered: bool
) -> list[_Field]:
    """The answer columns that are taken.

    Parameters
    ----------
    batch : BatchFile
    answers : sequence of mapping
        All answers in it: what is always true or false, with a point in its name, is one of several choices.
    selection : AttributeSelection
    numbered : bool
        Whether numbers in names say which object of the HIT is meant.
    """
    names = [column.removeprefix(_ANSWER) for column in batch.columns if column.startswith(_ANSWER)]
    every = dict.fromkeys([name for name in names if name != _TASK])
    every |= dict.fromkeys(name for answers_there in answers for name in answers_there)
    unsure = {name for answers_there in answers for name, value in answers_there.items() if _truth(value) is None}
    fields = [_field(name, name not in unsure, selection, numbered) for name in every]
    own = _ATTRIBUTE in batch.columns
    kept = [
        field for field in fields if selection.includes(field.attribute) or (own and field.attribute == OWN_ATTRIBUTE)
    ]
    if not names:
        raise DocumentError(
            f"{batch.file}: there is no column {_ANSWER}…, so that nothing was judged.", file=batch.file, column=_ANSWER
        )
    if fields and not kept:
        attributes = dict.fromkeys(field.attribute for field in fields)
        raise DocumentError(
            f"{batch.file}: of {list_names(sorted(selection.names or ()), limit=6)}, it has no answers; its answers "
            f"are {list_names(attributes, limit=12)}. Say what they are called here (--rename).",
            file=batch.file,
            column="attributes",
        )
    return kept


def _answers_of(assignment: Assignment) -> dict[str, Any]:
    """All answers of an assignment that are not blank."""
    answers: dict[str, Any] = {}
    for column, text in assignment.cells.items():
        if column == _ANSWER + _TASK:
            answers |= _task_answers(text, assignment.place)
        elif column.startswith(_ANSWER) and text.strip():
            answers[column.removeprefix(_ANSWER)] = text.strip()
    return answers


def _field(name: str, sure: bool, selection: AttributeSelection, many: bool) -> _Field:
    """What an answer is about; ``sure`` if it is true or false wherever it stands."""
    plain = name if sure else name.removesuffix(".label")  # the name that crowd-classifier gives to its answer
    split_name = _based(plain, many)
    if split_name is not None and ("." not in plain or not sure or selection.named(split_name[0])):
        return _Field(name, *split_name)
    stem, choice = _split(plain, selection)
    base = _based(stem, many)
    if base is not None and choice:
        return _Field(name, *base, choice)
    return _Field(name, *(split_name or (plain, None)))


def _based(name: str, many: bool) -> tuple[str, int | None] | None:
    return numbered(name) if many else (name, None)


def _split(name: str, selection: AttributeSelection) -> tuple[str, str]:
    """A field and its choice: at the first point, unless somebody asked for a name that goes on behind it."""
    parts = name.split(".")
    for at in range(len(parts) - 1, 1, -1):
        if selection.named(".".join(parts[:at])):
            return ".".join(parts[:at]), ".".join(parts[at:])
    stem, _, choice = name.partition(".")
    return stem, choice


_Groups = dict[tuple[str, int | None], list[_Field]]


def _groups(fields: Iterable[_Field], object_columns: Mapping[int | None, str], batch: BatchFile) -> _Groups:
    """Fields by attribute and object."""
    groups: _Groups = {}
    for field in fields:
        if field.number not in object_columns:
            raise DocumentError(
                f"{batch.file}: {_ANSWER}{field.name} is about none of the objects "
                f"{list_names(object_columns.values())}: a number at its end must say which, as in "
                f"{field.attribute}_{min(filter(None, object_columns), default=1)}. "
                f"{LEAVE_OUT}",
                file=batch.file,
                column=f"{_ANSWER}{field.name}",
            )
        groups.setdefault((field.attribute, field.number), []).append(field)
    return groups


def _attribute(name: str, batch: BatchFile, assignment: Assignment) -> str:
    if name != OWN_ATTRIBUTE or _ATTRIBUTE not in batch.columns:
        return name
    attribute = assignment.cells[_ATTRIBUTE]
    if not attribute.strip():
        raise DocumentError(
            f"{assignment.place}: {_ATTRIBUTE} is empty; it must name what was asked.",
            **located(assignment.place, _ATTRIBUTE),
        )
    return attribute


def _value(fields: Sequence[_Field], answers: _Answers, attribute: str, place: str) -> Any:
    """What was answered; None where nothing was, or the worker could not tell."""
    if len(fields) == 1 and _is_box(fields[0]):
        return _truth(answers.get(fields[0].name))
    values = [
        answers[field.name] if field.choice is None else field.choice
        for field in fields
        if field.name in answers and (field.choice is None or _truth(answers[field.name]))
    ]
    if len(values) > 1:
        raise JudgmentsError(
            f"{place}: {list_names(values)} are all answers for {attribute!r}, where one is wanted. If "
            f"each choice is an "
            f'attribute of its own, name them so: attributes=["{fields[0].name}", …].',
            value=values,
            **located(place, attribute),
        )
    return None if not values or says_cant_tell(values[0]) else values[0]


def _is_box(field: _Field) -> bool:
    """Whether it is a box to tick, rather than one of several choices."""
    return field.choice is not None and (field.choice.lower() in _BOXES or field.choice == field.attribute)


def _truth(value: object) -> bool | None:
    """True or false where this is one of them, in JSON or as a text."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.lower()) if isinstance(value, str) else None


def _task_answers(text: str, place: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DocumentError(
            f"{place}: {_ANSWER}{_TASK} is not JSON: {error}. Export the batch again.",
            value=text,
            **located(place, f"{_ANSWER}{_TASK}"),
        ) from None
    parts = document if isinstance(document, list) else [document]
    if len(parts) > 1 or not all(isinstance(part, dict) for part in parts):
        raise DocumentError(
            f"{place}: {_ANSWER}{_TASK} is {quote_value(text)}; it must be a list of one object, such as "
            '[{"tall": {"yes": true}}].',
            value=text,
            **located(place, f"{_ANSWER}{_TASK}"),
        )
    return dict(_flat("", parts[0])) if parts else {}


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Nested answers, with points between their names, as newer exports have them."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}" if name else key, inner)
    elif value is not None and str(value).strip():
        yield name, value


def _named_columns(batch: BatchFile, object_column: str, inputs: Sequence[str]) -> dict[int | None, str]:
    for column in (object_column, _INPUT + object_column):
        if column in batch.columns:
            return {None: column}
    stem = _INPUT + object_column.removeprefix(_INPUT).rstrip(" _.-")
    if columns := _series(stem, inputs):
        return columns
    stems = [*dict.fromkeys(column.removeprefix(_INPUT) for column in inputs)]
    raise DocumentError(
        f"{batch.file}: there is no column {_INPUT}{object_column.removeprefix(_INPUT)} to name the object; there are "
        f"{list_names(stems, limit=12) or 'none'}.{suggest(object_column, stems)}",
        file=batch.file,
        value=object_column,
        column="object",
    )


def _series(stem: str, inputs: Iterable[str]) -> dict[int | None, str]:
    columns: dict[int | None, str] = {}
    for column in inputs:
        parts = numbered(column)
        if parts is None or parts[0] != stem:
            continue
        if parts[1] in columns:
            raise DocumentError(f"{columns[parts[1]]} and {column} have the same number; rename one.", column=column)
        columns[parts[1]] = column
    return columns
