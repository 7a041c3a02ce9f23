"""Surveys: what the exports of survey tools share, whose rows are each one person's answers.

Either a column names the object that a row is about, or the headings name the objects, so that a row has answers about
several: ``Is the person tall? [photo 1]``, the loops of Qualtrics, the items of a battery.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from manyjudges.base.messages import list_names
from manyjudges.tables.columns import less_usual
from manyjudges.tables.shapes.headings import is_code, name_things, one_line
from manyjudges.tables.shapes.layout import Layout, MeasuredColumn
from manyjudges.tables.shapes.looks import reason_to_leave_out
from manyjudges.tables.shapes.sample import Sample

_LONGEST_NAME = 40
"""An item of a battery that is longer than this is a statement, not a name for an attribute."""

_ASKS_WHICH = re.compile(r"(which|what|welche[rsn]?|quel(le)?|cu[aá]l|qué)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class AnswerColumn:
    """A column with answers.

    Attributes
    ----------
    column : str
        Its heading.
    question : str
        The name of the question, without the item.
    item : str
        What the question is asked about, or what is asked, of a question with several rows; empty for others.
    text : str
        The question as people read it, where the file has it.
    loop : bool
        Whether the item is a turn of a loop, which is always an object.
    name : str
        What the column measures where its rows are about one object each; empty where the item says so.
    """

    column: str
    question: str
    item: str = ""
    text: str = ""
    loop: bool = False
    name: str = ""


@dataclass(frozen=True)
class Survey:
    """What a tool's own shape knows about a file of it.

    Attributes
    ----------
    shape : str
    worker : str, optional
        The column that tells respondents apart.
    time : str, optional
    technical : mapping of str to str
        Columns of the tool's own that hold no answers, and what they are.
    answers : sequence of AnswerColumn
        The other columns.
    heading_rows : int
    no_answer : tuple of str
    may_name_object : sequence of str
        Technical columns that may name the object.
    """

    shape: str
    worker: str | None
    time: str | None
    technical: Mapping[str, str]
    answers: Sequence[AnswerColumn]
    heading_rows: int = 0
    no_answer: tuple[str, ...] = ()
    may_name_object: Sequence[str] = ()


def survey_layout(sample: Sample, survey: Survey) -> Layout:
    """The layout of a survey's file, without the rows that belong to its heading.

    Raises
    ------
    JudgmentsError
        Where it is open what names the object.
    """
    worker = None if sample.ignores("worker") else sample.named("worker") or survey.worker
    name = _object_column(sample, survey, worker)
    roles = {name, worker, sample.named("label"), survey.time} - {None}
    reasons = {heading: why for heading, why in survey.technical.items() if heading not in roles}
    answers = [each for each in survey.answers if each.column not in roles]
    assumed: tuple[str, ...] = ()
    if name is not None:
        columns = _about_one_object(answers)
        facts = sample.about_workers(worker)
        reasons |= {each.column: facts[each.column] for each in columns if each.column in facts}
        reasons |= _without_object(sample, name, columns)
    else:
        asked = [each for each in answers if not {each.column, each.item} & set(sample.drop)]
        columns, assumed = _about_several_objects(sample, survey, asked)
        in_headings = {column.column for column in columns}
        reasons |= {
            each.column: "dropped" if each.column in sample.drop else "it is about no object"
            for each in answers
            if each.column not in in_headings
        }
    reasons |= {each.column: why for each in answers if (why := _reason_by_text(sample, each))}
    if survey.time is not None and survey.time != sample.named("time"):
        reasons[survey.time] = "a date or time"
    measured, left_out = sample.measured([each for each in columns if each.column not in reasons], reasons)
    own = sorted(left_out, key=lambda pair: pair[0] in survey.technical)  # what people asked first
    if not measured:
        raise sample.error(
            "there is no column with answers about objects. Say which column names the object with --object COLUMN "
            "(object=).",
            column="object",
        )
    return Layout(
        survey.shape,
        object=name,
        worker=worker,
        label=sample.named("label"),
        time=survey.time,
        measured=measured,
        heading_rows=survey.heading_rows,
        left_out=tuple(own),
        row_is_worker=worker is None and name is None,
        no_answer=survey.no_answer,
        assumed=assumed,
    )


def _reason_by_text(sample: Sample, answers: AnswerColumn) -> str | None:
    """Why the text of a question says that its answers are no judgments."""
    return reason_to_leave_out(answers.text or answers.question, sample.look(answers.column))


def technical_columns(
    headings: Iterable[str], known: Mapping[str, str], patterns: Mapping[str, re.Pattern[str]] | None = None
) -> dict[str, str]:
    """The columns that a tool adds to those of the questions, each with what it is.

    Parameters
    ----------
    headings : iterable of str
    known : mapping of str to str
        What they are by heading in small letters.
    patterns : mapping of str to pattern, optional
        Patterns of headings by what they are.
    """
    found = {}
    for heading in headings:
        name = heading.strip().casefold()
        if name in known:
            found[heading] = known[name]
        elif why := next((why for why, each in (patterns or {}).items() if each.fullmatch(heading.strip())), ""):
            found[heading] = why
    return found


def first_filled(sample: Sample, headings: Sequence[str]) -> str | None:
    """The first of some columns, in their order and whatever their case, in which no cell is empty."""
    by_name = {heading.strip().casefold(): heading for heading in reversed(sample.headings)}
    there = [by_name[name.casefold()] for name in headings if name.casefold() in by_name]
    filled = (heading for heading in there if sample.look(heading).filled == len(sample.frame))
    return next(filled, there[0] if there else None)


def _object_column(sample: Sample, survey: Survey, worker: str | None) -> str | None:
    """The column that names the object: as the user says, by its name, or as the question that asks for it."""
    if (name := sample.named("object")) is not None or sample.ignores("object"):
        return name
    if any(each.loop for each in survey.answers):
        return None
    technical = {*survey.technical, *([worker] if worker else [])} - set(survey.may_name_object)
    if (name := sample.find("object", technical)) is not None:
        return name
    asking = [each.column for each in survey.answers if not each.item and _asks_for_object(each.text or each.question)]
    return asking[0] if len(asking) == 1 else None


def _asks_for_object(question: str) -> bool:
    """Whether a question such as "Which essay do you rate?" asks for the object."""
    words = _WORD.findall(question)
    return bool(_ASKS_WHICH.match(question.strip())) and bool(less_usual("object", words[1:4]))


def _about_one_object(answers: Sequence[AnswerColumn]) -> list[MeasuredColumn]:
    """Columns of rows that are about one object each."""
    counts = Counter(each.item for each in answers if not each.name)
    taken = {each.name or each.question for each in answers}
    names = {item for item, count in counts.items() if count == 1 and 0 < len(item) <= _LONGEST_NAME} - taken
    return [
        MeasuredColumn(each.column, each.name or (each.item if each.item in names else one_line(each.column)))
        for each in answers
    ]


def _without_object(sample: Sample, name: str, columns: Sequence[MeasuredColumn]) -> dict[str, str]:
    """Columns that are filled in only where no object is named, as are those of another form of the tool."""
    empty = ~sample.is_filled(name)
    if not empty.any():
        return {}
    return {
        column.column: "filled in only where no object is named"
        for column in columns
        if (filled := sample.is_filled(column.column)).any() and not (filled & ~empty).any()
    }


def _about_several_objects(
    sample: Sample, survey: Survey, answers: Sequence[AnswerColumn]
) -> tuple[list[MeasuredColumn], tuple[str, ...]]:
    """Columns of rows that are about several objects, which the headings name, and what was assumed."""
    loops = [each for each in answers if each.loop]
    if loops:
        return [MeasuredColumn(each.column, each.question, object=each.item) for each in loops], ()
    with_item = [each for each in answers if each.item]
    if with_item and _questions_are_objects(with_item) and not sample.ignores("object"):
        columns = [MeasuredColumn(each.column, each.item, object=each.question) for each in with_item]
        return columns, ("the headings name the objects before what is asked",)
    if not with_item or not (sample.ignores("object") or _items_are_objects(sample, with_item, answers)):
        raise _open_object(sample, survey, with_item)
    columns = [MeasuredColumn(each.column, each.question, object=each.item) for each in with_item]
    return columns, ("the headings name the objects behind the question",)


def _questions_are_objects(answers: Sequence[AnswerColumn]) -> bool:
    return name_things([each.text or each.question for each in answers]) and not name_things(
        [each.item for each in answers]
    )


def _items_are_objects(sample: Sample, with_item: Sequence[AnswerColumn], answers: Sequence[AnswerColumn]) -> bool:
    """Whether the items can only be the objects: they are called so, or several questions are asked about the same."""
    with_item = [each for each in with_item if not is_code(each.item)]
    if name_things([each.item for each in with_item]):
        return True
    if _candidates(sample, [each.column for each in answers if not each.item]):
        return False
    questions_of: dict[str, set[str]] = {}
    for each in with_item:
        questions_of.setdefault(each.item, set()).add(each.question)
    return any(len(questions) > 1 for questions in questions_of.values())


def _candidates(sample: Sample, headings: Iterable[str]) -> list[str]:
    """Columns that may name the object of a row: words, some of which come more than once."""
    looks = {heading: sample.look(heading) for heading in headings if sample.reason(heading) is None}
    return [heading for heading, look in looks.items() if not look.numeric and look.repeats and len(look.distinct) > 1]


def _open_object(sample: Sample, survey: Survey, with_item: Sequence[AnswerColumn]) -> Exception:
    possible = [*survey.may_name_object, *(each.column for each in survey.answers if not each.item)]
    there = _candidates(sample, [heading for heading in possible if heading != survey.worker])
    shown = f" It may be {list_names(there, limit=6)}." if there else ""
    example = with_item[0].item if with_item else ""
    headings = (
        f" If instead the headings name the objects, as {example!r}, say so with --column object= (object=None)."
        if example
        else ""
    )
    return sample.error(
        f"which column names the object that a row is about?{shown} Say so with --object COLUMN (object=).{headings}",
        column="object",
    )
