"""Annotations of Label Studio: what an export says about each, who made it, and whether it counts.

A full export (JSON) is a list of tasks with their annotations. JSON-MIN is a list of annotations, each with the fields
of its task and its answers side by side. A storage to which Label Studio writes has a file for each annotation, in
which lies the task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from manyjudges.base.messages import quote_value
from manyjudges.connectors.json_export import part, read_tree
from manyjudges.connectors.label_studio.config import FLAT, OWN_FIELD
from manyjudges.connectors.place import RecordPlace, located, within
from manyjudges.exceptions import DocumentError
from manyjudges.tables.formats.paths import StrPath

ANNOTATIONS = ("annotations", "completions")
"""Where a task has its annotations; the latter in exports of before version 1.0."""

JUDGED = ("choices", "rating", "number")
"""Kinds of results that are judgments."""

LOOSE = "loose"
"""The kind of a text or number of JSON-MIN, which may be an answer or a field of the task."""

JsonObject = Mapping[str, Any]


@dataclass(frozen=True)
class AnnotationResult:
    """One answer.

    Attributes
    ----------
    control : str
        Its name in the configuration (``from_name``).
    kind : str
        Such as ``"choices"``, ``"rating"``, ``"number"``, ``"textarea"``; or ``LOOSE``.
    value : object
        A list of what was chosen, or written, or a number.
    """

    control: str
    kind: str
    value: Any


@dataclass(frozen=True)
class Annotation:
    """What somebody said about a task.

    Attributes
    ----------
    place : str
        The file, the task and the annotation, in words.
    task : str, optional
        The task's number.
    data : mapping
        The task's fields; in JSON-MIN, the answers are among them.
    record : mapping
        All that the export says about the annotation.
    results : tuple of AnnotationResult
    """

    place: str
    task: str | None
    data: JsonObject
    record: JsonObject
    results: tuple[AnnotationResult, ...]

    @property
    def id(self) -> str | None:
        """Its number, which is its own in all of Label Studio."""
        number = self.record.get("annotation_id", self.record.get("id"))
        return None if number is None else str(number)

    @property
    def key(self) -> tuple[str | None, ...] | None:
        """What it is known by in several exports; in another Label Studio, another one may have its number."""
        return None if self.id is None else (self.id, self.task, str(self.record.get("created_at")))

    @property
    def flat(self) -> bool:
        """Whether it is one of JSON-MIN, where answers stand among the fields of the task."""
        return "result" not in self.record

    @property
    def cancelled(self) -> bool:
        """Whether the worker skipped the task, or took the annotation back."""
        return bool(self.record.get("was_cancelled") or self.record.get("skipped"))

    @property
    def ground_truth(self) -> bool:
        """Whether somebody marked it as the right answer."""
        return bool(self.record.get("ground_truth"))

    @property
    def rejected(self) -> bool:
        """Whether its last review, of those that Label Studio Enterprise knows, rejected it."""
        listed = self.record.get("reviews")
        reviews = [review for review in listed if isinstance(review, Mapping)] if isinstance(listed, list) else []
        last = max(reviews, key=lambda review: str(review.get("created_at", "")), default={})
        return last.get("accepted") is False

    @property
    def attributes(self) -> Mapping[str, str]:
        """Which attribute each control asks for, where the task is one that we wrote."""
        by_control = self.data.get(OWN_FIELD)
        if not isinstance(by_control, dict):
            return {}
        return {control: attribute for control, attribute in by_control.items() if isinstance(attribute, str)}

    @property
    def worker(self) -> str:
        """The number of who made it; the address where there is no number."""
        user = self.record.get("annotator", self.record.get("completed_by"))
        if isinstance(user, Mapping):
            user = next((user[key] for key in ("id", "email") if user.get(key) not in (None, "")), None)
        if isinstance(user, bool) or not isinstance(user, int | str) or not str(user).strip():
            raise DocumentError(
                f"{self.place}: it does not say who made it; completed_by must be the number of a user, or an object "
                "with an id. Export it anew, with the details of users.",
                value=user,
                **located(self.place, "completed_by"),
            )
        return str(user).strip()

    @property
    def changed(self) -> datetime | None:
        """When it was changed last, or else made; None where nothing says so."""
        for name in ("updated_at", "created_at"):
            time = self.record.get(name)
            if time is not None:
                return _when(time, within(self.place, name, name))
        return None


def read_annotations(path: StrPath) -> list[Annotation]:
    """All annotations of a file, those that do not count among them.

    Raises
    ------
    DocumentError
        Where it is no export of Label Studio; the message says which task is wrong.
    """
    file = Path(path).name
    tree = read_tree(path)
    entries = [tree] if isinstance(tree, dict) else tree
    if not isinstance(entries, list):
        raise DocumentError(
            f"{file}: this is {quote_value(tree)}, and not the list of tasks that Label Studio exports.",
            value=tree,
            file=file,
        )
    return [annotation for at, entry in enumerate(entries, start=1) for annotation in _of_entry(file, at, entry)]


def latest(files: Sequence[Sequence[Annotation]]) -> list[list[Annotation]]:
    """The annotations of some files, each once: where files overlap, as it was changed last."""
    best: dict[tuple[str | None, ...], Annotation] = {}
    for annotation in chain.from_iterable(files):
        if annotation.key is not None and not _later(best.get(annotation.key), annotation):
            best[annotation.key] = annotation
    return [[a for a in in_file if a.key is None or best[a.key] is a] for in_file in files]


def _later(one: Annotation | None, other: Annotation) -> bool:
    """Whether one was changed later than the other, as far as is known."""
    before, after = None if one is None else one.changed, other.changed
    return before is not None and after is not None and before > after


def _of_entry(file: str, at: int, entry: object) -> Iterator[Annotation]:
    if not isinstance(entry, dict):
        raise DocumentError(
            f"{file}, entry {at}: this is {quote_value(entry)}; it must be a task, which is an object.",
            value=entry,
            file=file,
            row=at,
        )
    stored = "result" in entry and isinstance(entry.get("task"), dict)
    task: JsonObject = entry["task"] | {"annotations": [entry]} if stored else entry
    number = task.get("id")
    place = RecordPlace(
        f"{file}, entry {at}" if number is None else f"{file}, task {number}", file=file, row=number or at
    )
    key = next((name for name in ANNOTATIONS if name in task), None)
    if key is not None:
        yield from _of_task(place, task, part(task, key, list, place))
    elif {"annotator", "annotation_id"} & task.keys():
        yield _flat(place, task)
    else:
        raise DocumentError(
            f"{place}: it has no annotations. Export the project as JSON; a file of tasks to import has none yet.",
            **located(place, "annotations"),
        )


def _of_task(place: str, task: JsonObject, records: Sequence[object]) -> Iterator[Annotation]:
    data = part(task, "data", dict, place)
    for at, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            if isinstance(record, int):  # an export may be told to give only the numbers of annotations
                raise DocumentError(
                    f"{place}: it has only the numbers of annotations; export all of them.",
                    **located(place, "annotations"),
                )
            raise DocumentError(
                f"{place}, annotation {at} in it: this is {quote_value(record)}; it must be an object.",
                value=record,
                **located(place, "annotations"),
            )
        number = record.get("id")
        where = within(place, f"annotation {at} in it" if number is None else f"annotation {number}")
        yield Annotation(where, _text(task.get("id")), data, record, tuple(_results(record, where)))


def _results(record: JsonObject, place: str) -> Iterator[AnnotationResult]:
    if record.get("result") is None and (record.get("was_cancelled") or record.get("skipped")):
        return
    for result in part(record, "result", list, place):
        if not isinstance(result, dict):
            raise DocumentError(
                f"{place}: {quote_value(result)} among its results must be an object.",
                value=result,
                **located(place, "result"),
            )
        if "from_name" not in result:
            continue  # such as a relation of two regions
        control, kind = part(result, "from_name", str, place), part(result, "type", str, place)
        value = part(result, "value", dict, within(place, repr(control), control))
        key = "text" if kind == "textarea" else kind
        if kind in JUDGED and key not in value:
            raise DocumentError(
                f"{place}, {control!r}: its value has no {key!r}, only {quote_value(dict(value))}.",
                value=dict(value),
                **located(place, control),
            )
        yield AnnotationResult(control, kind, value.get(key))


def _flat(place: str, record: JsonObject) -> Annotation:
    number = record.get("annotation_id")
    where = place if number is None else within(place, f"annotation {number}")
    data = {name: value for name, value in record.items() if name not in FLAT}
    results = [_loose(name, value) for name, value in data.items() if name != OWN_FIELD]
    return Annotation(where, _text(record.get("id")), data, record, tuple(filter(None, results)))


def _loose(name: str, value: object) -> AnnotationResult | None:
    """An answer of JSON-MIN: a number or a rating stands in a list, several choices in an object, one as it is."""
    if isinstance(value, str | int | float):
        return AnnotationResult(name, LOOSE, value)
    inner = value[0] if isinstance(value, list) and len(value) == 1 else value
    if isinstance(inner, dict):
        for kind in JUDGED:
            if kind in inner:
                return AnnotationResult(name, kind, inner[kind])
    return None


def _text(number: object) -> str | None:
    return None if number is None else str(number)


def _when(written: object, place: str) -> datetime:
    try:
        if isinstance(written, int | float) and not isinstance(written, bool):  # as before version 1.0
            return datetime.fromtimestamp(written, UTC)
        time = datetime.fromisoformat(str(written))
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise DocumentError(
            f"{place}: {quote_value(written)} is no time that can be read; it must be as 2026-01-31T12:00:00Z.",
            value=written,
            **located(place),
        ) from None
