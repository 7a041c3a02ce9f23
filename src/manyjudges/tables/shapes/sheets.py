"""Sheets: a sheet or file for each rater, in it a row for each object and a column for each question."""

from __future__ import annotations

from dataclasses import replace

from manyjudges.tables.shapes.headings import judgments_of
from manyjudges.tables.shapes.layout import Layout
from manyjudges.tables.shapes.sample import Sample, Shape
from manyjudges.tables.shapes.wide_by_rater import is_own_form, rows_of_objects

_NAME = "sheets"


def _recognise(sample: Sample) -> Layout | str:
    forced, own = sample.shape == _NAME, is_own_form(sample)
    if not forced and len(sample.sheets) < 2 and not own:
        return "there is only one sheet"
    if not forced and sample.ignores("worker"):
        return "raters are ignored"
    if not all(sample.sheets):
        return "the tables have no names, by which raters would be known"
    if (worker := sample.find("worker")) is not None:
        return f"{worker!r} names the rater of each row"
    if not forced and judgments_of(sample.headings):
        return "a question has several columns"
    below = sample.below(int(own))
    name = sample.find("object") or below.name_of_each_row(sample.headings)
    if name is None:
        return "no column that names the object (--object COLUMN)"
    if not forced and below.look(name).repeats:
        return f"a sheet has several rows for the same {name!r}"
    layout = rows_of_objects(below, name, None)
    return layout if isinstance(layout, str) else replace(layout, shape=_NAME, heading_rows=int(own))


SHAPE = Shape(_NAME, _recognise)
"""What the registry of shapes holds of it."""
