"""Answers in Label Studio: which attribute a control stands for, what it is about, and what was answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.connectors.label_studio.annotations import JUDGED, LOOSE, Annotation, AnnotationResult
from manyjudges.connectors.label_studio.config import OBJECT, OWN
from manyjudges.connectors.place import located
from manyjudges.connectors.selection import AttributeSelection, RawAnswer
from manyjudges.exceptions import DocumentError, JudgmentsError
from manyjudges.tables.kinds import says_cant_tell

Boxes = Mapping[str, Mapping[str, str]]
"""By controls of which every choice is an attribute, from choices to attributes."""


def raw_answers(
    found: Sequence[Annotation], selection: AttributeSelection, thing: str | None = None
) -> Iterator[RawAnswer]:
    """What was answered in the annotations of a file.

    Parameters
    ----------
    found : sequence of Annotation
    selection : AttributeSelection
        Which attributes.
    thing : str, optional
        The field that names the object.
    """
    boxes = _boxes_of(found, selection)
    for each in found:
        _check_flat(each, selection)
        answers = list(_answers(each, selection, boxes))
        if answers:
            name = _object_of(each, thing, selection)
            for attribute, value in answers:
                yield RawAnswer(name, attribute, each.worker, value, each.place, each)


def _boxes_of(found: Sequence[Annotation], selection: AttributeSelection) -> Boxes:
    """Controls of which somebody asked for single choices, as ``"traits.tall"``."""
    controls = {result.control for each in found for result in each.results if result.kind in ("choices", LOOSE)}
    named = [name for name in {*(selection.names or ()), *selection.rename} if "." in name]
    boxes: dict[str, dict[str, str]] = {}
    for name in sorted(named):
        for control in controls:
            if name.startswith(f"{control}.") and (selection.named(name) or selection.names is None):
                boxes.setdefault(control, {})[name.removeprefix(f"{control}.")] = name
    return boxes


def _object_of(each: Annotation, thing: str | None, selection: AttributeSelection) -> str:
    """The name of what was judged."""
    value = each.data[_field(each, thing, selection)] if thing != "id" or "id" in each.data else each.task
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        raise DocumentError(
            f"{each.place}: the object is called {quote_value(value)}; its name must be a text that is not empty, or a "
            f"number. Another field may have it (--object).",
            value=value,
            **located(each.place),
        )
    return str(value)


def _check_flat(each: Annotation, selection: AttributeSelection) -> None:
    if each.flat and not each.attributes and selection.names is None:
        raise DocumentError(
            f"{each.place}: this is JSON-MIN, which does not tell answers from other fields. Name the controls to "
            'take, as in attributes=["tall", …] (--attribute); or export the project as JSON.',
            **located(each.place),
        )


def _field(each: Annotation, thing: str | None, selection: AttributeSelection) -> str:
    answers = {result.control for result in each.results if result.kind != LOOSE or selection.named(result.control)}
    fields = [name for name in each.data if name != OWN and not (each.flat and name in answers)]
    if thing is not None:
        if thing in each.data:
            return thing
        raise DocumentError(
            f"{each.place}: the task has no field {thing!r}; its fields are {list_names(fields, limit=12)}."
            f"{suggest(thing, fields)}",
            **located(each.place),
        )
    if OBJECT in fields or len(fields) == 1:
        return OBJECT if OBJECT in fields else fields[0]
    if not fields:
        raise DocumentError(
            f"{each.place}: the task has no fields, which would say what was judged.", **located(each.place)
        )
    raise DocumentError(
        f"{each.place}: which field names the object? There are {list_names(fields, limit=12)}. Say which one, as in "
        f"object={fields[0]!r} (--object); object='id' takes the number of the task.",
        **located(each.place),
    )


def _answers(each: Annotation, selection: AttributeSelection, boxes: Boxes) -> Iterator[tuple[str, Any]]:
    """Attributes, as the file calls them, and what was answered."""
    for result in each.results:
        attribute = each.attributes.get(result.control, result.control)
        if result.control in boxes and not selection.named(attribute):
            continue
        if _is_taken(result, attribute, each, selection):
            value = _value(result, attribute, each.place)
            if value is not None:
                yield attribute, value
    for control, choices in boxes.items():
        ticked = {
            str(choice) for result in each.results if result.control == control for choice in _listed(result.value)
        }
        yield from ((attribute, choice in ticked) for choice, attribute in choices.items())


def _is_taken(result: AnnotationResult, attribute: str, each: Annotation, selection: AttributeSelection) -> bool:
    """Other kinds than judgments are taken only by their names, as are answers that may be fields of the task."""
    if result.kind == LOOSE:
        known = each.attributes
        return result.control in known and selection.includes(attribute) if known else selection.named(attribute)
    return selection.includes(attribute) if result.kind in JUDGED else selection.named(attribute)


def _value(result: AnnotationResult, attribute: str, place: str) -> Any:
    """What was answered; None where nothing was, or the worker could not tell."""
    if result.kind not in (*JUDGED, LOOSE, "textarea"):
        raise DocumentError(
            f"{place}: {attribute!r} is of the kind {result.kind!r}; a judgment is one of {', '.join(JUDGED)}.",
            **located(place),
        )
    found = _listed(result.value)
    if len(found) > 1:
        raise JudgmentsError(
            f"{place}: {list_names(found)} are all answers for {attribute!r}, where one is wanted. If "
            f"each choice is an "
            f'attribute of its own, name them so: attributes=["{attribute}.{found[0]}", …].',
            **located(place),
        )
    if not found or (result.kind == "rating" and found[0] == 0):  # the first star is 1, and 0 is no star
        return None
    return None if says_cant_tell(found[0]) or found[0] in (None, "") else found[0]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
