"""Wide by rater: a row for each rater and object, and a column for each question."""

from __future__ import annotations

from dataclasses import replace

from manyjudges.tables.columns import LABEL_SYNONYMS, columns_called
from manyjudges.tables.shapes.headings import bracketed, one_line
from manyjudges.tables.shapes.layout import Layout, MeasuredColumn
from manyjudges.tables.shapes.looks import FEWEST_DISTINCT
from manyjudges.tables.shapes.sample import Sample, Shape, first_cells
from manyjudges.tables.shapes.survey import AnswerColumn, Survey, survey_layout

_QUESTION_ROW = "(question)"
"""What our own forms have for the name of the object in their second row, which has the questions."""

_SHOWN_COLUMNS = ("(text)", "(picture)")
"""Columns of our own forms that show raters the object."""


HOLDS_LABELS = "it has one label for each object, and no judgments"
"""What a table lacks that is one of labels."""


def is_own_form(sample: Sample) -> bool:
    """Whether a table is one of our forms for raters, whose second row has the questions."""
    return _QUESTION_ROW in first_cells(sample.frame, 0)


def rows_of_objects(sample: Sample, name: str, worker: str | None) -> Layout | str:
    """The layout of a table with a row for each object, or for each object and rater."""
    label, time = sample.named("label"), sample.find_time()
    used = {name, worker, label, time}
    reasons = {heading: "shown to raters" for heading in _SHOWN_COLUMNS if heading in sample.headings}
    facts = {heading: why for heading, why in sample.about_workers(worker).items() if heading not in used}
    reasons |= facts | _other_names(sample, name, used)
    rest = [heading for heading in sample.headings if heading not in used and heading not in reasons]
    measured, left_out = sample.measured([MeasuredColumn(heading, heading) for heading in rest], reasons)
    if not measured:
        return "no column with judgments"
    return Layout(
        "wide-by-rater", object=name, worker=worker, label=label, time=time, measured=measured, left_out=left_out
    )


def _recognise(sample: Sample) -> Layout | str:
    heading_rows = int(is_own_form(sample))
    sample = sample.below(heading_rows)
    worker = sample.find("worker")
    name, assumed = sample.find("object", [worker] if worker else []), ""
    if name is None and not sample.ignores("object"):
        name, assumed = _only_name(sample, worker)
    layout = _objects_in_headings(sample, worker) if name is None else rows_of_objects(sample, name, worker)
    if isinstance(layout, str):
        return layout
    if _holds_labels(sample, layout):
        return HOLDS_LABELS
    if not assumed and worker is None and name is not None and _may_be_raters(sample, layout, name):
        assumed = "each column is a question (if each is a rater's, say --shape wide-by-judgment)"
    return replace(layout, heading_rows=heading_rows, assumed=(*layout.assumed, *([assumed] if assumed else [])))


def _holds_labels(sample: Sample, layout: Layout) -> bool:
    """Whether a table is one of labels: each object once, and nothing but a column that is called so."""
    if layout.worker is not None or layout.object is None or sample.shape == layout.shape:
        return False
    usual = columns_called(LABEL_SYNONYMS["label"], layout.attributes)
    return len(usual) == len(layout.attributes) and not sample.look(layout.object).repeats


def _may_be_raters(sample: Sample, layout: Layout, name: str) -> bool:
    """Whether each object has one row, so that its columns may well be judgments of different raters."""
    if sample.shape == layout.shape or sample.ignores("worker") or len(sample.sheets) > 1:
        return False
    return len(layout.measured) > 1 and not sample.look(name).repeats


def _only_name(sample: Sample, worker: str | None) -> tuple[str | None, str]:
    """The only column that can name the object, though it is not called so, and why it can."""
    if worker is None:
        name = sample.name_of_each_row(sample.headings)
        name = None if name is None or sample.look(name).numeric else name
        return (name, f"{name!r} names the objects, as each row has another") if name else (None, "")
    used = {worker, *sample.named_columns}
    rows = sample.frame[sample.is_filled(worker)]
    if not rows[worker].astype(str).duplicated().any():
        return None, ""
    candidates = [
        heading
        for heading in sample.headings
        if heading not in used
        if sample.may_name(heading) and not rows[[worker, heading]].astype(str).duplicated().any()
    ]
    if len(candidates) != 1:
        return None, ""
    return candidates[0], f"{candidates[0]!r} names the objects, as no rater has the same twice"


def _objects_in_headings(sample: Sample, worker: str | None) -> Layout | str:
    """A row for each rater, and headings such as ``tall [photo 1]``."""
    used = {worker, *sample.named_columns}
    answers = [_answers(heading) for heading in sample.headings if heading not in used]
    if worker is None or not any(each.item for each in answers):
        return "no column that names the object (--object COLUMN)"
    return survey_layout(sample, Survey("wide-by-rater", worker, sample.find_time(), {}, answers))


def _answers(heading: str) -> AnswerColumn:
    parts = bracketed(heading)
    return AnswerColumn(heading, *parts) if parts else AnswerColumn(heading, one_line(heading))


def _other_names(sample: Sample, name: str, used: set[str | None]) -> dict[str, str]:
    """Columns of words that name the objects once more, such as their titles: another for each, always the same."""
    objects = sample.frame[name].astype(str)
    count = objects.nunique()
    if count < FEWEST_DISTINCT or count == len(objects):
        return {}
    return {
        heading: f"another name for each {name!r}"
        for heading in sample.headings
        if heading not in used and not ((look := sample.look(heading)).numeric or look.nested)
        if sample.frame[heading].nunique() == count == len(sample.frame[[name, heading]].astype(str).drop_duplicates())
    }


SHAPE = Shape("wide-by-rater", _recognise)
"""What the registry of shapes holds of it."""
