"""Wide by judgment: a row for each object, and several columns for each question, such as ``tall_1`` and ``tall_2``."""

from __future__ import annotations

from manyjudges.base.messages import list_names, quote_value
from manyjudges.tables.shapes.headings import HeadingParts, are_partly_crossed, crossed, judgments_of
from manyjudges.tables.shapes.layout import Layout, MeasuredColumn
from manyjudges.tables.shapes.sample import Sample, Shape

_NAME = "wide-by-judgment"

_ONE_QUESTION = "rating"
"""What is asked where the headings only name raters."""


def _recognise(sample: Sample) -> Layout | str:
    forced = sample.shape == _NAME
    worker = sample.named("worker") or (None if forced else sample.find("worker"))
    if worker is not None:
        return f"{quote_value(worker)} names the rater of each row"
    label, time = sample.named("label"), sample.find_time()
    rest = [heading for heading in sample.headings if heading not in (label, time, sample.named("object"))]
    families = judgments_of([heading for heading in rest if heading not in sample.drop])
    name = sample.find("object", families)
    if name is None and not sample.ignores("object"):
        name = sample.name_of_each_row([heading for heading in rest if heading not in families])
    if name is None:
        return "no column that names the object (--object COLUMN)"
    rest = [heading for heading in rest if heading != name]
    answers = [heading for heading in rest if sample.reason(heading) is None and heading not in sample.drop]
    families = families or _crossed(sample, answers, name)
    if not families and forced and len(answers) > 1 and not are_partly_crossed(answers):
        families = {heading: HeadingParts(_ONE_QUESTION, heading, named=True) for heading in answers}
    if not families:
        return "no question has several columns, such as 'tall_1' and 'tall_2'"
    named = any(parts.named for parts in families.values())
    columns = [_column(heading, families.get(heading), named) for heading in rest]
    reasons = {
        column.column: "its heading names no rater"
        for column in columns
        if column.worker is None and sample.reason(column.column) is None
    }
    measured, left_out = sample.measured([each for each in columns if each.column not in reasons], reasons)
    if not measured:
        return "no column with judgments"
    return Layout(
        _NAME,
        object=name,
        label=label,
        time=time,
        measured=measured,
        left_out=left_out,
        workers_known=named,
    )


def _column(heading: str, parts: HeadingParts | None, named: bool) -> MeasuredColumn:
    """A column of judgments; where raters are only numbered, a question with one column has the first judgment."""
    if parts is None:
        return MeasuredColumn(heading, heading, worker=None if named else "1")
    return MeasuredColumn(heading, parts.attribute, worker=parts.worker)


def _crossed(sample: Sample, headings: list[str], name: str) -> dict[str, HeadingParts]:
    """Headings such as ``tall_ann``, which may also be ``ann_tall`` or questions of their own."""
    parts = crossed(headings)
    if not parts:
        return {}
    if sample.shape == _NAME:
        return {heading: HeadingParts(left, right, named=True) for heading, (left, right) in parts.items()}
    if len(sample.sheets) > 1 or sample.look(name).repeats:
        return {}
    firsts = list(dict.fromkeys(left for left, _ in parts.values()))
    seconds = list(dict.fromkeys(right for _, right in parts.values()))
    raise sample.error(
        f"do {list_names(seconds)} name raters, and {list_names(firsts)} questions? If they do, say --shape {_NAME} "
        f"(shape={_NAME!r}); if each column is a question of its own, say --shape wide-by-rater. If it is the other "
        f"way round, rename the columns, such as {headings[0]!r} to '{seconds[0]} ({firsts[0]})'.",
        column="shape",
    )


SHAPE = Shape(_NAME, _recognise)
"""What the registry of shapes holds of it."""
