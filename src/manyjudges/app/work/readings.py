"""Readings: a table with its labels, read as the user says, what is told of it, and what the user is asked about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from manyjudges.app.choices import Choices
from manyjudges.app.words import error_document
from manyjudges.app.work import preview, questions
from manyjudges.core.plan import Plan
from manyjudges.exceptions import JudgmentsError, LabelsError, ManyJudgesError
from manyjudges.learn.checks.check import Failed
from manyjudges.learn.checks.registry import check_data
from manyjudges.learn.checks.results import CheckResult, CheckResults
from manyjudges.learn.training_data import TrainingData, match_training_data
from manyjudges.tables.reading.labels import labels_by_object, same_for_every_judge
from manyjudges.tables.reading.reading import TableRead
from manyjudges.tables.reading.table import read_table

_FEW = 0.2
"""Share of the answers to a question up to which invalid ones are single mistakes, as the reader has it."""


_SUGGESTED = 3
"""Columns that are suggested as the label, at most."""


@dataclass(frozen=True, eq=False)
class CheckedTable:
    """A table with its labels about which nothing is left to ask.

    Attributes
    ----------
    read : TableRead
        With the objects that have no label.
    data : TrainingData
    answers : mapping
        What the answers stand for, for the plan to keep.
    """

    read: TableRead
    data: TrainingData
    answers: Mapping[str, Any]

    def lacking(self, plan: Plan) -> pd.DataFrame:
        """What the objects of the table lack of a plan."""
        lacking = plan.missing(self.read.judgments)
        if len(self.read.unjudged):  # named in the table, and without any answer
            lacking = pd.concat([lacking, plan.missing(self.read.unjudged)], ignore_index=True)
        return lacking


@dataclass(frozen=True, eq=False)
class TableLook:
    """A table as far as it could be read.

    Attributes
    ----------
    read : TableRead, optional
    labels : Series, optional
    data : TrainingData, optional
        Where there are judgments and labels, and no question is open about how to read them.
    problem : mapping
        The error, where the table cannot be read; nothing where it can.
    label_problem : mapping
        The same for the labels.
    open : tuple of mapping
        Questions to the user.
    checks : CheckResults
    """

    read: TableRead | None = None
    labels: pd.Series[Any] | None = None
    data: TrainingData | None = None
    problem: Mapping[str, Any] = field(default_factory=dict)
    label_problem: Mapping[str, Any] = field(default_factory=dict)
    open: tuple[Mapping[str, Any], ...] = ()
    checks: CheckResults = field(default_factory=CheckResults)

    @property
    def checked(self) -> CheckedTable:
        """The table, to be planned with; an error where something is left to ask."""
        if self.read is None or self.data is None or self.open:
            raise JudgmentsError(
                "The table cannot be used as it is. Answer the questions about it first.", column="answers"
            )
        return CheckedTable(self.read, self.data, self.data.answers or {})


def look_at_table(files: Sequence[str], label_files: Sequence[str], choices: Choices) -> TableLook:
    """Read a table and its labels, as far as that goes."""
    found = _read(files, choices)
    if found.read is None:
        return found
    try:
        labels = _labels(found.read, label_files, choices)
    except ManyJudgesError as error:
        return replace(found, label_problem=error_document(error))
    if labels is None or found.open:
        return replace(found, labels=labels)
    return _matched(replace(found, labels=labels), choices)


def look_document(look: TableLook, files: Sequence[str], choices: Choices) -> dict[str, Any]:
    """What is shown of a table: plain data for the page."""
    shown = preview.look(files, choices, None if look.read is None else look.read.reading.layout)
    problem = look.problem or shown.pop("problem")
    return shown | {
        "problem": problem,
        "label_problem": look.label_problem,
        "answers": [] if look.read is None else list(_answers(look.read)),
        "doubt": preview.answers_in_doubt(files, choices, problem.get("column"), problem.get("value"))
        if problem
        else {},
        "counts": {} if look.read is None else _counts(look.read, look.labels),
        "label_like": [] if look.read is None or look.labels is not None else _label_like(look.read),
        "notes": [] if look.read is None else list(_notes(look.read)),
        "attributes": [] if look.read is None else list(look.read.judgments.attributes),
        "questions": list(look.open),
        "warnings": [_warning(result) for result in look.checks.failed if result.check.severity != "stop"],
        "headline": look.checks.headline if len(look.checks) else "",
        "ready": look.data is not None and not look.open,
    }


def _read(files: Sequence[str], choices: Choices) -> TableLook:
    """The table, or the question that must be answered before it can be read."""
    try:
        return TableLook(read_table(list(files), choices.read_options()))
    except ManyJudgesError as error:
        problem = error_document(error)
    skip = {"on_invalid": "skip"} if choices.on_invalid == "error" else {}
    once = {"repeated": "first"} if choices.repeated == "error" else {}
    for way in (skip, once, skip | once):
        read = _tried(files, choices, way)
        if read is None:
            continue
        if read.reading.skipped and skip and way != once:
            if not _single_mistakes(read):
                break
            return TableLook(read, open=(questions.about_invalid(read, problem["message"]),))
        return TableLook(read, open=(questions.about_repeated(read),))
    return TableLook(problem=problem)


def _tried(files: Sequence[str], choices: Choices, way: Mapping[str, str]) -> TableRead | None:
    """The table, if it can be read in some way that the user did not ask for."""
    if not way:
        return None
    try:
        return read_table(list(files), choices.read_options(**way))
    except ManyJudgesError:
        return None


def _single_mistakes(read: TableRead) -> bool:
    """Whether invalid rows are few of each attribute; otherwise it is the question that was not understood."""
    rows = read.judgments.rows()
    counts = np.bincount(rows.attributes, minlength=len(read.judgments.attributes))
    answers = Counter(dict(zip(read.judgments.attributes, counts.tolist(), strict=True)))
    invalid = Counter(row.column for row in read.invalid)
    return all(count <= _FEW * (answers[name] + count) for name, count in invalid.items() if name in answers)


def _labels(read: TableRead, label_files: Sequence[str], choices: Choices) -> pd.Series[Any] | None:
    if not label_files:
        return read.labels
    labels: pd.Series[Any] = labels_by_object(label_files[0], choices.read_options(), objects=read.judgments.objects)
    return labels


def _matched(look: TableLook, choices: Choices) -> TableLook:
    """The table with its labels matched and checked."""
    assert look.read is not None  # noqa: S101  # it was read
    judgments, known = look.read.judgments, set(look.read.judgments.attributes)
    options: dict[str, Any] = {"noiseless": [name for name in choices.noiseless if name in known]}
    try:
        data = match_training_data(judgments, look.labels, unmatched=choices.unmatched, **options)
    except LabelsError as error:
        try:
            match_training_data(judgments, look.labels, unmatched="drop", **options)
        except ManyJudgesError:
            return replace(look, label_problem=error_document(error))
        return replace(look, open=(questions.about_unmatched(error),))
    except ManyJudgesError as error:
        return replace(look, problem=error_document(error))
    data = replace(data, valid=choices.valid)
    try:
        checks = check_data(data)
    except ManyJudgesError as error:
        return replace(look, problem=error_document(error))
    asked = [question for result in checks.stops for question in questions.about(result)]
    return replace(look, data=data, checks=checks, open=tuple(asked))


def _counts(read: TableRead, labels: pd.Series[Any] | None) -> dict[str, Any]:
    judgments, reading = read.judgments, read.reading
    to_predict = 0 if labels is None else len(labels.attrs.get("to_predict", ()))
    return {
        "judgments": len(judgments),
        "objects": len(judgments.objects),
        "workers": len(judgments.workers),
        "attributes": len(judgments.attributes),
        "unanswered": reading.unanswered,
        "skipped": reading.skipped,
        "repeated": reading.repeated,
        "labels": None if labels is None else int(np.isfinite(labels.to_numpy(dtype=float)).sum()),
        "to_predict": to_predict,
    }


def _label_like(read: TableRead) -> list[str]:
    """Columns that may be the label, as they are the same for every judge of an object."""
    columns = {each.attribute: each.column for each in read.reading.layout.measured}
    return [columns[name] for name in same_for_every_judge(read.judgments) if name in columns][:_SUGGESTED]


def _notes(read: TableRead) -> Iterator[str]:
    yield from read.reading.layout.assumed
    yield from read.reading.notes
    if read.reading.label_note:
        yield f"labels: {read.reading.label_note}"


def _answers(read: TableRead) -> Iterator[dict[str, Any]]:
    """What words stand for, attributes with the same words together."""
    alike: dict[str, list[str]] = {}
    codings = read.reading.codings
    for name, coding in codings.items():
        alike.setdefault(f"{coding.kind} {coding.describe()}", []).append(name)
    for names in alike.values():
        coding = codings[names[0]]
        yield {
            "attributes": names,
            "is_scale": coding.is_scale,
            "unit": coding.unit,
            "words": [{"word": word, "number": coding.look_up(word)} for word in coding.words],
            "known_as": coding.name,
        }


def _warning(result: CheckResult) -> dict[str, Any]:
    outcome = result.outcome
    if not isinstance(outcome, Failed):  # pragma: no cover - only failures are asked for
        return {}
    answers = questions.about_doubtful(outcome) if result.check.kind == "doubtful_attributes" else []
    return {"finding": outcome.finding, "why": outcome.why, "advice": outcome.advice, "answers": answers}
