"""Wide by rater: a row for each rater and object, and a column for each question."""

from __future__ import annotations

from manyjudges.tables.shapes.layout import Layout, MeasuredColumn
from manyjudges.tables.shapes.sample import Sample, Shape, first_cells

_QUESTION_ROW = "(question)"
"""What our own forms have for the name of the object in their second row, which has the questions."""

_SHOWN_COLUMNS = ("(text)", "(picture)")
"""Columns of our own forms that show raters the object."""

_FEWEST_RATERS = _FEWEST_ROWS_OF_A_RATER = 3


def _recognise(sample: Sample) -> Layout | str:
    heading_rows = 1 if _QUESTION_ROW in first_cells(sample.frame, 0) else 0
    sample = sample.below(heading_rows)
    worker = sample.find("worker")
    name = sample.find("object", {worker} if worker else ())
    if name is None:
        return "no column that names the object (--object COLUMN)"
    label, time = sample.named("label"), sample.find_time()
    used = {name, worker, label, time}
    reasons = {heading: "shown to raters" for heading in _SHOWN_COLUMNS if heading in sample.headings}
    reasons |= _about_raters(sample, worker, used)
    rest = [heading for heading in sample.headings if heading not in used and heading not in reasons]
    measured, left_out = sample.measured([MeasuredColumn(heading, heading) for heading in rest], reasons)
    if not measured:
        return "no column with judgments"
    return Layout(
        "wide-by-rater",
        object=name,
        worker=worker,
        label=label,
        time=time,
        measured=measured,
        heading_rows=heading_rows,
        left_out=left_out,
    )


def _about_raters(sample: Sample, worker: str | None, used: set[str | None]) -> dict[str, str]:
    """Columns that say something about raters, as they are the same in all rows of each."""
    if worker is None:
        return {}
    rows = sample.frame.groupby(sample.frame[worker].astype(str), sort=False)
    if len(rows) < _FEWEST_RATERS or rows.size().min() < _FEWEST_ROWS_OF_A_RATER:
        return {}
    rest = [heading for heading in sample.headings if heading not in used]
    return {
        heading: "the same in all rows of each rater"
        for heading in rest
        if rows[heading].nunique(dropna=False).max() == 1 and len(sample.look(heading).distinct) > 1
    }


SHAPE = Shape("wide-by-rater", _recognise)
"""What the registry of shapes holds of it."""
