"""Answers in Label Studio: which attribute a control stands for, what it is about, and what was answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from manyjudges.base.messages import list_names, quote_value, suggest
from manyjudges.connectors.label_studio.annotations import JUDGED, LOOSE, Annotation, AnnotationResult
from manyjudges.connectors.label_studio.config import OBJECT_FIELD, OWN_FIELD
from manyjudges.connectors.place import located
from manyjudges.connectors.selection import AttributeSelection, RawAnswer
from manyjudges.exceptions import DocumentError, JudgmentsError
from manyjudges.tables.kinds import says_cant_tell

_Boxes = Mapping[str, Mapping[str, str]]
"""By controls of which every choice is an attribute, from choices to attributes."""


def raw_answers(
    annotations: Sequence[Annotation], selection: AttributeSelection, object_field: str | None = None
) -> Iterator[RawAnswer]:
    """What was answered in the annotations of a file.

    Parameters
    ----------
    annotations : sequence of Annotation
    selection : AttributeSelection
        Which attributes.
    object_field : str, optional
        The field that names the object.
    """
    boxes = _boxes_of(annotations, selection)
    for annotation in annotations:
        _check_flat(annotation, selection)
        answers = list(_answers(annotation, selection, boxes))
        if answers:
            name = _object_of(annotation, object_field, selection)
            for attribute, value in answers:
                yield RawAnswer(name, attribute, annotation.worker, value, annotation.place, annotation)


def _boxes_of(annotations: Sequence[Annotation], selection: AttributeSelection) -> _Boxes:
    """Controls of which somebody asked for single choices, as ``"traits.tall"``."""
    results = (result for annotation in annotations for result in annotation.results)
    controls = {result.control for result in results if result.kind in ("choices", LOOSE)}
    named = [name for name in {*(selection.names or ()), *selection.rename} if "." in name]
    boxes: dict[str, dict[str, str]] = {}
    for name in sorted(named):
        for control in controls:
            if name.startswith(f"{control}.") and (selection.named(name) or selection.names is None):
                boxes.setdefault(control, {})[name.removeprefix(f"{control}.")] = name
    return boxes


def _object_of(annotation: Annotation, object_field: str | None, selection: AttributeSelection) -> str:
    """The name of what was judged."""
    by_number = object_field == "id" and "id" not in annotation.data
    value = annotation.task if by_number else annotation.data[_field(annotation, object_field, selection)]
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        raise DocumentError(
            f"{annotation.place}: the object is called {quote_value(value)}; its name must be a text that is not "
            f"empty, or a number. Another field may have it (--object).",
            value=value,
            **located(annotation.place, "object"),
        )
    return str(value)


def _check_flat(annotation: Annotation, selection: AttributeSelection) -> None:
    if annotation.flat and not annotation.attributes and selection.names is None:
        raise DocumentError(
            f"{annotation.place}: this is JSON-MIN, which does not tell answers from other fields. Name the controls "
            'to take, as in attributes=["tall", …] (--attribute); or export the project as JSON.',
            **located(annotation.place, "attributes"),
        )


def _field(annotation: Annotation, object_field: str | None, selection: AttributeSelection) -> str:
    answers = {
        result.control for result in annotation.results if result.kind != LOOSE or selection.named(result.control)
    }
    fields = [name for name in annotation.data if name != OWN_FIELD and not (annotation.flat and name in answers)]
    if object_field is not None:
        if object_field in annotation.data:
            return object_field
        raise DocumentError(
            f"{annotation.place}: the task has no field {object_field!r}; its fields are "
            f"{list_names(fields, limit=12)}.{suggest(object_field, fields)}",
            value=object_field,
            **located(annotation.place, "object"),
        )
    if OBJECT_FIELD in fields or len(fields) == 1:
        return OBJECT_FIELD if OBJECT_FIELD in fields else fields[0]
    if not fields:
        raise DocumentError(
            f"{annotation.place}: the task has no fields, which would say what was judged.",
            **located(annotation.place, "data"),
        )
    raise DocumentError(
        f"{annotation.place}: which field names the object? There are {list_names(fields, limit=12)}. Say which one, "
        f"as in object={fields[0]!r} (--object); object='id' takes the number of the task.",
        **located(annotation.place, "object"),
    )


def _answers(annotation: Annotation, selection: AttributeSelection, boxes: _Boxes) -> Iterator[tuple[str, Any]]:
    """Attributes, as the file calls them, and what was answered."""
    for result in annotation.results:
        attribute = annotation.attributes.get(result.control, result.control)
        if result.control in boxes and not selection.named(attribute):
            continue
        if _is_taken(result, attribute, annotation, selection):
            value = _value(result, attribute, annotation.place)
            if value is not None:
                yield attribute, value
    for control, choices in boxes.items():
        ticked = {
            str(choice)
            for result in annotation.results
            if result.control == control
            for choice in _listed(result.value)
        }
        yield from ((attribute, choice in ticked) for choice, attribute in choices.items())


def _is_taken(result: AnnotationResult, attribute: str, annotation: Annotation, selection: AttributeSelection) -> bool:
    """Other kinds than judgments are taken only by their names, as are answers that may be fields of the task."""
    if result.kind == LOOSE:
        by_control = annotation.attributes
        if not by_control:
            return selection.named(attribute)
        return result.control in by_control and selection.includes(attribute)
    return selection.includes(attribute) if result.kind in JUDGED else selection.named(attribute)


def _value(result: AnnotationResult, attribute: str, place: str) -> Any:
    """What was answered; None where nothing was, or the worker could not tell."""
    if result.kind not in (*JUDGED, LOOSE, "textarea"):
        raise DocumentError(
            f"{place}: {attribute!r} is of the kind {result.kind!r}; a judgment is one of {', '.join(JUDGED)}.",
            value=result.kind,
            **located(place, attribute),
        )
    values = _listed(result.value)
    if len(values) > 1:
        raise JudgmentsError(
            f"{place}: {list_names(values)} are all answers for {attribute!r}, where one is wanted. If "
            f"each choice is an "
            f'attribute of its own, name them so: attributes=["{attribute}.{values[0]}", …].',
            value=values,
            **located(place, attribute),
        )
    if not values or (result.kind == "rating" and values[0] == 0):  # the first star is 1, and 0 is no star
        return None
    return None if says_cant_tell(values[0]) or values[0] in (None, "") else values[0]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
